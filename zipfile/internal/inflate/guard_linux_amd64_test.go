//go:build !purego && !noasm && !safe

package inflate

func allLoops() []loops {
	if !hasBMI2() {
		return []loops{loopsInGo}
	}
	return []loops{{"assembly", pairLoop, (*Decoder).block}, loopsInGo}
}

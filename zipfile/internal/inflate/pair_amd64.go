//go:build !purego && !noasm && !safe

package inflate

import "golang.org/x/sys/cpu"

// pairBMI2 is pairGo in assembly, for processors with BMI1 and BMI2 (Intel since 2013, AMD since
// 2015). The bounds are the same.
//
//go:noescape
func pairBMI2(p *Pair, steps int) (code int)

var hasBMI2 = cpu.X86.HasBMI1 && cpu.X86.HasBMI2

func pairLoop(p *Pair, steps int) (code int) {
	if hasBMI2 {
		return pairBMI2(p, steps)
	}
	return pairGo(p, steps)
}

//go:build linux && !purego && (!amd64 || noasm || safe)

package inflate

func allLoops() []loops { return []loops{loopsInGo} }

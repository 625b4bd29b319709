//go:build !purego && (!amd64 || noasm || safe)

package inflate

func pairLoop(p *Pair, steps int) (code int) { return pairGo(p, steps) }

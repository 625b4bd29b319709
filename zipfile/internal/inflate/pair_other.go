//go:build !purego && (!amd64 || noasm || safe)

package inflate

func pairLoop(p *Pair, ahead int) (code int) { return pairGo(p, ahead) }

// block decodes the rest of a block of codes. It returns running at its end.
func (d *Decoder) block() (status, error) { return d.blockGo() }

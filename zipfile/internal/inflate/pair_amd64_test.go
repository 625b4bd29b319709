//go:build !purego && !noasm && !safe

package inflate

import (
	"bytes"

	"github.com/stretchr/testify/require"
)

// comparePairLoops decodes two streams with the pair loop in Go and in assembly, some bytes at a
// time, and compares all that they leave behind, until one of the streams ends.
func comparePairLoops(t require.TestingT, a, b []byte, sizeA, sizeB, ahead int) {
	if !hasBMI2 {
		return
	}
	a, b = behind(a, 0x55), behind(b, 0x55) // the bits behind the end are compared too
	inGo, inAsm := GetPair(), GetPair()
	defer inGo.Free()
	defer inAsm.Free()
	for _, p := range []*Pair{inGo, inAsm} {
		p.lanes[0].begin(Job{Src: a, Size: sizeA}, false)
		p.lanes[1].begin(Job{Src: b, Size: sizeB}, false)
		for i := range p.lanes {
			if s, err := p.lanes[i].toCodes(); s != running || err != nil {
				return
			}
		}
	}
	for {
		code, same := pairGo(inGo, ahead), pairBMI2(inAsm, ahead)
		require.Equal(t, code, same, "the exit")
		for i := range 2 {
			x, y := &inGo.lanes[i], &inAsm.lanes[i]
			require.Equal(t, []any{x.pos, x.bb, x.n, x.o}, []any{y.pos, y.bb, y.n, y.o}, "lane %d", i)
			require.True(t, bytes.Equal(x.out[:x.o], y.out[:y.o]), "the output of lane %d", i)
		}
		lane := 0
		switch code {
		case atA:
		case atB:
			lane = 1
		case atLimit:
			if inGo.lanes[0].atLimit() || inGo.lanes[1].atLimit() {
				return
			}
			continue
		default:
			return
		}
		x, y := &inGo.lanes[lane], &inAsm.lanes[lane]
		s, err := x.block()
		s2, err2 := y.block()
		require.Equal(t, []any{s, err}, []any{s2, err2})
		if s != running || err != nil {
			return
		}
		s, err = x.toCodes()
		s2, err2 = y.toCodes()
		require.Equal(t, []any{s, err}, []any{s2, err2})
		if s != running || err != nil {
			return
		}
	}
}

// compareBlocks decodes a stream with the loop for one in Go and in assembly. They stop at
// different places, so that what they come to is compared.
func compareBlocks(t require.TestingT, src []byte, size int) {
	if !hasBMI2 {
		return
	}
	decode := func(block func(*Decoder) (status, error)) ([]byte, int, error) {
		d := Get()
		defer d.Free()
		d.begin(Job{Src: behind(src, 0x55), Size: size}, false)
		for {
			s, err := d.toCodes()
			if s == running && err == nil {
				s, err = block(d)
			}
			if s != running || err != nil {
				out, used, err := d.result(s, err)
				return bytes.Clone(out), used, err
			}
		}
	}
	inGo, used, err := decode((*Decoder).blockGo)
	inAsm, used2, err2 := decode((*Decoder).block)
	require.Equal(t, err == nil, err2 == nil, "%v, %v", err, err2)
	if err == nil {
		require.Equal(t, used, used2)
		require.True(t, bytes.Equal(inGo, inAsm))
	}
}

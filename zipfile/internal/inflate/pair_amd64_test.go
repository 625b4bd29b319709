//go:build !purego && !noasm && !safe

package inflate

import (
	"bytes"

	"github.com/stretchr/testify/require"
)

// comparePairLoops decodes two streams with the pair loop in Go and in assembly, some bytes at a
// time. The two do the halves of their steps in another order and so stop at different places;
// what they come to is compared.
func comparePairLoops(t require.TestingT, a, b []byte, sizeA, sizeB, ahead int) {
	if !hasBMI2() {
		return
	}
	type outcome struct {
		out  []byte
		used int
		err  error
	}
	decode := func(loop func(p *Pair, ahead int) int) (of [2]outcome) {
		p := GetPair()
		defer p.Free()
		goesOn := func(d *Decoder, s status, err error) bool {
			if s == running && err == nil {
				s, err = d.toCodes()
			}
			if s == running && err == nil {
				return true
			}
			out, used, err := d.result(s, err)
			of[d.job.Tag] = outcome{bytes.Clone(out), used, err}
			return false
		}
		p.lanes[0].begin(Job{Src: behind(a, 0x55), Size: sizeA, Tag: 0}, false)
		p.lanes[1].begin(Job{Src: behind(b, 0x55), Size: sizeB, Tag: 1}, false)
		going := [2]bool{goesOn(&p.lanes[0], running, nil), goesOn(&p.lanes[1], running, nil)}
		for going[0] && going[1] {
			var err error
			lane := 0
			switch loop(p, ahead) {
			case atA:
			case atB:
				lane = 1
			case farA, invalidA:
				err = errSymbol
			case farB, invalidB:
				lane, err = 1, errSymbol
			case atLimit:
				if p.lanes[1].atLimit() {
					lane = 1
				} else if !p.lanes[0].atLimit() {
					continue
				}
			}
			d, s := &p.lanes[lane], running
			if err == nil {
				s, err = d.blockGo()
			}
			going[lane] = goesOn(d, s, err)
		}
		for i := range going {
			for d := &p.lanes[i]; going[i]; {
				s, err := d.blockGo()
				going[i] = goesOn(d, s, err)
			}
		}
		return of
	}
	inGo, inAsm := decode(pairGo), decode(pairBMI2)
	for i, x := range inGo {
		y := inAsm[i]
		require.Equal(t, x.err == nil, y.err == nil, "lane %d: %v, %v", i, x.err, y.err)
		if x.err == nil {
			require.Equal(t, x.used, y.used, "lane %d", i)
			require.True(t, bytes.Equal(x.out, y.out), "lane %d", i)
		}
	}
}

// compareBlocks decodes a stream with the loop for one in Go and in assembly. They stop at
// different places, so that what they come to is compared.
func compareBlocks(t require.TestingT, src []byte, size int) {
	if !hasBMI2() {
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

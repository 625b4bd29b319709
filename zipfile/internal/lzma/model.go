package lzma

import (
	"io"
	"sync"
)

const (
	states    = 12
	even      = 1024 // the probability of a 0 that a model starts with, of 2048
	smallLits = 0x300 << 4

	maxProperties = (4*5+4)*9 + 8
)

// lengths decodes the lengths of matches. short has trees of 3 bits for lengths of 2 to 9 and
// 10 to 17, one for each low bits of the position; long has 8 bits for 18 to 273.
type lengths struct {
	isMid, isLong uint16
	short         [2][16][8]uint16
	long          [256]uint16
}

// models are the adaptive probabilities, named as in the LZMA specification. Arrays with a state
// as index have 16 elements for 12 states, so that an index of 4 bits needs no check; those with
// state and position have them in the upper and lower 4 bits.
type models struct {
	isMatch    [256]uint16
	isRep0Long [256]uint16
	isRep      [16]uint16
	isRepG0    [16]uint16
	isRepG1    [16]uint16
	isRepG2    [16]uint16
	slots      [4][64]uint16
	special    [16][32]uint16 // low bits of distances of slots 4 to 13
	align      [32]uint16     // the first 16
	match, rep lengths
	lits       [smallLits]uint16 // of lc+lp up to 4
}

// decoder decodes symbols. It is 94 KiB large and its window; take one from the pool with
// getDecoder and give it back with free.
type decoder struct {
	models
	lit []uint16 // 0x300 for each context: lits, or more

	rng, code              uint32
	used                   int // what pos would be without the byte that symbols reads ahead
	state                  uint32
	rep0, rep1, rep2, rep3 uint32 // distances; 1 is the last byte
	posMask                uint32 // 1<<pb - 1
	litMask, litMul        uint32 // see literalContext
	dict                   uint32 // distances are at most this

	window
	input
	filtered []byte // the buffer of a chain of filters
}

var pool = sync.Pool{New: func() any { return new(decoder) }}

func getDecoder(r io.Reader) *decoder {
	d := pool.Get().(*decoder)
	d.input.open(r)
	if d.o, d.given = base, base; d.out == nil {
		d.out = make([]byte, base+slack)
	}
	return d
}

// free gives the decoder back, without what is too large to keep and what belongs to others.
func (d *decoder) free() {
	d.lit, d.r, d.err = nil, nil, nil
	if len(d.out) > keepRoom {
		d.out = nil
	}
	pool.Put(d)
}

// setProperties takes the byte (pb*5+lp)*9+lc, up to maxProperties. The models must be reset then.
// They take 0x600 << (lc+lp) bytes for literals, 6 MiB at most.
func (d *decoder) setProperties(b byte) {
	lc, lp, pb := b%9, b/9%5, b/45
	d.posMask = 1<<pb - 1
	d.litMask = 0x100<<lp - 0x100>>lc
	d.litMul = 3 << lc
	if n := 0x300 << (lc + lp); n <= smallLits {
		d.lit = d.lits[:n]
	} else if len(d.lit) != n {
		d.lit = make([]uint16, n)
	}
}

// sumLcLp is lc+lp of valid properties.
func sumLcLp(b byte) int { return int(b%9 + b/9%5) }

// resetState makes all models even and forgets the last distances.
func (d *decoder) resetState() {
	d.state = 0
	d.rep0, d.rep1, d.rep2, d.rep3 = 1, 1, 1, 1
	level(d.lit)
	level(d.isMatch[:])
	level(d.isRep0Long[:])
	level(d.isRep[:])
	level(d.isRepG0[:])
	level(d.isRepG1[:])
	level(d.isRepG2[:])
	for i := range d.slots {
		level(d.slots[i][:])
	}
	for i := range d.special {
		level(d.special[i][:])
	}
	level(d.align[:])
	d.match.reset()
	d.rep.reset()
}

func (l *lengths) reset() {
	l.isMid, l.isLong = even, even
	for i := range l.short {
		for j := range l.short[i] {
			level(l.short[i][j][:])
		}
	}
	level(l.long[:])
}

// level makes all of p even.
func level(p []uint16) {
	p[0] = even
	for n := 1; n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
}

// startCoder takes the 5 bytes with which the range coder starts.
func (d *decoder) startCoder(b []byte) error {
	d.rng = 1<<32 - 1
	d.code = uint32(b[1])<<24 | uint32(b[2])<<16 | uint32(b[3])<<8 | uint32(b[4])
	if b[0] != 0 || d.code == d.rng { // as the specification has it
		return errCoder
	}
	return nil
}

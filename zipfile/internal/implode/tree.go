package implode

import (
	"fmt"
	"math/bits"

	"zipcat.dev/zipfile/internal/bitreader"
)

const (
	maxCode   = 16 // bits of a code
	tableBits = 9  // longer codes take more than one look
)

// tree decodes the codes of one Shannon-Fano tree. Every value has a code.
//
// Sorted by length, and by value where that is the same, the values have ascending codes as those
// of RFC 1951 are, but with all bits inverted; the first bit read is the highest of a code. That
// is what APPNOTE 5.3 comes to for trees that are complete. Of others it says nothing, and no
// reader takes them.
type tree struct {
	table  [1 << tableBits]uint16 // by the next bits: value<<8 | length, or 0 for a longer code
	values [256]uint8             // sorted
	// Of each length: how many codes, the lowest of them, and where its value is.
	count, low, at [maxCode + 1]uint16
}

// read reads a tree for n values. It is stored as pairs of a length and how many values in a row
// have it, each less one, in the low and the high four bits of a byte. In front is the number of
// these bytes, less one. The kind of tree is for errors.
func (t *tree) read(in *bitreader.Reader, n int, kind string) error {
	next := func() (uint, error) {
		if err := in.Refill(8); in.N < 8 {
			return 0, err
		}
		b := uint(in.Bits & 0xff)
		in.Bits >>= 8
		in.N -= 8
		return b, nil
	}
	var lengths [256]uint8
	pairs, err := next()
	if err != nil {
		return err
	}
	got := 0
	for range pairs + 1 {
		b, err := next()
		if err != nil {
			return err
		}
		run := int(b>>4) + 1
		if got+run > n {
			return fmt.Errorf("%s tree has more than %d values", kind, n)
		}
		for range run {
			lengths[got] = uint8(b&15) + 1
			got++
		}
	}
	if got < n {
		return fmt.Errorf("%s tree has %d values, not %d", kind, got, n)
	}
	switch left := t.build(lengths[:n]); {
	case left < 0:
		return fmt.Errorf("%s tree has more codes than there can be", kind)
	case left > 0:
		return fmt.Errorf("%s tree is incomplete", kind)
	}
	return nil
}

// build makes the tree out of the length of the code of each value. It returns how many more
// codes of maxCode bits there could be, fewer than 0 if there are too many already.
func (t *tree) build(lengths []uint8) (left int) {
	clear(t.count[:])
	for _, n := range lengths {
		t.count[n]++
	}
	left = 1
	var code, at uint16
	for n := 1; n <= maxCode; n++ {
		code = (code + t.count[n-1]) << 1
		t.low[n], t.at[n] = code, at
		at += t.count[n]
		if left = left<<1 - int(t.count[n]); left < 0 {
			return left
		}
	}
	if left > 0 {
		return left
	}
	next := t.at
	clear(t.table[:])
	for v, n := range lengths {
		i := next[n]
		next[n]++
		t.values[i] = uint8(v)
		if n > tableBits {
			continue
		}
		c := ^(t.low[n] + i - t.at[n])
		for j := bits.Reverse16(c << (maxCode - n)); j < 1<<tableBits; j += 1 << n {
			t.table[j] = uint16(v)<<8 | uint16(n)
		}
	}
	return 0
}

// find decodes the code that b starts with, as an entry of the table.
func (t *tree) find(b uint64) uint16 {
	if e := t.table[b&(1<<tableBits-1)]; e != 0 {
		return e
	}
	return t.long(b)
}

// long decodes a code longer than tableBits at the start of b, as an entry of the table.
func (t *tree) long(b uint64) uint16 {
	c := ^bits.Reverse16(uint16(b))
	for n := tableBits + 1; n < maxCode; n++ {
		if i := c>>(maxCode-n) - t.low[n]; i < t.count[n] {
			return uint16(t.values[t.at[n]+i])<<8 | uint16(n)
		}
	}
	return uint16(t.values[(t.at[maxCode]+c-t.low[maxCode])&0xff])<<8 | maxCode
}

package shrink

import "math/bits"

const (
	control   = 256  // the code that another one follows
	codes     = 8192 // of 13 bits
	maxString = codes - control
)

// entry is the string of a code: that of prefix and, behind it, a last byte.
type entry struct {
	at     uint32 // where in the output it stands, modulo 1<<32: see window
	size   uint16 // in bytes; 0: not known, or the code is free
	prefix uint16
}

// table holds the strings of codes. Codes up to 255 are single bytes.
type table struct {
	entries [codes]entry
	last    [codes]byte

	// Of each code, one bit: it is free, or it is a prefix. The prefixed codes are counted, so
	// that clearing costs no more than what it clears: 256, 2 takes two or three bytes of input,
	// which may be nothing else.
	free     [codes / 64]uint64
	prefixes [codes / 64]uint64
	count    [codes]uint16

	word int // where in free the lowest free code is; codes/64: there is none
	high int // codes from here on were never in use when the table was last cleared
}

func (t *table) reset() {
	end := t.end()
	clear(t.entries[:end])
	clear(t.count[:end])
	clear(t.prefixes[:])
	for i := range control {
		t.entries[i].size = 1
	}
	for w := range t.free {
		t.free[w] = ^uint64(0)
		if w < control/64 {
			t.free[w] = 0
		}
	}
	// The control code is neither free nor ever cleared.
	const w, bit = control / 64, 1 << (control % 64)
	t.free[w] &^= bit
	t.prefixes[w] |= bit
	t.word, t.high = w, 0
}

func (t *table) isFree(code uint16) bool {
	return t.free[code>>6%(codes/64)]>>(code&63)&1 != 0
}

// clear frees all codes that are the prefix of no other, the lowest to be used first. A code that
// is free already stays so, even if it is a prefix.
//
// The code read last, p, may be among them. The next code to enter the table has it as its
// prefix still, and means nothing until p is given to another string. If the next one is p
// itself, it will never mean anything, nor be cleared, as it is a prefix. Real compressors get
// there: PKZIP uses up all its codes like this on a long run of one byte. Hans Wennborg, "Shrink,
// Reduce, and Implode", 2021, describes both.
func (t *table) clear() {
	var leaves [codes / 64]uint64
	for w := control / 64; w < len(leaves); w++ {
		leaves[w] = ^(t.free[w] | t.prefixes[w])
	}
	for w, leaf := range leaves {
		t.free[w] |= leaf
		for ; leaf != 0; leaf &= leaf - 1 {
			e := &t.entries[(w<<6|bits.TrailingZeros64(leaf))%codes]
			e.size = 0
			p := e.prefix % codes
			n := uint32(t.count[p]) - 1
			t.count[p] = uint16(n)
			t.prefixes[p>>6] &^= uint64((n-1)>>31) << (p & 63) // if n is 0
		}
	}
	t.high = t.end()
	t.word = control / 64
	t.skip()
}

// end is above all codes that were ever in use.
func (t *table) end() int { return min(max(t.high, (t.word+1)*64), codes) }

// skip goes to the next word that has a free code.
func (t *table) skip() {
	for t.word < len(t.free) && t.free[t.word] == 0 {
		t.word++
	}
}

// add gives the lowest free code to a string, if there is one.
func (t *table) add(e entry, last byte) (code uint16, ok bool) {
	w := t.word
	if w >= len(t.free) {
		return 0, false
	}
	b := t.free[w]
	code = uint16(w<<6|bits.TrailingZeros64(b)) % codes
	if t.free[w] = b & (b - 1); t.free[w] == 0 {
		t.skip()
	}
	t.entries[code], t.last[code] = e, last
	p := e.prefix % codes
	t.count[p]++
	t.prefixes[p>>6] |= 1 << (p & 63)
	return code, true
}

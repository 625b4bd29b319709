package bzip2

const (
	maxLength  = 20  // bits of a code
	maxSymbols = 258 // 256 values, one of them not needed, two for runs, one for the end
	firstBits  = 10  // codes of so many bits are looked up
)

// An entry says what to do for a symbol. Symbols 0 and 1 are digits of how often the latest byte comes
// again, in bijective base 2 (lowest first); the others are places in the list of recent bytes.
//
//	bits 0-4   length of the code
//	bits 5-6   digit; 1 for a place
//	bit 7      it is a place
//	bits 16-23 place; 0 for a digit
//	bit 30     it is the end of the block, with bit 31
//	bit 31     there is more to look at: a long code, an invalid one, or the end of the block
type entry uint32

const (
	digitAt  = 5
	placeBit = 7
	placeAt  = 16

	special  entry = 1 << 31
	atEnd    entry = 1 << 30
	digitOne entry = 1 << digitAt
	digitTwo entry = 2 << digitAt
	single   entry = 1<<digitAt | 1<<placeBit
)

// table is a canonical Huffman code: of two codes, that of more bits is higher, and among as many
// bits that of the higher symbol.
type table struct {
	first [1 << firstBits]entry // by the next bits
	all   [maxSymbols]entry     // in the order of their codes
	// By the length of a code: a code below limit, left-aligned to maxLength bits, has no more bits
	// than that, and base is what to add to it for its place in all.
	limit [maxLength + 1]uint32
	base  [maxLength + 1]int32
	most  int // bits of the longest code
}

// build makes the table of the given code lengths, each 1 to maxLength.
func (t *table) build(lengths []uint8) error {
	var count [maxLength + 1]int
	for _, n := range lengths {
		count[n]++
	}
	var place [maxLength + 1]int // where the entries of a length go in t.all
	code, before := 0, 0
	for n := 1; n <= maxLength; n++ {
		place[n] = before
		t.base[n] = int32(before - code)
		if count[n] > 0 {
			t.most = n
		}
		code += count[n]
		before += count[n]
		if code > 1<<n {
			return errOver
		}
		t.limit[n] = uint32(code) << (maxLength - n)
		code <<= 1
	}
	for s, n := range lengths {
		t.all[place[n]] = symbolEntry(s, len(lengths)-1) | entry(n)
		place[n]++
	}
	rest := t.first[:]
	for _, e := range t.all[:place[firstBits]] {
		same := rest[:1<<(firstBits-e.length())]
		rest = rest[len(same):]
		for i := range same {
			same[i] = e
		}
	}
	for i := range rest {
		rest[i] = special
	}
	return nil
}

// symbolEntry is the entry of a symbol less its length; end is the last symbol.
func symbolEntry(s, end int) entry {
	switch s {
	case end:
		return special | atEnd
	case 0:
		return digitOne
	case 1:
		return digitTwo
	}
	return single | entry(s-1)<<placeAt
}

func (e entry) length() uint { return uint(e & 31) }

// slow finds the entry of a code that is not in first, given the next maxLength bits.
// It is 0 for an invalid code.
func (t *table) slow(v uint32) entry {
	for n := firstBits + 1; n <= t.most; n++ {
		if v < t.limit[n] {
			return t.all[int32(v>>(maxLength-n))+t.base[n]]
		}
	}
	return 0
}

package zstd

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// counts are the probabilities of symbols out of 1<<log; -1 is less than one.
type counts struct {
	n   [256]int16
	len int // symbols
	log uint
}

// read reads probabilities (4.1.1) of the symbols up to most from p, and returns how many bytes they
// take. There must be 8 bytes more behind p to read, whatever they are.
func (c *counts) read(p []byte, most int, maxLog uint) (int, error) {
	size := len(p)
	if size == 0 {
		return 0, errBlock
	}
	p = p[:size+8]
	c.log = uint(p[0]&15) + 5
	if c.log > maxLog {
		return 0, found(errAccuracy, "%d bits, expected %d at most", c.log, maxLog)
	}
	at := uint(4)             // bits
	left := int32(1) << c.log // never negative: a value is left+1 at most, and stands for one less
	s := 0
	for left > 0 {
		if s > most {
			return 0, found(errSymbol, "%d, expected %d at most", s, most)
		}
		if at>>3 >= uint(size) {
			return 0, errBlock
		}
		v := uint32(binary.LittleEndian.Uint64(p[at>>3:]) >> (at & 7))
		// A value from 0 to left+1. The smallest of them have one bit less.
		n := uint(bits.Len32(uint32(left + 1)))
		short := uint32(1)<<n - 1 - uint32(left+1)
		at += n
		if low := v & (1<<(n-1) - 1); low < short {
			v = low
			at--
		} else if v &= 1<<n - 1; v >= 1<<(n-1) {
			v -= short
		}
		count := int32(v) - 1
		c.n[s] = int16(count)
		s++
		switch count {
		case -1:
			left--
		case 0: // how many follow that have 0 too, 2 bits at a time while those are 3
			for {
				if at>>3 >= uint(size) {
					return 0, errBlock
				}
				more := int(binary.LittleEndian.Uint16(p[at>>3:]) >> (at & 7) & 3)
				at += 2
				if s+more > most+1 {
					return 0, found(errSymbol, "%d, expected %d at most", s+more-1, most)
				}
				for range more {
					c.n[s] = 0
					s++
				}
				if more < 3 {
					break
				}
			}
		default:
			left -= count
		}
	}
	n := int(at+7) >> 3
	if n > size {
		return 0, errBlock
	}
	c.len = s
	return n, nil
}

// spread puts the symbols into the places of a table, 1<<log of them (4.1.1), and gives each the number
// of its first state.
func (c *counts) spread(table []uint8, next *[256]uint16) {
	size := 1 << c.log
	high := size - 1
	for s, n := range c.n[:c.len] {
		next[s] = uint16(n)
		if n == -1 {
			table[high] = uint8(s)
			high--
			next[s] = 1
		}
	}
	mask, step := size-1, size>>1+size>>3+3
	at := 0
	for s, n := range c.n[:c.len] {
		for range n {
			table[at] = uint8(s)
			for at = (at + step) & mask; at > high; at = (at + step) & mask {
			}
		}
	}
}

// The kinds of codes of sequences, in the order of their tables.
const (
	literalLengths = iota
	offsets
	matchLengths
	kinds
)

// seqEntry is a state of the code of a kind of number.
//
//	bits 0-7   extra bits of the number
//	bits 8-15  bits for the next state
//	bits 16-31 the next state when those are 0
//	bits 32-63 the number when the extra bits are 0
type seqEntry uint64

const maxSeqLog = 9

type seqTable [1 << maxSeqLog]seqEntry

// maxLogs are the most bits of a state.
var maxLogs = [kinds]uint{9, 8, 9}

// maxSymbols are the highest symbols.
var maxSymbols = [kinds]int{35, 31, 52}

// lengthNumbers are what the symbols of lengths mean (3.1.1.3.2.1.1).
var lengthNumbers = [2][53]struct {
	base  uint32
	extra uint8
}{
	{ // of literals
		{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 0},
		{8, 0}, {9, 0}, {10, 0}, {11, 0}, {12, 0}, {13, 0}, {14, 0}, {15, 0},
		{16, 1}, {18, 1}, {20, 1}, {22, 1}, {24, 2}, {28, 2}, {32, 3}, {40, 3},
		{48, 4}, {64, 6}, {128, 7}, {256, 8}, {512, 9}, {1024, 10}, {2048, 11}, {4096, 12},
		{8192, 13}, {16384, 14}, {32768, 15}, {65536, 16},
	},
	{ // of matches
		{3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 0}, {8, 0}, {9, 0}, {10, 0},
		{11, 0}, {12, 0}, {13, 0}, {14, 0}, {15, 0}, {16, 0}, {17, 0}, {18, 0},
		{19, 0}, {20, 0}, {21, 0}, {22, 0}, {23, 0}, {24, 0}, {25, 0}, {26, 0},
		{27, 0}, {28, 0}, {29, 0}, {30, 0}, {31, 0}, {32, 0}, {33, 0}, {34, 0},
		{35, 1}, {37, 1}, {39, 1}, {41, 1}, {43, 2}, {47, 2}, {51, 3}, {59, 3},
		{67, 4}, {83, 4}, {99, 5}, {131, 7}, {259, 8}, {515, 9}, {1027, 10}, {2051, 11},
		{4099, 12}, {8195, 13}, {16387, 14}, {32771, 15}, {65539, 16},
	},
}

// meaning is the entry of a symbol without its state. That of an offset is one less than its
// number for the symbols 0 and 1, which stand for offsets used last, and else the offset.
func meaning(kind, symbol int) seqEntry {
	switch {
	case kind == literalLengths:
		n := lengthNumbers[0][symbol]
		return seqEntry(n.base)<<32 | seqEntry(n.extra)
	case kind == matchLengths:
		n := lengthNumbers[1][symbol]
		return seqEntry(n.base)<<32 | seqEntry(n.extra)
	case symbol < 2:
		return seqEntry(symbol)<<32 | seqEntry(symbol)
	}
	return seqEntry(1<<symbol-3)<<32 | seqEntry(symbol)
}

// build makes the table of a code.
func (t *seqTable) build(c *counts, kind int) {
	var symbols [1 << maxSeqLog]uint8
	var next [256]uint16
	var means [53]seqEntry
	for s := range c.len {
		means[s] = meaning(kind, s)
	}
	size := 1 << c.log
	c.spread(symbols[:size], &next)
	for i, s := range symbols[:size] {
		n := next[s]
		next[s]++
		b := c.log + 1 - uint(bits.Len16(n))
		t[i] = means[s] | seqEntry(b)<<8 | seqEntry(n<<b-uint16(size))<<16
	}
}

// The predefined probabilities (3.1.1.3.2.2).
var predefinedCounts = [kinds][]int16{
	{
		4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1,
		-1, -1, -1, -1,
	},
	{1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1},
	{
		1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
	},
}

var predefinedLogs = [kinds]uint{6, 5, 6}

var (
	predefined     [kinds][1 << 6]seqEntry
	predefinedOnce sync.Once
)

// buildPredefined makes the predefined tables, when one is used the first time.
func buildPredefined() {
	for kind := range predefined {
		c := counts{len: len(predefinedCounts[kind]), log: predefinedLogs[kind]}
		copy(c.n[:], predefinedCounts[kind])
		var t seqTable
		t.build(&c, kind)
		copy(predefined[kind][:], t[:])
	}
}

// The modes of the codes of sequences (3.1.1.3.2.1).
const (
	modePredefined = iota
	modeRLE
	modeFSE
	modeRepeat
)

// code takes the code of a kind from p, and returns how many bytes it takes.
func (z *Reader) code(kind, mode int, p []byte) (int, error) {
	t := &z.codes[kind]
	switch mode {
	case modePredefined:
		predefinedOnce.Do(buildPredefined)
		z.logs[kind] = predefinedLogs[kind]
		copy(t[:1<<predefinedLogs[kind]], predefined[kind][:])
		return 0, nil
	case modeRLE:
		if len(p) == 0 {
			return 0, errBlock
		}
		if s := int(p[0]); s > maxSymbols[kind] {
			return 0, found(errSymbol, "%d, expected %d at most", s, maxSymbols[kind])
		}
		z.logs[kind] = 0
		t[0] = meaning(kind, int(p[0]))
		return 1, nil
	case modeFSE:
		n, err := z.counts.read(p, maxSymbols[kind], maxLogs[kind])
		if err != nil {
			return 0, err
		}
		z.logs[kind] = z.counts.log
		t.build(&z.counts, kind)
		return n, nil
	}
	if !z.seqSet {
		return 0, errRepeat
	}
	return 0, nil
}

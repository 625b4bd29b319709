package reduce

import (
	"fmt"

	"zipcat.dev/zipfile/internal/bitreader"
)

const maxFollowers = 32

// followers are the bytes likely to come behind a byte, and what they make of the bits that come.
type followers struct {
	sets   [256][maxFollowers]byte
	counts [256]uint8

	// By a byte and the 6 bits that come behind it, what these are: see symbol. It is made for
	// a byte when it comes the first time, as most of them never do.
	table [256 << 6]symbol
	made  [256]bool
}

// symbol is a byte and how many bits it takes. Or, if isLiteral, the byte is in the bits that
// come, behind one of them if isBehind. It is 0 where there is none, or none yet.
type symbol uint16

const (
	isLiteral symbol = 1 << 15
	isBehind  symbol = 1 << 14
	usedShift        = 8
)

func (s symbol) used() uint { return uint(s>>usedShift) & 15 }

// in returns the byte, with the bits that come. It has no branches: which it is of the three
// cannot be foreseen.
func (s symbol) in(bits uint64) byte {
	return byte(s) | byte(bits>>(s/isBehind&1))&-byte(s/isLiteral)
}

// width is what B(n) is in APPNOTE 5.2: how many bits tell n followers apart. For one follower that
// is one, too.
var width = [maxFollowers + 1]uint8{
	1: 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4,
	5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
}

// read reads the sets, that of byte 255 first.
func (f *followers) read(in *bitreader.Reader) error {
	clear(f.table[:])
	clear(f.made[:])
	for i := 255; i >= 0; i-- {
		if err := in.Refill(6); in.N < 6 {
			return err
		}
		n := uint(in.Bits & (1<<6 - 1))
		in.Bits >>= 6
		in.N -= 6
		if n > maxFollowers {
			return fmt.Errorf("byte %d has %d followers", i, n)
		}
		for j := range n {
			if err := in.Refill(8); in.N < 8 {
				return err
			}
			f.sets[i][j] = byte(in.Bits)
			in.Bits >>= 8
			in.N -= 8
		}
		f.counts[i] = uint8(n)
	}
	return nil
}

// fill makes the table for what comes behind a byte.
func (f *followers) fill(last byte) {
	f.made[last] = true
	count := f.counts[last]
	symbols := f.table[uint(last)<<6:][:1<<6]
	if count == 0 {
		for i := range symbols {
			symbols[i] = isLiteral | 8<<usedShift
		}
		return
	}
	used := symbol(1+width[count]) << usedShift
	mask := 1<<width[count] - 1
	for i := 0; i < len(symbols); i += 2 {
		symbols[i] = 0
		if j := i >> 1 & mask; j < int(count) {
			symbols[i] = used | symbol(f.sets[last][j])
		}
		symbols[i+1] = isLiteral | isBehind | 9<<usedShift
	}
}

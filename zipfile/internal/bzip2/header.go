package bzip2

import (
	"io"
	mathbits "math/bits"
)

const (
	blockMagic = 0x314159265359 // of a block: the digits of pi
	endMagic   = 0x177245385090 // behind the last block: those of its square root

	levelSize = 100_000 // bytes of a block for each level
	groupSize = 50      // symbols for each selector
	// maxSelectors is how many the longest block can use: 900,000 bytes and the end of it. More may
	// be declared (lbzip2 did so) and are passed over.
	maxSelectors = 9*levelSize/groupSize + 2
	minTables    = 2
	maxTables    = 6
)

// advance reads up to the output of the next block.
func (z *Reader) advance() error {
	if z.level == 0 {
		return z.streamHeader()
	}
	switch magic := uint64(z.take(24))<<24 | uint64(z.take(24)); magic {
	case blockMagic:
		if err := z.blockHeader(); err != nil {
			return err
		}
		if err := z.symbols(); err != nil {
			return err
		}
		if z.overrun() {
			return z.cut()
		}
		if z.origin >= z.size {
			return errOrigin
		}
		z.transform()
		z.startRuns()
		z.block = true
		return nil
	case endMagic:
		sum := z.take(32)
		if z.overrun() {
			return z.cut()
		}
		if sum != z.combined {
			return errStreamCRC
		}
		return z.endStream()
	}
	return errBlock
}

func (z *Reader) streamHeader() error {
	for _, c := range "BZh" {
		if z.take(8) != uint32(c) {
			return errMagic
		}
	}
	c := z.take(8)
	if c < '1' || c > '9' {
		return errMagic
	}
	z.level, z.combined = int(c-'0'), 0
	return nil
}

// endStream looks whether another stream follows, as parallel compressors write.
func (z *Reader) endStream() error {
	z.align()
	z.level = 0
	z.need(4)
	if at := z.buf[z.consumed():z.end]; len(at) >= 4 {
		if string(at[:3]) == "BZh" && at[3] >= '1' && at[3] <= '9' {
			return nil
		}
		return io.EOF
	}
	return z.rerr
}

// endBlock checks the output of a block.
func (z *Reader) endBlock() error {
	z.block = false
	sum, err := z.endRuns()
	if err != nil {
		return err
	}
	if sum != z.sum {
		return errBlockCRC
	}
	z.combined = mathbits.RotateLeft32(z.combined, 1) ^ sum
	return nil
}

// blockHeader reads what stands before the codes of a block.
func (z *Reader) blockHeader() error {
	z.sum = z.take(32)
	z.random = z.take(1) == 1
	z.origin = int(z.take(24))
	values := z.values()
	if values == 0 {
		return errUnused
	}
	z.alphabet = values + 2
	tables := int(z.take(3))
	if tables < minTables || tables > maxTables {
		return errTables
	}
	if err := z.readSelectors(tables); err != nil {
		return err
	}
	for i := range tables {
		if err := z.readLengths(&z.tables[i]); err != nil {
			return err
		}
	}
	return nil
}

// values reads which byte values the block has, and makes the list of them.
func (z *Reader) values() (n int) {
	clear(z.list[:])
	for high, ranges := 0, z.take(16); high < 16; high++ {
		if ranges>>(15-high)&1 == 0 {
			continue
		}
		for low, set := 0, z.take(16); low < 16; low++ {
			if set>>(15-low)&1 == 1 {
				z.list[n>>3] |= uint64(high<<4|low) << (n & 7 * 8)
				n++
			}
		}
	}
	return n
}

// readSelectors reads which table each group of symbols uses.
func (z *Reader) readSelectors(tables int) error {
	n := int(z.take(15))
	if n == 0 {
		return errSelectors
	}
	order := [maxTables]uint8{0, 1, 2, 3, 4, 5}
	for i := range n {
		at := 0
		for ; z.take(1) == 1; at++ {
			if at == tables-1 {
				return errSelector
			}
		}
		s := order[at]
		copy(order[1:at+1], order[:at])
		order[0] = s
		if i < maxSelectors {
			z.selectors[i] = s
		}
	}
	z.used = min(n, maxSelectors)
	return nil
}

// readLengths reads the code lengths of a table: the first, and for each symbol steps from that
// of the one before.
func (z *Reader) readLengths(t *table) error {
	var lengths [maxSymbols]uint8
	n := z.take(5)
	for i := range z.alphabet {
		for {
			if n < 1 || n > maxLength {
				return errLength
			}
			if z.take(1) == 0 {
				break
			}
			if n++; z.take(1) == 1 {
				n -= 2
			}
		}
		lengths[i] = uint8(n)
	}
	return t.build(lengths[:z.alphabet])
}

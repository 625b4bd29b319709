//go:build !purego

package inflate

import "encoding/binary"

// header reads the header of a block and makes its tables (RFC 1951, 3.2.3).
func (d *Decoder) header() error {
	d.refill()
	d.final = d.take(1) == 1
	switch d.take(2) {
	case 0:
		return d.storedHeader()
	case 1:
		d.kind = coded
		return d.fixedTables()
	case 2:
		d.kind = coded
		return d.dynamicTables()
	}
	return errType
}

func (d *Decoder) storedHeader() error {
	d.pos = d.consumed() // whole bytes that were taken ahead go back
	d.bb, d.n = 0, 0
	if d.pos+4 > d.end {
		d.pos = d.end + 1
		return ErrCut
	}
	n, inverse := binary.LittleEndian.Uint16(d.buf[d.pos:]), binary.LittleEndian.Uint16(d.buf[d.pos+2:])
	if n != ^inverse {
		return errStored
	}
	d.pos += 4
	d.kind, d.left = stored, int(n)
	return nil
}

// fixedTables makes the tables of 3.2.6, unless they are there.
func (d *Decoder) fixedTables() error {
	if d.fixed {
		return nil
	}
	c := &d.codes
	c.reset()
	for s := range numLitlen + 2 {
		switch {
		case s < 144:
			c.add(s, 8)
		case s < 256:
			c.add(s, 9)
		case s < 280:
			c.add(s, 7)
		default:
			c.add(s, 8)
		}
	}
	if _, err := c.build(d.litlen[:], d.litlenMeaning(), &litlenLayout, d.mean); err != nil {
		return err
	}
	c.spread(&d.litlen, d.mean)
	c.reset()
	for s := range numDist64 {
		c.add(s, 5)
	}
	d.fixed = true
	_, err := c.build(d.dist[:], d.distMeaning(), &distLayout, d.mean)
	return err
}

func (d *Decoder) litlenMeaning() *bySymbol {
	if d.wide {
		return &d.mean.litlen64
	}
	return &d.mean.litlen
}

func (d *Decoder) distMeaning() *bySymbol {
	if d.wide {
		return &d.mean.dist64
	}
	return &d.mean.dist
}

// dynamicTables reads code lengths and makes the tables (3.2.7). It accepts what zlib accepts.
func (d *Decoder) dynamicTables() error {
	d.fixed = false
	nlit, ndist, npre := d.take(5)+257, d.take(5)+1, d.take(4)+4
	most := numDist
	if d.wide {
		most = numDist64
	}
	if nlit > numLitlen || ndist > most {
		return errCounts
	}
	var lens [numPrecode]uint8
	for i := range npre {
		if d.n < 3 {
			d.refill()
		}
		lens[precodeOrder[i]] = uint8(d.take(3))
	}
	if err := d.precode(&lens); err != nil {
		return err
	}
	over, last, err := d.litlenTable(nlit)
	if err != nil {
		return err
	}
	return d.distTable(ndist, over, last)
}

// litlenTable makes the table of n literals and lengths. What a repetition gives beyond them belongs
// to the distances: over lengths, of last as all that may still be repeated.
func (d *Decoder) litlenTable(n int) (over int, last uint8, err error) {
	c := &d.codes
	c.reset()
	i, last, err := d.lengths(0, n, noLength)
	if err != nil {
		return 0, 0, err
	}
	over = i - n
	if last != 0 {
		c.drop(last, over)
	}
	all, err := c.build(d.litlen[:], d.litlenMeaning(), &litlenLayout, d.mean)
	if err != nil {
		return 0, 0, err
	}
	if all&hasEnd == 0 {
		return 0, 0, errNoEnd
	}
	c.spread(&d.litlen, d.mean)
	return over, last, nil
}

// distTable makes the table of n distances, of which the first over have last as their length.
func (d *Decoder) distTable(n, over int, last uint8) error {
	c := &d.codes
	c.reset()
	if last != 0 {
		for s := range min(over, n) {
			c.add(s, last)
		}
	}
	i, _, err := d.lengths(over, n, last)
	if err != nil {
		return err
	}
	if i > n {
		return errRepeat
	}
	_, err = c.build(d.dist[:], d.distMeaning(), &distLayout, d.mean)
	return err
}

// precodeOrder is the order in which the lengths of the code length code come.
var precodeOrder = [numPrecode]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// precode makes the table of the code length code: length of the code in bits 0-7, symbol
// above. Counters and places by length are bytes of one word, which is 0.7 % of all time faster for
// class files than arrays are: no counter waits for what was just stored.
func (d *Decoder) precode(lens *[numPrecode]uint8) error {
	var counts uint64
	for _, l := range lens {
		counts += 1 << (l * 8)
	}
	space := 0 // of 128
	for l := 1; l < 8; l++ {
		space += int(counts>>(l*8)&0xff) << (7 - l)
	}
	switch {
	case space > 128:
		return errOversubscribed
	case space < 128:
		return errIncomplete
	}
	var sorted [numPrecode + 13]uint8 // symbols by length
	// The masks change nothing here and below: places and next are below numPrecode, and as the codes
	// are complete a code of l bits is below 1<<l in reverse too, l at most 7.
	place := counts * ones << 8 // in byte l the sum of the counts below l
	for s, l := range lens {
		sorted[place>>(l*8)&31] = uint8(s)
		place += 1 << (l * 8)
	}
	next, code, size := int(counts&0xff), 0, 1
	for l := 1; l < 8; l++ {
		if code > 0 {
			copy(d.pre[size:2*size], d.pre[:size])
		}
		size *= 2
		code <<= 1
		for range counts >> (l * 8) & 0xff {
			d.pre[d.mean.reversed(code, l)&127] = uint16(sorted[next&31])<<8 | uint16(l)
			next++
			code++
		}
	}
	return nil
}

const ones = 0x0101010101010101

// repeats are the symbols of the code length code from 16 on: how many lengths at least they
// stand for, and how many extra bits say how many more.
var repeats = [4]struct{ first, extra uint8 }{{3, 2}, {3, 3}, {11, 7}}

// noLength is what the first length repeats: nothing.
const noLength = 16

// lengths reads code lengths for the symbols from i to n-1 and adds them to d.codes. A
// repetition may go on behind n. It returns where it stopped and the last length.
func (d *Decoder) lengths(i, n int, last uint8) (int, uint8, error) {
	c := &d.codes
	buf, pos, bb, have := d.buf, d.pos, d.bb, d.n
	for i < n {
		have &= 63
		if pos-int(have>>3) > d.end {
			d.pos, d.n = pos, 0
			return i, last, ErrCut
		}
		bb |= binary.LittleEndian.Uint64(buf[pos:]) << have
		pos += 7 - int(have>>3)
		have |= 56
		// Six lengths of 7 bits leave 14 for a repetition and its extra bits.
		for stop := min(i+6, n); ; {
			e := d.pre[bb&127]
			bb >>= e & 63
			have -= uint(e)
			sym := uint8(e >> 8)
			if sym < 16 {
				c.add(i, sym)
				last = sym
				if i++; i < stop {
					continue
				}
				break
			}
			if sym == 16 {
				if last == noLength {
					d.pos, d.n = pos, have&63 // so that it is seen whether the code is there
					return i, last, errRepeat
				}
			} else {
				last = 0
			}
			r := repeats[sym&3]
			times := int(r.first) + int(bb&(1<<r.extra-1))
			bb >>= r.extra
			have -= uint(r.extra)
			c.addRow(i, times, last)
			i += times
			break
		}
	}
	d.pos, d.bb, d.n = pos, bb, have&63
	return i, last, nil
}

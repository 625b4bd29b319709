//go:build !purego

package inflate

import (
	"errors"
	"math/bits"
	"sync"
)

// A decoding table maps the next bits of the input to what they mean. Codes of up to
// litlenBits or distBits bits are found at once; longer ones lead to a subtable behind the
// main table. Entries are 32 bits wide.
//
// A literal:
//
//	bit 31      1
//	bits 23-30  0
//	bits 16-21  length of the code
//	bits 8-15   the byte
//	bits 0-5    length of the code
//
// A match whose length the code gives, or the code and extra bits that are part of the index;
// what treats it as a literal consumes nothing, and writes a byte but stays in front of it (see
// blockGo):
//
//	bits 23-30  length, less 1
//	bits 16-21  length of the code and its extra bits
//	bits 8-15   0
//	bit 7       1
//	bits 0-5    0
//
// A distance:
//
//	bits 16-31  base
//	bits 8-12   length of the code
//	bits 0-5    length of the code and its extra bits
//
// Anything else in a litlen table has bits 6 and 7, and bits 29 and 30 say what it is; the end of the
// block has bit 22 too, so that it is seen in what all meanings are put together to. Anything else in a
// distance table has bit 6, and bit 7 says what it is.
const (
	litlenBits = 11
	distBits   = 8

	// The most entries that a main table and all its subtables can take (zlib's examples/enough.c:
	// 288 symbols, root 11, at most 15 bits; 32 symbols, root 8, at most 15 bits).
	litlenEntries = 2342
	distEntries   = 402

	maxCodeLen = 15

	literal    = 1 << 31
	notLiteral = 1 << 7
	special    = 1 << 6 // in a litlen table: not a literal nor a match of known length

	specials   = 3 << 29
	subtable   = 0 << 29 // bits 8-19 where it starts, bits 24-27 how many bits choose
	endOfBlock = 1 << 29 // bits 16-21 length of the code
	longLength = 2 << 29 // bits 8-15 base, less 3, 16-21 as in a match, 24-28 how many extra bits
	invalid    = 3 << 29

	hasEnd = 1 << 22 // set for the end of the block only

	distSpecial  = 1 << 6
	distBad      = 1 << 7
	distInvalid  = distSpecial | distBad
	distSubtable = distSpecial // bits 16-31 where it starts, bits 8-11 how many bits choose

	// Where in an entry these begin, in bits.
	countAt     = 16 // the length of a code and its extra bits, in a litlen table
	lengthAt    = 23 // the length of a match, less 1
	extraAt     = 24 // how many extra bits
	startAt     = 8  // the start of a subtable, and how many bits choose
	widthAt     = 24
	distStartAt = 16
	distWidthAt = 8
	distBaseAt  = 16
	distCodeAt  = 8

	startMask = 1<<12 - 1 // of the start of a subtable in a litlen table
	widthMask = 1<<4 - 1  // of how many bits choose
	extraMask = 1<<5 - 1
)

// Symbols of the litlen code (RFC 1951, 3.2.5).
const (
	minMatch   = 3
	symEnd     = 256
	firstExtra = 265 // the first length with extra bits
	numLitlen  = 286
	numDist    = 30
	numDist64  = 32
	numPrecode = 19
)

// meanings are table entries without the length of the code, by symbol. They are made when the
// first decoder is, so that a program which decodes nothing pays nothing.
type meanings struct {
	litlen, litlen64 bySymbol
	dist, dist64     bySymbol
	reverse          [1 << litlenBits]uint16 // the bits of the index in reverse
}

// bySymbol has room for any index of rowBits bits.
type bySymbol [1 << rowBits]uint32

var meaning = sync.OnceValue(func() *meanings {
	m := new(meanings)
	for s := range numLitlen + 2 {
		e := uint32(notLiteral)
		base, extra := split(max(s-symEnd-1, 0), 2)
		switch {
		case s < symEnd:
			e = literal | uint32(s)<<8
		case s == symEnd:
			e |= special | endOfBlock | hasEnd
		case s < firstExtra:
			e |= uint32(base+minMatch-1) << lengthAt
		case s < numLitlen-1:
			e |= special | longLength | uint32(base)<<8 | uint32(extra)<<countAt | uint32(extra)<<extraAt
		case s == numLitlen-1:
			e |= special | longLength | (258-minMatch)<<8
		default:
			e |= special | invalid
		}
		m.litlen[s] = e
		if s == numLitlen-1 {
			e = notLiteral | special | longLength | 16<<countAt | 16<<extraAt
		}
		m.litlen64[s] = e
	}
	for s := range numDist64 {
		base, extra := split(s, 1)
		e := uint32(base+1)<<distBaseAt | uint32(extra)
		m.dist64[s] = e
		if s >= numDist {
			e = distInvalid
		}
		m.dist[s] = e
	}
	for i := range m.reverse {
		m.reverse[i] = bits.Reverse16(uint16(i)) >> (16 - litlenBits)
	}
	return m
})

// split gives the base, from 0, and the number of extra bits of a length or distance code:
// each range of values is cut into groups of 1<<g codes, and every group but the first two has
// one extra bit more than the one before.
func split(code, g int) (base, extra int) {
	if code < 2<<g {
		return code, 0
	}
	extra = code>>g - 1
	return (code&(1<<g-1) | 1<<g) << extra, extra
}

// codeLengths holds symbols sorted by the length of their code, as the lengths are read: those
// of length l stand in list from l<<rowBits to next[l]. A row has room for all symbols and the
// few that a repetition gives beyond the last.
type codeLengths struct {
	next [maxCodeLen + 1]uint32
	list [(maxCodeLen + 1) << rowBits]uint16
}

const rowBits = 9

func (c *codeLengths) reset() {
	for l := range c.next {
		c.next[l] = uint32(l << rowBits)
	}
}

// add gives a symbol a code of l bits. Symbols without a code are added to row 0, which nobody
// looks at.
func (c *codeLengths) add(sym int, l uint8) {
	at := c.next[l&maxCodeLen] // l is below 16: a symbol of the code length code
	// The mask changes nothing: a row gets at most 285 symbols and then 138 by a repetition, so that at
	// stays in front of the end of its row.
	c.list[at&(1<<(rowBits+4)-1)] = uint16(sym)
	c.next[l&maxCodeLen] = at + 1
}

// addRow adds n symbols from sym on, 3 to 138 of length 0 or 3 to 6 of another. It writes six
// without asking how many: what is behind the end of a row is overwritten or not looked at.
func (c *codeLengths) addRow(sym, n int, l uint8) {
	at := c.next[l&maxCodeLen]
	// The masks change nothing, as in add; six more stay within the row, too.
	row := (*[6]uint16)(c.list[at&(1<<(rowBits+4)-1):])
	for j := range row {
		row[j] = uint16(sym + j)
	}
	c.next[l&maxCodeLen] = at + uint32(n)
}

// drop takes back the last n symbols of length l.
func (c *codeLengths) drop(l uint8, n int) { c.next[l] -= uint32(n) }

// row returns the symbols of length l in ascending order.
func (c *codeLengths) row(l int) []uint16 { return c.list[l<<rowBits : c.next[l]] }

func (c *codeLengths) count(l int) int { return int(c.next[l]) - l<<rowBits }

// codes checks the lengths as zlib does: the codes must fill the space, except that there may
// be one alone, of one bit, or none. It returns their number.
func (c *codeLengths) codes() (n int, err error) {
	left, longest := 1, 0
	for l := 1; l <= maxCodeLen; l++ {
		left = left<<1 - c.count(l)
		if left < 0 {
			return 0, errOversubscribed
		}
		if n += c.count(l); c.count(l) > 0 {
			longest = l
		}
	}
	if left > 0 && longest > 1 {
		return 0, errIncomplete
	}
	return n, nil
}

// reversed turns a code of l bits around, l at most litlenBits: DEFLATE packs codes with their
// first bit lowest.
func (m *meanings) reversed(code, l int) uint16 {
	return m.reverse[code<<(litlenBits-l)&(1<<litlenBits-1)]
}

// layout is what litlen and distance tables differ in.
type layout struct {
	root             int       // bits of the main table
	unit             [2]uint32 // what a bit of the code adds to an entry, for symbols below 256 and above
	bad              uint32    // an entry that no code leads to
	sub              uint32    // an entry that leads to a subtable
	startAt, widthAt int       // where in that entry are the place and the bits of the subtable
}

var (
	litlenLayout = layout{root: litlenBits, unit: [2]uint32{1 | 1<<countAt, 1 << countAt}, bad: notLiteral | special | invalid, sub: notLiteral | special | subtable, startAt: startAt, widthAt: widthAt}
	distLayout   = layout{root: distBits, unit: [2]uint32{1<<distCodeAt | 1, 0}, bad: distInvalid, sub: distSubtable, startAt: distStartAt, widthAt: distWidthAt}
)

// build makes a decoding table. all is the meanings of all symbols with a code put together by or.
func (c *codeLengths) build(table []uint32, mean *bySymbol, y *layout, m *meanings) (all uint32, err error) {
	codes, err := c.codes()
	if err != nil {
		return 0, err
	}
	if codes < 2 {
		return c.degenerate(table[:1<<y.root], mean, y, codes), nil
	}
	code, all := c.mainTable(table, mean, y, m)
	return all | c.subtables(table, mean, y, code), nil
}

// degenerate makes the table of one code, of one bit, or none.
func (c *codeLengths) degenerate(table []uint32, mean *bySymbol, y *layout, codes int) (all uint32) {
	for i := range table {
		table[i] = y.bad
	}
	if codes == 1 {
		sym := c.row(1)[0]
		all = mean[sym]
		for i := 0; i < len(table); i += 2 {
			table[i] = all + y.unit[sym>>8]
		}
	}
	return all
}

// mainTable makes the entries of codes that are not in a subtable. Codes of one length get their
// entries, then the table is doubled for the next length, so that an entry is written once and
// copied in bulk. code is what the next length begins with, before it gets its last bit. The masks
// change nothing: symbols have rowBits bits at most, and codes that are not too many are below 1<<l,
// so that at, the code with zeros behind it, has litlenBits bits.
func (c *codeLengths) mainTable(table []uint32, mean *bySymbol, y *layout, m *meanings) (code int, all uint32) {
	size := 1
	for l := 1; l <= y.root; l++ {
		if code > 0 {
			copy(table[size:2*size], table[:size])
		}
		size *= 2
		code <<= 1
		at, step := uint(code)<<(litlenBits-l), uint(1)<<(litlenBits-l)
		unit := [2]uint32{uint32(l) * y.unit[0], uint32(l) * y.unit[1]}
		for _, sym := range c.row(l) {
			e := mean[sym&(1<<rowBits-1)]
			all |= e
			table[m.reverse[at&(1<<litlenBits-1)]] = e + unit[sym>>8&1]
			at += step
		}
		code += c.count(l)
	}
	return code, all
}

// subtables makes the subtables, and the entries that lead to them, of the codes that follow code.
func (c *codeLengths) subtables(table []uint32, mean *bySymbol, y *layout, code int) (all uint32) {
	root := y.root
	end, prefix, start, width := 1<<root, -1, 0, 0
	for l := root + 1; l <= maxCodeLen; l++ {
		code <<= 1
		row := c.row(l)
		for i, sym := range row {
			r := int(bits.Reverse16(uint16(code)) >> (16 - l))
			if p := r & (1<<root - 1); p != prefix {
				// As many bits as it takes until the codes that are left fill the subtable.
				prefix, start, width = p, end, l-root
				for used := len(row) - i; used < 1<<width; {
					width++
					used = used<<1 + c.count(root+width)
				}
				end += 1 << width
				table[p] = y.sub | uint32(start)<<y.startAt | uint32(width)<<y.widthAt
			}
			e := mean[sym&(1<<rowBits-1)]
			all |= e
			e += uint32(l-root) * y.unit[sym>>8&1]
			for j := r >> root; j < 1<<width; j += 1 << (l - root) {
				table[start+j] = e
			}
			code++
		}
	}
	return all
}

// spread replaces the entries of lengths whose code and extra bits fit into the index by one
// for each value of the extra bits, so that the loops need not look at these. Rare lengths,
// of which the code is long, and 257 and 258, which an entry has no room for, stay as they are.
func (c *codeLengths) spread(table *[litlenEntries]uint32, m *meanings) {
	code := 0
	for l := 1; l < litlenBits; l++ {
		code <<= 1
		row := c.row(l)
		for i := len(row) - 1; i >= 0 && row[i] >= firstExtra; i-- {
			if row[i] >= numLitlen-1 { // 258, or no length
				continue
			}
			start := int(m.reversed(code+i, l))
			e := table[start]
			extra := int(e >> extraAt & extraMask)
			if l+extra > litlenBits {
				continue
			}
			base := int(e>>8&255) + minMatch - 1
			for v := 0; v < 1<<extra && base+v < 256; v++ {
				e = notLiteral | uint32(base+v)<<lengthAt | uint32(l+extra)<<countAt
				for j := start | v<<l; j < 1<<litlenBits; j += 1 << (l + extra) {
					table[j] = e
				}
			}
		}
		code += len(row)
	}
}

// errors of a code.
var (
	errOversubscribed = errors.New("more codes than their lengths leave room for")
	errIncomplete     = errors.New("codes are missing")
)

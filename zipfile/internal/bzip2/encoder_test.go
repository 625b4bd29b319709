package bzip2

import (
	"cmp"
	mathbits "math/bits"
	"slices"
)

// bitWriter writes from the highest bit of each byte on.
type bitWriter struct {
	b []byte
	n uint // bits of the last byte that are used, 0 when all are
}

func (w *bitWriter) bits(v uint64, n uint) {
	for n > 0 {
		n--
		if w.n == 0 {
			w.b = append(w.b, 0)
		}
		w.b[len(w.b)-1] |= byte(v>>n&1) << (7 - w.n)
		w.n = (w.n + 1) & 7
	}
}

// again writes what was written to another.
func (w *bitWriter) again(o *bitWriter) {
	for i, c := range o.b {
		n := uint(8)
		if i == len(o.b)-1 && o.n > 0 {
			n = o.n
		}
		w.bits(uint64(c>>(8-n)), n)
	}
}

// streamSpec is a stream to write. What is not set is as it should be.
type streamSpec struct {
	level  byte // '9'
	blocks []blockSpec
	sum    uint32 // to add to the checksum
	magic  uint64 // in place of that behind the last block
	pad    byte   // bits of the last byte that are not needed
	times  int    // each block comes, 1
}

// blockSpec is a block to write.
type blockSpec struct {
	plain     []byte // what it gives
	raw       []byte // what goes through the transform, in place of plain with its runs replaced
	random    bool
	magic     uint64
	sum       uint32 // to add to the checksum
	origin    int    // to add to where the first byte is
	values    []byte // that are said to be in it
	tables    int    // 2
	tableBits uint64 // the number to write for it
	selectors []int  // in turn all tables
	declare   int    // number of selectors to write for them
	lengths   [][]uint8
	symbols   []int // in place of those of the block
	cut       int   // symbols that are left out at the end
	steps     int   // of code lengths, up and down again, that are not needed
}

func (s streamSpec) write() []byte {
	w := new(bitWriter)
	w.b = append(w.b, "BZh"...)
	w.b = append(w.b, cmp.Or(s.level, '9'))
	sum := uint32(0)
	for _, b := range s.blocks {
		block := new(bitWriter)
		one := b.write(block)
		for range cmp.Or(s.times, 1) {
			sum = mathbits.RotateLeft32(sum, 1) ^ one
			w.again(block)
		}
	}
	w.bits(cmp.Or(s.magic, endMagic), 48)
	w.bits(uint64(sum+s.sum), 32)
	for w.n != 0 {
		w.bits(uint64(s.pad>>(7-w.n)), 1)
	}
	return w.b
}

// crcOf is the checksum of bzip2, bit by bit.
func crcOf(p []byte) uint32 {
	c := ^uint32(0)
	for _, b := range p {
		c ^= uint32(b) << 24
		for range 8 {
			c = c<<1 ^ -(c>>31)&0x04c11db7
		}
	}
	return ^c
}

// toRuns replaces runs of four and more.
func toRuns(p []byte) (out []byte) {
	for len(p) > 0 {
		n := 1
		for n < len(p) && n < 259 && p[n] == p[0] {
			n++
		}
		out = append(out, p[:min(n, 4)]...)
		if n >= 4 {
			out = append(out, byte(n-4))
		}
		p = p[n:]
	}
	return out
}

// fromRuns is the other way. Counts at the end may be missing.
func fromRuns(p []byte) (out []byte) {
	run, last := 0, -1
	for _, c := range p {
		if run == 4 {
			for range c {
				out = append(out, byte(last))
			}
			run, last = 0, -1
			continue
		}
		if int(c) != last {
			run = 0
		}
		run, last = run+1, int(c)
		out = append(out, c)
	}
	return out
}

// sorted returns the starts of the rotations of p in their order, equal ones by their place. It
// sorts by the first three bytes, and then those whose first k bytes are equal by what follows these, which
// is known from the round before.
func sorted(p []byte) []int {
	n := len(p)
	order, rank := make([]int, n), make([]int, n)
	for i := range order {
		order[i] = i
	}
	// split sorts a part of the order, and gives its rotations the place of the first that is
	// equal as their rank.
	split := func(part []int, from int, key func(i int) int, rank []int) {
		slices.SortFunc(part, func(i, j int) int { return cmp.Or(key(i)-key(j), i-j) })
		first := from
		for k, i := range part {
			if k > 0 && key(i) != key(part[k-1]) {
				first = from + k
			}
			rank[i] = first
		}
	}
	split(order, 0, func(i int) int {
		return int(p[i])<<16 | int(p[(i+1)%n])<<8 | int(p[(i+2)%n])
	}, rank)
	for k := 3; k < n; k *= 2 {
		next := slices.Clone(rank)
		for from, to := 0, 0; from < n; from = to {
			for to = from + 1; to < n && rank[order[to]] == rank[order[from]]; to++ {
			}
			if to > from+1 {
				split(order[from:to], from, func(i int) int { return rank[(i+k)%n] }, next)
			}
		}
		rank = next
	}
	return order
}

// symbolsOf transforms p, which has the given values, and writes it in symbols.
func symbolsOf(p, values []byte) (symbols []int, origin int) {
	order := sorted(p)
	list := slices.Clone(values)
	run := 0
	flush := func() {
		for ; run > 0; run = (run - 1) / 2 {
			symbols = append(symbols, (run-1)&1)
		}
	}
	for i, at := range order {
		if at == 0 {
			origin = i
		}
		c := p[(at+len(p)-1)%len(p)]
		k := slices.Index(list, c)
		if k == 0 {
			run++
			continue
		}
		flush()
		symbols = append(symbols, k+1)
		copy(list[1:k+1], list[:k])
		list[0] = c
	}
	flush()
	return append(symbols, len(values)+1), origin
}

// even gives all of 2 or more symbols codes of about the same length.
func even(n int) (lengths []uint8) {
	long := mathbits.Len(uint(n - 1))
	short := 1<<long - n // symbols that one bit less is enough for
	for i := range n {
		lengths = append(lengths, uint8(long-flag(i < short)))
	}
	return lengths
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// stairs gives 3 or more symbols codes of 1, 2, 3 bits and so on, and what is left of them the most.
func stairs(n int) (lengths []uint8) {
	rest := n
	long := mathbits.Len(uint(n))
	for l := 1; l+long <= maxLength && rest > 2; l++ {
		lengths = append(lengths, uint8(l))
		rest--
	}
	at := uint8(len(lengths))
	for _, l := range even(rest) {
		lengths = append(lengths, at+l)
	}
	return lengths
}

// codesOf gives the canonical codes of lengths.
func codesOf(lengths []uint8) []uint64 {
	codes := make([]uint64, len(lengths))
	code := uint64(0)
	for n := uint8(1); n <= maxLength; n++ {
		for s, l := range lengths {
			if l == n {
				codes[s] = code
				code++
			}
		}
		code <<= 1
	}
	return codes
}

// write writes the block and returns its checksum.
func (b blockSpec) write(w *bitWriter) uint32 {
	raw, plain := b.raw, b.plain
	if raw == nil {
		raw = toRuns(plain)
	} else {
		plain = fromRuns(raw)
	}
	raw = slices.Clone(raw)
	if b.random {
		left, at := 0, 0
		for i := range raw { // by the counter of bzip2
			if left == 0 {
				left = int(flipDistances[at%512])
				at++
			}
			if left--; left == 1 {
				raw[i] ^= 1
			}
		}
	}
	values := b.values
	if values == nil {
		values = slices.Compact(slices.Sorted(slices.Values(raw)))
	}
	var symbols []int
	origin := 0
	if symbols = b.symbols; symbols == nil {
		symbols, origin = symbolsOf(raw, values)
	}
	symbols = symbols[:len(symbols)-b.cut]

	sum := crcOf(plain) + b.sum
	w.bits(cmp.Or(b.magic, blockMagic), 48)
	w.bits(uint64(sum), 32)
	w.bits(uint64(flag(b.random)), 1)
	w.bits(uint64(origin+b.origin), 24)
	var ranges, in uint64
	var maps [16]uint64
	for _, v := range values {
		ranges |= 1 << (15 - v>>4)
		maps[v>>4] |= 1 << (15 - v&15)
	}
	w.bits(ranges, 16)
	for i, m := range maps {
		if in = ranges >> (15 - i) & 1; in == 1 {
			w.bits(m, 16)
		}
	}
	tables := cmp.Or(b.tables, 2)
	w.bits(cmp.Or(b.tableBits, uint64(tables)), 3)
	selectors := b.selectors
	if selectors == nil {
		for i := range (len(symbols) + groupSize - 1) / groupSize {
			selectors = append(selectors, i%tables)
		}
	}
	w.bits(uint64(cmp.Or(b.declare, len(selectors))), 15)
	order := []int{0, 1, 2, 3, 4, 5, 6, 7}
	for _, s := range selectors {
		k := slices.Index(order, s)
		w.bits(1<<(k+1)-2, uint(k+1))
		copy(order[1:k+1], order[:k])
		order[0] = s
	}
	lengths := b.lengths
	for len(lengths) < tables {
		lengths = append(lengths, even(len(values)+2))
	}
	var codes [][]uint64
	for _, l := range lengths[:tables] {
		codes = append(codes, codesOf(l))
		w.bits(uint64(l[0]), 5)
		at := l[0]
		for _, n := range l {
			for ; at < n; at++ {
				w.bits(0b10, 2)
			}
			for ; at > n; at-- {
				w.bits(0b11, 2)
			}
			for range b.steps {
				if at < maxLength {
					w.bits(0b1011, 4)
				} else {
					w.bits(0b1110, 4)
				}
			}
			w.bits(0, 1)
		}
	}
	for i, s := range symbols {
		t := selectors[min(i/groupSize, len(selectors)-1)]
		w.bits(codes[t][s], uint(lengths[t][s]))
	}
	return sum
}

// packed is the shortest way to write p.
func packed(p []byte) []byte {
	s := streamSpec{}
	for len(p) > 0 {
		n := min(len(p), 100_000)
		s.blocks = append(s.blocks, blockSpec{plain: p[:n]})
		p = p[n:]
	}
	return s.write()
}

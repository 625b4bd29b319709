package zstd

import (
	"encoding/binary"
	"math/bits"
)

const (
	maxHuffman   = 11 // bits of a code
	maxWeightLog = 6  // bits of a state of the weights' code
	// perLoad is how many codes are decoded for a load of 8 bytes: one bit of them is not used, and up to
	// 8 may have been used before, or be zeros before the mark at the end of a stream.
	perLoad = (64 - 1 - 8) / maxHuffman
)

// huffman is a table by the next bits of a stream: the length of a code (bits 0-7) and its
// symbol (8-15).
type huffman [1 << maxHuffman]uint16

// weights are those of the symbols (4.2.1): 0 for a symbol without a code, else one more than how
// many bits its code has less than the longest.
type weights struct {
	of  [256]uint8
	len int
}

// readHuffman takes the description of a Huffman code from buf[at:end], and returns where it ends.
func (z *Reader) readHuffman(at, end int) (int, error) {
	p := z.buf[at:end]
	if len(p) == 0 {
		return 0, errBlock
	}
	var w weights
	head := int(p[0])
	used := 1 + head
	if head >= 128 {
		w.len = head - 127
		used = 1 + (w.len+1)/2
	}
	if used > len(p) {
		return 0, errBlock
	}
	if head >= 128 {
		for i := range w.len {
			w.of[i] = p[1+i/2] >> (4 * (^i & 1)) & 15
		}
	} else if err := z.codedWeights(&w, at+1, at+used); err != nil {
		return 0, err
	}
	return at + used, z.huffman.build(&w)
}

// codedWeights decodes weights in an FSE code of two states that take turns (4.2.1.2). There are 8
// bytes before p and behind it to read.
func (z *Reader) codedWeights(w *weights, from, end int) error {
	c := &z.counts
	n, err := c.read(z.buf[from:end], 255, maxWeightLog)
	if err != nil {
		return err
	}
	// A state is a symbol (bits 0-7), how many bits the next has (8-15), and what to add to them (16-23).
	var table [1 << maxWeightLog]uint32
	var symbols [1 << maxWeightLog]uint8
	var next [256]uint16
	size := 1 << c.log
	c.spread(symbols[:size], &next)
	for i, s := range symbols[:size] {
		n := next[s]
		next[s]++
		b := c.log + 1 - uint(bits.Len16(n))
		table[i] = uint32(s) | uint32(b)<<8 | uint32(n<<b-uint16(size))<<16
	}

	if from += n; from == end || z.buf[end-1] == 0 {
		return found(errWeights, "no end of their bits")
	}
	// left is how many bits are left.
	left := 8*(end-from) - bits.LeadingZeros8(z.buf[end-1]) - 1
	b, used := uint64(0), 0
	load := func() {
		at := from*8 + left + 7
		b = binary.LittleEndian.Uint64(z.buf[at>>3-8:])
		used = ^at & 7
	}
	take := func(n uint32) uint64 {
		used += int(n)
		left -= int(n)
		return bits.RotateLeft64(b, used) & masks[uint8(n)]
	}
	load()
	s0, s1 := take(uint32(c.log)), take(uint32(c.log))
	if left < 0 {
		return found(errWeights, "too few bits")
	}
	of := &w.of
	i := 0
	for ; i < 250; i += 4 {
		if left < 4*maxWeightLog {
			break
		}
		load()
		e0, e1 := table[s0%64], table[s1%64]
		s0 = take(e0>>8&0xff) + uint64(e0>>16)
		s1 = take(e1>>8&0xff) + uint64(e1>>16)
		e2, e3 := table[s0%64], table[s1%64]
		s0 = take(e2>>8&0xff) + uint64(e2>>16)
		s1 = take(e3>>8&0xff) + uint64(e3>>16)
		of[i], of[i+1], of[i+2], of[i+3] = uint8(e0), uint8(e1), uint8(e2), uint8(e3)
	}
	for ; i < len(of)-2; i++ {
		e := table[s0%64]
		of[i] = uint8(e)
		load()
		s0, s1 = s1, take(e>>8&0xff)+uint64(e>>16)
		if left < 0 {
			of[i+1] = uint8(table[s0%64])
			w.len = i + 2
			return nil
		}
	}
	return found(errWeights, "more than 255")
}

// build makes the table of a code of given weights. The last is not given: it makes the code complete.
func (t *huffman) build(w *weights) error {
	var count [maxHuffman + 1]int // symbols of each weight
	sum := 0
	for _, x := range w.of[:w.len] {
		if x > maxHuffman {
			return found(errWeights, "%d, expected %d at most", x, maxHuffman)
		}
		count[x]++
		sum += 1 << x >> 1
	}
	if sum == 0 {
		return found(errWeights, "no symbol has a code")
	}
	most := bits.Len(uint(sum))
	if most > maxHuffman {
		return found(errWeights, "codes of %d bits, expected %d at most", most, maxHuffman)
	}
	gap := 1<<most - sum
	if gap&(gap-1) != 0 {
		return found(errWeights, "no last one makes the code complete")
	}
	last := bits.Len(uint(gap))
	w.of[w.len] = uint8(last)
	w.len++
	count[last]++
	if count[1] < 2 {
		return found(errWeights, "no codes have the length of the longest")
	}
	// The codes of the lowest weight come first, those of a weight in the order of their symbols.
	var sorted [256]uint8
	var place [16]uint8
	for x := range most {
		place[x+1] = place[x] + uint8(count[x])
	}
	for s, x := range w.of[:w.len] {
		at := &place[x&15]
		sorted[*at] = uint8(s)
		*at++
	}
	rest, symbols := t[:], sorted[count[0]:w.len]
	for x := 1; x <= most; x++ {
		run := 1 << (x - 1 + maxHuffman - most)
		length := uint16(most + 1 - x)
		for _, s := range symbols[:count[x]] {
			fillEntries(rest[:run], uint16(s)<<8|length)
			rest = rest[run:]
		}
		symbols = symbols[count[x]:]
	}
	return nil
}

// fillEntries sets all of p, a power of two of entries.
func fillEntries(p []uint16, e uint16) {
	if len(p) < 8 {
		for i := range p {
			p[i] = e
		}
		return
	}
	first := p[:8:8]
	for i := range first {
		first[i] = e
	}
	for p = p[8:]; len(p) >= 8; p = p[8:] {
		*(*[8]uint16)(p) = *(*[8]uint16)(first)
	}
}

// stream is a Huffman stream, read from the end: the next bits are the highest of bits, and below
// them is a one and then zeros in place of those that were used. The bits are from buf[at:at+8].
type stream struct {
	bits uint64
	at   int
}

// start starts at the end of buf[from:end]. There must be 8 bytes before from.
func (s *stream) start(buf []byte, from, end int) bool {
	if from >= end || buf[end-1] == 0 {
		return false
	}
	s.at = end - 8
	s.bits = (binary.LittleEndian.Uint64(buf[s.at:]) | 1) << (bits.LeadingZeros8(buf[end-1]) + 1)
	return true
}

// ended reports that all bits down to buf[from] were used, and no more.
func (s *stream) ended(from int) bool { return s.at*8+64-bits.TrailingZeros64(s.bits) == from*8 }

// rest decodes into dst. As many bits are loaded as for perLoad symbols.
func (t *huffman) rest(dst, buf []byte, s *stream) bool {
	const peek = 64 - maxHuffman
	b, at := s.bits, s.at
	for len(dst) >= perLoad {
		o := dst[:perLoad:perLoad]
		dst = dst[perLoad:]
		e := uint32(t[b>>peek])
		b <<= e & 63
		o[0] = byte(e >> 8)
		e = uint32(t[b>>peek])
		b <<= e & 63
		o[1] = byte(e >> 8)
		e = uint32(t[b>>peek])
		b <<= e & 63
		o[2] = byte(e >> 8)
		e = uint32(t[b>>peek])
		b <<= e & 63
		o[3] = byte(e >> 8)
		e = uint32(t[b>>peek])
		b <<= e & 63
		o[4] = byte(e >> 8)
		used := bits.TrailingZeros64(b)
		if at -= used >> 3; at < 0 {
			return false
		}
		b = (binary.LittleEndian.Uint64(buf[at:at+8:at+8]) | 1) << (used & 7)
	}
	for i := range dst {
		e := uint32(t[b>>peek])
		b <<= e & 63
		dst[i] = byte(e >> 8)
	}
	s.bits, s.at = b, at
	return true
}

// one decodes the stream buf[from:end].
func (t *huffman) one(dst, buf []byte, from, end int) error {
	var s stream
	if !s.start(buf, from, end) || !t.rest(dst, buf, &s) || !s.ended(from) {
		return errHuffman
	}
	return nil
}

// four decodes the four streams buf[from:end], behind the sizes of the first three. All but the last
// have as many symbols.
func (t *huffman) four(dst, buf []byte, from, end int) error {
	const sizes = 6 // bytes
	if len(dst) < leastFours {
		return found(errStreams, "%d literals, expected %d or more", len(dst), leastFours)
	}
	if end-from < sizes {
		return errBlock
	}
	var begin [5]int
	begin[0] = from + sizes
	for i := range 3 {
		begin[i+1] = begin[i] + int(binary.LittleEndian.Uint16(buf[from+2*i:]))
	}
	if begin[4] = end; begin[3] > end {
		return errStreams
	}
	var s [4]stream
	for i := range s {
		if !s[i].start(buf, begin[i], begin[i+1]) {
			return errHuffman
		}
	}
	each := (len(dst) + 3) / 4
	d0, d1, d2, d3 := dst[:each], dst[each:2*each], dst[2*each:3*each], dst[3*each:]
	n, ok := t.together(d0, d1, d2, d3, buf, &s)
	if !ok {
		return errHuffman
	}
	for i, d := range [4][]byte{d0[n:], d1[n:], d2[n:], d3[n:]} {
		if !t.rest(d, buf, &s[i]) || !s[i].ended(begin[i]) {
			return errHuffman
		}
	}
	return nil
}

// together decodes n symbols of each stream, nearly as many as the last has. The streams do not wait for
// each other: the processor does them side by side, and one after the other they find room in the
// registers.
func (t *huffman) together(d0, d1, d2, d3, buf []byte, s *[4]stream) (n int, ok bool) {
	b0, b1, b2, b3 := s[0].bits, s[1].bits, s[2].bits, s[3].bits
	a0, a1, a2, a3 := s[0].at, s[1].at, s[2].at, s[3].at
	const peek = 64 - maxHuffman
	for n+perLoad <= len(d3) {
		to := n + perLoad

		o0 := d0[n:to:to]
		e0 := uint32(t[b0>>peek])
		b0 <<= e0 & 63
		o0[0] = byte(e0 >> 8)
		e0 = uint32(t[b0>>peek])
		b0 <<= e0 & 63
		o0[1] = byte(e0 >> 8)
		e0 = uint32(t[b0>>peek])
		b0 <<= e0 & 63
		o0[2] = byte(e0 >> 8)
		e0 = uint32(t[b0>>peek])
		b0 <<= e0 & 63
		o0[3] = byte(e0 >> 8)
		e0 = uint32(t[b0>>peek])
		b0 <<= e0 & 63
		o0[4] = byte(e0 >> 8)
		u0 := bits.TrailingZeros64(b0)
		if a0 -= u0 >> 3; a0 < 0 {
			return 0, false
		}
		b0 = (binary.LittleEndian.Uint64(buf[a0:a0+8:a0+8]) | 1) << (u0 & 7)

		o1 := d1[n:to:to]
		e1 := uint32(t[b1>>peek])
		b1 <<= e1 & 63
		o1[0] = byte(e1 >> 8)
		e1 = uint32(t[b1>>peek])
		b1 <<= e1 & 63
		o1[1] = byte(e1 >> 8)
		e1 = uint32(t[b1>>peek])
		b1 <<= e1 & 63
		o1[2] = byte(e1 >> 8)
		e1 = uint32(t[b1>>peek])
		b1 <<= e1 & 63
		o1[3] = byte(e1 >> 8)
		e1 = uint32(t[b1>>peek])
		b1 <<= e1 & 63
		o1[4] = byte(e1 >> 8)
		u1 := bits.TrailingZeros64(b1)
		if a1 -= u1 >> 3; a1 < 0 {
			return 0, false
		}
		b1 = (binary.LittleEndian.Uint64(buf[a1:a1+8:a1+8]) | 1) << (u1 & 7)

		o2 := d2[n:to:to]
		e2 := uint32(t[b2>>peek])
		b2 <<= e2 & 63
		o2[0] = byte(e2 >> 8)
		e2 = uint32(t[b2>>peek])
		b2 <<= e2 & 63
		o2[1] = byte(e2 >> 8)
		e2 = uint32(t[b2>>peek])
		b2 <<= e2 & 63
		o2[2] = byte(e2 >> 8)
		e2 = uint32(t[b2>>peek])
		b2 <<= e2 & 63
		o2[3] = byte(e2 >> 8)
		e2 = uint32(t[b2>>peek])
		b2 <<= e2 & 63
		o2[4] = byte(e2 >> 8)
		u2 := bits.TrailingZeros64(b2)
		if a2 -= u2 >> 3; a2 < 0 {
			return 0, false
		}
		b2 = (binary.LittleEndian.Uint64(buf[a2:a2+8:a2+8]) | 1) << (u2 & 7)

		o3 := d3[n:to:to]
		e3 := uint32(t[b3>>peek])
		b3 <<= e3 & 63
		o3[0] = byte(e3 >> 8)
		e3 = uint32(t[b3>>peek])
		b3 <<= e3 & 63
		o3[1] = byte(e3 >> 8)
		e3 = uint32(t[b3>>peek])
		b3 <<= e3 & 63
		o3[2] = byte(e3 >> 8)
		e3 = uint32(t[b3>>peek])
		b3 <<= e3 & 63
		o3[3] = byte(e3 >> 8)
		e3 = uint32(t[b3>>peek])
		b3 <<= e3 & 63
		o3[4] = byte(e3 >> 8)
		u3 := bits.TrailingZeros64(b3)
		if a3 -= u3 >> 3; a3 < 0 {
			return 0, false
		}
		b3 = (binary.LittleEndian.Uint64(buf[a3:a3+8:a3+8]) | 1) << (u3 & 7)
		n = to
	}
	*s = [4]stream{{b0, a0}, {b1, a1}, {b2, a2}, {b3, a3}}
	return n, true
}

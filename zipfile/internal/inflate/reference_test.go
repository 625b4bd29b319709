package inflate

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"math/bits"
	"sync"
)

// The reference decoder reads bit by bit and code by code, straight from RFC 1951. It knows of
// no tables that the decoder uses.

var (
	lengthBase   = [29]int{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthExtra  = [29]int{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distBase     = [32]int{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577, 32769, 49153}
	distExtra    = [32]int{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14}
	lengthsOrder = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
)

var (
	errReference      = errors.New("reference: invalid")
	errReferenceEmpty = errors.New("reference: a code without symbols is used")
	errReferenceNoEnd = errors.New("reference: no code for the end of the block")
	errReferenceBig   = errors.New("reference: too much output")
)

// reference decodes the stream at the start of src. On an error it gives what comes before.
func reference(src []byte, wide bool, most int) (out []byte, used int, err error) {
	r := bitReader{src: src}
	for last := false; !last && err == nil; {
		out, last, err = r.block(out, wide, most)
	}
	return out, (r.at + 7) / 8, err
}

type bitReader struct {
	src []byte
	at  int // bits
	cut bool
}

// bits reads n bits, 0 behind the end.
func (r *bitReader) bits(n int) (v int) {
	for i := range n {
		if r.at>>3 >= len(r.src) {
			r.cut = true
			return v
		}
		v |= int(r.src[r.at>>3]>>(r.at&7)&1) << i
		r.at++
	}
	return v
}

// codes are the symbols of a code in the order of their codes, and how many there are of each length.
type codes struct {
	count   [16]int
	symbols []int
}

// canonical orders symbols by their codes; ok tells whether zlib accepts the lengths.
func canonical(lens []uint8, incomplete bool) (c codes, ok bool) {
	used, longest := 0, 0
	for l := 1; l <= 15; l++ {
		for s, sl := range lens {
			if int(sl) == l {
				c.count[l]++
				c.symbols = append(c.symbols, s)
				used += 1 << (15 - l)
				longest = l
			}
		}
	}
	return c, used == 1<<15 || used < 1<<15 && incomplete && longest <= 1
}

func (r *bitReader) symbol(c *codes) (int, error) {
	code, first, index := 0, 0, 0
	for l := 1; l <= 15; l++ {
		code |= r.bits(1)
		if r.cut {
			return 0, ErrCut
		}
		if code-first < c.count[l] {
			return c.symbols[index+code-first], nil
		}
		index += c.count[l]
		first = (first + c.count[l]) << 1
		code <<= 1
	}
	return 0, errReference
}

func (r *bitReader) block(out []byte, wide bool, most int) (_ []byte, last bool, err error) {
	last = r.bits(1) == 1
	kind := r.bits(2)
	if r.cut {
		return out, false, ErrCut
	}
	var lit, dist codes
	switch kind {
	case 0:
		r.at = (r.at + 7) &^ 7
		n := r.bits(16)
		inverse := r.bits(16)
		if r.cut {
			return out, false, ErrCut
		}
		if n != ^inverse&0xffff {
			return out, false, errReference
		}
		p := r.src[r.at/8:]
		if n > len(p) {
			return append(out, p...), false, ErrCut
		}
		r.at += 8 * n
		return append(out, p[:n]...), last, nil
	case 1:
		lit, _ = canonical(fixedLitlen(), false)
		dist, _ = canonical(fixedDist(), false)
	case 2:
		if lit, dist, err = r.codes(wide); err != nil {
			return out, false, err
		}
	default:
		return out, false, errReference
	}
	for {
		s, err := r.symbol(&lit)
		switch {
		case err != nil:
			return out, false, err
		case s == 256:
			return out, last, nil
		case s > 285:
			return out, false, errReference
		}
		if s < 256 {
			if out = append(out, byte(s)); len(out) > most {
				return out, false, errReferenceBig
			}
			continue
		}
		length := lengthBase[s-257] + r.bits(lengthExtra[s-257])
		if wide && s == 285 {
			length = 3 + r.bits(16)
		}
		if r.cut {
			return out, false, ErrCut
		}
		if len(dist.symbols) == 0 {
			return out, false, errReferenceEmpty
		}
		if s, err = r.symbol(&dist); err != nil {
			return out, false, err
		}
		if s > 29 && !wide {
			return out, false, errReference
		}
		d := distBase[s] + r.bits(distExtra[s])
		if r.cut {
			return out, false, ErrCut
		}
		if d > len(out) {
			return out, false, errReference
		}
		if out = copyMatch(out, length, d); len(out) > most {
			return out, false, errReferenceBig
		}
	}
}

func copyMatch(out []byte, length, dist int) []byte {
	for range length {
		out = append(out, out[len(out)-dist])
	}
	return out
}

func fixedLitlen() []uint8 {
	lens := bytes.Repeat([]byte{8}, 288)
	copy(lens[144:256], bytes.Repeat([]byte{9}, 112))
	copy(lens[256:280], bytes.Repeat([]byte{7}, 24))
	return lens
}

func fixedDist() []uint8 { return bytes.Repeat([]uint8{5}, 32) }

func (r *bitReader) codes(wide bool) (lit, dist codes, err error) {
	nlit, ndist, npre := r.bits(5)+257, r.bits(5)+1, r.bits(4)+4
	if r.cut {
		return lit, dist, ErrCut
	}
	if nlit > 286 || ndist > 30 && !wide {
		return lit, dist, errReference
	}
	var pre [19]uint8
	for i := range npre {
		pre[lengthsOrder[i]] = uint8(r.bits(3))
	}
	if r.cut {
		return lit, dist, ErrCut
	}
	m, ok := canonical(pre[:], false)
	if len(m.symbols) == 0 {
		return lit, dist, errReferenceEmpty
	}
	if !ok {
		return lit, dist, errReference
	}
	var lens []uint8
	for len(lens) < nlit+ndist {
		s, err := r.symbol(&m)
		if err != nil {
			return lit, dist, err
		}
		v, times := uint8(0), 1
		switch s {
		default:
			v = uint8(s)
		case 16:
			if len(lens) == 0 {
				return lit, dist, errReference
			}
			v, times = lens[len(lens)-1], 3+r.bits(2)
		case 17:
			times = 3 + r.bits(3)
		case 18:
			times = 11 + r.bits(7)
		}
		if r.cut {
			return lit, dist, ErrCut
		}
		lens = append(lens, bytes.Repeat([]byte{v}, times)...)
	}
	lit, ok1 := canonical(lens[:nlit], true)
	dist, ok2 := canonical(lens[nlit:], true)
	if len(lens) > nlit+ndist || !ok1 || !ok2 {
		return lit, dist, errReference
	}
	if lens[256] == 0 {
		return lit, dist, errReferenceNoEnd
	}
	return lit, dist, nil
}

// flateDecode is compress/flate, which reads no byte that it does not need.
func flateDecode(src []byte, most int) (out []byte, used int, err error) {
	r := bytes.NewReader(src)
	out, err = io.ReadAll(io.LimitReader(flate.NewReader(r), int64(most)+1))
	if len(out) > most {
		err = errReferenceBig
	}
	return out, len(src) - r.Len(), err
}

// bitWriter makes streams.
type bitWriter struct {
	b    []byte
	free int // bits of the last byte that are not used
}

// bits writes n bits of v, the lowest first.
func (w *bitWriter) bits(v, n int) *bitWriter {
	for i := range n {
		if w.free == 0 {
			w.b = append(w.b, 0)
			w.free = 8
		}
		w.b[len(w.b)-1] |= byte(v>>i&1) << (8 - w.free)
		w.free--
	}
	return w
}

// code writes a Huffman code, its highest bit first.
func (w *bitWriter) code(v, n int) { w.bits(int(bits.Reverse32(uint32(v))>>(32-n)), n) }

// token is a literal, a match if its length is above 0.
type token struct {
	literal      byte
	length, dist int
}

// code is what stands for a symbol: none if its length is 0.
type code struct{ length, code int }

// coder writes with the codes of some lengths.
type coder struct{ lit, dist []code }

func inverse(lens []uint8) []code {
	c, _ := canonical(lens, true)
	inv := make([]code, len(lens))
	next, i := 0, 0
	for l, n := range c.count {
		next <<= 1
		for range n {
			inv[c.symbols[i]] = code{l, next}
			next++
			i++
		}
	}
	return inv
}

func newCoder(lit, dist []uint8) coder { return coder{inverse(lit), inverse(dist)} }

var fixedCoder = sync.OnceValue(func() coder { return newCoder(fixedLitlen(), fixedDist()) })

func (w *bitWriter) symbol(m []code, s int) {
	k := m[s]
	if k.length == 0 {
		panic("the code has no such symbol")
	}
	w.code(k.code, k.length)
}

func find(base []int, v int) int {
	s := len(base) - 1
	for base[s] > v {
		s--
	}
	return s
}

// tokens writes tokens and the end of the block.
func (w *bitWriter) tokens(c coder, wide bool, ts ...token) {
	for _, t := range ts {
		if t.length == 0 {
			w.symbol(c.lit, int(t.literal))
			continue
		}
		switch s := find(lengthBase[:], t.length); {
		case wide && t.length >= 258:
			w.symbol(c.lit, 285)
			w.bits(t.length-3, 16)
		default:
			w.symbol(c.lit, 257+s)
			w.bits(t.length-lengthBase[s], lengthExtra[s])
		}
		s := find(distBase[:], t.dist)
		w.symbol(c.dist, s)
		w.bits(t.dist-distBase[s], distExtra[s])
	}
	w.symbol(c.lit, 256)
}

// expand gives what tokens mean behind out.
func expand(out []byte, ts ...token) []byte {
	for _, t := range ts {
		if t.length == 0 {
			out = append(out, t.literal)
		} else {
			out = copyMatch(out, t.length, t.dist)
		}
	}
	return out
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (w *bitWriter) stored(final bool, p []byte) {
	w.bits(flag(final), 1).bits(0, 2)
	w.bits(0, w.free)
	w.bits(len(p), 16).bits(^len(p)&0xffff, 16)
	w.b = append(w.b, p...)
}

func (w *bitWriter) fixed(final bool, ts ...token) {
	w.bits(flag(final), 1).bits(1, 2)
	w.tokens(fixedCoder(), false, ts...)
}

// usualPrecode has codes for all lengths and repetitions.
var usualPrecode = [19]uint8{5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 2, 3, 3}

// header writes the header of a dynamic block up to the code lengths.
func (w *bitWriter) header(final bool, nlit, ndist int, pre [19]uint8) {
	w.bits(flag(final), 1).bits(2, 2).bits(nlit-257, 5).bits(ndist-1, 5).bits(19-4, 4)
	for _, s := range lengthsOrder {
		w.bits(int(pre[s]), 3)
	}
}

func (w *bitWriter) lens(pre [19]uint8, lens ...uint8) {
	m := inverse(pre[:])
	for _, l := range lens {
		w.symbol(m, int(l))
	}
}

// dynamic writes a dynamic block whose lengths are written one by one.
func (w *bitWriter) dynamic(final, wide bool, lit, dist []uint8, ts ...token) {
	w.header(final, len(lit), len(dist), usualPrecode)
	w.lens(usualPrecode, lit...)
	w.lens(usualPrecode, dist...)
	w.tokens(newCoder(lit, dist), wide, ts...)
}

package ziptest

import (
	"bytes"
	"compress/flate"
	"hash/crc32"
)

// contents is the truth about the data of an entry.
type contents struct {
	method, flags    uint16
	crc              uint32
	size, compressed uint64
	raw              []byte
	hole             int64 // zeros after raw
}

func (e *Entry) contents(d *deflater) contents {
	if e.Zeros < 0 {
		panic("ziptest: negative Zeros of entry " + e.Name)
	}
	c := contents{
		method: e.Method,
		flags:  e.Flags,
		crc:    crcZeros(crc32.ChecksumIEEE(e.Data), e.Zeros),
		size:   uint64(len(e.Data)) + uint64(e.Zeros),
		raw:    e.Data,
		hole:   e.Zeros,
	}
	switch {
	case e.Raw != nil:
		c.raw, c.hole = e.Raw, 0
	case e.Method == Deflate:
		c.raw, c.hole = d.deflate(e.Data, e.Zeros), 0
	}
	c.compressed = uint64(len(c.raw)) + uint64(c.hole)
	if e.Descriptor != nil {
		c.flags |= FlagDescriptor
	}
	return c
}

// crcZeros returns the CRC-32 of bytes whose CRC is crc followed by n zeros. A zero byte
// multiplies the register by x^8 modulo the polynomial, so n of them by x^(8n).
func crcZeros(crc uint32, n int64) uint32 {
	reg := ^crc
	for pow := uint32(1) << (31 - 8); n > 0; n >>= 1 {
		if n&1 != 0 {
			reg = crcMultiply(reg, pow)
		}
		pow = crcMultiply(pow, pow)
	}
	return ^reg
}

// crcMultiply multiplies modulo the polynomial; the top bit is the coefficient of x^0.
func crcMultiply(a, b uint32) uint32 {
	var p uint32
	for ; a != 0; a <<= 1 {
		if a&(1<<31) != 0 {
			p ^= b
		}
		odd := b & 1
		b >>= 1
		if odd != 0 {
			b ^= crc32.IEEE
		}
	}
	return p
}

// deflater is a reusable compressor; the zero value is ready.
type deflater struct{ w *flate.Writer }

func (d *deflater) deflate(data []byte, zeros int64) []byte {
	var buf bytes.Buffer
	if d.w == nil {
		d.w, _ = flate.NewWriter(nil, flate.BestCompression)
	}
	d.w.Reset(&buf)
	d.w.Write(data) // a bytes.Buffer fails no write
	if zeros == 0 {
		d.w.Close()
		return buf.Bytes()
	}
	d.w.Flush()
	return appendDeflatedZeros(buf.Bytes(), zeros)
}

// appendDeflatedZeros appends one final block that stands for n > 0 zeros. Its codes are
// the shortest that there can be (RFC 1951): "0" copies 258 bytes and "0" says from one byte
// back, so two bits are 258 zeros; "10" is a zero and "11" the end of the block.
func appendDeflatedZeros(b []byte, n int64) []byte {
	w := bitWriter{b: b}
	w.bits(1, 1)       // final block
	w.bits(2, 2)       // dynamic codes
	w.bits(286-257, 5) // literal and length codes
	w.bits(0, 5)       // distance codes: one
	w.bits(18-4, 4)    // code lengths of the code that the other two are written in
	lengths := [19]uint{18: 1, 1: 2, 2: 2}
	for _, symbol := range [18]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1} {
		w.bits(lengths[symbol], 3)
	}
	one := func() { w.bits(0b01, 2) } // Huffman codes stand with their first bit lowest
	two := func() { w.bits(0b11, 2) }
	unused := func(n uint) { w.bits(0, 1); w.bits(n-11, 7) }
	two()       // 0, a zero
	unused(138) // 1 to
	unused(117) // 255
	two()       // 256, end of block
	unused(28)  // 257 to 284
	one()       // 285, length 258
	one()       // distance 1

	w.bits(0b01, 2)
	copies := (n - 1) / 258
	for ; copies > 0 && w.n != 0; copies-- {
		w.bits(0, 2)
	}
	w.b = append(w.b, make([]byte, copies/4)...)
	for range copies % 4 {
		w.bits(0, 2)
	}
	for range (n - 1) % 258 {
		w.bits(0b01, 2)
	}
	w.bits(0b11, 2)
	return w.b
}

// bitWriter appends bits, the lowest first.
type bitWriter struct {
	b []byte
	n uint // bits used in the last byte; 0: all
}

func (w *bitWriter) bits(v, n uint) {
	for ; n > 0; n-- {
		if w.n == 0 {
			w.b = append(w.b, 0)
		}
		w.b[len(w.b)-1] |= byte(v&1) << w.n
		v >>= 1
		w.n = (w.n + 1) % 8
	}
}

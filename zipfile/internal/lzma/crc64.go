package lzma

import (
	"encoding/binary"
	"hash/crc64"
	"sync"
)

// CRC-64 is the check that xz makes, and hash/crc64 would take a tenth of the time of a stream of
// text: it waits for one look-up after the other. Here two halves of a block are taken side by
// side. As the CRC is linear, that of both is the CRC of the first half with zeros behind it,
// exclusive or that of the second half, started with 0.

const crcHalf = 4 << 10 // half of a block, in bytes

type crc64Tables struct {
	ecma  *crc64.Table
	slice [8][256]uint64 // slice[i][b]: the CRC of b with i zeros behind it
	zeros [64]uint64     // zeros[i]: that of bit i with crcHalf zeros behind it
}

var crc64Table = sync.OnceValue(func() *crc64Tables {
	t := &crc64Tables{ecma: crc64.MakeTable(crc64.ECMA)}
	t.slice[0] = *t.ecma
	for i := 1; i < 8; i++ {
		for b, v := range t.slice[i-1] {
			t.slice[i][b] = t.slice[0][byte(v)] ^ v>>8
		}
	}
	for i := range t.zeros {
		crc := uint64(1) << i
		for range crcHalf / 8 {
			crc = t.eight(crc)
		}
		t.zeros[i] = crc
	}
	return t
})

// eight adds 8 bytes, which are in x with the CRC before them, exclusive or.
func (t *crc64Tables) eight(x uint64) uint64 {
	return t.slice[7][byte(x)] ^ t.slice[6][byte(x>>8)] ^ t.slice[5][byte(x>>16)] ^ t.slice[4][byte(x>>24)] ^
		t.slice[3][byte(x>>32)] ^ t.slice[2][byte(x>>40)] ^ t.slice[1][byte(x>>48)] ^ t.slice[0][byte(x>>56)]
}

// update adds p to crc.
func (t *crc64Tables) update(crc uint64, p []byte) uint64 {
	for ; len(p) >= 2*crcHalf; p = p[2*crcHalf:] {
		a, b := ^crc, uint64(0)
		p, q := p[:crcHalf], p[crcHalf:2*crcHalf]
		for i := 0; i <= len(p)-8 && i <= len(q)-8; i += 8 {
			a = t.eight(a ^ binary.LittleEndian.Uint64(p[i:i+8]))
			b = t.eight(b ^ binary.LittleEndian.Uint64(q[i:i+8]))
		}
		for _, z := range t.zeros {
			b ^= z & -(a & 1)
			a >>= 1
		}
		crc = ^b
	}
	return crc64.Update(crc, t.ecma, p)
}

// ecma64 is the CRC-64 of what was written.
type ecma64 struct {
	t   *crc64Tables
	crc uint64
}

func (h *ecma64) Write(p []byte) (int, error) {
	h.crc = h.t.update(h.crc, p)
	return len(p), nil
}
func (h *ecma64) Sum(b []byte) []byte { return binary.BigEndian.AppendUint64(b, h.crc) }
func (h *ecma64) Reset()              { h.crc = 0 }

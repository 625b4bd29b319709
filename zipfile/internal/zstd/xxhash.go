package zstd

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// The primes of XXH64.
const (
	prime1 = 0x9e3779b185ebca87
	prime2 = 0xc2b2ae3d27d4eb4f
	prime3 = 0x165667b19e3779f9
	prime4 = 0x85ebca77c2b2ae63
	prime5 = 0x27d4eb2f165667c5
)

// xxh64 is the XXH64 checksum with seed 0.
type xxh64 struct {
	lanes [4]uint64
	total uint64
	rest  [32]byte // total%32 bytes
}

func (x *xxh64) reset() {
	x.lanes = [4]uint64{(prime1 + prime2) & math.MaxUint64, prime2, 0, -prime1 & math.MaxUint64}
	x.total = 0
}

func round(lane, v uint64) uint64 { return bits.RotateLeft64(lane+v*prime2, 31) * prime1 }

func (x *xxh64) update(p []byte) {
	have := int(x.total % 32)
	x.total += uint64(len(p))
	if have > 0 {
		n := copy(x.rest[have:], p)
		if p = p[n:]; have+n < 32 {
			return
		}
		x.blocks(x.rest[:])
	}
	whole := len(p) &^ 31
	x.blocks(p[:whole])
	copy(x.rest[:], p[whole:])
}

// blocks takes p, a multiple of 32 bytes.
func (x *xxh64) blocks(p []byte) {
	a, b, c, d := x.lanes[0], x.lanes[1], x.lanes[2], x.lanes[3]
	for i := 0; i+32 <= len(p); i += 32 {
		q := p[i : i+32 : i+32]
		a = round(a, binary.LittleEndian.Uint64(q))
		b = round(b, binary.LittleEndian.Uint64(q[8:]))
		c = round(c, binary.LittleEndian.Uint64(q[16:]))
		d = round(d, binary.LittleEndian.Uint64(q[24:]))
	}
	x.lanes = [4]uint64{a, b, c, d}
}

func (x *xxh64) sum() uint64 {
	h := uint64(prime5)
	if x.total >= 32 {
		l := &x.lanes
		h = bits.RotateLeft64(l[0], 1) + bits.RotateLeft64(l[1], 7) + bits.RotateLeft64(l[2], 12) + bits.RotateLeft64(l[3], 18)
		for _, v := range l {
			h = (h^round(0, v))*prime1 + prime4
		}
	}
	h += x.total
	p := x.rest[:x.total%32]
	for ; len(p) >= 8; p = p[8:] {
		h = bits.RotateLeft64(h^round(0, binary.LittleEndian.Uint64(p)), 27)*prime1 + prime4
	}
	if len(p) >= 4 {
		h = bits.RotateLeft64(h^uint64(binary.LittleEndian.Uint32(p))*prime1, 23)*prime2 + prime3
		p = p[4:]
	}
	for _, c := range p {
		h = bits.RotateLeft64(h^uint64(c)*prime5, 11) * prime1
	}
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return h ^ h>>32
}

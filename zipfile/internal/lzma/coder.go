package lzma

// The range coder. Its state is rng, code and a position in the input; they are passed and
// returned so that they stay in registers. A bit is a model p, the probability of a 0 of 2048.
//
// Decoding comes in two kinds. Bits of which one value is likely, as those that tell literals
// from matches, are decoded by a branch (see symbols). Others are decoded without, since a
// branch would be mispredicted for each second or third of them: narrow computes both outcomes,
// and trees load both models that may come next before they know which.

// normalize takes a byte of input when rng got small, before a bit is decoded.
func normalize(rng, code uint32, buf *[inputLen]byte, pos int) (uint32, uint32, int) {
	if rng < 1<<24 {
		rng <<= 8
		code = code<<8 | uint32(buf[uint16(pos)])
		pos++
	}
	return rng, code, pos
}

// narrow decodes a bit without a branch, and adapts its model. The compiler makes conditional
// moves of the second if as long as bit does not come from the same one.
func narrow(rng, code, p uint32) (rng2, code2 uint32, p2 uint16, bit uint32) {
	bound := (rng >> 11) * p
	r, c := rng-bound, code-bound
	one := code >= bound
	if one {
		bit = 1
	}
	rng = bound
	if one {
		rng = r
		code = c
	}
	// 0: p += (2048-p)>>5; 1: p -= p>>5, which is p += (31-p)>>5.
	p += uint32(int32(2048-2017&-bit-p) >> 5)
	return rng, code, uint16(p), bit
}

// pick is a or b, as bit says.
func pick(bit uint32, a, b uint16) uint32 {
	if bit != 0 {
		a = b
	}
	return uint32(a)
}

// likelier is a model p after a 0.
func likelier(p uint32) uint16 { return uint16(p + (2048-p)>>5) }

// unlikelier is a model p after a 1.
func unlikelier(p uint32) uint16 { return uint16(p - p>>5) }

// literal decodes 8 bits, the highest first. The result has a 1 before them.
//
//go:noinline
func (d *decoder) literal(rng, code uint32, pos int, t *[0x300]uint16) (uint32, uint32, int, uint32) {
	m, p := uint32(1), uint32(t[1])
	var q uint16
	var bit uint32
	for m < 0x80 {
		a, b := t[2*m], t[2*m+1]
		rng, code, pos = normalize(rng, code, &d.buf, pos)
		rng, code, q, bit = narrow(rng, code, p)
		t[m] = q
		p = pick(bit, a, b)
		m = 2*m + bit
	}
	rng, code, pos = normalize(rng, code, &d.buf, pos)
	rng, code, q, bit = narrow(rng, code, p)
	t[m&0xff] = q
	return rng, code, pos, 2*m + bit
}

// matched is literal behind a match: as long as the bits are those of match, the byte that would
// have been next in the match, models are those of t[0x100:] for a next bit of 0 and
// t[0x200:] for 1; then those of t.
//
//go:noinline
func (d *decoder) matched(rng, code uint32, pos int, t *[0x300]uint16, match uint32) (uint32, uint32, int, uint32) {
	// same is 0x100 as long as the bits are those of match, whose next bit is shifted to there.
	same := uint32(0x100)
	match <<= 1
	i := same + match&same + 1
	m, p := uint32(1), uint32(t[i])
	var q uint16
	var bit uint32
	for m < 0x80 {
		same0, same1 := same&^match, same&match
		match <<= 1
		a := t[same0+match&same0+2*m]
		b := t[same1+match&same1+2*m+1]
		rng, code, pos = normalize(rng, code, &d.buf, pos)
		rng, code, q, bit = narrow(rng, code, p)
		t[i] = q
		p = pick(bit, a, b)
		m = 2*m + bit
		same = same0 ^ (same0^same1)&-bit
		i = same + match&same + m
	}
	rng, code, pos = normalize(rng, code, &d.buf, pos)
	rng, code, q, bit = narrow(rng, code, p)
	t[i] = q
	return rng, code, pos, 2*m + bit
}

// slot decodes 6 bits, the highest first.
//
//go:noinline
func (d *decoder) slot(rng, code uint32, pos int, t *[64]uint16) (uint32, uint32, int, uint32) {
	m, p := uint32(1), uint32(t[1])
	var q uint16
	var bit uint32
	for m < 32 {
		a, b := t[2*m], t[2*m+1]
		rng, code, pos = normalize(rng, code, &d.buf, pos)
		rng, code, q, bit = narrow(rng, code, p)
		t[m] = q
		p = pick(bit, a, b)
		m = 2*m + bit
	}
	rng, code, pos = normalize(rng, code, &d.buf, pos)
	rng, code, q, bit = narrow(rng, code, p)
	t[m&63] = q
	return rng, code, pos, 2*m + bit - 64
}

// short decodes 3 bits, the highest first.
func (d *decoder) short(rng, code uint32, pos int, t *[8]uint16) (uint32, uint32, int, uint32) {
	m, p := uint32(1), uint32(t[1])
	var q uint16
	var bit uint32
	for m < 4 {
		a, b := t[2*m], t[2*m+1]
		rng, code, pos = normalize(rng, code, &d.buf, pos)
		rng, code, q, bit = narrow(rng, code, p)
		t[m] = q
		p = pick(bit, a, b)
		m = 2*m + bit
	}
	rng, code, pos = normalize(rng, code, &d.buf, pos)
	rng, code, q, bit = narrow(rng, code, p)
	t[m&7] = q
	return rng, code, pos, 2*m + bit - 8
}

// long decodes 8 bits, the highest first.
func (d *decoder) long(rng, code uint32, pos int, t *[256]uint16) (uint32, uint32, int, uint32) {
	m := uint32(1)
	var q uint16
	var bit uint32
	for m < 256 {
		rng, code, pos = normalize(rng, code, &d.buf, pos)
		rng, code, q, bit = narrow(rng, code, uint32(t[m]))
		t[m] = q
		m = 2*m + bit
	}
	return rng, code, pos, m - 256
}

// reversed has the 5 bits of its index in reverse.
const reversed = "\x00\x10\x08\x18\x04\x14\x0c\x1c\x02\x12\x0a\x1a\x06\x16\x0e\x1e" +
	"\x01\x11\x09\x19\x05\x15\x0d\x1d\x03\x13\x0b\x1b\x07\x17\x0f\x1f"

// lowest decodes n bits, 1 to 5, the lowest first.
//
//go:noinline
func (d *decoder) lowest(rng, code uint32, pos int, t *[32]uint16, n uint32) (uint32, uint32, int, uint32) {
	m, p, top := uint32(1), uint32(t[1]), uint32(1)<<(n&7)
	var q uint16
	var bit uint32
	for m < top {
		a, b := t[2*m&31], t[(2*m+1)&31]
		rng, code, pos = normalize(rng, code, &d.buf, pos)
		rng, code, q, bit = narrow(rng, code, p)
		t[m&31] = q
		p = pick(bit, a, b)
		m = 2*m + bit
	}
	return rng, code, pos, uint32(reversed[m&31]) >> (5 - n&7) // with the 1 above the bits shifted out
}

// direct decodes n bits, the highest first, whose values are equally likely.
//
//go:noinline
func (d *decoder) direct(rng, code uint32, pos int, n uint32) (uint32, uint32, int, uint32) {
	var v uint32
	for ; n > 0; n-- {
		rng, code, pos = normalize(rng, code, &d.buf, pos)
		rng >>= 1
		c := code - rng
		one := code >= rng
		var bit uint32
		if one {
			bit = 1
		}
		if one {
			code = c
		}
		v = 2*v + bit
	}
	return rng, code, pos, v
}

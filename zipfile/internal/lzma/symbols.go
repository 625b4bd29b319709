package lzma

import "encoding/binary"

// status says why decoding stopped.
type status uint8

const (
	full    status = iota // the output reached its limit
	starved               // more input is needed
	cut                   // the input ends within a symbol
	tooFar                // a distance reaches too far back
	marker                // the end marker
)

// afterLiteral is the state that follows a literal in each state.
const afterLiteral = "\x00\x00\x00\x00\x01\x02\x03\x04\x05\x06\x04\x05\x00\x00\x00\x00"

// literalContext picks the models of a literal at o: lc bits of the byte before and lp of the
// position, as the low bits of one number. litMask has those bits, times 0x300>>(8-lc) gives
// the offset.
func (d *decoder) literalContext(o int, before byte) uint32 {
	return (uint32(o)<<8 + uint32(before)) & d.litMask * d.litMul
}

// decode decodes symbols until the output is at limit or, by a match, beyond it. Input up to
// buf[end] may be used; whole says that the stream has no more. What a symbol that is cut gave
// is not part of the output; one that is whole is, also where the byte that is read ahead behind it is
// not there.
func (d *decoder) decode(limit, end int, whole bool) status {
	s := d.symbols(limit, end-lookahead)
	if s != starved || !whole {
		return s
	}
	for d.o < limit {
		o := d.o
		s = d.symbols(o+1, end)
		if d.used > end || s == starved {
			d.o = o
			return cut
		}
		if d.pos > end {
			return cut
		}
		if s != full {
			return s
		}
	}
	return full
}

// symbols decodes symbols while the output is before limit and the position in the input at most
// stop. out must have slack bytes behind limit.
func (d *decoder) symbols(limit, stop int) status {
	rng, code, pos := d.rng, d.code, d.pos
	state, o, out := d.state, d.o, d.out
	result := full
	var bound, p uint32
loop:
	for o < limit {
		if pos > stop {
			result = starved
			break
		}
		at := uint32(o) & d.posMask & 15
		t := &d.isMatch[uint8(state<<4+at)]
		p = uint32(*t)
		rng, code, pos = normalize(rng, code, &d.buf, pos)
		bound = (rng >> 11) * p
		if code < bound {
			rng, *t = bound, likelier(p)
			lit := (*[0x300]uint16)(d.lit[d.literalContext(o, out[o-1]):])
			var m uint32
			if state < 7 {
				rng, code, pos, m = d.literal(rng, code, pos, lit)
			} else {
				rng, code, pos, m = d.matched(rng, code, pos, lit, uint32(out[o-int(d.rep0)]))
			}
			out[o] = byte(m)
			o++
			state = uint32(afterLiteral[state&15])
			continue
		}
		rng, code, *t = rng-bound, code-bound, unlikelier(p)

		// A match: of a new distance or a repeated one.
		lens := &d.match
		t = &d.isRep[state&15]
		p = uint32(*t)
		rng, code, pos = normalize(rng, code, &d.buf, pos)
		bound = (rng >> 11) * p
		repeated := code >= bound
		if !repeated {
			rng, *t = bound, likelier(p)
		} else {
			rng, code, *t = rng-bound, code-bound, unlikelier(p)
			if o == base {
				result = tooFar
				break
			}
			lens = &d.rep
			t = &d.isRepG0[state&15]
			p = uint32(*t)
			rng, code, pos = normalize(rng, code, &d.buf, pos)
			bound = (rng >> 11) * p
			if code < bound {
				rng, *t = bound, likelier(p)
				t = &d.isRep0Long[uint8(state<<4+at)]
				p = uint32(*t)
				rng, code, pos = normalize(rng, code, &d.buf, pos)
				bound = (rng >> 11) * p
				if code < bound {
					rng, *t = bound, likelier(p)
					out[o] = out[o-int(d.rep0)]
					o++
					if state < 7 {
						state = 9
					} else {
						state = 11
					}
					continue
				}
				rng, code, *t = rng-bound, code-bound, unlikelier(p)
			} else {
				rng, code, *t = rng-bound, code-bound, unlikelier(p)
				t = &d.isRepG1[state&15]
				p = uint32(*t)
				rng, code, pos = normalize(rng, code, &d.buf, pos)
				bound = (rng >> 11) * p
				dist := d.rep1
				if code < bound {
					rng, *t = bound, likelier(p)
				} else {
					rng, code, *t = rng-bound, code-bound, unlikelier(p)
					t = &d.isRepG2[state&15]
					p = uint32(*t)
					rng, code, pos = normalize(rng, code, &d.buf, pos)
					bound = (rng >> 11) * p
					dist = d.rep2
					if code < bound {
						rng, *t = bound, likelier(p)
					} else {
						rng, code, *t = rng-bound, code-bound, unlikelier(p)
						dist = d.rep3
						d.rep3 = d.rep2
					}
					d.rep2 = d.rep1
				}
				d.rep1, d.rep0 = d.rep0, dist
			}
		}

		// The length.
		var n uint32
		p = uint32(lens.isMid)
		rng, code, pos = normalize(rng, code, &d.buf, pos)
		bound = (rng >> 11) * p
		if code < bound {
			rng, lens.isMid = bound, likelier(p)
			rng, code, pos, n = d.short(rng, code, pos, &lens.short[0][at])
			n += 2
		} else {
			rng, code, lens.isMid = rng-bound, code-bound, unlikelier(p)
			p = uint32(lens.isLong)
			rng, code, pos = normalize(rng, code, &d.buf, pos)
			bound = (rng >> 11) * p
			if code < bound {
				rng, lens.isLong = bound, likelier(p)
				rng, code, pos, n = d.short(rng, code, pos, &lens.short[1][at])
				n += 10
			} else {
				rng, code, lens.isLong = rng-bound, code-bound, unlikelier(p)
				rng, code, pos, n = d.long(rng, code, pos, &lens.long)
				n += 18
			}
		}

		if repeated {
			if state < 7 {
				state = 8
			} else {
				state = 11
			}
		} else {
			if state < 7 {
				state = 7
			} else {
				state = 10
			}
			// The distance: a slot tells its highest two bits and how many follow. Up to 5 have models
			// of their own for each slot, else only the lowest 4 have models.
			var dist, low uint32
			rng, code, pos, dist = d.slot(rng, code, pos, &d.slots[min(n-2, 3)])
			if slot := dist; slot >= 4 {
				more := slot>>1 - 1
				dist = (2 | slot&1) << (more & 31)
				if slot < 14 {
					rng, code, pos, low = d.lowest(rng, code, pos, &d.special[slot], more)
				} else {
					rng, code, pos, low = d.direct(rng, code, pos, more-4)
					dist += low << 4
					rng, code, pos, low = d.lowest(rng, code, pos, &d.align, 4)
				}
				dist += low
			}
			if uint(dist) >= uint(o-base) || dist >= d.dict {
				result = tooFar
				if dist == 1<<32-1 {
					result = marker
				}
				break loop
			}
			d.rep3, d.rep2, d.rep1, d.rep0 = d.rep2, d.rep1, d.rep0, dist+1
		}

		// The copy, by 16 or 8 bytes where they do not overlap: up to 15 bytes more than the length.
		dist, left := int(d.rep0), int(n)
		from, to := out[o-dist:], out[o:]
		o += left
		if dist < 8 {
			repeat(from, dist, left)
			continue
		}
		if dist >= 16 {
			for ; left > 16; left -= 16 {
				*(*[16]byte)(to) = *(*[16]byte)(from)
				from, to = from[16:], to[16:]
			}
			*(*[16]byte)(to) = *(*[16]byte)(from)
			continue
		}
		for ; left > 8; left -= 8 {
			binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(from))
			from, to = from[8:], to[8:]
		}
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(from))
	}
	d.used = pos
	rng, code, pos = normalize(rng, code, &d.buf, pos)
	d.rng, d.code, d.pos = rng, code, pos
	d.state, d.o = state, o
	return result
}

// repeat repeats the first dist bytes of b, fewer than 8, for n bytes behind them and up to 7 more.
func repeat(b []byte, dist, n int) {
	// Until as many are there that 8 can be copied from a multiple of the distance before.
	far := dist * ((7 + dist) / dist)
	for i := dist; i < far && n > 0; i++ {
		b[i] = b[i-dist]
		n--
	}
	for b = b[:far+n+8]; n > 0; n -= 8 {
		binary.LittleEndian.PutUint64(b[far:], binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
}

//go:build !purego

package inflate

// blockGo is block in Go: a step is a literal, if one is next, then a literal or a match, told
// apart by a branch.
//
// Bounds. At the head of the loop pos <= stop <= end+8 and o < limit. Until it comes there
// again it refills at most three times, each time reading 8 bytes and advancing at most 7: it
// reads below end+8+2*7+8 <= end+InSlack <= len(buf). It writes a literal and a match of at most
// 258 bytes, 65538 in Deflate64, and runs on by less than 40 bytes: below limit+258+40 or
// limit+65538+40, which is less than limit-1+outRoom <= len(out). What it reads of the output begins at identity or behind, as distances are checked, and
// ends less than 40 bytes behind the end of the match.
func (d *Decoder) blockGo() (status, error) {
	in, bb, n, out := pointerTo(d.buf, d.pos), d.bb, uint64(d.n), pointerTo(d.out, d.o)
	stop, limit, base := markOf(d.buf, d.stop), markOf(d.out, d.limit-1), markOf(d.out, identity)
	s, err := running, error(nil)
	for in.until(stop)|out.until(limit) >= 0 {
		// 56 bits are enough for a literal, a length and a distance of any code and extra bits,
		// where the literal's and the length's code are not in a subtable: 11 + 11+5 + 15+13. The
		// lengths of Deflate64 with 16 extra bits are why there is another refill behind lengths.
		// The count needs but its low 6 bits; what is above them means nothing.
		bb |= in.u64(0) << (n & 63)
		in = in.move(7 - int(n>>3&7))
		n |= 56

		// A literal is consumed without a branch: what is no literal has length 0 here and moves
		// nothing. Then the next entry is looked up, or the same again.
		e := d.litlen[bb&(1<<litlenBits-1)]
		out.put8(0, byte(e>>8))
		out = out.move(int(e >> 31))
		bb >>= e & 63
		n -= uint64(e)
		e = d.litlen[bb&(1<<litlenBits-1)]
		if e&literal != 0 {
			out.put8(0, byte(e>>8))
			out = out.move(1)
			bb >>= e & 63
			n -= uint64(e)
			continue
		}
		length := int(byte(e>>lengthAt)) + 1
		if e&special != 0 {
			if e&specials == subtable {
				bb >>= litlenBits
				n -= litlenBits
				e = litlenAt(&d.litlen, uint64(e>>startAt&startMask)+bb&(1<<(e>>widthAt&widthMask)-1))
				if e&literal != 0 {
					out.put8(0, byte(e>>8))
					out = out.move(1)
					bb >>= e & 63
					n -= uint64(e)
					continue
				}
				bb |= in.u64(0) << (n & 63)
				in = in.move(7 - int(n>>3&7))
				n |= 56
				length = int(byte(e>>lengthAt)) + 1
			}
			if e&special != 0 {
				if e&specials == endOfBlock {
					bb >>= e >> countAt & 63
					n -= uint64(e >> countAt)
					d.kind = noBlock
					goto leave
				}
				if e&specials != longLength {
					err = errSymbol
					goto leave
				}
				t := e >> countAt & 63
				length = int(e>>8&255) + minMatch + int(bb&belowAt(&d.below, t)>>(t-e>>extraAt&extraMask))
				bb >>= t
				n -= uint64(t)
				bb |= in.u64(0) << (n & 63) // 11 + 11+5 bits may be gone, 11 + 11+16 in Deflate64
				in = in.move(7 - int(n>>3&7))
				n |= 56
				e = 0
			}
		}
		bb >>= e >> countAt & 63
		n -= uint64(e >> countAt)

		f := d.dist[bb&(1<<distBits-1)]
		if f&distSpecial != 0 {
			if f&distInvalid == distInvalid {
				err = errSymbol
				goto leave
			}
			bb >>= distBits
			n -= distBits
			f = distAt(&d.dist, uint64(f>>distStartAt)+bb&(1<<(f>>distWidthAt&widthMask)-1))
			if f&distSpecial != 0 {
				err = errSymbol
				goto leave
			}
		}
		distance := int(f>>distBaseAt) + int(bb&belowAt(&d.below, f&63)>>(f>>distCodeAt&63))
		bb >>= f & 63
		n -= uint64(f)
		if distance > out.since(base) {
			err = errTooFar
			goto leave
		}
		end := out.move(length)
		if distance >= 8 {
			// Five words cover nearly all matches of class files and of texts.
			from := out.move(-distance)
			out.copy40(from)
			if length > 40 {
				copyOn(out, from, length)
			}
		} else {
			repeat(out, length, distance)
		}
		out = end
	}
	if s = starved; out.until(limit) < 0 {
		s = full
	}
leave:
	d.pos, d.bb, d.n, d.o = in.index(d.buf), bb, uint(n&63), out.index(d.out)
	return s, err
}

// copyOn copies what is left of a match after 40 bytes, and up to 31 bytes more: each end of
// the loop that was not foreseen costs more than four words do.
func copyOn(out, from pointer, length int) {
	for i := 40; i < length; i += 32 {
		out.put64(i, from.u64(i))
		out.put64(i+8, from.u64(i+8))
		out.put64(i+16, from.u64(i+16))
		out.put64(i+24, from.u64(i+24))
	}
}

// repeat writes a match of a distance below 8, and up to 7 bytes more, at least 8.
func repeat(out pointer, length, distance int) {
	from := out.move(-distance)
	if distance == 1 {
		v := uint64(from.u8(0)) * 0x0101010101010101
		for i := 0; i < length; i += 8 {
			out.put64(i, v)
		}
		return
	}
	for i := range 8 {
		out.put8(i, from.u8(i))
	}
	// From here on a multiple of the distance that is at least 8 gives the same bytes.
	from = out.move(-(7/distance + 1) * distance)
	for i := 8; i < length; i += 8 {
		out.put64(i, from.u64(i))
	}
}

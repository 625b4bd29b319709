package zstd

import (
	"encoding/binary"
	"math/bits"
)

// masks are those of so many bits.
var masks = [256]uint64{
	0, 1<<1 - 1, 1<<2 - 1, 1<<3 - 1, 1<<4 - 1, 1<<5 - 1, 1<<6 - 1, 1<<7 - 1,
	1<<8 - 1, 1<<9 - 1, 1<<10 - 1, 1<<11 - 1, 1<<12 - 1, 1<<13 - 1, 1<<14 - 1, 1<<15 - 1,
	1<<16 - 1, 1<<17 - 1, 1<<18 - 1, 1<<19 - 1, 1<<20 - 1, 1<<21 - 1, 1<<22 - 1, 1<<23 - 1,
	1<<24 - 1, 1<<25 - 1, 1<<26 - 1, 1<<27 - 1, 1<<28 - 1, 1<<29 - 1, 1<<30 - 1, 1<<31 - 1,
}

// sequences takes the sequences buf[at:end] (3.1.1.3.2) and writes up to limit bytes of output. There are n
// literals, lits, and slack behind them.
func (z *Reader) sequences(lits []byte, n, at, end, limit int) error {
	p := z.buf[at:end]
	if len(p) == 0 {
		return errBlock
	}
	count, used := int(p[0]), 1
	switch {
	case count == 255:
		if len(p) < 3 {
			return errBlock
		}
		count, used = int(binary.LittleEndian.Uint16(p[1:]))+0x7f00, 3
	case count >= 128:
		if len(p) < 2 {
			return errBlock
		}
		count, used = (count-128)<<8+int(p[1]), 2
	}
	p = p[used:]
	if count == 0 {
		if len(p) > 0 {
			return found(errSequences, "none, and %d bytes", len(p))
		}
		return z.lastLiterals(lits[:n], limit)
	}
	if len(p) == 0 {
		return errBlock
	}
	modes := p[0]
	if modes&3 != 0 {
		return found(errModes, "%#02x", modes)
	}
	p = p[1:]
	for kind, shift := literalLengths, 6; kind < kinds; kind, shift = kind+1, shift-2 {
		n, err := z.code(kind, int(modes>>shift&3), p)
		if err != nil {
			return err
		}
		p = p[n:]
	}
	z.seqSet = true
	if len(p) == 0 || p[len(p)-1] == 0 {
		return found(errSequences, "no end of their bits")
	}
	limit += z.o
	s := z.startSequences(end)
	used, err := z.run(&s, lits, n, count, limit)
	left := s.next - 7 - (end-len(p))*8
	switch {
	case left < 0: // whatever was made of bits that are not there
		return errTooFew
	case err != nil:
		return err
	case left > 0:
		return found(errSequences, "%d bits are left", left)
	}
	return z.lastLiterals(lits[used:n], limit-z.o)
}

// lastLiterals writes the literals behind the last sequence.
func (z *Reader) lastLiterals(p []byte, limit int) error {
	if len(p) > limit {
		return z.tooLong()
	}
	z.o += copy(z.out[z.o:], p)
	return nil
}

// tooLong is the error for a block that makes more bytes than there may be.
func (z *Reader) tooLong() error {
	if left := z.size - z.done; left < uint64(z.block) {
		return found(errSize, "it goes on after %d bytes", z.size)
	}
	return found(errBlockSize, "it goes on after %d bytes", z.block)
}

// seqStream is where the decoder of sequences is.
type seqStream struct {
	next       int    // bits of buf that are not used, and 7
	ll, of, ml uint64 // states
}

// startSequences starts at the end of buf[:end].
func (z *Reader) startSequences(end int) (s seqStream) {
	b := binary.LittleEndian.Uint64(z.buf[end-8:])
	n := bits.LeadingZeros8(z.buf[end-1]) + 1
	take := func(log uint) uint64 {
		n += int(log)
		return bits.RotateLeft64(b, n) & masks[log]
	}
	s.ll = take(z.logs[literalLengths])
	s.of = take(z.logs[offsets])
	s.ml = take(z.logs[matchLengths])
	s.next = end*8 - n + 7
	return s
}

// run decodes count sequences and does what they say: out is written up to limit at most, and a
// slack more. There are litLen literals, and a slack behind them. It returns how many were used.
//
// Bits are taken from the end of the input to its beginning: next is how many are left, and 7, so that the 8
// bytes in front of byte next/8 hold the bits that come next, behind up to 7 that were taken (^next&7). In each
// sequence the extra bits come first, those of the offset, the match and the literals, then those of the next
// states, of literals, match and offset.
//
// Slices whose length and capacity are one constant cost two comparisons and no more.
//
// With an error s says what was taken: when that is more than there is, this is what is wrong.
func (z *Reader) run(s *seqStream, lits []byte, litLen, count, limit int) (lp int, err error) {
	codes, in := &z.codes, z.buf
	rep0, rep1, rep2 := z.reps[0], z.reps[1], z.reps[2]
	next, ls, os, ms := s.next, s.ll, s.of, s.ml
	out, o, keep := z.out, z.o, uint(z.keep)
	for {
		at := next>>3 - 8
		if at < 0 {
			s.next = next
			return 0, errTooFew
		}
		b := binary.LittleEndian.Uint64(in[at : at+8 : at+8])
		// The next bits are those of b behind the n highest, 57 or more.
		from := ^next & 7
		n := from
		le := codes[literalLengths][ls%(1<<maxSeqLog)]
		oe := codes[offsets][os%(1<<maxSeqLog)]
		me := codes[matchLengths][ms%(1<<maxSeqLog)]

		// The bits of all three, extra ones and of states: 31+16+16 and 8+9+9 at most, which fit into a byte, so
		// that nothing is carried into what is looked at.
		all := oe + me + le

		n += int(uint8(oe))
		offset := uint32(oe>>32) + uint32(bits.RotateLeft64(b, n)&masks[uint8(oe)])
		var match, lit uint32
		if uint8(all) <= 57-26 { // 57 are there, and the states take up to 26
			n += int(uint8(me))
			match = uint32(me>>32) + uint32(bits.RotateLeft64(b, n)&masks[uint8(me)])
			n = from + int(uint8(all))
			lit = uint32(le>>32) + uint32(bits.RotateLeft64(b, n)&masks[uint8(le)])
			next -= int(uint8(all))
		} else {
			next -= int(uint8(oe))
			if at = next>>3 - 8; at < 0 {
				s.next = next
				return 0, errTooFew
			}
			b = binary.LittleEndian.Uint64(in[at : at+8 : at+8])
			n = ^next&7 + int(uint8(me))
			match = uint32(me>>32) + uint32(bits.RotateLeft64(b, n)&masks[uint8(me)])
			n += int(uint8(le))
			lit = uint32(le>>32) + uint32(bits.RotateLeft64(b, n)&masks[uint8(le)])
			next -= int(uint8(me)) + int(uint8(le))
			if at = next>>3 - 8; at < 0 {
				s.next = next
				return 0, errTooFew
			}
			b = binary.LittleEndian.Uint64(in[at : at+8 : at+8])
			n = ^next & 7
		}
		count--
		if count > 0 {
			// Those of the state of the literals come first, those of that of the offset last.
			next -= int(uint8(all >> 8))
			n += int(uint8(all >> 8))
			os = uint64(uint16(oe>>16)) + bits.RotateLeft64(b, n)&masks[uint8(oe>>8)]
			n -= int(uint8(oe >> 8))
			ms = uint64(uint16(me>>16)) + bits.RotateLeft64(b, n)&masks[uint8(me>>8)]
			n -= int(uint8(me >> 8))
			ls = uint64(uint16(le>>16)) + bits.RotateLeft64(b, n)&masks[uint8(le>>8)]
		}
		if uint8(oe) > 1 {
			rep0, rep1, rep2 = offset, rep0, rep1
		} else {
			// One of the offsets used last (3.1.1.5).
			if lit == 0 {
				offset++
			}
			switch offset {
			case 0:
			case 1:
				rep0, rep1 = rep1, rep0
			case 2:
				rep0, rep1, rep2 = rep2, rep0, rep1
			default:
				rep0, rep1, rep2 = rep0-1, rep0, rep1
			}
		}

		if int(lit) > litLen-lp {
			s.next = next
			return 0, found(errLiterals, "%d bytes, expected %d or more", litLen, lp+int(lit))
		}
		if int(lit)+int(match) > limit-o {
			s.next = next
			return 0, z.tooLong()
		}
		*(*[16]byte)(out[o : o+16 : o+16]) = *(*[16]byte)(lits[lp : lp+16 : lp+16])
		if lit > 16 {
			copy(out[o+16:o+int(lit)], lits[lp+16:])
		}
		lp += int(lit)
		o += int(lit)

		to := o + int(match)
		if far := uint(rep0); far-1 >= min(uint(o), keep) {
			if err := z.far(o, far, int(match)); err != nil {
				s.next = next
				return 0, err
			}
		} else if src := o - int(far); far < 16 {
			overlap(out, o, src, to)
		} else {
			p, q := out[o:o+32:o+32], out[src:src+32:src+32]
			*(*[16]byte)(p) = *(*[16]byte)(q)
			*(*[16]byte)(p[16:]) = *(*[16]byte)(q[16:])
			if match > 32 {
				copyLong(out, o+32, src+32, to)
			}
		}
		o = to
		if count == 0 {
			break
		}
	}
	s.next = next
	z.o = o
	z.reps = [3]uint32{rep0, rep1, rep2}
	return lp, nil
}

// copyLong copies a match up to out[to] from 16 bytes back or more. There is slack behind it.
func copyLong(out []byte, o, src, to int) {
	if to-o > 48 && to-o <= o-src {
		copy(out[o:to], out[src:])
		return
	}
	for ; o < to; o, src = o+16, src+16 {
		*(*[16]byte)(out[o : o+16 : o+16]) = *(*[16]byte)(out[src : src+16 : src+16])
	}
}

// overlap copies a match up to out[to] from less than 16 bytes back. There is slack behind it.
func overlap(out []byte, o, src, to int) {
	if d := o - src; d < 8 {
		p := out[src:]
		for i := range 8 {
			p[d+i] = p[i]
		}
		// Now it is so many times the distance back that makes 8 or more.
		o += 8
		src = o - (7+d)/d*d
	}
	for ; o < to; o, src = o+8, src+8 {
		*(*[8]byte)(out[o : o+8 : o+8]) = *(*[8]byte)(out[src : src+8 : src+8])
	}
}

// far copies a match of n bytes from so far back that it begins in the lap before, or says what is
// wrong with it.
func (z *Reader) far(o int, offset uint, n int) error {
	made := z.done + uint64(o-z.given) // z.given is where the block begins
	switch {
	case offset == 0:
		return found(errOffset, "0")
	case uint64(offset) > made:
		return found(errTooFar, "%d bytes back after %d", offset, made)
	case uint64(offset) > z.reach:
		return found(errTooFar, "%d bytes back in a window of %d", offset, z.reach)
	case offset > uint(z.keep):
		return tooLarge(uint64(offset))
	}
	back := int(offset) - o // from the end of the lap
	first := copy(z.out[o:o+n], z.out[z.lap-back:z.lap])
	for end := o + n; o+first < end; {
		// What follows is at the beginning, and may overlap what is written.
		first += copy(z.out[o+first:end], z.out[:o+first][first-back:])
	}
	return nil
}

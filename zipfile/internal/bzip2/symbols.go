package bzip2

import (
	"encoding/binary"
	"slices"
)

const (
	// A byte is written short times whether it comes as often or not, and if it comes more often
	// long times. Only above that it is asked whether there is room.
	short = 8
	long  = 40
	// dataSlack is room behind the bytes of a block. A group has groupSize tokens at most.
	dataSlack = (groupSize + 1) * long
	firstData = 4 << 10 // bytes of data at first
	ones      = 0x0101010101010101
)

// A token is a place in the list of recent bytes (bits 56-63), whose byte comes to the front, and how
// often it is written then: once for the symbol of the place, and more often by the digits behind it.
type token = uint64

const (
	tokenPlace = 56
	tokenTimes = 1<<tokenPlace - 1
)

// symbols decodes the codes of a block to z.data[:z.size], and counts the bytes. Both steps of it
// take a group at a time, since one loop for both would need more registers than there are.
func (z *Reader) symbols() error {
	z.size, z.token, z.shift = 0, 0, 0
	clear(z.counts[:])
	limit := z.level * levelSize
	for _, s := range z.selectors[:z.used] {
		z.need(groupRoom + 8)
		if z.overrun() {
			return z.cut()
		}
		tokens, end, err := z.group(&z.tables[s])
		if err != nil {
			return err
		}
		if !z.write(tokens, limit) {
			return errLong
		}
		if end {
			return nil
		}
	}
	return errNoEnd
}

// group looks up the codes of the next group and returns the tokens that are complete: all of
// them at the end of the block, which it reports.
func (z *Reader) group(t *table) (_ []token, end bool, err error) {
	buf, bb, n, pos := &z.buf, z.bb, z.n, z.pos
	tokens, k := &z.tokens, uint64(0)
	last, shift := z.token, z.shift
	for i := range groupSize {
		if i&1 == 0 { // 56 bits are enough for two codes
			bb |= binary.BigEndian.Uint64(buf[pos:]) >> (n & 63)
			pos += int((63 - n&63) >> 3)
			n |= 56
		}
		e := t.first[bb>>(64-firstBits)]
		if int32(e) < 0 {
			if e == special {
				if e = t.slow(uint32(bb >> (64 - maxLength))); e == 0 {
					return nil, false, errCode
				}
			}
			if int32(e) < 0 {
				tokens[k] = last
				z.bb, z.n, z.pos = bb<<e.length(), n-e.length(), pos
				return tokens[:k+1], true, nil
			}
		}
		bb <<= e & 31
		n -= uint(e & 31)
		// A place completes the token before it and begins one; a digit counts for that before
		// it. There is no telling which comes next, so there is no branch.
		place := uint64(e >> placeBit & 1)
		digit := place - 1 // as a mask
		tokens[k&63] = last
		k += place
		last = last&digit + uint64(e)<<(tokenPlace-placeAt)&^tokenTimes + uint64(e>>digitAt&3)<<(shift&digit&31)
		shift = (shift + 1) & digit
	}
	z.bb, z.n, z.pos = bb, n, pos
	z.token, z.shift = last, shift
	return tokens[:k], false, nil
}

// write appends what tokens of one group stand for to the block. It reports false when that gets
// longer than limit.
func (z *Reader) write(tokens []token, limit int) bool {
	z.growData(z.size+dataSlack, limit)
	data, list, counts, out := z.data, &z.list, &z.counts, uint64(z.size)
	for _, t := range tokens {
		var c uint64
		if r := t >> tokenPlace; r < 16 {
			c = list[r>>3] >> (r & 7 * 8) & 0xff
			v, w, m := list[0], list[1], &frontMasks[r]
			list[0] = v&^m[0] | (v<<8|c)&m[0]
			list[1] = w&^m[1] | (w<<8|v>>56)&m[1]
		} else {
			c = z.toFront(r)
		}
		times := t & tokenTimes
		counts[c&0xff] += uint32(times)
		v, to := c*ones, data[out:out+long]
		binary.LittleEndian.PutUint64(to, v)
		if times > short {
			binary.LittleEndian.PutUint64(to[8:], v)
			binary.LittleEndian.PutUint64(to[16:], v)
			binary.LittleEndian.PutUint64(to[24:], v)
			binary.LittleEndian.PutUint64(to[32:], v)
			if times > long {
				if data = z.writeLong(byte(c), times, int(out), limit); data == nil {
					return false
				}
			}
		}
		out += times
	}
	z.size = int(out)
	return z.size <= limit
}

// frontMasks[r] are the bytes of the first two words that move when the byte at place r comes to
// the front.
var frontMasks = [16][2]uint64{
	{1<<8 - 1}, {1<<16 - 1}, {1<<24 - 1}, {1<<32 - 1}, {1<<40 - 1}, {1<<48 - 1}, {1<<56 - 1}, {1<<64 - 1},
	{1<<64 - 1, 1<<8 - 1}, {1<<64 - 1, 1<<16 - 1}, {1<<64 - 1, 1<<24 - 1}, {1<<64 - 1, 1<<32 - 1},
	{1<<64 - 1, 1<<40 - 1}, {1<<64 - 1, 1<<48 - 1}, {1<<64 - 1, 1<<56 - 1}, {1<<64 - 1, 1<<64 - 1},
}

// toFront brings the byte at place r to the front of the list and returns it.
func (z *Reader) toFront(r uint64) uint64 {
	last := &z.list[r>>3&31]
	c := *last >> (r & 7 * 8) & 0xff
	carry := c
	for i, v := range z.list[:r>>3&31] {
		z.list[i] = v<<8 | carry
		carry = v >> 56
	}
	mask := ^uint64(0) >> (56 - r&7*8)
	*last = *last&^mask | (*last<<8|carry)&mask
	return c
}

// writeLong writes a byte so many times to data from out on. It returns the data, which may have
// moved, or nil when that is too often.
//
//go:noinline
func (z *Reader) writeLong(c byte, times uint64, out, limit int) []byte {
	if out > limit || times > uint64(limit-out) {
		return nil
	}
	end := out + int(times)
	z.growData(end+dataSlack, limit)
	fill(z.data[out:end], c)
	return z.data
}

// growData makes room for n bytes of a block that has limit at most.
func (z *Reader) growData(n, limit int) {
	if n > len(z.data) {
		n = max(n, firstData, min(2*len(z.data), limit+2*dataSlack))
		z.data = slices.Grow(z.data, n-len(z.data))
		z.data = z.data[:cap(z.data)]
	}
}

func fill(p []byte, c byte) {
	for ; len(p) >= 8; p = p[8:] {
		binary.LittleEndian.PutUint64(p, uint64(c)*ones)
	}
	for i := range p {
		p[i] = c
	}
}

package bzip2

import (
	"encoding/binary"
	"slices"
)

const (
	// dataSlack is room behind the bytes of a block: they are written eight at a time, and looked
	// at once for a group, of which each symbol gives 8 at most (or looks itself).
	dataSlack = groupSize*8 + 8
	firstData = 4 << 10 // bytes of data at first
)

// symbols decodes the codes of a block to z.data[:z.size], and counts the bytes.
func (z *Reader) symbols() error {
	z.size, z.token, z.shift = 0, 0, 0
	clear(z.counts[:])
	limit := z.level * levelSize
	for _, sel := range z.selectors[:z.used] {
		z.need(groupRoom + 8)
		if z.overrun() {
			return z.cut()
		}
		tokens, err := z.group(&z.tables[sel])
		if !z.bytes(tokens, limit) {
			return errLong
		}
		if err != nil {
			if err == errEnd {
				return nil
			}
			return err
		}
	}
	return errNoEnd
}

// A token is a place in the list (bits 56-63) whose byte comes to the front, and how often it is
// written then: once for the place's symbol, more often by the digits behind it.
type token = uint64

const (
	tokenPlace = 56
	tokenTimes = 1<<tokenPlace - 1
)

// group looks up the codes of the next group and returns the tokens that are complete. With errEnd
// these are the last of the block.
func (z *Reader) group(t *table) ([]token, error) {
	buf, bb, n, pos := &z.buf, z.bb, z.n, z.pos
	tokens, k := &z.tokens, uint(0)
	last, shift := z.token, z.shift
	for i := range groupSize {
		if i&1 == 0 {
			bb |= binary.BigEndian.Uint64(buf[pos:]) >> (n & 63)
			pos += int((63 - n&63) >> 3)
			n |= 56
		}
		e := t.first[bb>>(64-firstBits)]
		if int32(e) < 0 {
			if e == special {
				e = t.slow(uint32(bb >> (64 - maxLength)))
			}
			if e == 0 || int32(e) < 0 {
				z.bb, z.n, z.pos = bb<<e.length(), n-e.length(), pos
				if e == 0 {
					return nil, errCode
				}
				tokens[k] = last
				return tokens[:k+1], errEnd
			}
		}
		bb <<= e & 31
		n -= uint(e & 31)
		// A place completes the token before it and begins one; a digit is added to it.
		place := uint(e >> placeBit & 1)
		digit := place - 1
		tokens[k&63] = last
		k += place
		last = last&uint64(digit) + uint64(e)<<(tokenPlace-placeAt)&^tokenTimes + uint64(e>>5&3)<<(shift&digit&31)
		shift = (shift + 1) & digit
	}
	z.bb, z.n, z.pos = bb, n, pos
	z.token, z.shift = last, shift
	return tokens[:k], nil
}

// bytes appends the bytes of a group. It reports false when they are too many.
func (z *Reader) bytes(tokens []token, limit int) bool {
	if len(z.data)-z.size < dataSlack {
		z.growData(z.size+dataSlack, limit)
	}
	data, counts := z.data, &z.counts
	front, out := z.list[0], uint(z.size)
	for _, t := range tokens {
		times := uint(t & tokenTimes)
		if r := t >> tokenPlace; r < 8 {
			mask := lowBytes[r]
			front = front&^mask | (front<<8|front>>(8*r)&0xff)&mask
		} else {
			front = z.toFront(front, uint(r))
		}
		counts[front&0xff] += uint32(times)
		binary.LittleEndian.PutUint64(data[out:out+8], front&0xff*0x0101010101010101)
		if times > 8 {
			if data = z.long(int(out), int(times), byte(front), limit); data == nil {
				return false
			}
		}
		out += times
	}
	z.list[0], z.size = front, int(out)
	return z.size <= limit
}

// lowBytes[i] has the lowest i+1 bytes.
var lowBytes = [8]uint64{1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1, 1<<40 - 1, 1<<48 - 1, 1<<56 - 1, 1<<64 - 1}

// long writes a byte more often than eight times. It returns the data, nil when that is too often.
//
//go:noinline
func (z *Reader) long(out, give int, c byte, limit int) []byte {
	if give > limit-out {
		return nil
	}
	z.growData(out+give+dataSlack, limit)
	fill(z.data[out:out+give], c)
	return z.data
}

// toFront moves the value at place r, 8 or more, to the front of the list, whose first word is
// given and returned.
func (z *Reader) toFront(front uint64, r uint) uint64 {
	w := r >> 3 & 31
	at := &z.list[w]
	latest := *at >> (r & 7 * 8) & 0xff
	carry := front >> 56
	for i := range z.list[1:w] {
		v := z.list[1+i]
		z.list[1+i] = v<<8 | carry
		carry = v >> 56
	}
	mask := ^uint64(0) >> (56 - r&7*8)
	*at = *at&^mask | (*at<<8|carry)&mask
	return front<<8 | latest
}

// growData makes room for n bytes of a block that has limit at most.
func (z *Reader) growData(n, limit int) {
	if n <= len(z.data) {
		return
	}
	n = max(n, firstData, min(2*len(z.data), limit+2*dataSlack))
	z.data = slices.Grow(z.data, n-len(z.data))
	z.data = z.data[:cap(z.data)]
}

func fill(p []byte, c byte) {
	v := uint64(c) * 0x0101010101010101
	for len(p) >= 8 {
		binary.LittleEndian.PutUint64(p, v)
		p = p[8:]
	}
	for i := range p {
		p[i] = c
	}
}

package bzip2

import (
	"encoding/binary"
	"hash/crc32"
	mathbits "math/bits"
)

const giveSize = 8 << 10 // bytes that are made between checksums

// runs is the state of the last step. Four equal bytes are followed by a byte that says how many
// more of them there are.
type runs struct {
	rest   []byte // of a piece of walk
	last   byte
	run    int // bytes equal to last; 4 when a count follows, 0 behind it
	repeat int // bytes equal to last that are still to be given out
	crc    uint32
	flips  flips
	mirror [1024]byte
}

func (z *Reader) startRuns() {
	z.rest, z.run, z.repeat, z.crc = nil, 0, 0, 0
	z.flips = flips{}
	z.flips.left = int(flipDistances[0]) - 1
}

// give gives out the next bytes of a block; 0 at its end.
func (z *Reader) give(p []byte) (n int) {
	for n < len(p) {
		q := p[n:min(len(p), n+giveSize)]
		m := z.expand(q)
		z.checksum(q[:m])
		if n += m; m < len(q) {
			break
		}
	}
	return n
}

// endRuns returns the checksum of the block.
func (z *Reader) endRuns() (uint32, error) {
	if z.run == 4 {
		return 0, errNoCount
	}
	return mathbits.Reverse32(z.crc), nil
}

// expand gives out the next bytes of a block, fewer than len(p) only at its end.
func (z *Reader) expand(p []byte) int {
	d := 0
	for d < len(p) {
		if z.repeat > 0 {
			n := min(z.repeat, len(p)-d)
			fill(p[d:d+n], z.last)
			d += n
			z.repeat -= n
			continue
		}
		if len(z.rest) == 0 {
			if z.rest = z.piece(); len(z.rest) == 0 {
				break
			}
			if z.random {
				z.rest = z.flip(z.rest)
			}
		}
		if z.run < 4 && len(z.rest) >= 8 && len(p)-d >= 8 {
			d += z.words(p[d:])
			continue
		}
		c := z.rest[0]
		z.rest = z.rest[1:]
		if z.run == 4 {
			z.repeat, z.run = int(c), 0
			continue
		}
		p[d] = c
		d++
		if z.run > 0 && c == z.last {
			z.run++
		} else {
			z.last, z.run = c, 1
		}
	}
	return d
}

// words does what expand does for eight bytes at a time, up to a count or until either side has
// fewer. What is behind the bytes that it gives out may be overwritten.
func (z *Reader) words(p []byte) int {
	const low = 0x7f7f7f7f7f7f7f7f
	src, d := z.rest, 0
	before := uint64(z.last)
	// The highest bit of each byte of same says that it is equal to the one before.
	same := uint64(0)
	switch z.run {
	case 0:
		before = uint64(^src[0])
	case 2:
		same = 1 << 63
	case 3:
		same = 1<<63 | 1<<55
	}
	for len(src) >= 8 && len(p)-d >= 8 {
		x := binary.LittleEndian.Uint64(src)
		binary.LittleEndian.PutUint64(p[d:], x)
		y := x ^ (x<<8 | before)
		now := ^(y&low + low | y | low)
		if four := now & (now<<8 | same>>56) & (now<<16 | same>>48); four != 0 {
			n := mathbits.TrailingZeros64(four)/8 + 1
			z.last, z.run = src[n-1], 4
			z.rest = src[n:]
			return d + n
		}
		same, before = now, x>>56
		src = src[8:]
		d += 8
	}
	z.rest = src
	z.last, z.run = byte(before), 1
	if same>>63 == 1 {
		z.run = 2 + int(same>>55&1)
	}
	return d
}

// checksum takes bytes into the checksum of the block. Its CRC-32 is that of hash/crc32 with the
// bits of each byte, and of the sum, in reverse.
func (z *Reader) checksum(p []byte) {
	for len(p) > 0 {
		m := z.mirror[:min(len(p), len(z.mirror))]
		i := 0
		for ; i+8 <= len(m); i += 8 {
			x := binary.LittleEndian.Uint64(p[i:])
			x = x>>1&0x5555555555555555 | x&0x5555555555555555<<1
			x = x>>2&0x3333333333333333 | x&0x3333333333333333<<2
			x = x>>4&0x0f0f0f0f0f0f0f0f | x&0x0f0f0f0f0f0f0f0f<<4
			binary.LittleEndian.PutUint64(m[i:], x)
		}
		for ; i < len(m); i++ {
			m[i] = mathbits.Reverse8(p[i])
		}
		z.crc = crc32.Update(z.crc, crc32.IEEETable, m)
		p = p[len(m):]
	}
}

package bzip2

import (
	"encoding/binary"
	"io"
)

const (
	inputLen = 64 << 10 // bytes read at a time, at most
	// groupRoom is more than a group of symbols takes, in bytes: 50 codes of up to 20 bits.
	groupRoom = 128
	// inSlack is what may be read behind the input, in bytes. A group begins at most 8 bytes behind
	// the end (see overrun), and the last of its refills reads 8.
	inSlack = 8 + groupRoom + 8
)

// bits reads the input from the highest bit of each byte on. Behind the end of it are zeros.
type bits struct {
	r    io.Reader
	rerr error // what r gave last; io.EOF too
	buf  [inputLen + inSlack]byte
	pos  int
	end  int
	// bb holds bits that were taken from buf[:pos] and not used, n of them, the next one highest.
	// Below them may be more of the same input.
	bb  uint64
	n   uint
	ran bool // zeros were made up
}

func (b *bits) open(r io.Reader) {
	b.r, b.rerr, b.pos, b.end, b.bb, b.n, b.ran = r, nil, 0, 0, 0, 0, false
}

// consumed is how many bytes of buf are used, counting one that is used in part.
func (b *bits) consumed() int { return b.pos - int(b.n>>3) }

// overrun reports that bits behind the end of the input were used.
func (b *bits) overrun() bool { return b.ran || b.consumed() > b.end }

// cut is the error for input that ends too early.
func (b *bits) cut() error {
	if b.rerr == nil || b.rerr == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return b.rerr
}

// need reads until so many bytes are there to use, or r has no more.
func (b *bits) need(bytes int) {
	if b.end-b.consumed() < bytes && b.rerr == nil {
		b.fill(bytes)
	}
}

func (b *bits) fill(need int) {
	b.pos -= int(b.n >> 3)
	b.n &= 7
	b.bb &^= ^uint64(0) >> b.n
	b.end = copy(b.buf[:], b.buf[b.pos:b.end])
	b.pos = 0
	for empty := 0; b.end < need; {
		m, err := b.r.Read(b.buf[b.end:inputLen])
		b.end += m
		if empty++; m > 0 {
			empty = 0
		} else if empty == 100 && err == nil { // in a row, as bufio
			err = io.ErrNoProgress
		}
		if err != nil {
			b.rerr = err
			break
		}
	}
	clear(b.buf[b.end : b.end+inSlack])
}

// take uses the next n bits, 32 at most.
func (b *bits) take(n uint) uint32 {
	if b.n < n {
		b.refill()
	}
	v := uint32(b.bb >> 32 >> (32 - n))
	b.bb <<= n
	b.n -= n
	return v
}

// refill makes at least 56 bits available, reading more input where it must.
func (b *bits) refill() {
	if b.end-b.pos < 8 {
		if b.need(8); b.pos > b.end+8 {
			b.ran = true
			b.n |= 56 // zeros
			return
		}
	}
	b.bb |= binary.BigEndian.Uint64(b.buf[b.pos:]) >> (b.n & 63)
	b.pos += int((63 - b.n&63) >> 3)
	b.n |= 56
}

// align drops what is left of a byte that is used in part.
func (b *bits) align() {
	b.bb <<= b.n & 7
	b.n &^= 7
}

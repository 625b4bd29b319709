package reduce

import (
	"encoding/binary"
	"io"
)

const inputLen = 16 << 10

// input gives the bits of a reader, those of a byte from the lowest up.
//
// The low n bits of bits are read and not used. What is above them is either zero or, as refill
// takes eight bytes where it can, what the bytes from pos on will put there anyway.
type input struct {
	bits     uint64
	n        uint
	pos, end int // of buf
	r        io.Reader
	err      error // why r has no more; given when more is asked for
	buf      [inputLen]byte
}

func (in *input) reset(r io.Reader) {
	in.bits, in.n, in.pos, in.end, in.r, in.err = 0, 0, 0, 0, r, nil
}

// refill makes n at least want, which is 56 or less. Where the input ends before that, it returns
// why, with n as large as it gets.
func (in *input) refill(want uint) error {
	for {
		if in.pos+8 <= in.end {
			in.bits |= binary.LittleEndian.Uint64(in.buf[in.pos:]) << in.n
			in.pos += int(63-in.n) >> 3
			in.n |= 56
			return nil
		}
		for ; in.n <= 56 && in.pos < in.end; in.n += 8 {
			in.bits |= uint64(in.buf[in.pos]) << in.n
			in.pos++
		}
		if in.n >= want {
			return nil
		}
		if in.err != nil {
			return in.err
		}
		in.more()
	}
}

// more reads from r; all that was read before is in bits.
func (in *input) more() {
	in.pos, in.end = 0, 0
	for range 100 { // in a row, as bufio
		if in.end, in.err = in.r.Read(in.buf[:]); in.end > 0 || in.err != nil {
			if in.err == io.EOF {
				in.err = io.ErrUnexpectedEOF
			}
			return
		}
	}
	in.err = io.ErrNoProgress
}

func (in *input) unused() int { return in.end - in.pos + int(in.n>>3) }

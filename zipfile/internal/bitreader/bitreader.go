// Package bitreader gives the bits of a reader, those of a byte from the lowest up, to the decoders
// of the old methods.
package bitreader

import (
	"encoding/binary"
	"io"
)

const pieceLen = 16 << 10

// Reader is the state between reads, open to the inner loops.
//
// The low N bits of Bits are read and not used. What is above them is either zero or, as Refill
// takes eight bytes where it can, what the bytes from Pos on will put there anyway.
type Reader struct {
	Bits     uint64
	N        uint
	Pos, End int // of Buf
	r        io.Reader
	err      error // why r has no more; given when more is asked for
	Buf      [pieceLen]byte
}

// Reset starts to read from r; nil lets go of the last one.
func (in *Reader) Reset(r io.Reader) {
	in.Bits, in.N, in.Pos, in.End, in.r, in.err = 0, 0, 0, 0, r, nil
}

// Refill makes N at least want, which is 56 or less. Where the input ends before that, it returns
// why, with N as large as it gets.
func (in *Reader) Refill(want uint) error {
	for {
		if in.Pos+8 <= in.End {
			in.Bits |= binary.LittleEndian.Uint64(in.Buf[in.Pos:]) << in.N
			in.Pos += int(63-in.N) >> 3
			in.N |= 56
			return nil
		}
		for ; in.N <= 56 && in.Pos < in.End; in.N += 8 {
			in.Bits |= uint64(in.Buf[in.Pos]) << in.N
			in.Pos++
		}
		if in.N >= want {
			return nil
		}
		if in.err != nil {
			return in.err
		}
		in.more()
	}
}

// more reads from r; all that was read before is in Bits.
func (in *Reader) more() {
	in.Pos, in.End = 0, 0
	for range 100 { // in a row, as bufio
		if in.End, in.err = in.r.Read(in.Buf[:]); in.End > 0 || in.err != nil {
			if in.err == io.EOF {
				in.err = io.ErrUnexpectedEOF
			}
			return
		}
	}
	in.err = io.ErrNoProgress
}

// Unused is how many bytes were read and are not used; one used in part counts as used.
func (in *Reader) Unused() int { return in.End - in.Pos + int(in.N>>3) }

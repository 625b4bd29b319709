package implode

import (
	"encoding/binary"
	"fmt"
	"io"

	"zipcat.dev/zipfile/internal/bitreader"
)

const (
	history = 8 << 10 // the farthest distance, in bytes
	longest = 3 + 63 + 255
	winLen  = history + 32<<10
	full    = winLen - longest - stride // another copy fits up to here
	stride  = 16                        // of copies, in bytes

	// The bits of the longest symbol, a copy.
	maxUsed = 1 + 7 + maxCode + maxCode + 8
)

// decoder is what a Reader works with.
type decoder struct {
	win   [winLen]byte
	o     uint // output ends here
	given uint // up to here it was given out
	left  int64
	err   error
	in    bitreader.Reader

	lowBits  uint // of a distance, which are not coded
	shortest uint // copy
	coded    bool // literals have a tree
	begun    bool // the trees were read

	literals, lengths, distances tree
}

func (d *decoder) reset(r io.Reader, size int64, flags uint16) {
	// What a distance before the start of the output leads to is zeros.
	clear(d.win[:history])
	d.o, d.given, d.left, d.err = history, history, max(size, 0), nil
	d.in.Reset(r)
	d.lowBits, d.shortest, d.coded, d.begun = 6, 2, false, false
	if flags&Dictionary8K != 0 {
		d.lowBits = 7
	}
	if flags&LiteralTree != 0 {
		d.shortest, d.coded = 3, true
	}
}

func (d *decoder) readTrees() error {
	if d.coded {
		if err := d.literals.read(&d.in, 256, "literal"); err != nil {
			return err
		}
	}
	if err := d.lengths.read(&d.in, 64, "length"); err != nil {
		return err
	}
	return d.distances.read(&d.in, 64, "distance")
}

// run decodes until the window is full or nothing is left, when all output was given out.
func (d *decoder) run() error {
	if d.left == 0 {
		return io.EOF
	}
	if !d.begun {
		if err := d.readTrees(); err != nil {
			return err
		}
		d.begun = true
	}
	if d.o > full {
		copy(d.win[:], d.win[d.o-history:d.o])
		d.o, d.given = history, history
	}
	for d.left > 0 && d.o <= full {
		d.fast()
		if d.left == 0 || d.o > full {
			break
		}
		if err := d.step(); err != nil {
			return err
		}
	}
	if d.left == 0 {
		return io.EOF
	}
	return nil
}

// fast decodes until the window is full, nothing is left, or what comes is for step: because it
// is wrong, or the input has to be read.
func (d *decoder) fast() {
	in, win := &d.in, &d.win
	bits, n := in.Bits, in.N
	o := d.o
	end := o + uint(min(d.left, winLen)) // no copy reaches this if more is left
	for o < end && o <= full {
		if n < maxUsed {
			if in.Pos+8 > in.End {
				break
			}
			bits |= binary.LittleEndian.Uint64(in.Buf[in.Pos:]) << (n & 63)
			in.Pos += int(63-n) >> 3
			n |= 56
		}
		if bits&1 != 0 {
			c, used := byte(bits>>1), uint(1+8)
			if d.coded {
				e := d.literals.find(bits >> 1)
				c, used = byte(e>>8), uint(1+e&0xff)
			}
			win[o] = c
			o++
			bits >>= used & 63
			n -= used
			continue
		}
		size, distance, used := d.copyOf(bits)
		if size > end-o {
			break
		}
		from := o - distance
		if distance >= stride {
			for i := uint(0); i < size; i += stride {
				to := win[o+i:][:stride]
				x, y := binary.LittleEndian.Uint64(win[from+i:]), binary.LittleEndian.Uint64(win[from+i+8:])
				binary.LittleEndian.PutUint64(to, x)
				binary.LittleEndian.PutUint64(to[8:], y)
			}
		} else {
			repeat(win[:o+size], from, o)
		}
		o += size
		bits >>= used & 63
		n -= used
	}
	in.Bits, in.N = bits, n
	d.left -= int64(o - d.o)
	d.o = o
}

// copyOf decodes the copy that bits start with, and says how many of them it takes.
func (d *decoder) copyOf(bits uint64) (size, distance, used uint) {
	used = 1 + d.lowBits
	low := uint(bits) & (1<<used - 1) >> 1
	e := d.distances.find(bits >> used)
	distance = uint(e>>8)<<d.lowBits + low + 1
	used += uint(e & 0xff)
	e = d.lengths.find(bits >> (used & 63))
	size = uint(e>>8) + d.shortest
	used += uint(e & 0xff)
	if e>>8 == 63 {
		size += uint(bits>>(used&63)) & 0xff
		used += 8
	}
	return size, distance, used
}

// step decodes a literal or a copy, with as many bits as there are.
func (d *decoder) step() error {
	in := &d.in
	err := in.Refill(maxUsed)
	var size, distance, used uint
	c := byte(in.Bits >> 1)
	switch {
	case in.Bits&1 == 0:
		size, distance, used = d.copyOf(in.Bits)
	case d.coded:
		e := d.literals.find(in.Bits >> 1)
		c, used = byte(e>>8), uint(1+e&0xff)
	default:
		used = 1 + 8
	}
	if used > in.N {
		return err
	}
	if int64(size) > d.left {
		return fmt.Errorf("copy of %d bytes, the declared size leaves %d", size, d.left)
	}
	in.Bits >>= used
	in.N -= used
	if size == 0 {
		d.win[d.o] = c
		size = 1
	} else {
		repeat(d.win[:d.o+size], d.o-distance, d.o)
	}
	d.o += size
	d.left -= int64(size)
	return nil
}

// repeat fills b from o on with what is from there on.
func repeat(b []byte, from, o uint) {
	for to := b[o:]; len(to) > 0; {
		n := copy(to, b[from:len(b)-len(to)]) // twice as much each time
		to = to[n:]
	}
}

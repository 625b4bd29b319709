package reduce

import (
	"encoding/binary"
	"fmt"
	"io"

	"zipcat.dev/zipfile/internal/bitreader"
)

const (
	escape = 144 // starts a copy

	history = 4 << 10 // the farthest distance, in bytes
	longest = 127 + 255 + 3
	winLen  = history + 32<<10
	full    = winLen - longest - stride // another copy fits up to here
	stride  = 16                        // of copies, in bytes
)

// decoder is what a Reader works with.
type decoder struct {
	win   [winLen]byte
	o     uint // output ends here
	given uint // up to here it was given out
	left  int64
	err   error
	in    bitreader.Reader

	followers followers
	begun     bool // they were read
	last      byte

	// Where a copy is: how many bytes of it were read, the first of them and the length.
	state  state
	first  byte
	length uint

	// The factor: which bits of the first byte are for the length, and how far up the others
	// go in the distance.
	lenMask   uint
	highShift uint
}

type state uint8

const (
	literal    state = iota // what comes is none of a copy
	wantFirst               // the low bits of the length and the high bits of the distance come
	wantLength              // the rest of the length
	wantLow                 // the low bits of the distance
)

func (d *decoder) reset(r io.Reader, size int64) {
	// What a distance before the start of the output leads to is zeros.
	clear(d.win[:history])
	d.o, d.given, d.left, d.err = history, history, max(size, 0), nil
	d.in.Reset(r)
	d.begun, d.last, d.state = false, 0, literal
}

// run decodes until the window is full or nothing is left, when all output was given out.
func (d *decoder) run() error {
	if d.left == 0 {
		return io.EOF
	}
	if !d.begun {
		if err := d.followers.read(&d.in); err != nil {
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
// is wrong, or has to be made or read first.
func (d *decoder) fast() {
	in, win, table := &d.in, &d.win, &d.followers.table
	bits, n := in.Bits, in.N
	o, last, state, first, length := d.o, d.last, d.state, d.first, d.length
	end := o + uint(min(d.left, winLen)) // no copy reaches this if more is left
loop:
	for o < end && o <= full {
		if n < 9 {
			if in.Pos+8 > in.End {
				break
			}
			bits |= binary.LittleEndian.Uint64(in.Buf[in.Pos:]) << (n & 63)
			in.Pos += int(63-n) >> 3
			n |= 56
		}
		sym := table[uint(last)<<6|uint(bits)&(1<<6-1)]
		if sym == 0 {
			break
		}
		c := sym.in(bits)
		switch { // as take
		case state == literal && c != escape:
			win[o] = c
			o++
		case state == literal:
			state = wantFirst
		case state == wantFirst && c == 0:
			win[o] = escape
			o++
			state = literal
		case state == wantFirst:
			first, length = c, uint(c)&d.lenMask
			state = wantLow
			if length == d.lenMask {
				state = wantLength
			}
		case state == wantLength:
			length += uint(c)
			state = wantLow
		default:
			size := length + 3
			if size > end-o {
				break loop
			}
			from := o - d.distance(first, c)
			if o-from >= stride {
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
			state = literal
		}
		bits >>= sym.used() & 63
		n -= sym.used()
		last = c
	}
	in.Bits, in.N = bits, n
	d.left -= int64(o - d.o)
	d.o, d.last, d.state, d.first, d.length = o, last, state, first, length
}

// step decodes what fast does not.
func (d *decoder) step() error {
	in, f := &d.in, &d.followers
	err := in.Refill(9)
	if !f.made[d.last] {
		f.fill(d.last)
	}
	sym := f.table[uint(d.last)<<6|uint(in.Bits)&(1<<6-1)]
	used := sym.used()
	if sym == 0 {
		used = uint(1 + width[f.counts[d.last]])
	}
	if used > in.N {
		return err
	}
	if sym == 0 {
		i := in.Bits & (1<<used - 1) >> 1
		return fmt.Errorf("follower %d of byte %d, which has %d", i, d.last, f.counts[d.last])
	}
	c := sym.in(in.Bits)
	in.Bits >>= used
	in.N -= used
	d.last = c
	return d.take(c)
}

// take does what a byte of the outer layer is for.
func (d *decoder) take(c byte) error {
	was := d.o
	switch {
	case d.state == literal && c != escape:
		d.win[d.o] = c
		d.o++
	case d.state == literal:
		d.state = wantFirst
	case d.state == wantFirst && c == 0:
		d.win[d.o] = escape
		d.o++
		d.state = literal
	case d.state == wantFirst:
		d.first, d.length = c, uint(c)&d.lenMask
		d.state = wantLow
		if d.length == d.lenMask {
			d.state = wantLength
		}
	case d.state == wantLength:
		d.length += uint(c)
		d.state = wantLow
	default:
		size := d.length + 3
		if int64(size) > d.left {
			return fmt.Errorf("copy of %d bytes, the declared size leaves %d", size, d.left)
		}
		repeat(d.win[:d.o+size], d.o-d.distance(d.first, c), d.o)
		d.o += size
		d.state = literal
	}
	d.left -= int64(d.o - was)
	return nil
}

// distance is that of a copy, from its first and its last byte.
func (d *decoder) distance(first, low byte) uint {
	return uint(first)&^d.lenMask<<d.highShift + uint(low) + 1
}

// repeat fills b from o on with what is from there on.
func repeat(b []byte, from, o uint) {
	for to := b[o:]; len(to) > 0; {
		n := copy(to, b[from:len(b)-len(to)]) // twice as much each time
		to = to[n:]
	}
}

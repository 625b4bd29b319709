package shrink

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"zipcat.dev/zipfile/internal/bitreader"
)

const (
	minWidth = 9 // of codes, in bits
	maxWidth = 13

	history = 64 << 10 // what stays when the window moves, at least a string
	winLen  = 128 << 10
	full    = winLen - maxString // another string fits up to here
	slack   = 16                 // copies go in steps of 16 bytes
)

// decoder is what a Reader works with.
type decoder struct {
	table
	window
	given uint // up to here the output was given out
	left  int64
	err   error
	in    bitreader.Reader

	width  uint
	first  bool   // no code was read yet
	prev   uint16 // the code read last
	prevAt uint   // where in win its string starts
	grown  uint   // the size of that string and a byte more; 0: prev was cleared
}

// window is the end of the output. The strings of the table lie in it: that of a new code is the
// last string and the byte behind it. Only those that left the window, and those whose prefix was
// cleared, are put together byte by byte.
type window struct {
	win  [missing + slack]byte
	o    uint   // output ends here
	base uint32 // what win[0] is as entry.at
}

const (
	single  = winLen + slack // in win: the strings of the codes up to 255, where no position was yet
	missing = single + 256   // what is here or above is not in win
)

func (d *decoder) reset(r io.Reader, size int64) {
	d.table.reset()
	for i := range 256 {
		d.win[single+i] = byte(i)
	}
	d.rebase(0)
	d.o, d.given, d.left, d.err = 0, 0, max(size, 0), nil
	d.in.Reset(r)
	d.width, d.first = minWidth, true
}

func (d *decoder) rebase(base uint32) {
	d.base = base
	for i := range 256 {
		d.entries[i].at = base + single + uint32(i)
	}
}

// run decodes until the window is full or nothing is left, when all output was given out.
func (d *decoder) run() error {
	if d.o > full {
		d.slide()
	}
	for d.first && d.left > 0 {
		if err := d.step(); err != nil {
			return err
		}
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

// slide moves the end of the output to the start of the window.
func (d *decoder) slide() {
	n := d.o - history
	copy(d.win[:], d.win[n:d.o])
	d.o -= n
	d.given -= n
	d.prevAt -= n
	d.rebase(d.base + uint32(n))

	// What left the window long ago must not come back in when positions start over.
	const far = 1 << 30
	if d.base%far < uint32(n) {
		for i := range d.entries {
			if e := &d.entries[i]; d.base-e.at > far && d.base-e.at < 3*far {
				e.at = d.base - far
			}
		}
	}
}

// fast decodes codes until the window is full, nothing is left, or the next code is one for
// step: because of what it is, or because the input has to be read.
func (d *decoder) fast() {
	in, t, win := &d.in, &d.table, &d.win
	width := d.width
	mask := uint64(1)<<width - 1
	prev, prevAt, grown := d.prev, d.prevAt, d.grown
	o, base := d.o, d.base
	end := o + uint(min(d.left, winLen)) // no string reaches this if more is left
	bb, n := in.Bits, in.N
	for o < end && o <= full {
		if n < width {
			if in.Pos+8 > in.End {
				break
			}
			bb |= binary.LittleEndian.Uint64(in.Buf[in.Pos:]) << (n & 63)
			in.Pos += int(63-n) >> 3
			n |= 56
		}
		code := uint16(bb&mask) % codes
		e := &t.entries[code]
		at, size := uint(e.at-base), uint(e.size)
		if size-1 >= end-o || at >= missing { // or size is 0
			break
		}
		bb >>= width & 63
		n -= width

		// As table.add.
		var added *byte
		if w := t.word; w < len(t.free) {
			f := t.free[w]
			c := uint16(w<<6|bits.TrailingZeros64(f)) % codes
			if f &= f - 1; f == 0 {
				t.free[w] = 0
				t.skip()
			} else {
				t.free[w] = f
			}
			t.entries[c] = entry{at: base + uint32(prevAt), size: uint16(grown), prefix: prev}
			added = &t.last[c]
			t.count[prev%codes]++
			t.prefixes[prev>>6%(codes/64)] |= 1 << (prev & 63)
		}

		if size <= 16 {
			from, to := win[at:][:16:16], win[o:][:16:16]
			x, y := binary.LittleEndian.Uint64(from), binary.LittleEndian.Uint64(from[8:])
			binary.LittleEndian.PutUint64(to, x)
			binary.LittleEndian.PutUint64(to[8:], y)
		} else {
			copy(win[o:][:size], win[at:][:size])
		}
		if added != nil {
			*added = win[o]
		}
		prev, prevAt, grown = code, o, size+1
		o += size
	}
	in.Bits, in.N = bb, n
	d.prev, d.prevAt, d.grown = prev, prevAt, grown
	d.left -= int64(o - d.o)
	d.o = o
}

// step decodes one code, whatever it is.
func (d *decoder) step() error {
	in := &d.in
	if err := in.Refill(d.width); in.N < d.width {
		return err
	}
	code := uint16(in.Bits&(1<<d.width-1)) % codes
	if code == control {
		return d.control()
	}
	in.Bits >>= d.width
	in.N -= d.width

	// The new string ends with the first byte of the string of code. If that string depends on
	// the new one, it starts with the last string: either the code is the new one, or an old
	// one whose prefix had been cleared.
	added, adds := uint16(0), false
	if !d.first {
		added, adds = d.add(entry{d.base + uint32(d.prevAt), uint16(d.grown), d.prev}, d.win[d.prevAt])
	}
	e := &d.entries[code]
	size, at := uint(e.size), uint(e.at-d.base)
	if size == 0 {
		var err error
		if size, err = d.measure(code); err != nil {
			return err
		}
		at = missing
	}
	if int64(size) > d.left {
		return fmt.Errorf("code %d stands for %d bytes, the declared size leaves %d", code, size, d.left)
	}
	to := d.win[d.o:][:size]
	if at < missing {
		copy(to, d.win[at:])
		if adds && code == added { // its last byte was not there yet
			to[size-1] = to[0]
		}
	} else {
		d.collect(to, code)
		e.at, e.size = d.base+uint32(d.o), uint16(size)
	}
	if adds {
		d.last[added] = to[0]
	}
	d.first = false
	d.prev, d.prevAt, d.grown = code, d.o, size+1
	d.o += size
	d.left -= int64(size)
	return nil
}

// measure returns the size of a string by following its prefixes.
func (d *decoder) measure(code uint16) (uint, error) {
	size := uint(1)
	for c := code; c >= control; c = d.entries[c%codes].prefix {
		if d.isFree(c) {
			if c == code {
				return 0, fmt.Errorf("code %d is not in the table", code)
			}
			return 0, fmt.Errorf("prefix %d of code %d is not in the table", c, code)
		}
		if size++; size > maxString {
			return 0, fmt.Errorf("code %d is among its own prefixes", code)
		}
	}
	return size, nil
}

// collect puts the string of a code together, from its end to its start.
func (d *decoder) collect(to []byte, code uint16) {
	for i := len(to) - 1; i > 0; i-- {
		to[i] = d.last[code%codes]
		code = d.entries[code%codes].prefix
	}
	to[0] = byte(code)
}

var errWidth = errors.New("codes of more than 13 bits")

// control does what the code behind the control code says.
func (d *decoder) control() error {
	in := &d.in
	if err := in.Refill(2 * d.width); in.N < 2*d.width {
		return err
	}
	what := in.Bits >> d.width & (1<<d.width - 1)
	in.Bits >>= 2 * d.width
	in.N -= 2 * d.width
	switch what {
	case 1:
		if d.width == maxWidth {
			return errWidth
		}
		d.width++
	case 2:
		d.table.clear()
		if !d.first && d.isFree(d.prev) {
			d.grown = 0
		}
	default:
		return fmt.Errorf("code %d behind code 256", what)
	}
	return nil
}

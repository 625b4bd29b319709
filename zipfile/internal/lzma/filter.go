package lzma

import (
	"encoding/binary"
	"slices"
)

// Filters of the xz format, section 5.3.
const (
	filterDelta    = 0x03
	filterX86      = 0x04
	filterPowerPC  = 0x05
	filterIA64     = 0x06
	filterARM      = 0x07
	filterARMThumb = 0x08
	filterSPARC    = 0x09
	filterARM64    = 0x0a
	filterRISCV    = 0x0b
	filterLZMA2    = 0x21
)

// filter undoes a filter.
type filter interface {
	// decode undoes it in place for the next bytes of the stream and returns how many are done;
	// it wants the others again, with more behind them. At the end of a stream they stay as
	// they are.
	decode(b []byte) int
}

// newFilter makes a filter that is not the last of its chain.
func newFilter(id uint64, properties []byte) (filter, error) {
	if id == filterDelta {
		if len(properties) != 1 {
			return nil, unsupported("delta filter with properties of %d bytes", len(properties))
		}
		return &delta{distance: properties[0] + 1}, nil
	}
	var at, unit uint32
	var convert func([]byte, uint32) int
	switch id {
	case filterX86:
		unit = 1
	case filterPowerPC:
		unit, convert = 4, powerPC
	case filterIA64:
		unit, convert = 16, ia64
	case filterARM:
		unit, convert = 4, arm
	case filterARMThumb:
		unit, convert = 2, armThumb
	case filterSPARC:
		unit, convert = 4, sparc
	case filterARM64:
		unit, convert = 4, arm64
	case filterRISCV:
		unit, convert = 2, riscV
	default:
		return nil, unsupported("xz filter %#x", id)
	}
	switch len(properties) {
	case 0:
	case 4:
		at = binary.LittleEndian.Uint32(properties)
	default:
		return nil, unsupported("xz filter %#x with properties of %d bytes", id, len(properties))
	}
	if at%unit != 0 {
		return nil, unsupported("xz filter %#x with start %#x", id, at)
	}
	if id == filterX86 {
		return &x86{at: at}, nil
	}
	return &branches{at, convert}, nil
}

// delta has bytes as differences to those distance before; 0 is 256.
type delta struct {
	distance byte
	next     byte // where in history the next byte goes
	history  [256]byte
}

func (f *delta) decode(b []byte) int {
	for i := range b {
		b[i] += f.history[f.next-f.distance]
		f.history[f.next] = b[i]
		f.next++
	}
	return len(b)
}

// chainRoom is the length of the buffer of a chain, in bytes: a chunk, the end of a match beyond
// it, and what 3 filters hold back, of which each holds 15 at most.
const chainRoom = chunk + slack + 3*15

// chain undoes several filters one after the other in one buffer.
type chain struct {
	filters []filter // the one that is undone first is first
	buf     []byte
	n       int   // bytes that are in buf
	done    []int // how many of them each filter has done; falling
	given   int   // how many are given out
}

// used reports whether there are filters at all.
func (c *chain) used() bool { return len(c.filters) > 0 }

// open starts a chain of filters. buf has chainRoom bytes.
func (c *chain) open(filters []filter, buf []byte) {
	*c = chain{filters: filters, buf: buf, done: make([]int, len(filters))}
}

// add takes more bytes, a chunk and slack at most, when all that are ready were given out, and returns those
// that became ready.
func (c *chain) add(p []byte) []byte {
	drop := c.given
	copy(c.buf, c.buf[drop:c.n])
	for i := range c.done {
		c.done[i] -= drop
	}
	c.n += copy(c.buf[c.n-drop:], p) - drop
	c.given = 0
	end := c.n
	for i, f := range c.filters {
		c.done[i] += f.decode(c.buf[c.done[i]:end])
		end = c.done[i]
	}
	return c.buf[:end]
}

// flush makes the bytes ready that filters hold at the end of a stream, and returns them. All
// that were ready must be given out.
func (c *chain) flush() []byte {
	for i, f := range c.filters {
		f.decode(c.buf[c.done[i]:c.n])
		c.done[i] = c.n
	}
	return c.buf[c.given:c.n]
}

// ready is how many bytes can be given out.
func (c *chain) ready() int { return c.done[len(c.done)-1] - c.given }

// take gives out bytes that are ready.
func (c *chain) take(p []byte) int {
	n := copy(p, c.buf[c.given:c.given+c.ready()])
	c.given += n
	return n
}

// chainBuffer is the buffer of a chain, which the decoder keeps.
func (d *decoder) chainBuffer() []byte {
	d.filtered = slices.Grow(d.filtered[:0], chainRoom)
	return d.filtered[:chainRoom]
}

package lzma

import "encoding/binary"

// chunks decodes LZMA2: chunks with a header of their own, each LZMA or stored. A control byte
// starts a chunk; 0 ends the stream, 1 and 2 are stored chunks, from 0x80 on bits 5 and 6 are a
// reset and bits 0 to 4 the upper bits of the length.
type chunks struct {
	d          *decoder
	left       int  // bytes that the chunk gives still
	packed     int  // bytes that an LZMA chunk takes still
	coded      bool // the chunk is LZMA
	needDict   bool // a reset of the dictionary must come
	needModels bool // one of the models with new properties
}

// What an LZMA chunk resets, each with what stands before it.
const (
	resetNothing = iota
	resetModels
	resetProperties
	resetDict
)

// open starts a stream.
func (c *chunks) open(d *decoder) { *c = chunks{d: d, needDict: true, needModels: true} }

// more decodes up to a chunk when all output is given out, and reports the end.
func (c *chunks) more() (done bool, err error) {
	if c.left == 0 {
		if done, err = c.header(); done || err != nil {
			return done, err
		}
	}
	d := c.d
	limit, err := d.room()
	if err != nil {
		return false, err
	}
	limit = min(limit, d.o+c.left)
	from := d.o
	if c.coded {
		err = c.symbols(limit)
	} else {
		err = c.copy(limit)
	}
	c.left -= d.o - from
	if c.left < 0 { // the end of a match
		d.o += c.left
		c.left, err = 0, errChunk
	}
	if err == nil && c.left == 0 && c.coded && (c.packed != 0 || d.code != 0) {
		err = errChunk
	}
	return false, err
}

// header takes the header of a chunk.
func (c *chunks) header() (done bool, err error) {
	d := c.d
	if !d.need(1) {
		return false, d.cut()
	}
	control := d.buf[d.pos]
	n, dict, what := 3, control == 1, int(control>>5&3)
	switch {
	case control == 0:
		d.pos++
		return true, nil
	case control >= 0x80:
		if n = 5; what >= resetProperties {
			n = 6
		}
		dict = what == resetDict
	case control > 2:
		return false, errControl
	}
	if !d.need(n) {
		return false, d.cut()
	}
	h := d.peek()[:n]
	d.pos += n
	if dict {
		d.window.reset()
		c.needDict, c.needModels = false, true
	}
	if c.needDict {
		return false, errReset
	}
	c.left = int(binary.BigEndian.Uint16(h[1:])) + 1
	if c.coded = control >= 0x80; !c.coded {
		return false, nil
	}
	c.left += int(control&0x1f) << 16
	c.packed = int(binary.BigEndian.Uint16(h[3:])) + 1
	if what >= resetProperties {
		if h[5] > maxProperties || sumLcLp(h[5]) > 4 {
			return false, errProperties
		}
		d.setProperties(h[5])
		c.needModels = false
	}
	if c.needModels {
		return false, errReset
	}
	if what >= resetModels {
		d.resetState()
	}
	if c.packed < 5 {
		return false, errChunk
	}
	if !d.need(5) {
		return false, d.cut()
	}
	err = d.startCoder(d.peek())
	d.pos += 5
	c.packed -= 5
	return false, err
}

// symbols decodes up to limit, or beyond it by the end of a match.
func (c *chunks) symbols(limit int) error {
	d := c.d
	for {
		from := d.pos
		whole := c.packed <= d.end-from
		s := d.decode(limit, min(d.end, from+c.packed), whole || d.err != nil)
		c.packed -= d.pos - from
		switch s {
		case full:
			return nil
		case starved:
			d.fill()
		case cut:
			if whole {
				return errChunk
			}
			return d.cut()
		case marker:
			return errEndMarker
		default:
			return errTooFar
		}
	}
}

// copy takes bytes of a stored chunk.
func (c *chunks) copy(limit int) error {
	d := c.d
	if !d.need(1) {
		return d.cut()
	}
	n := copy(d.out[d.o:limit], d.peek())
	d.o += n
	d.pos += n
	return nil
}

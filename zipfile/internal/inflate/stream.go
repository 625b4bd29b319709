//go:build !purego

package inflate

import "io"

const (
	maxDistance   = 32 << 10 // how far back a distance reaches, in bytes
	maxDistance64 = 64 << 10
	inputLen      = 64 << 10
)

// window is the state of a stream: the output decoded last, of which some may be still to be
// given out, and input that was read ahead.
type window struct {
	r     io.Reader
	given int   // output before this was given out
	err   error // what Read gives when all output is given out
	lack  error // set when r has no more: what Read gives where the stream goes on
	tail  bool  // the loops may look at what is behind the end of the input
	input []byte
	slide []byte
}

// Stream starts to decode from r, which is read in pieces of up to 64 KiB. The Decoder is the
// stream then: Read gives io.EOF behind the final block. Its memory does not depend on the
// length of the stream. An error of r comes out where the stream needs more than r gave, not when
// it ends before, and behind all that can be made of what r gave: so does [ErrCut].
func (d *Decoder) Stream(r io.Reader) { d.open(r, false) }

// Stream64 is Stream for Deflate64.
func (d *Decoder) Stream64(r io.Reader) { d.open(r, true) }

func (d *Decoder) open(r io.Reader, wide bool) {
	d.r, d.given, d.err, d.lack, d.tail = r, identity, nil, nil, false
	if d.input == nil {
		d.input = make([]byte, inputLen+InSlack)
	}
	if room := identity + history(wide) + chunk + outRoom(wide); len(d.slide) < room {
		d.slide = make([]byte, room)
		fillIdentity(d.slide)
	}
	d.buf, d.pos, d.end, d.stop, d.bb, d.n = d.input, 0, 0, -1, 0, 0
	d.out, d.o, d.limit = d.slide, identity, identity
	d.reset(wide)
}

// history is how much of the output a stream keeps for matches to come, in bytes.
func history(wide bool) int {
	if wide {
		return maxDistance64
	}
	return maxDistance
}

// Read decodes the next bytes of a stream.
func (d *Decoder) Read(p []byte) (int, error) {
	b, err := d.Next(len(p))
	return copy(p, b), err
}

// Next is Read without a copy: it gives up to most of the next bytes of a stream, valid until
// the next call, or an error.
func (d *Decoder) Next(most int) ([]byte, error) { return d.next(most, (*Decoder).block) }

func (d *Decoder) next(most int, block blockLoop) ([]byte, error) {
	for d.given == d.o && d.err == nil {
		d.more(block)
	}
	b := d.out[d.given : d.given+min(most, d.o-d.given)]
	d.given += len(b)
	if len(b) == 0 && most > 0 {
		return nil, d.err
	}
	return b, nil
}

// more decodes up to a chunk when all output was given out.
func (d *Decoder) more(block blockLoop) {
	if h := history(d.wide); d.o > identity+h {
		copy(d.out[identity:], d.out[d.o-h:d.o])
		d.o, d.given = identity+h, identity+h
	}
	d.limit = d.o + chunk
	for {
		run := (*Decoder).run
		if d.tail {
			run = (*Decoder).runTail
		}
		s, err := run(d, block)
		switch {
		case err == nil && s == starved && d.lack == nil:
			d.fill()
			continue
		case err == nil && s == starved && !d.tail:
			d.tail, d.stop = true, d.end+8
			continue
		case s == starved, d.consumed() > d.end:
			d.err = d.lack
		case err != nil:
			d.err = err
		case s == ended:
			d.err = io.EOF
		}
		return
	}
}

// runTail is run where the loops may look at what is behind the end of the input. A block in which
// they took bits from there, or found a fault that may be in these, is decoded again by blockExact.
func (d *Decoder) runTail(block blockLoop) (status, error) {
	for {
		if s, err := d.toCodes(); s != running || err != nil {
			return s, err
		}
		pos, bb, n, o := d.pos, d.bb, d.n, d.o
		s, err := block(d)
		if err != nil || s == starved || d.consumed() > d.end {
			d.pos, d.bb, d.n, d.o, d.kind = pos, bb, n, o, coded
			s, err = d.blockExact()
		}
		if s != running || err != nil {
			return s, err
		}
	}
}

// blockExact is block for the end of the input: it decodes code by code, and none that lacks a bit.
func (d *Decoder) blockExact() (status, error) {
	for d.o < d.limit {
		d.refill()
		e := d.litlen[d.bb&(1<<litlenBits-1)]
		if e&special != 0 && e&specials == subtable {
			d.take(litlenBits)
			e = d.litlen[uint64(e>>startAt&startMask)+d.bb&(1<<(e>>widthAt&widthMask)-1)]
		}
		count := uint(e >> countAt & 63)
		if e&special != 0 && e&specials == invalid {
			count = max(count, 1) // no code begins with that bit
		}
		v := d.take(count)
		if d.consumed() > d.end {
			return starved, nil
		}
		if e&literal != 0 {
			d.out[d.o] = byte(e >> 8)
			d.o++
			continue
		}
		length := int(byte(e>>lengthAt)) + 1
		if e&special != 0 {
			switch e & specials {
			case endOfBlock:
				d.kind = noBlock
				return running, nil
			case invalid:
				return running, errSymbol
			}
			length = int(e>>8&255) + minMatch + v>>(count-uint(e>>extraAt&extraMask))
		}
		if s, err := d.matchExact(length); s != running || err != nil {
			return s, err
		}
	}
	return full, nil
}

// matchExact decodes the distance of a match, and copies it.
func (d *Decoder) matchExact(length int) (status, error) {
	d.refill()
	f := d.dist[d.bb&(1<<distBits-1)]
	if f&distInvalid == distSubtable {
		d.take(distBits)
		f = d.dist[uint64(f>>distStartAt)+d.bb&(1<<(f>>distWidthAt&widthMask)-1)]
	}
	bad := f&distSpecial != 0
	count := uint(f & 63)
	if bad {
		count = max(count, 1)
	}
	v := d.take(count)
	if d.consumed() > d.end {
		return starved, nil
	}
	if bad {
		return running, errSymbol
	}
	distance := int(f>>distBaseAt) + v>>(f>>distCodeAt&63)
	if distance > d.o-identity {
		return running, errTooFar
	}
	for range length {
		d.out[d.o] = d.out[d.o-distance]
		d.o++
	}
	return running, nil
}

// fill reads more input. The decoder stops in front of its end by as much as a header or a step
// takes, so that it never looks at what was not read yet; see tail for the end of it all.
func (d *Decoder) fill() {
	// Whole bytes that bb holds may have to go back (storedHeader).
	back := min(d.pos, 8)
	from := copy(d.input, d.buf[d.pos-back:d.end])
	d.pos, d.end = back, from
	for empty := 0; d.end < inputLen && d.end-from < inputLen/2; {
		m, err := d.r.Read(d.input[d.end:inputLen])
		d.end += m
		if empty++; m > 0 {
			empty = 0
		} else if empty == 100 && err == nil { // in a row, as bufio
			err = io.ErrNoProgress
		}
		if err != nil {
			if d.lack = err; err == io.EOF {
				d.lack = ErrCut
			}
			clear(d.input[d.end:]) // nothing of another input is looked at
			break
		}
	}
	d.stop = d.end - headerRoom
}

// Buffered returns how many bytes were read from the source of a stream and are not used.
func (d *Decoder) Buffered() int { return d.end - d.consumed() }

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
// it ends before; what is made of the last bytes in front of it, some hundred, may be held back.
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
	b := d.out[d.given:min(d.o, d.given+most)]
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
	sure := d.o // output before this was made of bits that are there
	for {
		s, err := d.run(block)
		switch {
		case err == nil && s == starved && d.lack == nil:
			d.fill()
			continue
		case err == nil && s == starved && !d.tail:
			d.tail, d.stop, sure = true, d.end+8, d.o
			continue
		case d.tail && (d.consumed() > d.end || s == starved):
			d.o, d.err = sure, d.lack
		case err != nil && d.tail && d.lack != ErrCut:
			d.err = d.lack // the fault may be in bits that r did not give
		case err != nil:
			d.err = err
		case s == ended:
			d.err = io.EOF
		}
		return
	}
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

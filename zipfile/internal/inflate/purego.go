//go:build purego

package inflate

import (
	"bufio"
	"bytes"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// Decoder decodes one stream at a time, through github.com/klauspost/compress. Take one from the
// pool with [Get] and give it back with Free. It is not safe for concurrent use.
type Decoder struct {
	src  bytes.Reader
	from source
	buf  *bufio.Reader // of from, made when first needed
	r    io.ReadCloser
	one  [1]byte
}

// source is what a stream is read from. It keeps the last error, which may be io.ErrUnexpectedEOF
// as that of a stream that is cut off.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (n int, err error) {
	n, err = s.r.Read(p)
	s.err = err
	return n, err
}

var pool = sync.Pool{New: func() any { return new(Decoder) }}

// Get takes a decoder from the pool.
func Get() *Decoder { return pool.Get().(*Decoder) }

// Free gives the decoder back.
func (d *Decoder) Free() {
	d.src.Reset(nil)
	d.from = source{}
	pool.Put(d)
}

// first is a stream that gives nothing. The decoder of klauspost/compress keeps the table of the
// last code where a block has an empty one, even that of another stream, and so may read a broken
// stream with it. What this one leaves in the tables is of no use: byte 255 and the end of a block
// are no code lengths, and the one distance is 24577 or more.
var first = []byte{0x05, 0xdd, 0x81, 0x08, 0, 0, 0, 0, 0x20, 0x7f, 0xea, 0x27, 0x39}

// reset makes ready to decode from r.
func (d *Decoder) reset(r io.Reader) {
	d.src.Reset(first)
	if d.r == nil {
		d.r = flate.NewReader(&d.src)
	}
	again := d.r.(flate.Resetter)
	again.Reset(&d.src, nil) // its error is for bad dictionaries; there is none
	d.r.Read(d.one[:])
	again.Reset(r, nil)
}

// Decode decodes the stream at the start of src, which must give len(dst) bytes, and returns
// how many bytes of src it takes. On an error dst holds anything.
func (d *Decoder) Decode(dst, src []byte) (used int, err error) {
	d.reset(&d.src)
	d.src.Reset(src)
	n := 0
	for n < len(dst) && err == nil {
		var m int
		m, err = d.r.Read(dst[n:])
		n += m
	}
	for err == nil { // what follows is nothing
		var m int
		if m, err = d.r.Read(d.one[:]); m > 0 {
			err = ErrLong
		}
	}
	used = len(src) - d.src.Len()
	switch {
	case err == io.EOF && n == len(dst):
		err = nil
	case err == io.EOF:
		err = ErrShort
	case err == io.ErrUnexpectedEOF:
		err = ErrCut
	}
	return used, err
}

// Stream starts to decode from r, which is read in large pieces. The Decoder is the stream then:
// Read gives io.EOF behind the final block.
func (d *Decoder) Stream(r io.Reader) {
	d.from = source{r: r}
	if d.buf == nil {
		d.buf = bufio.NewReaderSize(&d.from, chunk)
	} else {
		d.buf.Reset(&d.from)
	}
	d.reset(d.buf)
}

// Read decodes the next bytes of a stream.
func (d *Decoder) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err == io.ErrUnexpectedEOF && d.from.err != err {
		err = ErrCut
	}
	return n, err
}

// Buffered returns how many bytes were read from the source of a stream and are not used.
func (d *Decoder) Buffered() int { return d.buf.Buffered() }

// Pair decodes many entries, one after the other.
type Pair struct {
	d   *Decoder
	out []byte
}

// GetPair makes a Pair.
func GetPair() *Pair { return &Pair{d: Get()} }

// Free gives the Pair back. Nothing that it gave may be used any more.
func (p *Pair) Free() { p.d.Free() }

// Decode decodes the jobs that next gives until it gives none, and calls done for each: with the
// contents, valid until done returns, and how many bytes of the input they take, or with an
// error. No more jobs are begun once done has returned false.
func (p *Pair) Decode(next func() (Job, bool), done func(j Job, out []byte, used int, err error) bool) {
	for {
		j, ok := next()
		if !ok {
			return
		}
		if j.Size < 0 || j.Size/MaxRatio > len(j.Src) { // gets no buffer
			if !done(j, nil, 0, ErrShort) {
				return
			}
			continue
		}
		if len(p.out) < j.Size {
			p.out = make([]byte, j.Size)
		}
		out := p.out[:j.Size:j.Size]
		used, err := p.d.Decode(out, j.Src)
		if err != nil {
			out = nil
		}
		if !done(j, out, used, err) {
			return
		}
	}
}

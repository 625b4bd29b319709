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
	src bytes.Reader
	buf *bufio.Reader // for streams, made when first needed
	r   io.ReadCloser
	one [1]byte
}

var pool = sync.Pool{New: func() any { return new(Decoder) }}

// Get takes a decoder from the pool.
func Get() *Decoder { return pool.Get().(*Decoder) }

// Free gives the decoder back.
func (d *Decoder) Free() {
	d.src.Reset(nil)
	if d.buf != nil {
		d.buf.Reset(nil)
	}
	pool.Put(d)
}

func (d *Decoder) reset(r io.Reader) {
	if d.r == nil {
		d.r = flate.NewReader(r)
		return
	}
	d.r.(flate.Resetter).Reset(r, nil) // its error is for bad dictionaries; there is none
}

// Decode decodes the stream at the start of src, which must give len(dst) bytes, and returns
// how many bytes of src it takes. On an error dst holds anything.
func (d *Decoder) Decode(dst, src []byte) (used int, err error) {
	d.src.Reset(src)
	d.reset(&d.src)
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
		return used, nil
	case err == io.EOF:
		return used, ErrShort
	}
	return used, cut(err)
}

func cut(err error) error {
	if err == io.ErrUnexpectedEOF {
		return ErrCut
	}
	return err
}

// Stream starts to decode from r, which is read in large pieces. The Decoder is the stream then:
// Read gives io.EOF behind the final block.
func (d *Decoder) Stream(r io.Reader) {
	if d.buf == nil {
		d.buf = bufio.NewReaderSize(r, chunk)
	} else {
		d.buf.Reset(r)
	}
	d.reset(d.buf)
}

// Read decodes the next bytes of a stream.
func (d *Decoder) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	return n, cut(err)
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

// Package inflate decodes DEFLATE (RFC 1951) for archives, whose entries have a known size:
// from one buffer to another, and as a stream.
package inflate

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

var (
	// ErrLong: the stream goes on after all the bytes that were declared.
	ErrLong = errors.New("more data than declared")
	// ErrShort: the stream ends before all the bytes that were declared.
	ErrShort = errors.New("less data than declared")
	// ErrCut: the input ends within the stream.
	ErrCut = errors.New("deflate stream is cut off")
)

// Decoder decodes one stream at a time. Decoders are large; take them from the pool with
// [Get] and give them back with Free. A Decoder is not safe for concurrent use.
type Decoder struct {
	src bytes.Reader
	buf *bufio.Reader // for streams, made when first needed
	r   io.ReadCloser
	one [1]byte
}

var pool = sync.Pool{New: func() any { return new(Decoder) }}

// Get takes a decoder from the pool.
func Get() *Decoder { return pool.Get().(*Decoder) }

// Free gives the decoder back. It keeps nothing of what it decoded from.
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
	d.r.(flate.Resetter).Reset(r, nil) // always nil: golang.org/pkg/compress/flate
}

// Decode decodes the stream at the start of src, which must give len(dst) bytes, and returns
// how many bytes of src it takes. On an error dst holds anything.
func (d *Decoder) Decode(dst, src []byte) (used int, err error) {
	d.src.Reset(src)
	d.reset(&d.src)
	n, err := io.ReadFull(d.r, dst)
	if err == nil {
		err = d.end()
	} else {
		err = d.ended(err, n)
	}
	return len(src) - d.src.Len(), err
}

// end reads what follows the last declared byte: nothing.
func (d *Decoder) end() error {
	for {
		n, err := d.r.Read(d.one[:])
		switch {
		case n > 0:
			return ErrLong
		case err == io.EOF:
			return nil
		case err != nil:
			return cut(err)
		}
	}
}

// ended explains why io.ReadFull came back early: it turns the stream's proper end into
// io.ErrUnexpectedEOF, which is also what the stream says of input that ends too early.
func (d *Decoder) ended(err error, n int) error {
	if err == io.EOF {
		return ErrShort
	}
	if err == io.ErrUnexpectedEOF && n > 0 {
		if _, again := d.r.Read(d.one[:]); again == io.EOF {
			return ErrShort
		}
	}
	return cut(err)
}

func cut(err error) error {
	if err == io.ErrUnexpectedEOF {
		return ErrCut
	}
	return err
}

const streamBuffer = 64 << 10

// Stream starts to decode from r, which is read in large pieces. The Decoder is the stream:
// Read gives io.EOF after the final block.
func (d *Decoder) Stream(r io.Reader) {
	if d.buf == nil {
		d.buf = bufio.NewReaderSize(r, streamBuffer)
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

// Package shrink decodes zip method 1, Shrink (APPNOTE 5.1): LZW with codes of 9 to 13 bits,
// whose table is cleared in part when it is full.
//
//	r := shrink.NewReader(src, size)
//	defer r.Free()
//	_, err := io.Copy(dst, r)
//
// The compressor decides when codes get wider and when the table is cleared: code 256 followed by
// 1 or 2. Clearing takes out every code that is not the prefix of another one. It spares not even
// the code that was read last, though the next one to enter the table has that as its prefix: see
// table.clear for what this leads to.
package shrink

import (
	"errors"
	"io"
	"sync"
)

// Reader decodes one entry. It is for one goroutine at a time.
type Reader struct {
	d *decoder // nil once freed
}

var errFreed = errors.New("read after free")

var pool = sync.Pool{New: func() any { return new(decoder) }}

// NewReader starts to decode size bytes from r, of which it reads nothing yet. It takes about 235
// KiB from a pool, whatever the size.
func NewReader(r io.Reader, size int64) *Reader {
	d := pool.Get().(*decoder)
	d.reset(r, size)
	return &Reader{d}
}

// Read decodes the next bytes and ends with io.EOF behind size bytes. If the input ends before
// that, the error is io.ErrUnexpectedEOF; an error of the input comes as it is; any other one
// says what is wrong with the data. What was decoded before an error is given out first.
//
// The input is read in pieces of up to 16 KiB; for no bytes, none is.
func (z *Reader) Read(p []byte) (int, error) {
	d := z.d
	if d == nil {
		return 0, errFreed
	}
	if len(p) == 0 {
		return 0, nil
	}
	for d.given == d.o && d.err == nil {
		d.err = d.run()
	}
	n := copy(p, d.win[d.given:d.o])
	d.given += uint(n)
	if n == 0 {
		return 0, d.err
	}
	return n, nil
}

// Buffered returns how many bytes were read from the input and are not used. A byte of which some
// bits are used counts as used.
func (z *Reader) Buffered() int {
	if z.d == nil {
		return 0
	}
	return z.d.in.Unused()
}

// Free gives the memory back. The Reader is of no use after that, and freeing it again does
// nothing.
func (z *Reader) Free() {
	if z.d != nil {
		z.d.in.Reset(nil)
		pool.Put(z.d)
		z.d = nil
	}
}

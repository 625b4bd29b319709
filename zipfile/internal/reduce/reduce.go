// Package reduce decodes zip methods 2 to 5, Reduce with the factors 1 to 4 (APPNOTE 5.2; reading
// it is called expanding there).
//
//	r := reduce.NewReader(src, size, int(method)-1)
//	defer r.Free()
//	_, err := io.Copy(dst, r)
//
// There are two layers. The outer one codes a byte by the one before it: the input starts with up
// to 32 likely followers of each byte, and one of them takes a few bits only. The inner one is
// LZ77: byte 144 starts a copy of earlier output, whose length and distance are in the one to
// three bytes behind it, and 144 followed by 0 is 144 itself. The factor shares out the first of
// these bytes between length and distance.
package reduce

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

// Reader decodes one entry. It is for one goroutine at a time.
type Reader struct {
	d *decoder // nil once freed
}

var errFreed = errors.New("read after free")

var pool = sync.Pool{New: func() any { return new(decoder) }}

// NewReader starts to decode size bytes from r, of which it reads nothing yet. The factor is 1 to
// 4, the method less 1; with any other one, Read gives an error. The Reader takes about 95 KiB
// from a pool, whatever the size.
func NewReader(r io.Reader, size int64, factor int) *Reader {
	d := pool.Get().(*decoder)
	d.reset(r, size)
	if factor < 1 || factor > 4 {
		d.err = fmt.Errorf("factor %d is not 1 to 4", factor)
		return &Reader{d}
	}
	d.lenMask, d.highShift = 0xff>>factor, uint(factor)
	return &Reader{d}
}

// Read decodes the next bytes and ends with io.EOF behind size bytes. If the input ends before
// that, the error is io.ErrUnexpectedEOF; an error of the input comes as it is; any other one
// says what is wrong with the data. What was decoded before an error is given out first.
//
// The input is read in pieces of up to 16 KiB; for no bytes, none is, not even the followers.
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

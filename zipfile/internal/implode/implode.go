// Package implode decodes zip method 6, Implode (APPNOTE 5.3; reading it is called exploding
// there): LZ77 over 4 or 8 KiB, with two or three Shannon-Fano trees in front of the data.
//
//	r := implode.NewReader(src, size, flags)
//	defer r.Free()
//	_, err := io.Copy(dst, r)
//
// Two general purpose bits of the entry's header say how it was made: bit 1, that copies reach
// back 8 KiB, not 4; bit 2, that literals have a tree too. With that the shortest copy is of 3
// bytes, otherwise of 2.
//
// PKZIP 1.01 and 1.02 go by bit 1 for the shortest copy, not bit 2, both ways. Entries of theirs
// with only one of the bits set are not what they say, and nothing in them tells that they are
// such: they are decoded as all later programs do, and come out with a wrong checksum.
package implode

import (
	"errors"
	"io"
	"sync"
)

// General purpose bits of the header.
const (
	Dictionary8K = 1 << 1
	LiteralTree  = 1 << 2
)

// Reader decodes one entry. It is for one goroutine at a time.
type Reader struct {
	d *decoder // nil once freed
}

var errFreed = errors.New("read after free")

var pool = sync.Pool{New: func() any { return new(decoder) }}

// NewReader starts to decode size bytes from r, of which it reads nothing yet. Of the flags, the
// general purpose bits of the header, only Dictionary8K and LiteralTree matter. The Reader takes
// about 60 KiB from a pool, whatever the size.
func NewReader(r io.Reader, size int64, flags uint16) *Reader {
	d := pool.Get().(*decoder)
	d.reset(r, size, flags)
	return &Reader{d}
}

// Read decodes the next bytes and ends with io.EOF behind size bytes. If the input ends before
// that, the error is io.ErrUnexpectedEOF; an error of the input comes as it is; any other one
// says what is wrong with the data. What was decoded before an error is given out first.
//
// The input is read in pieces of up to 16 KiB; for no bytes, none is, not even the trees.
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

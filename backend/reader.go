package backend

import (
	"io"
	"io/fs"
)

// ReaderAt returns a Backend of the first size bytes of r, which must be safe for
// concurrent reads as [io.ReaderAt] demands; a negative size counts as 0. Close
// waits for running reads, then closes r if it is an [io.Closer]: r need not bear
// being closed under a read, and its ReadAt must not call Close.
//
// Errors of r are passed on. Where r ends before size the error is
// [io.ErrUnexpectedEOF].
func ReaderAt(r io.ReaderAt, size int64) Backend {
	return &reader{r: r, size: max(size, 0)}
}

type reader struct {
	guard guard
	r     io.ReaderAt
	size  int64
}

var _ Backend = (*reader)(nil)

func (b *reader) ReadAt(p []byte, off int64) (int, error) {
	if !b.guard.enter() {
		return 0, fs.ErrClosed
	}
	defer b.guard.leave() // deferred, since r may panic
	q, end := clip(p, off, b.size)
	if len(q) == 0 {
		return 0, end
	}
	n, err := b.r.ReadAt(q, off)
	if n == len(q) {
		return n, end // r may have said io.EOF at its end
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (b *reader) Size() int64 { return b.size }

func (b *reader) Close() error {
	if !b.guard.close() {
		return nil
	}
	if c, ok := b.r.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Unwrap returns r where it is a Backend, else nil.
func (b *reader) Unwrap() Backend {
	inner, _ := b.r.(Backend)
	return inner
}

func (b *reader) describe() Info { return Info{Name: "reader", Reason: "given as an io.ReaderAt"} }

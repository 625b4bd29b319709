package backend

import (
	"io"
	"io/fs"
	"sync/atomic"
)

// pread reads with positioned reads, each a system call, and holds no lock of its
// own: os.File keeps the descriptor open until the last read has left.
type pread struct {
	file
	closed atomic.Bool
}

var _ Backend = (*pread)(nil)

func (b *pread) ReadAt(p []byte, off int64) (int, error) {
	// Not left to os.File: it lets a read of no bytes of a closed file pass, and none
	// may be all that is left after clipping.
	if b.closed.Load() {
		return 0, readError(b.name, off, fs.ErrClosed, nil)
	}
	return b.read(p, off)
}

// read is a positioned read.
func (f *file) read(p []byte, off int64) (int, error) {
	q, end := f.clip(p, off)
	if len(q) == 0 {
		return 0, end
	}
	n, err := f.handle.ReadAt(q, off)
	if err == nil {
		return n, end
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // the file was longer when it was opened
	}
	return n, f.failed(off+int64(n), err)
}

// ReadOnce is b.ReadAt for bytes that are looked at once. Of a mapped file it reads
// past the mapping, whose pages, once touched, count as memory of the program.
func ReadOnce(b Backend, p []byte, off int64) (int, error) {
	if r, ok := b.(interface {
		ReadOnce(p []byte, off int64) (int, error)
	}); ok {
		return r.ReadOnce(p, off)
	}
	return b.ReadAt(p, off)
}

func (b *pread) Close() error {
	if !b.closed.CompareAndSwap(false, true) {
		return nil
	}
	return b.named(b.handle.Close())
}

func (b *pread) describe() Info { return b.info(Pread) }

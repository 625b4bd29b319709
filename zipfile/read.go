package zipfile

import (
	"errors"
	"io"
	"io/fs"
	"sync"

	"zipcat.dev/backend"
)

// readAt fills p with the bytes at off. A read that meets the old backend of a SwitchBackend
// after its close is done again on the new one.
func (z *ZipFile) readAt(p []byte, off int64) error { return z.read(p, off, backend.Backend.ReadAt) }

// readOnce is readAt for what is looked at once.
func (z *ZipFile) readOnce(p []byte, off int64) error { return z.read(p, off, backend.ReadOnce) }

func (z *ZipFile) read(p []byte, off int64, how func(b backend.Backend, p []byte, off int64) (int, error)) error {
	for {
		if z.closed.Load() {
			return fs.ErrClosed
		}
		b := z.current.Load()
		n, err := how(*b, p, off)
		switch {
		case n == len(p):
			return nil
		case err == nil || err == io.EOF:
			return io.ErrUnexpectedEOF
		case errors.Is(err, fs.ErrClosed) && z.current.Load() != b:
			continue
		}
		return err
	}
}

// buffer is scratch memory that is used again.
type buffer struct{ b []byte }

// keepBuffer is the largest buffer that goes back to the pool, in bytes: one large entry must
// not pin its memory.
const keepBuffer = 1 << 20

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// getBuffer returns a buffer of n bytes with arbitrary contents.
func getBuffer(n int) *buffer {
	b := buffers.Get().(*buffer)
	if cap(b.b) < n {
		b.b = make([]byte, n, roundUp(n))
	}
	b.b = b.b[:n]
	return b
}

func (b *buffer) free() {
	if cap(b.b) <= keepBuffer {
		buffers.Put(b)
	}
}

// roundUp leaves room so that entries of similar size share a buffer.
func roundUp(n int) int {
	const least = 16 << 10
	size := least
	for size < n && size < keepBuffer {
		size *= 2
	}
	return max(size, n)
}

// window reads a file from front to back in large pieces and gives out short runs of it.
type window struct {
	read func(p []byte, off int64) error
	size int64 // of the file, bytes
	buf  []byte
	off  int64 // of buf in the file
	n    int   // bytes of buf that are filled
}

// buffered returns how many bytes from off on are in the buffer.
func (w *window) buffered(off int64) int {
	if off < w.off || off >= w.off+int64(w.n) {
		return 0
	}
	return int(w.off + int64(w.n) - off)
}

// bytes returns n bytes at off, valid until the next call. The caller keeps off+n within the
// file and n within the buffer.
func (w *window) bytes(off int64, n int) ([]byte, error) {
	if off < w.off || off+int64(n) > w.off+int64(w.n) {
		m := int(min(int64(len(w.buf)), w.size-off))
		w.n = 0
		if err := w.read(w.buf[:m], off); err != nil {
			return nil, err
		}
		w.off, w.n = off, m
	}
	i := off - w.off
	return w.buf[i : i+int64(n)], nil
}

// view calls fn with the n bytes at off: those of the backend where it lends them, else a
// copy. fn must not keep them, and must not call into the program that uses this package.
func (z *ZipFile) view(off int64, n int, fn func(b []byte) error) error {
	if z.closed.Load() {
		return fs.ErrClosed
	}
	// What lends its bytes was not opened by path, so that it is never switched.
	if v, ok := z.backend().(backend.Viewer); ok {
		return v.View(off, n, fn)
	}
	buf := getBuffer(n)
	defer buf.free()
	if err := z.readAt(buf.b, off); err != nil {
		return err
	}
	return fn(buf.b)
}

package backend

import (
	"io/fs"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"

	"golang.org/x/exp/mmap"
)

// mapped copies out of a read-only mapping of the whole file.
//
// It is no Viewer, for a slice of the mapping could fault in the code that it was
// lent to. Here a fault becomes the error of the read. There is none where the
// file was cut within its last page: what is missing there reads as zeros, and
// only a checksum can tell. The guard keeps Close from unmapping under a read,
// which could hit an unrelated mapping made since.
type mapped struct {
	file  // its descriptor, beside the one that mmap closed, is for Changed
	guard guard
	data  *mmap.ReaderAt
}

var _ Backend = (*mapped)(nil)

// mapFile maps the file that o has open and that path leads to, through open, which
// is [mmap.Open] but in tests. It is ErrChanged when path led elsewhere meanwhile.
func mapFile(o *file, path string, open func(path string) (*mmap.ReaderAt, error)) (*mmap.ReaderAt, error) {
	data, err := open(path)
	if err != nil {
		if _, ok := err.(*fs.PathError); !ok {
			err = &fs.PathError{Op: "mmap", Path: o.name, Err: err}
		}
		return nil, o.named(err)
	}
	// mmap.Open opens the path for itself. The path led to our file when that was opened; if it
	// does so now, what was mapped is that file, unless it was exchanged and put back in between.
	fi, err := os.Stat(path)
	if err == nil && os.SameFile(o.was, fi) && int64(data.Len()) == o.size {
		return data, nil
	}
	data.Close()
	return nil, &fs.PathError{Op: "mmap", Path: o.name, Err: ErrChanged}
}

func (b *mapped) ReadAt(p []byte, off int64) (int, error) {
	if !b.guard.enter() {
		return 0, readError(b.name, off, fs.ErrClosed, nil)
	}
	defer b.guard.leave() // deferred, since a panic may pass through
	q, end := b.clip(p, off)
	if len(q) == 0 {
		return 0, end
	}
	n, err := b.readMapping(q, off)
	if err != nil {
		return n, b.failed(off, err)
	}
	return n, end
}

// ReadOnce reads past the mapping, see the function ReadOnce.
func (b *mapped) ReadOnce(p []byte, off int64) (int, error) {
	if !b.guard.enter() {
		return 0, readError(b.name, off, fs.ErrClosed, nil)
	}
	defer b.guard.leave()
	return b.read(p, off)
}

// readMapping fills p from off. A fault on the side of the mapping becomes an error, and
// how many bytes were copied until then is not known.
func (b *mapped) readMapping(p []byte, off int64) (n int, err error) {
	// The setting is the goroutine's, so it is put back before anything else runs.
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if r := recover(); r != nil {
			if !faultOutside(p, r) {
				panic(r)
			}
			n, err = 0, ErrFault
		}
	}()
	n = head(p, uintptr(off)) // the mapping begins at a page
	if n > 0 {
		b.data.ReadAt(p[:n], off) // within the mapping, as p is clipped
	}
	m, err := b.data.ReadAt(p[n:], off+int64(n))
	return n + m, err
}

// faultOutside reports whether a recovered value is a fault at an address that
// does not belong to p. A fault within p, which may be a mapping too, is the
// caller's.
func faultOutside(p []byte, recovered any) bool {
	fault, ok := recovered.(interface {
		runtime.Error
		Addr() uintptr
	})
	if !ok {
		return false
	}
	start := reflect.ValueOf(p).Pointer()
	return fault.Addr()-start >= uintptr(len(p)) // a lower address wraps around
}

func (b *mapped) Close() error {
	if !b.guard.close() {
		return nil
	}
	err := b.data.Close()
	if err != nil {
		err = &fs.PathError{Op: "munmap", Path: b.name, Err: err}
	}
	if ferr := b.handle.Close(); err == nil {
		err = b.named(ferr)
	}
	return err
}

func (b *mapped) describe() Info { return b.info(Mapped) }

package backend

import "os"

// Changed asks whether the open file of b is still what it was when b was made.
// It returns nil, [ErrChanged], or the error that kept it from finding out, which
// after Close wraps [io/fs.ErrClosed].
//
// It compares size and modification time, and so misses a write of equal length
// within one tick of the file system's clock. A file that was deleted, or replaced
// under its name, is unchanged: b still reads the old one. A Backend without a
// file is unchanged unless it says otherwise, see [Backend].
func Changed(b Backend) error {
	for c := b; c != nil; c = unwrap(c) {
		if d, ok := c.(interface{ Changed() error }); ok {
			return d.Changed()
		}
	}
	return nil
}

// Changed compares the open file with what it was, as the function Changed
// says.
func (f *file) Changed() error {
	fi, err := f.handle.Stat()
	if err != nil {
		return f.named(err)
	}
	if !unwritten(f.was, fi) {
		return ErrChanged
	}
	return nil
}

// unwritten reports whether size and time are the same. A write within the
// granularity of the file system's clock goes unseen.
func unwritten(a, b os.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

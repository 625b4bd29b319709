package backend

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// file is an open file with what was known of it when it was opened.
type file struct {
	handle *os.File
	name   string      // as the caller gave it, for errors
	path   string      // the same made absolute, for Reopen; empty where that failed
	was    os.FileInfo // identity, size and time
	size   int64
	asked  Kind
	reason string // why it is read the way it is
}

// openFile opens the named file for reading. was, where not nil, is what it must
// still be.
func openFile(name string, was os.FileInfo) (file, error) {
	// Opening a FIFO blocks until it has a writer, and opening a device may do
	// anything, so the path is looked at first.
	fi, err := os.Stat(name)
	if err != nil {
		return file{}, err
	}
	if err := admit(fi, was); err != nil {
		return file{}, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f, err := os.Open(name)
	if err != nil {
		return file{}, err
	}
	o, err := examine(f, was)
	if err != nil {
		f.Close()
		return file{}, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	o.name = name
	o.path, err = filepath.Abs(name)
	if err != nil {
		o.path = ""
	}
	return o, nil
}

// examine looks again at what was opened, for the path may have come to lead
// elsewhere, and keeps what is seen.
func examine(f *os.File, was os.FileInfo) (file, error) {
	fi, err := f.Stat()
	if err != nil {
		return file{}, err
	}
	if err := admit(fi, was); err != nil {
		return file{}, err
	}
	o := file{handle: f, was: fi, size: fi.Size()}
	if o.block() {
		// Stat gives no size for a device.
		o.size, err = f.Seek(0, io.SeekEnd)
		if err != nil {
			return file{}, err
		}
	}
	return o, nil
}

// admit refuses what is not the file wanted, or no file whose bytes have
// positions.
func admit(fi, was os.FileInfo) error {
	if was != nil && !(os.SameFile(was, fi) && unwritten(was, fi)) {
		return ErrChanged
	}
	if m := fi.Mode(); !m.IsRegular() && !isBlock(m) {
		return fmt.Errorf("%s, neither a regular file nor a block device: %w", typeName(m), fs.ErrInvalid)
	}
	return nil
}

// unwritten reports whether size and time are the same. A write within the
// granularity of the file system's clock goes unseen.
func unwritten(a, b os.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

func typeName(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a character device"
	}
	return "a file of type " + m.Type().String()
}

func isBlock(m fs.FileMode) bool {
	return m&(fs.ModeDevice|fs.ModeCharDevice) == fs.ModeDevice
}

func (f *file) block() bool { return isBlock(f.was.Mode()) }

// Size returns the size in bytes when the file was opened.
func (f *file) Size() int64 { return f.size }

// Changed compares the open file with what it was, as the function Changed
// says.
func (f *file) Changed() error {
	fi, err := f.handle.Stat()
	if err != nil {
		return err
	}
	if !unwritten(f.was, fi) {
		return ErrChanged
	}
	return nil
}

// failed returns the error of a read at off that failed with err.
func (f *file) failed(off int64, err error) error {
	changed := f.Changed()
	if changed != ErrChanged {
		changed = nil // that Stat failed too explains nothing
	}
	return readError(f.name, off, err, changed)
}

// opened gives Reopen the file behind a backend.
func (f *file) opened() *file { return f }

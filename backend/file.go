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
	name   string      // as the caller gave it to Open, for errors
	path   string      // the same made absolute then, for Reopen; empty where that failed
	was    os.FileInfo // identity, size and time
	size   int64
	asked  Kind
	reason string // why it is read the way it is
}

// origin is a file that is to be opened.
type origin struct {
	name string      // what errors call it
	path string      // where it is looked for
	was  os.FileInfo // what it must still be, nil: anything
}

// openFile opens a file for reading.
func openFile(from origin) (file, error) {
	// Opening a FIFO blocks until it has a writer, and opening a device may do
	// anything, so the path is looked at first.
	fi, err := os.Stat(from.path)
	if err != nil {
		return file{}, named(err, from.name)
	}
	if err := admit(fi, from.was); err != nil {
		return file{}, &fs.PathError{Op: "open", Path: from.name, Err: err}
	}
	f, err := os.Open(from.path)
	if err != nil {
		return file{}, named(err, from.name)
	}
	o, err := examine(f, from.was)
	if err != nil {
		f.Close()
		if pe, ok := err.(*fs.PathError); ok {
			err = pe.Err
		}
		return file{}, &fs.PathError{Op: "open", Path: from.name, Err: err}
	}
	o.name = from.name
	o.path, err = filepath.Abs(from.path)
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

// clip is the function clip with an error that names the file.
func (f *file) clip(p []byte, off int64) ([]byte, error) {
	q, err := clip(p, off, f.size)
	if off < 0 {
		err = &fs.PathError{Op: "read", Path: f.name, Err: err} // which says the offset
	}
	return q, err
}

// named puts the name of the file into an error of package os.
func (f *file) named(err error) error { return named(err, f.name) }

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

package backend

import (
	"errors"
	"fmt"
	"io/fs"
)

// ErrFault is wrapped by the error of a read from a mapping whose file could not
// give the bytes: it was cut short under the mapping, or its disk or server
// failed.
var ErrFault = errors.New("fault in a mapped file")

// ErrChanged means that a file is not what it was when it was opened.
var ErrChanged = errors.New("file changed since it was opened")

// readError adds to the error of a read at off what the backend of an open file
// knows. changed is nil where nothing suggests that the file is another.
func readError(name string, off int64, err, changed error) error {
	// What os adds is said once, by the fs.PathError made here.
	if pe, ok := err.(*fs.PathError); ok {
		err = pe.Err
	}
	if changed != nil {
		err = fmt.Errorf("at offset %d: %w: %w", off, err, changed)
	} else {
		err = fmt.Errorf("at offset %d: %w", off, err)
	}
	return &fs.PathError{Op: "read", Path: name, Err: err}
}

// named returns an error of package os with name for the path that was used, so that
// a file has one name in all errors.
func named(err error, name string) error {
	if pe, ok := err.(*fs.PathError); ok {
		return &fs.PathError{Op: pe.Op, Path: name, Err: pe.Err}
	}
	return err
}

func negativeOffset(off int64) error {
	return fmt.Errorf("negative offset %d: %w", off, fs.ErrInvalid)
}

func negativeLength(n int64) error {
	return fmt.Errorf("negative length %d: %w", n, fs.ErrInvalid)
}

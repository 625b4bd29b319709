package backend

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
)

// Spool reads r to its end and gives what came as a Backend: for standard input, the body of a
// response, and what else can be read once only and from front to back. Up to memory bytes (below 0 is
// 0) stay in memory, as by [Bytes]; while they come in they may take up to three times as much. More goes
// to a temporary file in [os.TempDir], which Close removes. Where the system allows that the file has no
// name from the start, so that no end of the program leaves it behind. Spool sets no limit: an endless r
// fills the disk; [io.LimitReader] bounds it.
//
// The error is that of r, or of the file. r is not closed.
func Spool(r io.Reader, memory int64) (Backend, error) {
	memory = min(max(memory, 0), math.MaxInt64-1)
	var head bytes.Buffer
	n, err := io.Copy(&head, io.LimitReader(r, memory+1))
	if err != nil {
		return nil, err
	}
	if n <= memory {
		b := head.Bytes()
		if cap(b)-len(b) > len(b)/4 {
			b = bytes.Clone(b)
		}
		return Bytes(b), nil
	}
	f, err := newScratchFile()
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	size, err := io.Copy(f, io.MultiReader(&head, r))
	if err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok && pe.Path == f.Name() {
			err = fmt.Errorf("temporary file: %w", err)
		}
		f.Close()
		return nil, err
	}
	return ReaderAt(f, size), nil
}

// scratchFile is a file that goes away when it is closed.
type scratchFile struct {
	*os.File
	removed bool
}

func newScratchFile() (*scratchFile, error) {
	f, err := os.CreateTemp("", "zipcat-*")
	if err != nil {
		return nil, err
	}
	return &scratchFile{f, runtime.GOOS != "windows" && os.Remove(f.Name()) == nil}, nil
}

func (f *scratchFile) Close() error {
	err := f.File.Close()
	if !f.removed {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

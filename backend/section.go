package backend

import (
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"
)

// Section returns the n bytes of b at off as a Backend, which is a [Viewer] where
// b is one. off and n that do not lie within b are an error.
//
// Close closes the section alone: b stays open, and must stay so while the section
// is read. Errors of b are passed on and speak of offsets in b.
func Section(b Backend, off, n int64) (Backend, error) {
	size := b.Size()
	if off < 0 || n < 0 || off > size || n > size-off {
		return nil, fmt.Errorf("section of %d bytes at offset %d is not within %d bytes: %w", n, off, size, fs.ErrInvalid)
	}
	if v, ok := b.(Viewer); ok {
		return &viewSection{section{b: b, off: off, n: n}, v}, nil
	}
	return &section{b: b, off: off, n: n}, nil
}

type section struct {
	b      Backend
	off, n int64
	closed atomic.Bool
}

// viewSection is a type of its own, so that a section of what is no Viewer does
// not look like one.
type viewSection struct {
	section
	v Viewer
}

var (
	_ Backend = (*section)(nil)
	_ Viewer  = (*viewSection)(nil)
)

func (s *section) ReadAt(p []byte, off int64) (int, error) {
	if s.closed.Load() {
		return 0, fs.ErrClosed
	}
	q, end := clip(p, off, s.n)
	if len(q) == 0 {
		off = 0 // b is asked even for no bytes, for it may be closed; the sum below must stay within it
	}
	n, err := s.b.ReadAt(q, s.off+off)
	if n == len(q) && (err == nil || err == io.EOF) {
		return n, end
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // b had the bytes when the section was made
	}
	return n, err
}

func (s *viewSection) View(off int64, n int, fn func(b []byte) error) error {
	if s.closed.Load() {
		return fs.ErrClosed
	}
	if err := checkView(off, n, s.n); err != nil {
		return err
	}
	return s.v.View(s.off+off, n, fn)
}

func (s *section) Size() int64 { return s.n }

func (s *section) Close() error {
	s.closed.Store(true)
	return nil
}

// Unwrap returns the Backend that s is a section of.
func (s *section) Unwrap() Backend { return s.b }

func (s *section) describe() Info {
	in := Describe(s.b)
	if in.Name == "section" {
		return in // say what the outermost one is a section of
	}
	return Info{Name: "section", Reason: fmt.Sprintf("part of a %s backend (%s)", in.Name, in.Reason)}
}

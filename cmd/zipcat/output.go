package main

import (
	"bufio"
	"io"
)

// output is standard output, buffered. It keeps the first error, after which nothing more is
// written, so that printing needs no check at every line: commands ask failed in their loops.
type output struct {
	*bufio.Writer
	err error
}

func newOutput(w io.Writer) *output {
	o := new(output)
	o.Writer = bufio.NewWriterSize(writerFunc(func(p []byte) (int, error) {
		if o.err != nil {
			return 0, o.err
		}
		n, err := w.Write(p)
		if err == nil && n < len(p) {
			err = io.ErrShortWrite
		}
		o.err = err
		return n, err
	}), 64<<10)
	return o
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// failed reports whether nothing more can be written.
func (o *output) failed() bool { return o.err != nil }

package main

import (
	"bufio"
	"io"
)

// output is standard output, buffered. It keeps the first error, after which nothing more is
// written, so that printing needs no check at every line: commands ask failed in their loops.
type output struct {
	*bufio.Writer
	err     error
	divided bool         // there was a group
	hold    func(string) // if not nil, takes the first line between groups
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

// divide prints a line between groups, which comes before each group but the first of the run.
func (o *output) divide(line string) {
	switch {
	case o.divided:
		o.WriteString(line)
	case o.hold != nil:
		o.hold(line)
	}
	o.divided = true
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// failed reports whether nothing more can be written.
func (o *output) failed() bool { return o.err != nil }

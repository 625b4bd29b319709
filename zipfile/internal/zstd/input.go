package zstd

import "io"

const (
	inputLen = 64 << 10 // bytes read at a time, at most, while blocks are no longer
	longLen  = 192 << 10
	// front is room before the input, and back behind it, in bytes. Streams of bits are read backwards
	// and by 8, so that the last of them takes in bytes before the input, which mean nothing;
	// literals are copied by 16.
	front = 8
	back  = 32
)

// input is what was read from r and not used yet: buf[pos:end].
type input struct {
	r   io.Reader
	err error // of r, where it has no more
	buf []byte
	pos int
	end int
}

func (in *input) open(r io.Reader) {
	in.r, in.err, in.pos, in.end = r, nil, front, front
}

// need reads until at least n bytes are there, of the header and the data of a block at most, and reports
// whether they are.
func (in *input) need(n int) bool {
	if in.end-in.pos < n && in.err == nil {
		in.fill(n)
	}
	return in.end-in.pos >= n
}

func (in *input) fill(n int) {
	buf := in.buf
	if length := front + inputLen + back; len(buf) < front+n+back {
		if n > inputLen {
			length = front + longLen + back
		}
		buf = make([]byte, length)
	}
	in.end = front + copy(buf[front:], in.buf[min(in.pos, len(in.buf)):min(in.end, len(in.buf))])
	in.pos, in.buf = front, buf
	for empty := 0; in.end-front < n; {
		m, err := in.r.Read(buf[in.end : len(buf)-back])
		in.end += m
		if empty++; m > 0 {
			empty = 0
		} else if empty == 100 && err == nil { // in a row, as bufio
			err = io.ErrNoProgress
		}
		if err != nil {
			in.err = err
			return
		}
	}
}

// peek is what was read and not used, without using it.
func (in *input) peek() []byte { return in.buf[min(in.pos, len(in.buf)):min(in.end, len(in.buf))] }

// cut is the error where bytes are wanted and there are none.
func (in *input) cut() error {
	if in.err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return in.err
}

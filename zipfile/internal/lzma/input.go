package lzma

import "io"

const (
	inputLen = 64 << 10
	// lookahead is more than a symbol takes, in bytes. The longest is a match with 22 bits of which
	// each costs 6.05 bits at most (a probability of 31/2048 or more) and 26 direct bits: 20 bytes,
	// and one that is read ahead.
	lookahead = 32
)

// input is what was read from r and not used yet: buf[pos:end]. The decoder may run beyond the
// end by up to lookahead bytes, but throws away what it makes of them. buf has the length that
// an uint16 can index.
type input struct {
	r     io.Reader
	err   error // of r, where it has no more
	pos   int
	end   int
	total int64 // bytes used before buf[0]
	buf   [inputLen]byte
}

func (in *input) open(r io.Reader) {
	in.r, in.err, in.pos, in.end, in.total = r, nil, 0, 0, 0
}

// offset is how many bytes are used, counted from the beginning.
func (in *input) offset() int64 { return in.total + int64(in.pos) }

// fill reads at least one byte more, or sets err. There must be room: less than a lookahead is
// left, or little more.
func (in *input) fill() {
	if in.err != nil {
		return
	}
	if in.pos > 0 {
		copy(in.buf[:], in.buf[in.pos:in.end])
		in.total += int64(in.pos)
		in.end -= in.pos
		in.pos = 0
	}
	for range 100 { // in a row without a byte, as bufio
		n, err := in.r.Read(in.buf[in.end : inputLen-lookahead])
		in.end += n
		if in.err = err; n > 0 || err != nil {
			return
		}
	}
	in.err = io.ErrNoProgress
}

// need reads until at least n bytes are there, at most 2048, and reports whether they are.
func (in *input) need(n int) bool {
	for in.end-in.pos < n && in.err == nil {
		in.fill()
	}
	return in.end-in.pos >= n
}

// peek is what was read and not used, without using it. It is good until the next need or fill.
func (in *input) peek() []byte { return in.buf[in.pos:in.end] }

// cut is the error where bytes are wanted and there are none.
func (in *input) cut() error {
	if in.err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return in.err
}

// unused is how many bytes were read from r and not used.
func (in *input) unused() int { return max(in.end-in.pos, 0) }

package extract

import (
	"bytes"
	"context"
	"io"
)

const (
	// holeMin is the shortest run of zeros that is left out, in bytes: a shorter one costs the file
	// system more to remember than it saves.
	holeMin = 64 << 10
	// holeBlock is what runs are counted in, from the start of the file.
	holeBlock = 4 << 10
)

// sink writes to a file until the context is done, and tells its errors from those of what
// writes to it. Long runs of zeros become holes.
type sink struct {
	ctx   context.Context
	file  output
	holes holer // the file, nil for one that is to have none
	wrote func(n int)
	off   int64 // of what comes next, from the start of the file
	zeros int64 // that end there and are not written
	err   error
}

// holer is a file that can have holes.
type holer interface {
	io.Seeker
	Truncate(size int64) error
}

func newSink(ctx context.Context, file output, size int64, wrote func(n int)) *sink {
	s := &sink{ctx: ctx, file: file, wrote: wrote}
	if size >= holeMin {
		s.holes, _ = file.(holer)
	}
	return s
}

func (s *sink) Write(p []byte) (n int, err error) {
	if s.err = s.ctx.Err(); s.err != nil {
		return 0, s.err
	}
	if s.holes == nil {
		n, s.err = s.file.Write(p)
	} else {
		n, s.err = s.sparse(p)
	}
	if s.wrote != nil {
		s.wrote(n)
	}
	return n, s.err
}

// sparse writes p without its blocks of zeros, as far as they belong to a long run of them.
func (s *sink) sparse(p []byte) (n int, err error) {
	for n < len(p) {
		block := int(holeBlock - s.off%holeBlock)
		end, zero := n, false
		for end < len(p) { // as many blocks as are alike
			b := p[end:min(end+block, len(p))]
			isZero := bytes.Equal(b, zeroBlock[:len(b)])
			if end > n && isZero != zero {
				break
			}
			zero, end, block = isZero, end+len(b), holeBlock
		}
		if zero {
			s.zeros += int64(end - n)
		} else if err = s.flush(); err == nil {
			_, err = s.file.Write(p[n:end])
		}
		if err != nil {
			return n, err
		}
		s.off += int64(end - n)
		n = end
	}
	return n, nil
}

// flush moves over the zeros that were held back, or writes them if they are few.
func (s *sink) flush() (err error) {
	if s.zeros >= holeMin {
		_, err = s.holes.Seek(s.zeros, io.SeekCurrent)
		s.zeros = 0
		return err
	}
	for s.zeros > 0 && err == nil {
		var n int
		n, err = s.file.Write(zeroBlock[:min(s.zeros, holeBlock)])
		s.zeros -= int64(n)
	}
	return err
}

// finish makes the file as long as what was written.
func (s *sink) finish() {
	if s.err != nil || s.zeros == 0 {
		return
	}
	if s.zeros >= holeMin {
		s.err = s.holes.Truncate(s.off)
	} else {
		s.err = s.flush()
	}
}

var zeroBlock [holeBlock]byte

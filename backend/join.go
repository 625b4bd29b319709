package backend

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"sort"
	"sync/atomic"
)

// Join gives parts, one behind the other, as one Backend: a file that was cut into
// pieces. The parts belong to it, Close closes them all. It is no [Viewer]. A read
// across parts is one read of each. [Reopen] opens every part again. After an error the
// parts are still the caller's.
func Join(parts ...Backend) (Backend, error) {
	j := &joined{parts: slices.Clone(parts), starts: make([]int64, len(parts))}
	for i, p := range parts {
		j.starts[i] = j.size
		if p.Size() > math.MaxInt64-j.size {
			return nil, fmt.Errorf("parts of more than %d bytes together: %w", int64(math.MaxInt64), fs.ErrInvalid)
		}
		j.size += p.Size()
	}
	return j, nil
}

// Parts returns where each part of a Backend that [Join] made begins, in bytes from
// the start of the first; nil for any other Backend.
func Parts(b Backend) []int64 {
	if j, ok := b.(*joined); ok {
		return slices.Clone(j.starts)
	}
	return nil
}

type joined struct {
	parts  []Backend
	starts []int64
	size   int64
	closed atomic.Bool
}

var _ Backend = (*joined)(nil)

func (j *joined) ReadAt(p []byte, off int64) (int, error) {
	if j.closed.Load() {
		return 0, fs.ErrClosed
	}
	q, end := clip(p, off, j.size)
	if len(q) == 0 {
		return 0, end
	}
	i := sort.Search(len(j.starts), func(i int) bool { return j.starts[i] > off }) - 1
	n := 0
	for n < len(q) {
		at := off + int64(n) - j.starts[i]
		m := int(min(int64(len(q)-n), j.parts[i].Size()-at))
		if m > 0 {
			got, err := j.parts[i].ReadAt(q[n:n+m], at)
			n += got
			if got < m {
				if err == nil || err == io.EOF {
					err = io.ErrUnexpectedEOF // it had the bytes when the parts were joined
				}
				return n, err
			}
		}
		i++
	}
	return n, end
}

func (j *joined) Size() int64 { return j.size }

func (j *joined) Close() error {
	if j.closed.Swap(true) {
		return nil
	}
	var errs []error
	for _, p := range j.parts {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}

// Changed asks every part.
func (j *joined) Changed() error {
	for _, p := range j.parts {
		if err := Changed(p); err != nil {
			return err
		}
	}
	return nil
}

func (j *joined) describe() Info {
	if len(j.parts) == 0 {
		return Info{Name: "joined", Reason: "of no parts"}
	}
	in := Describe(j.parts[0])
	in.Reason = fmt.Sprintf("%s; %d parts joined", in.Reason, len(j.parts))
	return in
}

// reopen opens all parts through k.
func (j *joined) reopen(k Kind) (Backend, error) {
	parts := make([]Backend, 0, len(j.parts))
	for _, p := range j.parts {
		again, err := Reopen(p, k)
		if err != nil {
			for _, q := range parts {
				q.Close()
			}
			return nil, err
		}
		parts = append(parts, again)
	}
	return Join(parts...)
}

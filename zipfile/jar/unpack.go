package jar

import (
	"context"
	"io"
	"sync"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
)

// unpack gives the contents of an entry, once they are verified, out of memory or a file.
func (o *NestedOptions) unpack(ctx context.Context, e zipfile.Entry) (backend.Backend, error) {
	budget := o.Budget
	if budget == nil {
		budget = new(Budget)
	}
	r, err := e.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// An entry never gives more than it declares, so that what it declares is all that it may take.
	size, memory, held := e.Size(), int64(0), int64(0)
	switch {
	case size > o.Memory:
	case size <= smallNested:
		memory = size
	case budget.hold(size):
		memory, held = size, size
	}
	b, err := backend.Spool(&spending{ctx, r, budget}, memory)
	if err != nil {
		budget.release(held)
		return nil, err
	}
	if held == 0 {
		return b, nil
	}
	return &inMemory{Viewer: b.(backend.Viewer), release: func() { budget.release(held) }}, nil
}

// spending is a reader that takes what it reads from a budget.
type spending struct {
	ctx    context.Context // of one call
	r      io.Reader
	budget *Budget
}

func (s *spending) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	n, err := s.r.Read(p)
	if err := s.budget.take(int64(n)); err != nil {
		return 0, err
	}
	return n, err
}

// inMemory is what was unpacked into memory of a budget.
type inMemory struct {
	backend.Viewer
	once    sync.Once
	release func()
}

func (b *inMemory) Close() error {
	b.once.Do(b.release)
	return b.Viewer.Close()
}

// Unwrap returns the backend that lends its bytes.
func (b *inMemory) Unwrap() backend.Backend { return b.Viewer }

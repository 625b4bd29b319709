package backend

import (
	"io/fs"
	"sync/atomic"
)

// Bytes returns a [Viewer] of b, which must not be changed while it is in use.
// Close lets go of b; it waits for nothing.
func Bytes(b []byte) Backend {
	m := &memory{size: int64(len(b))}
	m.data.Store(&b)
	return m
}

type memory struct {
	data atomic.Pointer[[]byte] // nil once closed, so that the memory can be freed
	size int64
}

var _ Viewer = (*memory)(nil)

func (m *memory) ReadAt(p []byte, off int64) (int, error) {
	data := m.data.Load()
	if data == nil {
		return 0, fs.ErrClosed
	}
	q, end := clip(p, off, m.size)
	if len(q) == 0 {
		return 0, end
	}
	from := (*data)[off:]
	n := head(q, address(from))
	copy(q[:n], from)
	return n + copy(q[n:], from[n:]), end
}

func (m *memory) View(off int64, n int, fn func(b []byte) error) error {
	data := m.data.Load()
	if data == nil {
		return fs.ErrClosed
	}
	if err := checkView(off, n, m.size); err != nil {
		return err
	}
	end := off + int64(n)
	return fn((*data)[off:end:end])
}

func (m *memory) Size() int64 { return m.size }

func (m *memory) Close() error {
	m.data.Store(nil)
	return nil
}

func (m *memory) describe() Info { return Info{Name: "memory", Reason: "given as bytes"} }

package jar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
)

// unpack gives the contents of an entry, once they are verified, out of memory or a file.
func (o *NestedOptions) unpack(ctx context.Context, e zipfile.Entry) (backend.Backend, error) {
	u := &unpacking{ctx: ctx, memory: o.Memory, budget: o.Budget}
	if u.budget == nil {
		u.budget = new(Budget)
	}
	r, err := e.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// What is declared is believed as far as the compressed bytes, which are there, could give it.
	u.buf = make([]byte, 0, max(0, min(e.Size(), o.Memory, max(smallNested, 16*e.CompressedSize()))))
	if _, err := io.Copy(u, r); err != nil {
		u.drop()
		return nil, err
	}
	return u.backend(), nil
}

// unpacking takes what an entry unpacks to.
type unpacking struct {
	ctx    context.Context // of one call
	memory int64           // that may be taken, bytes
	budget *Budget
	buf    []byte
	held   int64 // of the budget's memory
	file   *tempFile
	size   int64
}

func (u *unpacking) Write(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	if err := u.budget.take(int64(len(p))); err != nil {
		return 0, err
	}
	if u.file == nil && !u.fits(int64(len(u.buf)+len(p))) {
		if err := u.spill(); err != nil {
			return 0, err
		}
	}
	u.size += int64(len(p))
	if u.file != nil {
		return u.file.Write(p)
	}
	u.buf = append(u.buf, p...)
	return len(p), nil
}

// fits reserves memory for n bytes, if so many may be kept there.
func (u *unpacking) fits(n int64) bool {
	switch {
	case n > u.memory:
		return false
	case n <= max(smallNested, u.held):
		return true
	case !u.budget.hold(n - u.held):
		return false
	}
	u.held = n
	return true
}

// spill moves what came so far to a file.
func (u *unpacking) spill() (err error) {
	if u.file, err = newTempFile(); err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	_, err = u.file.Write(u.buf)
	u.buf = nil
	u.release()
	return err
}

func (u *unpacking) release() {
	u.budget.held.Add(-u.held)
	u.held = 0
}

// drop gives everything back.
func (u *unpacking) drop() {
	u.release()
	if u.file != nil {
		u.file.Close()
	}
}

func (u *unpacking) backend() backend.Backend {
	if u.file != nil {
		return backend.ReaderAt(u.file, u.size)
	}
	if cap(u.buf)-len(u.buf) > len(u.buf)/4 {
		u.buf = slices.Clone(u.buf)
	}
	return &inMemory{Viewer: backend.Bytes(u.buf).(backend.Viewer), release: u.release}
}

// inMemory is what was unpacked into memory.
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

// tempFile is a file that goes away when it is closed. Where the system allows that it has no name from the
// start, so that no end of the program leaves it behind.
type tempFile struct {
	*os.File
	removed bool
}

func newTempFile() (*tempFile, error) {
	f, err := os.CreateTemp("", "zipcat-*")
	if err != nil {
		return nil, err
	}
	return &tempFile{f, runtime.GOOS != "windows" && os.Remove(f.Name()) == nil}, nil
}

func (f *tempFile) Close() error {
	err := f.File.Close()
	if !f.removed {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

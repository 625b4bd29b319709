package backendtest

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
)

func testClose(t *testing.T, open OpenFunc) {
	for _, size := range []int{0, 1000} {
		b := openFor(t, open, pattern(size))
		require.NoError(t, b.Close())
		require.NoError(t, b.Close(), "second Close")

		assert.Equal(t, int64(size), b.Size(), "Size after Close")
		// Whatever the span, what is closed says so.
		for _, off := range []int64{0, int64(size), int64(size) + 10} {
			for _, p := range [][]byte{nil, make([]byte, 10)} {
				n, err := b.ReadAt(p, off)
				assert.Zero(t, n)
				assert.ErrorIs(t, err, fs.ErrClosed, "read of %d bytes at %d", len(p), off)
			}
		}
	}
}

// testCloseAgainstReads closes while many goroutines read: each read has to end
// with the right bytes or with fs.ErrClosed.
func testCloseAgainstReads(t *testing.T, open OpenFunc) {
	content := pattern(1 << 17)
	const rounds, readers = 20, 8
	for round := range rounds {
		b := openFor(t, open, content)
		var started, done sync.WaitGroup
		started.Add(readers)
		for g := range readers {
			done.Go(func() {
				r := rand.New(rand.NewPCG(uint64(round), uint64(g)))
				p := make([]byte, 1<<14)
				// Yielding lets the closers in where there are few processors.
				for first := true; ; first = false {
					runtime.Gosched()
					off, q := r.Int64N(int64(len(content))), p[:r.IntN(len(p))]
					n, err := b.ReadAt(q, off)
					if first {
						started.Done()
					}
					if errors.Is(err, fs.ErrClosed) {
						return
					}
					if err != nil && err != io.EOF {
						assert.NoError(t, err, "a read beside Close")
						return
					}
					want := content[off:min(off+int64(len(q)), int64(len(content)))]
					if !assert.True(t, bytes.Equal(want, q[:n]), "bytes of a read beside Close") {
						return
					}
				}
			})
		}
		started.Wait()
		for range 2 {
			done.Go(func() { assert.NoError(t, b.Close()) })
		}
		done.Wait()
	}
}

func testView(t *testing.T, open OpenFunc) {
	content := pattern(100)
	b := openFor(t, open, content)
	v, ok := b.(backend.Viewer)
	if !ok {
		t.Skipf("%T is no Viewer", b)
	}
	checkView(t, v, content)

	errMine := errors.New("of the callback")
	assert.Equal(t, errMine, v.View(10, 20, func([]byte) error { return errMine }))

	err := v.View(10, 20, func(got []byte) error {
		p := make([]byte, 5)
		_, err := v.ReadAt(p, 10)
		assert.NoError(t, err, "ReadAt within View")
		assert.Equal(t, content[10:15], p)
		assert.NoError(t, v.View(11, 2, func([]byte) error { return nil }), "View within View")
		assert.NoError(t, v.Close(), "Close within View")
		assert.Equal(t, content[10:30], got, "bytes after Close within View")
		return nil
	})
	assert.NoError(t, err)

	err = v.View(0, 1, func([]byte) error { return errors.New("called after Close") })
	assert.ErrorIs(t, err, fs.ErrClosed)
}

// checkView looks at every span of content, and at some outside.
func checkView(t *testing.T, v backend.Viewer, content []byte) {
	t.Helper()
	for off := range len(content) + 1 {
		for n := range len(content) - off + 1 {
			calls := 0
			err := v.View(int64(off), n, func(got []byte) error {
				calls++
				assert.True(t, bytes.Equal(content[off:off+n], got), "view of %d bytes at %d", n, off)
				return nil
			})
			require.NoError(t, err, "view of %d bytes at %d", n, off)
			require.Equal(t, 1, calls, "calls for a view of %d bytes at %d", n, off)
		}
	}
	size := int64(len(content))
	const maxInt, maxInt64 = int(^uint(0) >> 1), 1<<63 - 1
	for _, span := range []struct {
		off int64
		n   int
		eof bool
	}{
		{0, len(content) + 1, true},
		{size, 1, true},
		{size + 1, 0, true},
		{1, maxInt, true},
		{maxInt64, 1, true},
		{maxInt64, maxInt, true},
		{-1, 1, false},
		{-1, 0, false},
		{0, -1, false},
		{5, -5, false},
		{-1 << 63, maxInt, false},
	} {
		err := v.View(span.off, span.n, func([]byte) error {
			assert.Fail(t, "callback called", "view of %d bytes at %d", span.n, span.off)
			return nil
		})
		assert.Error(t, err, "view of %d bytes at %d", span.n, span.off)
		assert.Equal(t, span.eof, errors.Is(err, io.EOF), "view of %d bytes at %d: %v", span.n, span.off, err)
	}
}

package backendtest_test

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"zipcat.dev/backend"
	"zipcat.dev/backend/backendtest"
)

func TestFaulty(t *testing.T) {
	t.Parallel()
	f := backendtest.NewFaulty(backend.Bytes([]byte("0123456789")))
	defer f.Close()
	_, viewer := any(f).(backend.Viewer)
	assert.False(t, viewer, "else its counts could be evaded")
	assert.Equal(t, "memory", backend.Describe(f).Name, "seen through")

	errMine := errors.New("of the test")
	f.FailRead(2, errMine)
	f.ShortenRead(3, 4)
	f.ShortenRead(4, 100)
	f.ShortenRead(5, 1)
	for i, want := range []struct {
		off int64
		n   int
		got string
		err error
	}{
		{0, 6, "012345", nil},
		{1, 6, "", errMine},
		{2, 6, "2345", io.ErrUnexpectedEOF},
		{3, 6, "345678", nil},
		{8, 6, "8", io.ErrUnexpectedEOF}, // not the end of the file any more
		{8, 6, "89", io.EOF},
	} {
		p := make([]byte, want.n)
		n, err := f.ReadAt(p, want.off)
		assert.Equal(t, want.err, err, "read %d", i+1)
		assert.Equal(t, want.got, string(p[:n]), "read %d", i+1)
	}
	assert.Equal(t, 6, f.Count())
	assert.Equal(t, int64(6+0+4+6+1+2), f.Bytes())
	assert.Equal(t, []backendtest.Read{{0, 6}, {1, 6}, {2, 6}, {3, 6}, {8, 6}, {8, 6}}, f.Reads())

	f.FailRead(1, errMine)
	f.Reset()
	assert.Zero(t, f.Count())
	assert.Zero(t, f.Bytes())
	_, err := f.ReadAt(make([]byte, 1), 0)
	assert.NoError(t, err, "what was set up is forgotten too")
}

func TestFaultyHookAndDelay(t *testing.T) {
	t.Parallel()
	f := backendtest.NewFaulty(backend.Bytes([]byte("0123456789")))
	defer f.Close()

	// A read that is held up holds up no other.
	entered, release := make(chan struct{}), make(chan struct{})
	errMine := errors.New("of the test")
	f.OnRead(func(n int, r backendtest.Read) error {
		if n == 1 {
			assert.Equal(t, backendtest.Read{Off: 3, Len: 2}, r)
			close(entered)
			<-release
			return errMine
		}
		return nil
	})
	var held sync.WaitGroup
	held.Go(func() {
		_, err := f.ReadAt(make([]byte, 2), 3)
		assert.Equal(t, errMine, err)
	})
	<-entered
	_, err := f.ReadAt(make([]byte, 2), 0)
	assert.NoError(t, err)
	assert.Equal(t, 2, f.Count())
	close(release)
	held.Wait()

	f.Reset()
	const delay = 5 * time.Millisecond
	f.SlowReads(delay)
	start := time.Now()
	_, err = f.ReadAt(make([]byte, 2), 0)
	assert.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(start), delay)
}

// TestSuiteOnPlainBackend shows that the suite accepts what [io.ReaderAt] leaves
// open: io.EOF from a read that ends at the end.
func TestSuiteOnPlainBackend(t *testing.T) {
	t.Parallel()
	backendtest.RunTests(t, func(_ testing.TB, content []byte) backend.Backend {
		return eager{backend.ReaderAt(bytes.NewReader(content), int64(len(content)))}
	})
}

type eager struct{ backend.Backend }

func (b eager) ReadAt(p []byte, off int64) (int, error) {
	n, err := b.Backend.ReadAt(p, off)
	if err == nil && n > 0 && off+int64(n) == b.Size() {
		err = io.EOF
	}
	return n, err
}

package backend

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// source is an io.ReaderAt whose reads and Close are the test's.
type source struct {
	read   func(p []byte, off int64) (int, error)
	closes int
	err    error
}

func (s *source) ReadAt(p []byte, off int64) (int, error) { return s.read(p, off) }

func (s *source) Close() error {
	s.closes++
	return s.err
}

func TestReaderErrors(t *testing.T) {
	t.Parallel()
	errMine := errors.New("of the source")
	tests := []struct {
		what  string
		read  func(p []byte, off int64) (int, error)
		wantN int
		want  error
	}{
		{"its own error", func(p []byte, off int64) (int, error) { return 2, errMine }, 2, errMine},
		{"ends early", strings.NewReader("0123456789abc").ReadAt, 3, io.ErrUnexpectedEOF},
		{"ended before", strings.NewReader("0123").ReadAt, 0, io.ErrUnexpectedEOF},
		{"short without an error", func(p []byte, off int64) (int, error) { return 1, nil }, 1, io.ErrUnexpectedEOF},
		{"io.EOF with the last byte", func(p []byte, off int64) (int, error) { return len(p), io.EOF }, 5, nil},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			b := ReaderAt(&source{read: test.read}, 20)
			n, err := b.ReadAt(make([]byte, 5), 10)
			assert.Equal(t, test.wantN, n)
			assert.Equal(t, test.want, err)
		})
	}
	assert.Zero(t, ReaderAt(strings.NewReader("0123"), -1).Size())
}

func TestReaderClose(t *testing.T) {
	t.Parallel()
	errMine := errors.New("of the source")
	s := &source{err: errMine}
	b := ReaderAt(s, 1)
	assert.Equal(t, errMine, b.Close())
	assert.NoError(t, b.Close(), "second Close")
	assert.Equal(t, 1, s.closes)

	assert.NoError(t, ReaderAt(strings.NewReader("0123"), 4).Close(), "nothing to close")
}

// TestReaderCloseWaits closes while a read is held up in the source: the source
// must not be closed under it, and no new read gets in.
func TestReaderCloseWaits(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	s := &source{}
	s.read = func(p []byte, off int64) (int, error) {
		close(entered)
		<-release
		assert.Zero(t, s.closes)
		return len(p), nil
	}
	b := ReaderAt(s, 10).(*reader)
	var wg sync.WaitGroup
	wg.Go(func() {
		n, err := b.ReadAt(make([]byte, 4), 0)
		assert.Equal(t, 4, n)
		assert.NoError(t, err, "a read that was in before Close finishes")
	})
	<-entered
	wg.Go(func() { assert.NoError(t, b.Close()) })
	for !b.guard.closed.Load() {
		runtime.Gosched() // until Close is about to wait
	}
	_, err := b.ReadAt(make([]byte, 4), 0)
	assert.ErrorIs(t, err, fs.ErrClosed, "at once, although Close still waits")
	close(release)
	wg.Wait()
	assert.Equal(t, 1, s.closes)
}

// TestSectionOfShortBackend has a Backend that lost bytes since a section of it
// was made.
func TestSectionOfShortBackend(t *testing.T) {
	t.Parallel()
	data := bytes.NewReader(make([]byte, 100))
	s, err := Section(sized{data, 100}, 50, 50)
	require.NoError(t, err)
	data.Reset(make([]byte, 60))

	n, err := s.ReadAt(make([]byte, 5), 0)
	assert.Equal(t, 5, n)
	assert.NoError(t, err)
	n, err = s.ReadAt(make([]byte, 20), 0)
	assert.Equal(t, 10, n)
	assert.Equal(t, io.ErrUnexpectedEOF, err, "not the end of the section")
	n, err = s.ReadAt(make([]byte, 20), 45)
	assert.Zero(t, n)
	assert.Equal(t, io.ErrUnexpectedEOF, err)
}

type sized struct {
	io.ReaderAt
	size int64
}

func (s sized) Size() int64  { return s.size }
func (s sized) Close() error { return nil }

package backend

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestJoin(t *testing.T) {
	t.Parallel()
	first, second := tempFile(t, "first, "), tempFile(t, "second")
	open := func(name string) Backend {
		b, err := Open(name, Pread)
		require.NoError(t, err)
		return b
	}
	b, err := Join(open(first), open(second))
	require.NoError(t, err)
	assert.Equal(t, []int64{0, 7}, Parts(b))
	assert.Nil(t, Parts(Bytes(nil)))
	assert.Equal(t, "first, second", content(t, b))
	assert.Equal(t, Pread, Describe(b).Kind)
	assert.Contains(t, Describe(b).Reason, "2 parts joined")

	again, err := Reopen(b, Auto)
	require.NoError(t, err)
	assert.Equal(t, "first, second", content(t, again))
	assert.Equal(t, []int64{0, 7}, Parts(again))
	require.NoError(t, again.Close())

	require.NoError(t, Changed(b))
	require.NoError(t, os.WriteFile(second, []byte("cut"), 0o600))
	require.ErrorIs(t, Changed(b), ErrChanged)
	p := make([]byte, b.Size())
	n, err := b.ReadAt(p, 0)
	require.Error(t, err)
	assert.Less(t, n, len(p))
	_, err = Reopen(b, Auto)
	require.ErrorIs(t, err, ErrChanged)

	require.NoError(t, b.Close())
	_, err = b.ReadAt(p, 0)
	require.ErrorIs(t, err, fs.ErrClosed)
}

func TestJoinNothing(t *testing.T) {
	t.Parallel()
	b, err := Join()
	require.NoError(t, err)
	_, err = b.ReadAt(make([]byte, 1), 0)
	require.Equal(t, io.EOF, err)
	assert.Zero(t, b.Size())
	require.NoError(t, b.Close())

	_, err = Join(ReaderAt(hugeReader{}, math.MaxInt64), ReaderAt(hugeReader{}, 1))
	require.ErrorIs(t, err, fs.ErrInvalid)
}

type hugeReader struct{}

func (hugeReader) ReadAt(p []byte, off int64) (int, error) { return 0, errors.New("nothing to read") }

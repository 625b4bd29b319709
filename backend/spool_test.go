package backend

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSpool(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range []struct {
		size, memory int64
		name         string
	}{
		{0, 0, "memory"}, {0, -1, "memory"}, {1, 0, "reader"}, {1, -1, "reader"}, {1000, 1000, "memory"}, {1001, 1000, "reader"},
		{1 << 20, 1 << 20, "memory"}, {1<<20 + 1, 1 << 20, "reader"}, {3 << 20, math.MaxInt64, "memory"},
	} {
		want := bytes.Repeat([]byte("0123456789abcdef"), int(c.size)/16+1)[:c.size]
		in := io.MultiReader(bytes.NewReader(want[:c.size/3]), iotest.OneByteReader(bytes.NewReader(want[c.size/3:min(c.size, c.size/3+9)])), bytes.NewReader(want[min(c.size, c.size/3+9):]))
		b, err := Spool(in, c.memory)
		require.NoError(t, err)
		assert.Equal(t, c.name, Describe(b).Name)
		assert.Equal(t, c.size, b.Size())
		got := make([]byte, c.size)
		_, err = b.ReadAt(got, 0)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want, got))
		if runtime.GOOS != "windows" {
			assert.Empty(t, left(t))
		}
		require.NoError(t, b.Close())
		assert.Empty(t, left(t))
	}
	broken := errors.New("broken")
	for _, memory := range []int64{0, 10, 100} {
		_, err := Spool(io.MultiReader(bytes.NewReader(make([]byte, 50)), iotest.ErrReader(broken)), memory)
		assert.ErrorIs(t, err, broken)
		assert.Empty(t, left(t))
	}
	t.Setenv("TMPDIR", "/nonexistent")
	if runtime.GOOS != "windows" {
		_, err := Spool(bytes.NewReader(make([]byte, 50)), 10)
		assert.ErrorIs(t, err, fs.ErrNotExist)
		assert.ErrorContains(t, err, "temporary file: ")
	}
}

// left are the files in the directory for temporary ones.
func left(t *testing.T) []os.DirEntry {
	files, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	return files
}

// TestScratchFile: a file that keeps its name while it is open, as on Windows, is removed at Close.
func TestScratchFile(t *testing.T) {
	t.Parallel()
	f, err := newScratchFile()
	require.NoError(t, err)
	assert.Equal(t, runtime.GOOS != "windows", f.removed)
	require.NoError(t, f.Close())
	named, err := os.CreateTemp(t.TempDir(), "x")
	require.NoError(t, err)
	require.NoError(t, (&scratchFile{named, false}).Close())
	_, err = os.Stat(named.Name())
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

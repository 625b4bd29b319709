package backend

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReopen(t *testing.T) {
	t.Parallel()
	name := tempFile(t, "content")
	kinds := []Kind{Auto, Pread}
	if platformMaps {
		kinds = append(kinds, Mapped)
	}
	for _, from := range kinds {
		b, err := Open(name, from)
		require.NoError(t, err)
		defer b.Close()
		for _, to := range kinds {
			again, err := Reopen(b, to)
			require.NoError(t, err)
			assert.NotSame(t, b, again)
			assert.Equal(t, to, Describe(again).Asked)
			if to != Auto {
				assert.Equal(t, to, Describe(again).Kind)
			}
			require.NoError(t, again.Close())
			assert.Equal(t, "content", content(t, b), "it stays open")
		}
	}
}

func TestReopenAfterChdir(t *testing.T) {
	t.Setenv(envName, "")
	name := tempFile(t, "content")
	t.Chdir(filepath.Dir(name))
	b, err := Open(filepath.Base(name), Auto)
	require.NoError(t, err)
	defer b.Close()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile(filepath.Base(name), []byte("another"), 0o600))

	again, err := Reopen(b, Pread)
	require.NoError(t, err)
	assert.Equal(t, "content", content(t, again))
	assert.NoError(t, again.Close())
}

func TestReopenRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		what    string
		change  func(t *testing.T, name string, fi os.FileInfo)
		renames bool
		err     error
	}{
		{"replaced by its double", func(t *testing.T, name string, fi os.FileInfo) {
			require.NoError(t, os.WriteFile(name+".new", []byte("content"), 0o600))
			require.NoError(t, os.Chtimes(name+".new", fi.ModTime(), fi.ModTime()))
			require.NoError(t, os.Rename(name+".new", name))
		}, true, ErrChanged},
		{"written anew", func(t *testing.T, name string, fi os.FileInfo) {
			require.NoError(t, os.WriteFile(name, []byte("CONTENT"), 0o600))
		}, false, ErrChanged},
		{"touched", func(t *testing.T, name string, fi os.FileInfo) {
			later := fi.ModTime().AddDate(0, 0, 1)
			require.NoError(t, os.Chtimes(name, later, later))
		}, false, ErrChanged},
		{"longer, with its old time", func(t *testing.T, name string, fi os.FileInfo) {
			require.NoError(t, os.WriteFile(name, []byte("contents"), 0o600))
			require.NoError(t, os.Chtimes(name, fi.ModTime(), fi.ModTime()))
		}, false, ErrChanged},
		{"a directory", func(t *testing.T, name string, fi os.FileInfo) {
			require.NoError(t, os.Remove(name))
			require.NoError(t, os.Mkdir(name, 0o700))
		}, true, ErrChanged},
		{"deleted", func(t *testing.T, name string, fi os.FileInfo) {
			require.NoError(t, os.Remove(name))
		}, true, fs.ErrNotExist},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			if test.renames && runtime.GOOS == "windows" {
				t.Skip("Windows does not rename over an open file, nor delete it")
			}
			name := tempFile(t, "content")
			b := mustOpen(t, ordinary(), name, Pread)
			fi, err := os.Stat(name)
			require.NoError(t, err)
			test.change(t, name, fi)
			for _, k := range []Kind{Auto, Pread, Mapped} {
				again, err := Reopen(b, k)
				assert.ErrorIs(t, err, test.err)
				assert.ErrorContains(t, err, name)
				assert.Nil(t, again)
			}
			require.NoError(t, b.Close(), "it stayed open")
		})
	}
}

func TestReopenUnsupported(t *testing.T) {
	t.Parallel()
	name := tempFile(t, "content")
	f := mustOpen(t, ordinary(), name, Pread)
	s, err := Section(f, 0, 3)
	require.NoError(t, err)
	for _, b := range []Backend{Bytes(nil), ReaderAt(f, 3), s, wrapper{f}, foreign{f}} {
		_, err := Reopen(b, Pread)
		assert.ErrorIs(t, err, errors.ErrUnsupported, "%T", b)
	}

	require.NoError(t, f.Close())
	_, err = Reopen(f, Pread)
	assert.ErrorIs(t, err, fs.ErrClosed)
}

package backend

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/exp/mmap"
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

// TestReopenKeepsName: whatever goes wrong with a file that was opened again, the error has
// the name that Open was given, and no other.
func TestReopenKeepsName(t *testing.T) {
	t.Setenv(envName, "")
	full := tempFile(t, "content")
	given := filepath.Base(full)
	t.Chdir(filepath.Dir(full))
	elsewhere := t.TempDir()
	first, err := Open(given, Pread)
	require.NoError(t, err)
	t.Cleanup(func() { first.Close() })
	t.Chdir(elsewhere)

	check := func(what string, err error) {
		t.Helper()
		pe, ok := errors.AsType[*fs.PathError](err)
		require.True(t, ok, "%s: %v", what, err)
		assert.Equal(t, given, pe.Path, what)
		assert.NotContains(t, err.Error(), filepath.Dir(full), what)
	}
	kinds := []Kind{Pread}
	if platformMaps {
		kinds = append(kinds, Mapped)
	}
	for _, k := range kinds {
		b, err := Reopen(first, k)
		require.NoError(t, err)
		_, err = b.ReadAt(nil, -1)
		check("negative offset", err)
		again, err := Reopen(b, k)
		require.NoError(t, err, "the path is known still")
		require.NoError(t, again.Close())
		_, err = Reopen(again, k)
		check("closed, opened again", err)
		_, err = again.ReadAt(nil, 0)
		check("closed, read", err)
		check("closed, changed", Changed(again))

		var handle *os.File
		switch b := b.(type) {
		case *pread:
			handle = b.handle
		case *mapped:
			handle = b.handle
		}
		require.NoError(t, handle.Close())
		check("close", b.Close())
	}

	refused := ordinary()
	refused.mmap = func(path string) (*mmap.ReaderAt, error) {
		_, err := os.Open(path + ".none")
		return nil, err
	}
	_, err = refused.open(origin{given, full, nil}, Mapped)
	check("mapping", err)
	require.NoError(t, os.Chtimes(full, time.Now(), time.Now()))
	_, err = Reopen(first, Auto)
	check("changed", err)
	if runtime.GOOS != "windows" { // which does not delete an open file
		require.NoError(t, os.Remove(full))
		_, err = Reopen(first, Auto)
		check("gone", err)
	}
}

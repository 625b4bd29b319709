package backend_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
)

const childEnv = "BACKEND_TEST_CHILD"

// inSubprocess runs the test that calls it again in a process of its own, which a
// fault may kill, and reports how it went. It is true in that process, where the
// test is to go on.
func inSubprocess(t *testing.T) bool {
	t.Helper()
	if os.Getenv(childEnv) != "" {
		return true
	}
	var pattern []string
	for _, part := range strings.Split(t.Name(), "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
	}
	cmd := exec.Command(os.Args[0], "-test.run="+strings.Join(pattern, "/"), "-test.v", "-test.count=1")
	// A process under the race detector sleeps for a second before it ends.
	cmd.Env = append(os.Environ(), childEnv+"=1", "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "the process died or its test failed:\n%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name(), "the process did not run the test")
	return false
}

// world is a file of eight pages, open through a backend that has read nothing
// but its first page.
type world struct {
	name     string
	page     int
	original []byte
	b        backend.Backend
}

func newWorld(t *testing.T, k backend.Kind) *world {
	t.Helper()
	page := os.Getpagesize()
	w := &world{page: page, original: bytes.Repeat([]byte("0123456789abcdef"), 8*page/16)}
	w.name = writeFile(t, w.original)
	w.setOldTime(t)
	w.b = open(t, w.name, k)
	require.Equal(t, k, backend.Describe(w.b).Kind)
	w.reads(t, 0, w.original[:page])
	return w
}

func (w *world) setOldTime(t *testing.T) {
	t.Helper()
	fi, err := os.Stat(w.name)
	require.NoError(t, err)
	old := fi.ModTime().AddDate(-1, 0, 0)
	require.NoError(t, os.Chtimes(w.name, old, old))
}

func (w *world) reads(t *testing.T, off int, want []byte) {
	t.Helper()
	got := make([]byte, len(want))
	n, err := w.b.ReadAt(got, int64(off))
	if err != io.EOF || off+len(want) != len(w.original) {
		require.NoError(t, err)
	}
	require.Equal(t, len(want), n)
	require.True(t, bytes.Equal(want, got), "bytes at %d: %.40q", off, got)
}

// fails reads n bytes at off and returns how many came and the error, which says
// once where it happened and that the file has changed.
func (w *world) fails(t *testing.T, off, n int) (int, error) {
	t.Helper()
	n, err := w.b.ReadAt(make([]byte, n), int64(off))
	require.Error(t, err)
	assert.ErrorIs(t, err, backend.ErrChanged)
	var pe *fs.PathError
	assert.ErrorAs(t, err, &pe)
	assert.Equal(t, 1, strings.Count(err.Error(), w.name), "the path once in %q", err)
	assert.Contains(t, err.Error(), fmt.Sprintf("at offset %d:", off+n))
	return n, err
}

// TestChangedFile changes the file under an open backend. Each change runs in a
// process of its own.
func TestChangedFile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		test   func(*testing.T, *world)
		mapped bool // else pread
		shared bool // needs what Windows refuses while a file is open or mapped
	}{
		{"mapped_truncated", mappedTruncated, true, true},
		{"mapped_truncated_concurrently", mappedTruncatedConcurrently, true, true},
		{"mapped_replaced", replaced, true, true},
		{"mapped_deleted", deleted, true, true},
		{"mapped_overwritten", overwritten, true, false},
		{"mapped_extended", extended, true, false},
		{"pread_truncated", preadTruncated, false, false},
		{"pread_replaced", replaced, false, true},
		{"pread_deleted", deleted, false, true},
		{"pread_overwritten", overwritten, false, false},
		{"pread_extended", extended, false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			switch {
			case runtime.GOOS == "js" || runtime.GOOS == "wasip1":
				t.Skip("no subprocesses on this platform")
			case test.shared && runtime.GOOS == "windows":
				t.Skip("Windows refuses this while the file is open")
			}
			k := backend.Pread
			if test.mapped {
				needMapping(t)
				k = backend.Mapped
			}
			if inSubprocess(t) {
				w := newWorld(t, k)
				test.test(t, w)
				require.NoError(t, w.b.Close())
				_, err := w.b.ReadAt(make([]byte, 1), 0)
				require.ErrorIs(t, err, fs.ErrClosed)
			}
		})
	}
}

func mappedTruncated(t *testing.T, w *world) {
	cut := 2*w.page + 100
	require.NoError(t, os.Truncate(w.name, int64(cut)))

	n, err := w.fails(t, 3*w.page, 10)
	assert.Zero(t, n)
	assert.ErrorIs(t, err, backend.ErrFault)
	n, err = w.fails(t, 2*w.page, 3*w.page) // begins before the cut
	assert.Zero(t, n)
	assert.ErrorIs(t, err, backend.ErrFault)
	_, err = w.b.ReadAt(make([]byte, 20), int64(8*w.page-10)) // reaches past the old end
	assert.ErrorIs(t, err, backend.ErrFault)
	assert.NotErrorIs(t, err, io.EOF)

	// No fault within the last page: zeros, which only a checksum can tell.
	w.reads(t, cut-100, w.original[cut-100:cut])
	w.reads(t, cut, make([]byte, 3*w.page-cut))
	w.reads(t, 0, w.original[:cut])
	assert.Equal(t, backend.ErrChanged, backend.Changed(w.b))
	assert.Equal(t, int64(len(w.original)), w.b.Size())

	// A section passes it on, and the goroutine's own setting is put back.
	s, err := backend.Section(w.b, int64(4*w.page), 10)
	require.NoError(t, err)
	for _, setting := range []bool{true, false} {
		debug.SetPanicOnFault(setting)
		_, err = s.ReadAt(make([]byte, 1), 0)
		assert.ErrorIs(t, err, backend.ErrFault)
		assert.Equal(t, setting, debug.SetPanicOnFault(false))
	}

	require.NoError(t, os.Truncate(w.name, 0))
	_, err = w.fails(t, 0, 1)
	assert.ErrorIs(t, err, backend.ErrFault)
}

// mappedTruncatedConcurrently cuts the file while goroutines read, some of which
// fault in the midst of it.
func mappedTruncatedConcurrently(t *testing.T, w *world) {
	var started, done sync.WaitGroup
	started.Add(4)
	for range 4 {
		done.Go(func() {
			p := make([]byte, len(w.original))
			for first := true; ; first = false {
				n, err := w.b.ReadAt(p, 0)
				if first {
					started.Done()
				}
				if err != nil && err != io.EOF {
					assert.ErrorIs(t, err, backend.ErrFault)
					assert.ErrorIs(t, err, backend.ErrChanged)
					assert.Zero(t, n)
					return
				}
				runtime.Gosched()
			}
		})
	}
	started.Wait()
	require.NoError(t, os.Truncate(w.name, int64(w.page)))
	done.Wait()
}

func preadTruncated(t *testing.T, w *world) {
	cut := 2*w.page + 100
	require.NoError(t, os.Truncate(w.name, int64(cut)))

	n, err := w.fails(t, 3*w.page, 10)
	assert.Zero(t, n)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.NotErrorIs(t, err, backend.ErrFault)
	assert.NotErrorIs(t, err, io.EOF)
	n, err = w.fails(t, cut-10, w.page) // gets what is left
	assert.Equal(t, 10, n)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)

	w.reads(t, 0, w.original[:cut])
	assert.Equal(t, backend.ErrChanged, backend.Changed(w.b))
	assert.Equal(t, int64(len(w.original)), w.b.Size())
}

func replaced(t *testing.T, w *world) {
	require.NoError(t, os.WriteFile(w.name+".new", []byte("short"), 0o600))
	require.NoError(t, os.Rename(w.name+".new", w.name))
	w.reads(t, 0, w.original)
	assert.NoError(t, backend.Changed(w.b), "the open file is the old one")
	_, err := backend.Reopen(w.b, backend.Pread)
	assert.ErrorIs(t, err, backend.ErrChanged)
}

func deleted(t *testing.T, w *world) {
	require.NoError(t, os.Remove(w.name))
	w.reads(t, 0, w.original)
	assert.NoError(t, backend.Changed(w.b))
	_, err := backend.Reopen(w.b, backend.Pread)
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func overwritten(t *testing.T, w *world) {
	want := bytes.ToUpper(w.original)
	f, err := os.OpenFile(w.name, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.Write(want)
	require.NoError(t, err)
	require.NoError(t, f.Close())

	// The read cannot know; whoever checks a checksum asks Changed.
	w.reads(t, 0, want)
	assert.Equal(t, backend.ErrChanged, backend.Changed(w.b))
}

func extended(t *testing.T, w *world) {
	f, err := os.OpenFile(w.name, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("more")
	require.NoError(t, err)
	require.NoError(t, f.Close())

	w.reads(t, 0, w.original)
	n, err := w.b.ReadAt(make([]byte, 4), int64(len(w.original)))
	assert.Zero(t, n)
	assert.True(t, err == io.EOF, "the size is that of opening: %v", err)
	assert.Equal(t, backend.ErrChanged, backend.Changed(w.b))
}

package backend_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/backend/backendtest"
)

// backends opens the same content in every way that the package knows.
var backends = map[string]backendtest.OpenFunc{
	"pread": func(tb testing.TB, content []byte) backend.Backend {
		return open(tb, writeFile(tb, content), backend.Pread)
	},
	"mapped": func(tb testing.TB, content []byte) backend.Backend {
		needMapping(tb)
		return open(tb, writeFile(tb, content), backend.Mapped)
	},
	"auto": func(tb testing.TB, content []byte) backend.Backend {
		return open(tb, writeFile(tb, content), backend.Auto)
	},
	"memory": func(_ testing.TB, content []byte) backend.Backend {
		return backend.Bytes(content)
	},
	"reader": func(_ testing.TB, content []byte) backend.Backend {
		return backend.ReaderAt(&unsafeToClose{Reader: bytes.NewReader(content)}, int64(len(content)))
	},
	"spooled to memory": func(tb testing.TB, content []byte) backend.Backend {
		return spooled(tb, content, int64(len(content)))
	},
	"spooled to a file": func(tb testing.TB, content []byte) backend.Backend {
		return spooled(tb, content, 0)
	},
	"section of memory": func(tb testing.TB, content []byte) backend.Backend {
		return surrounded(tb, content, func(all []byte) backend.Backend { return backend.Bytes(all) })
	},
	"section of pread": func(tb testing.TB, content []byte) backend.Backend {
		return surrounded(tb, content, func(all []byte) backend.Backend {
			return open(tb, writeFile(tb, all), backend.Pread)
		})
	},
	"joined": func(tb testing.TB, content []byte) backend.Backend {
		return joined(tb, content, func(part []byte) backend.Backend { return open(tb, writeFile(tb, part), backend.Pread) })
	},
	"joined memory": func(tb testing.TB, content []byte) backend.Backend {
		return joined(tb, content, backend.Bytes)
	},
	"faulty without faults": func(_ testing.TB, content []byte) backend.Backend {
		return backendtest.NewFaulty(backend.Bytes(content))
	},
}

func spooled(tb testing.TB, content []byte, memory int64) backend.Backend {
	b, err := backend.Spool(bytes.NewReader(content), memory)
	require.NoError(tb, err)
	return b
}

func TestConformance(t *testing.T) {
	for name, open := range backends {
		t.Run(name, func(t *testing.T) { backendtest.RunTests(t, open) })
	}
}

func TestAllocs(t *testing.T) {
	for _, name := range []string{"pread", "mapped", "memory", "reader", "section of memory", "section of pread"} {
		t.Run(name, func(t *testing.T) { backendtest.RunAllocs(t, backends[name]) })
	}
}

func Benchmark(b *testing.B) {
	for _, name := range []string{"pread", "mapped", "memory"} {
		b.Run("backend="+name, func(b *testing.B) { backendtest.RunBenchmarks(b, backends[name]) })
	}
}

// needMapping skips where an explicit Mapped is an error.
func needMapping(tb testing.TB) {
	tb.Helper()
	if !backend.PlatformMaps {
		tb.Skip("x/exp/mmap does not map on this platform")
	}
}

func writeFile(tb testing.TB, content []byte) string {
	tb.Helper()
	name := filepath.Join(tb.TempDir(), "file")
	require.NoError(tb, os.WriteFile(name, content, 0o600))
	return name
}

// open opens a file and closes it before the test's directory is removed, which
// Windows would refuse otherwise.
func open(tb testing.TB, name string, k backend.Kind) backend.Backend {
	tb.Helper()
	b, err := backend.Open(name, k)
	require.NoError(tb, err)
	tb.Cleanup(func() { b.Close() })
	return b
}

// surrounded returns a section that holds content, with other bytes on both
// sides.
func surrounded(tb testing.TB, content []byte, open func(all []byte) backend.Backend) backend.Backend {
	tb.Helper()
	margin := bytes.Repeat([]byte{'#'}, 100)
	b := open(bytes.Join([][]byte{margin, content, margin}, nil))
	tb.Cleanup(func() { b.Close() })
	s, err := backend.Section(b, 100, int64(len(content)))
	require.NoError(tb, err)
	return s
}

// joined cuts content into parts of different lengths, one of them empty, and joins them.
func joined(tb testing.TB, content []byte, open func(part []byte) backend.Backend) backend.Backend {
	tb.Helper()
	var parts []backend.Backend
	for n := 1; len(content) > 0; n = 3*n + 1 {
		n = min(n, len(content))
		parts = append(parts, open(content[:n:n]))
		content = content[n:]
		if len(parts) == 2 {
			parts = append(parts, open(nil))
		}
	}
	b, err := backend.Join(parts...)
	require.NoError(tb, err)
	return b
}

// unsafeToClose is an io.ReaderAt that must not be closed under a read; the race
// detector sees it when it is.
type unsafeToClose struct {
	*bytes.Reader
	closed bool
}

func (r *unsafeToClose) ReadAt(p []byte, off int64) (int, error) {
	if r.closed {
		return 0, io.ErrClosedPipe
	}
	return r.Reader.ReadAt(p, off)
}

func (r *unsafeToClose) Close() error {
	r.closed = true
	return nil
}

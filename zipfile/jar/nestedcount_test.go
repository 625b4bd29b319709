package jar

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/backend/backendtest"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// counting records which bytes of a backend are read.
type counting struct {
	backend.Backend
	mu    sync.Mutex
	reads []byteRange
}

type byteRange struct{ from, to int64 }

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Backend.ReadAt(p, off)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads = append(c.reads, byteRange{off, off + int64(n)})
	return n, err
}

func (c *counting) Unwrap() backend.Backend { return c.Backend }

// twice returns which bytes were read more than once, and how many those are.
func (c *counting) twice() (list []string, n int64) {
	for i, a := range c.reads {
		for j, b := range c.reads[:i] {
			if from, to := max(a.from, b.from), min(a.to, b.to); from < to {
				list = append(list, fmt.Sprintf("read %d (%d to %d) and read %d (%d to %d): %d bytes", j, b.from, b.to, i, a.from, a.to, to-from))
				n += to - from
			}
		}
	}
	return list, n
}

// filler is n bytes that look compressed.
func filler(n int, seed uint64) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// threeDeep is a jar in a jar in a jar, all stored, with a class of the innermost.
func threeDeep(pad int) []byte {
	in := threeDeepInner(pad)
	for i, name := range []string{"in.jar", "mid.jar"} {
		in = ziptest.Archive{Entries: []ziptest.Entry{
			{Name: "pad0", Data: filler(pad, uint64(3+2*i))}, {Name: name, Data: in}, {Name: "pad1", Data: filler(pad, uint64(4+2*i))},
		}}.Bytes()
	}
	return in
}

func threeDeepInner(pad int) []byte {
	class := bytes.Repeat([]byte("class "), 500)
	return ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "pad0", Data: filler(pad, 1)}, {Name: "com/example/A.class", Data: class, Method: ziptest.Deflate}, {Name: "pad1", Data: filler(pad, 2)},
	}}.Bytes()
}

// sumsOf digests bytes by themselves.
func sumsOf(b []byte) Digests {
	s1, s256 := sha1.Sum(b), sha256.Sum256(b)
	return Digests{SHA1: s1[:], SHA256: s256[:], Size: int64(len(b))}
}

// TestReadsOnce: opening a class in a stored jar three levels deep reads no byte of the jars twice.
func TestReadsOnce(t *testing.T) {
	t.Parallel()
	for _, pad := range []int{0, 100, 1000, 10_000, 30_000, 40_000, 100_000, 300_000} {
		t.Run(fmt.Sprintf("pad=%d", pad), func(t *testing.T) {
			t.Parallel()
			c := &counting{Backend: backend.Bytes(threeDeep(pad))}
			o := (*NestedOptions)(nil).withDefaults()
			z, entry, err := o.openIn(t.Context(), c, location{file: "app.jar", inner: "mid.jar!/in.jar!/com/example/A.class"})
			require.NoError(t, err)
			assert.Equal(t, "com/example/A.class", entry)
			e, ok := z.Lookup(entry)
			require.True(t, ok)
			b, err := e.ReadAll()
			require.NoError(t, err)
			assert.Equal(t, strings.Repeat("class ", 500), string(b))
			list, n := c.twice()
			assert.Zero(t, n, "%q", list)
			assert.LessOrEqual(t, len(c.reads), 6, "tail and header of each, and the class")

			all, err := DigestArchive(t.Context(), z)
			require.NoError(t, err)
			mid, _ := z.Lookup("pad1")
			pad1, err := mid.ReadAll()
			require.NoError(t, err)
			assert.Equal(t, filler(pad, 2), pad1)
			assert.EqualValues(t, len(threeDeepInner(pad)), all.Size)
			assert.Equal(t, sumsOf(threeDeepInner(pad)), all)
			require.NoError(t, z.Close())
			_, err = c.ReadAt(make([]byte, 1), 0)
			assert.ErrorIs(t, err, fs.ErrClosed)
		})
	}
}

// TestReadsOnceLargeDirectory: the same where a directory is larger than the tail, and than what is kept.
func TestReadsOnceLargeDirectory(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2000, 20_000} {
		a := ziptest.Archive{Entries: []ziptest.Entry{{Name: "in.jar", Data: threeDeep(500)}}}
		for i := range n {
			a.Entries = append(a.Entries, ziptest.Entry{Name: fmt.Sprintf("com/example/some/package/Class%d.class", i)})
		}
		a.Entries = append(a.Entries, ziptest.Entry{Name: "last.jar", Data: threeDeep(500)})
		for _, first := range []string{"in.jar", "last.jar"} {
			c := &counting{Backend: backend.Bytes(a.Bytes())}
			o := (*NestedOptions)(nil).withDefaults()
			z, entry, err := o.openIn(t.Context(), c, location{file: "app.jar", inner: first + "!/mid.jar!/in.jar!/com/example/A.class"})
			require.NoError(t, err)
			_, err = lookup(t, z, entry).ReadAll()
			require.NoError(t, err)
			list, twice := c.twice()
			assert.Zero(t, twice, "%q", list)
			require.NoError(t, z.Close())
		}
	}
}

// TestOneDescriptor: opening a class in a stored jar three levels deep opens one descriptor, closing it none.
func TestOneDescriptor(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("descriptors are counted in /proc")
	}
	for _, kind := range []backend.Kind{backend.Pread, backend.Mapped} {
		name := filepath.Join(t.TempDir(), "app-to-count.jar")
		require.NoError(t, os.WriteFile(name, threeDeep(20_000), 0o666))
		z, entry, err := OpenPath(t.Context(), name+"!/mid.jar!/in.jar!/com/example/A.class", &NestedOptions{Zip: &zipfile.Options{Backend: kind}})
		require.NoError(t, err)
		e, _ := z.Lookup(entry)
		_, err = e.ReadAll()
		require.NoError(t, err)
		assert.Equal(t, 1, descriptors(t, name), "%v", kind)
		require.NoError(t, z.Close())
		assert.Zero(t, descriptors(t, name), "%v", kind)
	}
}

// descriptors counts the open ones whose file has a path that holds part.
func descriptors(t *testing.T, part string) (n int) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, d := range list {
		if to, err := os.Readlink("/proc/self/fd/" + d.Name()); err == nil && strings.Contains(to, part) {
			n++
		}
	}
	return n
}

// TestOnceBackend compares reads in any order with the bytes.
func TestOnceBackend(t *testing.T) {
	t.Parallel()
	data := filler(5000, 9)
	r := rand.New(rand.NewPCG(2, 3))
	for range 200 {
		c := &counting{Backend: backend.Bytes(data)}
		o := &onceBackend{Backend: c, learning: true}
		for i := range 30 {
			if i == 25 {
				assert.EqualValues(t, 0, second(c.twice()))
				o.done(int64(r.IntN(5000)), int64(r.IntN(6000)))
			}
			off := r.IntN(5200)
			p := make([]byte, r.IntN(700))
			n, err := o.ReadAt(p, int64(off))
			want, werr := bytes.NewReader(data).ReadAt(make([]byte, len(p)), int64(off))
			if off <= len(data) {
				require.Equal(t, want, n)
				require.Equal(t, data[off:off+n], p[:n])
			}
			if len(p) > 0 {
				require.Equal(t, werr, err, "%d bytes at %d", len(p), off)
			}
		}
	}
	backendtest.RunTests(t, func(tb testing.TB, content []byte) backend.Backend {
		o := &onceBackend{Backend: backend.Bytes(content), learning: true}
		o.ReadAt(make([]byte, 100), 10)
		o.done(0, 1<<30)
		return o
	})
}

func second(_ []string, n int64) int64 { return n }

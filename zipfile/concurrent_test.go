package zipfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// mixed is an archive of stored and deflated entries, small and large.
func mixed() ziptest.Archive {
	var a ziptest.Archive
	for i := range 40 {
		data := bytes.Repeat(fmt.Appendf(nil, "line %d of an entry\n", i), 1+i*i*i/20)
		a.Entries = append(a.Entries, ziptest.Entry{
			Name: fmt.Sprintf("dir%d/%d.txt", i%4, i), Data: data, Method: []uint16{ziptest.Store, ziptest.Deflate}[i%2],
		})
	}
	return a
}

// writeMixed writes the archive to a file and returns its path.
func writeMixed(t testing.TB) (string, ziptest.Archive) {
	t.Helper()
	a := mixed()
	name := filepath.Join(t.TempDir(), "mixed.jar")
	require.NoError(t, a.WriteFile(name))
	return name, a
}

// openers opens the same file through every backend.
func openers(t testing.TB, name string) map[string]func() backend.Backend {
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	file := func(k backend.Kind) func() backend.Backend {
		return func() backend.Backend {
			b, err := backend.Open(name, k)
			require.NoError(t, err)
			return b
		}
	}
	all := map[string]func() backend.Backend{
		"pread":  file(backend.Pread),
		"memory": func() backend.Backend { return backend.Bytes(content) },
		"reader": func() backend.Backend { return backend.ReaderAt(bytes.NewReader(content), int64(len(content))) },
		"section": func() backend.Backend {
			s, err := backend.Section(backend.Bytes(append([]byte("before"), content...)), 6, int64(len(content)))
			require.NoError(t, err)
			return s
		},
	}
	if canMap(name) {
		all["mapped"] = file(backend.Mapped)
	}
	return all
}

func canMap(name string) bool {
	b, err := backend.Open(name, backend.Mapped)
	if err != nil {
		return false
	}
	b.Close()
	return true
}

// readers are the ways to read an entry.
var readers = map[string]func(e zipfile.Entry) ([]byte, error){
	"ReadAll":  zipfile.Entry.ReadAll,
	"AppendTo": func(e zipfile.Entry) ([]byte, error) { return e.AppendTo(nil) },
	"WriteTo": func(e zipfile.Entry) ([]byte, error) {
		var b bytes.Buffer
		_, err := e.WriteTo(&b)
		return b.Bytes(), err
	},
	"Open": func(e zipfile.Entry) ([]byte, error) {
		r, err := e.Open()
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(r)
	},
}

func TestSwitchUnderReads(t *testing.T) {
	t.Parallel()
	name, a := writeMixed(t)
	if !canMap(name) {
		t.Skip("no mapping on this platform")
	}
	z, err := zipfile.Open(name, &zipfile.Options{Backend: backend.Pread})
	require.NoError(t, err)
	defer z.Close()

	var stop atomic.Bool
	var reads atomic.Int64
	var wg sync.WaitGroup
	for way, read := range readers {
		for g := range 2 {
			wg.Go(func() {
				for i := g; !stop.Load(); i++ {
					e := z.At(i % z.Len())
					got, err := read(e)
					if !assert.NoError(t, err, way) || !assert.True(t, bytes.Equal(a.Entries[e.Index()].Data, got), "%s of %s", way, e.Name()) {
						return
					}
					reads.Add(1)
				}
			})
		}
	}
	for i := 0; i < 200 || reads.Load() < 500; i++ {
		kind := []backend.Kind{backend.Mapped, backend.Pread}[i%2]
		if !assert.NoError(t, z.SwitchBackend(kind)) {
			break
		}
		assert.Equal(t, kind, z.Backend().Kind)
		runtime.Gosched()
	}
	stop.Store(true)
	wg.Wait()
}

func TestSwitchClosesOldBackend(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("counts descriptors in /proc")
	}
	name, _ := writeMixed(t)
	open := func() (n int) {
		dir, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		for _, d := range dir {
			if to, err := os.Readlink("/proc/self/fd/" + d.Name()); err == nil && to == name {
				n++
			}
		}
		return n
	}
	z, err := zipfile.Open(name, &zipfile.Options{Backend: backend.Pread})
	require.NoError(t, err)
	assert.Equal(t, 1, open())
	for range 3 {
		require.NoError(t, z.SwitchBackend(backend.Mapped))
		require.NoError(t, z.SwitchBackend(backend.Pread))
		assert.Equal(t, 1, open())
	}
	require.NoError(t, z.Close())
	assert.Equal(t, 0, open())
}

func TestSwitchRefused(t *testing.T) {
	t.Parallel()
	t.Run("replaced", func(t *testing.T) {
		t.Parallel()
		if runtime.GOOS == "windows" {
			t.Skip("an open file cannot be replaced there")
		}
		name, a := writeMixed(t)
		z, err := zipfile.Open(name, &zipfile.Options{Backend: backend.Pread})
		require.NoError(t, err)
		defer z.Close()
		require.NoError(t, ziptest.Archive{}.WriteFile(name+".new"))
		require.NoError(t, os.Rename(name+".new", name))
		err = z.SwitchBackend(backend.Pread)
		require.ErrorIs(t, err, backend.ErrChanged)
		assert.ErrorContains(t, err, name)
		assert.Equal(t, backend.Pread, z.Backend().Kind)
		got, err := z.At(3).ReadAll()
		require.NoError(t, err)
		assert.Equal(t, a.Entries[3].Data, got)
	})
	t.Run("gone", func(t *testing.T) {
		t.Parallel()
		if runtime.GOOS == "windows" {
			t.Skip("an open file cannot be removed there")
		}
		name, _ := writeMixed(t)
		z, err := zipfile.Open(name, nil)
		require.NoError(t, err)
		defer z.Close()
		require.NoError(t, os.Remove(name))
		require.ErrorIs(t, z.SwitchBackend(backend.Pread), fs.ErrNotExist)
	})
	t.Run("no path", func(t *testing.T) {
		t.Parallel()
		z, err := zipfile.New(backend.Bytes(mixed().Bytes()), nil)
		require.NoError(t, err)
		defer z.Close()
		require.ErrorIs(t, z.SwitchBackend(backend.Pread), errors.ErrUnsupported)
	})
	t.Run("closed", func(t *testing.T) {
		t.Parallel()
		name, _ := writeMixed(t)
		z, err := zipfile.Open(name, nil)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		require.ErrorIs(t, z.SwitchBackend(backend.Pread), fs.ErrClosed)
	})
}

func TestStreamAcrossSwitch(t *testing.T) {
	t.Parallel()
	name, a := writeMixed(t)
	if !canMap(name) {
		t.Skip("no mapping on this platform")
	}
	z, err := zipfile.Open(name, &zipfile.Options{Backend: backend.Pread})
	require.NoError(t, err)
	defer z.Close()
	last := z.Len() - 1 // the largest
	for _, i := range []int{last, last - 1} {
		r, err := z.At(i).Open()
		require.NoError(t, err)
		var got []byte
		for n := 0; ; n++ {
			p := make([]byte, 1000)
			m, err := r.Read(p)
			got = append(got, p[:m]...)
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			require.NoError(t, z.SwitchBackend([]backend.Kind{backend.Mapped, backend.Pread}[n%2]))
		}
		assert.Equal(t, a.Entries[i].Data, got)
		require.NoError(t, r.Close())
	}
}

func TestCloseUnderReads(t *testing.T) {
	t.Parallel()
	name, a := writeMixed(t)
	for kind, open := range openers(t, name) {
		t.Run("backend="+kind, func(t *testing.T) {
			t.Parallel()
			for round := range 30 {
				z, err := zipfile.New(open(), nil)
				require.NoError(t, err)
				var wg sync.WaitGroup
				var begun, refused atomic.Int64
				for way, read := range readers {
					for g := range 3 {
						wg.Go(func() {
							for i := g; ; i++ {
								e := z.At(i % z.Len())
								got, err := read(e)
								begun.Add(1)
								if err != nil {
									refused.Add(1)
									assert.ErrorIs(t, err, fs.ErrClosed, way)
									return
								}
								if !assert.True(t, bytes.Equal(a.Entries[e.Index()].Data, got), "%s of %s", way, e.Name()) {
									return
								}
							}
						})
					}
				}
				for begun.Load() < int64(round*5) {
					runtime.Gosched()
				}
				assert.NoError(t, z.Close())
				assert.NoError(t, z.Close(), "twice")
				wg.Wait()
				assert.EqualValues(t, len(readers)*3, refused.Load())
				_, err = fs.ReadFile(z.FS(), a.Entries[0].Name)
				assert.ErrorIs(t, err, fs.ErrClosed)
			}
		})
	}
}

// closing closes the archive in the middle of a WriteTo.
type closing struct {
	z *zipfile.ZipFile
	n int
}

func (c *closing) Write(p []byte) (int, error) {
	if c.n == 0 {
		c.z.Close()
	}
	c.n += len(p)
	return len(p), nil
}

func TestCloseFromCallback(t *testing.T) {
	t.Parallel()
	a := ziptest.Archive{Entries: []ziptest.Entry{{Name: "large", Data: bytes.Repeat([]byte("0123456789abcdef"), 1<<18), Method: ziptest.Deflate}}}
	name := filepath.Join(t.TempDir(), "large.zip")
	require.NoError(t, a.WriteFile(name))
	for kind, open := range openers(t, name) {
		t.Run("backend="+kind, func(t *testing.T) {
			t.Parallel()
			z, err := zipfile.New(open(), nil)
			require.NoError(t, err)
			w := &closing{z: z}
			n, err := z.At(0).WriteTo(w)
			require.ErrorIs(t, err, fs.ErrClosed)
			assert.EqualValues(t, w.n, n)
			assert.Less(t, w.n, len(a.Entries[0].Data))
		})
	}
}

func TestOpenStreamAfterClose(t *testing.T) {
	t.Parallel()
	name, _ := writeMixed(t)
	for kind, open := range openers(t, name) {
		t.Run("backend="+kind, func(t *testing.T) {
			t.Parallel()
			z, err := zipfile.New(open(), nil)
			require.NoError(t, err)
			r, err := z.At(5).Open()
			require.NoError(t, err)
			raw, err := z.At(6).OpenRaw()
			require.NoError(t, err)
			require.NoError(t, z.Close())
			p := make([]byte, 10)
			_, err = r.Read(p)
			assert.ErrorIs(t, err, fs.ErrClosed)
			_, err = raw.Read(p)
			assert.ErrorIs(t, err, fs.ErrClosed)
			_, err = z.At(0).DataOffset()
			assert.ErrorIs(t, err, fs.ErrClosed)
			assert.Equal(t, "dir1/5.txt", z.At(5).Name(), "the directory stays")
			assert.NoError(t, r.Close())
		})
	}
}

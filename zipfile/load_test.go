package zipfile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/backend/backendtest"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// loadArchive has all that Load treats differently: many small entries, stored and deflated,
// large ones, ones that expand beyond their share of memory, directories, odd local headers.
func loadArchive() ziptest.Archive {
	a := mixed()
	a.Entries = append(a.Entries,
		ziptest.Entry{Name: "dir0/", Mode: fs.ModeDir | 0o755},
		ziptest.Entry{Name: "empty", Method: ziptest.Deflate},
		ziptest.Entry{Name: "zeros", Method: ziptest.Deflate, Data: make([]byte, 3<<20)},
		ziptest.Entry{Name: "large stored", Data: bytes.Repeat([]byte("stored "), 1<<20)},
		ziptest.Entry{Name: "extra", Data: []byte("behind 60 KB"), LocalExtra: ziptest.Extra(0x7777, make([]byte, 60000)...), Method: ziptest.Deflate},
		ziptest.Entry{Name: "streamed", Data: []byte("with a descriptor"), Method: ziptest.Deflate, Descriptor: ziptest.Signed64},
		ziptest.Entry{Name: "after a gap", Data: []byte("gap"), Method: ziptest.Deflate},
	)
	for i := range 500 {
		a.Entries = append(a.Entries, ziptest.Entry{Name: fmt.Sprintf("small/%d", i), Data: []byte(strings.Repeat(fmt.Sprint(i), i%97)), Method: []uint16{ziptest.Store, ziptest.Deflate}[i%2]})
	}
	return a
}

func TestLoad(t *testing.T) {
	t.Parallel()
	forward := loadArchive()
	backward := loadArchive()
	backward.Directory = func(d []ziptest.CentralHeader) []ziptest.CentralHeader {
		slices.Reverse(d)
		return d
	}
	want := map[string][]byte{}
	for _, e := range forward.Entries {
		want[e.Name] = e.Data
	}
	delete(want, "dir0/")
	for order, a := range map[string]ziptest.Archive{"forward": forward, "backward": backward} {
		name := filepath.Join(t.TempDir(), order+".zip")
		require.NoError(t, a.WriteFile(name))
		for kind, open := range openers(t, name) {
			for _, workers := range []int{0, 1, 3} {
				for _, most := range []int64{0, 1000, 1 << 20} {
					t.Run(fmt.Sprintf("%s/backend=%s/workers=%d/most=%d", order, kind, workers, most), func(t *testing.T) {
						t.Parallel()
						z, err := zipfile.New(open(), nil)
						require.NoError(t, err)
						defer z.Close()
						var mu sync.Mutex
						got := map[string][]byte{}
						large := 0
						err = z.Load(context.Background(), zipfile.LoadOptions{Workers: workers, MaxBuffer: most, Large: func(e zipfile.Entry) error {
							large++ // one at a time
							b, err := e.ReadAll()
							mu.Lock()
							defer mu.Unlock()
							got[e.Name()] = b
							return err
						}}, func(e zipfile.Entry, data []byte) error {
							mu.Lock()
							defer mu.Unlock()
							if got[e.Name()] != nil {
								return errors.New(e.Name() + " comes twice")
							}
							got[e.Name()] = append([]byte{}, data...)
							return nil
						})
						require.NoError(t, err)
						require.Len(t, got, len(want))
						for name, data := range want {
							assert.True(t, bytes.Equal(data, got[name]), name)
						}
						assert.Equal(t, most > 0, large > 0)
						assert.Empty(t, z.Findings())
					})
				}
			}
		}
	}
}

// TestLoadErrors: one bad entry ends the load or does not, as OnError says.
func TestLoadErrors(t *testing.T) {
	t.Parallel()
	a := loadArchive()
	bad := map[string]string{}
	spoil := func(i int, kind string, how func(e *ziptest.Entry)) {
		how(&a.Entries[i])
		bad[a.Entries[i].Name] = kind
	}
	crc := func(e *ziptest.Entry) { e.Central = func(h *ziptest.CentralHeader) { h.CRC32 ^= 1 } }
	spoil(3, "checksum", crc)
	spoil(4, "checksum", crc)
	spoil(5, "data", func(e *ziptest.Entry) { e.Raw = []byte("\x07") })
	spoil(6, "method", func(e *ziptest.Entry) { e.Method = 97; e.Raw = []byte("x") })
	spoil(7, "password", func(e *ziptest.Entry) { e.Flags = ziptest.FlagEncrypted })
	spoil(9, "size", func(e *ziptest.Entry) { e.Header = func(h *ziptest.Header) { h.Size++ } })
	spoil(11, "format", func(e *ziptest.Entry) { e.Local = func(h *ziptest.LocalHeader) { h.Signature = 0 } })
	spoil(42, "checksum", crc) // zeros
	for kind, open := range openers(t, func() string {
		name := filepath.Join(t.TempDir(), "bad.zip")
		require.NoError(t, a.WriteFile(name))
		return name
	}()) {
		t.Run("backend="+kind, func(t *testing.T) {
			t.Parallel()
			z, err := zipfile.New(open(), nil)
			require.NoError(t, err)
			defer z.Close()
			failed := map[string]string{}
			var loaded atomic.Int64
			count := func(zipfile.Entry, []byte) error { loaded.Add(1); return nil }
			err = z.Load(context.Background(), zipfile.LoadOptions{OnError: func(e zipfile.Entry, err error) error {
				failed[e.Name()] = zipfile.ErrorKind(err) // one at a time
				assert.ErrorContains(t, err, e.Name())
				_, alone := e.ReadAll()
				assert.EqualError(t, err, alone.Error())
				return nil
			}}, count)
			require.NoError(t, err)
			assert.Equal(t, bad, failed)
			assert.EqualValues(t, len(a.Entries)-1-len(bad), loaded.Load())

			stop := errors.New("enough")
			require.Error(t, z.Load(context.Background(), zipfile.LoadOptions{}, count))
			require.ErrorIs(t, z.Load(context.Background(), zipfile.LoadOptions{OnError: func(zipfile.Entry, error) error { return stop }}, count), stop)
			require.ErrorIs(t, z.Load(context.Background(), zipfile.LoadOptions{Match: func(e zipfile.Entry) bool { return bad[e.Name()] == "" }},
				func(zipfile.Entry, []byte) error { return stop }), stop)
			err = z.Load(context.Background(), zipfile.LoadOptions{MaxBuffer: 100, Match: func(e zipfile.Entry) bool { return e.Name() == "large stored" }}, count)
			require.ErrorIs(t, err, zipfile.ErrLimit)
		})
	}
}

func TestLoadEnds(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "load.zip")
	require.NoError(t, loadArchive().WriteFile(name))
	for kind, open := range openers(t, name) {
		t.Run("canceled/backend="+kind, func(t *testing.T) {
			t.Parallel()
			z, err := zipfile.New(open(), nil)
			require.NoError(t, err)
			defer z.Close()
			ctx, cancel := context.WithCancelCause(context.Background())
			why := errors.New("why")
			var after atomic.Int64
			err = z.Load(ctx, zipfile.LoadOptions{Workers: 2}, func(zipfile.Entry, []byte) error {
				cancel(why)
				after.Add(1)
				return nil
			})
			require.ErrorIs(t, err, why)
			assert.LessOrEqual(t, after.Load(), int64(4))
		})
		t.Run("closed/backend="+kind, func(t *testing.T) {
			t.Parallel()
			z, err := zipfile.New(open(), nil)
			require.NoError(t, err)
			err = z.Load(context.Background(), zipfile.LoadOptions{Workers: 2, OnError: func(zipfile.Entry, error) error { return nil }}, func(zipfile.Entry, []byte) error {
				return z.Close()
			})
			require.ErrorIs(t, err, fs.ErrClosed)
			require.ErrorIs(t, z.Load(context.Background(), zipfile.LoadOptions{}, nil), fs.ErrClosed)
		})
	}
}

// TestLoadFaults: every failed read is told.
func TestLoadFaults(t *testing.T) {
	t.Parallel()
	content := loadArchive().Bytes()
	for n := 1; ; n++ {
		b := backendtest.NewFaulty(backend.Bytes(content))
		z, err := zipfile.New(b, nil)
		require.NoError(t, err)
		b.Reset()
		b.OnRead(func(read int, _ backendtest.Read) error {
			if read >= n {
				return fs.ErrPermission
			}
			return nil
		})
		err = z.Load(context.Background(), zipfile.LoadOptions{Workers: 1}, func(zipfile.Entry, []byte) error { return nil })
		if b.Count() < n {
			require.NoError(t, err)
			assert.Greater(t, n, 5)
			break
		}
		require.ErrorIs(t, err, fs.ErrPermission, "read %d", n)
	}
}

// TestLoadBadPlace: what cannot be read of the file costs the entries that stand there, and none
// of those that are read together with them.
func TestLoadBadPlace(t *testing.T) {
	t.Parallel()
	a := loadArchive()
	image := a.Build()
	for _, name := range []string{"dir1/1.txt", "dir3/39.txt", "zeros", "large stored", "extra", "small/7", "small/499"} {
		b := backendtest.NewFaulty(backend.Bytes(image.Bytes()))
		z, err := zipfile.New(b, nil)
		require.NoError(t, err)
		bad := image.Entry(name).Data
		b.OnRead(func(_ int, r backendtest.Read) error {
			if r.Off <= bad && bad < r.Off+int64(r.Len) {
				return fs.ErrPermission
			}
			return nil
		})
		var loaded atomic.Int64
		err = z.Load(context.Background(), zipfile.LoadOptions{OnError: func(e zipfile.Entry, err error) error {
			assert.Equal(t, name, e.Name())
			assert.ErrorIs(t, err, fs.ErrPermission)
			return nil
		}}, func(zipfile.Entry, []byte) error { loaded.Add(1); return nil })
		require.NoError(t, err)
		assert.EqualValues(t, len(a.Entries)-2, loaded.Load(), name) // without dir0/
	}
}

// TestLoadEntries: those that are given, as often as they are given, whatever their order.
func TestLoadEntries(t *testing.T) {
	t.Parallel()
	forward, backward := loadArchive(), loadArchive()
	backward.Directory = func(d []ziptest.CentralHeader) []ziptest.CentralHeader {
		slices.Reverse(d)
		return d
	}
	other, err := zipfile.New(backend.Bytes(forward.Bytes()), nil)
	require.NoError(t, err)
	defer other.Close()
	data := make(map[string][]byte)
	for _, e := range forward.Entries {
		data[e.Name] = e.Data
	}
	small := func(i int) string { return fmt.Sprint("small/", i) }
	var many []string
	for i := range 500 {
		many = append(many, small(i*77%500))
	}
	for order, a := range map[string]ziptest.Archive{"forward": forward, "backward": backward} {
		name := filepath.Join(t.TempDir(), order+".zip")
		require.NoError(t, a.WriteFile(name))
		for kind, open := range openers(t, name) {
			z, err := zipfile.New(open(), nil)
			require.NoError(t, err)
			defer z.Close()
			for _, c := range []struct {
				name  string
				given []string
				match func(zipfile.Entry) bool
				want  []string // given if nil
			}{
				{name: "none"},
				{name: "one", given: []string{"zeros"}},
				{name: "neighbours", given: []string{small(1), small(2), small(3)}},
				{name: "backwards", given: []string{small(3), "extra", small(2), "large stored", small(1)}},
				{name: "twice", given: []string{small(5), "zeros", small(5), small(5), "zeros"}},
				{name: "directory", given: []string{"dir0/", "empty"}},
				{name: "many", given: many},
				{name: "some match", given: []string{"dir0/", small(9), "empty"}, match: zipfile.Entry.IsDir, want: []string{"dir0/"}},
				{name: "none match", given: []string{small(9)}, match: zipfile.Entry.IsDir, want: []string{}},
			} {
				t.Run(fmt.Sprintf("%s/backend=%s/%s", order, kind, c.name), func(t *testing.T) {
					var entries []zipfile.Entry
					for _, name := range c.given {
						e, ok := z.Lookup(name)
						require.True(t, ok, name)
						entries = append(entries, e)
					}
					var mu sync.Mutex
					got := []string{}
					load := func(entries []zipfile.Entry) error {
						return zipfile.LoadEntries(context.Background(), entries, zipfile.LoadOptions{Match: c.match}, func(e zipfile.Entry, b []byte) error {
							mu.Lock()
							defer mu.Unlock()
							got = append(got, e.Name())
							assert.True(t, bytes.Equal(data[e.Name()], b), e.Name())
							return nil
						})
					}
					require.NoError(t, load(entries))
					want := c.want
					if want == nil {
						want = c.given
					}
					assert.ElementsMatch(t, want, got)
					if len(entries) > 0 {
						got = got[:0]
						require.Error(t, load(append(entries, other.At(1))), "of two archives")
						assert.Empty(t, got)
					}
				})
			}
		}
	}
}

// TestAllocsOfLoad: few allocations whatever the number of entries.
func TestAllocsOfLoad(t *testing.T) {
	skipUnderRace(t)
	const entries = 20000
	name := filepath.Join(t.TempDir(), "many.zip")
	require.NoError(t, ziptest.Archive{More: ziptest.Many(entries)}.WriteFile(name))
	z, err := zipfile.Open(name, &zipfile.Options{Backend: backend.Pread})
	require.NoError(t, err)
	defer z.Close()
	load := func() {
		err := z.Load(context.Background(), zipfile.LoadOptions{}, func(zipfile.Entry, []byte) error { return nil })
		require.NoError(t, err)
	}
	assert.LessOrEqual(t, testing.AllocsPerRun(5, load), 200.0+entries/1000)
}

// TestLoadDirectories: a directory is empty in Load as it is everywhere, whatever size it declares.
func TestLoadDirectories(t *testing.T) {
	t.Parallel()
	b := ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "plain/", Mode: fs.ModeDir | 0o755},
		{Name: "deflated/", Method: ziptest.Deflate},
		{Name: "huge/", Method: ziptest.Deflate, Raw: []byte{3, 0}, Header: func(h *ziptest.Header) { h.Size = 1 << 30 }},
		{Name: "file", Data: []byte("x")},
	}}.Bytes()
	z, err := zipfile.New(backend.Bytes(b), nil)
	require.NoError(t, err)
	defer z.Close()
	for e := range z.Entries() {
		want, err := e.ReadAll()
		require.NoError(t, err)
		require.NoError(t, zipfile.LoadEntries(context.Background(), []zipfile.Entry{e}, zipfile.LoadOptions{
			Large: func(e zipfile.Entry) error { return fmt.Errorf("%s went to Large", e.Name()) },
		}, func(e zipfile.Entry, data []byte) error {
			assert.Equal(t, want, data, e.Name()) // nil would look like a failure
			return nil
		}))
	}
}

// lender tells whether somebody reads what it lends after View has ended.
type lender struct {
	backend.Viewer
	lent atomic.Bool
}

func (l *lender) View(off int64, n int, fn func(b []byte) error) error {
	l.lent.Store(true)
	defer l.lent.Store(false)
	return l.Viewer.View(off, n, fn)
}

// TestLoadPanic: a panic of the caller's function goes on when nobody else reads any more.
func TestLoadPanic(t *testing.T) {
	t.Parallel()
	l := &lender{Viewer: backend.Bytes(loadArchive().Bytes()).(backend.Viewer)}
	z, err := zipfile.New(l, nil)
	require.NoError(t, err)
	defer z.Close()
	caller := goroutine()
	var running atomic.Int32
	assert.PanicsWithValue(t, "of fn", func() {
		z.Load(context.Background(), zipfile.LoadOptions{Workers: 4}, func(e zipfile.Entry, data []byte) error {
			running.Add(1)
			defer running.Add(-1)
			if goroutine() == caller {
				panic("of fn")
			}
			for range 1000 {
				runtime.Gosched()
			}
			assert.True(t, l.lent.Load(), "%s is read after View", e.Name())
			return nil
		})
	})
	assert.Zero(t, running.Load())
}

// goroutine names the one that runs.
func goroutine() string {
	var b [64]byte
	name, _, _ := strings.Cut(string(b[:runtime.Stack(b[:], false)]), "[")
	return name
}

// TestLoadGoexit: a function that ends its goroutine, as FailNow of a test does, ends the load.
func TestLoadGoexit(t *testing.T) {
	t.Parallel()
	z, err := zipfile.New(backend.Bytes(loadArchive().Bytes()), nil)
	require.NoError(t, err)
	defer z.Close()
	caller := goroutine()
	var once sync.Once
	for {
		gone := false
		err := z.Load(context.Background(), zipfile.LoadOptions{Workers: 4}, func(zipfile.Entry, []byte) error {
			if goroutine() != caller {
				once.Do(func() { gone = true })
				if gone {
					runtime.Goexit()
				}
			}
			runtime.Gosched()
			return nil
		})
		if gone {
			assert.ErrorContains(t, err, "ended its goroutine")
			return
		}
		require.NoError(t, err) // the caller's goroutine did it all
	}
}

// TestLoadPanicLocked: a panic goes on even where others wait for a lock that it holds.
func TestLoadPanicLocked(t *testing.T) {
	t.Parallel()
	z, err := zipfile.New(backend.Bytes(loadArchive().Bytes()), nil)
	require.NoError(t, err)
	caller := goroutine()
	var mu sync.Mutex
	assert.PanicsWithValue(t, "of fn", func() {
		z.Load(context.Background(), zipfile.LoadOptions{Workers: 4}, func(e zipfile.Entry, data []byte) error {
			mu.Lock()
			if goroutine() == caller {
				panic("of fn")
			}
			mu.Unlock()
			return nil
		})
	})
	mu.Unlock()
}

// TestCloseInWrite: a stream that its reader closes within io.Copy ends there, and leaves other streams alone.
func TestCloseInWrite(t *testing.T) {
	t.Parallel()
	other := bytes.Repeat([]byte("other text "), 300_000)
	b := ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "a", Data: bytes.Repeat([]byte("some text "), 300_000), Method: ziptest.Deflate},
		{Name: "b", Data: other, Method: ziptest.Deflate},
		{Name: "stored", Data: bytes.Repeat([]byte("some text "), 300_000)},
	}}.Bytes()
	z, err := zipfile.New(backend.Bytes(b), nil)
	require.NoError(t, err)
	defer z.Close()
	second, _ := z.Lookup("b")
	for _, name := range []string{"a", "stored"} {
		e, _ := z.Lookup(name)
		in, err := e.Open()
		require.NoError(t, err)
		var next io.ReadCloser
		begin := make([]byte, 1000)
		n, err := io.Copy(writerFunc(func(p []byte) (int, error) {
			require.NoError(t, in.Close())
			if next == nil {
				next, err = second.Open()
				require.NoError(t, err)
				_, err = io.ReadFull(next, begin)
				require.NoError(t, err)
			}
			return len(p), nil
		}), in)
		assert.ErrorIs(t, err, fs.ErrClosed, name)
		assert.Less(t, n, e.Size())
		rest, err := io.ReadAll(next)
		require.NoError(t, err, name)
		assert.True(t, bytes.Equal(other, append(begin, rest...)), name)
		require.NoError(t, next.Close())
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

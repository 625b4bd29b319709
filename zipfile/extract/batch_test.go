package extract

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/backend/backendtest"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// batches is an archive of several batches, and what becomes of its entries: the files, and parts
// of the errors in the order of the entries.
func batches() (a ziptest.Archive, files map[string]string, failed []string) {
	files = make(map[string]string)
	for i := range 2*batchFiles + 100 {
		e := ziptest.Entry{
			Name: fmt.Sprintf("d%d/%d", i/100, i), Data: []byte(strings.Repeat(fmt.Sprint(i, " "), i%97*i%1000)), Method: []uint16{ziptest.Deflate, ziptest.Store}[i%3/2],
		}
		switch {
		case i%200 == 7:
			e.Header = func(h *ziptest.Header) { h.CRC32++ }
			failed = append(failed, e.Name+": data ")
		case i%200 == 8:
			e.Method, e.Raw = ziptest.Deflate, append([]byte("\x07"), make([]byte, 100)...)
			failed = append(failed, e.Name+": data ")
		case i%200 == 9:
			e.Zeros, e.Method = inMemory, ziptest.Deflate // one of its own
			fallthrough
		default:
			files[e.Name] = string(e.Data) + strings.Repeat("\x00", int(e.Zeros))
		}
		a.Entries = append(a.Entries, e)
	}
	return a, files, failed
}

// TestBatches: entries that are read and decoded together come out as they would alone.
func TestBatches(t *testing.T) {
	t.Parallel()
	forward, files, failed := batches()
	backward := forward
	backward.Directory = func(d []ziptest.CentralHeader) []ziptest.CentralHeader {
		slices.Reverse(d)
		return d
	}
	for order, a := range map[string]ziptest.Archive{"forward": forward, "backward": backward} {
		for kind, z := range backends(t, a) {
			for _, workers := range []int{1, 3} {
				t.Run(fmt.Sprintf("%s/backend=%s/workers=%d", order, kind, workers), func(t *testing.T) {
					t.Parallel()
					tg := newTarget(t)
					done := make(finished)
					result := tg.unpack(t, z, &Options{Workers: workers, Done: done.watch(t)})
					assert.Len(t, done, z.Len())
					done.agree(t, result)
					assert.Equal(t, len(files), result.Files)
					tree := read(t, tg.dir)
					maps.DeleteFunc(tree, func(name, _ string) bool { return strings.HasSuffix(name, "/") })
					assert.True(t, maps.Equal(files, tree))
					got := failures(result)
					want := slices.Clone(failed)
					if order == "backward" {
						slices.Reverse(want)
					}
					require.Len(t, got, len(want), "%q", got)
					for i := range want {
						assert.Contains(t, got[i], want[i])
						_, alone := result.Failed[i].Entry.ReadAll()
						assert.Equal(t, words(t, alone), words(t, result.Failed[i]))
					}
				})
			}
		}
	}
}

// words is what an error says of the entry.
func words(t *testing.T, err error) string {
	fe, ok := errors.AsType[*zipfile.FormatError](err)
	require.True(t, ok, "%v", err)
	return fe.Error()
}

func TestNeighboursAreReadTogether(t *testing.T) {
	t.Parallel()
	a, _, _ := batches()
	b := backendtest.NewFaulty(backend.Bytes(a.Bytes()))
	z, err := zipfile.New(b, nil)
	require.NoError(t, err)
	b.Reset()
	newTarget(t).unpack(t, z, nil)
	assert.Less(t, b.Count(), len(a.Entries)/10)
}

func TestNextBatch(t *testing.T) {
	t.Parallel()
	stored := func(size int64) ziptest.Entry { return ziptest.Entry{Zeros: size} }
	for _, c := range []struct {
		name    string
		entries []ziptest.Entry
		want    []int
	}{
		{"one", []ziptest.Entry{stored(1)}, []int{1}},
		{"empty ones", make([]ziptest.Entry, 2*batchFiles+1), []int{batchFiles, batchFiles, 1}},
		{"many bytes", []ziptest.Entry{stored(batchBytes - 1), stored(1), stored(1), stored(batchBytes), stored(1)}, []int{2, 1, 1, 1}},
		{"more than a batch", []ziptest.Entry{stored(1), stored(inMemory), stored(1)}, []int{1, 1, 1}},
		{"large ones", []ziptest.Entry{
			stored(1), {Zeros: inMemory + 1, Method: ziptest.Deflate}, {Zeros: inMemory + 1, Method: ziptest.Deflate}, {Zeros: inMemory, Method: ziptest.Deflate}, stored(1),
		}, []int{1, 1, 1, 2}},
	} {
		for i := range c.entries {
			c.entries[i].Name = fmt.Sprint(i)
		}
		files := (&unpacking{}).plan(open(t, ziptest.Archive{Entries: c.entries}).Entries()).pick(false)
		var got []int
		for len(files) > 0 {
			n := nextBatch(files)
			got = append(got, n)
			files = files[n:]
		}
		assert.Equal(t, c.want, got, c.name)
	}
}

// TestLargeAtOnce: large files of one directory are written side by side.
func TestLargeAtOnce(t *testing.T) {
	t.Parallel()
	large := func(name string) ziptest.Entry {
		return ziptest.Entry{Name: name, Zeros: 2 * inMemory, Method: ziptest.Deflate}
	}
	for kind, z := range backends(t, ziptest.Archive{Entries: []ziptest.Entry{large("a"), large("b"), large("c")}}) {
		t.Run("backend="+kind, func(t *testing.T) {
			t.Parallel()
			tg := newTarget(t)
			var begun sync.WaitGroup
			begun.Add(3)
			u := &unpacking{Options: Options{Workers: 3}, root: tg.root}
			u.temps.open = func(dir *folder, name string) (output, error) {
				begun.Done()
				all := make(chan struct{})
				go func() { begun.Wait(); close(all) }()
				select {
				case <-all:
				case <-time.After(10 * time.Second):
					return nil, errors.New("the others have not begun")
				}
				return openNew(dir, name)
			}
			result, err := u.run(t.Context(), z.Entries())
			require.NoError(t, err)
			assert.Empty(t, failures(result))
			assert.Equal(t, 3, result.Files)
		})
	}
}

// TestOneEntryTwice: an entry may be given more than once, to be unpacked under several names.
func TestOneEntryTwice(t *testing.T) {
	t.Parallel()
	z := open(t, ziptest.Archive{Entries: []ziptest.Entry{file("a", "contents"), file("b", "other")}})
	entries := []zipfile.Entry{z.At(0), z.At(1), z.At(0), z.At(0)}
	tg := newTarget(t)
	n := 0
	calls := 0
	result, err := Unpack(t.Context(), tg.root, slices.Values(entries), &Options{
		Name: func(zipfile.Entry) string { n++; return fmt.Sprint(n) },
		Done: func(_ zipfile.Entry, err error) { calls++; assert.NoError(t, err) },
	})
	require.NoError(t, err)
	assert.Empty(t, failures(result))
	assert.Equal(t, map[string]string{"1": "contents", "2": "other", "3": "contents", "4": "contents"}, read(t, tg.dir))
	assert.Equal(t, 4, calls)
}

// TestClosedMeanwhile: each entry that is not unpacked any more says why.
func TestClosedMeanwhile(t *testing.T) {
	t.Parallel()
	a, files, damaged := batches()
	for kind, z := range backends(t, a) {
		t.Run("backend="+kind, func(t *testing.T) {
			t.Parallel()
			tg := newTarget(t)
			done := make(finished)
			watch := done.watch(t)
			result := tg.unpack(t, z, &Options{Done: func(e zipfile.Entry, err error) {
				watch(e, err)
				if len(done) == 100 {
					assert.NoError(t, z.Close())
				}
			}})
			assert.Len(t, done, z.Len())
			done.agree(t, result)
			assert.Equal(t, z.Len(), result.Files+len(result.Failed))
			assert.Greater(t, result.Files, 90)
			assert.Less(t, result.Files, 100+2*batchFiles)
			assert.Greater(t, len(result.Failed), len(damaged))
			for _, f := range result.Failed {
				if _, whole := files[f.Entry.Name()]; whole {
					assert.ErrorIs(t, f, fs.ErrClosed)
				}
			}
		})
	}
}

// TestFolder: nothing that is there is replaced or followed.
func TestFolder(t *testing.T) {
	t.Parallel()
	tg := newTarget(t)
	require.NoError(t, tg.root.WriteFile("file", []byte("old"), 0o644))
	require.NoError(t, tg.root.Mkdir("dir", 0o755))
	require.NoError(t, tg.root.WriteFile("new", []byte("new"), 0o644))
	taken := []string{"file", "dir"}
	if err := tg.root.Symlink("../../canary", "link"); err == nil {
		require.NoError(t, tg.root.Symlink("nothing", "dangling"))
		taken = append(taken, "link", "dangling")
	}
	was := read(t, tg.dir)
	d, err := openFolder(tg.root)
	require.NoError(t, err)
	defer d.close()
	for _, name := range taken {
		_, err := d.create(name)
		assert.ErrorIs(t, err, fs.ErrExist, name)
		if err := d.renameNew("new", name); !errors.Is(err, errors.ErrUnsupported) {
			assert.ErrorIs(t, err, fs.ErrExist, name)
		}
	}
	assert.Equal(t, was, read(t, tg.dir))
	assert.Equal(t, tg.was, tg.outside(t))

	when := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	require.NoError(t, d.setTime("new", when))
	if slices.Contains(taken, "link") {
		require.NoError(t, d.setTime("link", when))
		st, err := os.Stat(tg.above + "/canary")
		require.NoError(t, err)
		assert.False(t, when.Equal(st.ModTime()), "the link was followed")
	}
	st, err := tg.root.Stat("new")
	require.NoError(t, err)
	assert.True(t, when.Equal(st.ModTime()))
}

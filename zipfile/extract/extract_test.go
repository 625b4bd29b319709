package extract

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

func open(t *testing.T, a ziptest.Archive) *zipfile.ZipFile {
	t.Helper()
	z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
	require.NoError(t, err)
	t.Cleanup(func() { z.Close() })
	return z
}

// backends opens the archive through each backend that matters to unpacking: one that lends its
// bytes, and those of files.
func backends(t *testing.T, a ziptest.Archive) map[string]*zipfile.ZipFile {
	t.Helper()
	all := map[string]*zipfile.ZipFile{"memory": open(t, a)}
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, a.WriteFile(name))
	for _, k := range []backend.Kind{backend.Pread, backend.Mapped} {
		z, err := zipfile.Open(name, &zipfile.Options{Backend: k})
		if errors.Is(err, errors.ErrUnsupported) {
			continue
		}
		require.NoError(t, err)
		t.Cleanup(func() { z.Close() })
		all[k.String()] = z
	}
	return all
}

// target is a directory to unpack into, with a canary beside it.
type target struct {
	dir   string
	root  *os.Root
	above string
	was   map[string]string
}

func newTarget(t *testing.T) *target {
	t.Helper()
	above := t.TempDir()
	tg := &target{above: above, dir: filepath.Join(above, "in", "out")}
	require.NoError(t, os.MkdirAll(tg.dir, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(above, "canary"), []byte("canary"), 0o666))
	var err error
	tg.root, err = os.OpenRoot(tg.dir)
	require.NoError(t, err)
	t.Cleanup(func() {
		tg.root.Close()
		// A directory that may not be written to cannot be removed either.
		filepath.WalkDir(above, func(p string, d fs.DirEntry, err error) error {
			if d != nil && d.IsDir() {
				os.Chmod(p, 0o700)
			}
			return nil
		})
	})
	tg.was = tg.outside(t)
	return tg
}

// outside is what lies around the target.
func (tg *target) outside(t *testing.T) map[string]string {
	return read(t, tg.above, "in/out")
}

func (tg *target) unpack(t *testing.T, z *zipfile.ZipFile, o *Options) *Result {
	t.Helper()
	result, err := Unpack(t.Context(), tg.root, z.Entries(), o)
	require.NoError(t, err)
	assert.Equal(t, tg.was, tg.outside(t), "around the target")
	return result
}

// read gives a tree as path to contents, "dir", or "-> target", without what is in skip.
func read(t *testing.T, dir string, skip ...string) map[string]string {
	t.Helper()
	tree := make(map[string]string)
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		rel = filepath.ToSlash(rel)
		switch d.Type() {
		case fs.ModeDir:
			tree[rel+"/"] = "dir"
			if slices.Contains(skip, rel) {
				return fs.SkipDir
			}
		case fs.ModeSymlink:
			to, err := os.Readlink(p)
			tree[rel] = "-> " + to
			return err
		case 0:
			b, err := os.ReadFile(p)
			tree[rel] = string(b)
			return err
		default:
			tree[rel] = d.Type().String()
		}
		return nil
	})
	require.NoError(t, err)
	return tree
}

func failures(r *Result) []string {
	var list []string
	for _, f := range r.Failed {
		list = append(list, f.Error())
	}
	return list
}

// finished is what Done was told, by the index of the entry.
type finished map[int]error

// watch returns a function for Options.Done.
func (f finished) watch(t *testing.T) func(zipfile.Entry, error) {
	return func(e zipfile.Entry, err error) {
		assert.NotContains(t, f, e.Index(), "Done was called before")
		f[e.Index()] = err
	}
}

// agree holds what Done was told against the result.
func (f finished) agree(t *testing.T, r *Result) {
	t.Helper()
	failed := make(finished)
	for _, err := range r.Failed {
		failed[err.Entry.Index()] = err
	}
	for i, err := range f {
		if want := failed[i]; want != nil {
			assert.EqualError(t, err, want.Error())
		} else {
			assert.NoError(t, err, "entry %d", i)
		}
		delete(failed, i)
	}
	assert.Empty(t, failed, "Done was not told of failures")
}

func TestUnpack(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the trees are those of Unix")
	}
	t.Parallel()
	for _, c := range cases {
		if c.tree == nil {
			c.tree = map[string]string{}
		}
		for kind, z := range backends(t, ziptest.Archive{Entries: c.entries}) {
			for _, workers := range []int{1, 4} {
				t.Run(fmt.Sprintf("%s/backend=%s/workers=%d", c.name, kind, workers), func(t *testing.T) {
					t.Parallel()
					tg := newTarget(t)
					done := make(finished)
					result := tg.unpack(t, z, &Options{Workers: workers, Done: done.watch(t)})
					assert.Equal(t, c.tree, read(t, tg.dir))
					got := failures(result)
					require.Len(t, got, len(c.failed), "%q", got)
					for i, part := range c.failed {
						assert.Contains(t, got[i], part)
					}
					assert.Len(t, done, len(c.entries)-c.silent, "calls of Done")
					done.agree(t, result)
					for _, f := range result.Failed {
						assert.Equal(t, !strings.Contains(f.Error(), "CRC"), errors.Is(f, ErrRefused), "%v", f)
					}
				})
			}
		}
	}
}

func TestBackends(t *testing.T) {
	t.Parallel()
	a := ziptest.Archive{Entries: []ziptest.Entry{
		file("small", "s"), {Name: "large", Zeros: 3 << 20, Method: ziptest.Deflate}, {Name: "stored", Zeros: 2 << 20}, damaged("bad"),
	}}
	for kind, z := range backends(t, a) {
		t.Run("backend="+kind, func(t *testing.T) {
			tg := newTarget(t)
			result := tg.unpack(t, z, nil)
			assert.Len(t, result.Failed, 1)
			assert.Equal(t, 3, result.Files)
			assert.EqualValues(t, 1+3<<20+2<<20, result.Bytes)
			tree := read(t, tg.dir)
			assert.Equal(t, strings.Repeat("\x00", 3<<20), tree["large"])
			assert.Equal(t, strings.Repeat("\x00", 2<<20), tree["stored"])
			assert.Len(t, tree, 3)
		})
	}
}

func TestLargeDamagedLeavesNothing(t *testing.T) {
	t.Parallel()
	e := ziptest.Entry{Name: "big", Zeros: 4 << 20, Method: ziptest.Deflate, Header: func(h *ziptest.Header) { h.CRC32++ }}
	tg := newTarget(t)
	result := tg.unpack(t, open(t, ziptest.Archive{Entries: []ziptest.Entry{e}}), nil)
	require.Len(t, result.Failed, 1)
	assert.Equal(t, "checksum", zipfile.ErrorKind(result.Failed[0]))
	assert.Empty(t, read(t, tg.dir))
}

func TestNoSymlinks(t *testing.T) {
	t.Parallel()
	tg := newTarget(t)
	result := tg.unpack(t, open(t, ziptest.Archive{Entries: []ziptest.Entry{file("f", "f"), link("l", "f")}}), &Options{NoSymlinks: true})
	assert.Equal(t, map[string]string{"f": "f"}, read(t, tg.dir))
	assert.Equal(t, []string{"l: refused: a symbolic link"}, failures(result))
}

func TestName(t *testing.T) {
	t.Parallel()
	tg := newTarget(t)
	z := open(t, ziptest.Archive{Entries: []ziptest.Entry{
		file("c/x\u202e", "first"), file("a/x", "ax"), file("c/x\u202e", "last"), file("skip", "s"), file("up", "u"), {Name: "d/"}, {Name: "e/"},
	}})
	done := make(finished)
	result := tg.unpack(t, z, &Options{Done: done.watch(t), Name: func(e zipfile.Entry) string {
		switch e.Name() {
		case "skip":
			return ""
		case "up":
			return "../up"
		case "d/", "e/":
			return "y"
		}
		return "x"
	}})
	assert.Equal(t, map[string]string{"x": "last", "y/": "dir"}, read(t, tg.dir))
	assert.Equal(t, []string{`a/x: refused: "c/x\u202e" takes its place`, "up: refused: element .. in the name"}, failures(result))
	done.agree(t, result)
	assert.ElementsMatch(t, []int{1, 2, 4, 6}, slices.Collect(maps.Keys(done)), "Done")
}

func TestWindowsFault(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"CON", "nul.txt", "a/aux", "COM1", "lpt9.log", "COM²", "con .x", "conin$", "a:b", "q?", "s*", "p|", "dot.", "space ", "a/dot./b", "<", `"`} {
		assert.NotEmpty(t, windowsFault(name), name)
	}
	for _, name := range []string{"a", "a/b/", "console", "com", "COM10", "lpt", "nu.l", ".hidden", "a b", "café", "COMx"} {
		assert.Empty(t, windowsFault(name), name)
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	tg := newTarget(t)
	z := open(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "ro/", Mode: fs.ModeDir | 0o555}, file("ro/a", "a"), {Name: "big", Zeros: 64 << 20, Method: ziptest.Deflate}, file("never", "n"),
	}})
	done := make(finished)
	watch := done.watch(t)
	result, err := Unpack(ctx, tg.root, z.Entries(), &Options{Workers: 1, Done: func(e zipfile.Entry, err error) {
		watch(e, err)
		if e.Name() == "ro/a" {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, result.Failed)
	assert.Equal(t, map[string]string{"ro/": "dir", "ro/a": "a"}, read(t, tg.dir))
	assert.Equal(t, finished{0: nil, 1: nil}, done)
}

// TestCanceledEarly: Done is told of no directory that was not made.
func TestCanceledEarly(t *testing.T) {
	t.Parallel()
	z := open(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "a/"}, {Name: "b/"}, {Name: "c/"}, {Name: "../d/"}, file("a/f", "x")}})
	for _, c := range []struct {
		name string
		at   string // the entry after which it is canceled, none: before
		made int    // directories
		done []int
	}{
		{"before", "", 0, []int{3}},
		{"in the plan", "../d/", 0, []int{3}},
		{"between directories", "b/", 1, []int{0, 1, 3}},
	} {
		for _, how := range []Existing{Refuse, Keep, Overwrite} {
			t.Run(fmt.Sprintf("%s/existing=%d", c.name, how), func(t *testing.T) {
				t.Parallel()
				tg := newTarget(t)
				require.NoError(t, tg.root.WriteFile("b", nil, 0o644))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.at == "" {
					cancel()
				}
				done := make(finished)
				watch := done.watch(t)
				result, err := Unpack(ctx, tg.root, z.Entries(), &Options{Existing: how, Done: func(e zipfile.Entry, err error) {
					watch(e, err)
					if e.Name() == c.at {
						cancel()
					}
				}})
				require.ErrorIs(t, err, context.Canceled)
				assert.Equal(t, c.made, result.Directories)
				assert.Len(t, read(t, tg.dir), 1+c.made)
				assert.ElementsMatch(t, c.done, slices.Collect(maps.Keys(done)), "Done")
				done.agree(t, result)
			})
		}
	}
}

func TestCanceledWithinFile(t *testing.T) {
	t.Parallel()
	tg := newTarget(t)
	dir, err := openFolder(tg.root)
	require.NoError(t, err)
	defer dir.close()
	temp, err := (&temps{open: openNew}).create(dir)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	s := &sink{ctx: ctx, file: temp.file}
	_, err = s.Write([]byte("half"))
	require.NoError(t, err)
	assert.Len(t, read(t, tg.dir), 1)
	cancel()
	_, err = s.Write([]byte("other half"))
	require.ErrorIs(t, err, context.Canceled)
	temp.remove()
	assert.Empty(t, read(t, tg.dir))
}

func TestManyDirectories(t *testing.T) {
	t.Parallel()
	var entries []ziptest.Entry
	want := make(map[string]string)
	for i := range 500 {
		name := fmt.Sprintf("%d/%d/%d", i%7, i%31, i)
		entries = append(entries, file(name, name))
		want[name] = name
		want[fmt.Sprintf("%d/", i%7)], want[fmt.Sprintf("%d/%d/", i%7, i%31)] = "dir", "dir"
	}
	deep := strings.Repeat("d/", 400)
	entries = append(entries, file(deep+"f", "deep"))
	tg := newTarget(t)
	result := tg.unpack(t, open(t, ziptest.Archive{Entries: entries}), &Options{Workers: 3})
	assert.Empty(t, result.Failed)
	tree := read(t, tg.dir)
	maps.DeleteFunc(tree, func(p, _ string) bool { return strings.HasPrefix(p, "d/") })
	assert.Equal(t, want, tree)
	b, err := tg.root.ReadFile(deep + "f")
	require.NoError(t, err)
	assert.Equal(t, "deep", string(b))
	assert.Equal(t, []int{501, 0}, []int{result.Files, result.Directories})
}

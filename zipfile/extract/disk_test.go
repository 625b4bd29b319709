//go:build unix

package extract

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

func TestModes(t *testing.T) {
	t.Parallel()
	when := time.Date(2017, 7, 14, 2, 40, 0, 0, time.UTC)
	entry := func(name string, mode fs.FileMode) ziptest.Entry {
		return ziptest.Entry{Name: name, Mode: mode, Extra: ziptest.ExtendedTimestamp(when)}
	}
	tg := newTarget(t)
	result := tg.unpack(t, open(t, ziptest.Archive{Entries: []ziptest.Entry{
		entry("d/", fs.ModeDir|0o555), // may not be written to, and is
		entry("d/hidden", 0o200),
		entry("d/all", 0o777),
		entry("d/suid", 0o755|fs.ModeSetuid),
		entry("d/sgid", 0o755|fs.ModeSetgid),
		entry("d/sub/", fs.ModeDir|fs.ModeSticky|0o700),
		entry("d/sub/private", 0o600),
		entry("jar/", fs.ModeDir|0o644),
		{Name: "unknown", Data: []byte("x")},
	}}), nil)
	require.Empty(t, failures(result))
	assert.Equal(t, 3, result.Directories)
	assert.Equal(t, 6, result.Files)
	for name, want := range map[string]fs.FileMode{
		"d": fs.ModeDir | 0o555, "d/hidden": 0o200, "d/all": 0o777, "d/suid": 0o755, "d/sgid": 0o755,
		"d/sub": fs.ModeDir | 0o700, "d/sub/private": 0o600, "jar": fs.ModeDir | 0o755, "unknown": 0o644,
	} {
		st, err := tg.root.Lstat(name)
		require.NoError(t, err)
		assert.Equal(t, want, st.Mode(), name)
		if name != "unknown" {
			assert.True(t, when.Equal(st.ModTime()), "%s: %v", name, st.ModTime())
		}
	}
}

func TestExisting(t *testing.T) {
	t.Parallel()
	z := ziptest.Archive{Entries: []ziptest.Entry{
		file("file", "new"), file("dir", "new"), file("link", "new"), {Name: "was/", Mode: fs.ModeDir | 0o700}, file("was/f", "new"),
		{Name: "taken/"}, file("taken/f", "new"), link("symlink", "file"), file("fresh", "new"),
	}}
	for _, c := range []struct {
		how    Existing
		tree   map[string]string
		mode   fs.FileMode // of was/
		failed []string
		kept   int
	}{
		{
			how:    Refuse,
			tree:   map[string]string{"file": "old", "dir/": "dir", "link": "-> file", "was/": "dir", "was/f": "old", "taken": "old", "symlink": "old", "fresh": "new"},
			mode:   0o750,
			failed: []string{"file: refused: the file exists", "dir: refused: a directory", "link: refused: the file exists", "was/f: refused", "taken/: refused: taken exists", "taken/f: refused: taken exists", "symlink: refused: the file exists"},
		},
		{
			how:    Keep,
			tree:   map[string]string{"file": "old", "dir/": "dir", "link": "-> file", "was/": "dir", "was/f": "old", "taken": "old", "symlink": "old", "fresh": "new"},
			mode:   0o750,
			failed: []string{"dir: refused: a directory", "taken/: refused: taken exists", "taken/f: refused: taken exists"},
			kept:   4,
		},
		{
			how:    Overwrite,
			tree:   map[string]string{"file": "new", "dir/": "dir", "link": "new", "was/": "dir", "was/f": "new", "taken": "old", "symlink": "-> file", "fresh": "new"},
			mode:   0o700,
			failed: []string{"dir: refused: a directory", "taken/: refused: taken exists", "taken/f: refused: taken exists"},
		},
	} {
		tg := newTarget(t)
		for name, data := range map[string]string{"file": "old", "was/f": "old", "taken": "old", "symlink": "old"} {
			require.NoError(t, tg.root.MkdirAll(parent(name), 0o750))
			require.NoError(t, tg.root.WriteFile(name, []byte(data), 0o644))
		}
		require.NoError(t, tg.root.Chmod("was", 0o750))
		require.NoError(t, tg.root.Mkdir("dir", 0o755))
		require.NoError(t, tg.root.Symlink("file", "link"))
		result := tg.unpack(t, open(t, z), &Options{Existing: c.how})
		assert.Equal(t, c.tree, read(t, tg.dir))
		got := failures(result)
		require.Len(t, got, len(c.failed), "%q", got)
		for i, part := range c.failed {
			assert.Contains(t, got[i], part)
			assert.ErrorIs(t, result.Failed[i], fs.ErrExist)
			// What is refused whatever is said of existing files.
			assert.Equal(t, strings.Contains(part, "refused: a directory") || strings.Contains(part, "refused: taken"), errors.Is(result.Failed[i], ErrOccupied), part)
		}
		assert.Equal(t, c.kept, result.Kept)
		st, err := tg.root.Stat("was")
		require.NoError(t, err)
		assert.Equal(t, c.mode, st.Mode().Perm())
	}
}

// TestLinksThatWereThere: the directory holds links that lead out, and some that do not.
func TestLinksThatWereThere(t *testing.T) {
	t.Parallel()
	for _, how := range []Existing{Refuse, Keep, Overwrite} {
		tg := newTarget(t)
		require.NoError(t, tg.root.Mkdir("real", 0o755))
		for name, to := range map[string]string{"out": "..", "abs": tg.above, "canary": "../../canary", "in": "real"} {
			require.NoError(t, tg.root.Symlink(to, name))
		}
		result := tg.unpack(t, open(t, ziptest.Archive{Entries: []ziptest.Entry{
			file("out/evil", "x"), file("abs/evil", "x"), file("abs/canary", "x"), file("canary", "x"), {Name: "out/"}, file("out/deep/evil", "x"),
			file("in/ok", "ok"), link("to-canary", "canary"), link("in/link", "ok"), link("through", "in/ok"), link("clash", "out"),
		}}), &Options{Existing: how})
		tree := read(t, tg.dir)
		want := map[string]string{"out": "-> ..", "abs": "-> " + tg.above, "canary": "-> ../../canary", "in": "-> real", "real/": "dir", "real/ok": "ok"}
		refused := 10
		switch how {
		case Keep:
			refused = 9 // canary is kept
		case Overwrite:
			want["canary"], want["to-canary"] = "x", "-> canary"
			refused = 8
		}
		assert.Equal(t, want, tree, how)
		assert.Len(t, result.Failed, refused, "%q", failures(result))
		for _, f := range result.Failed {
			assert.ErrorIs(t, f, ErrRefused)
		}
	}
}

func TestReadOnlyTarget(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	t.Parallel()
	tg := newTarget(t)
	require.NoError(t, os.Chmod(tg.dir, 0o555))
	result := tg.unpack(t, open(t, ziptest.Archive{Entries: []ziptest.Entry{file("a", "a"), file("b/c", "c")}}), nil)
	require.Len(t, result.Failed, 2)
	for i, path := range []string{"a", "b/c"} {
		we, ok := errors.AsType[*WriteError](result.Failed[i])
		require.True(t, ok)
		assert.Equal(t, path, we.Path)
		assert.ErrorIs(t, we, fs.ErrPermission)
	}
}

func TestNameTooLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 300)
	tg := newTarget(t)
	result := tg.unpack(t, open(t, ziptest.Archive{Entries: []ziptest.Entry{file(long, "x"), file(long+"/f", "x"), file("d/"+long, "x"), link("l"+long, "d"), file("ok", "ok")}}), nil)
	assert.Equal(t, map[string]string{"d/": "dir", "ok": "ok"}, read(t, tg.dir))
	assert.Len(t, result.Failed, 4)
	for _, f := range result.Failed {
		assert.ErrorIs(t, f, ErrRefused)
	}
}

// TestFullDisk runs itself with a limit on the size of files: what the system says then is not
// that the disk is full, but comes at the same place.
func TestFullDisk(t *testing.T) {
	const env = "EXTRACT_TEST_LIMITED"
	if dir := os.Getenv(env); dir != "" {
		limited(t, dir)
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullDisk$", "-test.count=1")
	cmd.Env = append(os.Environ(), env+"="+dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, map[string]string{"d/": "dir", "d/small": "s"}, read(t, dir))
}

func limited(t *testing.T, dir string) {
	limit := uint64(64 << 10)
	require.NoError(t, setFileSizeLimit(limit))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	result, err := Unpack(t.Context(), root, open(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "d/large", Zeros: 2 << 20, Method: ziptest.Deflate}, {Name: "d/medium", Zeros: 100 << 10, Method: ziptest.Deflate}, file("d/small", "s"),
	}}).Entries(), nil)
	require.NoError(t, err)
	require.Len(t, result.Failed, 2)
	for i, path := range []string{"d/large", "d/medium"} {
		we, ok := errors.AsType[*WriteError](result.Failed[i])
		require.True(t, ok)
		assert.Equal(t, path, we.Path)
		assert.ErrorIs(t, we, syscall.EFBIG)
	}
}

// failing is a file of which one operation fails.
type failing struct {
	output
	at  string
	err error
}

func (f *failing) fail(op string) error {
	if op != f.at {
		return nil
	}
	return &fs.PathError{Op: op, Path: "temporary", Err: f.err}
}

func (f *failing) Write(p []byte) (int, error) {
	if err := f.fail("write"); err != nil {
		return 0, err
	}
	return f.output.Write(p)
}

func (f *failing) Chmod(mode fs.FileMode) error {
	return cmp.Or(f.fail("chmod"), f.output.Chmod(mode))
}

func (f *failing) Close() error {
	return cmp.Or(f.fail("close"), f.output.Close())
}

// TestFullDiskStops: when the disk is full, nothing more is tried. After other errors of the
// system it goes on.
func TestFullDiskStops(t *testing.T) {
	t.Parallel()
	z := open(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "d/", Mode: fs.ModeDir | 0o555}, file("d/a", "a"), file("d/b", "b"), file("d/c", "c"), file("e/f", "f"), link("l", "d/a"),
	}})
	for _, c := range []struct {
		err   syscall.Errno
		stops bool
	}{{syscall.ENOSPC, true}, {syscall.EDQUOT, true}, {syscall.EROFS, true}, {syscall.EIO, false}, {syscall.EACCES, false}} {
		for _, at := range []string{"open", "write", "chmod", "close"} {
			t.Run(fmt.Sprintf("%v/%s", c.err, at), func(t *testing.T) {
				t.Parallel()
				tg := newTarget(t)
				opened := 0
				done := make(finished)
				u := &unpacking{Options: Options{Workers: 1, Done: done.watch(t)}, root: tg.root}
				u.temps.open = func(dir *folder, name string) (output, error) {
					out, err := openNew(dir, name)
					if opened++; opened != 2 || err != nil {
						return out, err
					}
					f := &failing{out, at, c.err}
					if err := f.fail("open"); err != nil {
						out.Close()
						require.NoError(t, dir.Remove(name))
						return nil, err
					}
					return f, nil
				}
				result, err := u.run(t.Context(), z.Entries())
				want := &WriteError{"d/b", c.err}
				require.Len(t, result.Failed, 1)
				assert.Equal(t, want, result.Failed[0].Err)
				done.agree(t, result)
				mode, serr := tg.root.Stat("d")
				require.NoError(t, serr)
				assert.Equal(t, fs.FileMode(0o555), mode.Mode().Perm(), "directories are finished")
				if c.stops {
					assert.Equal(t, want, err)
					assert.Equal(t, map[string]string{"d/": "dir", "d/a": "a", "e/": "dir"}, read(t, tg.dir))
					assert.Equal(t, 2, opened)
					assert.ElementsMatch(t, []int{0, 1, 2}, slices.Collect(maps.Keys(done)), "Done")
				} else {
					assert.NoError(t, err)
					assert.Equal(t, map[string]string{"d/": "dir", "d/a": "a", "d/c": "c", "e/": "dir", "e/f": "f", "l": "-> d/a"}, read(t, tg.dir))
					assert.Len(t, done, 6, "Done")
				}
			})
		}
	}
}

func TestVanishedTarget(t *testing.T) {
	t.Parallel()
	tg := newTarget(t)
	require.NoError(t, os.RemoveAll(filepath.Join(tg.above, "in")))
	result, err := Unpack(t.Context(), tg.root, open(t, ziptest.Archive{Entries: []ziptest.Entry{file("a", "a"), file("b/c", "c")}}).Entries(), nil)
	require.NoError(t, err)
	require.Len(t, result.Failed, 2)
	for _, f := range result.Failed {
		_, ok := errors.AsType[*WriteError](f)
		assert.True(t, ok, "%v", f)
	}
}

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
	"time"

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
	t.Cleanup(func() { tg.root.Close() })
	tg.was = tg.outside(t)
	return tg
}

// outside is what lies around the target.
func (tg *target) outside(t *testing.T) map[string]string {
	tree := read(t, tg.above)
	maps.DeleteFunc(tree, func(p, _ string) bool { return strings.HasPrefix(p, "in/out/") })
	return tree
}

func (tg *target) unpack(t *testing.T, z *zipfile.ZipFile, o *Options) *Result {
	t.Helper()
	result, err := Unpack(t.Context(), tg.root, z.Entries(), o)
	require.NoError(t, err)
	assert.Equal(t, tg.was, tg.outside(t), "around the target")
	return result
}

// read gives a tree as path to contents, "dir", or "-> target".
func read(t *testing.T, dir string) map[string]string {
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

func file(name, data string) ziptest.Entry {
	return ziptest.Entry{Name: name, Data: []byte(data), Mode: 0o644}
}

func link(name, to string) ziptest.Entry {
	return ziptest.Entry{Name: name, Data: []byte(to), Mode: fs.ModeSymlink | 0o777}
}

func damaged(name string) ziptest.Entry {
	e := file(name, "damaged")
	e.Header = func(h *ziptest.Header) { h.CRC32++ }
	return e
}

// cases are archives, what they leave in an empty directory, and what they are told.
var cases = []struct {
	name    string
	entries []ziptest.Entry
	tree    map[string]string
	failed  []string // parts of the errors, in order
}{
	{name: "empty"},
	{
		name:    "files and directories",
		entries: []ziptest.Entry{file("a.txt", "a"), {Name: "empty/"}, file("b/c/d.txt", "d"), {Name: "b/", Mode: fs.ModeDir | 0o755}},
		tree:    map[string]string{"a.txt": "a", "empty/": "dir", "b/": "dir", "b/c/": "dir", "b/c/d.txt": "d"},
	},
	{
		name: "traversal",
		entries: []ziptest.Entry{
			file("../evil", "x"), file("../../../../tmp/evil", "x"), file("a/../../evil", "x"), file("a/../b", "x"),
			file("/evil", "x"), file("//evil", "x"), file("C:/evil", "x"), file("c:evil", "x"), file(`..\evil`, "x"),
			file("./a", "x"), file("a//b", "x"), file("..", "x"), file(".", "x"), {Name: "../"}, {Name: "/"}, file("ok", "ok"),
		},
		tree: map[string]string{"ok": "ok"},
		failed: []string{
			"element ..", "element ..", "element ..", "element ..",
			"absolute", "absolute", "drive", "drive", "backslash",
			"element .", "empty element", "element ..", "element .", "element ..", "empty name",
		},
	},
	{
		name:    "names with control bytes",
		entries: []ziptest.Entry{file("nul\x00.txt", "x"), file("esc\x1b[31m", "x"), file("new\nline", "x"), file("del\x7f", "x"), file("", "x")},
		failed:  []string{"NUL byte", "control character", "control character", "control character", "empty name"},
	},
	{
		name: "name marked as UTF-8 that is not",
		entries: []ziptest.Entry{
			{Name: "caf\x82", Data: []byte("x"), Flags: ziptest.FlagUTF8},
			{Name: "caf\x82.txt", Data: []byte("y")}, // CP437 without the mark
		},
		tree:   map[string]string{"café.txt": "y"},
		failed: []string{"UTF-8"},
	},
	{
		name:    "the last of several wins",
		entries: []ziptest.Entry{file("f", "first"), file("g", "g"), file("f", "second")},
		tree:    map[string]string{"f": "second", "g": "g"},
	},
	{
		name:    "a directory wins over a file, whichever comes first",
		entries: []ziptest.Entry{file("a", "file"), file("a/b", "b"), {Name: "c/"}, file("c", "file"), link("d", "a"), file("d/e", "e")},
		tree:    map[string]string{"a/": "dir", "a/b": "b", "c/": "dir", "d/": "dir", "d/e": "e"},
		failed:  []string{"a: refused: another entry makes a directory", "c: refused", "d: refused"},
	},
	{
		name:    "one that is damaged leaves nothing",
		entries: []ziptest.Entry{file("a", "a"), damaged("b/bad"), file("c", "c")},
		tree:    map[string]string{"a": "a", "b/": "dir", "c": "c"},
		failed:  []string{"CRC"},
	},
	{
		name: "special files",
		entries: []ziptest.Entry{
			{Name: "fifo", Mode: fs.ModeNamedPipe | 0o644}, {Name: "socket", Mode: fs.ModeSocket | 0o644},
			{Name: "disk", Mode: fs.ModeDevice | 0o644}, {Name: "tty", Mode: fs.ModeDevice | fs.ModeCharDevice | 0o644},
		},
		failed: []string{"a FIFO", "a socket", "a device", "a device"},
	},
	{
		name: "links that stay inside",
		entries: []ziptest.Entry{
			link("l1", "d/f"), link("d/up", "../g"), link("d/dir", "."), link("d/root", ".."), link("dangling", "d/none"),
			file("d/f", "f"), file("g", "g"), link("dots", "././/d/./f"), link("slash", "d/"),
		},
		tree: map[string]string{"d/": "dir", "d/f": "f", "g": "g", "l1": "-> d/f", "d/up": "-> ../g", "d/dir": "-> .", "d/root": "-> ..",
			"dangling": "-> d/none", "dots": "-> ././/d/./f", "slash": "-> d/"},
	},
	{
		name: "links that lead out",
		entries: []ziptest.Entry{
			link("abs", "/etc/passwd"), link("up", "../canary"), link("d/up", "../../canary"), link("zigzag", "d/../../canary"),
			link("nul", "a\x00b"), link("empty", ""), link("inside", "d/../d"), link("long", strings.Repeat("a/", 2048)+"b"), file("d/f", "f"),
		},
		tree:   map[string]string{"d/": "dir", "d/f": "f"},
		failed: []string{"absolute", "leads out", "leads out", "climbs", "NUL", "without a target", "climbs", "4097 bytes"},
	},
	{
		name:    "files below a link",
		entries: []ziptest.Entry{link("link", "../.."), file("link/evil", "x")},
		tree:    map[string]string{"link/": "dir", "link/evil": "x"},
		failed:  []string{"link: refused: another entry makes a directory"},
	},
	{
		// libx.so to libx.so.1 to libx.so.1.2, in the order that hurts
		name:    "chain",
		entries: []ziptest.Entry{link("a", "b"), link("b", "c"), file("c", "c")},
		tree:    map[string]string{"a": "-> b", "b": "-> c", "c": "c"},
	},
	{
		name:    "chain that leads out",
		entries: []ziptest.Entry{link("a", "b"), link("b", "../canary")},
		tree:    map[string]string{"a": "-> b"}, // leads to nothing
		failed:  []string{"b: refused: the link leads out"},
	},
	{
		// Each link is harmless by its letters; together they climb (CVE-2025-4517, tarfile).
		name:    "links through links",
		entries: []ziptest.Entry{link("d/up", ".."), link("x", "d/up/../canary"), link("y", "d/up/z"), file("z", "z")},
		tree:    map[string]string{"d/": "dir", "d/up": "-> ..", "z": "z"},
		failed:  []string{"x: refused: the link leads through another link", "y: refused: the link leads through another link"},
	},
	{
		name:    "circle",
		entries: []ziptest.Entry{link("a", "b"), link("b", "a"), link("c", "c")},
		tree:    map[string]string{"a": "-> b"},
		failed:  []string{"b: refused: the link leads in a circle", "c: refused: the link leads in a circle"},
	},
}

func TestUnpack(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the trees are those of Unix")
	}
	t.Parallel()
	for _, c := range cases {
		for _, workers := range []int{1, 4} {
			t.Run(fmt.Sprintf("%s/workers=%d", c.name, workers), func(t *testing.T) {
				t.Parallel()
				tg := newTarget(t)
				calls := 0
				result := tg.unpack(t, open(t, ziptest.Archive{Entries: c.entries}), &Options{
					Workers: workers,
					Done:    func(zipfile.Entry, error) { calls++ },
				})
				if c.tree == nil {
					c.tree = map[string]string{}
				}
				assert.Equal(t, c.tree, read(t, tg.dir))
				got := failures(result)
				require.Len(t, got, len(c.failed), "%q", got)
				for i, part := range c.failed {
					assert.Contains(t, got[i], part)
				}
				names := make(map[string]bool)
				for _, e := range c.entries {
					names[e.Name] = true
				}
				assert.Equal(t, len(names), calls, "calls of Done")
				for _, f := range result.Failed {
					assert.Equal(t, !strings.Contains(f.Error(), "CRC"), errors.Is(f, ErrRefused), "%v", f)
				}
			})
		}
	}
}

func TestBackends(t *testing.T) {
	t.Parallel()
	a := ziptest.Archive{Entries: []ziptest.Entry{
		file("small", "s"), {Name: "large", Zeros: 3 << 20, Method: ziptest.Deflate}, {Name: "stored", Zeros: 2 << 20}, damaged("bad"),
	}}
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, a.WriteFile(name))
	for _, k := range []backend.Kind{backend.Auto, backend.Pread, backend.Mapped} {
		t.Run("backend="+k.String(), func(t *testing.T) {
			z, err := zipfile.Open(name, &zipfile.Options{Backend: k})
			if errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			}
			require.NoError(t, err)
			defer z.Close()
			tg := newTarget(t)
			result := tg.unpack(t, z, nil)
			assert.Len(t, result.Failed, 1)
			assert.Equal(t, 3, result.Files)
			assert.EqualValues(t, 1+3<<20+2<<20, result.Bytes+0*int64(len(result.Failed)))
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
	z := open(t, ziptest.Archive{Entries: []ziptest.Entry{file("a/x", "ax"), file("b/x", "bx"), file("skip", "s"), file("up", "u")}})
	result := tg.unpack(t, z, &Options{Name: func(e zipfile.Entry) string {
		switch e.Name() {
		case "skip":
			return ""
		case "up":
			return "../up"
		}
		return "x"
	}})
	assert.Equal(t, map[string]string{"x": "bx"}, read(t, tg.dir))
	assert.Equal(t, []string{"a/x: refused: b/x takes its place", "up: refused: element .. in the name"}, failures(result))
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

func TestModified(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("here", 2*3600)
	when := time.Date(2021, 10, 31, 1, 30, 2, 0, time.UTC)
	dos := time.Date(2020, 1, 2, 3, 4, 6, 0, time.UTC)
	for name, c := range map[string]struct {
		extra []byte
		want  time.Time
	}{
		"dos":              {nil, time.Date(2020, 1, 2, 3, 4, 6, 0, zone)},
		"ntfs":             {ziptest.NTFSTime(when, when, when), when},
		"extended":         {ziptest.ExtendedTimestamp(when), when},
		"old unix":         {ziptest.OldUnix(when, when), when},
		"only access time": {ziptest.Extra(ziptest.ExtraExtendedTimestamp, 2, 0, 0, 0, 0), time.Date(2020, 1, 2, 3, 4, 6, 0, zone)},
		"overrun":          {[]byte{0x55, 0x54, 9, 0, 1}, time.Date(2020, 1, 2, 3, 4, 6, 0, zone)},
	} {
		z := open(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "f", Modified: dos, CentralExtra: c.extra}}})
		assert.True(t, c.want.Equal(Modified(z.At(0), zone)), "%s: %v", name, Modified(z.At(0), zone))
		assert.True(t, z.At(0).Modified().Equal(Modified(z.At(0), nil)), name)
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	tg := newTarget(t)
	z := open(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "ro/", Mode: fs.ModeDir | 0o555}, file("ro/a", "a"), {Name: "big", Zeros: 64 << 20, Method: ziptest.Deflate}, file("never", "n"),
	}})
	result, err := Unpack(ctx, tg.root, z.Entries(), &Options{Workers: 1, Done: func(e zipfile.Entry, err error) {
		if e.Name() == "ro/a" {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, result.Failed)
	assert.Equal(t, map[string]string{"ro/": "dir", "ro/a": "a"}, read(t, tg.dir))
}

func TestCanceledWithinFile(t *testing.T) {
	t.Parallel()
	tg := newTarget(t)
	temp, err := new(temps).create(tg.root)
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

func TestPlanOrder(t *testing.T) {
	t.Parallel()
	paths := []string{"a", "a/b", "a/b/c", "a-b", "a.b", "ab"}
	shuffled := []string{"ab", "a/b/c", "a-b", "a", "a.b", "a/b"}
	slices.SortFunc(shuffled, comparePaths)
	assert.Equal(t, paths, shuffled)
}

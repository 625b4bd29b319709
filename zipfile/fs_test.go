package zipfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"text/template"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// fsOpen opens a built archive in memory for the length of the test.
func fsOpen(t *testing.T, a ziptest.Archive) *zipfile.ZipFile {
	t.Helper()
	z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, z.Close()) })
	return z
}

// fsOpenAll opens a built archive through every backend that the platform has.
func fsOpenAll(t *testing.T, a ziptest.Archive) map[string]*zipfile.ZipFile {
	t.Helper()
	all := map[string]*zipfile.ZipFile{"memory": fsOpen(t, a)}
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, a.WriteFile(name))
	for _, kind := range []backend.Kind{backend.Pread, backend.Mapped} {
		z, err := zipfile.Open(name, &zipfile.Options{Backend: kind})
		if kind == backend.Mapped && errors.Is(err, errors.ErrUnsupported) {
			continue
		}
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, z.Close()) })
		all[kind.String()] = z
	}
	return all
}

// fsStored makes stored entries whose contents are their names.
func fsStored(names ...string) []ziptest.Entry {
	list := make([]ziptest.Entry, len(names))
	for i, name := range names {
		list[i] = ziptest.Entry{Name: name}
		if !strings.HasSuffix(name, "/") {
			list[i].Data = []byte(name)
		}
	}
	return list
}

// fsUnix is fsStored on a host on which a backslash is a letter.
func fsUnix(names ...string) []ziptest.Entry {
	list := fsStored(names...)
	for i := range list {
		list[i].Host = ziptest.HostUnix
	}
	return list
}

func fsLink(name, target string) ziptest.Entry {
	return ziptest.Entry{Name: name, Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
}

// fsLines is text that deflate shrinks and in which every line tells its place.
func fsLines(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "line %06d of %d\n", i, n)
	}
	return b.Bytes()
}

func TestFSConformance(t *testing.T) {
	t.Parallel()
	big := fsLines(10_000) // more than is read at once
	for name, c := range map[string]struct {
		archive ziptest.Archive
		want    []string // paths that must be there
		absent  []string
	}{
		"empty":              {archive: ziptest.Archive{Comment: "nothing"}, absent: []string{"a"}},
		"one":                {archive: ziptest.Archive{Entries: fsStored("a")}, want: []string{"a"}, absent: []string{"a/b", "b"}},
		"implicit":           {archive: ziptest.Archive{Entries: fsStored("a/b/c", "a/b/d", "e/f")}, want: []string{"a", "a/b", "a/b/c", "a/b/d", "e/f"}},
		"explicit":           {archive: ziptest.Archive{Entries: fsStored("a/", "a/b/", "c/")}, want: []string{"a", "a/b", "c"}},
		"explicit last":      {archive: ziptest.Archive{Entries: fsStored("a/b/c", "a/b/", "a/")}, want: []string{"a/b/c"}},
		"file and directory": {archive: ziptest.Archive{Entries: fsStored("a", "a/b", "c/d/e", "c/d", "c")}, want: []string{"a/b", "c/d/e"}},
		"file beside its directory": {
			archive: ziptest.Archive{Entries: fsStored("a/", "a", "b", "b/")}, want: []string{"a", "b"},
		},
		"around the slash": {
			archive: ziptest.Archive{Entries: fsStored("a-b", "a/b", "a.b", "a", "a!/c", "a0", "a/b.c", "a/b-d/e", "a/b/f")},
			want:    []string{"a-b", "a.b", "a0", "a!/c", "a/b.c", "a/b-d/e", "a/b/f"},
		},
		"duplicates": {
			archive: ziptest.Archive{Entries: append(fsStored("a", "b", "a"), ziptest.Entry{Name: "a", Data: []byte("the last")})},
			want:    []string{"a", "b"},
		},
		"odd names": {
			archive: ziptest.Archive{Entries: fsUnix("ok", "../x", "/x", "a//b", ".", "..", "nul\x00", `back\slash`, "x/../y", "./z", "/", "c:/d", "tab\t", "ok/../../q")},
			want:    []string{"ok"},
			absent:  []string{"x", "a", "a/b", "y", "z", "nul", `back\slash`, "back", "c:", "tab\t", "q"},
		},
		"not ASCII": {
			archive: ziptest.Archive{Entries: fsStored("ä/ö/日本.txt", "\x81ber/\x84.txt", "\u00a0", "x\u0301")},
			want:    []string{"ä/ö/日本.txt", "über/ä.txt", "\u00a0", "x\u0301"},
		},
		"marked as UTF-8 and is not": {
			archive: ziptest.Archive{Entries: []ziptest.Entry{{Name: "b\xff", Flags: ziptest.FlagUTF8}, {Name: "c"}}},
			want:    []string{"c"}, absent: []string{"b\u00a0", "b"},
		},
		"backslashes of a Windows host": {
			archive: ziptest.Archive{Entries: []ziptest.Entry{
				{Name: `dir\file`, Host: ziptest.HostNTFS}, {Name: `dir\sub\`, Host: ziptest.HostFAT},
			}},
			want: []string{"dir/file", "dir/sub"},
		},
		"directory without slash": {
			archive: ziptest.Archive{Entries: []ziptest.Entry{{Name: "d", Mode: fs.ModeDir | 0o700}, {Name: "d/e", Data: []byte("x")}, {Name: "f", Mode: fs.ModeDir | 0o711}}},
			want:    []string{"d/e", "f"},
		},
		"modes": {
			archive: ziptest.Archive{Entries: []ziptest.Entry{
				{Name: "x", Data: []byte("x"), Mode: 0o755 | fs.ModeSetuid, Modified: time.Date(2020, 1, 2, 3, 4, 6, 0, time.UTC)},
				{Name: "none", Data: []byte("x"), Mode: 0o000 | fs.ModeSticky}, {Name: "d/", Mode: fs.ModeDir | 0o700},
			}},
			want: []string{"x", "none", "d"},
		},
		"deflated": {
			archive: ziptest.Archive{Entries: []ziptest.Entry{
				{Name: "small", Data: []byte("x"), Method: ziptest.Deflate}, {Name: "empty", Method: ziptest.Deflate},
				{Name: "big", Data: big, Method: ziptest.Deflate}, {Name: "streamed", Data: big, Method: ziptest.Deflate, Descriptor: ziptest.Signed32},
			}},
			want: []string{"small", "empty", "big", "streamed"},
		},
		"links": {
			archive: ziptest.Archive{Entries: append(fsStored("d/f", "g"), fsLink("in", "d/f"), fsLink("to dir", "d"), fsLink("dangling", "nothing"),
				fsLink("loop", "loop"), fsLink("out", "../etc/passwd"), fsLink("absolute", "/etc/passwd"), fsLink("d/up", "../g"), fsLink("d/self", "."))},
			want: []string{"in", "to dir", "dangling", "loop", "out", "absolute", "d/up", "d/self"},
		},
		"prefix": {archive: ziptest.Archive{Prefix: []byte("#!/bin/sh\n"), Entries: fsStored("a/b")}, want: []string{"a/b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for kind, z := range fsOpenAll(t, c.archive) {
				fsys := z.FS()
				require.NoError(t, fstest.TestFS(fsys, c.want...), kind)
				for _, p := range c.absent {
					_, err := fs.Stat(fsys, p)
					assert.ErrorIs(t, err, fs.ErrNotExist, "%s %q", kind, p)
					_, err = fsys.Open(p)
					assert.ErrorIs(t, err, fs.ErrNotExist, "%s %q", kind, p)
				}
				for _, p := range c.want {
					info, err := fs.Stat(fsys, p)
					require.NoError(t, err)
					if !info.IsDir() {
						continue
					}
					dir, err := fs.Sub(fsys, p)
					require.NoError(t, err)
					var inside []string
					list, err := fs.ReadDir(dir, ".")
					require.NoError(t, err)
					for _, d := range list {
						inside = append(inside, d.Name())
					}
					assert.NoError(t, fstest.TestFS(dir, inside...), "%s Sub %q", kind, p)
				}
			}
		})
	}
}

// TestFSOddNames: names that are no paths are absent from the file system and block nothing,
// yet each is listed, found by its exact name and read.
func TestFSOddNames(t *testing.T) {
	t.Parallel()
	odd := []string{"../x", "/x", "a//b", ".", "..", "./y", "y/.", "nul\x00name", `back\slash`, "y/../z", "//", "c:/d", "\x1b[2J", "del\x7f", "nel\u0085", "/"}
	z := fsOpen(t, ziptest.Archive{Entries: fsUnix(append(odd, "good/file")...)})
	fsys := z.FS()
	var walked []string
	require.NoError(t, fs.WalkDir(fsys, ".", func(p string, _ fs.DirEntry, err error) error {
		walked = append(walked, p)
		return err
	}))
	assert.Equal(t, []string{".", "good", "good/file"}, walked)
	for _, name := range odd {
		e, ok := z.Lookup(name)
		if !assert.True(t, ok, "%q", name) {
			continue
		}
		assert.Equal(t, name, e.Name())
		b, err := e.ReadAll()
		assert.NoError(t, err, "%q", name)
		if !e.IsDir() {
			assert.Equal(t, name, string(b))
		}
		_, err = fsys.Open(name)
		if fs.ValidPath(name) {
			if name != "." {
				assert.ErrorIs(t, err, fs.ErrNotExist, "%q", name)
			}
		} else {
			assert.ErrorIs(t, err, fs.ErrInvalid, "%q", name)
		}
	}
}

// TestFSWhichEntry: of several entries for one path, which one the file system shows.
func TestFSWhichEntry(t *testing.T) {
	t.Parallel()
	z := fsOpen(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "twice", Data: []byte("first")},
		{Name: "twice", Data: []byte("second")},
		{Name: "dir/", Mode: fs.ModeDir | 0o700},
		{Name: "dir", Data: []byte("a file")},
		{Name: "dir/", Mode: fs.ModeDir | 0o711},
		{Name: "half", Data: []byte("a file")},
		{Name: "half/inner", Data: []byte("x")},
		{Name: "implied/inner", Data: []byte("x")},
	}})
	fsys := z.FS()
	b, err := fs.ReadFile(fsys, "twice")
	require.NoError(t, err)
	assert.Equal(t, "second", string(b))
	for p, want := range map[string]struct {
		mode fs.FileMode
		sys  any
		size int64
	}{
		"twice":         {0o644, z.At(1), 6},
		"dir":           {fs.ModeDir | 0o711, z.At(4), 0},
		"half":          {fs.ModeDir | 0o755, nil, 0},
		"half/inner":    {0o644, z.At(6), 1},
		"implied":       {fs.ModeDir | 0o755, nil, 0},
		"implied/inner": {0o644, z.At(7), 1},
		".":             {fs.ModeDir | 0o755, nil, 0},
	} {
		info, err := fs.Stat(fsys, p)
		require.NoError(t, err, p)
		assert.Equal(t, path.Base(p), info.Name())
		assert.Equal(t, want.mode, info.Mode(), p)
		assert.Equal(t, want.sys, info.Sys(), p)
		assert.Equal(t, want.size, info.Size(), p)
		if want.sys == nil {
			assert.True(t, info.ModTime().IsZero(), p)
		}
		_, err = fs.ReadFile(fsys, p)
		assert.Equal(t, want.mode.IsDir(), err != nil, p)
		_, err = fs.ReadDir(fsys, p)
		assert.Equal(t, !want.mode.IsDir(), err != nil, p)
	}
	sub, err := fs.Sub(fsys, "dir")
	require.NoError(t, err)
	info, err := fs.Stat(sub, ".")
	require.NoError(t, err)
	assert.Equal(t, ".", info.Name())
	assert.Equal(t, fs.ModeDir|0o711, info.Mode())
}

func TestFSManyFiles(t *testing.T) {
	t.Parallel()
	const n = 6000
	z := fsOpen(t, ziptest.Archive{More: ziptest.Many(n)})
	fsys := z.FS()
	count := 0
	require.NoError(t, fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			count++
		}
		return err
	}))
	assert.Equal(t, n, count)
	found, err := fs.Glob(fsys, "*/0005[0-9]99.txt")
	require.NoError(t, err)
	assert.Len(t, found, 10)
	for _, p := range found {
		b, err := fs.ReadFile(fsys, p)
		require.NoError(t, err)
		assert.Equal(t, p, string(b))
	}
	if !testing.Short() {
		few := fsOpen(t, ziptest.Archive{More: ziptest.Many(2500)})
		assert.NoError(t, fstest.TestFS(few.FS(), "0001/0001999.txt"))
	}
}

// TestFSReadDirPages: pages of any length give together what one call gives.
func TestFSReadDirPages(t *testing.T) {
	t.Parallel()
	z := fsOpen(t, ziptest.Archive{Entries: fsStored("a/0", "a/1/x", "a/1/y", "a/1", "a/2/", "a/3", "a/3-", "a/3/z", "b", "a.b/c", "a/", "c/")})
	fsys := z.FS()
	for _, dir := range []string{".", "a", "a/1", "a/2", "c", "a.b"} {
		want, err := fs.ReadDir(fsys, dir)
		require.NoError(t, err)
		for n := 1; n < 7; n++ {
			f, err := fsys.Open(dir)
			require.NoError(t, err)
			d := f.(fs.ReadDirFile)
			var got []fs.DirEntry
			for {
				page, err := d.ReadDir(n)
				got = append(got, page...)
				if err == io.EOF {
					assert.Empty(t, page)
					break
				}
				require.NoError(t, err)
				require.NotEmpty(t, page)
				require.LessOrEqual(t, len(page), n)
			}
			require.Len(t, got, len(want), "%s by %d", dir, n)
			for i := range want {
				assert.Equal(t, fs.FormatDirEntry(want[i]), fs.FormatDirEntry(got[i]))
			}
			_, err = d.ReadDir(n)
			assert.Equal(t, io.EOF, err)
			rest, err := d.ReadDir(-1)
			assert.NoError(t, err)
			assert.Empty(t, rest)
			_, err = d.Read(make([]byte, 1))
			assert.Error(t, err)
			assert.NoError(t, f.Close())
		}
		// One, then all the others.
		f, err := fsys.Open(dir)
		require.NoError(t, err)
		first, _ := f.(fs.ReadDirFile).ReadDir(1)
		rest, err := f.(fs.ReadDirFile).ReadDir(0)
		assert.NoError(t, err)
		assert.Len(t, append(first, rest...), len(want), dir)
		require.NoError(t, f.Close())
		_, err = f.(fs.ReadDirFile).ReadDir(1)
		assert.ErrorIs(t, err, fs.ErrClosed)
	}
}

func TestFSTemplate(t *testing.T) {
	t.Parallel()
	z := fsOpen(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "t/a.tmpl", Data: []byte(`{{template "b.tmpl" .}}!`), Method: ziptest.Deflate},
		{Name: "t/b.tmpl", Data: []byte(`hello {{.}}`)},
		{Name: "t/c.txt", Data: []byte(`{{`)},
	}})
	tmpl, err := template.ParseFS(z.FS(), "t/*.tmpl")
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, tmpl.ExecuteTemplate(&out, "a.tmpl", "you"))
	assert.Equal(t, "hello you!", out.String())
}

// TestFSFirstUse: many goroutines meet at the first use of everything that is built late.
func TestFSFirstUse(t *testing.T) {
	t.Parallel()
	entries := append(fsStored("x/1", "dup", "dup", "../odd", "\x81"), fsLink("link", "x/2"), ziptest.Entry{Name: "x/2", Data: fsLines(3000), Method: ziptest.Deflate})
	for kind, z := range fsOpenAll(t, ziptest.Archive{Entries: entries, More: ziptest.Many(2000),
		Directory: func(d []ziptest.CentralHeader) []ziptest.CentralHeader { return append(d[5:], d[:5]...) }}) {
		var wg sync.WaitGroup
		start := make(chan struct{})
		for i := range 16 {
			wg.Go(func() {
				<-start
				fsys := z.FS()
				switch i % 4 {
				case 0:
					b, err := fs.ReadFile(fsys, "link")
					assert.NoError(t, err, kind)
					assert.Len(t, b, len(fsLines(3000)))
				case 1:
					list, err := fs.ReadDir(fsys, ".")
					assert.NoError(t, err, kind)
					assert.Len(t, list, 6)
				case 2:
					assert.Len(t, z.LookupAll("dup"), 2)
					_, ok := z.Lookup("ü")
					assert.True(t, ok)
				case 3:
					assert.NotEmpty(t, z.Findings())
					_, err := fs.Stat(fsys, "0001/0001999.txt")
					assert.NoError(t, err, kind)
				}
			})
		}
		close(start)
		wg.Wait()
	}
}

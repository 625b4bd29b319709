package extract

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	z := open(t, ziptest.Archive{Entries: []ziptest.Entry{
		file("keep", "new"), file("over", "new"), file("refuse", "new"), file("fresh", "new"), file("dir", "new"), link("link", "over"),
	}})
	tg := newTarget(t)
	for _, name := range []string{"keep", "over", "refuse", "link"} {
		require.NoError(t, tg.root.WriteFile(name, []byte("old"), 0o644))
	}
	require.NoError(t, tg.root.Mkdir("dir", 0o755))
	asked := make(map[string]int64) // one call at a time: the race detector sees others
	how := map[string]Existing{"keep": Keep, "over": Overwrite, "refuse": Refuse, "link": Overwrite}
	result := tg.unpack(t, z, &Options{
		Existing: Keep, // not asked
		Decide: func(e zipfile.Entry, path string, there fs.FileInfo) Existing {
			assert.Equal(t, e.Name(), path)
			asked[path] = there.Size()
			return how[path]
		},
	})
	assert.Equal(t, map[string]int64{"keep": 3, "over": 3, "refuse": 3, "link": 3}, asked)
	assert.Equal(t, map[string]string{"keep": "old", "over": "new", "refuse": "old", "fresh": "new", "dir/": "dir", "link": "-> over"}, read(t, tg.dir))
	assert.Equal(t, []string{"refuse: refused: the file exists", "dir: refused: a directory is in its place"}, failures(result))
	assert.Equal(t, 1, result.Kept)
}

// TestStop: what was decided before the stop is unpacked, and nothing after it is begun.
func TestStop(t *testing.T) {
	t.Parallel()
	var entries []ziptest.Entry
	for i := range 300 { // more than a batch
		entries = append(entries, file(fmt.Sprintf("%03d", i), "new"))
	}
	entries = append(entries, ziptest.Entry{Name: "large", Zeros: inMemory + 1}, link("link", "000"), link("other", "000"))
	z := open(t, ziptest.Archive{Entries: entries})
	for _, at := range []string{"000", "001", "100", "280", "large", "link", "other"} {
		for _, workers := range []int{1, 4} {
			tg := newTarget(t)
			for _, e := range entries {
				require.NoError(t, tg.root.WriteFile(e.Name, []byte("old"), 0o644))
			}
			yes := make(map[string]bool)
			asked := 0
			result, err := Unpack(t.Context(), tg.root, z.Entries(), &Options{Workers: workers, Decide: func(_ zipfile.Entry, path string, _ fs.FileInfo) Existing {
				if asked++; path == at {
					return Stop
				}
				yes[path] = true
				return Overwrite
			}})
			require.Equal(t, ErrStopped, err)
			assert.Equal(t, len(yes)+1, asked, "asked again")
			assert.Empty(t, failures(result))
			assert.Equal(t, len(yes), result.Files+result.Links)
			for path, got := range read(t, tg.dir) {
				assert.Equal(t, yes[path], got != "old", "%s, stop at %s, %d workers", path, at, workers)
			}
		}
	}
}

// TestDryRun: what is told is what Unpack then does, and nothing changes.
func TestDryRun(t *testing.T) {
	t.Parallel()
	z := open(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "d/", Mode: fs.ModeDir | 0o700}, file("d/f", "12345"), file("d/e/g", "123"), file("there", "new"), file("dir", "new"),
		file("../out", "new"), link("l", "d/f"), {Name: "was/", Mode: fs.ModeDir | 0o700}, file("was/x", "1"), file("taken/y", "1"), file("d/f", "last"),
		link("abs", "/etc/passwd"), link("d/esc", "../../x"), link("d/e/up", "../../there"), link("dangling", "d/none"), link("chain", "l"),
		link("d/dirlink", "e"), link("through", "d/dirlink/g"), link("circle", "circle2"), link("circle2", "circle"), link("climbs", "d/../there"),
		link("viaold", "oldlink/x"), link("oldlink2", "oldlink"), {Name: "broken", Data: []byte("there"), Mode: fs.ModeSymlink | 0o777, Header: func(h *ziptest.Header) { h.CRC32 ^= 1 }},
	}})
	for _, o := range []Options{{}, {Existing: Keep}, {Existing: Overwrite}, {NoSymlinks: true}} {
		tg := newTarget(t)
		require.NoError(t, tg.root.WriteFile("there", []byte("old"), 0o644))
		require.NoError(t, tg.root.WriteFile("taken", []byte("old"), 0o644))
		require.NoError(t, tg.root.Mkdir("dir", 0o755))
		require.NoError(t, tg.root.Mkdir("was", 0o755))
		require.NoError(t, tg.root.Symlink("was", "oldlink"))
		before := read(t, tg.dir)
		told, done := make(finished), make(finished)
		dry := o
		dry.DryRun, dry.Done = true, told.watch(t)
		would := tg.unpack(t, z, &dry)
		told.agree(t, would)
		assert.Equal(t, before, read(t, tg.dir))
		o.Done = done.watch(t)
		did := tg.unpack(t, z, &o)
		assert.Equal(t, failures(did), failures(would))
		assert.Equal(t, len(done), len(told))
		did.Failed, would.Failed = nil, nil
		assert.Equal(t, did, would)
		assert.Equal(t, 0o755, int(must(tg.root.Stat("dir")).Mode().Perm()))
	}
}

// TestDryRunNowhere: the directory is not there yet.
func TestDryRunNowhere(t *testing.T) {
	t.Parallel()
	z := open(t, ziptest.Archive{Entries: []ziptest.Entry{file("a/b", "12"), {Name: "c/"}, link("l", "a/b"), file("/abs", "1")}})
	result, err := Unpack(t.Context(), nil, z.Entries(), &Options{DryRun: true})
	require.NoError(t, err)
	assert.Equal(t, []int{1, 1, 1, 2}, []int{result.Files, result.Directories, result.Links, int(result.Bytes)})
	assert.Len(t, result.Failed, 1)
}

func must(st fs.FileInfo, err error) fs.FileInfo {
	if err != nil {
		panic(err)
	}
	return st
}

// TestHoles: files are what they are with holes and without, whatever the pieces they come in.
func TestHoles(t *testing.T) {
	t.Parallel()
	zeros := func(n int) []byte { return make([]byte, n) }
	data := func(n int) []byte { return bytes.Repeat([]byte{1}, n) }
	cases := map[string][]byte{
		"all zeros":        zeros(3 << 20),
		"zeros at the end": slices.Concat(data(5000), zeros(2<<20)),
		"zeros in front":   slices.Concat(zeros(2<<20), data(1)),
		"between":          slices.Concat(data(70000), zeros(1<<20), data(70000), zeros(holeMin), data(3)),
		"short runs":       slices.Concat(data(70000), zeros(holeMin-1), data(1), zeros(holeBlock), data(1), zeros(5)),
		"just enough":      zeros(holeMin),
		"too small":        zeros(holeMin - 1),
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 40 { // pieces and runs of all lengths
		var b []byte
		for range 1 + r.IntN(8) {
			b = append(b, zeros(r.IntN(3*holeMin))...)
			b = append(b, data(r.IntN(2*holeBlock))...)
		}
		cases["random "+strings.Repeat("x", len(cases))] = b
	}
	a := ziptest.Archive{}
	for name, b := range cases {
		a.Entries = append(a.Entries, ziptest.Entry{Name: name, Data: b, Method: uint16(len(b) & 8)})
	}
	for name, z := range backends(t, a) {
		tg := newTarget(t)
		var wrote atomic.Int64
		result := tg.unpack(t, z, &Options{Wrote: func(n int) { wrote.Add(int64(n)) }})
		require.Empty(t, failures(result))
		assert.Equal(t, result.Bytes, wrote.Load(), name)
		for f, want := range cases {
			got, err := os.ReadFile(filepath.Join(tg.dir, f))
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, got), "%s, %s", name, f)
		}
	}
}

// TestSinkPieces: pieces of any length.
func TestSinkPieces(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		var want []byte
		for range 1 + r.IntN(4) {
			want = append(want, make([]byte, r.IntN(3*holeMin))...)
			want = append(want, bytes.Repeat([]byte{7}, r.IntN(holeBlock))...)
		}
		name := filepath.Join(t.TempDir(), "f")
		f, err := os.Create(name)
		require.NoError(t, err)
		s := newSink(t.Context(), f, holeMin, nil)
		for rest := want; len(rest) > 0; {
			n := min(len(rest), 1+r.IntN(100_000))
			_, err := s.Write(rest[:n])
			require.NoError(t, err)
			rest = rest[n:]
		}
		s.finish()
		require.NoError(t, s.err)
		require.NoError(t, f.Close())
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got))
	}
}

// TestRelative: names with harmless faults are unpacked without them, others are refused as ever.
func TestRelative(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a": "a", "./a": "a", "/a": "a", "//a/./b//c/": "a/b/c/", "./": "", "/": "", ".": "", "a/": "a/", "a/.": "a", "../a": "../a", "./..": "..", ".a/..b": ".a/..b",
	} {
		assert.Equal(t, want, RelativePath(name), name)
	}
	z := open(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "./"}, file("./a", "a"), file("/b/c", "c"), {Name: ".//d/"}, file("./../e", "e"), file("./f\\g", "g"), file("/C:/h", "h"), link("./l", "a"), link("./m", "/a"),
	}})
	tg := newTarget(t)
	result, err := Unpack(t.Context(), tg.root, z.Entries(), &Options{Relative: true})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a": "a", "b/": "dir", "b/c": "c", "d/": "dir", "l": "-> a"}, read(t, tg.dir))
	assert.Len(t, result.Failed, 4, "%v", result.Failed)
	result, err = Unpack(t.Context(), tg.root, z.Entries(), nil)
	require.NoError(t, err)
	assert.Len(t, result.Failed, 9)
}

func TestWindowsPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"a/b.txt": "a/b.txt", "a/": "a/", "CON": "CON_", "nul.txt": "nul_.txt", "x/aux/": "x/aux_/", "nul .txt": "nul _.txt", "COM1.tar.gz": "COM1_.tar.gz",
		"a:b": "a_b", `q?*<>|"`: "q______", "dot.": "dot_", "dots. .": "dots___", "sp /x.": "sp_/x_", "a//b:": "a//b_", "": "", "é:ü": "é_ü", ".hidden": ".hidden",
	} {
		got := WindowsPath(path)
		assert.Equal(t, want, got, path)
		assert.Empty(t, windowsFault(got), path)
	}
}

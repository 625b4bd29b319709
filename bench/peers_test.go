package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
)

func TestPeersTables(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	jar := jarOf(t, 60, 1)
	code, stdout, stderr := bench("peers", "-cp", jar, "-runs", "2")
	require.Equal(t, exitDone, code, stderr)
	assert.Empty(t, stderr, "no progress where there is no terminal")

	assert.Contains(t, stdout, "seed 1\n")
	assert.Contains(t, stdout, "load of every *.class of classes.jar")
	assert.Contains(t, stdout, "\n  60 entries, ")
	assert.NotContains(t, stdout, filepath.Dir(jar), "no directories in what may be shown to others")
	for _, row := range []string{
		"zipfile pread, 1 goroutine", "zipfile pread, 2 goroutines", "archive/zip", "klauspost/compress/zip",
	} {
		assert.Regexp(t, `(?m)^ *\d+ `+row+` +[\d.]+ `, stdout)
	}
	// Each peer is there or a line says why not.
	for peer, row := range map[string]string{
		"libdeflate": "libdeflate .*, mapped", "Java": "Java .* ZipFile, no CRC", "zipcat": "zipcat test --quiet",
		"unzip": "unzip -tqq", "7zz": "7zz t", "bsdtar": "bsdtar -xOf", "mapped": "zipfile mapped, 1 goroutine",
		"zlib": "zlib .*", "libzip": "libzip .*", "minizip": "minizip.*", "Python": "Python .*", "fastzip": "fastzip.*, 2 goroutines",
		"jar": "jar tf", "python3": "python3 -m zipfile -t",
	} {
		assert.Regexp(t, `(?m)^( *\d+ `+row+` +[\d.]+ | *without `+peer+`[^:]*: .)`, stdout)
	}
}

// What is missing does not stop the rest.
func TestPeersAlone(t *testing.T) {
	needsProcesses(t)
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA_HOME", filepath.Join(t.TempDir(), "none"))
	code, stdout, stderr := bench("peers", "-cp", jarOf(t, 20, 1), "-runs", "2", "-workers", "1", "-suffix", "")
	require.Equal(t, exitDone, code, stderr)
	for _, peer := range []string{"libdeflate", "zlib", "libzip", "minizip", "Python", "fastzip", "Java", "zipcat", "unzip", "7zz", "bsdtar", "jar"} {
		assert.Contains(t, stdout, "\nwithout "+peer+": ")
	}
	assert.Regexp(t, `(?m)^ *1 zipfile \w+, 1 goroutine +[\d.]+ `, stdout)
	assert.Contains(t, stdout, "\n  21 entries, ", "the manifest too")
	assert.Contains(t, stdout, "nothing to measure")
}

func TestPeersLarge(t *testing.T) {
	needsProcesses(t)
	cache := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData", "home"} { // see os.UserCacheDir
		t.Setenv(name, cache)
	}
	t.Setenv("PATH", t.TempDir()) // what other programs do is not the point here
	code, stdout, stderr := bench("peers", "-cp", jarOf(t, 10, 1), "-runs", "2", "-large", "-mib", "2")
	require.Equal(t, exitDone, code, stderr)
	assert.Contains(t, stderr, "large-2MiB-v1.zip, once")
	for _, title := range []string{"deflated", "stored"} {
		assert.Contains(t, stdout, "\none "+title+" entry of 2 MiB, CRC-32 checked\n")
	}
	assert.Equal(t, 2, strings.Count(stdout, "\n  1 entry, 2097152 bytes"), stdout)
	assert.Equal(t, 2, strings.Count(stdout, "; read in pieces of 128 KiB"), "both tables")
	for _, row := range []string{"zipfile pread", "klauspost/compress/flate", "copy and crc32, memory to memory", "read and crc32, pread"} {
		assert.Regexp(t, `(?m)^ *\d+ `+row+` +[\d.]+ `, stdout)
	}
}

func TestPeersNothing(t *testing.T) {
	needsProcesses(t)
	t.Setenv("PATH", t.TempDir())
	code, _, stderr := bench("peers", "-cp", jarOf(t, 5, 1), "-runs", "2", "-suffix", ".scala")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "no such entry")
}

// The peers read the same as we do.
func TestPeers(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	jar := jarOf(t, 40, 1)
	want, err := passLoad(job{Jars: []string{jar}, Suffix: ".class", Workers: 2})
	require.NoError(t, err)
	require.Equal(t, int64(40), want.Entries)
	w, err := newWorkshop()
	require.NoError(t, err)
	defer func() { assert.NoError(t, w.close()) }()

	check := func(t *testing.T, program string, args ...string) {
		t.Helper()
		c := contender{cmd: func(ctx context.Context) (*exec.Cmd, error) {
			return exec.CommandContext(ctx, program, args...), nil
		}}
		got, err := c.turn(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []int64{want.Entries, want.Bytes}, []int64{got.Entries, got.Bytes})
		assert.Positive(t, got.Wall)
	}
	program, _, err := w.driver(t.Context(), "libdeflate", "libdeflate")
	if err != nil {
		t.Log("without libdeflate: ", err)
	} else {
		for _, mode := range []string{"decode", "slack", "crc", "load"} {
			check(t, program, mode, ".class", "2", jar)
		}
		bad := filepath.Join(t.TempDir(), "text.jar")
		require.NoError(t, os.WriteFile(bad, []byte("no archive, but longer than an end record"), 0o666))
		_, err := output(t.Context(), exec.Command(program, "load", "", "1", bad))
		assert.ErrorContains(t, err, "no archive")
	}
	for _, name := range []string{"zlib", "libzip", "minizip"} {
		program, _, err := w.driver(t.Context(), name, name)
		if err != nil {
			t.Log("without ", name, ": ", err)
			continue
		}
		check(t, program, "load", ".class", "2", jar)
	}
	if python, err := w.python(t.Context()); err != nil {
		t.Log("without Python: ", err)
	} else {
		check(t, python.path, append(python.args, "load", ".class", "2", jar)...)
	}
	javas, err := w.java(t.Context())
	if err != nil {
		t.Log("without Java: ", err)
		return
	}
	for _, j := range javas {
		check(t, j.path, "-cp", w.path(""), "ZipLoad", ".class", "2", jar)
		check(t, j.path, "-cp", w.path(""), "ZipLoad", ".class", "2", jar, "crc")
		check(t, j.path, "-cp", w.path(""), "ZipFs", ".class", "2", jar)
	}
}

// All readers of bench's own agree.
func TestReaders(t *testing.T) {
	t.Parallel()
	jar := jarOf(t, 40, 1)
	archive := filepath.Join(t.TempDir(), "large.zip")
	f, err := os.Create(archive)
	require.NoError(t, err)
	require.NoError(t, writeLarge(f, 300_000))
	require.NoError(t, f.Close())

	classes := job{Jars: []string{jar}, Suffix: ".class", Backend: backend.Pread, Workers: 1}
	want, err := passLoad(classes)
	require.NoError(t, err)
	assert.Equal(t, int64(40), want.Entries)
	for _, name := range []string{readOpen, readGo, readKlauspostZip, readKlauspostFlate} {
		got, err := readers[name](classes)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
	for _, name := range []string{readRead, readCopy} {
		stored := job{Jars: []string{archive}, Suffix: largeStored, Backend: backend.Pread}
		got, err := readers[name](stored)
		require.NoError(t, err, name)
		assert.Equal(t, []int64{1, 300_000}, []int64{got.Entries, got.Bytes}, name)
		stored.Suffix = largeDeflated
		_, err = readers[name](stored)
		assert.ErrorContains(t, err, "wants a stored entry", name)
	}
}

// A reader that does not look at checksums would be faster for nothing.
func TestReadersCheck(t *testing.T) {
	t.Parallel()
	archive := filepath.Join(t.TempDir(), "large.zip")
	f, err := os.Create(archive)
	require.NoError(t, err)
	require.NoError(t, writeLarge(f, 100_000))
	require.NoError(t, f.Close())
	b, err := os.ReadFile(archive)
	require.NoError(t, err)
	z, err := zipfile.New(backend.Bytes(b), nil)
	require.NoError(t, err)
	e, ok := z.Lookup(largeStored)
	require.True(t, ok)
	off, err := e.DataOffset()
	require.NoError(t, err)
	b[off+5000] ^= 1
	require.NoError(t, os.WriteFile(archive, b, 0o666))

	for name, read := range readers {
		if name == readKlauspostFlate {
			continue // not for stored entries
		}
		_, err := read(job{Jars: []string{archive}, Suffix: largeStored, Backend: backend.Pread, Workers: 1})
		assert.Error(t, err, name)
	}
}

func TestParseSample(t *testing.T) {
	t.Parallel()
	got, err := parseSample("0.250000 3 1000")
	require.NoError(t, err)
	assert.Equal(t, sample{Wall: 250e6, Entries: 3, Bytes: 1000}, got)
	var b strings.Builder
	require.NoError(t, encode(&b, got))
	again, err := parseSample(b.String())
	require.NoError(t, err)
	assert.Equal(t, got, again)
	for _, line := range []string{"", "0.25 3", "fast 3 1000", "0.25 3 many", "0.25 3 4 5", "{"} {
		_, err := parseSample(line)
		assert.Error(t, err, line)
	}
}

func TestMeasure(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	jar := jarOf(t, 10, 1)
	quiet := func() (*rand.Rand, *progress, io.Writer) {
		return rand.New(rand.NewPCG(1, 1)), newProgress(io.Discard, 0), io.Discard
	}
	fails := &contender{name: "broken", cmd: func(context.Context) (*exec.Cmd, error) { return nil, errors.New("out of order") }}
	load := job{Experiment: "read", Reader: readLoad, Jars: []string{jar}, Suffix: ".class", Passes: 2, Workers: 1}
	other := load
	other.Reader = readGo
	tab := &table{title: "test", unit: milliseconds, list: []*contender{fails}}
	before := 0
	tab.reader("ours", true, load).before = func() error { before++; return nil }
	tab.reader("other", false, other)
	var out strings.Builder
	order, p, _ := quiet()
	require.NoError(t, tab.measure(t.Context(), 3, order, p, &out))
	assert.Equal(t, "  without broken: out of order\n", out.String())
	require.Len(t, tab.list, 2)
	assert.Len(t, tab.list[0].counted(), 3)
	assert.Len(t, tab.list[1].counted(), 3)
	assert.Equal(t, 4, before)

	other.Suffix = ""
	tab = &table{}
	tab.reader("ours", true, load)
	tab.reader("other", false, other)
	order, p, w := quiet()
	assert.ErrorContains(t, tab.measure(t.Context(), 1, order, p, w), "other 11 entries")

	fails.ours = true
	order, p, w = quiet()
	assert.ErrorContains(t, (&table{list: []*contender{fails}}).measure(t.Context(), 1, order, p, w), "broken: out of order")
}

// Each experiment measures something, and what it reads is right.
func TestExperiments(t *testing.T) {
	needsProcesses(t)
	cache := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData", "home"} { // see os.UserCacheDir
		t.Setenv(name, cache)
	}
	jar := jarOf(t, 40, 1)
	z, err := zipfile.Open(jar, nil)
	require.NoError(t, err)
	all := plural(z.Len(), "entry") // directories too
	require.NoError(t, z.Close())
	for name, want := range map[string][]string{
		"open":       {"the first open in a process", "an open, of 20", "zipfile pread", "archive/zip"},
		"lookup":     {"that hits", "that misses", lookupZipfile, lookupMap},
		"list":       {"every entry of", all},
		"stream":     {"one deflated entry of 1 MiB", "one stored entry of 1 MiB"},
		"extract":    {"zipfile/extract pread, 2 goroutines", "writing the files", "41 entries, "},
		"concurrent": {"each its part", "all the same", "pread, 4 goroutines"},
		"startup":    {"open, gate shut", "switch to the mapping"},
		"memory":     {"zipfile pread, 1000", "archive/zip, 1000", "zipfile pread, 2500", "archive/zip, 2500"},
	} {
		args := []string{name, "-runs", "2", "-json", filepath.Join(cache, name+".json")}
		if name != "stream" && name != "memory" {
			args = append(args, "-cp", jar)
		}
		switch name {
		case "stream":
			args = append(args, "-mib", "1")
		case "memory":
			args = append(args, "-most", "2500")
		case "startup":
			if !maps(jar) {
				continue
			}
		}
		code, stdout, stderr := bench(args...)
		require.Equal(t, exitDone, code, "%s: %s", name, stderr)
		for _, text := range want {
			assert.Contains(t, stdout, text, name)
		}
		b, err := os.ReadFile(filepath.Join(cache, name+".json"))
		require.NoError(t, err)
		var r record
		require.NoError(t, json.Unmarshal(b, &r))
		assert.Equal(t, name, r.Experiment)
		for _, tab := range r.Tables {
			require.NotEmpty(t, tab.Rows, name)
			for _, row := range tab.Rows {
				assert.Len(t, row.Runs, 3, "%s: %s", name, row.Name)
			}
		}
	}
}

func TestMemorySteps(t *testing.T) {
	t.Parallel()
	for most, want := range map[int][]int{
		1:         {1},
		1000:      {1000},
		1999:      {1999},
		2000:      {1000, 2000},
		10_000:    {1000, 10_000},
		250_000:   {1000, 10_000, 100_000, 250_000},
		1_000_000: {1000, 10_000, 100_000, 1_000_000},
	} {
		assert.Equal(t, want, memorySteps(most))
	}
}

// Text is neither random nor all the same.
func TestText(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH == "wasm" {
		t.Skip("compressing megabytes takes too long under WebAssembly; every other platform does it")
	}
	text := newText()
	assert.Len(t, text, 16<<20)
	assert.Equal(t, text[:1000], newText()[:1000])
	archive := filepath.Join(t.TempDir(), "large.zip")
	f, err := os.Create(archive)
	require.NoError(t, err)
	require.NoError(t, writeLarge(f, 1<<20))
	require.NoError(t, f.Close())
	z, err := zipfile.Open(archive, nil)
	require.NoError(t, err)
	defer z.Close()
	e, ok := z.Lookup(largeDeflated)
	require.True(t, ok)
	assert.InDelta(t, 0.35, float64(e.CompressedSize())/float64(e.Size()), 0.1, "about as text does")
}

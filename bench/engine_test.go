package main

import (
	"context"
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

func TestEngine(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	jar := jarOf(t, 60, 1)
	code, stdout, stderr := bench("engine", "-cp", jar, "-runs", "2")
	require.Equal(t, exitDone, code, stderr)
	assert.Empty(t, stderr, "no progress where there is no terminal")

	assert.Contains(t, stdout, "seed 1\n")
	assert.Contains(t, stdout, "load of every *.class of classes.jar")
	assert.Contains(t, stdout, "\n  60 entries, ")
	assert.NotContains(t, stdout, filepath.Dir(jar), "no directories in what may be shown to others")
	for _, row := range []string{
		"zipfile pread, 1 worker", "zipfile pread, 2 workers", "archive/zip", "klauspost/compress/zip",
	} {
		assert.Regexp(t, `(?m)^ *\d+ `+row+` +[\d.]+ `, stdout)
	}
	// Each peer is there or a line says why not.
	for peer, row := range map[string]string{
		"libdeflate": "libdeflate .*, mapped", "Java": "Java .* ZipFile, no CRC check", "zipcat": "zipcat test --quiet",
		"unzip": "unzip -tqq", "7zz": "7zz t", "bsdtar": "bsdtar -xOf", "mapped": "zipfile mapped, 1 worker",
	} {
		assert.Regexp(t, `(?m)^( *\d+ `+row+` +[\d.]+ | *without `+peer+`[^:]*: .)`, stdout)
	}
}

// What is missing does not stop the rest.
func TestEngineAlone(t *testing.T) {
	needsProcesses(t)
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA_HOME", filepath.Join(t.TempDir(), "none"))
	code, stdout, stderr := bench("engine", "-cp", jarOf(t, 20, 1), "-runs", "1", "-workers", "1", "-suffix", "")
	require.Equal(t, exitDone, code, stderr)
	for _, peer := range []string{"libdeflate", "Java", "zipcat", "unzip", "7zz", "bsdtar"} {
		assert.Contains(t, stdout, "\nwithout "+peer+": ")
	}
	assert.Regexp(t, `(?m)^ *1 zipfile \w+, 1 worker +[\d.]+ +[\d.]+ +1\.00 +1\.00 `, stdout)
	assert.Contains(t, stdout, "\n  21 entries, ", "the manifest too")
	assert.Contains(t, stdout, "nothing to measure")
}

func TestEngineLarge(t *testing.T) {
	needsProcesses(t)
	cache := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData", "home"} { // see os.UserCacheDir
		t.Setenv(name, cache)
	}
	t.Setenv("PATH", t.TempDir()) // what other programs do is not the point here
	code, stdout, stderr := bench("engine", "-cp", jarOf(t, 10, 1), "-runs", "1", "-large", "-large-mib", "2")
	require.Equal(t, exitDone, code, stderr)
	assert.Contains(t, stderr, "large-2MiB-v1.zip, once")
	for _, title := range []string{"deflated", "stored"} {
		assert.Contains(t, stdout, "\none "+title+" entry of 2 MiB, CRC checked\n")
	}
	assert.Equal(t, 2, strings.Count(stdout, "\n  1 entry, 2097152 bytes\n"), stdout)
	for _, row := range []string{"zipfile pread", "klauspost/compress/flate", "copy and crc32, memory to memory", "read and crc32, pread"} {
		assert.Regexp(t, `(?m)^ *\d+ `+row+` +[\d.]+ `, stdout)
	}
}

func TestEngineNothing(t *testing.T) {
	needsProcesses(t)
	t.Setenv("PATH", t.TempDir())
	code, _, stderr := bench("engine", "-cp", jarOf(t, 5, 1), "-runs", "1", "-suffix", ".scala")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "no entry has that suffix")
}

// The peers read the same as we do.
func TestPeers(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	jar := jarOf(t, 40, 1)
	want, err := passLoad(job{Jars: []string{jar}, Suffix: ".class", Workers: 2})
	require.NoError(t, err)
	require.Equal(t, int64(40), want.entries)
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
		want.seconds = got.seconds
		assert.Equal(t, want, got)
	}
	program, _, err := w.libdeflate(t.Context())
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
	program, _, err = w.java(t.Context())
	if err != nil {
		t.Log("without Java: ", err)
		return
	}
	check(t, program, "-cp", w.path(""), "ZipLoad", ".class", "2", jar)
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
	assert.Equal(t, int64(40), want.entries)
	for _, name := range []string{readOpen, readGo, readKlauspostZip, readKlauspostFlate} {
		got, err := readers[name](classes)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
	for _, name := range []string{readRead, readCopy} {
		stored := job{Jars: []string{archive}, Suffix: largeStored, Backend: backend.Pread}
		got, err := readers[name](stored)
		require.NoError(t, err, name)
		got.seconds = 0
		assert.Equal(t, tally{entries: 1, bytes: 300_000}, got, name)
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

func TestParseTally(t *testing.T) {
	t.Parallel()
	got, err := parseTally("0.250000 3 1000")
	require.NoError(t, err)
	assert.Equal(t, tally{0.25, 3, 1000}, got)
	assert.Equal(t, "0.250000 3 1000", got.String())
	for _, line := range []string{"", "0.25 3", "fast 3 1000", "0.25 3 many", "0.25 3 4 5"} {
		_, err := parseTally(line)
		assert.Error(t, err, line)
	}
}

func TestSection(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	jar := jarOf(t, 10, 1)
	fails := &contender{name: "broken", cmd: func(context.Context) (*exec.Cmd, error) { return nil, errors.New("out of order") }}
	base := job{Jars: []string{jar}, Suffix: ".class", Passes: 2, Workers: 1}
	load, other := base, base
	load.Reader, other.Reader = readLoad, readGo
	s := &section{title: "test", list: []*contender{fails, reader("ours", load), reader("other", other)}}
	var out strings.Builder
	require.NoError(t, s.measure(t.Context(), 3, rand.New(rand.NewPCG(1, 1)), &out, io.Discard))
	assert.Equal(t, "  without broken: out of order\n", out.String())
	require.Len(t, s.list, 2)
	assert.Len(t, s.list[0].seconds, 3)
	assert.Len(t, s.list[1].seconds, 3)

	other.Suffix = ""
	s = &section{list: []*contender{reader("ours", load), reader("other", other)}}
	err := s.measure(t.Context(), 1, rand.New(rand.NewPCG(1, 1)), io.Discard, io.Discard)
	assert.ErrorContains(t, err, "other read 11 entries")

	fails.ours = true
	s = &section{list: []*contender{fails}}
	assert.ErrorContains(t, s.measure(t.Context(), 1, rand.New(rand.NewPCG(1, 1)), io.Discard, io.Discard), "broken: out of order")
}

func TestSectionPrint(t *testing.T) {
	t.Parallel()
	s := &section{list: []*contender{
		{name: "a", seconds: []float64{0.3, 0.1, 0.2}, tally: tally{entries: 2, bytes: 7}},
		{name: "bb", seconds: []float64{0.4, 0.2, 0.6, 0.2}},
	}}
	var out strings.Builder
	s.print(&out)
	var lines []string
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	assert.Equal(t, []string{
		"min ms median ms median/1 /1 /2",
		"1 a 100.0 200.0 1.00 1.00 0.50",
		"2 bb 200.0 300.0 1.50 2.00 1.00",
		"2 entries, 7 bytes",
	}, lines)
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

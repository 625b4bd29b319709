package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/bench/internal/gen"
	"zipcat.dev/zipfile"
)

// jarOf writes a generated jar.
func jarOf(t *testing.T, classes int, seed uint64) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "classes.jar"))
	require.NoError(t, err)
	require.NoError(t, gen.Jar(f, classes, seed))
	require.NoError(t, f.Close())
	return f.Name()
}

func TestLoad(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	classPath := jarOf(t, 60, 1) + string(os.PathListSeparator) + jarOf(t, 40, 2)
	file := filepath.Join(t.TempDir(), "runs.json")
	code, stdout, stderr := bench("load", "-cp", classPath, "-runs", "2", "-cache", "warm", "-json", file)
	require.Equal(t, exitDone, code, stderr)

	assert.Contains(t, stdout, "\nevery class of 2 jars, jar by jar, in file order, 1 goroutine, from the system's cache\n")
	assert.Contains(t, stdout, "seed 1\n")
	assert.Contains(t, stdout, "not counted")
	assert.Contains(t, stdout, "\n  100 entries, ")
	assert.Contains(t, stdout, "2 runs are few")
	assert.Empty(t, stderr, "no progress where there is no terminal")
	rows := 1
	if maps(jarOf(t, 1, 1)) {
		rows = 2
		assert.Regexp(t, `(?m)^ *2 mapped +[\d.]+ `, stdout)
		assert.Regexp(t, `(?m)^(No difference shown between|\w+ (likely )?takes less than) `, stdout)
	} else {
		assert.Contains(t, stdout, "without mapped: ")
	}
	assert.Regexp(t, `(?m)^ *1 pread +[\d.]+ `, stdout)

	b, err := os.ReadFile(file)
	require.NoError(t, err)
	var r record
	require.NoError(t, json.Unmarshal(b, &r))
	require.Len(t, r.Tables, 1)
	require.Len(t, r.Tables[0].Rows, rows)
	for _, row := range r.Tables[0].Rows {
		require.Len(t, row.Runs, 3)
		for i, run := range row.Runs {
			assert.Equal(t, i, run.Round)
			assert.Equal(t, row.Name, run.Used)
			assert.Equal(t, int64(100), run.Entries)
			assert.Positive(t, run.Wall)
			assert.Equal(t, r.Tables[0].Rows[0].Runs[0].Digest, run.Digest)
		}
	}
	assert.NotContains(t, string(b), filepath.Dir(file), "a record names no directories")
}

func TestLoadAgainstItself(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	code, stdout, stderr := bench("load", "-cp", jarOf(t, 20, 1), "-runs", "2", "-backends", "pread,auto,pread", "-shuffle", "-cache", "warm")
	require.Equal(t, exitDone, code, stderr)
	assert.Contains(t, stdout, "in random order")
	assert.Regexp(t, `(?m)^ *\d pread#2 `, stdout)
	assert.Regexp(t, `(?m)^ *\d auto `, stdout)
}

func TestLoadWorkers(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	code, stdout, stderr := bench("load", "-cp", jarOf(t, 50, 1), "-runs", "2", "-backends", "pread", "-workers", "1,2", "-cache", "warm")
	require.Equal(t, exitDone, code, stderr)
	assert.Contains(t, stdout, "in file order, 1 goroutine, ")
	assert.Contains(t, stdout, "in file order, 2 goroutines, ")
}

// From the disk it is the same, where the system can be made to forget.
func TestLoadCold(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	code, stdout, stderr := bench("load", "-cp", jarOf(t, 20, 1), "-runs", "2", "-backends", "pread")
	if runtime.GOOS != "linux" {
		assert.Equal(t, exitFailed, code)
		assert.Contains(t, stderr, "no way here")
		return
	}
	require.Equal(t, exitDone, code, stderr)
	assert.Contains(t, stdout, ", from the system's cache\n")
	assert.Regexp(t, `, from the disk\n  the system('s cache is dropped| is asked to forget)`, stdout)
}

func TestLoadGenerated(t *testing.T) {
	needsProcesses(t)
	cache := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData", "home"} { // see os.UserCacheDir
		t.Setenv(name, cache)
	}
	args := []string{"load", "-runs", "2", "-entries", "30", "-seed", "7", "-backends", "pread", "-cache", "warm"}
	for _, first := range []bool{true, false} {
		code, stdout, stderr := bench(args...)
		require.Equal(t, exitDone, code, stderr)
		assert.Contains(t, stdout, "classes-30-seed7-")
		assert.Equal(t, first, strings.Contains(stderr, "once"), stderr)
	}
}

func TestLoadDamaged(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	jar := jarOf(t, 30, 1)
	z, err := zipfile.Open(jar, nil)
	require.NoError(t, err)
	e := z.At(z.Len() - 1)
	off, err := e.DataOffset()
	require.NoError(t, err)
	name := e.Name()
	size := e.CompressedSize()
	require.NoError(t, z.Close())
	f, err := os.OpenFile(jar, os.O_RDWR, 0)
	require.NoError(t, err)
	b := make([]byte, 1)
	_, err = f.ReadAt(b, off+size/2)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte{^b[0]}, off+size/2)
	require.NoError(t, err)
	require.NoError(t, f.Close())

	code, stdout, stderr := bench("load", "-cp", jar, "-runs", "2", "-cache", "warm")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "1 of 30 entries could not be read")
	assert.Contains(t, stderr, name)
	assert.Contains(t, stdout, "\n  29 entries, ", "the others are measured")
}

func TestLoadNothing(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	code, _, stderr := bench("load", "-cp", jarOf(t, 0, 1), "-runs", "2", "-cache", "warm")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "no such entry")

	text := filepath.Join(t.TempDir(), "text.jar")
	require.NoError(t, os.WriteFile(text, []byte("no archive"), 0o666))
	code, _, stderr = bench("load", "-cp", text, "-runs", "2", "-backends", "pread")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "text.jar")
	assert.Contains(t, stderr, "text.jar")
}

// Neither order nor workers change anything of what is compared between runs.
func TestLoadClassesShuffled(t *testing.T) {
	t.Parallel()
	j := job{Experiment: "load", Backend: backend.Pread, Jars: []string{jarOf(t, 50, 1), jarOf(t, 50, 2)}, Workers: 1}
	a, err := loadClasses(j)
	require.NoError(t, err)
	assert.Equal(t, int64(100), a.Entries)
	assert.NotZero(t, a.Digest)
	shuffled, parallel := j, j
	shuffled.Shuffle = true
	parallel.Workers = 3
	for _, j := range []job{shuffled, parallel} {
		b, err := loadClasses(j)
		require.NoError(t, err)
		assert.Equal(t, a.Entries, b.Entries)
		assert.Equal(t, a.Bytes, b.Bytes)
		assert.Equal(t, a.Digest, b.Digest)
	}
	if runtime.GOOS == "linux" {
		assert.Positive(t, a.Peak)
		assert.Positive(t, a.CPU)
	}
}

// Of two meters one after the other both count.
func TestMeter(t *testing.T) {
	t.Parallel()
	before := sample{Wall: 1e9, CPU: 1e9, Faults: 1e6, Reads: 1000, Read: 1e6}
	s := before
	startMeter().stop(&s)
	assert.Greater(t, s.Wall, before.Wall)
	assert.GreaterOrEqual(t, s.CPU, before.CPU)
	assert.GreaterOrEqual(t, s.Faults, before.Faults)
	assert.GreaterOrEqual(t, s.Reads, before.Reads)
	assert.GreaterOrEqual(t, s.Read, before.Read)
}

func TestAgree(t *testing.T) {
	t.Parallel()
	same := sample{Entries: 3, Bytes: 100, Digest: 5}
	for _, tt := range []struct {
		name string
		last sample
		ok   bool
	}{
		{"same", sample{Entries: 3, Bytes: 100, Digest: 5, Wall: 7, Used: "mapped"}, true},
		{"no checksums", sample{Entries: 3, Bytes: 100}, true},
		{"entries", sample{Entries: 2, Bytes: 100, Digest: 5}, false},
		{"bytes", sample{Entries: 3, Bytes: 101, Digest: 5}, false},
		{"contents", sample{Entries: 3, Bytes: 100, Digest: 6}, false},
		{"failed", sample{Entries: 3, Bytes: 100, Digest: 5, Failed: 1, Errors: []string{"a.jar: bad"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tab := table{list: []*contender{
				{name: "pread", runs: []measurement{{0, same}}}, {name: "mapped", runs: []measurement{{0, same}, {1, tt.last}}},
			}}
			err := tab.agree()
			if tt.ok {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, "runs differ")
			for _, e := range tt.last.Errors {
				assert.ErrorContains(t, err, e)
			}
			tab.differ = true
			assert.NoError(t, tab.agree())
		})
	}
}

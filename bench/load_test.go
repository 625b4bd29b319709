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
	code, stdout, stderr := bench("load", "-cp", classPath, "-runs", "2", "-json", file)
	require.Equal(t, exitDone, code, stderr)

	assert.Contains(t, stdout, "every class of 2 jars, jar by jar, in file order, 1 worker\n")
	assert.Contains(t, stdout, "seed 1")
	assert.Contains(t, stdout, "not counted")
	variants := 1
	if maps(jarOf(t, 1, 1)) {
		variants = 2
		assert.Empty(t, stderr, "no progress where there is no terminal")
		assert.Regexp(t, `(?m)^ *mapped +2 `, stdout)
		assert.Regexp(t, `(?m)^(No difference shown between|\w+ is (likely )?faster than) `, stdout)
	} else {
		assert.Contains(t, stderr, "without mapped: ")
	}
	assert.Regexp(t, `(?m)^ *pread +2 .* 100  +\d+ `, stdout)

	b, err := os.ReadFile(file)
	require.NoError(t, err)
	var r record
	require.NoError(t, json.Unmarshal(b, &r))
	require.Len(t, r.Runs, 3*variants)
	for i, run := range r.Runs {
		assert.Equal(t, i/variants, run.Round, "a round is over before the next begins")
		assert.Equal(t, run.Variant, run.Used)
		assert.Equal(t, 100, run.Classes)
		assert.Positive(t, run.Wall)
		assert.Equal(t, r.Runs[0].Digest, run.Digest)
	}
	assert.NotContains(t, string(b), filepath.Dir(file), "a record names no directories")
}

func TestLoadAgainstItself(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	code, stdout, stderr := bench("load", "-cp", jarOf(t, 20, 1), "-runs", "2", "-backends", "pread,auto,pread", "-shuffle")
	require.Equal(t, exitDone, code, stderr)
	assert.Contains(t, stdout, "in random order")
	assert.Regexp(t, `(?m)^ *pread#2 `, stdout)
	assert.Regexp(t, `(?m)^ *auto=\w+ `, stdout)
}

func TestLoadWorkers(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	code, stdout, stderr := bench("load", "-cp", jarOf(t, 50, 1), "-runs", "2", "-backends", "pread", "-workers", "2")
	require.Equal(t, exitDone, code, stderr)
	assert.Contains(t, stdout, "in file order, 2 workers\n")
	assert.NotContains(t, stdout, "waited")
}

func TestLoadGenerated(t *testing.T) {
	needsProcesses(t)
	cache := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData", "home"} { // see os.UserCacheDir
		t.Setenv(name, cache)
	}
	args := []string{"load", "-runs", "2", "-entries", "30", "-seed", "7", "-backends", "pread"}
	for _, first := range []bool{true, false} {
		code, stdout, stderr := bench(args...)
		require.Equal(t, exitDone, code, stderr)
		assert.Contains(t, stdout, "classes-30-seed7-v1.jar")
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

	code, stdout, stderr := bench("load", "-cp", jar, "-runs", "2")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "1 of 30 classes could not be read")
	assert.Contains(t, stderr, name)
	assert.Regexp(t, `(?m)^ *pread .* 29  +\d+ `, stdout, "the others are measured")
}

func TestLoadNothing(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	code, _, stderr := bench("load", "-cp", jarOf(t, 0, 1), "-runs", "2")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "no classes")

	text := filepath.Join(t.TempDir(), "text.jar")
	require.NoError(t, os.WriteFile(text, []byte("no archive"), 0o666))
	code, _, stderr = bench("load", "-cp", text, "-runs", "2", "-backends", "pread")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "bench: pread: ")
	assert.Contains(t, stderr, "text.jar")
}

// Neither order nor workers change anything of what is compared between runs.
func TestLoadClassesShuffled(t *testing.T) {
	t.Parallel()
	j := job{Experiment: "load", Backend: backend.Pread, Jars: []string{jarOf(t, 50, 1), jarOf(t, 50, 2)}, Workers: 1}
	a, err := loadClasses(j)
	require.NoError(t, err)
	assert.Equal(t, 100, a.Classes)
	assert.NotZero(t, a.Digest)
	shuffled, parallel := j, j
	shuffled.Shuffle = true
	parallel.Workers = 3
	for _, j := range []job{shuffled, parallel} {
		b, err := loadClasses(j)
		require.NoError(t, err)
		assert.Equal(t, a.Classes, b.Classes)
		assert.Equal(t, a.Bytes, b.Bytes)
		assert.Equal(t, a.Digest, b.Digest)
	}
	if runtime.GOOS == "linux" {
		assert.Positive(t, a.Peak)
		assert.Positive(t, a.CPU)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	same := sample{Classes: 3, Bytes: 100, Digest: 5}
	for _, tt := range []struct {
		name string
		last sample
		ok   bool
	}{
		{"same", sample{Classes: 3, Bytes: 100, Digest: 5, Wall: 7, Used: "mapped"}, true},
		{"classes", sample{Classes: 2, Bytes: 100, Digest: 5}, false},
		{"bytes", sample{Classes: 3, Bytes: 101, Digest: 5}, false},
		{"contents", sample{Classes: 3, Bytes: 100, Digest: 6}, false},
		{"failed", sample{Classes: 3, Bytes: 100, Digest: 5, Failed: 1, Errors: []string{"a.jar: bad"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := record{Runs: []oneRun{{"pread", 0, same}, {"mapped", 0, tt.last}}}
			err := r.check()
			if tt.ok {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, "runs differ")
			for _, e := range tt.last.Errors {
				assert.ErrorContains(t, err, e)
			}
		})
	}
}

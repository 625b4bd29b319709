package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommands(t *testing.T) {
	needsProcesses(t)
	t.Parallel()
	out := t.TempDir()
	code, stdout, stderr := bench("commands", "-cp", jarOf(t, 60, 1), "-runs", "2", "-dir", out)
	require.Equal(t, exitDone, code, stderr)
	assert.Empty(t, stderr, "no progress where there is no terminal")
	for _, title := range []string{"names of all entries of", "every entry of", "contents of one entry of", "unpacking all entries of"} {
		assert.Contains(t, stdout, "\nwhole process, "+title+" classes.jar")
	}
	// Each peer is there or a line says why not.
	for peer, rows := range map[string][]string{
		"zipcat": {"zipcat ls", "zipcat test --quiet", "zipcat cat", "zipcat x"}, "unzip": {"unzip -Z1", "unzip -p", "unzip -qo"},
		"7zz": {"7zz l, sizes and times too", "7zz x -so", "7zz x"}, "bsdtar": {"bsdtar -tf", "bsdtar -xOf", "bsdtar -xf"},
		"least": {"going over the directory, decoding"}, "least-linked": {"so, linked with cobra and net/http"},
	} {
		for _, row := range rows {
			assert.Regexp(t, `(?m)^( *\d+ `+row+` +[\d.]+ | *without `+peer+`[^:]*: .)`, stdout)
		}
	}
	assert.Regexp(t, `(?m)^ *\d+ writing the files, \d+ goroutines? +[\d.]+ `, stdout)
	list, err := os.ReadDir(out)
	require.NoError(t, err)
	assert.Empty(t, list, "nothing is left")

	code, _, stderr = bench("commands", "-cp", filepath.Join(out, "none.jar"))
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, stderr, "none.jar")
	code, _, _ = bench("commands", "x.jar")
	assert.Equal(t, exitUsage, code)
	code, stdout, _ = bench("commands", "-h")
	assert.Equal(t, exitDone, code)
	assert.Contains(t, stdout, "usage: bench commands")
}

// TestPassWrite: it writes what is in the jar.
func TestPassWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got, err := passWrite(job{Jars: []string{jarOf(t, 20, 1)}, Dir: dir})
	require.NoError(t, err)
	assert.Equal(t, int64(21), got.Entries, "the manifest too")
	var files, bytes int64
	require.NoError(t, filepath.Walk(dir, func(_ string, st os.FileInfo, err error) error {
		if err == nil && st.Mode().IsRegular() {
			files++
			bytes += st.Size()
		}
		return err
	}))
	assert.Equal(t, []int64{got.Entries, got.Bytes}, []int64{files, bytes})
	assert.Positive(t, got.Wall)
}

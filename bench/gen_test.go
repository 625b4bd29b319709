package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var data []string
	for _, name := range []string{"a.jar", "b.jar"} {
		name = filepath.Join(dir, name)
		code, stdout, stderr := bench("gen", "-o", name, "-entries", "30", "-seed", "5", "-methods", "deflate,store", "-sizes", "fixed:500", "-depth", "3", "-level", "1")
		require.Equal(t, exitDone, code, stderr)
		assert.Contains(t, stdout, filepath.Base(name))
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		data = append(data, string(b))
	}
	assert.True(t, data[0] == data[1], "the same flags, the same bytes")
	z, err := zip.OpenReader(filepath.Join(dir, "a.jar"))
	require.NoError(t, err)
	defer z.Close()
	n := 0
	for _, f := range z.File {
		if f.UncompressedSize64 == 500 && strings.Count(f.Name, "/") == 3 {
			n++
		}
	}
	assert.Equal(t, 30, n)
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, list, 2, "nothing else is left")
}

func TestGenFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, _, stderr := bench("gen", "-o", filepath.Join(dir, "none", "a.jar"), "-entries", "1")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "none")
}

func TestGenCompare(t *testing.T) {
	t.Parallel()
	needsProcesses(t)
	if testing.Short() {
		t.Skip("builds a peer")
	}
	jar := filepath.Join(t.TempDir(), "real.jar")
	code, _, stderr := bench("gen", "-o", jar, "-entries", "60")
	require.Equal(t, exitDone, code, stderr)
	code, stdout, stderr := bench("gen", "-compare", jar, "-entries", "40", "-runs", "2")
	require.Equal(t, exitDone, code, stderr)
	for _, want := range []string{"real.jar", "as it is", "packed like generated", "generated, over as it is", "zipfile MiB/s"} {
		assert.Contains(t, stdout, want)
	}

	texts := filepath.Join(t.TempDir(), "texts.jar")
	code, _, stderr = bench("gen", "-o", texts, "-entries", "3", "-sizes", "lognormal:100,1")
	require.Equal(t, exitDone, code, stderr)
	code, _, stderr = bench("gen", "-compare", texts)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stderr, "no class to compare with")
}

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Without the tools a line says so, and there is no class path.
func TestCorpusWithoutTools(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := filepath.Join(t.TempDir(), "jars")
	code, stdout, stderr := bench("corpus", "-o", dir)
	assert.Equal(t, exitFailed, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "without vnu: npm not found\n")
	assert.Contains(t, stderr, "without icu4j: ")
	assert.Contains(t, stderr, "no jar was fetched")
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, list)
}

// What a registry has instead of the jar of the table is an error, and does not stay.
func TestCorpusOtherJar(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOARCH == "wasm" {
		t.Skip("the npm of the test is a shell script")
	}
	bin := t.TempDir()
	const npm = "#!/bin/sh\nPATH=/usr/bin:/bin\nmkdir -p package/build/dist && echo another >package/build/dist/vnu.jar && tar czf vnu-jar.tgz package\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "npm"), []byte(npm), 0o777))
	t.Setenv("PATH", bin)
	dir := t.TempDir()
	code, stdout, stderr := bench("corpus", "-o", dir, "vnu")
	assert.Equal(t, exitFailed, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "vnu.jar of vnu-jar")
	assert.Contains(t, stderr, "is not the jar of the table")
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, list)
}

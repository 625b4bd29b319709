package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

// TestFullDisk: a file system that is really full. Nothing half-written stays under a name.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	disk := filepath.Join(dir, "disk")
	require.NoError(t, os.Mkdir(disk, 0o777))
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(disk, 0)) })
	noise := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	for _, c := range []struct {
		name    string
		entries []ziptest.Entry
		there   []string // small files that fit before
		full    string
	}{
		{"in a small file", []ziptest.Entry{{Name: "a/1", Data: noise}, {Name: "a/2", Data: noise}, {Name: "a/3", Data: noise}, {Name: "a/4", Data: noise}, {Name: "b/5", Data: noise}}, []string{"a/1", "a/2", "a/3"}, "a/4"},
		{"in a large file", []ziptest.Entry{{Name: "s", Data: []byte("s")}, {Name: "large", Data: bytes.Repeat(noise, 10), Method: ziptest.Deflate}}, []string{"s"}, "large"},
	} {
		out := filepath.Join(disk, strings.ReplaceAll(c.name, " ", "-"))
		archive := ziptest.Archive{Entries: c.entries}.Bytes()
		var stdout, stderr bytes.Buffer
		code := run([]string{"x", "--workers", "1", "-C", out, "-"}, bytes.NewReader(archive), &stdout, &stderr)
		assert.Equal(t, exitOutput, code, c.name)
		assert.Contains(t, stderr.String(), "zipcat: "+c.full+": cannot be written: no space left on device\n")
		assert.Contains(t, stderr.String(), "zipcat: hint: the rest was not unpacked\n")
		var files []string
		for path := range snapshot(t, out, "") {
			if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
				rel, _ := filepath.Rel(out, path)
				files = append(files, rel)
			}
		}
		assert.ElementsMatch(t, c.there, files, c.name)
		require.NoError(t, os.RemoveAll(out))
	}

	// A read-only one.
	require.NoError(t, syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	var stderr bytes.Buffer
	archive := ziptest.Archive{Entries: []ziptest.Entry{{Name: "a", Data: []byte("a")}, {Name: "b/c", Data: []byte("c")}}}.Bytes()
	assert.Equal(t, exitOutput, run([]string{"x", "-C", disk, "-"}, bytes.NewReader(archive), &stderr, &stderr))
	assert.Contains(t, stderr.String(), ": cannot be written: read-only file system\n")
	assert.Equal(t, exitOutput, run([]string{"x", "-C", filepath.Join(disk, "new"), "-"}, bytes.NewReader(archive), &stderr, &stderr))
	list, err := os.ReadDir(disk)
	require.NoError(t, err)
	assert.Empty(t, list)
}

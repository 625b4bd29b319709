package bzip2

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func tool(t *testing.T, name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s here", name)
	}
	return path
}

// toolData is more than a block of level 9, and runs, and little. The race detector gets less.
func toolData() map[string][]byte {
	n := 500_000
	if raceEnabled {
		n = 60_000
	}
	return map[string][]byte{
		"long":  join(prose(n), noise(n/2), records(n)),
		"zeros": make([]byte, 6*n),
		"text":  prose(20000),
		"byte":  []byte("x"),
		"none":  nil,
	}
}

// TestBzip2 reads what bzip2 writes.
func TestBzip2(t *testing.T) {
	t.Parallel()
	path := tool(t, "bzip2")
	for name, p := range toolData() {
		for _, level := range []string{"-1", "-9"} {
			t.Run(name+level, func(t *testing.T) {
				t.Parallel()
				cmd := exec.Command(path, level, "-c")
				cmd.Stdin = bytes.NewReader(p)
				src, err := cmd.Output()
				require.NoError(t, err)
				out, left, err := decode(bytes.NewReader(src))
				require.NoError(t, err)
				require.True(t, bytes.Equal(p, out))
				assert.Zero(t, left)
			})
		}
	}
}

// TestBzip2Judges: bzip2 judges the odd cases as this package does, but for two: it takes
// overlapping codes, and wants more when something cut off follows that begins as a stream does.
func TestBzip2Judges(t *testing.T) {
	t.Parallel()
	path := tool(t, "bzip2")
	for _, c := range oddCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(path, "-dc")
			cmd.Stdin = bytes.NewReader(c.src)
			out, err := cmd.Output()
			switch {
			case c.err == errOver, c.left > 0 && c.left < 4:
			case c.err != nil:
				require.Error(t, err)
			default:
				require.NoError(t, err)
				require.True(t, bytes.Equal(c.want, out))
			}
		})
	}
}

// Test7Zip reads zip entries that 7-Zip writes.
func Test7Zip(t *testing.T) {
	t.Parallel()
	path := tool(t, "7zz")
	dir := t.TempDir()
	data := toolData()
	for name, p := range data {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), p, 0o600))
	}
	for _, threads := range []int{1, 2} {
		archive := filepath.Join(dir, fmt.Sprint(threads, ".zip"))
		cmd := exec.Command(path, "a", "-tzip", "-mm=BZip2", fmt.Sprint("-mmt", threads), archive, "long", "zeros", "text", "byte")
		cmd.Dir = dir
		require.NoError(t, cmd.Run())
		z, err := zip.OpenReader(archive)
		require.NoError(t, err)
		n := 0
		for _, f := range z.File {
			if f.Method != 12 { // what it does not make smaller
				continue
			}
			n++
			r, err := f.OpenRaw()
			require.NoError(t, err)
			out, left, err := decode(r)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data[f.Name], out))
			assert.Zero(t, left)
		}
		assert.GreaterOrEqual(t, n, 3)
		require.NoError(t, z.Close())
	}
}

// Test7ZipJudges: 7-Zip judges blocks as this package does, but for a run without its count, which
// it takes. What it finds behind a stream is not compared, nor the bits of the last byte.
func Test7ZipJudges(t *testing.T) {
	t.Parallel()
	path := tool(t, "7zz")
	for _, c := range oddCases() {
		if c.left > 0 || c.name == "bits of the last byte set" || c.err == errNoCount {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			archive := filepath.Join(t.TempDir(), "a.bz2")
			require.NoError(t, os.WriteFile(archive, c.src, 0o600))
			out, err := exec.Command(path, "e", "-so", archive).Output()
			if c.err != nil {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.True(t, bytes.Equal(c.want, out))
		})
	}
}

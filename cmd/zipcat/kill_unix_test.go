//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

// TestKilled: at whatever moment the command is killed, each file under its name is whole, and the
// next run completes the tree.
func TestKilled(t *testing.T) {
	t.Parallel()
	kills := 50
	if raceEnabled { // it starts slowly
		kills = 10
	}
	r := rand.New(rand.NewPCG(3, 3))
	want := make(map[string][]byte)
	a := ziptest.Archive{}
	for i := range 150 {
		size := 1 + r.IntN(20_000)
		if i%60 == 0 {
			size = 2 << 20 // goes to the disk piece by piece
		}
		b := bytes.Repeat(fmt.Appendf(nil, "%d of %d.", i, size), size/8)
		name := fmt.Sprintf("d%d/e%d/f%d", i%7, i%3, i)
		want[name] = b
		a.Entries = append(a.Entries, ziptest.Entry{Name: name, Data: b, Method: ziptest.Deflate})
	}
	dir := t.TempDir()
	archive := filepath.Join(dir, "a.zip")
	require.NoError(t, a.WriteFile(archive))
	unpack := func(out string) *exec.Cmd {
		return &exec.Cmd{Path: os.Args[0], Args: []string{"zipcat", "x", "-f", "-C", out, archive}} // the name makes the test the command
	}
	begun := time.Now()
	require.NoError(t, unpack(filepath.Join(dir, "timed")).Run())
	took := time.Since(begun)

	killed, cut := 0, 0
	for i := range kills {
		out := filepath.Join(dir, fmt.Sprint("out", i))
		cmd := unpack(out)
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(r.Int64N(int64(took))))
		require.NoError(t, cmd.Process.Kill())
		if err := cmd.Wait(); err != nil {
			killed++
		}
		if n := whole(t, out, want); n < len(want) {
			cut++
		}
		require.NoError(t, unpack(out).Run())
		require.Equal(t, len(want), whole(t, out, want))
		require.NoError(t, os.RemoveAll(out))
	}
	assert.Greater(t, killed, kills/4, "most runs ended before they were killed")
	t.Logf("killed %d of %d runs, %d before the tree was there", killed, kills, cut)
}

// whole wants each file below dir to be what it should be, and returns how many there are. Temporary ones
// may be anything.
func whole(t *testing.T, dir string, want map[string][]byte) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(d.Name(), ".unpacking-") {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		got, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		require.True(t, bytes.Equal(want[filepath.ToSlash(rel)], got), "%s of %d bytes", rel, len(got))
		n++
		return nil
	})
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return n
}

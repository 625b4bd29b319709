//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

// TestInterrupt: an interrupt while a file is written leaves neither it nor a temporary one.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name, out := filepath.Join(dir, "a.zip"), filepath.Join(dir, "out")
	require.NoError(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "big", Zeros: 1 << 30, Method: ziptest.Deflate}}}.WriteFile(name))
	var stderr bytes.Buffer
	cmd := &exec.Cmd{Path: os.Args[0], Args: []string{"zipcat", "x", "-C", out, name}, Stderr: &stderr}
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		list, _ := os.ReadDir(out)
		return len(list) == 1 && strings.HasPrefix(list[0].Name(), ".")
	}, 10*time.Second, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	cmd.Wait()
	assert.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode())
	assert.Equal(t, "zipcat: interrupted\n", stderr.String())
	list, err := os.ReadDir(out)
	require.NoError(t, err)
	assert.Empty(t, list)
}

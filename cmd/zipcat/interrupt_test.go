//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
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
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			if signal.Ignored(sig) {
				t.Skip("the signal is ignored here, as by nohup, and so by what is started")
			}
			t.Parallel()
			cmd, out, stderr := startUnpacking(t, 1<<30, os.Args[0])
			require.NoError(t, cmd.Process.Signal(sig))
			cmd.Wait()
			assert.Equal(t, exitInterrupted, cmd.ProcessState.ExitCode())
			assert.Equal(t, "zipcat: interrupted\n", stderr.String())
			list, err := os.ReadDir(out)
			require.NoError(t, err)
			assert.Empty(t, list)
		})
	}
}

// TestIgnoredHangup: what nohup starts goes on.
func TestIgnoredHangup(t *testing.T) {
	nohup, err := exec.LookPath("nohup")
	if err != nil {
		t.Skip(err)
	}
	t.Parallel()
	cmd, out, stderr := startUnpacking(t, 1<<28, nohup, os.Args[0])
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	require.NoError(t, cmd.Wait(), "%s", stderr)
	list, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, "big", list[0].Name())
}

// startUnpacking unpacks a large file with the command, and returns when that is being written.
func startUnpacking(t *testing.T, size int64, command ...string) (cmd *exec.Cmd, out string, stderr *bytes.Buffer) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.zip")
	out = filepath.Join(dir, "out")
	require.NoError(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "big", Zeros: size, Method: ziptest.Deflate}}}.WriteFile(name))
	stderr = new(bytes.Buffer)
	if len(command) == 1 {
		cmd = &exec.Cmd{Path: command[0], Args: []string{"zipcat"}} // the name makes the test the command
	} else {
		link := filepath.Join(dir, "zipcat")
		require.NoError(t, os.Symlink(command[1], link))
		cmd = exec.Command(command[0], link)
	}
	cmd.Args = append(cmd.Args, "x", "-C", out, name)
	cmd.Stderr = stderr
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		list, _ := os.ReadDir(out)
		return len(list) == 1 && strings.HasPrefix(list[0].Name(), ".")
	}, 10*time.Second, time.Millisecond)
	return cmd, out, stderr
}

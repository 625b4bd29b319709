//go:build unix

package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
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

// TestServeCommand starts the command, asks it for something, and interrupts it.
func TestServeCommand(t *testing.T) {
	t.Parallel()
	inner := ziptest.Archive{Entries: []ziptest.Entry{{Name: "hello.txt", Data: []byte("hello")}}}
	name := filepath.Join(t.TempDir(), "a.jar")
	require.NoError(t, ziptest.Archive{Entries: []ziptest.Entry{deflated("docs.zip", inner.Bytes())}}.WriteFile(name))
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			cmd, base, lines := startServing(t, name+"!/docs.zip", &stderr)
			assert.Equal(t, "127.0.0.1", mustURL(t, base).Hostname())
			r, err := http.Get(base + "hello.txt")
			require.NoError(t, err)
			b, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			r.Body.Close()
			assert.Equal(t, "hello", string(b))

			require.NoError(t, cmd.Process.Signal(sig))
			rest, err := io.ReadAll(lines)
			require.NoError(t, err)
			assert.Empty(t, rest)
			require.NoError(t, cmd.Wait(), "%s", &stderr)
			assert.Empty(t, stderr.String())
		})
	}
}

// TestServeInterruptTwice: the first interrupt lets a request in progress go on, the second ends it.
func TestServeInterruptTwice(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "big", Zeros: 1 << 30}}}.WriteFile(name))
	var stderr bytes.Buffer
	cmd, base, _ := startServing(t, name, &stderr)
	r, err := http.Get(base + "big")
	require.NoError(t, err)
	defer r.Body.Close()
	_, err = io.ReadFull(r.Body, make([]byte, 1000))
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", mustURL(t, base).Host)
		if err == nil {
			c.Close()
		}
		return err != nil
	}, gracePeriod, time.Millisecond)
	_, err = io.ReadFull(r.Body, make([]byte, 1<<20))
	require.NoError(t, err)
	start := time.Now()
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	assert.Error(t, cmd.Wait())
	assert.Less(t, time.Since(start), gracePeriod/2)
	assert.Equal(t, syscall.SIGINT, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
	assert.Empty(t, stderr.String())
}

// startServing starts the command and returns the URL that it prints, and the rest of its output.
func startServing(t *testing.T, archive string, stderr io.Writer) (cmd *exec.Cmd, base string, rest *bufio.Reader) {
	t.Helper()
	cmd = &exec.Cmd{Path: os.Args[0], Args: []string{"zipcat", "serve", archive}, Stderr: stderr}
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	rest = bufio.NewReader(stdout)
	line, err := rest.ReadString('\n')
	require.NoError(t, err)
	return cmd, strings.TrimSuffix(line, "\n"), rest
}

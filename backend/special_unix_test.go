//go:build linux || darwin || freebsd

package backend

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// opens returns the error of opening, which must not block.
func opens(t *testing.T, open func() (Backend, error)) error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		b, err := open()
		if err == nil {
			b.Close()
		}
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		require.Fail(t, "opening blocks")
		return nil
	}
}

func TestOpenRefusesSpecialFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(fifo, link))
	for name, text := range map[string]string{
		fifo:        "a named pipe",
		link:        "a named pipe",
		"/dev/null": "a character device",
		"/":         "a directory",
	} {
		for _, k := range []Kind{Auto, Pread, Mapped} {
			err := opens(t, func() (Backend, error) { return Open(name, k) })
			assert.ErrorIs(t, err, fs.ErrInvalid, name)
			assert.ErrorContains(t, err, "open "+name+": "+text+", neither a regular file nor a block device")
		}
	}
}

func TestOpenRefusesSocket(t *testing.T) {
	t.Parallel()
	// Names of sockets are short, and that of a test's directory may not be.
	dir, err := os.MkdirTemp("", "s")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "s")
	l, err := net.Listen("unix", name)
	if err != nil {
		t.Skip("no Unix sockets here:", err)
	}
	defer l.Close()
	_, err = Open(name, Auto)
	assert.ErrorContains(t, err, "a socket, neither")
}

func TestReopenRefusesFIFO(t *testing.T) {
	t.Parallel()
	name := tempFile(t, "content")
	b := mustOpen(t, ordinary(), name, Pread)
	require.NoError(t, os.Remove(name))
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	err := opens(t, func() (Backend, error) { return Reopen(b, Pread) })
	assert.ErrorIs(t, err, ErrChanged)
}

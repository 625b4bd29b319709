package backend

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPreadError lets the operating system fail a read, here by closing the file
// beneath the backend, and looks at what is made of its error.
func TestPreadError(t *testing.T) {
	t.Parallel()
	name := tempFile(t, "content")
	b := mustOpen(t, ordinary(), name, Pread)
	require.NoError(t, b.(*pread).handle.Close())

	n, err := b.ReadAt(make([]byte, 3), 2)
	assert.Zero(t, n)
	assert.ErrorIs(t, err, fs.ErrClosed)
	assert.EqualError(t, err, "read "+name+": at offset 2: file already closed")

	_, err = b.ReadAt(make([]byte, 3), -2)
	assert.ErrorIs(t, err, fs.ErrInvalid)
	assert.EqualError(t, err, "read "+name+": negative offset -2: invalid argument")
}

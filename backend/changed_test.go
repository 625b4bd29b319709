package backend

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fickle is one that knows by itself whether it changed.
type fickle struct {
	Backend
	changed error
}

func (f fickle) Changed() error { return f.changed }

func TestChanged(t *testing.T) {
	t.Parallel()
	name := tempFile(t, "content")
	file := mustOpen(t, ordinary(), name, Pread)
	mine := errors.New("of the backend")
	through := []Backend{file, wrapper{file}, wholeSection(t, file), wholeSection(t, wholeSection(t, file)), ReaderAt(file, 7)}
	for _, b := range through {
		assert.NoError(t, Changed(b), "%T", b)
	}
	require.NoError(t, os.WriteFile(name, []byte("CONTENT"), 0o600))
	for _, b := range through {
		assert.Equal(t, ErrChanged, Changed(b), "%T", b)
	}
	for _, b := range []Backend{Bytes(nil), ReaderAt(bytes.NewReader(nil), 0), foreign{file}, wrapper{nil}, fickle{file, nil}, nil} {
		assert.NoError(t, Changed(b), "%T", b)
	}
	assert.Equal(t, mine, Changed(wrapper{fickle{file, mine}}))

	require.NoError(t, file.Close())
	for _, b := range through {
		assert.ErrorIs(t, Changed(b), fs.ErrClosed, "%T", b)
	}
}

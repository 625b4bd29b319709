package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

func TestLeast(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.zip")
	a := ziptest.Archive{Comment: "comment", Entries: []ziptest.Entry{
		{Name: "stored", Data: []byte("first")}, {Name: "deflated", Zeros: 100_000, Method: ziptest.Deflate}, {Name: "stored", Data: []byte("last")},
	}, More: ziptest.Many(3000)}
	require.NoError(t, a.WriteFile(name))
	for entry, want := range map[string][]byte{"stored": []byte("last"), "deflated": make([]byte, 100_000)} {
		var out bytes.Buffer
		require.NoError(t, run(name, entry, &out))
		assert.True(t, bytes.Equal(want, out.Bytes()), entry)
	}
	assert.ErrorIs(t, run(name, "none", nil), errNone)
	assert.ErrorIs(t, run(filepath.Join(t.TempDir(), "none"), "none", nil), os.ErrNotExist)
}

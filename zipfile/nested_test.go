package zipfile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/backend/backendtest"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// TestEntryBackend: the bytes of a stored entry are a backend as any other.
func TestEntryBackend(t *testing.T) {
	t.Parallel()
	backendtest.RunTests(t, func(tb testing.TB, content []byte) backend.Backend {
		z, err := zipfile.New(backend.Bytes(ziptest.Archive{Entries: []ziptest.Entry{
			{Name: "before", Data: []byte("before")}, {Name: "content", Data: content}, {Name: "behind", Data: []byte("behind")},
		}}.Bytes()), nil)
		require.NoError(tb, err)
		tb.Cleanup(func() { z.Close() })
		e, ok := z.Lookup("content")
		require.True(tb, ok)
		b, err := e.Backend()
		require.NoError(tb, err)
		return b
	})
}

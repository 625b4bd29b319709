package backend_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
)

// TestLargerThanAddressSpace opens sparse files around the largest mapping of a
// 32-bit process and around its address space.
func TestLargerThanAddressSpace(t *testing.T) {
	if math.MaxInt > math.MaxInt32 {
		t.Skip("the address space of a 64-bit process holds any file; run with GOARCH=386")
	}
	t.Setenv("ZIPFILE_BACKEND", "")
	for _, size := range []int64{math.MaxInt32, math.MaxInt32 + 1, 1<<32 + 5} {
		name := filepath.Join(t.TempDir(), "sparse")
		f, err := os.Create(name)
		require.NoError(t, err)
		defer f.Close()
		if err := f.Truncate(size); err != nil {
			t.Skip("no large sparse files here:", err)
		}
		_, err = f.WriteAt([]byte("end"), size-3)
		require.NoError(t, err)

		b := open(t, name, backend.Auto)
		assert.Equal(t, size, b.Size())
		p := make([]byte, 3)
		_, err = b.ReadAt(p, size-3)
		assert.NoError(t, err)
		assert.Equal(t, "end", string(p))

		info := backend.Describe(b)
		t.Logf("%d bytes: %s (%s)", size, info.Name, info.Reason)
		if size <= math.MaxInt32 {
			continue // it is mapped where there is room for it
		}
		assert.Equal(t, backend.Pread, info.Kind)
		_, err = backend.Open(name, backend.Mapped)
		assert.ErrorIs(t, err, errors.ErrUnsupported)
		if backend.PlatformMaps {
			assert.Equal(t, "too large for the address space", info.Reason)
			assert.ErrorContains(t, err, "too large for the address space")
		}
	}
}

package backend_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"zipcat.dev/backend"
)

// TestReadAtAligned reads around the length from which a copy is split, at all
// alignments of both sides.
func TestReadAtAligned(t *testing.T) {
	data := make([]byte, 3*4096)
	r := rand.NewChaCha8([32]byte{1})
	r.Read(data)
	path := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.WriteFile(path, data, 0o666))
	for name, b := range map[string]backend.Backend{"memory": backend.Bytes(data), "mapped": open(t, path, backend.Mapped)} {
		t.Run(name, func(t *testing.T) {
			buf := make([]byte, 4096)
			for _, n := range []int{1, 8, 2047, 2048, 2049, 3000} {
				for off := range 17 {
					for at := range 17 {
						clear(buf)
						m, err := b.ReadAt(buf[at:at+n], int64(off))
						require.NoError(t, err)
						require.Equal(t, n, m)
						require.True(t, bytes.Equal(data[off:off+n], buf[at:at+n]), "%d bytes at %d to %d", n, off, at)
						require.Equal(t, make([]byte, at), buf[:at])
						require.Zero(t, buf[at+n])
					}
				}
			}
		})
	}
}

// BenchmarkReadAt copies 128 KiB from offsets that 8 divides and one that it does not.
func BenchmarkReadAt(b *testing.B) {
	data := make([]byte, 1<<20)
	path := filepath.Join(b.TempDir(), "data")
	require.NoError(b, os.WriteFile(path, data, 0o666))
	mapped := open(b, path, backend.Mapped)
	buf := make([]byte, 128<<10)
	for _, off := range []int64{0, 8, 9} {
		for name, bk := range map[string]backend.Backend{"memory": backend.Bytes(data), "mapped": mapped} {
			b.Run("backend="+name+"/offset="+strconv.FormatInt(off, 10), func(b *testing.B) {
				b.SetBytes(int64(len(buf)))
				for b.Loop() {
					bk.ReadAt(buf, off)
				}
			})
		}
	}
}

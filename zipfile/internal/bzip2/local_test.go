package bzip2

import (
	"archive/zip"
	"bytes"
	std "compress/bzip2"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func local(t testing.TB, n string) []byte {
	z, err := zip.OpenReader("/tmp/xzt/data/" + n + "-BZip2.zip")
	require.NoError(t, err)
	r, err := z.File[0].OpenRaw()
	require.NoError(t, err)
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	return b
}

func TestLocal(t *testing.T) {
	for _, n := range []string{"text", "bin"} {
		want, _ := os.ReadFile("/tmp/xzt/data/" + n)
		b := local(t, n)
		for _, s := range [][]byte{b} {
			z := NewReader(bytes.NewReader(s))
			got, err := io.ReadAll(z)
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, got))
			z.Free()
		}
	}
}

func BenchmarkLocal(b *testing.B) {
	for _, n := range []string{"text", "bin"} {
		src := local(b, n)
		want, _ := os.ReadFile("/tmp/xzt/data/" + n)
		b.Run(n+"/new", func(b *testing.B) {
			b.SetBytes(int64(len(want)))
			p := make([]byte, 32<<10)
			for b.Loop() {
				z := NewReader(bytes.NewReader(src))
				for {
					if _, err := z.Read(p); err != nil {
						break
					}
				}
				z.Free()
			}
		})
		b.Run(n+"/std", func(b *testing.B) {
			b.SetBytes(int64(len(want)))
			for b.Loop() {
				io.Copy(io.Discard, std.NewReader(bytes.NewReader(src)))
			}
		})
	}
}

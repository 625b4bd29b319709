package zipfile_test

import (
	"archive/zip"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha1"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// benchArchive is ZIPFILE_BENCH_JAR, or a generated archive of 30,000 entries.
func benchArchive(b *testing.B) string {
	b.Helper()
	if name := os.Getenv("ZIPFILE_BENCH_JAR"); name != "" {
		return name
	}
	name := filepath.Join(b.TempDir(), "bench.jar")
	if err := (ziptest.Archive{More: ziptest.Many(30000)}).WriteFile(name); err != nil {
		b.Fatal(err)
	}
	return name
}

func BenchmarkOpen(b *testing.B) {
	name := benchArchive(b)
	b.Run("reader=archive/zip", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r, err := zip.OpenReader(name)
			if err != nil {
				b.Fatal(err)
			}
			r.Close()
		}
	})
	for _, kind := range []backend.Kind{backend.Pread, backend.Mapped} {
		for _, findings := range []string{"none", "all"} {
			b.Run("reader=zipfile/backend="+kind.String()+"/findings="+findings, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					z, err := zipfile.Open(name, &zipfile.Options{Backend: kind})
					if err != nil {
						b.Fatal(err)
					}
					if findings == "all" {
						z.Findings()
					}
					z.Close()
				}
			})
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	z, err := zipfile.Open(benchArchive(b), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer z.Close()
	byName := make(map[string]uint32, z.Len())
	var names []string
	for e := range z.Entries() {
		byName[e.Name()] = uint32(e.Index())
		names = append(names, string([]byte(e.Name())))
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	z.Lookup(names[0])
	b.Run("index=map", func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			if _, ok := byName[names[i]]; !ok {
				b.Fatal(names[i])
			}
			if i++; i == len(names) {
				i = 0
			}
		}
	})
	b.Run("index=zipfile", func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			if _, ok := z.Lookup(names[i]); !ok {
				b.Fatal(names[i])
			}
			if i++; i == len(names) {
				i = 0
			}
		}
	})
}

// BenchmarkAES reads an entry that is encrypted by AES, stored, beside what the standard library
// takes to decrypt and authenticate as many bytes.
func BenchmarkAES(b *testing.B) {
	for _, size := range []int{64 << 10, 1 << 20, 16 << 20} {
		contents := make([]byte, size)
		entry := sealedEntry("a", contents, ziptest.Store, 3, 2, 0)
		z, err := zipfile.New(backend.Bytes(archiveOf(entry).Bytes()), &zipfile.Options{Password: secret})
		require.NoError(b, err)
		defer z.Close()
		e := z.At(0)
		buf := make([]byte, 0, size)
		b.Run(fmt.Sprintf("bytes=%d/by=zipfile", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := e.AppendTo(buf); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("bytes=%d/by=standard", size), func(b *testing.B) {
			block, err := aes.NewCipher(make([]byte, 32))
			require.NoError(b, err)
			out := buf[:size]
			b.SetBytes(int64(size))
			for b.Loop() {
				keys, err := pbkdf2.Key(sha1.New, secret, make([]byte, 16), 1000, 66)
				require.NoError(b, err)
				cipher.NewCTR(block, make([]byte, 16)).XORKeyStream(out, contents)
				mac := hmac.New(sha1.New, keys[32:64])
				mac.Write(contents)
				mac.Sum(nil)
			}
		})
	}
}

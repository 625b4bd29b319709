package jar_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
	"zipcat.dev/zipfile/ziptest"
)

// signedManifest is a manifest as jarsigner makes it.
func signedManifest(entries int) []byte {
	var b strings.Builder
	b.WriteString("Manifest-Version: 1.0\r\nCreated-By: 17 (x)\r\n\r\n")
	for i := range entries {
		b.WriteString(fold(fmt.Sprintf("Name: org/example/some/package/with/a/long/name/And$A$Class%d.class", i)))
		fmt.Fprintf(&b, "SHA-256-Digest: %044d\r\n\r\n", i)
	}
	return []byte(b.String())
}

func BenchmarkParseManifest(b *testing.B) {
	for _, sections := range []int{0, 100, 10_000} {
		b.Run(fmt.Sprintf("sections=%d", sections), func(b *testing.B) {
			manifest := signedManifest(sections)
			b.SetBytes(int64(len(manifest)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := jar.ParseManifest(manifest)
				require.NoError(b, err)
			}
		})
	}
}

// The manifest is looked for among all entries.
func BenchmarkReadManifest(b *testing.B) {
	for _, entries := range []int{100, 30_000} {
		b.Run(fmt.Sprintf("entries=%d", entries), func(b *testing.B) {
			a := ziptest.Archive{More: ziptest.Many(entries), Entries: []ziptest.Entry{entry(manifestName, "Main-Class: a.B\r\n")}}
			z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
			require.NoError(b, err)
			defer z.Close()
			b.ReportAllocs()
			for b.Loop() {
				_, err := jar.ReadManifest(z)
				require.NoError(b, err)
			}
		})
	}
}

// Signatures of an archive with many entries: the digests of the manifest and of the entries.
func BenchmarkVerify(b *testing.B) {
	for _, entries := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("entries=%d", entries), func(b *testing.B) {
			var files []ziptest.Entry
			for i := range entries {
				files = append(files, ziptest.Entry{Name: fmt.Sprintf("org/example/C%d.class", i), Data: []byte(strings.Repeat("class", 400)), Method: ziptest.Deflate})
			}
			z, err := zipfile.New(backend.Bytes(ziptest.Archive{Entries: signJar(files, signing{by: "p256"})}.Bytes()), nil)
			require.NoError(b, err)
			defer z.Close()
			b.SetBytes(int64(entries) * 2000)
			b.ReportAllocs()
			for b.Loop() {
				v, err := jar.Verify(b.Context(), z, jar.VerifyOptions{})
				require.NoError(b, err)
				require.Equal(b, jar.Signed, v.State)
			}
		})
	}
}

func BenchmarkViewLookup(b *testing.B) {
	z := openArchive(b, named(multiManifest, multiNames...))
	v, err := jar.NewView(z, 17)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := v.Lookup("x/Z.class"); !ok {
			b.Fatal("not found")
		}
	}
}

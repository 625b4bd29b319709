package zipfile_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/internal/inflate"
)

// What the files in testdata hold, by SHA-256.
const (
	helloSum = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
	aboutSum = "9765f1a769d4ff17bec0da6c818cb445b1bff976651987223cd5d33139416916"
	longSum  = "86f5c1ce9474ac31d4cd9e63bde63f93c07fa1f67116a57a8b801ccf71378006"
)

// TestTools reads archives as tools write them, which Strict accepts without a finding.
func TestTools(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file     string
		entries  map[string]string // SHA-256 of the contents, "" for directories
		findings []string
	}{
		{"hello.jar", map[string]string{"META-INF/": "", "META-INF/MANIFEST.MF": "*", "hello.txt": helloSum, "docs/": "", "docs/about.txt": aboutSum, "docs/long.txt": longSum}, nil},
		{"runnable.jar", map[string]string{"META-INF/": "", "META-INF/MANIFEST.MF": "*", "hello.txt": helloSum, "docs/": "", "docs/about.txt": aboutSum, "docs/long.txt": longSum}, []string{"prefix"}},
		{"infozip.zip", map[string]string{"hello.txt": helloSum, "docs/long.txt": longSum, "link.txt": "*"}, nil},
		{"infozip-streamed.zip", map[string]string{"-": longSum}, nil},
		{"sevenzip.zip", map[string]string{"hello.txt": helloSum, "docs/": "", "docs/about.txt": aboutSum, "docs/long.txt": longSum}, nil},
		{"sevenzip-methods.zip", map[string]string{"bzip2.txt": longSum, "deflate64.txt": longSum, "lzma.txt": longSum, "ppmd.txt": longSum, "xz.txt": longSum}, nil},
		{"sevenzip-encrypted.zip", map[string]string{"aes128.txt": longSum, "aes256.txt": longSum, "zipcrypto.txt": longSum}, nil},
		{"bsdtar.zip", map[string]string{"hello.txt": helloSum, "docs/": "", "docs/about.txt": aboutSum, "docs/long.txt": longSum}, nil},
		{"python-zip64.zip", map[string]string{"hello.txt": helloSum}, nil},
	} {
		for kind, open := range openers(t, filepath.Join("..", "testdata", c.file)) {
			for _, checks := range []zipfile.Checks{zipfile.Standard, zipfile.Strict} {
				t.Run(c.file+"/backend="+kind, func(t *testing.T) {
					z, err := zipfile.New(open(), &zipfile.Options{Checks: checks, Password: "secret"})
					require.NoError(t, err)
					defer z.Close()
					seen := map[string]string{}
					for e := range z.Entries() {
						b, err := e.ReadAll()
						if e.Method() == zipfile.Deflate64 && !inflate.Has64 {
							require.ErrorIs(t, err, zipfile.ErrAlgorithm)
							seen[e.Name()] = c.entries[e.Name()]
							continue
						}
						require.NoError(t, err)
						sum := sha256.Sum256(b)
						switch seen[e.Name()] = hex.EncodeToString(sum[:]); {
						case e.IsDir():
							assert.Empty(t, b)
							seen[e.Name()] = ""
						case c.entries[e.Name()] == "*":
							seen[e.Name()] = "*"
						}
					}
					assert.Equal(t, c.entries, seen)
					var findings []string
					for _, f := range z.Findings() {
						findings = append(findings, f.Kind)
					}
					assert.Equal(t, c.findings, findings)
				})
			}
		}
	}
}

func TestLinkByInfoZip(t *testing.T) {
	t.Parallel()
	z, err := zipfile.Open(filepath.Join("..", "testdata", "infozip.zip"), nil)
	require.NoError(t, err)
	defer z.Close()
	e, ok := z.Lookup("link.txt")
	require.True(t, ok)
	assert.Equal(t, fs.ModeSymlink|0o777, e.Mode())
	to, err := fs.ReadLink(z.FS(), "link.txt")
	require.NoError(t, err)
	assert.Equal(t, "docs/long.txt", to)
	through, err := fs.ReadFile(z.FS(), "link.txt")
	require.NoError(t, err)
	sum := sha256.Sum256(through)
	assert.Equal(t, longSum, hex.EncodeToString(sum[:]))
}

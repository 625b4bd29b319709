package corpus

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tgz is a package as npm packs it.
func tgz(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, data := range files {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(data)), Typeflag: tar.TypeReg}))
		_, err := w.Write([]byte(data))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	return b.Bytes()
}

// fake puts a program on PATH, alone, that says with what it was called and does what the script says.
// PACKAGE is a file with the data.
func fake(t *testing.T, tools map[string]string, data []byte) (log string) {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOARCH == "wasm" {
		t.Skip("the tools of the test are shell scripts")
	}
	dir := t.TempDir()
	pkg := filepath.Join(dir, "package")
	require.NoError(t, os.WriteFile(pkg, data, 0o666))
	log = filepath.Join(dir, "log")
	for name, script := range tools {
		// Only the tool is on PATH of the test; the script may use the system's.
		text := "#!/bin/sh\nPATH=/usr/bin:/bin\nPACKAGE='" + pkg + "'\necho " + name + " \"$@\" >>'" + log + "'\n" + script + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777))
	}
	t.Setenv("PATH", dir)
	return log
}

func jarOf(tool Tool, path, contents string) Jar {
	sum := sha256.Sum256([]byte(contents))
	return Jar{"fat", tool, "some-package", "1.2.3", path, int64(len(contents)), hex.EncodeToString(sum[:])}
}

// left returns the names of what is in a directory.
func left(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestFetchNPM(t *testing.T) {
	const pack = `cp "$PACKAGE" some-package-1.2.3.tgz; echo some-package-1.2.3.tgz`
	log := fake(t, map[string]string{"npm": pack}, tgz(t, map[string]string{"package/a.js": "x", "package/dist/fat.jar": "contents"}))
	dir := t.TempDir()
	j := jarOf(NPM, "package/dist/fat.jar", "contents")
	name, err := j.Fetch(t.Context(), dir)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "fat-1.2.3.jar"), name)
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "contents", string(got))
	assert.Equal(t, []string{"fat-1.2.3.jar"}, left(t, dir))

	_, err = j.Fetch(t.Context(), dir)
	require.NoError(t, err)
	said, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Equal(t, "npm pack --silent --ignore-scripts some-package@1.2.3\n", string(said), "once: it is there the second time")

	require.NoError(t, os.WriteFile(name, []byte("contentS"), 0o666))
	_, err = j.Fetch(t.Context(), dir)
	require.NoError(t, err)
	got, err = os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "contents", string(got), "another file of the name is replaced")
}

func TestFetchDebian(t *testing.T) {
	log := fake(t, map[string]string{
		"apt-get":  `cp "$PACKAGE" some-package_1.2.3_all.deb`,
		"dpkg-deb": `mkdir -p "$3/usr/share/java" && cp "$2" "$3/usr/share/java/fat.jar"`,
	}, []byte("contents"))
	dir := t.TempDir()
	j := jarOf(Apt, "usr/share/java/fat.jar", "contents")
	name, err := j.Fetch(t.Context(), dir)
	require.NoError(t, err)
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "contents", string(got))
	said, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Equal(t, "apt-get download some-package=1.2.3\ndpkg-deb -x some-package_1.2.3_all.deb unpacked\n", string(said))
}

func TestFetchFails(t *testing.T) {
	const pack = `cp "$PACKAGE" p.tgz`
	good := map[string]string{"package/fat.jar": "contents"}
	for _, tt := range []struct {
		name  string
		tools map[string]string
		files map[string]string
		want  string
		is    error
	}{
		{"other contents", map[string]string{"npm": pack}, map[string]string{"package/fat.jar": "Contents"}, "want 8 bytes", ErrChecksum},
		{"longer", map[string]string{"npm": pack}, map[string]string{"package/fat.jar": strings.Repeat("contents", 1000)}, "more than 8 bytes", ErrChecksum},
		{"shorter", map[string]string{"npm": pack}, map[string]string{"package/fat.jar": "cont"}, "4 bytes", ErrChecksum},
		{"no such file", map[string]string{"npm": pack}, map[string]string{"package/thin.jar": "contents"}, "has no package/fat.jar", nil},
		{"no tool", nil, good, "npm not found", ErrMissing},
		{"tool fails", map[string]string{"npm": "echo 404 no such version >&2; exit 1"}, good, "404 no such version", nil},
		{"tool leaves nothing", map[string]string{"npm": "exit 0"}, good, "0 files *.tgz", nil},
		{"no archive", map[string]string{"npm": "echo words >p.tgz"}, good, "p.tgz: ", nil},
		{"cut off", map[string]string{"npm": `head -c 60 "$PACKAGE" >p.tgz`}, good, "p.tgz: ", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fake(t, tt.tools, tgz(t, tt.files))
			dir := t.TempDir()
			j := jarOf(NPM, "package/fat.jar", "contents")
			_, err := j.Fetch(t.Context(), dir)
			require.ErrorContains(t, err, tt.want)
			if tt.is != nil {
				require.ErrorIs(t, err, tt.is)
			}
			assert.Empty(t, left(t, dir), "nothing stays")
		})
	}
}

func TestFetchInterrupted(t *testing.T) {
	fake(t, map[string]string{"npm": "sleep 60"}, nil)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	j := jarOf(NPM, "package/fat.jar", "contents")
	_, err := j.Fetch(ctx, dir)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, left(t, dir))
}

func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, j := range Jars {
		assert.False(t, seen[j.Name], j.Name)
		seen[j.Name] = true
		sum, err := hex.DecodeString(j.SHA256)
		require.NoError(t, err, j.Name)
		assert.Len(t, sum, sha256.Size, j.Name)
		assert.Positive(t, j.Size, j.Name)
		assert.Contains(t, []Tool{NPM, Apt}, j.Tool, j.Name)
		assert.Equal(t, j.File(), filepath.Base(j.File()), j.Name)
	}
}

package jar

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// bootJar writes a Spring Boot jar with odd names beside the ordinary ones.
func bootJar(t testing.TB, name string) {
	t.Helper()
	lib := ziptest.Archive{Entries: []ziptest.Entry{{Name: "com/lib/L.class", Data: []byte("L")}, {Name: "in.jar", Data: jarBytes("in.jar", "I")},
		{Name: "deflated.jar", Data: jarBytes("deflated.jar", "D"), Method: ziptest.Deflate}}}.Bytes()
	require.NoError(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "META-INF/MANIFEST.MF", Data: []byte("Manifest-Version: 1.0\nMain-Class: org.springframework.boot.loader.launch.JarLauncher\n")},
		{Name: "BOOT-INF/classes/"},
		{Name: "BOOT-INF/classes/com/A.class", Data: []byte("A")},
		{Name: "BOOT-INF/lib/lib.jar", Data: lib},
		{Name: "BOOT-INF/lib/a b+c%20d!.jar", Data: lib},
		{Name: "odd!/x.jar", Data: jarBytes("x.jar", "odd")},
		{Name: "odd", Data: []byte("file")},
		{Name: "blob", Data: lib},
		{Name: "twice.jar", Data: []byte("no")}, {Name: "twice.jar", Data: jarBytes("twice", "T")},
		{Name: "modedir", Mode: fs.ModeDir | 0o755},
		{Name: "text.jar", Data: []byte("text")},
	}}.WriteFile(name))
}

func TestOpenPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a!", "b c"), 0o777))
	app := filepath.Join(dir, "app.jar")
	bootJar(t, app)
	bootJar(t, filepath.Join(dir, "a!", "b c", "app.jar"))
	slash := filepath.ToSlash(dir)
	if !strings.HasPrefix(slash, "/") {
		slash = "/" + slash
	}
	const lib, lib3, appItself = "com/lib/L.class", "I", "BOOT-INF/classes/com/A.class"
	tests := []struct{ path, entry, has string }{
		{"DIR/app.jar", "", appItself},
		{"DIR/app.jar!/", "", appItself},
		{"DIR/a!/b c/app.jar", "", appItself},
		{"DIR/a!/b c/app.jar!/BOOT-INF/lib/lib.jar", "", lib},
		{"DIR/app.jar!/BOOT-INF/lib/lib.jar", "", lib},
		{"DIR/app.jar!/BOOT-INF/lib/lib.jar!/", "", lib},
		{"DIR/app.jar!/BOOT-INF/lib/lib.jar!/com/lib/L.class", "com/lib/L.class", lib},
		{"DIR/app.jar!/BOOT-INF/lib/lib.jar!/com/lib/", "com/lib/", lib},
		{"DIR/app.jar!/BOOT-INF/lib/lib.jar!/com", "com/", lib},
		{"DIR/app.jar!/BOOT-INF/lib/lib.jar!/in.jar", "", lib3},
		{"DIR/app.jar!/BOOT-INF/lib/lib.jar!/deflated.jar!/D", "D", "D"},
		{"DIR/app.jar!/BOOT-INF/classes/", "BOOT-INF/classes/", appItself},
		{"DIR/app.jar!/BOOT-INF/classes/!/", "BOOT-INF/classes/", appItself},
		{"DIR/app.jar!/BOOT-INF/classes/!/com/A.class", "BOOT-INF/classes/com/A.class", appItself},
		{"DIR/app.jar!/BOOT-INF/!/lib/!/lib.jar!/in.jar!/I", "I", lib3},
		{"DIR/app.jar!/odd", "odd", appItself},
		{"DIR/app.jar!/odd!/x.jar", "", "odd"},
		{"DIR/app.jar!/odd!/", "odd!/", appItself},
		{"DIR/app.jar!/blob", "blob", appItself},
		{"DIR/app.jar!/blob!/", "", lib},
		{"DIR/app.jar!/blob!/in.jar!/I", "I", lib3},
		{"DIR/app.jar!/twice.jar", "", "T"},
		{"DIR/app.jar!/modedir", "modedir/", appItself},
		{"DIR/app.jar!/BOOT-INF/lib/a b+c%20d!.jar", "", lib},

		{"file:URL/app.jar", "", appItself},
		{"file://URL/app.jar", "", appItself},
		{"FILE://LocalHost/URL/app.jar", "", appItself},
		{"file:URL/a!/b%20c/app.jar", "", appItself},
		{"file:URL/a%21/b%20c/app.jar!/BOOT-INF/lib/lib.jar", "", lib},
		{"jar:file:URL/app.jar!/", "", appItself},
		{"jar:file:URL/app.jar!/BOOT-INF/lib/lib.jar!/", "", lib},
		{"jar:file:URL/app.jar!/BOOT-INF/lib/lib.jar!/com/lib/L.class", "com/lib/L.class", lib},
		{"jar:file:URL/app.jar!/BOOT-INF/classes!/com/A.class", "", ""},
		{"jar:jar:file:URL/app.jar!/BOOT-INF/lib/lib.jar!/in.jar", "", lib3},
		{"jar:nested:URL/app.jar/!BOOT-INF/lib/lib.jar!/", "", lib},
		{"jar:nested:URL/app.jar/!BOOT-INF/lib/lib.jar!/com/lib/L.class", "com/lib/L.class", lib},
		{"jar:nested:URL/app.jar/!BOOT-INF/classes/!/com/A.class", "BOOT-INF/classes/com/A.class", appItself},
		{"jar:nested:URL/app.jar/!BOOT-INF/classes/!/", "BOOT-INF/classes/", appItself},
		{"nested:URL/app.jar/!BOOT-INF/lib/lib.jar", "", lib},
		{"nested:URL/a%21/b%20c/app.jar/!BOOT-INF/lib/lib.jar", "", lib},
		{"nested:URL/app.jar", "", appItself},
		{"nested:URL/app.jar!/BOOT-INF/lib/lib.jar", "", lib},
		{"jar:file:URL/app.jar!/BOOT-INF/lib/a%20b+c%2520d%21.jar!/com/lib/L.class", "com/lib/L.class", lib},
		{"jar:nested:URL/app.jar/!BOOT-INF/lib/a b+c%20d!.jar!/com/lib/L.class", "com/lib/L.class", lib},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			for _, kind := range []backend.Kind{backend.Pread, backend.Auto} {
				path := strings.Replace(strings.Replace(tt.path, "DIR", dir, 1), "URL", slash, 1)
				path = strings.Replace(path, "Host//", "Host/", 1)
				z, entry, err := OpenPath(t.Context(), path, &NestedOptions{Zip: &zipfile.Options{Backend: kind}})
				if tt.has == "" {
					assert.ErrorIs(t, err, fs.ErrNotExist)
					return
				}
				require.NoError(t, err)
				assert.Equal(t, tt.entry, entry)
				_, ok := z.Lookup(tt.has)
				assert.True(t, ok)
				for e := range z.Entries() {
					_, err := e.ReadAll()
					assert.NoError(t, err)
				}
				assert.NoError(t, z.Close())
			}
		})
	}
	if runtime.GOOS == "linux" {
		assert.Zero(t, descriptors(t, dir))
	}
}

func TestOpenPathErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	app := filepath.Join(dir, "app.jar")
	bootJar(t, app)
	for _, tt := range []struct {
		path, text string
		is         error
	}{
		{"", "", fs.ErrNotExist},
		{"!/", "", fs.ErrNotExist},
		{dir + "/none.jar", "none.jar", fs.ErrNotExist},
		{dir + "/none.jar!/x", "none.jar", fs.ErrNotExist},
		{dir + "!/x", "is a directory", errors.ErrUnsupported},
		{app + "!/nope", "open " + app + ": no such entry: nope", fs.ErrNotExist},
		{app + "!/nope\x1b[2J\n", `no such entry: "nope\x1b[2J\n"`, fs.ErrNotExist},
		{app + "!/BOOT-INF/lib/lib.jar!/nope!/x", "open " + app + "!/BOOT-INF/lib/lib.jar: no such entry: nope!/x", fs.ErrNotExist},
		{app + "!//BOOT-INF/lib/lib.jar", "no such entry", fs.ErrNotExist},
		{app + "!/text.jar", "open " + app + ": text.jar: not a zip archive", zipfile.ErrNoArchive},
		{app + "!/odd!/y", "odd: not a zip archive", zipfile.ErrNoArchive},
		{"jar:http://example.com/a.jar!/x", `after "jar:" one of "file:" or "nested:"`, nil},
		{"jar:" + app, `one of "file:" or "nested:"`, nil},
		{"file:/a%zz", "invalid URL escape", nil},
		{"file:/a%00b", "NUL", nil},
		{"file://", "no path", nil},
		{"file:", "", fs.ErrNotExist},
	} {
		z, _, err := OpenPath(t.Context(), tt.path, nil)
		if !assert.Error(t, err, tt.path) {
			z.Close()
			continue
		}
		assert.ErrorContains(t, err, tt.text)
		assert.NotContains(t, err.Error(), "\n")
		pe, ok := errors.AsType[*fs.PathError](err)
		assert.True(t, ok && pe != nil, "%q: %v", tt.path, err)
		if tt.is != nil {
			assert.ErrorIs(t, err, tt.is, tt.path)
		}
	}
	if runtime.GOOS != "windows" {
		_, _, err := OpenPath(t.Context(), "file://server/x/a.jar", nil)
		assert.ErrorContains(t, err, "a file of host server: expected one of this machine")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := OpenPath(gone, app, nil)
	assert.ErrorIs(t, err, context.Canceled)
	if runtime.GOOS == "linux" {
		assert.Zero(t, descriptors(t, dir))
	}
}

// TestOpenPathLong: paths of very many parts are refused at once.
func TestOpenPathLong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	app := filepath.Join(dir, "app.jar")
	bootJar(t, app)
	a := ziptest.Archive{}
	for _, n := range []int{1, 10, 1000, 20_000} {
		a.Entries = append(a.Entries, ziptest.Entry{Name: strings.Repeat("a/!/", n) + "x"}, ziptest.Entry{Name: strings.Repeat("!/", n)})
	}
	require.NoError(t, a.WriteFile(filepath.Join(dir, "odd.jar")))
	start := time.Now()
	for _, outer := range []string{"", "x", dir, app, filepath.Join(dir, "odd.jar")} {
		for _, part := range []string{"!/", "!/a/", "/!", "!/r.zip", "!", "%21/", "!/BOOT-INF/classes/", "jar:"} {
			for _, scheme := range []string{"", "jar:file:", "nested:", strings.Repeat("jar:", 100_000)} {
				z, _, err := OpenPath(t.Context(), scheme+outer+strings.Repeat(part, 100_000), nil)
				if err == nil {
					z.Close()
					continue
				}
				assert.Less(t, len(err.Error()), 2000)
			}
		}
	}
	assert.Less(t, time.Since(start), 30*time.Second)
}

func TestFileOfURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ url, unix, windows string }{
		{"/x/a.jar", "/x/a.jar", `\x\a.jar`},
		{"///x/a.jar", "/x/a.jar", `\x\a.jar`},
		{"/C:/x/a.jar", "/C:/x/a.jar", `C:\x\a.jar`},
		{"///C:/x/a%20b.jar", "/C:/x/a b.jar", `C:\x\a b.jar`},
		{"C:/x/a.jar", "C:/x/a.jar", `C:\x\a.jar`},
		{"//localhost/x", "/x", `\x`},
		{"//server/share/a.jar", "", `\\server\share\a.jar`},
		{"////server/share/a.jar", "//server/share/a.jar", `\\server\share\a.jar`},
		{"x/a+b%2B.jar", "x/a+b+.jar", `x\a+b+.jar`},
		{"/a%2", "", ""},
		{"//host", "", ""},
	} {
		for _, windows := range []bool{false, true} {
			got, err := fileOfURL(tt.url, windows)
			want := tt.unix
			if windows {
				want = tt.windows
			}
			assert.Equal(t, want, got, "%s %v", tt.url, windows)
			assert.Equal(t, want == "", err != nil, "%s %v", tt.url, windows)
		}
	}
}

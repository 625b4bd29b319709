package jar_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
	"zipcat.dev/zipfile/ziptest"
)

const multiManifest = "Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n"

// named makes entries whose contents are their names.
func named(manifest string, names ...string) ziptest.Archive {
	a := ziptest.Archive{}
	if manifest != "" {
		a.Entries = append(a.Entries, entry(manifestName, manifest))
	}
	for _, name := range names {
		e := entry(name, name)
		if strings.HasSuffix(name, "/") {
			e.Data = nil
		}
		a.Entries = append(a.Entries, e)
	}
	return a
}

var multiNames = []string{"META-INF/", "META-INF/versions/", "META-INF/versions/9/", "META-INF/versions/9/x/", "x/",
	"x/Y.class", "x/Z.class", "META-INF/versions/9/x/Y.class", "META-INF/versions/17/x/Y.class", "META-INF/versions/11/only/New.class",
	"META-INF/versions/21/x/Z.class", "META-INF/versions/9/META-INF/services/s", "META-INF/services/s", "META-INF/versions/10/META-INF/new"}

// viewCase is an archive and what a name stands for, by release: "8=x 9=META-INF/versions/9/x".
type viewCase struct {
	name    string
	archive ziptest.Archive
	ask     string
	want    map[int]string // empty: nothing
	all     string         // Versions, releases and places in the directory: "0 9 17"
}

var viewReleases = []int{7, 8, 9, 10, 11, 16, 17, 20, 21, 25, 99}

func viewCases() []viewCase {
	multi := func(names ...string) ziptest.Archive { return named(multiManifest, names...) }
	v := func(n int, name string) string { return fmt.Sprintf("META-INF/versions/%d/%s", n, name) }
	return []viewCase{
		{"base and two versions", multi(multiNames...), "x/Y.class",
			map[int]string{7: "x/Y.class", 8: "x/Y.class", 9: v(9, "x/Y.class"), 16: v(9, "x/Y.class"), 17: v(17, "x/Y.class"), 99: v(17, "x/Y.class"), 0: v(17, "x/Y.class")}, "0 9 17"},
		{"base and a late version", multi(multiNames...), "x/Z.class", map[int]string{8: "x/Z.class", 20: "x/Z.class", 21: v(21, "x/Z.class")}, "0 21"},
		{"only a version", multi(multiNames...), "only/New.class", map[int]string{8: "", 10: "", 11: v(11, "only/New.class"), 0: v(11, "only/New.class"), 25: v(11, "only/New.class")}, "11"},
		{"versions have no versions", multi(multiNames...), v(9, "x/Y.class"), map[int]string{8: v(9, "x/Y.class"), 25: v(9, "x/Y.class")}, "0"},
		{"META-INF has no versions", multi(multiNames...), "META-INF/services/s", map[int]string{8: "META-INF/services/s", 25: "META-INF/services/s"}, "0"},
		{"nothing in META-INF by a version", multi(multiNames...), "META-INF/new", map[int]string{8: "", 25: ""}, ""},
		{"a directory", multi(multiNames...), "x/", map[int]string{8: "x/", 25: "x/"}, "0"},
		{"not there", multi(multiNames...), "x", map[int]string{25: ""}, ""},
		{"empty name", multi(multiNames...), "", map[int]string{25: ""}, ""},
		{"no multi-release archive", named("Manifest-Version: 1.0\r\n\r\n", multiNames...), "x/Y.class", map[int]string{0: "x/Y.class", 8: "x/Y.class", 25: "x/Y.class"}, "0"},
		{"no manifest", named("", multiNames...), "x/Y.class", map[int]string{25: "x/Y.class"}, "0"},
		{"false", named("Multi-Release: false\r\n\r\n", multiNames...), "x/Y.class", map[int]string{25: "x/Y.class"}, "0"},
		{"any letter case", named("multi-RELEASE: TRUE\r\n\r\n", multiNames...), "x/Y.class", map[int]string{25: v(17, "x/Y.class")}, "0 9 17"},
		{"space behind true", named("Multi-Release: true \r\n\r\n", multiNames...), "x/Y.class", map[int]string{25: "x/Y.class"}, "0"},
		{"in a section", named("A: b\r\n\r\nName: x\r\nMulti-Release: true\r\n\r\n", multiNames...), "x/Y.class", map[int]string{25: "x/Y.class"}, "0"},
		{"manifest with a fault behind the main section", named("Multi-Release: true\r\n\r\nx\r\n", multiNames...), "x/Y.class", map[int]string{25: v(17, "x/Y.class")}, "0 9 17"},
		{"manifest with a fault", named("Multi-Release: true\r\nx\r\n", multiNames...), "x/Y.class", map[int]string{25: "x/Y.class"}, "0"},
		{"release 8", multi("x", v(8, "x"), v(7, "x"), v(1, "x")), "x", map[int]string{7: "x", 8: "x", 9: v(8, "x"), 25: v(8, "x")}, "0 8"},
		{"odd numbers", multi("x", "META-INF/versions/09/x", "META-INF/versions/+9/x", "META-INF/versions/9a/x", "META-INF/versions//x",
			"META-INF/versions/-9/x", "META-INF/versions/4294967305/x", "META-INF/versions/10", "META-INF/versions/x"), "x", map[int]string{9: "x", 25: "x"}, "0"},
		{"large number", multi("x", v(100, "x"), v(999999999, "x")), "x", map[int]string{25: "x", 99: "x", 0: v(999999999, "x")}, "0 100 999999999"},
		{"another letter case", multi("x", "meta-inf/versions/9/x", "META-INF/VERSIONS/9/x", "META-INF/versions/9/X"), "x", map[int]string{9: "x", 25: "x"}, "0"},
		{"doubled", multi("x", v(9, "x"), v(9, "x"), "x"), "x", map[int]string{8: "x", 25: v(9, "x")}, "0 9"},
		{"version first", multi(v(9, "x"), "x"), "x", map[int]string{8: "x", 25: v(9, "x")}, "0 9"},
		{"a version by Unicode Path only", renamedVersion("v", v(9, "x"), ziptest.HostUnix), "x", map[int]string{8: "x", 25: "x"}, "0"},
		{"a version that Unicode Path calls something else", renamedVersion(v(9, "x"), "v", ziptest.HostUnix), "x", map[int]string{8: "x", 9: "v", 25: "v"}, "0 9"},
		{"a version with backslashes", renamedVersion(`META-INF\versions\9\x`, "", ziptest.HostNTFS), "x", map[int]string{8: "x", 25: "x"}, "0"},
		{"nested versions", multi("x", v(9, "META-INF/versions/10/x")), "x", map[int]string{25: "x"}, "0"},
	}
}

// renamedVersion is a multi-release archive with x and an entry that has another name by Unicode Path, or by
// the host that wrote it.
func renamedVersion(raw, name string, host uint8) ziptest.Archive {
	a := named(multiManifest, "x")
	e := ziptest.Entry{Name: raw, Data: []byte(raw), Host: host}
	if name != "" {
		e.Extra = ziptest.UnicodePath(raw, name)
	}
	a.Entries = append(a.Entries, e)
	return a
}

func openArchive(t testing.TB, a ziptest.Archive) *zipfile.ZipFile {
	z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
	require.NoError(t, err)
	t.Cleanup(func() { z.Close() })
	return z
}

func TestView(t *testing.T) {
	t.Parallel()
	for _, c := range viewCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			z := openArchive(t, c.archive)
			for _, release := range slices.Concat(viewReleases, []int{0}) {
				v, err := jar.NewView(z, release)
				require.NoError(t, err)
				assert.Equal(t, release, v.Release())
				e, ok := v.Lookup(c.ask)
				if want, asked := c.want[release]; asked {
					require.Equal(t, want != "", ok, "release %d", release)
					if ok {
						assert.Equal(t, want, e.Name(), "release %d", release)
					}
				}
				var all []string
				for _, version := range v.Versions(c.ask) {
					all = append(all, fmt.Sprint(version.Release))
				}
				assert.Equal(t, c.all, strings.Join(all, " "))
				seen := make(map[string]bool)
				for name, e := range v.Entries() {
					assert.True(t, !seen[name] || !v.MultiRelease(), name)
					seen[name] = true
					if found, ok := v.Lookup(name); assert.True(t, ok, name) && v.MultiRelease() {
						assert.Equal(t, e, found)
						assert.False(t, strings.HasPrefix(name, "META-INF/versions/"), name)
					}
				}
				assert.Equal(t, ok && !strings.HasPrefix(c.ask, "META-INF/versions/"), seen[c.ask] && !strings.HasPrefix(c.ask, "META-INF/versions/"))
			}
		})
	}
	v, err := jar.NewView(openArchive(t, named(multiManifest, multiNames...)), 17)
	require.NoError(t, err)
	assert.True(t, v.MultiRelease())
	assert.Equal(t, []int{9, 10, 11, 17, 21}, v.Releases())
	v, err = jar.NewView(openArchive(t, named(multiManifest, multiNames...)), -1)
	require.NoError(t, err)
	assert.Zero(t, v.Release(), "less than 0 is the newest too")
}

func TestViewManifestUnreadable(t *testing.T) {
	t.Parallel()
	a := named(multiManifest, "x")
	a.Entries[0].Header = func(h *ziptest.Header) { h.CRC32++ }
	_, err := jar.NewView(openArchive(t, a), 17)
	require.ErrorIs(t, err, zipfile.ErrChecksum)
}

func TestViewFS(t *testing.T) {
	t.Parallel()
	a := named(multiManifest, append(multiNames, "/absolute", "META-INF/versions/9/../y", "both", "both/x", "META-INF/versions/9/dir", "dir/x")...)
	a.Entries = append(a.Entries, ziptest.Entry{Name: "META-INF/versions/9/large.txt", Data: []byte(strings.Repeat("text ", 10_000)), Method: ziptest.Deflate})
	z := openArchive(t, a)
	for release, want := range map[int]string{8: "x/Y.class", 17: "META-INF/versions/17/x/Y.class"} {
		v, err := jar.NewView(z, release)
		require.NoError(t, err)
		fsys := v.FS()
		names := []string{"x/Y.class", "x/Z.class", "META-INF/MANIFEST.MF", "both/x", "dir/x"}
		if release == 17 {
			names = append(names, "only/New.class", "large.txt")
		}
		require.NoError(t, fstest.TestFS(fsys, names...))
		b, err := fs.ReadFile(fsys, "x/Y.class")
		require.NoError(t, err)
		assert.Equal(t, want, string(b))
		info, err := fs.Stat(fsys, "x/Y.class")
		require.NoError(t, err)
		assert.Equal(t, "Y.class", info.Name())
		assert.Equal(t, int64(len(want)), info.Size())
		for _, name := range []string{"META-INF/versions", "META-INF/versions/9/x/Y.class", "y"} {
			_, err = fsys.Open(name)
			assert.ErrorIs(t, err, fs.ErrNotExist, name)
		}
		_, err = fsys.Open("/x")
		assert.ErrorIs(t, err, fs.ErrInvalid)
		_, err = fs.ReadFile(fsys, "x")
		assert.Error(t, err)
		_, err = fs.ReadDir(fsys, "x/Y.class")
		assert.Error(t, err)
	}
	v, err := jar.NewView(openArchive(t, named("A: b\r\n\r\n", multiNames...)), 17)
	require.NoError(t, err)
	b, err := fs.ReadFile(v.FS(), "META-INF/versions/9/x/Y.class")
	require.NoError(t, err)
	assert.Equal(t, "META-INF/versions/9/x/Y.class", string(b))
}

// javaView writes what Archives.java should say of a release.
func javaView(t *testing.T, z *zipfile.ZipFile, release int) string {
	v, err := jar.NewView(z, release)
	require.NoError(t, err)
	var b strings.Builder
	javaLine(&b, "multi-release %v", v.MultiRelease())
	for name, e := range v.Entries() {
		javaLine(&b, "%s = %s", name, e.RawName())
	}
	javaLine(&b, "all")
	for e := range z.Entries() {
		found, ok := v.Lookup(e.RawName())
		require.True(t, ok, e.RawName())
		javaLine(&b, "%s = %s", e.RawName(), found.RawName())
	}
	return b.String()
}

// assertView compares what is said of a release, but for directories, which JDK 17 looks for in
// META-INF/versions too, and 25 does not.
func assertView(t *testing.T, got, want, about string) bool {
	files := func(s string) (list []string) {
		for line := range strings.Lines(s) {
			if !strings.Contains(line, "/ = ") {
				list = append(list, line)
			}
		}
		return list
	}
	g, w := files(got), files(want)
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			return assert.Fail(t, "another view", "%s: the JDK says %q, not %q", about, g[min(i, len(g)):min(i+3, len(g))], w[min(i, len(w)):min(i+3, len(w))])
		}
	}
	return true
}

func TestViewAgainstJDK(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts JVMs")
	}
	var ask requests
	var wants, about []string
	dir := t.TempDir()
	for i, c := range viewCases() {
		path := filepath.Join(dir, fmt.Sprintf("%d.jar", i))
		require.NoError(t, c.archive.WriteFile(path))
		z, err := zipfile.Open(path, nil)
		require.NoError(t, err)
		for _, release := range viewReleases {
			ask.ask('r', []byte(path), fmt.Append(nil, release))
			wants, about = append(wants, javaView(t, z, release)), append(about, fmt.Sprintf("%s, release %d", c.name, release))
		}
		z.Close()
	}
	eachJDK(t, func(t *testing.T, j jdk) {
		for i, got := range ask.answers(t, j, "Archives") {
			assertView(t, got, wants[i], about[i])
		}
	})
}

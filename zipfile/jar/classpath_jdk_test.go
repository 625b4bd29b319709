package jar_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/jar"
	"zipcat.dev/zipfile/ziptest"
)

// pathCase is a class path, and the contents of all files r.txt, or of those of the name, in it.
type pathCase struct {
	name     string
	manifest string   // Class-Path of app.jar; DIR is the directory
	raw      string   // the manifest of app.jar
	paths    []string // the class path; nil: app.jar
	file     string
	want     string
	problem  string // the first one holds it; empty: none
	differs  string // why the JDK is not asked
}

var pathCases = []pathCase{
	{name: "archive", manifest: "lib.jar", want: "app lib"},
	{name: "archive, twice", manifest: "lib.jar ./lib.jar sub/../lib.jar file:lib.jar", want: "app lib"},
	{name: "order", manifest: "sub/lib.jar lib.jar", want: "app sub lib"},
	{name: "tabs", manifest: "\tsub/lib.jar\tlib.jar", want: "app sub lib"},
	{name: "directory", manifest: "classes/", want: "app classes"},
	{name: "directory without a slash", manifest: "classes", want: "app", problem: "a directory, though the URL does not end in a slash"},
	{name: "directory without a slash, then with one", manifest: "classes classes/", want: "app classes", problem: "a directory"},
	{name: "archive with a slash", manifest: "lib.jar/", want: "app", problem: "no directory, though the URL ends in a slash"},
	{name: "query", manifest: "lib.jar?x", want: "app", problem: "lib.jar?x"},
	{name: "query that is part of the name", manifest: "query.jar?x", want: "app query"},
	{name: "query behind a directory", manifest: "classes/?x", want: "app", problem: "classes/?x"},
	{name: "query alone", manifest: "?x", want: "app", problem: "?x"},
	{name: "fragment", manifest: "classes/#x #x", want: "app classes"},
	{name: "fragment behind an archive", manifest: "lib.jar#x", want: "app lib", differs: "it loads classes, but gives damaged URLs"},
	{name: "archive in an archive", manifest: "nest.jar!/in.jar nest.jar!/", want: "app", problem: "nest.jar!/in.jar"},
	{name: "file", manifest: "file:lib.jar FILE:sub/lib.jar file:DIR/classes/", want: "app lib sub classes"},
	{name: "host", manifest: "file://DIR/lib.jar", want: "app lib"},
	{name: "this host", manifest: "file://LOCALHOSTDIR/lib.jar //localhostDIR/sub/lib.jar", want: "app lib sub"},
	{name: "another host", manifest: "file://example.comDIR/lib.jar sub/lib.jar", want: "app sub", problem: "not a URL of a file of this host"},
	{name: "directory of another host", manifest: "file://example.comDIR/classes/", want: "app classes", differs: "it loads classes, but its URLs lead to an FTP server"},
	{name: "absolute", manifest: "DIR/lib.jar", want: "app lib"},
	{name: "above the root", manifest: "../../../../../../../../../../../../../../../..DIR/lib.jar", want: "app lib"},
	{name: "dot", manifest: ". ./", want: "app"},
	{name: "escapes", manifest: "%6Cib.jar sub%2Flib.jar lib%20x.jar", want: "app lib sub space"},
	{name: "star", manifest: "* sub/*", want: "app", problem: "no such file"},
	{name: "bad escape", manifest: "lib%zz.jar lib.jar", want: "app lib", problem: "%zz", differs: "JDK 17 does not start"},
	{name: "escapes that are not UTF-8", manifest: "%ff.jar lib.jar", want: "app lib", problem: "not UTF-8", differs: "JDK 17 does not start"},
	{name: "NUL", manifest: "lib.jar%00 sub/lib.jar", want: "app sub", problem: "NUL byte"},
	{name: "other schemes", manifest: "http://x/lib.jar https://x ftp://x/ jar:file:DIR/lib.jar!/ jrt:/java.base mailto:x jmod:x lib.jar", want: "app lib", problem: "not a URL of a file"},
	{name: "unknown scheme", manifest: "lib.jar a:lib.jar", want: "", problem: "Class-Path has a:lib.jar: URL of the unknown scheme a, for which a JVM does not use the archive that names it"},
	{name: "unknown scheme, another archive", manifest: "x:y.jar", paths: []string{"app.jar", "lib.jar"}, want: "lib", problem: "unknown scheme x"},
	{name: "word with a colon", manifest: "lib:1.jar", want: "", problem: "unknown scheme lib"},
	{name: "unknown scheme in jar", manifest: "jar:a:b!/", want: "", problem: "unknown scheme a"},
	{name: "jar without a separator", manifest: "jar:file:lib.jar", want: "", problem: "damaged URL of scheme jar"},
	{name: "bad port", manifest: "http://x:y/", want: "", problem: `bad authority x:y`},
	{name: "bad address", manifest: "http://[x]/", want: "", problem: `bad authority [x]`},
	{name: "port", manifest: "http://[::1]:80/ http://x:/ lib.jar", want: "app lib", problem: "not a URL of a file"},
	{name: "no scheme", manifest: "1a:lib.jar ./a:b.jar :x lib.jar", want: "app colon lib", problem: "1a:lib.jar"},
	{name: "url:", manifest: "url:lib.jar URL:file:sub/lib.jar", want: "app lib sub"},

	{name: "damaged manifest", raw: "A: b\nx\n", want: "app", problem: "invalid header field (line 2)"},
	{name: "damaged manifest with Class-Path", raw: "class-PATH: lib.jar\nx\n", want: "", problem: "invalid header field (line 2)"},
	{name: "damaged manifest with Class-Path elsewhere", raw: "A: b\nx\n\nName: x\nB: class-path: \n", want: "", problem: "invalid header field (line 2)"},
	{name: "Class-Path without a line end", raw: "A: b\nClass-Path: lib.jar", want: "app"},
	{name: "Class-Path with a continuation without a line end", raw: "A: b\nClass-Path: lib.jar\n  sub/lib.jar", want: "app"},
	{name: "Class-Path in a section", raw: "A: b\n\nName: x\nClass-Path: lib.jar\n", want: "app"},
	{name: "Class-Path twice", raw: "Class-Path: sub/lib.jar\nClass-Path: lib.jar\n", want: "app lib"},

	{name: "link to an archive", paths: []string{"linked.jar"}, want: "real app real lib"},
	{name: "link to its directory", paths: []string{"rl/app.jar"}, want: "real app real lib"},
	{name: "one file by several names", paths: []string{"real/link.jar", "real/lib.jar", "rl/lib.jar", "real/../real/lib.jar", "real/lib.jar/"}, want: "real lib"},
	{name: "a link that a manifest names", manifest: "real/link.jar real/lib.jar", want: "app real lib real lib"},
	{name: "one directory by several names", paths: []string{"classes", "classes/", "cl", "sub/../cl"}, want: "classes"},
	{name: "the same by a manifest", manifest: "lib.jar classes/", paths: []string{"app.jar", "liblink.jar", "cl"}, want: "app lib classes"},

	{name: "Unicode Path", paths: []string{"unicode.jar"}, file: "raw.txt", want: "unicode"},
	{name: "Unicode Path, its name", paths: []string{"unicode.jar"}, file: "other.txt", want: ""},
	{name: "Unicode Path, in a version", paths: []string{"unicode.jar"}, file: "v.txt", want: "version"},
	{name: "backslash", paths: []string{"unicode.jar"}, file: `a\b`, want: "backslash"},
	{name: "backslash, as a slash", paths: []string{"unicode.jar"}, file: "a/b", want: ""},

	{name: "absolute link inside", paths: []string{"dir"}, file: "abs/in.txt", want: "in"},
	{name: "relative link inside", paths: []string{"dir"}, file: "rel/in.txt", want: "in"},
	{name: "absolute link to a file", paths: []string{"dir"}, file: "abs.txt", want: "in"},
	{name: "directory by a link", paths: []string{"dl"}, file: "abs/in.txt", want: "in"},
	{name: "absolute link outside", paths: []string{"dir"}, file: "out.txt", want: "", differs: "the JDK follows all links"},
	{name: "relative link outside", paths: []string{"dir"}, file: "outrel/r.txt", want: "", differs: "the JDK follows all links"},
	{name: "link to itself", paths: []string{"dir"}, file: "loop", want: ""},
	{name: "dots", paths: []string{"dir"}, file: "in/../in/in.txt", want: "", differs: "the JDK finds it"},
	{name: "two slashes", paths: []string{"dir"}, file: "in//in.txt", want: "", differs: "the JDK finds it"},
	{name: "out by dots", paths: []string{"dir"}, file: "../classes/r.txt", want: ""},
}

// pathTree writes what pathCases are about.
func pathTree(t *testing.T) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	text := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	archive := func(name string, entries ...ziptest.Entry) { text(name, string(jarOf(entries...).Bytes())) }
	for name, data := range map[string]string{"lib.jar": "lib", "sub/lib.jar": "sub", "lib x.jar": "space", "query.jar?x": "query", "real/lib.jar": "real lib",
		"a:lib.jar": "colon", "a:b.jar": "colon", "lib:1.jar": "colon", "x:y.jar": "colon"} {
		archive(name, entry("r.txt", data))
	}
	archive("nest.jar", entry("in.jar", string(jarOf(entry("r.txt", "nested")).Bytes())))
	archive("real/app.jar", entry(manifestName, "Manifest-Version: 1.0\nClass-Path: lib.jar\n"), entry("r.txt", "real app"))
	raw := func(name, other, data string) ziptest.Entry {
		return ziptest.Entry{Name: name, Data: []byte(data), Extra: ziptest.UnicodePath(name, other)}
	}
	archive("unicode.jar", entry(manifestName, "Multi-Release: true\n"), raw("raw.txt", "other.txt", "unicode"), entry("v.txt", "base"),
		raw("META-INF/versions/9/v.txt", "META-INF/versions/9/w.txt", "version"),
		ziptest.Entry{Name: `a\b`, Data: []byte("backslash"), Host: ziptest.HostNTFS})
	text("classes/r.txt", "classes")
	text("dir/in/in.txt", "in")
	for name, target := range map[string]string{"linked.jar": "real/app.jar", "liblink.jar": "lib.jar", "rl": "real", "cl": "classes", "dl": "dir", "real/link.jar": "lib.jar",
		"dir/abs": filepath.Join(dir, "dir/in"), "dir/abs.txt": filepath.Join(dir, "dir/in/in.txt"), "dir/rel": "in", "dir/loop": "loop",
		"dir/out.txt": filepath.Join(dir, "classes/r.txt"), "dir/outrel": "../classes"} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	return dir
}

// of returns the class path of the case of that number, and which file is asked for.
func (c *pathCase) of(t *testing.T, dir string, n int) (paths []string, file string) {
	given, app := c.paths, fmt.Sprintf("app%d.jar", n)
	if c.raw != "" {
		require.NoError(t, jarOf(entry(manifestName, c.raw), entry("r.txt", "app")).WriteFile(filepath.Join(dir, app)))
	}
	if c.manifest != "" {
		var folded strings.Builder
		for i, r := range "Class-Path: " + strings.ReplaceAll(c.manifest, "DIR", dir) {
			if i > 0 && i%60 == 0 {
				folded.WriteString("\n ")
			}
			folded.WriteRune(r)
		}
		a := jarOf(entry(manifestName, "Manifest-Version: 1.0\n"+folded.String()+"\n"), entry("r.txt", "app"))
		require.NoError(t, a.WriteFile(filepath.Join(dir, app)))
	}
	if given == nil {
		given = []string{"app.jar"}
	}
	for _, p := range given {
		paths = append(paths, dir+string(filepath.Separator)+ofApp(p, app))
	}
	if file = c.file; file == "" {
		file = "r.txt"
	}
	return paths, file
}

func ofApp(p, app string) string {
	if p == "app.jar" {
		return app
	}
	return p
}

// finds returns the contents of all files of a name, and what is not used.
func finds(t *testing.T, paths []string, file string) (string, []jar.Problem) {
	cp, err := jar.NewClassPath(paths...)
	require.NoError(t, err)
	defer cp.Close()
	var all []string
	for _, r := range cp.Resources(file) {
		b, err := r.ReadAll()
		require.NoError(t, err)
		all = append(all, string(b))
	}
	first, ok := cp.Resource(file)
	require.Equal(t, len(all) > 0, ok)
	if ok {
		b, err := first.ReadAll()
		require.NoError(t, err)
		assert.Equal(t, all[0], string(b))
	}
	return strings.Join(all, " "), cp.Problems()
}

func TestClassPathResolution(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("names that Windows has not")
	}
	dir := pathTree(t)
	for i, c := range pathCases {
		t.Run(c.name, func(t *testing.T) {
			paths, file := c.of(t, dir, i)
			got, problems := finds(t, paths, file)
			assert.Equal(t, c.want, got)
			if c.problem == "" {
				assert.Empty(t, problems)
				return
			}
			require.NotEmpty(t, problems)
			assert.ErrorContains(t, problems[0], c.problem)
		})
	}
}

func TestClassPathAgainstJDK(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts JVMs")
	}
	if runtime.GOOS == "windows" {
		t.Skip("names that Windows has not")
	}
	dir := pathTree(t)
	var ask requests
	var cases []pathCase
	for i, c := range pathCases {
		if c.differs == "" {
			paths, file := c.of(t, dir, i)
			ask.ask('c', []byte(strings.Join(paths, "\n")), []byte(file))
			cases = append(cases, c)
		}
	}
	eachJDK(t, func(t *testing.T, j jdk) {
		for i, got := range ask.answers(t, j, "ClassPaths") {
			assert.Equal(t, cases[i].want, strings.ReplaceAll(strings.TrimSpace(got), "\n", " "), cases[i].name)
		}
	})
}

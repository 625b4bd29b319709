package jar_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
	"zipcat.dev/zipfile/ziptest"
)

const indexName = "META-INF/INDEX.LIST"

func TestParseIndex(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ index, want string }{
		{"JarIndex-Version: 1.0\n\nx.jar\na\na/b\n\nlib/y.jar\nc\n\n", "1.0 | x.jar:3 a:4 a/b:5 | lib/y.jar:7 c:8"},
		{"JarIndex-Version: 1.0\r\n\r\nx.jar\r\na\r\n\r\n", "1.0 | x.jar:3 a:4"},
		{"JarIndex-Version: 1", "1"},
		{"JarIndex-Version: 12.3.4\nx.jar\ny.jar\nx.jar\na", "12.3.4 | x.jar:2 | y.jar:3 | x.jar:4 a:5"},
		{"JarIndex-Version: 1.0\n\nx.jar\n\na\n", "1.0 | x.jar:3 a:5"}, // as OpenJDK reads it
		{"JarIndex-Version: 1.0\n\nx.jar\n\xff\n", "1.0 | x.jar:3 \ufffd:4 encoding"},
		{"", "!empty, JarIndex-Version and a number should stand there (line 1)"},
		{"\n", "! where JarIndex-Version and a number should stand (line 1)"},
		{"x.jar\na\n", "!x.jar where JarIndex-Version and a number should stand (line 1)"},
		{"JarIndex-Version:1.0\n", "!JarIndex-Version:1.0 where JarIndex-Version and a number should stand (line 1)"},
		{"JarIndex-Version: \n", "!JarIndex-Version:  where JarIndex-Version and a number should stand (line 1)"},
		{"JarIndex-Version: 1.\n", "!JarIndex-Version: 1. where JarIndex-Version and a number should stand (line 1)"},
		{"JarIndex-Version: x\n", "!JarIndex-Version: x where JarIndex-Version and a number should stand (line 1)"},
		{"JarIndex-Version: 1.0\n\n\x1b[2J\n", `!"\x1b[2J" before the first .jar (line 3)`},
		{"JarIndex-Version: 1.0\n\napp.war\na\n\nx.jar\n", "!app.war before the first .jar (line 3)"},
	} {
		x, err := jar.ParseIndex([]byte(c.index))
		if text, bad := strings.CutPrefix(c.want, "!"); bad {
			require.EqualError(t, err, text)
			require.ErrorIs(t, err, zipfile.ErrFormat)
			require.Nil(t, x)
			continue
		}
		require.NoError(t, err, "%q", c.index)
		got := x.Version
		for _, j := range x.Jars {
			got += fmt.Sprintf(" | %s:%d", j.Name, j.Line)
			for _, n := range j.Names {
				got += fmt.Sprintf(" %s:%d", n.Name, n.Line)
			}
		}
		for _, f := range x.Findings {
			got += " " + f.Kind
		}
		assert.Equal(t, c.want, got, "%q", c.index)
	}
}

func TestReadIndex(t *testing.T) {
	t.Parallel()
	files := []ziptest.Entry{entry("a/b/C.class", ""), entry("a/D.class", ""), entry("e/", ""), entry("root.txt", ""), entry("META-INF/x", ""), entry("f/g/h", "")}
	const head = "JarIndex-Version: 1.0\n\n"
	for _, c := range []struct{ name, index, file, want string }{
		{"right", head + "x.jar\na\na/b\nroot.txt\nf/g\n\ny.jar\nz\n", "x.jar", ""},
		{"empty directories may be listed", head + "x.jar\na\na/b\nf/g\nf\ne\nMETA-INF\n", "dir/x.jar", ""},
		{"first without a name", head + "x.jar\na\na/b\nf/g\n\ny.jar\nz\n", "", ""},
		{"in a directory", head + "y.jar\nz\n\nlib/x.jar\na\na/b\nf/g\n", `C:\dir\x.jar`, ""},
		{"in two sections", head + "x.jar\na\n\ny.jar\nz\n\nx.jar\na/b\nf/g\n", "x.jar", ""},
		{"not there", head + "x.jar\na\na/b\nf/g\na/b/C\nz\nA\na/\nroot\n", "x.jar", "7 a/b/C is listed, and not in the archive [index-missing]; 8 z is listed, and not in the archive [index-missing]; 9 A is listed, and not in the archive [index-missing]; 10 a/ is listed, and not in the archive [index-missing]; 11 root is listed, and not in the archive [index-missing]"},
		{"not listed", head + "x.jar\na/b\n", "x.jar", "0 a is in the archive, and not listed [index-unlisted]; 0 f/g is in the archive, and not listed [index-unlisted]"},
		{"not itself", head + "y.jar\na\n", "x.jar", "0 no section is for x.jar [index-itself]"},
		{"no sections", head, "", "0 no section is for  [index-itself]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x, err := readIndex(t, jarOf(append(files, entry(indexName, c.index))...), c.file)
			require.NoError(t, err)
			var got []string
			for _, f := range x.Findings {
				got = append(got, fmt.Sprintf("%d %s [%s]", f.Line, f.Text, f.Kind))
			}
			assert.Equal(t, c.want, strings.Join(got, "; "))
		})
	}
	x, err := jar.ReadIndex(testJar(t), "testdata/modular.jar")
	require.NoError(t, err)
	assert.Empty(t, x.Findings)
	require.Len(t, x.Jars, 1)
	assert.Len(t, x.Jars[0].Names, 6)

	_, err = readIndex(t, jarOf(), "x.jar")
	require.ErrorIs(t, err, jar.ErrNoIndex)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.EqualError(t, err, "no META-INF/INDEX.LIST")
	_, err = readIndex(t, jarOf(entry(indexName, head+"x")), "x.jar")
	require.EqualError(t, err, "META-INF/INDEX.LIST: x before the first .jar (line 3)")
	require.Equal(t, "format", zipfile.ErrorKind(err))
	_, err = readIndex(t, jarOf(ziptest.Entry{Name: indexName, Zeros: 16_000_001, Method: ziptest.Deflate}), "x.jar")
	require.ErrorIs(t, err, zipfile.ErrLimit)
	x, err = readIndex(t, jarOf(entry(indexName, head+"x.jar\n"+strings.Repeat("y\n", 1500))), "")
	require.NoError(t, err)
	require.Len(t, x.Findings, 1000)
	assert.Contains(t, x.Findings[999].Text, "and 500 more of this kind")
}

func readIndex(t *testing.T, a ziptest.Archive, file string) (*jar.Index, error) {
	t.Helper()
	z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
	require.NoError(t, err)
	defer z.Close()
	return jar.ReadIndex(z, file)
}

// FuzzParseIndex parses arbitrary bytes: no panic, and lines in their order.
func FuzzParseIndex(f *testing.F) {
	f.Add([]byte("JarIndex-Version: 1.0\n\nx.jar\na\na/b\n\nlib/y.jar\nc\n\n"))
	f.Add([]byte("JarIndex-Version: 1.0\r\n\rx.jar\r\n\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := jar.ParseIndex(b)
		if err != nil {
			require.ErrorIs(t, err, zipfile.ErrFormat)
			return
		}
		last := 1
		for _, j := range x.Jars {
			require.Greater(t, j.Line, last)
			last = j.Line
			for _, n := range j.Names {
				require.Greater(t, n.Line, last)
				require.NotEmpty(t, n.Name)
				last = n.Line
			}
		}
	})
}

func ExampleReadIndex() {
	z, err := zipfile.Open("testdata/modular.jar", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer z.Close()
	x, err := jar.ReadIndex(z, "modular.jar")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, j := range x.Jars {
		for _, n := range j.Names {
			fmt.Println(j.Name, n.Name)
		}
	}
	fmt.Println(len(x.Findings), "findings")
	// Output:
	// modular.jar module-info.class
	// modular.jar META-INF/services
	// modular.jar com
	// modular.jar com/example
	// modular.jar com/example/impl
	// modular.jar com/example/spi
	// 0 findings
}

package jar_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
	"zipcat.dev/zipfile/ziptest"
)

// serviceCase is a provider-configuration file; want: the classes with their lines, or an error where it
// begins with "!".
type serviceCase struct{ file, want string }

func serviceCases() []serviceCase {
	const syntax = "!illegal configuration-file syntax"
	const name = "!illegal provider-class name: "
	return []serviceCase{
		{"", ""}, {"\n\n", ""}, {"# only\n", ""}, {"a.B", "a.B 1"}, {"a.B\n", "a.B 1"}, {"a.B\r\nc.D\re.F\n", "a.B 1 c.D 2 e.F 3"}, {"\n\ra.B", "a.B 3"}, {"\r\n\ra.B", "a.B 3"},
		{"  a.B\t # x\n#\n\x01\x1f a.C \x00\n", "a.B 1 a.C 3"}, {"a.B\na.C\na.B", "a.B 1 a.C 2"}, {"a.B#c.D#", "a.B 1"}, {"größe.Größe\n€.$_\n", "größe.Größe 1 €.$_ 2"},
		{"B", "B 1"}, {"a..B", "a..B 1"}, {"a.", "a. 1"}, {"a.1", "a.1 1"}, {"class", "class 1"}, {"𐐀.𐐁", "𐐀.𐐁 1"}, {"a\x7fb", "a\x7fb 1"}, {"# \xff\na.B", "a.B 2"},
		{"a.B c.D", syntax + " (line 1)"}, {"a.B\n\na.B\tc", syntax + " (line 3)"}, {"a.B # x\r\na b # x", syntax + " (line 2)"},
		{".B", name + ".B (line 1)"}, {"1.B", name + "1.B (line 1)"}, {"a.B\na-b", name + "a-b (line 2)"}, {"a/B", name + "a/B (line 1)"}, {"\ufeffa.B", name + `"\ufeffa.B" (line 1)`},
		{"a\xff", name + "a\ufffd (line 1)"}, {"a=b", name + "a=b (line 1)"}, {"a\u00a0b", name + `"a\u00a0b" (line 1)`}, {"a\x0bb", name + `"a\vb" (line 1)`}, {"\x00a.B\x00x", "a.B\x00x 1"},
	}
}

func serviceWords(list []jar.Provider) string {
	var words []string
	for _, p := range list {
		words = append(words, fmt.Sprintf("%s %d", p.Class, p.Line))
	}
	return strings.Join(words, " ")
}

func TestParseServices(t *testing.T) {
	t.Parallel()
	for _, c := range serviceCases() {
		list, err := jar.ParseServices([]byte(c.file))
		if text, bad := strings.CutPrefix(c.want, "!"); bad {
			require.EqualError(t, err, text)
			require.ErrorIs(t, err, zipfile.ErrFormat)
			assert.Empty(t, list)
			continue
		}
		require.NoError(t, err, "%q", c.file)
		assert.Equal(t, c.want, serviceWords(list), "%q", c.file)
	}
	_, err := jar.ParseServices([]byte(strings.Repeat("ü", 1000) + "-"))
	require.EqualError(t, err, "illegal provider-class name: "+strings.Repeat("ü", 100)+"... (line 1)")
}

func TestServices(t *testing.T) {
	t.Parallel()
	a := jarOf(entry(manifestName, multiManifest), entry("META-INF/services/", ""), entry("META-INF/services/s.T", "b.C\nb.D\n"), entry("META-INF/services/s.S", "x\n"),
		entry("META-INF/services/s.S", "a.B\n"), entry("META-INF/services/sub/s.S", "a.B\n"), entry("META-INF/versions/9/META-INF/services/s.S", "v.V\n"),
		entry("META-INF/services/groovy.Module", "moduleName = x\n"), entry("x/META-INF/services/s.U", "a.B\n"),
		ziptest.Entry{Name: "META-INF/services/s.Bad", Data: []byte("a.B\n"), Header: func(h *ziptest.Header) { h.CRC32++ }},
		ziptest.Entry{Name: "META-INF/services/s.Large", Zeros: 16_000_001, Method: ziptest.Deflate})
	z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
	require.NoError(t, err)
	defer z.Close()
	v, err := jar.NewView(z, 17)
	require.NoError(t, err)
	var got []string
	for _, s := range jar.Services(v) {
		got = append(got, s.Name+": "+serviceWords(s.Providers)+" "+zipfile.ErrorKind(s.Err))
		for _, p := range s.Providers {
			assert.Equal(t, "META-INF/services/"+s.Name, p.Entry)
		}
		if s.Name == "groovy.Module" {
			require.EqualError(t, s.Err, "META-INF/services/groovy.Module: illegal configuration-file syntax (line 1)")
		}
	}
	assert.Equal(t, []string{"groovy.Module:  format", "s.Bad:  checksum", "s.Large:  limit", "s.S: a.B 1 ", "s.T: b.C 1 b.D 2 "}, got)
}

func TestClassPathServices(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, a ziptest.Archive) string {
		file := filepath.Join(dir, name)
		require.NoError(t, a.WriteFile(file))
		return file
	}
	one := write("one.jar", jarOf(entry("META-INF/services/s.S", "a.B\na.C\n"), entry("META-INF/services/s.Bad", "-\n"), entry("META-INF/services/s.None", "#\n")))
	two := write("two.jar", jarOf(entry("META-INF/services/s.S", "a.D\na.B\n"), entry("META-INF/services/s.Bad", "a.B\n"), entry("META-INF/services/s.T", "t.T\n")))
	inner := write("outer.jar", jarOf(ziptest.Entry{Name: "lib/in.jar", Data: jarOf(entry("META-INF/services/s.S", "in.In\n")).Bytes()}, entry("BOOT-INF/classes/META-INF/services/s.V", "v.V\n"), entry("META-INF/services/s.W", "w.W\n")))
	classes := filepath.Join(dir, "classes")
	require.NoError(t, os.MkdirAll(filepath.Join(classes, "META-INF/services/directory"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(classes, "META-INF/services/s.S"), []byte("dir.Dir\na.C\n"), 0o666))
	cp, err := jar.OpenClassPath(t.Context(), []string{two, classes, one, inner + "!/lib/in.jar", inner + "!/BOOT-INF/classes/"}, nil)
	require.NoError(t, err)
	defer cp.Close()
	var got []string
	for _, s := range cp.Services() {
		var list []string
		for _, p := range s.Providers {
			rel, err := filepath.Rel(dir, p.Entry)
			require.NoError(t, err)
			list = append(list, p.Class+" "+filepath.ToSlash(rel))
		}
		got = append(got, s.Name+": "+strings.Join(list, ", "))
		if s.Name == "s.Bad" {
			require.EqualError(t, s.Err, one+"!/META-INF/services/s.Bad: illegal provider-class name: - (line 1)")
		} else {
			require.NoError(t, s.Err)
		}
		require.Equal(t, s, cp.Service(s.Name))
	}
	assert.Equal(t, []string{
		"s.Bad: a.B two.jar!/META-INF/services/s.Bad",
		"s.S: a.D two.jar!/META-INF/services/s.S, a.B two.jar!/META-INF/services/s.S, dir.Dir classes/META-INF/services/s.S, a.C classes/META-INF/services/s.S, in.In outer.jar!/lib/in.jar!/META-INF/services/s.S",
		"s.T: t.T two.jar!/META-INF/services/s.T",
		"s.V: v.V outer.jar!/BOOT-INF/classes/META-INF/services/s.V",
	}, got)
	assert.Empty(t, cp.Service("nope").Providers)
}

// FuzzParseServices parses arbitrary bytes: no panic, and classes that are read again when they are written one
// a line.
func FuzzParseServices(f *testing.F) {
	for _, c := range serviceCases() {
		f.Add([]byte(c.file))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := jar.ParseServices(b)
		if err != nil {
			require.ErrorIs(t, err, zipfile.ErrFormat)
			require.Empty(t, list)
			return
		}
		seen := make(map[string]bool)
		var again strings.Builder
		last := 0
		for _, p := range list {
			require.NotEmpty(t, p.Class)
			require.False(t, seen[p.Class])
			require.Greater(t, p.Line, last)
			seen[p.Class], last = true, p.Line
			require.NotContains(t, p.Class, "#")
			again.WriteString(p.Class + "\n")
		}
		same, err := jar.ParseServices([]byte(again.String()))
		require.NoError(t, err)
		require.Len(t, same, len(list))
		for i, p := range same {
			require.Equal(t, jar.Provider{Class: list[i].Class, Line: i + 1}, p)
		}
	})
}

func ExampleServices() {
	z, err := zipfile.Open("testdata/modular.jar", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer z.Close()
	v, err := jar.NewView(z, 17)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range jar.Services(v) {
		fmt.Println(s.Name, s.Err)
		for _, p := range s.Providers {
			fmt.Println(" ", p.Class, "line", p.Line)
		}
	}
	// Output:
	// com.example.spi.Codec <nil>
	//   com.example.impl.Plain line 2
	//   com.example.impl.Fast line 4
}

// TestServicesLimit: an archive made of provider-configuration files costs no more than some of them.
func TestServicesLimit(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("a.Provider\n", 90_000) // nearly 1 MiB
	var entries []ziptest.Entry
	for i := range 12 {
		entries = append(entries, ziptest.Entry{Name: fmt.Sprintf("META-INF/services/s.S%02d", i), Data: []byte(large), Method: ziptest.Deflate})
	}
	entries = append(entries, ziptest.Entry{Name: "META-INF/services/s.Huge", Data: bytes.Repeat([]byte("\n"), 2<<20), Method: ziptest.Deflate})
	z, err := zipfile.New(backend.Bytes(ziptest.Archive{Entries: entries}.Bytes()), nil)
	require.NoError(t, err)
	defer z.Close()
	v, err := jar.NewView(z, 17)
	require.NoError(t, err)
	read, refused := 0, 0
	for _, s := range jar.Services(v) {
		if s.Err == nil {
			read++
			assert.Len(t, s.Providers, 1)
		} else {
			refused++
			assert.ErrorIs(t, s.Err, zipfile.ErrLimit)
		}
	}
	assert.Equal(t, []int{8, 5}, []int{read, refused})
}

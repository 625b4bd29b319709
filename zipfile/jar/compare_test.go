package jar_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
	"zipcat.dev/zipfile/ziptest"
)

// javaManifest writes a manifest as Manifests.java does.
func javaManifest(b *strings.Builder, m *jar.Manifest) {
	for name, value := range m.Main.All() {
		javaLine(b, "main %s=%s", name, value)
	}
	for _, s := range sortedSections(m) {
		javaLine(b, "section %s", s.Name)
		for name, value := range s.All() {
			javaLine(b, "attribute %s=%s", name, value)
		}
	}
}

// javaDigests writes what signatures digest as Manifests.java does.
func javaDigests(t *testing.T, manifest []byte) string {
	t.Helper()
	m, err := jar.ParseManifest(manifest)
	require.NoError(t, err)
	var b strings.Builder
	digest := func(parts ...jar.Part) string {
		with, without := sha256.New(), sha256.New()
		n := 0
		for _, p := range parts {
			if m.Size() == 0 || m.Unterminated() && p.Offset+p.Length == m.Size() {
				continue // the JDK finds no such section
			}
			raw := m.AppendRaw(nil, p)
			with.Write(raw)
			without.Write(raw[:p.Length])
			n++
		}
		if n == 0 {
			return "none"
		}
		return fmt.Sprintf("%x %x", with.Sum(nil), without.Sum(nil))
	}
	javaLine(&b, "main %s", digest(m.MainPart()))
	seen, err := jar.ParseManifest(withoutCut(manifest))
	require.NoError(t, err)
	for _, s := range sortedSections(seen) {
		s, ok := m.Section(s.Name)
		require.True(t, ok)
		javaLine(&b, "section %s %s", s.Name, digest(slices.Collect(s.Parts())...))
	}
	return b.String()
}

func sortedSections(m *jar.Manifest) []jar.Section {
	return slices.SortedFunc(m.Sections(), func(a, b jar.Section) int {
		return slices.Compare(utf16.Encode([]rune(a.Name)), utf16.Encode([]rune(b.Name)))
	})
}

// javaError writes an error as Manifests.java does.
func javaError(b *strings.Builder, err error) {
	if me, ok := errors.AsType[*jar.ManifestError](err); ok {
		err = me
	}
	javaLine(b, "error %v", err)
}

// parsed is what the JDK should say to a manifest.
func parsed(t *testing.T, manifest []byte) string {
	t.Helper()
	m, err := jar.ParseManifest(manifest)
	var b strings.Builder
	if err == nil && m.Unterminated() {
		m, err = jar.ParseManifest(withoutCut(manifest))
		require.NoError(t, err, "%q", manifest)
	}
	if err != nil {
		javaError(&b, err)
	} else {
		javaManifest(&b, m)
	}
	return b.String()
}

// withoutCut takes from a manifest what the JVM does not see of it: a last line without a line end,
// and the lines that it continues.
func withoutCut(manifest []byte) []byte {
	for {
		start := bytes.LastIndexAny(manifest, "\r\n") + 1
		continuation := start < len(manifest) && manifest[start] == ' '
		if manifest = manifest[:start]; !continuation {
			return manifest
		}
		manifest = bytes.TrimSuffix(manifest, []byte("\n"))
		manifest = bytes.TrimSuffix(manifest, []byte("\r"))
	}
}

// randomManifest makes a manifest of pieces that meet in odd ways.
func randomManifest(r *rand.Rand) []byte {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	ends := []string{"\n", "\r\n", "\r"}
	if r.IntN(2) == 0 {
		ends = ends[r.IntN(3):][:1]
	}
	var b []byte
	end := func() { b = append(b, pick(ends...)...) }
	text := func() {
		for range r.IntN(3) {
			b = append(b, pick("x", "y z", " ", ":", ": ", "true", "ü", "€", "😀", "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xed\xa0\x80", "\xe0\x80", "\xf4\x90", "\x00", "\t", "Name: ")...)
		}
		if r.IntN(40) == 0 {
			n := 500 - min(500, len(b)-bytes.LastIndexAny(b, "\r\n")-1) + r.IntN(14)
			b = append(b, bytes.Repeat([]byte("l"), n)...)
		}
		if r.IntN(60) == 0 { // to where the JVM reads ahead
			for next := (len(b)/8192+1)*8192 - 515 + r.IntN(6); len(b) < next; {
				b = append(b, "\n "...)
				b = append(b, bytes.Repeat([]byte("b"), min(400, max(next-len(b), 0)))...)
			}
			b = append(b, "\n "...)
			b = append(b, bytes.Repeat([]byte("e"), 500+r.IntN(14))...)
		}
	}
	fold := func() {
		for r.IntN(4) == 0 {
			end()
			b = append(b, ' ')
			text()
		}
	}
	for range r.IntN(4) {
		for range r.IntN(4) {
			switch r.IntN(30) {
			case 0:
				text()
			case 1:
				b = append(b, pick(":", "A:x", "A b: x", "Ä: x", " x", "Name: ", xs(70)+": ", xs(71)+": ")...)
			default:
				b = append(b, pick("A", "a", "B", "Main-Class", "Name", "X_y-9")...)
				b = append(b, ": "...)
				text()
			}
			fold()
			end()
		}
		for range 1 + r.IntN(3)/2 {
			end()
		}
		b = append(b, pick("Name: ", "Name: ", "Name: ", "NAME: ", "name: ", "nam", "Name:")...)
		b = append(b, pick("s", "t", "\xff", "\xfe", "ü")...)
		fold()
		end()
	}
	switch r.IntN(4) {
	case 0:
		b = b[:r.IntN(len(b)+1)]
	case 1:
		b = append(b, pick("A: 1", "x", " ", "Name: s", "\x1a")...)
	}
	return b
}

// package cases: manifest, package.
var packageCases = [][2]string{
	{"Implementation-Title: all\nSpecification-Vendor: v\nSealed: TRUE\n\nName: a/b/\nImplementation-Title: own\nImplementation-Version: 1\nSealed: false\n", "a.b"},
	{"Implementation-Title: all\nSpecification-Vendor: v\nSealed: TRUE\n\nName: a/b/\nImplementation-Title: own\n", "a.b"},
	{"Implementation-Title: all\nSpecification-Title: st\nSpecification-Version: sv\nImplementation-Vendor: iv\n\nName: a/b\nImplementation-Title: own\n", "a.b"},
	{"Implementation-Title: all\n\nName: a/b/\nImplementation-Title: \nSealed: true \n", "a.b"},
	{"Implementation-Title: all\n\nName: a/\nImplementation-Title: x\nSealed: true\n", "a.b"},
	{"Sealed: true\n", "p"},
}

func javaPackage(t *testing.T, manifest, name string) string {
	t.Helper()
	m, err := jar.ParseManifest([]byte(manifest))
	require.NoError(t, err)
	p := m.Package(name)
	var b strings.Builder
	javaLine(&b, "package %s|%s|%s|%s|%s|%s|%v", p.SpecificationTitle, p.SpecificationVersion, p.SpecificationVendor,
		p.ImplementationTitle, p.ImplementationVersion, p.ImplementationVendor, p.Sealed)
	return b.String()
}

// jarCase is an archive, and which of its manifests counts.
type jarCase struct {
	name    string
	archive ziptest.Archive
	want    string // value of A; "none"; "limit"; or an error
	multi   bool   // it is a multi-release archive
	differs string // why the JDK is not asked
}

func jarOf(entries ...ziptest.Entry) ziptest.Archive { return ziptest.Archive{Entries: entries} }

func entry(name, data string) ziptest.Entry { return ziptest.Entry{Name: name, Data: []byte(data)} }

const manifestName = "META-INF/MANIFEST.MF"

// sized is a manifest of that size, zeros for the most part.
func sized(manifest string, size int) ziptest.Entry {
	return ziptest.Entry{Name: manifestName, Data: []byte(manifest), Zeros: int64(size - len(manifest)), Method: ziptest.Deflate}
}

func jarCases() []jarCase {
	other := entry("x.txt", "x")
	cases := []jarCase{
		{name: "ordinary", archive: jarOf(entry("META-INF/", ""), entry(manifestName, "A: 1\n"), other), want: "1"},
		{name: "deflated", archive: jarOf(ziptest.Entry{Name: manifestName, Data: []byte("A: 1\n"), Method: ziptest.Deflate}), want: "1"},
		{name: "none", archive: jarOf(other), want: "none"},
		{name: "empty", archive: jarOf(entry(manifestName, ""))},
		{name: "lower case", archive: jarOf(entry("meta-inf/manifest.mf", "A: 1\n")), want: "1"},
		{name: "mixed case", archive: jarOf(entry("Meta-Inf/Manifest.Mf", "A: 1\n")), want: "1"},
		{name: "last", archive: jarOf(other, entry("a/", ""), entry(manifestName, "A: 1\n")), want: "1"},
		{name: "two", archive: jarOf(entry(manifestName, "A: 1\n"), other, entry(manifestName, "A: 2\n")), want: "2"},
		{name: "two, one in lower case", archive: jarOf(entry(manifestName, "A: 1\n"), other, entry("meta-inf/manifest.mf", "A: 2\n")), want: "2"},
		{name: "two, the first in lower case", archive: jarOf(entry("meta-inf/manifest.mf", "A: 1\n"), entry(manifestName, "A: 2\n")), want: "2"},
		{name: "three", archive: jarOf(entry(manifestName, "A: 1\n"), entry("META-INF/manifest.mf", "A: 2\n"), entry(manifestName, "A: 3\n")), want: "3"},
		{name: "the last is empty", archive: jarOf(entry(manifestName, "A: 1\n"), entry("META-INF/manifest.mf", ""))},
		{name: "the last is damaged", archive: jarOf(entry(manifestName, "A: 1\n"), entry("META-INF/manifest.mf", "A\n")), want: "invalid header field (line 1)"},
		{name: "directory order counts", archive: func() ziptest.Archive {
			a := jarOf(entry(manifestName, "A: 1\n"), entry("META-INF/manifest.mf", "A: 2\n"))
			a.Directory = func(d []ziptest.CentralHeader) []ziptest.CentralHeader { slices.Reverse(d); return d }
			return a
		}(), want: "1"},
		{name: "elsewhere", archive: jarOf(entry("a/"+manifestName, "A: 1\n"), entry("/"+manifestName, "A: 1\n"), entry("MANIFEST.MF", "A: 1\n")), want: "none"},
		{name: "a directory", archive: jarOf(entry(manifestName+"/", "")), want: "none"},
		{name: "backslash", archive: jarOf(ziptest.Entry{Name: `META-INF\MANIFEST.MF`, Data: []byte("A: 1\n"), Host: ziptest.HostNTFS}), want: "none"},
		{name: "Unicode Path", archive: jarOf(ziptest.Entry{Name: "x", Data: []byte("A: 1\n"), Extra: ziptest.UnicodePath("x", manifestName)}), want: "none"},
		{name: "another Unicode Path", archive: jarOf(ziptest.Entry{Name: manifestName, Data: []byte("A: 1\n"), Extra: ziptest.UnicodePath(manifestName, "x")}), want: "1"},
		{name: "prefix", archive: ziptest.Archive{Prefix: []byte("#!/bin/sh\n"), Entries: []ziptest.Entry{entry(manifestName, "A: 1\n")}}, want: "1"},
		{name: "largest", archive: jarOf(sized("A: 1\n\nName: x\n", 16_000_000)), want: "line too long (line 4)"}, // it is read
		{name: "too large", archive: jarOf(sized("A: 1\n\nName: x\n", 16_000_001)), want: "limit"},
		{name: "wrong CRC", archive: jarOf(ziptest.Entry{Name: manifestName, Data: []byte("A: 1\n"), Header: func(h *ziptest.Header) { h.CRC32++ }}), want: "checksum",
			differs: "java.util.zip.ZipFile does not look at the CRC"},
		{name: "unterminated", archive: jarOf(entry(manifestName, "A: 1")), want: "1", differs: "see withoutCut"},
	}
	for _, c := range []struct {
		manifest string
		multi    bool
		want     string
	}{
		{"Multi-Release: true\n", true, ""},
		{"MULTI-release: TrUe\n", true, ""},
		{"Multi-Release: true \n", false, ""},
		{"Multi-Release:  true\n", false, ""},
		{"Multi-Release: false\n", false, ""},
		{"Multi-Release: true1\n", false, ""},
		{"Multi-Release: tr\n ue\n", false, ""},
		{"Multi-Release: true\n \n", true, ""},
		{"Multi-Release: true\n  \n", false, ""},
		{"Multi-Release: true\n x\n", false, ""},
		{"Multi-Release: tr\n ue\n\nName: s\nmulti-release: true\n", true, ""},
		{"Multi-Release: tr\n ue\nX: multi-release: trueish\n", true, ""},
		{"Multi-Release: \n true\nX: [\\]^_`{|}~\x7f\xffmulti-release: true\n", true, ""},
		{"Multi-Release: t\n rue\nX: MMulti-Release: tMulti-Release: trMulti-Release: true\n", true, ""},
		{"A: 1\n\nName: s\nMulti-Release: true\n", false, "1"},
		{"A: 1\n\nMulti-Release: true\n", false, "invalid manifest format (line 3)"},
		{"Multi-Release: false\nMulti-Release: true\n", true, ""},
		{"Multi-Release: true\nMulti-Release: false\n", false, ""},
		{"Multi-Release: true\nC\n", false, "invalid header field (line 2)"},
		{"Multi-Release: true\n\nName: s\nC\n", true, "invalid header field (line 4)"},
		{"Multi-Release: true\n\nName: s\n" + xs(512), true, "line too long (line 4)"},
	} {
		cases = append(cases, jarCase{name: fmt.Sprintf("%.60q", c.manifest), archive: jarOf(entry(manifestName, c.manifest)), want: c.want, multi: c.multi})
	}
	return cases
}

// javaArchive writes what the JDK should say to an archive.
func javaArchive(m *jar.Manifest, err error) string {
	var b strings.Builder
	javaLine(&b, "multi-release %v", m != nil && m.MultiRelease())
	switch {
	case errors.Is(err, jar.ErrNoManifest):
		javaLine(&b, "none")
	case err != nil:
		javaError(&b, err)
	default:
		javaManifest(&b, m)
	}
	return b.String()
}

func TestReadManifest(t *testing.T) {
	t.Parallel()
	for _, c := range jarCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			name := filepath.Join(t.TempDir(), "x.jar")
			require.NoError(t, c.archive.WriteFile(name))
			z, err := zipfile.Open(name, nil)
			require.NoError(t, err)
			defer z.Close()
			m, err := jar.ReadManifest(z)
			switch {
			case c.want == "none":
				require.ErrorIs(t, err, jar.ErrNoManifest)
				require.ErrorIs(t, err, fs.ErrNotExist)
				require.EqualError(t, err, "no META-INF/MANIFEST.MF")
				assert.Empty(t, jar.ManifestEntries(z))
				return
			case len(c.want) <= 1:
				require.NoError(t, err)
				assert.Equal(t, c.want, m.Main.Value("A"))
				assert.Equal(t, len(jar.ManifestEntries(z)) > 1, slices.Contains(findingKinds(m), "several-manifests"))
			case strings.Contains(c.want, "(line "):
				entries := jar.ManifestEntries(z)
				require.EqualError(t, err, entries[len(entries)-1].Name()+": "+c.want)
				require.ErrorIs(t, err, zipfile.ErrFormat)
				require.Equal(t, "format", zipfile.ErrorKind(err))
			default:
				require.Nil(t, m)
				require.Equal(t, c.want, zipfile.ErrorKind(err))
			}
			assert.Equal(t, c.multi, m != nil && m.MultiRelease())
		})
	}
}

// TestAgainstJDK asks the JDK about all cases, and many more, in one run.
func TestAgainstJDK(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a JVM")
	}
	var ask requests
	var wants, about []string
	expect := func(want, format string, args ...any) {
		wants = append(wants, want)
		about = append(about, fmt.Sprintf(format, args...))
	}
	compare := func(manifest []byte, name string) (want string) {
		want = parsed(t, manifest)
		ask.ask('m', manifest)
		expect(want, "manifest: %s", name)
		// Where the JVM sees a blank line behind a long one, its digests know of none.
		if m, err := jar.ParseManifest(manifest); err == nil && !slices.Contains(findingKinds(m), "long-line") {
			ask.ask('d', manifest)
			expect(javaDigests(t, manifest), "digests: %s", name)
		}
		return want
	}
	for _, c := range manifestCases {
		compare([]byte(c.manifest), c.name)
	}
	r := rand.New(rand.NewPCG(1, 2))
	kinds := make(map[string]int)
	for range 4000 {
		manifest := randomManifest(r)
		want := compare(manifest, fmt.Sprintf("%q", manifest))
		if strings.HasPrefix(want, "error ") {
			kinds[strings.TrimRight(want[:min(26, len(want))], "\n")]++
		} else {
			kinds["fine"]++
		}
	}
	t.Logf("random manifests: %v", kinds)
	require.Greater(t, kinds["fine"], 1000)
	for _, c := range packageCases {
		ask.ask('p', []byte(c[0]), []byte(c[1]))
		expect(javaPackage(t, c[0], c[1]), "package %s of %q", c[1], c[0])
	}
	for _, c := range attributeCases {
		ask.ask('a', []byte(c.manifest))
		expect(javaAttributes(t, c.manifest), "attributes of %q", c.manifest)
	}
	dir := t.TempDir()
	for i, c := range jarCases() {
		if c.differs != "" {
			continue
		}
		name := filepath.Join(dir, fmt.Sprintf("%d.jar", i))
		require.NoError(t, c.archive.WriteFile(name))
		z, err := zipfile.Open(name, nil)
		require.NoError(t, err)
		m, err := jar.ReadManifest(z)
		z.Close()
		ask.ask('j', []byte(name))
		expect(javaArchive(m, err), "archive: %s", c.name)
	}
	eachJDK(t, func(t *testing.T, j jdk) {
		failed := 0
		for i, got := range ask.answers(t, j, "Manifests") {
			got = strings.ReplaceAll(got, "null", "")
			if !sameAnswer(wants[i], got) && failed < 20 {
				failed++
				assert.Equal(t, got, wants[i], about[i])
			}
		}
	})
}

// sameAnswer compares answers; a manifest that is too large has other words here.
func sameAnswer(want, got string) bool {
	if i := strings.Index(want, "limit exceeded"); i >= 0 {
		return strings.HasPrefix(got, strings.SplitAfter(want, "error ")[0]) && strings.Contains(got, "Unsupported size: ")
	}
	return want == got
}

// TestJarsAgainstJDK compares what is said of other projects' archives.
func TestJarsAgainstJDK(t *testing.T) {
	t.Parallel()
	var ask requests
	var wants, names []string
	for _, name := range otherJars(t) {
		z, err := zipfile.Open(name, nil)
		if err != nil {
			continue // what opens is compared elsewhere
		}
		m, err := jar.ReadManifest(z)
		if m != nil && m.Unterminated() {
			t.Logf("%s: last line without a line end", name)
			entries := jar.ManifestEntries(z)
			raw, rerr := entries[len(entries)-1].ReadAll()
			require.NoError(t, rerr)
			m, err = jar.ParseManifest(withoutCut(raw))
		}
		ask.ask('j', []byte(name))
		wants, names = append(wants, javaArchive(m, err)), append(names, name)
		require.NoError(t, z.Close())
	}
	eachJDK(t, func(t *testing.T, j jdk) {
		same := 0
		for i, got := range ask.answers(t, j, "Manifests") {
			switch {
			case sameAnswer(wants[i], got):
				same++
			case strings.HasPrefix(got, "refused "):
				t.Logf("%s: not opened by the JDK: %s", names[i], got)
			default:
				assert.Equal(t, got, wants[i], names[i])
			}
		}
		t.Logf("%d of %d archives have the same manifest", same, len(names))
	})
}

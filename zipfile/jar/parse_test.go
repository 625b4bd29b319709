package jar_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
)

// manifestCase is a manifest and what it says: "name=value" of the main section, then "[section]"
// and what that has.
type manifestCase struct {
	name     string
	manifest string
	want     []string
	err      string
	findings []string // kinds
}

// lineOf gives a header of n bytes.
func lineOf(n int) string { return "A: " + strings.Repeat("x", n-3) }

func xs(n int) string { return strings.Repeat("x", n) }

var manifestCases = []manifestCase{
	{name: "empty"},
	{name: "CR LF", manifest: "A: 1\r\nB: 2\r\n\r\nName: s\r\nC: 3\r\n\r\n", want: []string{"A=1", "B=2", "[s]", "C=3"}},
	{name: "LF", manifest: "A: 1\nB: 2\n\nName: s\nC: 3\n\n", want: []string{"A=1", "B=2", "[s]", "C=3"}},
	{name: "CR", manifest: "A: 1\rB: 2\r\rName: s\rC: 3\r\r", want: []string{"A=1", "B=2", "[s]", "C=3"}},
	{name: "line ends mixed", manifest: "A: 1\rB: 2\nC: 3\r\n\n\r\r\nName: s\rD: 4\n", want: []string{"A=1", "B=2", "C=3", "[s]", "D=4"}},
	{name: "no blank line at the end", manifest: "A: 1\n\nName: s\nB: 2\n", want: []string{"A=1", "[s]", "B=2"}},
	{name: "blank line first", manifest: "\nName: s\nA: 1\n", want: []string{"[s]", "A=1"}},
	{name: "only blank lines", manifest: "\r\n\r\n\r\n"},
	{name: "name in the main section", manifest: "Name: s\nA: 1\n", want: []string{"Name=s", "A=1"}},

	{name: "folded", manifest: "A: 1\n 2\n  3\nB: 4\n", want: []string{"A=12 3", "B=4"}},
	{name: "folded by a blank", manifest: "A: 1\n \n 2\n \nB: 4\n", want: []string{"A=12", "B=4"}},
	{name: "folded before the value", manifest: "A: \r\n 1\r\n", want: []string{"A=1"}},
	{name: "folded within a character", manifest: "A: \xe2\n \x82\n \xac\n", want: []string{"A=€"}},
	{name: "name of a section folded", manifest: "\nName: a\n b\r c\r\n d\nA: 1\n", want: []string{"[abcd]", "A=1"}},
	{name: "tab continues nothing", manifest: "A: 1\n\t2\n", err: "invalid header field (line 2)"},
	{name: "65,535 bytes", manifest: fold("A: " + xs(65535)), want: []string{"A=" + xs(65535)}},
	{name: "200,000 bytes", manifest: fold("A: " + xs(200000)), want: []string{"A=" + xs(200000)}},

	{name: "longest line", manifest: lineOf(510) + "\r\nB: 1\n", want: []string{lineWant(510), "B=1"}},
	{name: "longest line, LF", manifest: lineOf(511) + "\nB: 1\n", want: []string{lineWant(511), "B=1"}},
	{name: "longest line, CR", manifest: lineOf(511) + "\rB: 1\n", want: []string{lineWant(511), "B=1"}},
	{name: "CR LF that the JVM has no room for", manifest: lineOf(511) + "\r\nName: s\nB: 1\n", want: []string{lineWant(511), "[s]", "B=1"}, findings: []string{"long-line"}},
	{name: "such a one before an attribute", manifest: lineOf(511) + "\r\nB: 1\n", err: "invalid manifest format (line 3)"},
	{name: "such a one that is read ahead", manifest: strings.Repeat(lineOf(511)+"\n", 15) + lineOf(511) + "\r\nB: 1\n", want: []string{lineWant(511), "B=1"}},
	{name: "such a one in a continuation", manifest: "B: 1\n " + xs(510) + "\r\n\nName: s\n", want: []string{"B=1" + xs(510), "[s]"}, findings: []string{"long-line"}},
	{name: "line too long", manifest: "B: 1\n" + lineOf(512) + "\n", err: "line too long (line 2)"},
	{name: "continuation too long", manifest: "B: 1\n " + xs(511) + "\n", err: "line too long (line 2)"},
	{name: "last line too long", manifest: lineOf(512), err: "line too long (line 1)"},
	{name: "name of a section too long", manifest: "\nName: " + xs(506) + "\n", err: "manifest line too long (line 2)"},
	{name: "continued name of a section too long", manifest: "\nName: s\n " + xs(511) + "\n", err: "manifest line too long (line 3)"},

	{name: "letter case", manifest: "main-CLASS: 1\n\nnAmE: s\nA: 2\n", want: []string{"main-CLASS=1", "[s]", "A=2"}},
	{name: "twice", manifest: "A: 1\nB: 2\na: 3\n", want: []string{"A=3", "B=2"}, findings: []string{"duplicate-attribute"}},
	{name: "twice the same", manifest: "A: 1\nA: 1\n", want: []string{"A=1"}},
	{name: "many attributes", manifest: numbered(65535) + "a7: x\n", want: numberedWant(65535, 7, "x"), findings: []string{"duplicate-attribute"}},
	{name: "sections of one name", manifest: "\nName: s\nA: 1\nB: 2\n\nName: t\n\nName: s\nb: 3\nC: 4\n", want: []string{"[s]", "A=1", "B=3", "C=4", "[t]"}, findings: []string{"duplicate-attribute"}},
	{name: "names of sections have a case", manifest: "\nName: s\n\nName: S\n", want: []string{"[s]", "[S]"}},
	{name: "section without a name", manifest: "\nName: \nA: 1\n", want: []string{"[]", "A=1"}},
	{name: "name within a section", manifest: "\nName: s\nName: t\n", want: []string{"[s]", "Name=t"}},

	{name: "empty value", manifest: "A: \nB: 1\n", want: []string{"A=", "B=1"}},
	{name: "white space in a value", manifest: "A:   1\t \n", want: []string{"A=  1\t "}},
	{name: "colons in a value", manifest: "A: : b: c\n", want: []string{"A=: b: c"}},
	{name: "NUL in a value", manifest: "A: 1\x002\n", want: []string{"A=1\x002"}},
	{name: "no UTF-8", manifest: "A: \xff\xe2\x82x\xed\xa0\x80\n\nName: \xc0\x80\n", want: []string{"A=\ufffd\ufffdx\ufffd", "[\ufffd\ufffd]"}, findings: []string{"encoding", "encoding"}},
	{name: "names that are one when decoded", manifest: "\nName: \xfe\nA: 1\n\nName: \xff\nB: 2\n", want: []string{"[\ufffd]", "A=1", "B=2"}, findings: []string{"encoding", "encoding"}},

	{name: "no colon", manifest: "A: 1\nB\n", err: "invalid header field (line 2)"},
	{name: "no space", manifest: "A:1\n", err: "invalid header field (line 1)"},
	{name: "colon at the end", manifest: "A:\n", err: "invalid header field (line 1)"},
	{name: "no colon, continued", manifest: "A\n : 1\n", err: "invalid header field (line 1)"},
	{name: "continuation first", manifest: " A: 1\n", err: "misplaced continuation line (line 1)"},
	{name: "continuation after a blank line", manifest: "A: 1\n\n B: 2\n", err: "invalid manifest format (line 3)"},
	{name: "empty name", manifest: ": 1\n", err: "invalid header field name:  (line 1)"},
	{name: "space in a name", manifest: "A b: 1\n", err: "invalid header field name: A b (line 1)"},
	{name: "letter in a name", manifest: "Ä: 1\n 2\n 3\n", err: "invalid header field name: Ä (line 3)"},
	{name: "no UTF-8 in a name", manifest: "A\xff: 1\n", err: "invalid header field name: A\ufffd (line 1)"},
	{name: "name of 70 letters", manifest: xs(70) + ": 1\n", want: []string{xs(70) + "=1"}},
	{name: "name of 71 letters", manifest: xs(71) + ": 1\n", err: "invalid header field name: " + xs(71) + " (line 1)"},
	{name: "name of signs", manifest: "-_: 1\n", want: []string{"-_=1"}},
	{name: "byte order mark", manifest: "\ufeffManifest-Version: 1.0\n", err: "invalid header field name: \ufeffManifest-Version (line 1)"},
	{name: "section without Name", manifest: "A: 1\n\n\n\nB: 2\n", err: "invalid manifest format (line 5)"},
	{name: "Name without a space", manifest: "\nName:s\n", err: "invalid manifest format (line 2)"},
	{name: "blank behind the sections", manifest: "A: 1\n\nName: s\n\n \n", err: "invalid manifest format (line 5)"},
	{name: "fault in a section", manifest: "A: 1\n\nName: s\nB: 2\n\nName: t\nC\n", err: "invalid header field (line 7)"},

	{name: "unterminated", manifest: "A: 1\nB: 2", want: []string{"A=1", "B=2"}, findings: []string{"unterminated"}},
	{name: "unterminated, alone", manifest: "A: 1", want: []string{"A=1"}, findings: []string{"unterminated"}},
	{name: "unterminated continuation", manifest: "A: 1\nB: 2\n 3", want: []string{"A=1", "B=23"}, findings: []string{"unterminated"}},
	{name: "unterminated blank", manifest: "A: 1\n ", want: []string{"A=1"}, findings: []string{"unterminated"}},
	{name: "unterminated section", manifest: "A: 1\n\nName: s", want: []string{"A=1", "[s]"}, findings: []string{"unterminated"}},
	{name: "unterminated name", manifest: "A: 1\n\nName: s\n t", want: []string{"A=1", "[st]"}, findings: []string{"unterminated"}},
	{name: "unterminated in a section", manifest: "A: 1\n\nName: s\nB: 2", want: []string{"A=1", "[s]", "B=2"}, findings: []string{"unterminated"}},
	{name: "Ctrl-Z", manifest: "A: 1\n\x1a", want: []string{"A=1"}, findings: []string{"unterminated"}},
	{name: "Ctrl-Z behind a section", manifest: "A: 1\n\nName: s\n\n\x1a", want: []string{"A=1", "[s]"}, findings: []string{"unterminated"}},
	{name: "unterminated, no header", manifest: "A: 1\nB:2", want: []string{"A=1"}, findings: []string{"unterminated"}},
	{name: "unterminated, wrong name", manifest: "A: 1\nB c: 2\n 3", want: []string{"A=1"}, findings: []string{"unterminated"}},
	{name: "unterminated, misplaced", manifest: " A: 1", findings: []string{"unterminated"}},
	{name: "unterminated after a fault", manifest: "A\n 1", err: "invalid header field (line 1)"},
}

func lineWant(n int) string { return strings.Replace(lineOf(n), ": ", "=", 1) }

// fold writes a header in lines of 72 bytes.
func fold(header string) string {
	var b strings.Builder
	for len(header) > 72 {
		b.WriteString(header[:72] + "\r\n ")
		header = header[72:]
	}
	return b.String() + header + "\r\n"
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "A%d: %d\n", i, i)
	}
	return b.String()
}

func numberedWant(n, changed int, value string) []string {
	list := make([]string, n)
	for i := range n {
		list[i] = fmt.Sprintf("A%d=%d", i, i)
	}
	list[changed] = fmt.Sprintf("A%d=%s", changed, value)
	return list
}

// said gives what a manifest says as manifestCase has it.
func said(m *jar.Manifest) []string {
	var list []string
	for name, value := range m.Main.All() {
		list = append(list, name+"="+value)
	}
	for s := range m.Sections() {
		list = append(list, "["+s.Name+"]")
		for name, value := range s.All() {
			list = append(list, name+"="+value)
		}
	}
	return list
}

func findingKinds(m *jar.Manifest) []string {
	var kinds []string
	for _, f := range m.Findings() {
		kinds = append(kinds, f.Kind)
	}
	return kinds
}

func TestParseManifest(t *testing.T) {
	t.Parallel()
	for _, c := range manifestCases {
		t.Run(c.name, func(t *testing.T) {
			m, err := jar.ParseManifest([]byte(c.manifest))
			if c.err != "" {
				require.EqualError(t, err, c.err)
				require.ErrorIs(t, err, zipfile.ErrFormat)
				require.Equal(t, "format", zipfile.ErrorKind(err))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, said(m))
			assert.Equal(t, c.findings, findingKinds(m))
			assert.Equal(t, strings.Contains(c.name, "unterminated") || strings.HasPrefix(c.name, "Ctrl-Z"), m.Unterminated())
		})
	}
}

// A fault behind the main section leaves that: the JVM reads Multi-Release all the same.
func TestParseManifestInPart(t *testing.T) {
	t.Parallel()
	m, err := jar.ParseManifest([]byte("Multi-Release: true\n\nName: s\nA: 1\n\nName: t\nB: 2\nC\n"))
	require.EqualError(t, err, "invalid header field (line 8)")
	require.NotNil(t, m)
	assert.True(t, m.MultiRelease())
	assert.Equal(t, []string{"Multi-Release=true", "[s]", "A=1", "[t]", "B=2"}, said(m))
	m, err = jar.ParseManifest([]byte("Multi-Release: true\nC\n"))
	require.EqualError(t, err, "invalid header field (line 2)")
	assert.Nil(t, m)
}

func TestAttributes(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 15, 16, 17, 100} {
		m, err := jar.ParseManifest([]byte(numbered(n)))
		require.NoError(t, err)
		assert.Equal(t, n, m.Main.Len())
		for i := range n {
			for _, name := range []string{fmt.Sprintf("A%d", i), fmt.Sprintf("a%d", i)} {
				v, ok := m.Main.Lookup(name)
				assert.True(t, ok)
				assert.Equal(t, fmt.Sprint(i), v)
				assert.Equal(t, v, m.Main.Value(name))
			}
		}
		for _, name := range []string{"", "A", "A0 ", "Á0", "A-1", fmt.Sprintf("A%d", n)} {
			_, ok := m.Main.Lookup(name)
			assert.False(t, ok, name)
		}
	}
	// The Kelvin sign is a k by Unicode's rules.
	for _, manifest := range []string{"k: 1\n", numbered(20) + "k: 1\n"} {
		m, err := jar.ParseManifest([]byte(manifest))
		require.NoError(t, err)
		assert.Equal(t, "1", m.Main.Value("K"))
		_, ok := m.Main.Lookup("\u212a")
		assert.False(t, ok)
	}
}

// Parts are what the JDK digests: the whole sections, with the blank line that ends them and without.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, manifest string
		main           string
		sections       map[string][]string // "|" stands before the blank line
	}{
		{"empty", "", "|", nil},
		{"main", "A: 1\r\n\r\n", "A: 1\r\n|\r\n", nil},
		{"no blank line", "A: 1\n", "A: 1\n|", nil},
		{"no line end", "A: 1", "A: 1|", nil},
		{"blank line first", "\r\n\r\nName: s\r\rName: t\n\n", "|\r\n", map[string][]string{"s": {"Name: s\r|\r"}, "t": {"Name: t\n|\n"}}},
		{"several blank lines", "A: 1\n\r\n\nName: s\n t\n 1\nA: 1\n 2\n\n\n\nName: u\n", "A: 1\n|\r\n", map[string][]string{"st1": {"Name: s\n t\n 1\nA: 1\n 2\n|\n"}, "u": {"Name: u\n|"}}},
		{"of one name", "\nName: s\nA: 1\n\nName: t\n\nName: s\nB: 1", "|\n", map[string][]string{"s": {"Name: s\nA: 1\n|\n", "Name: s\nB: 1|"}, "t": {"Name: t\n|\n"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := jar.ParseManifest([]byte(c.manifest))
			require.NoError(t, err)
			assert.Equal(t, len(c.manifest), m.Size())
			text := func(p jar.Part) string {
				raw := string(m.AppendRaw(nil, p))
				require.Equal(t, c.manifest[p.Offset:p.Offset+p.Length+p.Blank], raw)
				return raw[:p.Length] + "|" + raw[p.Length:]
			}
			assert.Equal(t, c.main, text(m.MainPart()))
			var got map[string][]string
			for s := range m.Sections() {
				if got == nil {
					got = map[string][]string{}
				}
				for p := range s.Parts() {
					got[s.Name] = append(got[s.Name], text(p))
				}
				found, ok := m.Section(s.Name)
				assert.True(t, ok)
				assert.Equal(t, s, found)
			}
			assert.Equal(t, c.sections, got)
			_, ok := m.Section("none")
			assert.False(t, ok)
		})
	}
}

// Findings of a kind have an end.
func TestManyFindings(t *testing.T) {
	t.Parallel()
	m, err := jar.ParseManifest([]byte(strings.Repeat("A: 1\nA: 2\n", 1000) + "B: \xff\n"))
	require.NoError(t, err)
	f := m.Findings()
	require.Len(t, f, 1001)
	assert.Equal(t, "duplicate-attribute", f[999].Kind)
	assert.Contains(t, f[999].Text, "(and 999 more of this kind)")
	assert.Equal(t, jar.Finding{Kind: "encoding", Line: 2001, Text: `not UTF-8: "�"`}, f[1000])
}

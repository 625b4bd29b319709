package jar_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
)

// FuzzParseManifest parses arbitrary bytes: no panic, parts that lie where they should, and a
// manifest that says the same when it is written anew.
func FuzzParseManifest(f *testing.F) {
	for _, c := range manifestCases {
		if len(c.manifest) < 10_000 {
			f.Add([]byte(c.manifest))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := jar.ParseManifest(b)
		if err != nil {
			require.ErrorIs(t, err, zipfile.ErrFormat)
			require.NotEmpty(t, err.Error())
		}
		if m == nil {
			require.Error(t, err)
			return
		}
		require.Zero(t, m.MainPart().Offset)
		taken := make([]bool, len(b)) // by a part
		take := func(p jar.Part) {
			require.GreaterOrEqual(t, p.Length, 0)
			require.Contains(t, []int{0, 1, 2}, p.Blank)
			for i := range p.Length + p.Blank {
				require.False(t, taken[p.Offset+i])
				taken[p.Offset+i] = true
			}
		}
		take(m.MainPart())
		for s := range m.Sections() {
			for p := range s.Parts() {
				if err == nil { // that of the fault has none
					require.Equal(t, "name: ", strings.ToLower(string(m.AppendRaw(nil, p)[:6])))
				}
				take(p)
			}
			for name, value := range s.All() {
				require.Equal(t, value, s.Value(name))
			}
		}
		for name, value := range m.Main.All() {
			require.Equal(t, value, m.Main.Value(name))
			_, _ = m.Clauses(name)
		}
		m.MainClass()
		m.ClassPath()
		m.Package("a.b")
		if err != nil {
			return
		}
		for i, in := range taken {
			require.True(t, in || strings.IndexByte("\r\n", b[i]) >= 0 || m.Unterminated(), "byte %d is in no part", i)
		}
		again, err := jar.ParseManifest(written(m))
		require.NoError(t, err)
		require.Equal(t, said(m), said(again))
		require.Empty(t, again.Findings())
		if m.Unterminated() {
			_, err = jar.ParseManifest(withoutCut(b))
			require.NoError(t, err)
		}
	})
}

// written writes a manifest as the specification wants it.
func written(m *jar.Manifest) []byte {
	var b strings.Builder
	write := func(name, value string) { b.WriteString(fold(name + ": " + value)) }
	for name, value := range m.Main.All() {
		write(name, value)
	}
	b.WriteString("\r\n")
	for s := range m.Sections() {
		write("Name", s.Name)
		for name, value := range s.All() {
			write(name, value)
		}
		b.WriteString("\r\n")
	}
	return []byte(b.String())
}

// FuzzParseClauses parses arbitrary headers: no panic, and clauses that are the same when all is
// quoted.
func FuzzParseClauses(f *testing.F) {
	f.Add(`a;b;version="[1.0,2.0)";uses:="x,y",c;v:List<String>="\"\\\,"`)
	f.Add(`a;x="1`)
	f.Add(`;=,:="`)
	f.Fuzz(func(t *testing.T, value string) {
		list, err := jar.ParseClauses(value)
		if err != nil {
			require.ErrorIs(t, err, zipfile.ErrFormat)
			return
		}
		var all []string
		for _, c := range list {
			require.NotEmpty(t, c.Paths)
			var b strings.Builder
			for i, p := range c.Paths {
				if i > 0 {
					b.WriteByte(';')
				}
				b.WriteString(quoteClause(p))
			}
			for _, p := range c.Attributes {
				b.WriteString(";" + p.Name)
				if p.Type != "" {
					b.WriteString(":" + p.Type)
				}
				b.WriteString("=" + quoteClause(p.Value))
			}
			for _, p := range c.Directives {
				b.WriteString(";" + p.Name + ":=" + quoteClause(p.Value))
			}
			all = append(all, b.String())
		}
		again, err := jar.ParseClauses(strings.Join(all, ","))
		require.NoError(t, err)
		require.Equal(t, list, again)
	})
}

func quoteClause(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

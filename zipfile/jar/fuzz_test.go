package jar_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
	"zipcat.dev/zipfile/ziptest"
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

// FuzzSignatureBlock parses arbitrary signature blocks, and verifies a signature file by them: no
// panic, and nothing that counts but what was signed.
func FuzzSignatureBlock(f *testing.F) {
	for _, s := range []signing{{by: "rsa"}, {by: "rsa", pss: true}, {by: "p256", indefinite: true}, {by: "ed25519", digest: "SHA-512", direct: true},
		{by: "leaf", internal: true, protect: "SHA-256", stamped: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)}, {by: "rsa", also: "p256"}} {
		f.Add(signJar(signedFiles(), s)[2].Data)
	}
	f.Add(indefinite(sequence, indefinite(0x24, tlv(octets, []byte("a")), tlv(octets, []byte("b")))))
	good := signJar(signedFiles(), signing{by: "rsa"})
	f.Fuzz(func(t *testing.T, b []byte) {
		if d, ok := jar.Definite(b); ok {
			_, again := jar.Definite(d)
			require.False(t, again)
		}
		err := jar.ParseBlock(b)
		v := verify(t, ziptest.Archive{Entries: change(good, "META-INF/K.RSA", func([]byte) []byte { return b })}.Bytes(), jar.VerifyOptions{})
		require.NotEmpty(t, v.Signers)
		if err != nil {
			require.Equal(t, jar.Bad, v.State)
		}
	})
}

// FuzzVerify verifies arbitrary archives: no panic, and a verdict that agrees with itself.
func FuzzVerify(f *testing.F) {
	for _, c := range verifyCases() {
		f.Add(c.build().Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		z, err := zipfile.New(backend.Bytes(b), &zipfile.Options{Limits: zipfile.Limits{MaxTotalSize: 1 << 24}})
		if err != nil {
			return
		}
		defer z.Close()
		v, err := jar.Verify(t.Context(), z, jar.VerifyOptions{})
		if err != nil {
			require.ErrorIs(t, err, zipfile.ErrLimit)
			return
		}
		counts, bad := false, false
		for _, s := range v.Signers {
			counts = counts || s.Counts()
			bad = bad || s.Err != nil
			_ = s.Subject()
		}
		for _, e := range v.Entries {
			bad = bad || e.State == jar.Bad
			if e.State == jar.Signed {
				require.True(t, counts)
				require.NotEmpty(t, e.Signers)
			}
			for _, s := range e.Signers {
				require.True(t, s.Counts())
			}
		}
		require.Equal(t, bad, v.State == jar.Bad)
		if v.State == jar.Signed {
			require.True(t, counts)
		}
		view, err := jar.NewView(z, 17)
		if err != nil {
			return
		}
		for name := range view.Entries() {
			_, ok := view.Lookup(name)
			require.True(t, ok)
			_ = view.Versions(name)
		}
		view.FS()
	})
}

// FuzzAPKSigningBlock reads arbitrary bytes before the directory as a block, and as a signer: no panic,
// and elements that lie within the block.
func FuzzAPKSigningBlock(f *testing.F) {
	f.Add(apkBlock(0x7109871a, "signature", 1, ""))
	f.Add(apkBlock(uint32(0xf05368c0), string(lengthPrefixed(lengthPrefixed(lengthPrefixed([]byte("data")), u32(1), u32(2), lengthPrefixed(), lengthPrefixed())))))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, block := range [][]byte{b, apkBlock(0x7109871a, string(b)), apkBlock(0x1b93ad61, string(lengthPrefixed(lengthPrefixed(b))))} {
			file := ziptest.Archive{Entries: []ziptest.Entry{entry("classes.dex", "dex")}, BeforeDirectory: block}.Bytes()
			z, err := zipfile.New(backend.Bytes(file), nil)
			require.NoError(t, err)
			defer z.Close()
			found, err := jar.ReadAPKSigningBlock(z)
			if err != nil {
				continue
			}
			for _, p := range found.Pairs {
				require.LessOrEqual(t, p.Offset+p.Size, found.Offset+found.Size)
			}
			signers, err := found.Verify(t.Context(), z)
			if err != nil {
				require.ErrorIs(t, err, zipfile.ErrFormat)
			}
			for _, s := range signers {
				require.Error(t, s.Err)
			}
		}
	})
}

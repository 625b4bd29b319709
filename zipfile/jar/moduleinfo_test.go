package jar_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
	"zipcat.dev/zipfile/ziptest"
)

// moduleWords writes a module as Modules.java does, in the order of lines.
func moduleWords(m *jar.Module) string {
	words := func(named ...any) string {
		var list []string
		for i := 0; i < len(named); i += 2 {
			if named[i].(bool) {
				list = append(list, named[i+1].(string))
			}
		}
		slices.Sort(list)
		return strings.Join(list, ",")
	}
	var lines []string
	add := func(format string, args ...any) {
		var b strings.Builder
		javaLine(&b, format, args...)
		lines = append(lines, b.String())
	}
	add("module %s|%s|%s|%s", m.Name, m.Version, words(m.Open, "open", m.Synthetic, "synthetic", m.Mandated, "mandated", m.Automatic, "automatic"), m.MainClass)
	for _, r := range m.Requires {
		add("requires %s|%s|%s", r.Name, r.Version, words(r.Transitive, "transitive", r.Static, "static", r.Synthetic, "synthetic", r.Mandated, "mandated"))
	}
	for what, list := range map[string][]jar.Exports{"exports": m.Exports, "opens": m.Opens} {
		for _, e := range list {
			to := slices.Sorted(slices.Values(e.To))
			add("%s %s|%s|%s", what, e.Package, strings.Join(to, ","), words(e.Synthetic, "synthetic", e.Mandated, "mandated"))
		}
	}
	for _, u := range m.Uses {
		add("uses %s", u)
	}
	for _, p := range m.Provides {
		add("provides %s|%s", p.Service, strings.Join(p.With, ","))
	}
	for _, p := range m.Packages {
		add("package %s", p)
	}
	if m.Target != "" {
		add("target %s", m.Target)
	}
	if m.Hashes != nil {
		for _, h := range m.Hashes.Modules {
			add("hash %s %s %x", m.Hashes.Algorithm, h.Module, h.Hash)
		}
	}
	if m.Resolution != 0 {
		add("resolution %d", m.Resolution)
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// moduleBuilder builds a module-info.class: tables of its attribute Module, and other attributes.
type moduleBuilder struct {
	pool
	major, access                            uint16
	name                                     uint16 // of the module
	flags                                    uint16
	version                                  uint16
	requires, exports, opens, uses, provides []uint16 // with their counts
	more                                     func(m *moduleBuilder) []attribute
	twice                                    bool
	lengthen                                 int
	behind                                   []byte
}

type attribute struct {
	name string
	data []byte
}

func (m *moduleBuilder) module(name string) uint16 { return m.named(19, name) }
func (m *moduleBuilder) pkg(name string) uint16    { return m.named(20, name) }

func buildModule(change func(m *moduleBuilder)) []byte {
	m := &moduleBuilder{major: 61, access: 0x8000, exports: []uint16{0}, opens: []uint16{0}, uses: []uint16{0}, provides: []uint16{0}}
	m.name = m.module("m")
	m.requires = []uint16{1, m.module("java.base"), 0x8000, 0}
	if change != nil {
		change(m)
	}
	this := m.class("module-info")
	body := be(slices.Concat([]uint16{m.name, m.flags, m.version}, m.requires, m.exports, m.opens, m.uses, m.provides)...)
	list := []attribute{{"Module", body}}
	if m.twice {
		list = append(list, list[0])
	}
	if m.more != nil {
		list = append(list, m.more(m)...)
	}
	rest := []uint16{m.access, this, 0, 0, 0, 0, uint16(len(list))}
	names := make([]uint16, len(list))
	for i, a := range list {
		names[i] = m.text(a.name)
	}
	b := m.file(m.major, 0, rest...)
	for i, a := range list {
		b = binary.BigEndian.AppendUint32(append(b, be(names[i])...), uint32(len(a.data)+m.lengthen))
		b = append(b, a.data...)
	}
	return append(b, m.behind...)
}

// moduleCase is a module-info.class; want: what it says, or an error where it begins with "!".
type moduleCase struct {
	name string
	b    []byte
	want string
}

const base = "requires java.base||mandated\n"

func moduleCases() []moduleCase {
	with := func(list ...attribute) func(*moduleBuilder) []attribute {
		return func(*moduleBuilder) []attribute { return list }
	}
	cases := []moduleCase{{name: "least", b: buildModule(nil), want: "module m|||\n" + base}}
	add := func(name, want string, change func(m *moduleBuilder)) {
		cases = append(cases, moduleCase{name: name, b: buildModule(change), want: want})
	}
	add("open with a version", "module m|1.0|mandated,open,synthetic|\n"+base, func(m *moduleBuilder) { m.flags = 0x9020; m.version = m.text("1.0") })
	add("empty version", "module m|||\n"+base, func(m *moduleBuilder) { m.version = m.text("") })
	add("odd version", "module m|x y|||\n"+base, func(m *moduleBuilder) { m.version = m.text("x y|") })
	add("odd name", `module a:@\u005c\u005cu005c\u20ac c[;/|||`+"\n"+base, func(m *moduleBuilder) { m.name = m.module(`a\:\@\\\\u005c€ c[;/`) })
	add("requires", "module m|||\n"+base+"requires b|2|static,synthetic,transitive\n", func(m *moduleBuilder) {
		m.requires = append(m.requires, m.module("b"), 0x1060, m.text("2"))
		m.requires[0]++
	})
	add("exports and opens", "exports p.q||\nexports p|a,b|mandated,synthetic\nmodule m|||\nopens q|a|synthetic\npackage p\npackage p.q\npackage q\n"+base, func(m *moduleBuilder) {
		m.exports = []uint16{2, m.pkg("p/q"), 0, 0, m.pkg("p"), 0x9000, 2, m.module("a"), m.module("b")}
		m.opens = []uint16{1, m.pkg("q"), 0x1000, 1, m.module("a")}
	})
	add("services", "module m|||\npackage p\npackage q\nprovides s.S|p.A,q.B,p.A\n"+base+"uses s.S\n", func(m *moduleBuilder) {
		m.uses = []uint16{1, m.class("s/S")}
		a := m.class("p/A")
		m.provides = []uint16{1, m.class("s/S"), 3, a, m.class("q/B"), a}
	})
	add("other attributes", "hash SHA-256 a 0102\nhash SHA-256 b 03\nmodule m|||p.Main\npackage p\npackage q.r\n"+base+"resolution 9\ntarget linux-amd64\n", func(m *moduleBuilder) {
		m.more = func(m *moduleBuilder) []attribute {
			return []attribute{
				{"SourceFile", be(m.text("module-info.java"))}, {"Unknown", []byte("x")}, {"Unknown", nil},
				{"ModulePackages", be(2, m.pkg("q/r"), m.pkg("p"))}, {"ModuleMainClass", be(m.class("p/Main"))}, {"ModuleTarget", be(m.text("linux-amd64"))},
				{"ModuleHashes", slices.Concat(be(m.text("SHA-256"), 2, m.module("a"), 2), []byte{1, 2}, be(m.module("b"), 1), []byte{3})},
				{"ModuleResolution", be(9)},
			}
		}
	})
	add("target of none", "module m|||\n"+base, func(m *moduleBuilder) { m.more = with(attribute{"ModuleTarget", be(0)}) })
	add("bytes behind", "module m|||\n"+base, func(m *moduleBuilder) { m.behind = []byte("x") })
	add("static java.base in 9", "module m|||\nrequires java.base||static\n", func(m *moduleBuilder) { m.major = 53; m.requires[2] = 0x40 })

	cases = append(cases, moduleCase{name: "Java 8", b: plain(52, 0x8021, "module-info", object), want: "!a class module-info, not a module"},
		moduleCase{name: "a class", b: plain(61, 0x21, "module-info", object), want: "!a class module-info, not a module"})
	add("flags", "!those of a module are 0x8000", func(m *moduleBuilder) { m.access = 0x9000 })
	add("no name", "!a module without a name", func(m *moduleBuilder) { m.name = m.module("") })
	for _, name := range []string{"a:b", "a@b", `a\`, `a\b`, "a\x1fb", `\\\`} {
		add(fmt.Sprintf("name %q", name), fmt.Sprintf("!%q is no name of a module", name), func(m *moduleBuilder) { m.name = m.module(name) })
	}
	add("name of a package", "!is a CONSTANT_Package, not a CONSTANT_Module", func(m *moduleBuilder) { m.name = m.pkg("m") })
	add("name 0", "!module_name_index at offset 78 of the class file: index 0, there are constants from 1 to 7", func(m *moduleBuilder) { m.name = 0 })
	add("java.base is missing", "!java.base is missing", func(m *moduleBuilder) { m.requires = []uint16{0} })
	add("java.base with a need", "!1 modules, java.base requires none", func(m *moduleBuilder) { m.name = m.module("java.base"); m.requires[1] = m.module("b") })
	add("requires itself", `!requires[1]`, func(m *moduleBuilder) { m.requires = append(m.requires, m.name, 0, 0); m.requires[0]++ })
	add("requires twice", `!"java.base" stands there twice`, func(m *moduleBuilder) { m.requires = append(m.requires, m.module("java.base"), 0, 0); m.requires[0]++ })
	add("static java.base", `!flags 0x0040 for java.base`, func(m *moduleBuilder) { m.requires[2] = 0x40 })
	add("synthetic java.base", `!flags 0x1000 for java.base`, func(m *moduleBuilder) { m.requires[2] = 0x1000 })
	add("exports twice", `!exports[1]`, func(m *moduleBuilder) { m.exports = []uint16{2, m.pkg("p"), 0, 0, m.pkg("p"), 0, 0} })
	add("exports to twice", `!exports_to_index[1]`, func(m *moduleBuilder) { m.exports = []uint16{1, m.pkg("p"), 0, 2, m.module("a"), m.module("a")} })
	add("opens twice", `!opens[1]`, func(m *moduleBuilder) { m.opens = []uint16{2, m.pkg("p"), 0, 0, m.pkg("p"), 0, 0} })
	add("opens to twice", `!opens_to_index[1]`, func(m *moduleBuilder) { m.opens = []uint16{1, m.pkg("p"), 0, 2, m.module("a"), m.module("a")} })
	add("opens in an open module", `!1 packages opened in an open module`, func(m *moduleBuilder) { m.flags = 0x20; m.opens = []uint16{1, m.pkg("p"), 0, 0} })
	add("package with dots", `!"p.q" is no name of a class or package`, func(m *moduleBuilder) { m.exports = []uint16{1, m.pkg("p.q"), 0, 0} })
	add("empty package", `!"" is no name of a class or package`, func(m *moduleBuilder) { m.exports = []uint16{1, m.pkg(""), 0, 0} })
	add("uses twice", `!uses_index[1]`, func(m *moduleBuilder) { m.uses = []uint16{2, m.class("s/S"), m.class("s/S")} })
	add("uses without a package", `!"S" is no name of a class in a package`, func(m *moduleBuilder) { m.uses = []uint16{1, m.class("S")} })
	add("uses no identifier", `!"s.1" is no name of a class in a package`, func(m *moduleBuilder) { m.uses = []uint16{1, m.class("s/1")} })
	add("provides twice", `!provides[1]`, func(m *moduleBuilder) {
		m.provides = []uint16{2, m.class("s/S"), 1, m.class("p/A"), m.class("s/S"), 1, m.class("p/A")}
	})
	add("provides by none", `!"s.S" is provided by no class`, func(m *moduleBuilder) { m.provides = []uint16{1, m.class("s/S"), 0} })
	add("provides without a package", `!"S" is in no package`, func(m *moduleBuilder) { m.provides = []uint16{1, m.class("S"), 1, m.class("p/A")} })
	add("provider without a package", `!"A" is in no package`, func(m *moduleBuilder) { m.provides = []uint16{1, m.class("s/S"), 1, m.class("A")} })
	add("main class without a package", `!"A" is in no package`, func(m *moduleBuilder) {
		m.more = func(m *moduleBuilder) []attribute { return []attribute{{"ModuleMainClass", be(m.class("A"))}} }
	})
	add("packages twice", `!package_index[1]`, func(m *moduleBuilder) {
		m.more = func(m *moduleBuilder) []attribute {
			return []attribute{{"ModulePackages", be(2, m.pkg("p"), m.pkg("p"))}}
		}
	})
	for what, change := range map[string]func(m *moduleBuilder){
		"exports":  func(m *moduleBuilder) { m.exports = []uint16{1, m.pkg("p"), 0, 0} },
		"opens":    func(m *moduleBuilder) { m.opens = []uint16{1, m.pkg("p"), 0, 0} },
		"provides": func(m *moduleBuilder) { m.provides = []uint16{1, m.class("s/S"), 1, m.class("p/A")} },
	} {
		add(what+" not in the packages", `!package p of the module is not in the attribute ModulePackages`, func(m *moduleBuilder) {
			change(m)
			m.more = with(attribute{"ModulePackages", be(0)})
		})
	}
	add("a second Module", "!a second Module", func(m *moduleBuilder) { m.twice = true })
	for _, name := range []string{"SourceFile", "SourceDebugExtension", "ModuleResolution", "ModuleTarget", "ModulePackages"} {
		add("a second "+name, "!a second "+name, func(m *moduleBuilder) { m.more = with(attribute{name, be(0)}, attribute{name, be(0)}) })
	}
	for _, name := range []string{"Code", "BootstrapMethods", "Synthetic", "Signature"} {
		add(name, "!"+name+", which a module cannot have", func(m *moduleBuilder) { m.more = with(attribute{name, nil}) })
	}
	add("attribute too long", "!are left", func(m *moduleBuilder) { m.lengthen = 1 })
	add("attribute too long, bytes behind", "!1 bytes of the attribute are left", func(m *moduleBuilder) { m.lengthen = 1; m.behind = []byte{0} })
	add("attribute too short", "!bytes are left, not the", func(m *moduleBuilder) { m.lengthen = -1 })
	add("several warnings", "!0x0006 warns of more than one thing", func(m *moduleBuilder) { m.more = with(attribute{"ModuleResolution", be(6)}) })
	add("empty hash", "!empty hash of module", func(m *moduleBuilder) {
		m.more = func(m *moduleBuilder) []attribute {
			return []attribute{{"ModuleHashes", be(m.text("SHA"), 1, m.module("a"), 0)}}
		}
	})
	add("hash over the end", "!0 bytes are left, not the 65535 that follow", func(m *moduleBuilder) {
		m.more = func(m *moduleBuilder) []attribute {
			return []attribute{{"ModuleHashes", be(m.text("SHA"), 1, m.module("a"), 65535)}}
		}
	})
	add("a text that is none", "!no modified UTF-8 at byte 0", func(m *moduleBuilder) { m.text("\xff") })
	add("CONSTANT_Dynamic", "!CONSTANT_Dynamic in a module", func(m *moduleBuilder) { m.add(17, 0, 0, 0, 0) })
	noModule := buildModule(nil)
	cases = append(cases, moduleCase{name: "no Module", b: bytes.Replace(noModule, []byte("\x00\x06Module"), []byte("\x00\x06Modula"), 1), want: "!none of them is named Module"})
	for i, part := range []string{"interfaces_count", "fields_count", "methods_count"} {
		b := buildModule(nil)
		body := 2 * 11
		b[len(b)-body-6-2-5+2*i]++
		cases = append(cases, moduleCase{name: part, b: b, want: "!" + part})
	}
	return cases
}

func TestParseModule(t *testing.T) {
	t.Parallel()
	for _, c := range moduleCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, err := jar.ParseModule(c.b)
			if text, bad := strings.CutPrefix(c.want, "!"); bad {
				require.ErrorContains(t, err, text)
				require.ErrorIs(t, err, zipfile.ErrFormat)
				require.Nil(t, m)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, sortedLines(c.want), moduleWords(m))
			if c.name != "bytes behind" {
				noPrefix(t, c.b, func(b []byte) error { _, err := jar.ParseModule(b); return err })
			}
		})
	}
}

func sortedLines(s string) string {
	return strings.Join(slices.Sorted(strings.Lines(s)), "")
}

const modularModule = `exports com.example.spi||
exports com.example|java.logging,java.sql|
module com.example.app|1.2-beta||com.example.Main
opens com.example.impl||
opens com.example|java.sql|
package com.example
package com.example.impl
package com.example.spi
provides com.example.spi.Codec|com.example.impl.Plain,com.example.impl.Fast
requires java.base|17.0.15|mandated
requires java.logging|17.0.15|transitive
requires java.sql|17.0.15|static
uses com.example.spi.Codec
`

func TestReadModule(t *testing.T) {
	t.Parallel()
	z := testJar(t)
	for release, want := range map[int]string{8: modularModule, 16: modularModule, 17: modularModule + "uses java.sql.Driver\n", 25: modularModule + "uses java.sql.Driver\n"} {
		v, err := jar.NewView(z, release)
		require.NoError(t, err)
		m, err := jar.ReadModule(v, "x.war")
		require.NoError(t, err)
		assert.Equal(t, want, moduleWords(m))
		assert.Equal(t, release >= 17, m.Entry == "META-INF/versions/17/module-info.class")
		assert.Equal(t, 17, m.Class.Release())
		require.Equal(t, []jar.Service{{Name: "com.example.spi.Codec", Providers: []jar.Provider{{Class: "com.example.impl.Plain", Entry: m.Entry}, {Class: "com.example.impl.Fast", Entry: m.Entry}}}}, m.Services())
	}
	for _, name := range []string{"module-info.class", "META-INF/versions/17/module-info.class"} {
		noPrefix(t, contentsIn(t, z, name), func(b []byte) error { _, err := jar.ParseModule(b); return err })
	}
}

// archiveModule is an archive and the module that it is.
type archiveModule struct {
	name, file string
	archive    ziptest.Archive
	want       string // as in moduleCase
}

func archiveModules() []archiveModule {
	class := func(names ...string) []ziptest.Entry {
		var list []ziptest.Entry
		for _, name := range names {
			list = append(list, entry(name, name))
		}
		return list
	}
	main := func(attributes string) ziptest.Entry {
		return entry(manifestName, "Manifest-Version: 1.0\n"+attributes)
	}
	return []archiveModule{
		{"by file name", "my-lib_b-1.5-rc1.jar", jarOf(class("a/b/C.class", "a/D.class", "a/b/", "x/y.txt")...), "module my.lib.b|1.5-rc1|automatic|\npackage a\npackage a.b\n" + base},
		{"by attribute", "my-lib-1.jar", jarOf(main("Automatic-Module-Name: org.x\nMain-Class: a.B\n"), entry("a/B.class", "")), "module org.x|1|automatic|a.B\npackage a\n" + base},
		{"main class with slashes", "x.jar", jarOf(main("Main-Class: a/B\n"), entry("a/B.class", "")), "module x||automatic|a.B\npackage a\n" + base},
		{"main class elsewhere", "x.jar", jarOf(main("Main-Class: b.B\n"), entry("a/B.class", "")), "module x||automatic|\npackage a\n" + base},
		{"no classes", "x.jar", jarOf(main("Main-Class: B\n")), "module x||automatic|\n" + base},
		{"packages that are none", "x.jar", jarOf(class("a-b/C.class", "int/C.class", "1/C.class", "a//C.class", "META-INF/x/C.class", "größe/C.class")...), "module x||automatic|\npackage gr\\u00f6\\u00dfe\n" + base},
		{"services", "x.jar", jarOf(append(class("a/B.class", "META-INF/services/", "META-INF/services/x.class", "META-INF/services/d/s.S", "META-INF/services/no-class"),
			entry("META-INF/services/s.S", "a.B # x\n\n a.C\na.B\n"), entry("META-INF/services/s.T", "#\n"))...), "module x||automatic|\npackage a\nprovides s.S|a.B,a.C,a.B\n" + base},
		{"versions", "x.jar", jarOf(append([]ziptest.Entry{main("Multi-Release: true\n")}, class("a/B.class", "META-INF/versions/9/c/D.class", "META-INF/versions/99/e/F.class")...)...), "module x||automatic|\npackage a\npackage c\n" + base},
		{"descriptor in versions", "x.jar", jarOf(main("Multi-Release: true\n"), ziptest.Entry{Name: "META-INF/versions/9/module-info.class", Data: buildModule(nil)}, entry("a/B.class", ""), entry("c/d.txt", "")), "module m|||\npackage a\npackage c\n" + base},
		{"descriptor", "2.jar", jarOf(main("Main-Class: a.B\n"), ziptest.Entry{Name: "module-info.class", Data: buildModule(nil)}, entry("a/B.class", ""), entry("root.txt", "")), "module m|||\npackage a\n" + base},

		{"no name", "2go.jar", jarOf(), `!2go.jar gives no name of a module: 2go`},
		{"unnamed package", "x.jar", jarOf(class("A.class")...), "!A.class is in the unnamed package"},
		{"unnamed package beside a descriptor", "x.jar", jarOf(ziptest.Entry{Name: "module-info.class", Data: buildModule(nil)}, entry("A.class", "")), "!A.class is in the unnamed package"},
		{"bad attribute", "x.jar", jarOf(main("Automatic-Module-Name: a-b\n")), "!Automatic-Module-Name a-b is no name of a module"},
		{"empty attribute", "x.jar", jarOf(main("Automatic-Module-Name: \n")), "!Automatic-Module-Name  is no name of a module"},
		{"bad manifest", "x.jar", jarOf(main("x\n")), "!META-INF/MANIFEST.MF: invalid header field (line 2)"},
		{"provider elsewhere", "x.jar", jarOf(entry("a/B.class", ""), entry("META-INF/services/s.S", "\nb.C\n")), "!META-INF/services/s.S: provider class b.C is in no package of the archive (line 2)"},
		{"provider with blanks", "x.jar", jarOf(entry("a/B.class", ""), entry("META-INF/services/s.S", "a.B C\n")), "!META-INF/services/s.S: a.B C is no name of a class (line 1)"},
		{"service without a package", "x.jar", jarOf(entry("a/B.class", ""), entry("META-INF/services/S", "a.B\n")), "!META-INF/services/S: service S is in no package (line 1)"},
		{"damaged descriptor", "x.jar", jarOf(entry("module-info.class", "x")), "!module-info.class: magic at offset 0 of the class file: 1 bytes are left, not the 4 that follow"},
		{"package of a descriptor that is not there", "x.jar", jarOf(ziptest.Entry{Name: "module-info.class", Data: buildModule(func(m *moduleBuilder) { m.exports = []uint16{1, m.pkg("p"), 0, 0} })}, entry("q/x", "")),
			"!module-info.class: package p of the module is not among the packages of the archive"},
	}
}

func readModule(t *testing.T, b []byte, file string, release int) (*jar.Module, error) {
	t.Helper()
	z, err := zipfile.New(backend.Bytes(b), nil)
	require.NoError(t, err)
	defer z.Close()
	v, err := jar.NewView(z, release)
	require.NoError(t, err)
	return jar.ReadModule(v, file)
}

func TestReadModuleOfArchives(t *testing.T) {
	t.Parallel()
	for _, c := range archiveModules() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, err := readModule(t, c.archive.Bytes(), c.file, 17)
			if text, bad := strings.CutPrefix(c.want, "!"); bad {
				require.ErrorContains(t, err, text)
				require.ErrorIs(t, err, zipfile.ErrFormat)
				require.Equal(t, "format", zipfile.ErrorKind(err))
				require.Nil(t, m)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, sortedLines(c.want), moduleWords(m))
		})
	}
	m, err := readModule(t, jarOf(entry(manifestName, "Automatic-Module-Name: x\n")).Bytes(), "app.war", 17)
	require.NoError(t, err)
	assert.Equal(t, "x", m.Name)
	assert.Empty(t, m.Version)
	_, err = readModule(t, jarOf(ziptest.Entry{Name: "module-info.class", Zeros: 16_000_001, Method: ziptest.Deflate}).Bytes(), "x.jar", 17)
	require.ErrorIs(t, err, zipfile.ErrLimit)
}

// TestModuleNamesAreDecodedOnce: tables of two bytes an element that name long texts over and over take no
// more than the file is large.
func TestModuleNamesAreDecodedOnce(t *testing.T) {
	b := buildModule(func(m *moduleBuilder) {
		long := m.module(strings.Repeat("x", 65000))
		m.exports = []uint16{5000}
		for i := range 5000 {
			m.exports = append(m.exports, m.pkg(strconv.Itoa(i)), 0, 1, long)
		}
		class := m.class(strings.Repeat("x", 32000) + "/" + strings.Repeat("y", 32000))
		m.provides = []uint16{1, m.class("s/S"), 20000}
		for range 20000 {
			m.provides = append(m.provides, class)
		}
	})
	m, err := jar.ParseModule(b)
	require.NoError(t, err)
	assert.Len(t, m.Exports, 5000)
	assert.Len(t, m.Provides[0].With, 20000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = jar.ParseModule(b)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20), "not 1.6 GB") // other tests do not run
}

// nameCase is a file and the name and version of its automatic module; name "": none.
type nameCase struct{ file, name, version string }

func nameCases() []nameCase {
	return []nameCase{
		{"foo.jar", "foo", ""}, {"foo-1.jar", "foo", "1"}, {"foo-1.2.3.jar", "foo", "1.2.3"}, {"foo-bar.jar", "foo.bar", ""}, {"foo-1.2.3-SNAPSHOT.jar", "foo", "1.2.3-SNAPSHOT"},
		{"foo-1a.jar", "", ""}, {"foo-1-2.jar", "", "2"}, {"foo-1.-2.jar", "foo", "1.-2"}, {"foo-1.a.jar", "foo", "1.a"}, {"foo-bar-1.jar", "foo.bar", "1"},
		{"foo_bar$baz@x.jar", "foo.bar.baz.x", ""}, {"-foo-.jar", "foo", ""}, {"..foo...bar..jar", "foo.bar", ""}, {"größe.jar", "gr.e", ""}, {"foo-1.0-.jar", "foo", ""}, {"foo-1.0+.jar", "foo", ""},
		{"foo-1.0+b.jar", "foo", "1.0+b"}, {"foo-1.0-+.jar", "foo", ""}, {"foo-1.0+-.jar", "foo", "1.0+-"}, {"foo-1.0--.jar", "foo", "1.0--"}, {"foo-1.0+a+.jar", "foo", ""}, {"foo-1.0+a+b.jar", "foo", "1.0+a+b"},
		{"foo-1.0-a+.jar", "foo", ""}, {"foo-1.0-a.+-.jar", "foo", "1.0-a.+-"}, {"foo-1..jar", "foo", "1."}, {"foo-٣.jar", "foo", ""}, {"foo-1 .jar", "", ""}, {"a.jar.jar", "a.jar", ""},
		{"foo-1\n.jar", "foo", "1\n"}, {"foo-1\r\n.jar", "foo", "1\r\n"}, {"foo-1\n\n.jar", "", ""}, {"foo-1\u2028.jar", "foo", "1\u2028"},
		{"foo.1x.jar", "", ""}, {"2go.jar", "", ""}, {".jar", "", ""}, {"-1.jar", "", "1"}, {"1.jar", "", ""}, {"int.jar", "", ""}, {"a-int.jar", "", ""}, {"a-INT.jar", "a.INT", ""}, {"_.jar", "", ""}, {"foo-1a.2.jar", "", ""},
	}
}

func TestAutomaticModuleName(t *testing.T) {
	t.Parallel()
	for _, c := range nameCases() {
		for _, file := range []string{c.file, "/lib/x-1.0.jar/" + c.file, "app.jar!/BOOT-INF/lib/" + c.file, filepath.Join("a", c.file)} {
			name, version, err := jar.AutomaticModuleName(file)
			assert.Equal(t, c.name == "", err != nil, "%q %v", file, err)
			assert.Equal(t, c.name, name, "%q", file)
			assert.Equal(t, c.version, version, "%q", file)
			if err != nil {
				require.ErrorIs(t, err, zipfile.ErrFormat)
			}
		}
	}
	for _, file := range []string{"", "foo.war", "foo.JAR", "foo.jar/", "foo"} {
		_, _, err := jar.AutomaticModuleName(file)
		me, ok := errors.AsType[*jar.ModuleError](err)
		require.True(t, ok, file)
		assert.Contains(t, me.Text, "the name of an automatic module comes from that of a .jar file")
	}
}

// FuzzParseModule parses arbitrary bytes: no panic, and modules that keep the rules.
func FuzzParseModule(f *testing.F) {
	for _, c := range moduleCases() {
		f.Add(c.b)
	}
	z := testJar(f)
	for _, name := range []string{"module-info.class", "META-INF/versions/17/module-info.class"} {
		f.Add(contentsIn(f, z, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := jar.ParseModule(b)
		c, cerr := jar.ParseClass(b)
		if cerr != nil {
			require.EqualError(t, err, cerr.Error())
		}
		if err != nil {
			require.Nil(t, m)
			require.ErrorIs(t, err, zipfile.ErrFormat)
			return
		}
		require.Equal(t, c, m.Class)
		require.Equal(t, jar.KindModule, c.Kind)
		require.NotEmpty(t, m.Name)
		require.True(t, slices.IsSorted(m.Packages))
		for _, e := range slices.Concat(m.Exports, m.Opens) {
			require.Contains(t, m.Packages, e.Package)
		}
		require.Equal(t, m.Name != "java.base", len(m.Requires) > 0)
		for _, s := range m.Services() {
			require.NotEmpty(t, s.Providers)
		}
		again, err := jar.ParseModule(append(bytes.Clone(b), 0))
		require.NoError(t, err)
		require.Equal(t, m, again)
		for _, n := range []int{len(b) / 2, len(b) / 3} {
			if _, err := jar.ParseModule(b[:n]); err != nil {
				continue
			}
			_, err := jar.ParseModule(b[:n-1])
			require.True(t, err == nil || errors.Is(err, io.ErrUnexpectedEOF))
		}
	})
}

func ExampleReadModule() {
	z, err := zipfile.Open("testdata/modular.jar", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer z.Close()
	v, err := jar.NewView(z, 21)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := jar.ReadModule(v, "testdata/modular.jar")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Name, m.Version, m.MainClass, m.Packages)
	for _, r := range m.Requires {
		fmt.Println("requires", r.Name, r.Transitive, r.Static, r.Mandated)
	}
	// Output:
	// com.example.app 1.2-beta com.example.Main [com.example com.example.impl com.example.spi]
	// requires java.base false false true
	// requires java.logging true false false
	// requires java.sql false true false
}

func ExampleAutomaticModuleName() {
	fmt.Println(jar.AutomaticModuleName("lib/commons-lang3-3.12.0.jar"))
	// Output:
	// commons.lang3 3.12.0 <nil>
}

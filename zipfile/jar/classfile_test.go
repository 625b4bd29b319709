package jar_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
)

// pool builds the constants of a class file.
type pool struct {
	b []byte
	n int // places taken
}

func (p *pool) add(tag byte, data ...byte) uint16 {
	p.b = append(append(p.b, tag), data...)
	p.n++
	at := p.n
	if tag == 5 || tag == 6 {
		p.n++
	}
	return uint16(at)
}

func be(list ...uint16) []byte {
	var b []byte
	for _, n := range list {
		b = binary.BigEndian.AppendUint16(b, n)
	}
	return b
}

func (p *pool) text(s string) uint16 { return p.add(1, append(be(uint16(len(s))), s...)...) }

// named adds a CONSTANT_Class (7), _Module (19) or _Package (20).
func (p *pool) named(tag byte, s string) uint16 { return p.add(tag, be(p.text(s))...) }
func (p *pool) class(s string) uint16           { return p.named(7, s) }

// file makes a class file of what follows the constants.
func (p *pool) file(major, minor uint16, rest ...uint16) []byte {
	b := append([]byte{0xca, 0xfe, 0xba, 0xbe}, be(minor, major, uint16(p.n+1))...)
	return append(append(b, p.b...), be(rest...)...)
}

// plain is a class file with a super class and interfaces.
func plain(major, access uint16, this, super string, interfaces ...string) []byte {
	var p pool
	p.add(5, make([]byte, 8)...)
	rest := []uint16{access, p.class(this), 0, uint16(len(interfaces))}
	if super != "" {
		rest[2] = p.class(super)
	}
	for _, name := range interfaces {
		rest = append(rest, p.class(name))
	}
	return p.file(major, 0, rest...)
}

// classCase is a class file and what it says: "MAJOR.MINOR KIND NAME < SUPER : INTERFACES", or an error.
type classCase struct {
	name string
	b    []byte
	want string
}

const object = "java/lang/Object"

func classCases() []classCase {
	build := func(major, minor uint16, f func(p *pool) []uint16) []byte {
		var p pool
		rest := f(&p)
		return p.file(major, minor, rest...)
	}
	tagged := func(major uint16, tag byte, size int) []byte {
		return build(major, 0, func(p *pool) []uint16 {
			p.add(tag, make([]byte, size)...)
			return []uint16{0x21, p.class("A"), p.class(object), 0}
		})
	}
	named := func(major uint16, name string) []byte { return plain(major, 0x21, name, object) }
	return []classCase{
		{"class", plain(61, 0x21, "com/example/A$B", object), "61.0 class com.example.A$B < java.lang.Object"},
		{"interfaces", plain(52, 0x21, "A", "p/B", "p/C", "D"), "52.0 class A < p.B : p.C D"},
		{"interface", plain(52, 0x601, "A", object), "52.0 interface A < java.lang.Object"},
		{"old interface", plain(45, 0x201, "A", object), "45.0 interface A < java.lang.Object"},
		{"annotation", plain(52, 0x2601, "A", object, "java/lang/annotation/Annotation"), "52.0 annotation A < java.lang.Object : java.lang.annotation.Annotation"},
		{"enum", plain(52, 0x4031, "A", "java/lang/Enum"), "52.0 enum A < java.lang.Enum"},
		{"constant of an enum", plain(52, 0x4030, "A$1", "A"), "52.0 class A$1 < A"},
		{"record", plain(60, 0x31, "A", "java/lang/Record"), "60.0 record A < java.lang.Record"},
		{"module", plain(53, 0x8000, "module-info", ""), "53.0 module module-info < "},
		{"flag without a meaning", plain(52, 0x8021, "A", object), "52.0 class A < java.lang.Object"},
		{"Object", plain(61, 0x21, object, ""), "61.0 class java.lang.Object < "},
		{"preview", build(69, 65535, func(p *pool) []uint16 { return []uint16{0x21, p.class("A"), p.class(object), 0} }), "69.65535 class A < java.lang.Object"},
		{"old minor", build(45, 3, func(p *pool) []uint16 { return []uint16{0x21, p.class("A"), p.class(object), 0} }), "45.3 class A < java.lang.Object"},
		{"a version to come", named(200, "A"), "200.0 class A < java.lang.Object"},
		{"constants behind their use", build(61, 0, func(p *pool) []uint16 {
			this, super := p.add(7, be(3)...), p.add(7, be(4)...)
			p.text("A")
			p.text(object)
			return []uint16{0x21, this, super, 0}
		}), "61.0 class A < java.lang.Object"},
		{"all constants", build(61, 0, func(p *pool) []uint16 {
			for tag, size := range map[byte]int{1: 2, 3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4} {
				p.add(tag, make([]byte, size)...)
			}
			return []uint16{0x21, p.class("A"), p.class(object), 0}
		}), "61.0 class A < java.lang.Object"},

		{"two bytes", named(61, "Gr\u00f6\u00dfe"), "61.0 class Größe < java.lang.Object"},
		{"three bytes", named(61, "\u20ac"), "61.0 class € < java.lang.Object"},
		{"surrogates", named(61, "x\xed\xa0\x81\xed\xb0\x80y"), "61.0 class x𐐀y < java.lang.Object"},
		{"half a surrogate", named(61, "x\xed\xa0\x81"), "61.0 class x\xed\xa0\x81 < java.lang.Object"},
		{"the other half", named(61, "\xed\xb0\x80\xed\xa0\x81"), "61.0 class \xed\xb0\x80\xed\xa0\x81 < java.lang.Object"},
		{"NUL in two bytes", named(61, "x\xc0\x80"), "61.0 class x\x00 < java.lang.Object"},
		{"NUL", named(61, "x\x00"), "this_class at offset 51 of the class file: constant_pool[3] is no modified UTF-8 at byte 1"},
		{"four bytes", named(61, "x𐐀"), "no modified UTF-8 at byte 1"},
		{"too long a form", named(61, "\xc1\x81"), "no modified UTF-8 at byte 0"},
		{"too long a form, three bytes", named(61, "\xe0\x81\x81"), "no modified UTF-8 at byte 0"},
		{"too long a form in an old class", named(47, "\xc1\x81"), "47.0 class A < java.lang.Object"},
		{"cut in two", named(61, "x\xc3"), "no modified UTF-8 at byte 1"},
		{"continuation first", named(61, "\x80"), "no modified UTF-8 at byte 0"},

		{"empty", nil, "magic at offset 0 of the class file: 0 bytes are left, not the 4 that follow"},
		{"magic", []byte{0xca, 0xfe, 0xd0, 0x0d}, "magic at offset 0 of the class file: 0xcafed00d, not 0xcafebabe"},
		{"version 44", named(44, "A"), "major_version at offset 6 of the class file: 44, the first that there is is 45"},
		{"minor 1", build(56, 1, func(p *pool) []uint16 { return []uint16{0x21, p.class("A"), p.class(object), 0} }), "major_version at offset 6 of the class file: 56.1: from 56 on the minor version is 0 or 65535"},
		{"no constants", append([]byte{0xca, 0xfe, 0xba, 0xbe}, be(0, 61, 0, 0x21, 1, 2, 0)...), "constant_pool_count at offset 8 of the class file: 0, it is at least 1"},
		{"too many constants", append([]byte{0xca, 0xfe, 0xba, 0xbe}, be(0, 61, 65535, 0x0100)...), "constant_pool[1] at offset 10 of the class file: 1 bytes are left, not the 2 that follow"},
		{"too few constants", func() []byte { b := named(61, "A"); b[9]--; return b }(), "this_class at offset 47 of the class file: index 1280, there are constants from 1 to 5"},
		{"text over the end", append([]byte{0xca, 0xfe, 0xba, 0xbe}, be(0, 61, 2, 0x01ff, 0xff00)...), "constant_pool[1] at offset 10 of the class file: 1 bytes are left, not the 65535 that follow"},
		{"tag 0", tagged(61, 0, 2), "constant_pool[1] at offset 10 of the class file: no constant has the tag 0"},
		{"tag 2", tagged(61, 2, 2), "no constant has the tag 2"},
		{"tag 13", tagged(61, 13, 2), "no constant has the tag 13"},
		{"tag 21", tagged(61, 21, 2), "no constant has the tag 21"},
		{"tag 255", tagged(61, 255, 2), "no constant has the tag 255"},
		{"MethodHandle in Java 6", tagged(50, 15, 3), "CONSTANT_MethodHandle in a class file of version 50, the first that has it is 51"},
		{"Dynamic in Java 10", tagged(54, 17, 4), "CONSTANT_Dynamic in a class file of version 54, the first that has it is 55"},
		{"Module in Java 8", tagged(52, 19, 2), "CONSTANT_Module in a class file of version 52, the first that has it is 53"},
		{"Module in a class", tagged(61, 19, 2), "constant_pool[1] at offset 10 of the class file: CONSTANT_Module, which modules only have"},
		{"Package in a class", tagged(61, 20, 2), "constant_pool[1] at offset 10 of the class file: CONSTANT_Package, which modules only have"},
		{"long at the end", build(61, 0, func(p *pool) []uint16 {
			rest := []uint16{0x21, p.class("A"), p.class(object), 0}
			p.add(5, make([]byte, 8)...)
			p.n--
			return rest
		}), "constant_pool[5] at offset 39 of the class file: CONSTANT_Long, which takes two places, is the last of 6"},

		{"this_class 0", build(61, 0, func(p *pool) []uint16 { return []uint16{0x21, 0, p.class(object), 0} }), "index 0, there are constants from 1 to 2"},
		{"this_class behind the constants", build(61, 0, func(p *pool) []uint16 { p.class(object); return []uint16{0x21, 3, 2, 0} }), "index 3, there are constants from 1 to 2"},
		{"this_class a text", build(61, 0, func(p *pool) []uint16 { p.class(object); return []uint16{0x21, 1, 2, 0} }), "constant_pool[1] is a CONSTANT_Utf8, not a CONSTANT_Class"},
		{"this_class a second place", build(61, 0, func(p *pool) []uint16 { p.add(6, make([]byte, 8)...); return []uint16{0x21, 2, 2, 0} }), "index 2 is the second place of a constant that takes two, not a CONSTANT_Class"},
		{"a class that names itself", build(61, 0, func(p *pool) []uint16 { return []uint16{0x21, p.add(7, be(1)...), 1, 0} }), "constant_pool[1] is a CONSTANT_Class, not a CONSTANT_Utf8"},
		{"a class that names none", build(61, 0, func(p *pool) []uint16 { return []uint16{0x21, p.add(7, be(99)...), 1, 0} }), "index 99, there are constants from 1 to 1"},
		{"empty name", named(61, ""), `"" is no name of a class or package in internal form`},
		{"array", named(61, "[LA;"), `"[LA;" is no name`},
		{"dots", named(61, "a.B"), `"a.B" is no name`},
		{"slash first", named(61, "/B"), `"/B" is no name`},
		{"slash last", named(61, "a/"), `"a/" is no name`},
		{"two slashes", named(61, "a//B"), `"a//B" is no name`},
		{"no super class", plain(61, 0x21, "A", ""), "super_class at offset 30 of the class file: none, which only java.lang.Object and modules have"},
		{"interface with a super class", plain(61, 0x601, "A", "B"), `"B", that of an interface is java.lang.Object`},
		{"interface twice", plain(61, 0x21, "A", object, "I", "J", "I"), "interfaces[2] at offset 81 of the class file: \"I\" stands there twice"},
		{"interface not abstract", plain(61, 0x201, "A", object), "access_flags at offset 48 of the class file: 0x0201 (public interface), which no class has together"},
		{"abstract and final", plain(61, 0x431, "A", object), "0x0431 (public final super abstract)"},
		{"annotation that is no interface", plain(61, 0x2021, "A", object), "0x2021 (public super annotation)"},
		{"module with another flag", plain(61, 0x8001, "module-info", ""), "0x8001 (public module), those of a module are 0x8000"},
		{"module of another name", plain(61, 0x8000, "A", ""), `"A", that of a module is module-info`},
		{"module with a super class", plain(61, 0x8000, "module-info", object), "a module has none"},
	}
}

func described(c jar.ClassInfo) string {
	s := fmt.Sprintf("%d.%d %v %s < %s", c.Major, c.Minor, c.Kind, c.Name, c.Super)
	if len(c.Interfaces) > 0 {
		s += " : " + strings.Join(c.Interfaces, " ")
	}
	return s
}

func TestParseClass(t *testing.T) {
	t.Parallel()
	for _, c := range classCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			info, err := jar.ParseClass(c.b)
			again, rerr := jar.ReadClass(iotest.OneByteReader(bytes.NewReader(c.b)))
			require.Equal(t, info, again)
			if c.want != "" && c.want[0] >= '0' && c.want[0] <= '9' && !strings.Contains(c.want, "0x") {
				require.NoError(t, err)
				require.NoError(t, rerr)
				assert.Equal(t, c.want, described(info))
				noPrefix(t, c.b, func(b []byte) error { _, err := jar.ParseClass(b); return err })
				return
			}
			require.ErrorContains(t, err, c.want)
			require.EqualError(t, rerr, err.Error())
			require.ErrorIs(t, err, zipfile.ErrFormat)
			require.Equal(t, "format", zipfile.ErrorKind(err))
			assert.Zero(t, info)
		})
	}
}

// noPrefix checks that each part of a file that is cut off gives an error that says so.
func noPrefix(t *testing.T, b []byte, parse func([]byte) error) {
	t.Helper()
	for n := range b {
		err := parse(b[:n:n])
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d of %d bytes", n, len(b))
		require.ErrorIs(t, err, zipfile.ErrFormat)
	}
}

// testJar is what javac of JDK 17 and jar of JDK 25 made, and the index of jar -i of JDK 17: a record, an enum with a constant that has a body, an annotation, an interface, a class
// whose name is not ASCII, and a module with another descriptor for release 17.
func testJar(t testing.TB) *zipfile.ZipFile {
	z, err := zipfile.Open("testdata/modular.jar", nil)
	require.NoError(t, err)
	t.Cleanup(func() { z.Close() })
	return z
}

func contentsIn(t testing.TB, z *zipfile.ZipFile, name string) []byte {
	e, ok := z.Lookup(name)
	require.True(t, ok, name)
	b, err := e.ReadAll()
	require.NoError(t, err)
	return b
}

func TestReadClassEntry(t *testing.T) {
	t.Parallel()
	z := testJar(t)
	got := make(map[string]string)
	for e := range z.Entries() {
		if !strings.HasSuffix(e.Name(), ".class") {
			continue
		}
		c, err := jar.ReadClassEntry(e)
		require.NoError(t, err)
		assert.Equal(t, 17, c.Release())
		assert.False(t, c.Preview())
		assert.False(t, c.WrongName(e.Name()), e.Name())
		got[e.Name()] = described(c)
		b := contentsIn(t, z, e.Name())
		whole, err := jar.ParseClass(b)
		require.NoError(t, err)
		assert.Equal(t, whole, c)
		end := headerEnd(t, b)
		prefix, err := jar.ParseClass(b[:end])
		require.NoError(t, err)
		assert.Equal(t, whole, prefix)
		noPrefix(t, b[:end], func(b []byte) error { _, err := jar.ParseClass(b); return err })
		noPrefix(t, b[:end], func(b []byte) error { _, err := jar.ReadClass(bytes.NewReader(b)); return err })
	}
	assert.Equal(t, map[string]string{
		"module-info.class":                      "61.0 module module-info < ",
		"META-INF/versions/17/module-info.class": "61.0 module module-info < ",
		"com/example/Main$Color$1.class":         "61.0 class com.example.Main$Color$1 < com.example.Main$Color",
		"com/example/Main$Color.class":           "61.0 enum com.example.Main$Color < java.lang.Enum",
		"com/example/Main$Point.class":           "61.0 record com.example.Main$Point < java.lang.Record",
		"com/example/Main.class":                 "61.0 class com.example.Main < java.lang.Object",
		"com/example/impl/Fast$Größe𐐀.class":     "61.0 class com.example.impl.Fast$Größe𐐀 < java.lang.Object",
		"com/example/impl/Fast.class":            "61.0 class com.example.impl.Fast < java.lang.Object : com.example.spi.Codec",
		"com/example/impl/Plain.class":           "61.0 class com.example.impl.Plain < java.lang.Object : com.example.spi.Codec java.lang.Comparable java.io.Serializable",
		"com/example/spi/Codec.class":            "61.0 interface com.example.spi.Codec < java.lang.Object",
		"com/example/spi/Fancy.class":            "61.0 annotation com.example.spi.Fancy < java.lang.Object : java.lang.annotation.Annotation",
	}, got)

	e, _ := z.Lookup("META-INF/MANIFEST.MF")
	_, err := jar.ReadClassEntry(e)
	require.EqualError(t, err, "META-INF/MANIFEST.MF: magic at offset 0 of the class file: 0x4d616e69, not 0xcafebabe")
	ce, ok := errors.AsType[*jar.ClassError](err)
	require.True(t, ok)
	assert.Equal(t, jar.ClassError{Part: "magic", Text: "0x4d616e69, not 0xcafebabe"}, *ce)
	assert.Equal(t, "format", zipfile.ErrorKind(err))
}

// headerEnd finds the end of the header: the first length with which it parses.
func headerEnd(t *testing.T, b []byte) int {
	for n := range len(b) + 1 {
		if _, err := jar.ParseClass(b[:n]); err == nil {
			return n
		}
	}
	t.Fatal("no header")
	return 0
}

// TestReadClassReadsLittle: of a large class not much more than its header is read.
func TestReadClassReadsLittle(t *testing.T) {
	t.Parallel()
	head := plain(61, 0x21, "A", object)
	r := bytes.NewReader(append(head, make([]byte, 1<<20)...))
	_, err := jar.ReadClass(r)
	require.NoError(t, err)
	assert.LessOrEqual(t, 1<<20-r.Len(), 4096)
	failed := errors.New("disk")
	_, err = jar.ReadClass(io.MultiReader(bytes.NewReader(head[:20]), iotest.ErrReader(failed)))
	require.ErrorIs(t, err, failed)
}

// TestClassAllocates: what is allocated follows what is there, not what counts and lengths say.
func TestClassAllocates(t *testing.T) {
	const limit = 64 << 10
	for name, b := range map[string][]byte{
		"constants":  append([]byte{0xca, 0xfe, 0xba, 0xbe}, be(0, 61, 65535)...),
		"text":       append([]byte{0xca, 0xfe, 0xba, 0xbe}, be(0, 61, 65535, 0x01ff, 0xff00)...),
		"interfaces": func() []byte { b := plain(61, 0x21, "A", object); b[len(b)-1], b[len(b)-2] = 255, 255; return b }(),
	} {
		for _, parse := range []func(){
			func() { _, err := jar.ParseClass(b); require.Error(t, err) },
			func() { _, err := jar.ReadClass(bytes.NewReader(b)); require.Error(t, err) },
			func() { _, err := jar.ParseModule(b); require.Error(t, err) },
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			parse()
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(limit), name)
		}
	}
}

// TestClassLimit: constants can take 4 GiB, of which 16 MiB are read.
func TestClassLimit(t *testing.T) {
	t.Parallel()
	text := append([]byte{1, 0xff, 0xff}, make([]byte, 65535)...)
	r := io.MultiReader(bytes.NewReader(append([]byte{0xca, 0xfe, 0xba, 0xbe}, be(0, 61, 65535)...)), &endless{text: text})
	_, err := jar.ReadClass(r)
	require.ErrorIs(t, err, zipfile.ErrLimit)
	require.EqualError(t, err, "zip: limit exceeded: constants of a class file that take more than 16777216 bytes")
}

type endless struct {
	text []byte
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

func TestWrongName(t *testing.T) {
	t.Parallel()
	c := jar.ClassInfo{Name: "com.example.Foo"}
	assert.Equal(t, "com/example/Foo.class", c.Path())
	for _, name := range []string{"com/example/Foo.class", "META-INF/versions/9/com/example/Foo.class", "META-INF/versions/21/com/example/Foo.class",
		"BOOT-INF/classes/com/example/Foo.class", "WEB-INF/classes/com/example/Foo.class", "classes/com/example/Foo.class",
		"WEB-INF/classes/META-INF/versions/11/com/example/Foo.class"} {
		assert.False(t, c.WrongName(name), name)
	}
	for _, name := range []string{"", "Foo.class", "com/example/Bar.class", "com/example/foo.class", "com/example/Foo", "com/example/Foo.clas", "com.example.Foo.class",
		"x/com/example/Foo.class", "/com/example/Foo.class", "META-INF/versions/x/com/example/Foo.class", "META-INF/versions/09/com/example/Foo.class", "META-INF/com/example/Foo.class",
		"META-INF/versions/9/BOOT-INF/classes/com/example/Foo.class", "BOOT-INF/classes/classes/com/example/Foo.class", "BOOT-INF/lib/com/example/Foo.class"} {
		assert.True(t, c.WrongName(name), name)
	}
	c.Name = "classes.Foo"
	assert.False(t, c.WrongName("classes/Foo.class"))
	assert.False(t, c.WrongName("classes/classes/Foo.class"))
	assert.True(t, c.WrongName("Foo.class"))
}

func TestClassWords(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "public 0x0004 final super", jar.AccessFlags(0x35).String())
	assert.Equal(t, "interface abstract synthetic annotation enum module", (jar.AccInterface | jar.AccAbstract | jar.AccSynthetic | jar.AccAnnotation | jar.AccEnum | jar.AccModule).String())
	assert.Empty(t, jar.AccessFlags(0).String())
	assert.Equal(t, "kind-77", jar.ClassKind(77).String())
	for major, release := range map[uint16]int{45: 1, 46: 2, 52: 8, 53: 9, 61: 17, 69: 25} {
		c := jar.ClassInfo{Major: major}
		assert.Equal(t, release, c.Release())
	}
	assert.True(t, (&jar.ClassInfo{Major: 56, Minor: 65535}).Preview())
	assert.False(t, (&jar.ClassInfo{Major: 45, Minor: 65535}).Preview())
}

// FuzzParseClass parses arbitrary bytes: no panic, the same from a reader, and a header that is the same
// however much follows it.
func FuzzParseClass(f *testing.F) {
	for _, c := range classCases() {
		f.Add(c.b)
	}
	z := testJar(f)
	for e := range z.Entries() {
		if strings.HasSuffix(e.Name(), ".class") {
			f.Add(contentsIn(f, z, e.Name()))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := jar.ParseClass(b)
		again, rerr := jar.ReadClass(iotest.HalfReader(bytes.NewReader(b)))
		require.Equal(t, c, again)
		if err != nil {
			require.EqualError(t, rerr, err.Error())
			require.ErrorIs(t, err, zipfile.ErrFormat)
			require.Zero(t, c)
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				_, more := jar.ParseClass(append(bytes.Clone(b), 0, 0, 0, 0))
				require.EqualError(t, more, err.Error())
			}
			return
		}
		require.NoError(t, rerr)
		require.NotEmpty(t, c.Name)
		require.NotContains(t, c.Name, "/")
		require.False(t, c.WrongName(c.Path()))
		require.GreaterOrEqual(t, c.Release(), 1)
		more, err := jar.ParseClass(append(bytes.Clone(b), 0xff))
		require.NoError(t, err)
		require.Equal(t, c, more)
	})
}

func ExampleReadClassEntry() {
	z, err := zipfile.Open("testdata/modular.jar", &zipfile.Options{Backend: backend.Pread})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer z.Close()
	for e := range z.Entries() {
		if !strings.HasSuffix(e.Name(), "/spi/Codec.class") {
			continue
		}
		c, err := jar.ReadClassEntry(e)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(c.Kind, c.Name, "for Java", c.Release(), c.Access)
		fmt.Println(c.WrongName(e.Name()))
	}
	// Output:
	// interface com.example.spi.Codec for Java 17 public interface abstract
	// false
}

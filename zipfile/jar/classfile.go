package jar

import (
	"fmt"
	"io"
	"strings"

	"zipcat.dev/zipfile"
)

// ClassInfo is the header of a class file: what stands before its fields (JVMS 4.1). Names are binary
// names, as com.example.Outer$Inner (JLS 13.1). It is UTF-8 of what the file has as modified UTF-8; a
// surrogate without its other half, which UTF-8 cannot have, is left as the three bytes of the file,
// so that names that differ stay different.
type ClassInfo struct {
	Major, Minor uint16 // version of the format, see Release
	Access       AccessFlags
	Kind         ClassKind
	Name         string
	Super        string   // empty for java.lang.Object and module-info
	Interfaces   []string // in the order of the file
}

const (
	firstMajor   = 45 // of JDK 1.0.2 and 1.1
	previewMinor = 65535
	objectClass  = "java.lang.Object"
)

// Release returns the first release of Java that reads the version, as 17 for 61.0; 1 stands for 1.1
// and before.
func (c *ClassInfo) Release() int { return int(c.Major) - (firstMajor - 1) }

// Preview reports a class that depends on preview features of its release, which no other release loads
// (JVMS 4.1, minor_version).
func (c *ClassInfo) Preview() bool { return c.Major >= 56 && c.Minor == previewMinor }

// Path returns where class loaders look for the class, as com/example/Foo.class.
func (c *ClassInfo) Path() string { return classFile(c.Name) }

// classRoots are directories of archives in which classes stand as in an archive of their own: those of
// Spring Boot, of web applications, and of JMOD files.
var classRoots = [...]string{"BOOT-INF/classes/", "WEB-INF/classes/", "classes/"}

// WrongName reports whether a class is not where its name says, so that no class loader defines it
// (NoClassDefFoundError, "wrong name"), given the name of its entry. It may stand in the archive itself
// or in META-INF/versions/N, and that in BOOT-INF/classes, WEB-INF/classes or classes too. Case counts.
func (c *ClassInfo) WrongName(entry string) bool {
	path := c.Path()
	if matches(entry, path) {
		return false
	}
	for _, root := range classRoots {
		if rest, ok := strings.CutPrefix(entry, root); ok && matches(rest, path) {
			return false
		}
	}
	return true
}

// matches compares a name with a path, for any release.
func matches(name, path string) bool {
	_, base, ok := versioned(name)
	return name == path || ok && base == path
}

// AccessFlags are the access_flags of a class file (JVMS 4.1, table 4.1-B).
type AccessFlags uint16

// Flags of classes. Others have no meaning and stay in what was read.
const (
	AccPublic     AccessFlags = 0x0001
	AccFinal      AccessFlags = 0x0010
	AccSuper      AccessFlags = 0x0020
	AccInterface  AccessFlags = 0x0200
	AccAbstract   AccessFlags = 0x0400
	AccSynthetic  AccessFlags = 0x1000
	AccAnnotation AccessFlags = 0x2000
	AccEnum       AccessFlags = 0x4000
	AccModule     AccessFlags = 0x8000
)

var accessNames = [16]string{0: "public", 4: "final", 5: "super", 9: "interface", 10: "abstract", 12: "synthetic",
	13: "annotation", 14: "enum", 15: "module"}

// String gives the words of the specification, as "public final super", and numbers for bits that have
// no meaning.
func (f AccessFlags) String() string {
	var words []string
	for i := range 16 {
		switch {
		case f&(1<<i) == 0:
		case accessNames[i] != "":
			words = append(words, accessNames[i])
		default:
			words = append(words, fmt.Sprintf("0x%04x", 1<<i))
		}
	}
	return strings.Join(words, " ")
}

// ClassKind is what a class file declares. What kind of archive holds it is a [LayoutKind].
type ClassKind uint8

// Kinds. An enum is told by its flag and its super class, as Class.isEnum does (classes of constants with
// a body have the flag too), a record by its super class and by being final (JLS 8.10): the attribute that
// Class.isRecord asks for besides stands behind the methods, and compilers give all such classes one.
const (
	KindClass ClassKind = iota
	KindInterface
	KindAnnotation
	KindEnum
	KindRecord
	KindModule
)

// String gives the word, as "interface".
func (k ClassKind) String() string {
	names := [...]string{"class", "interface", "annotation", "enum", "record", "module"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind-%d", uint8(k))
}

// ClassError tells what is wrong with a class file. It wraps [zipfile.ErrFormat], and io.ErrUnexpectedEOF
// where the file is too short.
type ClassError struct {
	Offset int    // in the class file, bytes
	Part   string // in the words of the JVMS, as "constant_pool[7]" or "interfaces[0]"
	Text   string // found and expected
	cut    bool
}

func (e *ClassError) Error() string {
	return fmt.Sprintf("%s at offset %d of the class file: %s", e.Part, e.Offset, e.Text)
}

func (e *ClassError) Unwrap() []error {
	if e.cut {
		return []error{zipfile.ErrFormat, io.ErrUnexpectedEOF}
	}
	return []error{zipfile.ErrFormat}
}

// ParseClass parses the header of a class file; b may end behind it. What follows is not looked at, nor
// constants that the header does not use, but for their tags and lengths. The error is a [*ClassError],
// or wraps [zipfile.ErrLimit] where the constants take more than 16 MiB. Nothing of b is kept. This and the
// functions that read may be called from several goroutines at once.
func ParseClass(b []byte) (ClassInfo, error) {
	c := cursor{b: b, end: len(b)}
	return c.class()
}

// ReadClass parses the header of a class file from a reader, of which it reads not much more. Errors are
// those of [ParseClass] and of r.
func ReadClass(r io.Reader) (ClassInfo, error) {
	c := cursor{r: r}
	return c.class()
}

// ReadClassEntry parses the header of a class file in an archive. It decodes only the beginning of the
// entry, whose checksum is therefore not verified unless the header is all of it. Errors are a
// [*zipfile.FormatError] that wraps that of [ParseClass], or those of [zipfile.Entry.Open].
func ReadClassEntry(e zipfile.Entry) (ClassInfo, error) {
	r, err := e.Open()
	if err != nil {
		return ClassInfo{}, err
	}
	defer r.Close()
	c, err := ReadClass(r)
	return c, inEntry(e.Name(), err)
}

// class parses a header, all or nothing.
func (c *cursor) class() (ClassInfo, error) {
	var pool constantPool
	info := c.header(&pool)
	if c.err != nil {
		return ClassInfo{}, c.err
	}
	return info, nil
}

const classMagic = 0xCAFEBABE

// header parses through the interfaces. What it refuses is refused by HotSpot too, with a ClassFormatError
// or an UnsupportedClassVersionError.
func (c *cursor) header(pool *constantPool) (info ClassInfo) {
	c.in("magic", -1)
	if m := c.u4(); m != classMagic {
		c.fail("0x%08x, not 0x%08x", m, uint32(classMagic))
	}
	c.in("minor_version", -1)
	info.Minor = c.u2()
	c.in("major_version", -1)
	info.Major = c.u2()
	switch {
	case info.Major < firstMajor:
		c.fail("%d, the first that there is is %d", info.Major, firstMajor)
	case info.Major >= 56 && info.Minor != 0 && info.Minor != previewMinor:
		c.fail("%d.%d: from 56 on the minor version is 0 or %d", info.Major, info.Minor, previewMinor)
	}
	pool.parse(c, info.Major)
	c.in("access_flags", -1)
	info.Access = AccessFlags(c.u2())
	module := info.Access&AccModule != 0 && info.Major >= moduleMajor
	c.checkAccess(info, module)
	if pool.module > 0 && !module && c.err == nil {
		c.part, c.index, c.start = "constant_pool", pool.module, int(pool.at[pool.module])
		c.fail("%s, which modules only have", constantName(c.b[c.start]))
	}
	c.in("this_class", -1)
	info.Name = pool.className(c, c.u2())
	if module && c.err == nil && info.Name != moduleInfoClass {
		c.fail("%q, that of a module is %s", info.Name, moduleInfoClass)
	}
	c.in("super_class", -1)
	super := c.u2()
	switch {
	case module && super != 0:
		c.fail("index %d, a module has none", super)
	case super != 0:
		info.Super = pool.className(c, super)
		if info.Access&AccInterface != 0 && c.err == nil && info.Super != objectClass {
			c.fail("%q, that of an interface is %s", info.Super, objectClass)
		}
	case !module && info.Name != objectClass:
		c.fail("none, which only %s and modules have", objectClass)
	}
	c.in("interfaces_count", -1)
	n := int(c.u2())
	if module && n > 0 {
		c.fail("%d, a module has none", n)
	}
	seen := make(map[string]bool)
	for i := 0; i < n && c.err == nil; i++ {
		c.in("interfaces", i)
		name := pool.className(c, c.u2())
		if c.err == nil && seen[name] {
			c.fail("%q stands there twice", name)
		}
		seen[name] = true
		info.Interfaces = append(info.Interfaces, name)
	}
	info.Kind = info.kind(module)
	return info
}

// checkAccess refuses flags that exclude each other (JVMS 4.1), as far as HotSpot does.
func (c *cursor) checkAccess(info ClassInfo, module bool) {
	f, is5 := info.Access, info.Major >= 49
	isInterface := f&AccInterface != 0
	if isInterface && info.Major < 50 {
		f |= AccAbstract // which compilers left out
	}
	switch {
	case module && f != AccModule:
		c.fail("0x%04x (%v), those of a module are 0x%04x", uint16(f), f, uint16(AccModule))
	case module:
	case f&AccAbstract != 0 && f&AccFinal != 0, isInterface && f&AccAbstract == 0,
		is5 && isInterface && f&(AccSuper|AccEnum) != 0, is5 && !isInterface && f&AccAnnotation != 0:
		c.fail("0x%04x (%v), which no class has together", uint16(f), f)
	}
}

func (c *ClassInfo) kind(module bool) ClassKind {
	f := c.Access
	switch {
	case module:
		return KindModule
	case f&AccInterface != 0 && f&AccAnnotation != 0 && c.Major >= 49:
		return KindAnnotation
	case f&AccInterface != 0:
		return KindInterface
	case f&AccEnum != 0 && c.Super == "java.lang.Enum" && c.Major >= 49:
		return KindEnum
	case f&AccFinal != 0 && c.Super == "java.lang.Record":
		return KindRecord
	}
	return KindClass
}

// inEntry says in which entry something is wrong.
func inEntry(name string, err error) error {
	kind := "format"
	switch err.(type) {
	case *ClassError, *LineError, *ModuleError:
	case *classLimit:
		kind = "limit"
	default:
		return err // nil, or one of the archive
	}
	return &zipfile.FormatError{Offset: -1, Entry: name, Kind: kind, Err: err}
}

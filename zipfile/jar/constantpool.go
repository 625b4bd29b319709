package jar

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"zipcat.dev/zipfile"
)

// maxClassHeader is how many bytes of a class file are read at most. 65,534 constants could take 4 GiB;
// those of the largest classes that compilers make, whose methods have 64 KiB of code each, some MiB.
const maxClassHeader = 16 << 20

type classLimit struct{}

func (*classLimit) Error() string {
	return fmt.Sprintf("%v: constants of a class file that take more than %d bytes", zipfile.ErrLimit, maxClassHeader)
}

func (*classLimit) Unwrap() error { return zipfile.ErrLimit }

// cursor reads the fields of a class file, which are big-endian. The first error stays, and everything
// read from then on is 0.
type cursor struct {
	b     []byte
	pos   int
	end   int       // up to which b may be read
	r     io.Reader // nil, or where more of b comes from
	err   error
	part  string // what is being read
	index int    // in it, -1: no list
	start int    // where it begins
}

// in says what is read next, an element of a list where index is not negative.
func (c *cursor) in(part string, index int) { c.part, c.index, c.start = part, index, c.pos }

// fail takes note of an error in what is being read.
func (c *cursor) fail(format string, args ...any) {
	if c.err != nil {
		return
	}
	part := c.part
	if c.index >= 0 {
		part += "[" + strconv.Itoa(c.index) + "]"
	}
	c.err = &ClassError{Offset: c.start, Part: part, Text: fmt.Sprintf(format, args...)}
}

// need makes sure that n bytes follow.
func (c *cursor) need(n int) bool {
	for c.err == nil && c.end-c.pos < n {
		if c.r == nil {
			c.short(n)
			return false
		}
		c.more(n)
	}
	if c.err == nil && c.pos+n > maxClassHeader {
		c.err = &classLimit{}
	}
	return c.err == nil
}

func (c *cursor) short(n int) {
	c.fail("%d bytes are left, not the %d that follow", c.end-c.pos, n)
	if e, ok := c.err.(*ClassError); ok {
		e.cut = true
	}
}

// more reads more of the file, as much as there is of it already, so that what is allocated does not
// depend on what a length says.
func (c *cursor) more(n int) {
	chunk := min(max(len(c.b), 4096), 1<<16)
	c.b = slices.Grow(c.b, chunk)
	m, err := io.ReadAtLeast(c.r, c.b[c.end:c.end+chunk], 1)
	c.end += m
	c.b = c.b[:c.end]
	switch {
	case m > 0:
	case err == io.EOF:
		c.short(n)
	default:
		c.err = err
	}
}

func (c *cursor) u1() uint8 {
	if !c.need(1) {
		return 0
	}
	c.pos++
	return c.b[c.pos-1]
}

func (c *cursor) u2() uint16 {
	if !c.need(2) {
		return 0
	}
	c.pos += 2
	return be16(c.b[c.pos-2:])
}

func (c *cursor) u4() uint32 {
	if !c.need(4) {
		return 0
	}
	c.pos += 4
	return uint32(be16(c.b[c.pos-4:]))<<16 | uint32(be16(c.b[c.pos-2:]))
}

func (c *cursor) skip(n int) {
	if c.need(n) {
		c.pos += n
	}
}

func be16(b []byte) uint16 { return uint16(b[0])<<8 | uint16(b[1]) }

// Tags of constants (JVMS 4.4, table 4.4-A).
const (
	tagUtf8    = 1
	tagLong    = 5
	tagDouble  = 6
	tagClass   = 7
	tagDynamic = 17
	tagModule  = 19
	tagPackage = 20
)

// constants says of each tag how many bytes follow it, and the first version that has it.
var constants = [...]struct {
	name  string
	size  int
	major uint16
}{
	tagUtf8: {"Utf8", 2, 45}, 3: {"Integer", 4, 45}, 4: {"Float", 4, 45}, tagLong: {"Long", 8, 45}, tagDouble: {"Double", 8, 45},
	tagClass: {"Class", 2, 45}, 8: {"String", 2, 45}, 9: {"Fieldref", 4, 45}, 10: {"Methodref", 4, 45}, 11: {"InterfaceMethodref", 4, 45},
	12: {"NameAndType", 4, 45}, 15: {"MethodHandle", 3, 51}, 16: {"MethodType", 2, 51}, tagDynamic: {"Dynamic", 4, 55},
	18: {"InvokeDynamic", 4, 51}, tagModule: {"Module", 2, 53}, tagPackage: {"Package", 2, 53},
}

func constantName(tag uint8) string {
	if int(tag) < len(constants) && constants[tag].name != "" {
		return "CONSTANT_" + constants[tag].name
	}
	return "tag " + strconv.Itoa(int(tag))
}

// constantPool is where the constants stand in a class file.
type constantPool struct {
	at     []uint32 // of their tags, in bytes; 0: there is none, as behind a long
	major  uint16
	module int // the first CONSTANT_Module or _Package; 0: there is none
}

// parse walks over the constants. A constant is at least three bytes, so that memory follows the file.
func (p *constantPool) parse(c *cursor, major uint16) {
	p.major = major
	c.in("constant_pool_count", -1)
	n := int(c.u2())
	if n == 0 {
		c.fail("0, it is at least 1")
	}
	p.at = append(p.at, 0)
	for i := 1; i < n && c.err == nil; i++ {
		c.in("constant_pool", i)
		p.at = append(p.at, uint32(c.pos))
		tag := c.u1()
		if c.err != nil {
			return
		}
		if int(tag) >= len(constants) || constants[tag].name == "" {
			c.fail("no constant has the tag %d", tag)
			return
		}
		if k := constants[tag]; major < k.major {
			c.fail("CONSTANT_%s in a class file of version %d, the first that has it is %d", k.name, major, k.major)
			return
		}
		switch tag {
		case tagUtf8:
			c.skip(int(c.u2()))
		case tagLong, tagDouble: // "In retrospect, making 8-byte constants take two constant pool entries was a poor choice."
			c.skip(8)
			i++
			if i == n {
				c.fail("CONSTANT_%s, which takes two places, is the last of %d", constants[tag].name, n)
			}
			p.at = append(p.at, 0)
		case tagModule, tagPackage:
			if p.module == 0 {
				p.module = i
			}
			c.skip(2)
		default:
			c.skip(constants[tag].size)
		}
	}
}

// constant returns what follows the tag of a constant.
func (p *constantPool) constant(c *cursor, index uint16, tag uint8) ([]byte, bool) {
	if c.err != nil {
		return nil, false
	}
	if index == 0 || int(index) >= len(p.at) {
		c.fail("index %d, there are constants from 1 to %d", index, len(p.at)-1)
		return nil, false
	}
	at := p.at[index]
	if at == 0 {
		c.fail("index %d is the second place of a constant that takes two, not a %s", index, constantName(tag))
		return nil, false
	}
	if found := c.b[at]; found != tag {
		c.fail("constant_pool[%d] is a %s, not a %s", index, constantName(found), constantName(tag))
		return nil, false
	}
	return c.b[at+1:], true
}

// utf8 returns the text of a CONSTANT_Utf8.
func (p *constantPool) utf8(c *cursor, index uint16) string {
	b, ok := p.constant(c, index, tagUtf8)
	if !ok {
		return ""
	}
	text, bad := decodeModified(b[2:2+int(be16(b))], p.major < 48)
	if bad >= 0 {
		c.fail("constant_pool[%d] is no modified UTF-8 at byte %d", index, bad)
	}
	return text
}

// named returns the name that a CONSTANT_Class, _Package or _Module stands for.
func (p *constantPool) named(c *cursor, index uint16, tag uint8) string {
	b, ok := p.constant(c, index, tag)
	if !ok {
		return ""
	}
	return p.utf8(c, be16(b))
}

// className returns the binary name of a class that is no array.
func (p *constantPool) className(c *cursor, index uint16) string {
	return p.unqualified(c, index, tagClass)
}

// unqualified returns a name of a class or package, whose parts have none of . ; [ / (JVMS 4.2.2).
func (p *constantPool) unqualified(c *cursor, index uint16, tag uint8) string {
	name := p.named(c, index, tag)
	if c.err == nil && (strings.ContainsAny(name, ".;[") || name == "" || name[0] == '/' || name[len(name)-1] == '/' || strings.Contains(name, "//")) {
		c.fail("%q is no name of a class or package in internal form", name)
	}
	return strings.ReplaceAll(name, "/", ".")
}

// decodeModified decodes modified UTF-8 (JVMS 4.4.7) and returns the place of the first byte that is none,
// -1 if all are. Like HotSpot it takes forms that are longer than they need be in old classes only.
func decodeModified(b []byte, old bool) (text string, bad int) {
	plain := true
	for _, c := range b {
		if c == 0 || c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return string(b), -1
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		r, n := modifiedUnit(b[i:], old)
		if n == 0 {
			return "", i
		}
		switch low, m := rune(0), 0; {
		case 0xd800 <= r && r < 0xdc00:
			if low, m = modifiedUnit(b[i+n:], old); m > 0 && 0xdc00 <= low && low < 0xe000 {
				out = utf8.AppendRune(out, (r-0xd800)<<10+(low-0xdc00)+0x10000)
				n += m
				break
			}
			out = append(out, b[i:i+n]...)
		case 0xdc00 <= r && r < 0xe000:
			out = append(out, b[i:i+n]...)
		default:
			out = utf8.AppendRune(out, r)
		}
		i += n
	}
	return string(out), -1
}

// modifiedUnit decodes the first UTF-16 code unit of b and returns its length, 0 where there is none.
func modifiedUnit(b []byte, old bool) (r rune, n int) {
	next := func(i int) bool { return i < len(b) && b[i]&0xc0 == 0x80 }
	switch {
	case len(b) == 0 || b[0] == 0:
	case b[0] < 0x80:
		return rune(b[0]), 1
	case b[0]&0xe0 == 0xc0 && next(1):
		r = rune(b[0]&0x1f)<<6 | rune(b[1]&0x3f)
		if r >= 0x80 || r == 0 || old {
			return r, 2
		}
	case b[0]&0xf0 == 0xe0 && next(1) && next(2):
		r = rune(b[0]&0xf)<<12 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f)
		if r >= 0x800 || old {
			return r, 3
		}
	}
	return 0, 0
}

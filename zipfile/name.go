package zipfile

import (
	"hash/crc32"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// shape is what a quick look at a name tells.
type shape uint8

const (
	odd   shape = iota // needs a closer look
	plain              // ASCII without a backslash: the same in every reading
	clean              // plain, and a path in which nothing is wrong
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// has marks in v the bytes that are c, in their high bits; the other bits mean nothing. It may
// mark a byte above one that is c wrongly, never miss one (Hacker's Delight, 6-1).
func has(v uint64, c byte) uint64 {
	v ^= uint64(c) * ones
	return (v - ones) &^ v
}

// load64 reads eight bytes. The compiler makes one load of it.
func load64[S bytestring](s S, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// shapeOf looks at eight bytes at a time, as every name of an archive passes through here. It
// may call a name odd that is not, never the other way round: bytes beyond ASCII, backslashes,
// control bytes, colons, and elements that are empty or begin with a dot are left to those who
// know.
func shapeOf(name string) shape {
	if len(name) == 0 || name[0] == '/' || name[0] == '.' {
		return odd
	}
	var wrong, unclean, after uint64
	for i := 0; i < len(name); i += 8 {
		var v uint64
		switch {
		case i+8 <= len(name):
			v = load64(name, i)
		case len(name) >= 8:
			// The last eight again: every pair of bytes has been in one word.
			v, after = load64(name, len(name)-8), 0
		default:
			v = 0x6161616161616161 // letters fill up a short name
			for j := len(name) - 1; j >= 0; j-- {
				v = v<<8 | uint64(name[j])
			}
		}
		slash := has(v, '/') & highs
		dot := v ^ '.'*ones // a dot is 0 now, a slash 1
		wrong |= v | has(v, '\\')
		unclean |= (v - ' '*ones) | (v + ones) | has(v, ':') | (slash<<8|after)&((dot-2*ones)&^dot)
		after = slash >> 56
	}
	switch {
	case wrong&highs != 0:
		return odd
	case unclean&highs != 0 || len(name) > maxPath:
		return plain
	}
	return clean
}

// isOdd reports whether shapeOf may call a name odd for the bytes in it, in less time.
func isOdd[S bytestring](name S) bool {
	if len(name) < 8 {
		for i := range len(name) {
			if c := name[i]; c >= 0x80 || c == '\\' {
				return true
			}
		}
		return false
	}
	last := load64(name, len(name)-8) // some bytes of it again
	wrong := last | has(last, '\\')
	for i := 0; i+8 < len(name); i += 8 {
		v := load64(name, i)
		wrong |= v | has(v, '\\')
	}
	return wrong&highs != 0
}

// unicodePathMin is the length of the shortest extra field that gives another name, in bytes.
const unicodePathMin = 9

// nameAndExtra gives the two things that most passes over the directory need of the header at pos,
// without taking all of it apart.
func (z *ZipFile) nameAndExtra(pos int) (name, extra string) {
	d := z.dir[pos:]
	n, m := int(le16(d, cenNameLen)), int(le16(d, cenExtraLen))
	return d[centralLen : centralLen+n], d[centralLen+n : centralLen+n+m]
}

// nameAt returns the name of entry i as the rest of the package knows it. It allocates nothing
// for a name that stands in the directory as it is.
func (z *ZipFile) nameAt(i uint32) string { return z.nameOf(int(z.pos[i])) }

func (z *ZipFile) nameOf(pos int) string {
	name, extra := z.nameAndExtra(pos)
	if z.index.asStored.Load() || shapeOf(name) != odd && !mayRename(extra) {
		return name
	}
	r := z.recordAt(pos)
	return z.decodeName(&r)
}

// entryName is nameOf for a header that is taken apart already.
func (z *ZipFile) entryName(r *record) string { return z.nameOf(r.pos) }

// mayRename reports whether an extra field holds a Unicode Path block.
func mayRename[S bytestring](extra S) bool {
	if len(extra) < unicodePathMin {
		return false
	}
	_, ok := findExtra(extra, extraUnicodePath)
	return ok
}

// decodeName applies the rules for names, in this order: Unicode Path, UTF-8, charset,
// backslashes.
func (z *ZipFile) decodeName(r *record) string {
	name := r.name
	if u, ok := r.unicodePath(); ok {
		name = u
	} else if !utf8.ValidString(name) {
		name = z.decode(name)
	}
	// Windows programs of the nineties and .NET before 4.6.1 write backslashes; on other
	// hosts a backslash is a letter.
	if r.convertsBackslashes() && !strings.Contains(name, "/") {
		name = strings.ReplaceAll(name, `\`, "/")
	}
	return name
}

// decode reads bytes that are no UTF-8 by the archive's charset, CP437 unless told otherwise
// (APPNOTE appendix D). Bytes that the charset does not have become U+FFFD.
func (z *ZipFile) decode(s string) string {
	var cs encoding.Encoding = charmap.CodePage437
	if z.charset != nil {
		cs = z.charset
	}
	out, err := cs.NewDecoder().String(s)
	if err != nil {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return out
}

func (z *ZipFile) decodeComment(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return z.decode(s)
}

// unicodePath returns the name in the Info-ZIP Unicode Path block (APPNOTE 4.6.9) if it
// counts: version 1, the CRC of the name in the header, valid UTF-8. After a rename by a tool
// that does not know the block its CRC no longer fits, and the header's name is the new one.
func (r *record) unicodePath() (string, bool) {
	block, ok := findExtra(r.extra, extraUnicodePath)
	if !ok || len(block) < 5 || block[0] != 1 {
		return "", false
	}
	name := block[5:]
	if len(name) == 0 || le32(block, 1) != crc32.ChecksumIEEE([]byte(r.name)) || !utf8.ValidString(name) {
		return "", false
	}
	return name, true
}

// convertsBackslashes: hosts whose own separator is the backslash.
func (r *record) convertsBackslashes() bool {
	switch r.host() {
	case hostFAT, hostNTFS, hostVFAT:
		return true
	}
	return false
}

// maxPath is the longest path in bytes, PATH_MAX of Linux. What works its way down a name of
// 32,000 elements is slow and comes to nothing.
const maxPath = 4096

// nameFault tells why a name cannot be used as a path, "" if it can. A slash at the end is
// part of a directory's name.
func nameFault(name string) string {
	path := strings.TrimSuffix(name, "/")
	switch {
	case path == "":
		return "empty name"
	case path[0] == '/':
		return "absolute name"
	case len(path) > maxPath:
		return "name of more than 4096 bytes"
	case len(path) >= 2 && path[1] == ':' && isLetter(path[0]):
		return "name with a drive"
	}
	start := 0
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			switch c := path[i]; {
			case c == 0:
				return "NUL byte in the name"
			case c < ' ' || c == 0x7f:
				return "control character in the name"
			case c == '\\':
				return "backslash in the name"
			case c == 0xc2 && i+1 < len(path) && path[i+1] < 0xa0:
				return "control character in the name" // U+0080 to U+009F
			}
			continue
		}
		switch path[start:i] {
		case "":
			return "empty element in the name"
		case ".", "..":
			return "element " + path[start:i] + " in the name"
		}
		start = i + 1
	}
	return ""
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// CheckPath tells whether a name can be used as a path below some directory, on every system
// alike: it is not empty or absolute nor longer than 4,096 bytes, has no drive, no empty, "." or ".." elements, no
// backslashes and no control characters. A slash at the end is a directory's. The error says
// what is wrong, without the name, and wraps [ErrInsecurePath]. It is no promise about links on the way.
func CheckPath(name string) error {
	fault := nameFault(name)
	if fault == "" && !utf8.ValidString(name) {
		fault = "name is not UTF-8"
	}
	if fault != "" {
		return &detail{ErrInsecurePath, fault}
	}
	return nil
}

// pathFault tells why an entry of the name cannot stand in a file tree, "" if it can: its name
// is no path, or is marked as UTF-8 and is not, so that another program may read it as something
// else.
func (r *record) pathFault(name string) string {
	if r.flags&flagUTF8 != 0 && !utf8.ValidString(r.name) {
		return "name marked as UTF-8 that is not"
	}
	return nameFault(name)
}

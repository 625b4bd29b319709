package ziptest

import (
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Methods that the builder knows how to apply; contents of another one are given as Raw.
const (
	Store   uint16 = 0
	Deflate uint16 = 8
)

// Entry describes an entry of an archive. Its hooks run in the order Header, Local, and
// Header, Central.
type Entry struct {
	Name   string // any bytes
	Data   []byte // contents, not compressed
	Zeros  int64  // zeros that follow Data in the contents: a hole where stored, deflated 1,032 to one
	Method uint16

	// Raw, if not nil, holds the compressed bytes. Data and Zeros still tell the size and
	// CRC of what they stand for.
	Raw []byte

	// Share names an entry before this one in Archive.Entries, the last of that name. This one
	// writes nothing of its own but a central header, which leads to the local header of the
	// other and has its method, flags, sizes and CRC.
	Share string

	At int64 // if set: zeros fill the file so that the local header starts at this position

	Flags    uint16      // besides those of descriptor and UTF-8 names
	Modified time.Time   // its wall clock becomes the DOS time; zero: the start of 1980
	Mode     fs.FileMode // zero: unknown
	Host     uint8       // made by; HostUnix if there is a Mode
	Comment  string

	Extra        []byte // extra fields of both headers
	LocalExtra   []byte // after Extra in the local header
	CentralExtra []byte // after Extra in the central header
	Zip64        Zip64  // decides on the zip64 blocks

	Header  func(*Header) // changes both headers
	Local   func(*LocalHeader)
	Central func(*CentralHeader)

	// Descriptor, if not nil, makes the entry streamed: flag bit 3, no sizes and CRC in the
	// local header, a data descriptor. The hook gets a signed one with sizes as wide as they
	// need to be; see [Signed32] and its like.
	Descriptor func(*Descriptor)

	After []byte // bytes after data and descriptor
}

// Zip64 says when zip64 structures are written.
type Zip64 uint8

const (
	Zip64Auto      Zip64 = iota // where a value needs it
	Zip64Always                 // for all values, even where none needs it
	Zip64Redundant              // for all values, beside ordinary fields that hold them too where they fit
	Zip64Never                  // large values are cut to their low bits
)

// field returns what an ordinary field holds whose greatest value is max.
func (z Zip64) field(v, max uint64) uint64 {
	switch {
	case z == Zip64Never:
		return v & max
	case z == Zip64Always || v > max:
		return max
	}
	return v
}

// block splits values into the 32-bit fields and the zip64 block. With all, one large value
// takes all into the block.
func (z Zip64) block(all bool, values []uint64, fields ...*uint32) []uint64 {
	large := func(v uint64) bool { return v >= max32 }
	if z == Zip64Auto && all && slices.ContainsFunc(values, large) {
		z = Zip64Always
	}
	var block []uint64
	for i, v := range values {
		*fields[i] = uint32(z.field(v, max32))
		if z == Zip64Always || z == Zip64Redundant || z == Zip64Auto && large(v) {
			block = append(block, v)
		}
	}
	return block
}

// header returns what both headers of an entry have in common.
func (e *Entry) header(c contents) Header {
	h := Header{
		VersionNeeded: versionPlain,
		Flags:         c.flags,
		Method:        c.method,
		CRC32:         c.crc,
		NameLength:    Auto,
		ExtraLength:   Auto,
		Name:          e.Name,
	}
	if nonASCII(e.Name+e.Comment) && utf8.ValidString(e.Name) && utf8.ValidString(e.Comment) {
		h.Flags |= FlagUTF8
	}
	h.Date, h.Time = 1<<5|1, 0
	if !e.Modified.IsZero() {
		h.Date, h.Time = DOSTime(e.Modified)
	}
	return h
}

func nonASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0
}

func (e *Entry) localHeader(c contents) LocalHeader {
	h := LocalHeader{Signature: LocalSignature, Header: e.header(c)}
	h.Extra = slices.Concat(e.Extra, e.LocalExtra)
	sizes := []uint64{c.size, c.compressed}
	h.Zip64 = e.Zip64.block(true, sizes, &h.Size, &h.CompressedSize)
	if h.Zip64 != nil {
		h.VersionNeeded = versionZip64
	}
	if e.Descriptor != nil {
		h.CRC32 = 0
		for _, f := range []*uint32{&h.Size, &h.CompressedSize} {
			if *f != max32 { // that leads to the zip64 block
				*f = 0
			}
		}
		clear(h.Zip64)
	}
	if e.Header != nil {
		e.Header(&h.Header)
	}
	if e.Local != nil {
		e.Local(&h)
	}
	return h
}

func (e *Entry) descriptor(c contents, wide bool) Descriptor {
	d := Descriptor{
		Signature:      DescriptorSignature,
		Signed:         true,
		Wide:           wide,
		CRC32:          c.crc,
		CompressedSize: c.compressed,
		Size:           c.size,
	}
	e.Descriptor(&d)
	return d
}

func (e *Entry) centralHeader(c contents, offset uint64) CentralHeader {
	h := CentralHeader{
		Signature:     CentralSignature,
		Header:        e.header(c),
		CommentLength: Auto,
		Comment:       e.Comment,
	}
	h.Extra = slices.Concat(e.Extra, e.CentralExtra)
	h.Zip64 = e.Zip64.block(false, []uint64{c.size, c.compressed, offset}, &h.Size, &h.CompressedSize, &h.Offset)
	if h.Zip64 != nil {
		h.VersionNeeded = versionZip64
	}
	host := e.Host
	if e.Mode != 0 {
		if host == HostFAT {
			host = HostUnix
		}
		h.ExternalAttributes = UnixMode(e.Mode) << 16
	}
	if strings.HasSuffix(e.Name, "/") || e.Mode.IsDir() {
		h.ExternalAttributes |= 0x10 // the directory bit of MS-DOS
	}
	h.VersionMadeBy = uint16(host)<<8 | h.VersionNeeded
	if e.Header != nil {
		e.Header(&h.Header)
	}
	if e.Central != nil {
		e.Central(&h)
	}
	return h
}

// UnixMode returns mode as Unix writes it: type, set-id and sticky bits, permissions.
func UnixMode(mode fs.FileMode) uint32 {
	m := uint32(mode.Perm())
	switch mode.Type() {
	case 0:
		m |= 0o100000
	case fs.ModeDir:
		m |= 0o040000
	case fs.ModeSymlink:
		m |= 0o120000
	case fs.ModeNamedPipe:
		m |= 0o010000
	case fs.ModeSocket:
		m |= 0o140000
	case fs.ModeDevice:
		m |= 0o060000
	case fs.ModeDevice | fs.ModeCharDevice:
		m |= 0o020000
	}
	if mode&fs.ModeSetuid != 0 {
		m |= 0o4000
	}
	if mode&fs.ModeSetgid != 0 {
		m |= 0o2000
	}
	if mode&fs.ModeSticky != 0 {
		m |= 0o1000
	}
	return m
}

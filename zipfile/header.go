package zipfile

import "iter"

// Header is a header of an entry as it stands in the archive: in the directory
// (APPNOTE 4.3.12) or before the data (4.3.7). Nothing in it is interpreted: sizes that are all
// ones are those of a zip64 block, offsets are as recorded, names may be in any charset.
type Header struct {
	Offset         int64  // where it begins, in bytes from the start of the file
	MadeBy         uint16 // directory only: host in the upper byte, version in the lower one
	Needed         uint16 // version needed to extract
	Flags          uint16
	Method         uint16
	Time, Date     uint16 // MS-DOS
	CRC32          uint32
	CompressedSize uint32
	Size           uint32
	Name           string
	Extra          []byte
	Comment        string // from here on directory only
	Disk           uint16
	Internal       uint16 // attributes
	External       uint32
	HeaderOffset   uint32
}

// CentralHeader returns the header of the entry in the directory. Its Offset is -1 where the
// directory was rebuilt, see Options.Recover.
func (e Entry) CentralHeader() *Header {
	r := e.record()
	d := e.z.dir[r.pos:]
	h := &Header{
		Offset:         e.z.headerOffset(&r),
		MadeBy:         le16(d, cenMadeBy),
		Needed:         le16(d, cenNeeded),
		Flags:          le16(d, cenFlags),
		Method:         le16(d, cenMethod),
		Time:           le16(d, cenTime),
		Date:           le16(d, cenDate),
		CRC32:          le32(d, cenCRC32),
		CompressedSize: le32(d, cenCompSize),
		Size:           le32(d, cenSize),
		Name:           r.name,
		Extra:          []byte(r.extra),
		Comment:        r.comment,
		Disk:           le16(d, cenDisk),
		Internal:       le16(d, cenInternal),
		External:       le32(d, cenExternal),
		HeaderOffset:   le32(d, cenOffset),
	}
	return h
}

// LocalHeader reads the header before the entry's data, into memory of its own. It fails as
// DataOffset does.
func (e Entry) LocalHeader() (*Header, error) {
	r := e.record()
	p, err := e.z.locate(e.i, &r)
	if err != nil {
		return nil, e.fail("read", &r, err)
	}
	b := make([]byte, p.data-p.header)
	if err := e.z.readAt(b, p.header); err != nil {
		return nil, e.fail("read", &r, err)
	}
	n := localLen + int(le16(b, locNameLen))
	return &Header{
		Offset:         p.header,
		Needed:         le16(b, locVersion),
		Flags:          le16(b, locFlags),
		Method:         le16(b, locMethod),
		Time:           le16(b, locTime),
		Date:           le16(b, locDate),
		CRC32:          le32(b, locCRC32),
		CompressedSize: le32(b, locCompSize),
		Size:           le32(b, locSize),
		Name:           string(b[localLen:n]),
		Extra:          b[n:],
	}, nil
}

// ExtraFields returns the blocks of an extra field (APPNOTE 4.5.1) by their identifiers, in their
// order, each a slice of extra. It ends before a block that overruns; zeros and fewer than four bytes
// at the end, which are padding, are left out.
func ExtraFields(extra []byte) iter.Seq2[uint16, []byte] {
	return func(yield func(uint16, []byte) bool) {
		walkExtra(extra, func(id uint16, block []byte) bool {
			return id == 0 && len(block) == 0 || yield(id, block[:len(block):len(block)])
		})
	}
}

package ziptest

import "encoding/binary"

// Signatures of the records.
const (
	LocalSignature        = 0x04034b50
	DescriptorSignature   = 0x08074b50
	CentralSignature      = 0x02014b50
	Zip64EndSignature     = 0x06064b50
	Zip64LocatorSignature = 0x07064b50
	EndSignature          = 0x06054b50
)

// General purpose bit flags (APPNOTE 4.4.4).
const (
	FlagEncrypted  = 1 << 0
	FlagDescriptor = 1 << 3
	FlagStrong     = 1 << 6
	FlagUTF8       = 1 << 11
)

// Hosts, the high byte of version made by (APPNOTE 4.4.2).
const (
	HostFAT   = 0
	HostUnix  = 3
	HostNTFS  = 10
	HostVFAT  = 14
	HostMacOS = 19
)

// Auto as a length in a record means the real one.
const Auto = -1

const (
	max16 = 0xffff
	max32 = 0xffffffff

	versionPlain = 20
	versionZip64 = 45
)

// Header holds the fields that a local header and a central header have in common.
type Header struct {
	VersionNeeded  uint16
	Flags          uint16
	Method         uint16
	Time, Date     uint16 // see [DOSTime]
	CRC32          uint32
	CompressedSize uint32
	Size           uint32
	NameLength     int // Auto: of Name
	ExtraLength    int // Auto: of the zip64 block and Extra
	Name           string

	// Zip64 holds the values of the zip64 block, which stands before Extra: in order size,
	// compressed size, header offset, those that the header needs. Nil: no block. For a block
	// elsewhere, or a second one, put a [Zip64Extra] into Extra.
	Zip64 []uint64
	Extra []byte
}

// LocalHeader is a local file header (APPNOTE 4.3.7).
type LocalHeader struct {
	Signature uint32
	Header
	Omit bool // write nothing
}

// CentralHeader is a record of the central directory (APPNOTE 4.3.12).
type CentralHeader struct {
	Signature     uint32
	VersionMadeBy uint16 // host in the high byte
	Header
	CommentLength      int // Auto: of Comment
	DiskStart          uint16
	InternalAttributes uint16
	ExternalAttributes uint32
	Offset             uint32 // of the local header
	Comment            string

	Omit  bool   // write and count no record, only After and Hole
	After []byte // bytes after the record that the directory's size counts
	Hole  int64  // zeros after After, counted too

	entry int // number of its entry from 1; 0: none
}

// Descriptor is a data descriptor (APPNOTE 4.3.9).
type Descriptor struct {
	Signature      uint32
	Signed         bool // has a signature
	Wide           bool // sizes have 64 bits
	CRC32          uint32
	CompressedSize uint64
	Size           uint64
	Omit           bool // write nothing
}

// Zip64EndRecord is a zip64 end of central directory record (APPNOTE 4.3.14).
type Zip64EndRecord struct {
	Signature       uint32
	RecordSize      int64 // bytes that follow this field; Auto: the real number; other negative ones as they stand
	VersionMadeBy   uint16
	VersionNeeded   uint16
	Disk            uint32
	DirectoryDisk   uint32
	EntriesOnDisk   uint64
	Entries         uint64
	DirectorySize   uint64
	DirectoryOffset uint64
	Extensible      []byte // extensible data sector

	Omit  bool   // write no record, only After
	After []byte // gap between record and locator
}

// Zip64Locator is a zip64 end of central directory locator (APPNOTE 4.3.15).
type Zip64Locator struct {
	Signature uint32
	Disk      uint32 // with the zip64 end record
	Offset    uint64 // of the zip64 end record
	Disks     uint32 // in total

	Omit  bool   // write no locator, only After
	After []byte // gap between locator and end record
}

// EndRecord is an end of central directory record (APPNOTE 4.3.16).
type EndRecord struct {
	Signature       uint32
	Disk            uint16
	DirectoryDisk   uint16
	EntriesOnDisk   uint16
	Entries         uint16
	DirectorySize   uint32
	DirectoryOffset uint32
	CommentLength   int // Auto: of Comment
	Comment         string
	Omit            bool // write nothing
}

// NoLocal is the hook that leaves out the local header.
func NoLocal(h *LocalHeader) { h.Omit = true }

// NoCentral is the hook that leaves out the central header.
func NoCentral(h *CentralHeader) { h.Omit = true }

// NoZip64End is the hook that leaves out the zip64 end record.
func NoZip64End(r *Zip64EndRecord) { r.Omit = true }

// NoZip64Locator is the hook that leaves out the locator.
func NoZip64Locator(l *Zip64Locator) { l.Omit = true }

// NoEnd is the hook that leaves out the end record.
func NoEnd(e *EndRecord) { e.Omit = true }

// MissingDescriptor is the hook that leaves out the descriptor that flag bit 3 promises.
func MissingDescriptor(d *Descriptor) { d.Omit = true }

// Signed32 is the hook for a descriptor with a signature and sizes of 32 bits.
func Signed32(d *Descriptor) { d.Signed, d.Wide = true, false }

// Unsigned32 is the hook for a descriptor without a signature and with sizes of 32 bits.
func Unsigned32(d *Descriptor) { d.Signed, d.Wide = false, false }

// Signed64 is the hook for a descriptor with a signature and sizes of 64 bits.
func Signed64(d *Descriptor) { d.Signed, d.Wide = true, true }

// Unsigned64 is the hook for a descriptor without a signature and with sizes of 64 bits.
func Unsigned64(d *Descriptor) { d.Signed, d.Wide = false, true }

var le = binary.LittleEndian

// length is the length field that n asks for, of what has a length of actual.
func length(n, actual int) uint16 {
	if n == Auto {
		n = actual
	}
	return uint16(n)
}

func (h *Header) extra() []byte {
	if h.Zip64 == nil {
		return h.Extra
	}
	return append(Zip64Extra(h.Zip64...), h.Extra...)
}

// appendFields appends the fields from version needed to extra field length.
func (h *Header) appendFields(b []byte, extra int) []byte {
	b = le.AppendUint16(b, h.VersionNeeded)
	b = le.AppendUint16(b, h.Flags)
	b = le.AppendUint16(b, h.Method)
	b = le.AppendUint16(b, h.Time)
	b = le.AppendUint16(b, h.Date)
	b = le.AppendUint32(b, h.CRC32)
	b = le.AppendUint32(b, h.CompressedSize)
	b = le.AppendUint32(b, h.Size)
	b = le.AppendUint16(b, length(h.NameLength, len(h.Name)))
	return le.AppendUint16(b, length(h.ExtraLength, extra))
}

// Bytes returns the header with its name and extra fields, nothing if it is omitted.
func (h *LocalHeader) Bytes() []byte { return h.appendTo(nil) }

func (h *LocalHeader) appendTo(b []byte) []byte {
	if h.Omit {
		return b
	}
	extra := h.extra()
	b = le.AppendUint32(b, h.Signature)
	b = h.appendFields(b, len(extra))
	b = append(b, h.Name...)
	return append(b, extra...)
}

// Bytes returns the record with its name, extra fields and comment, nothing if it is omitted.
func (h *CentralHeader) Bytes() []byte { return h.appendTo(nil) }

func (h *CentralHeader) appendTo(b []byte) []byte {
	if h.Omit {
		return b
	}
	extra := h.extra()
	b = le.AppendUint32(b, h.Signature)
	b = le.AppendUint16(b, h.VersionMadeBy)
	b = h.appendFields(b, len(extra))
	b = le.AppendUint16(b, length(h.CommentLength, len(h.Comment)))
	b = le.AppendUint16(b, h.DiskStart)
	b = le.AppendUint16(b, h.InternalAttributes)
	b = le.AppendUint32(b, h.ExternalAttributes)
	b = le.AppendUint32(b, h.Offset)
	b = append(b, h.Name...)
	b = append(b, extra...)
	return append(b, h.Comment...)
}

// Bytes returns the descriptor in its form, nothing if it is omitted.
func (d *Descriptor) Bytes() []byte {
	if d.Omit {
		return nil
	}
	var b []byte
	if d.Signed {
		b = le.AppendUint32(b, d.Signature)
	}
	b = le.AppendUint32(b, d.CRC32)
	if d.Wide {
		b = le.AppendUint64(b, d.CompressedSize)
		return le.AppendUint64(b, d.Size)
	}
	b = le.AppendUint32(b, uint32(d.CompressedSize))
	return le.AppendUint32(b, uint32(d.Size))
}

// Bytes returns the record with its extensible data, nothing if it is omitted.
func (r *Zip64EndRecord) Bytes() []byte {
	if r.Omit {
		return nil
	}
	size := r.RecordSize
	if size == Auto {
		size = 44 + int64(len(r.Extensible))
	}
	b := le.AppendUint32(nil, r.Signature)
	b = le.AppendUint64(b, uint64(size))
	b = le.AppendUint16(b, r.VersionMadeBy)
	b = le.AppendUint16(b, r.VersionNeeded)
	b = le.AppendUint32(b, r.Disk)
	b = le.AppendUint32(b, r.DirectoryDisk)
	b = le.AppendUint64(b, r.EntriesOnDisk)
	b = le.AppendUint64(b, r.Entries)
	b = le.AppendUint64(b, r.DirectorySize)
	b = le.AppendUint64(b, r.DirectoryOffset)
	return append(b, r.Extensible...)
}

// Bytes returns the locator, nothing if it is omitted.
func (l *Zip64Locator) Bytes() []byte {
	if l.Omit {
		return nil
	}
	b := le.AppendUint32(nil, l.Signature)
	b = le.AppendUint32(b, l.Disk)
	b = le.AppendUint64(b, l.Offset)
	return le.AppendUint32(b, l.Disks)
}

// Bytes returns the record with its comment, nothing if it is omitted.
func (e *EndRecord) Bytes() []byte {
	if e.Omit {
		return nil
	}
	b := le.AppendUint32(nil, e.Signature)
	b = le.AppendUint16(b, e.Disk)
	b = le.AppendUint16(b, e.DirectoryDisk)
	b = le.AppendUint16(b, e.EntriesOnDisk)
	b = le.AppendUint16(b, e.Entries)
	b = le.AppendUint32(b, e.DirectorySize)
	b = le.AppendUint32(b, e.DirectoryOffset)
	b = le.AppendUint16(b, length(e.CommentLength, len(e.Comment)))
	return append(b, e.Comment...)
}

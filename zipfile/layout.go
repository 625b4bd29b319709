package zipfile

// The records of a zip archive as they lie on disk. All numbers are little-endian. The
// section numbers are those of APPNOTE.TXT 6.3.10.
const (
	sigLocal     = 0x04034b50 // 4.3.7 local file header
	sigCentral   = 0x02014b50 // 4.3.12 central directory header
	sigDigital   = 0x05054b50 // 4.3.13 digital signature
	sigEnd       = 0x06054b50 // 4.3.16 end of central directory record
	sigZip64End  = 0x06064b50 // 4.3.14 zip64 end of central directory record
	sigZip64Loc  = 0x07064b50 // 4.3.15 zip64 end of central directory locator
	sigDataDesc  = 0x08074b50 // 4.3.9 data descriptor; also the spanning marker of 8.5.4
	sigTemporary = 0x30304b50 // 8.5.4 marker of a split archive that fitted into one file
)

// Sizes in bytes of the fixed part of each record, signature included.
const (
	localLen    = 30
	centralLen  = 46
	endLen      = 22
	zip64EndLen = 56
	zip64LocLen = 20
)

// The local file header (4.3.7): offsets from its signature.
const (
	locVersion  = 4
	locFlags    = 6
	locMethod   = 8
	locTime     = 10
	locDate     = 12
	locCRC32    = 14
	locCompSize = 18
	locSize     = 22
	locNameLen  = 26
	locExtraLen = 28
)

// The central directory header (4.3.12): offsets from its signature.
const (
	cenMadeBy     = 4
	cenNeeded     = 6
	cenFlags      = 8
	cenMethod     = 10
	cenTime       = 12
	cenDate       = 14
	cenCRC32      = 16
	cenCompSize   = 20
	cenSize       = 24
	cenNameLen    = 28
	cenExtraLen   = 30
	cenCommentLen = 32
	cenDisk       = 34
	cenInternal   = 36
	cenExternal   = 38
	cenOffset     = 42
)

// The end of central directory record (4.3.16): offsets from its signature.
const (
	endDisk       = 4
	endDirDisk    = 6
	endDiskCount  = 8
	endCount      = 10
	endDirSize    = 12
	endDirOffset  = 16
	endCommentLen = 20
)

// The zip64 end of central directory record (4.3.14): offsets from its signature.
const (
	z64RecordSize = 4 // of what follows this field
	z64Disk       = 16
	z64DirDisk    = 20
	z64DiskCount  = 24
	z64Count      = 32
	z64DirSize    = 40
	z64DirOffset  = 48
)

// The zip64 end of central directory locator (4.3.15): offsets from its signature.
const (
	zlocDisk   = 4
	zlocOffset = 8
	zlocDisks  = 16
)

// General purpose bits (4.4.4).
const (
	flagEncrypted  = 1 << 0
	flagEndMarker  = 1 << 1 // of LZMA data (4.4.4)
	flagDescriptor = 1 << 3
	flagStrong     = 1 << 6
	flagUTF8       = 1 << 11
)

// Hosts, the upper byte of "version made by" (4.4.2).
const (
	hostFAT   = 0
	hostUnix  = 3
	hostNTFS  = 10
	hostVFAT  = 14
	hostMacOS = 19
)

// Extra field identifiers (4.5.2, 4.6.1 and Info-ZIP's proginfo/extrafld.txt).
const (
	extraZip64       = 0x0001
	extraNTFS        = 0x000a
	extraTimestamp   = 0x5455 // "UT", extended timestamp
	extraUnixOld     = 0x5855 // "UX", Info-ZIP Unix, first version
	extraUnicodePath = 0x7075
	extraAES         = 0x9901
)

const (
	max16 = 1<<16 - 1
	max32 = 1<<32 - 1
)

// bytestring is what a record can be read from: a buffer, or the directory, which is kept
// as a string so that names are substrings of it.
type bytestring interface{ ~[]byte | ~string }

func le16[S bytestring](s S, off int) uint16 {
	return uint16(s[off]) | uint16(s[off+1])<<8
}

func le32[S bytestring](s S, off int) uint32 {
	_ = s[off+3]
	return uint32(s[off]) | uint32(s[off+1])<<8 | uint32(s[off+2])<<16 | uint32(s[off+3])<<24
}

func le64[S bytestring](s S, off int) uint64 {
	return uint64(le32(s, off)) | uint64(le32(s, off+4))<<32
}

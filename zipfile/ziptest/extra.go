package ziptest

import (
	"hash/crc32"
	"time"
)

// Identifiers of extra fields.
const (
	ExtraZip64             = 0x0001
	ExtraNTFS              = 0x000a
	ExtraExtendedTimestamp = 0x5455
	ExtraOldUnix           = 0x5855
	ExtraUnicodeComment    = 0x6375
	ExtraUnicodePath       = 0x7075
	ExtraInfoZipUnix       = 0x7875
	ExtraAES               = 0x9901
	ExtraJar               = 0xcafe
)

// Extra returns an extra field: identifier, length, data. Several are joined by append.
func Extra(id uint16, data ...byte) []byte {
	b := make([]byte, 0, 4+len(data))
	b = le.AppendUint16(b, id)
	b = le.AppendUint16(b, uint16(len(data)))
	return append(b, data...)
}

// Zip64Extra returns a zip64 block (APPNOTE 4.5.3) with these values.
func Zip64Extra(values ...uint64) []byte {
	var b []byte
	for _, v := range values {
		b = le.AppendUint64(b, v)
	}
	return Extra(ExtraZip64, b...)
}

// UnicodePath returns an Info-ZIP Unicode Path field (APPNOTE 4.6.9) that says that an entry
// whose header has the name raw is called name. It is stale in an entry of another name.
func UnicodePath(raw, name string) []byte { return unicode(ExtraUnicodePath, raw, name) }

// UnicodeComment is UnicodePath for the comment of an entry (APPNOTE 4.6.8).
func UnicodeComment(raw, comment string) []byte {
	return unicode(ExtraUnicodeComment, raw, comment)
}

func unicode(id uint16, raw, text string) []byte {
	b := le.AppendUint32([]byte{1}, crc32.ChecksumIEEE([]byte(raw)))
	return Extra(id, append(b, text...)...)
}

// ExtendedTimestamp returns an Info-ZIP extended timestamp with a modification time, in whole
// seconds, that is right in both headers.
func ExtendedTimestamp(modified time.Time) []byte {
	return Extra(ExtraExtendedTimestamp, le.AppendUint32([]byte{1}, uint32(modified.Unix()))...)
}

// OldUnix returns the first Info-ZIP Unix field, with the times in whole seconds and no owner.
func OldUnix(accessed, modified time.Time) []byte {
	b := le.AppendUint32(nil, uint32(accessed.Unix()))
	return Extra(ExtraOldUnix, le.AppendUint32(b, uint32(modified.Unix()))...)
}

// NTFSTime returns an NTFS field (APPNOTE 4.5.5) with the times in units of 100 ns.
func NTFSTime(modified, accessed, created time.Time) []byte {
	b := le.AppendUint32(nil, 0) // reserved
	b = le.AppendUint16(b, 1)    // tag of the times
	b = le.AppendUint16(b, 24)
	for _, t := range []time.Time{modified, accessed, created} {
		const from1601 = 11644473600 // seconds to 1970
		b = le.AppendUint64(b, uint64(t.Unix()+from1601)*1e7+uint64(t.Nanosecond()/100))
	}
	return Extra(ExtraNTFS, b...)
}

// InfoZipUnix returns the third Info-ZIP Unix field: owner and group.
func InfoZipUnix(uid, gid uint32) []byte {
	b := le.AppendUint32([]byte{1, 4}, uid)
	b = append(b, 4)
	return Extra(ExtraInfoZipUnix, le.AppendUint32(b, gid)...)
}

// AES returns the field of an entry of method 99: version of the vendor (1, or 2 without a
// CRC), strength (1 to 3: 128, 192, 256 bits) and the real method.
func AES(version uint16, strength byte, method uint16) []byte {
	b := le.AppendUint16(nil, version)
	b = append(b, "AE"...)
	b = append(b, strength)
	return Extra(ExtraAES, le.AppendUint16(b, method)...)
}

// DOSTime returns the wall clock of t in the format of MS-DOS, in units of two seconds. A
// time that it cannot hold, before 1980 or after 2107, gives zeros.
func DOSTime(t time.Time) (date, clock uint16) {
	if t.Year() < 1980 || t.Year() > 2107 {
		return 0, 0
	}
	date = uint16((t.Year()-1980)<<9 | int(t.Month())<<5 | t.Day())
	clock = uint16(t.Hour()<<11 | t.Minute()<<5 | t.Second()/2)
	return date, clock
}

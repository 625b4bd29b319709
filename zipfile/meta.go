package zipfile

import (
	"fmt"
	"io/fs"
	"strconv"
	"time"
)

// Method is a compression method (APPNOTE 4.4.5).
type Method uint16

// The methods that this package reads.
const (
	Store     Method = 0
	Shrink    Method = 1
	Reduce1   Method = 2
	Reduce2   Method = 3
	Reduce3   Method = 4
	Reduce4   Method = 5
	Implode   Method = 6
	Deflate   Method = 8
	Deflate64 Method = 9
	BZip2     Method = 12
	LZMA      Method = 14
	Zstd      Method = 93
	XZ        Method = 95
	PPMd      Method = 98

	zstdOld Method = 20 // APPNOTE 6.3.7, until 6.3.8
)

var methodNames = [...]struct {
	m    Method
	name string
}{
	{Store, "store"}, {Shrink, "shrink"}, {Reduce1, "reduce1"}, {Reduce2, "reduce2"}, {Reduce3, "reduce3"},
	{Reduce4, "reduce4"}, {Implode, "implode"}, {Deflate, "deflate"}, {Deflate64, "deflate64"}, {BZip2, "bzip2"},
	{LZMA, "lzma"}, {zstdOld, "zstd"}, {Zstd, "zstd"}, {XZ, "xz"}, {PPMd, "ppmd"},
}

// String gives the method's name in lower case, "method-N" where it has none here.
func (m Method) String() string {
	if name := m.name(); name != "" {
		return name
	}
	return "method-" + strconv.Itoa(int(m))
}

func (m Method) name() string {
	for _, n := range methodNames {
		if n.m == m {
			return n.name
		}
	}
	return ""
}

// inWords gives the number and, in parentheses, the name of a method that is not supported.
func (m Method) inWords() string {
	name := m.name()
	switch m {
	case 96:
		name = "JPEG"
	case 97:
		name = "WavPack"
	}
	if name == "" {
		return strconv.Itoa(int(m))
	}
	return fmt.Sprintf("%d (%s)", uint16(m), name)
}

// Unix file types and bits in the high half of the external attributes.
const (
	unixTypeMask = 0xf000
	unixSocket   = 0xc000
	unixSymlink  = 0xa000
	unixBlock    = 0x6000
	unixDir      = 0x4000
	unixChar     = 0x2000
	unixFIFO     = 0x1000
	unixSetuid   = 0x800
	unixSetgid   = 0x400
	unixSticky   = 0x200

	dosReadOnly = 0x01
	dosDir      = 0x10
)

// fileMode turns external attributes into a mode. The high half counts for Unix and macOS
// hosts alone: other writers leave anything there, so a link or set-id bit means nothing. Zero
// means that the writer did not know (java's jar tool).
func fileMode(host int, external uint32) fs.FileMode {
	dir := external&dosDir != 0
	if host == hostUnix || host == hostMacOS {
		if unix := external >> 16; unix != 0 {
			return unixMode(unix)
		}
	}
	switch {
	case dir:
		return fs.ModeDir | 0o755
	case host == hostFAT || host == hostNTFS || host == hostVFAT:
		if external&dosReadOnly != 0 {
			return 0o444
		}
	}
	return 0o644
}

func unixMode(unix uint32) fs.FileMode {
	mode := fs.FileMode(unix & 0o777)
	switch unix & unixTypeMask {
	case unixSocket:
		mode |= fs.ModeSocket
	case unixSymlink:
		mode |= fs.ModeSymlink
	case unixBlock:
		mode |= fs.ModeDevice
	case unixDir:
		mode |= fs.ModeDir
	case unixChar:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unixFIFO:
		mode |= fs.ModeNamedPipe
	}
	if unix&unixSetuid != 0 {
		mode |= fs.ModeSetuid
	}
	if unix&unixSetgid != 0 {
		mode |= fs.ModeSetgid
	}
	if unix&unixSticky != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

// modified picks the best time there is: NTFS (100 ns, UTC), extended timestamp (1 s, UTC),
// old Info-ZIP Unix (1 s, UTC), then the DOS time, which has no zone and is taken as one in loc.
func modified(extra string, date, tod uint16, loc *time.Location) time.Time {
	var ntfs, ut, ux time.Time
	walkExtra(extra, func(id uint16, block string) bool {
		switch id {
		case extraNTFS:
			ntfs = first(ntfs, ntfsTime(block))
		case extraTimestamp:
			// 4.6 of extrafld.txt: bit 0 of the flags says that the time of modification is there.
			if len(block) >= 5 && block[0]&1 != 0 {
				ut = first(ut, time.Unix(int64(int32(le32(block, 1))), 0).UTC())
			}
		case extraUnixOld:
			// Time of access, then of modification.
			if len(block) >= 8 {
				ux = first(ux, time.Unix(int64(int32(le32(block, 4))), 0).UTC())
			}
		}
		return true
	})
	return first(first(first(ntfs, ut), ux), dosTime(date, tod, loc))
}

func first(a, b time.Time) time.Time {
	if a.IsZero() {
		return b
	}
	return a
}

// ntfsTime reads attribute 1 of the NTFS extra field (APPNOTE 4.5.5).
func ntfsTime(block string) time.Time {
	if len(block) < 4 {
		return time.Time{}
	}
	attrs, ok := findExtra(block[4:], 1)
	if !ok || len(attrs) < 8 {
		return time.Time{}
	}
	const toUnix = 11644473600 // seconds from 1601 to 1970
	ticks := le64(attrs, 0)
	if ticks == 0 || ticks > 1<<63-1 {
		return time.Time{}
	}
	return time.Unix(int64(ticks/1e7)-toUnix, int64(ticks%1e7)*100).UTC()
}

// dosTime is zero for dates and times that do not exist.
func dosTime(date, tod uint16, loc *time.Location) time.Time {
	year, month, day := int(date>>9)+1980, time.Month(date>>5&0xf), int(date&0x1f)
	hour, minute, sec := int(tod>>11), int(tod>>5&0x3f), int(tod&0x1f)*2
	if month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || sec > 59 {
		return time.Time{}
	}
	if time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Day() != day { // the 31st of a shorter month
		return time.Time{}
	}
	return time.Date(year, month, day, hour, minute, sec, 0, loc)
}

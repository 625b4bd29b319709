package zipfile

import (
	"fmt"
	"math"
	"slices"

	"zipcat.dev/zipfile/internal/crypt"
)

// record is one central directory header with its zip64 block taken in.
type record struct {
	pos     int // of the header in the directory
	madeBy  uint16
	flags   uint16
	method  Method
	crc     uint32
	csize   int64
	size    int64
	header  int64 // offset of the local file header in the file, prefix included
	name    string
	extra   string
	comment string

	stored Method      // as it stands in the header: 99 for an entry encrypted by AES
	aes    crypt.Extra // of such an entry

	// invalid tells why sizes or offset cannot be known; the name and the rest still hold.
	invalid error
}

// recordAt takes apart the header at pos, which the directory pass has found to lie within
// the directory as a whole.
func (z *ZipFile) recordAt(pos int) record {
	d := z.dir[pos:]
	n, m, k := int(le16(d, cenNameLen)), int(le16(d, cenExtraLen)), int(le16(d, cenCommentLen))
	r := record{
		pos:     pos,
		madeBy:  le16(d, cenMadeBy),
		flags:   le16(d, cenFlags),
		method:  Method(le16(d, cenMethod)),
		crc:     le32(d, cenCRC32),
		csize:   int64(le32(d, cenCompSize)),
		size:    int64(le32(d, cenSize)),
		header:  int64(le32(d, cenOffset)),
		name:    d[centralLen : centralLen+n],
		extra:   d[centralLen+n : centralLen+n+m],
		comment: d[centralLen+n+m : centralLen+n+m+k],
	}
	if r.stored = r.method; r.method == methodAES {
		r.realMethod()
	}
	if r.csize == max32 || r.size == max32 || r.header == max32 {
		r.zip64()
	}
	if z.disks != nil {
		r.splitHeader(z)
	}
	if z.wrap != nil {
		r.unwrap(z)
		return r
	}
	if r.header > math.MaxInt64-z.base {
		r.invalid = detailf(ErrFormat, "local file header offset %d is beyond any file", r.header)
	} else {
		r.header += z.base
	}
	return r
}

// splitHeader makes the offset of the local file header count from the start of the first part.
func (r *record) splitHeader(z *ZipFile) {
	disk := uint32(le16(z.dir, r.pos+cenDisk))
	if disk == max16 {
		// The last of the fields of the zip64 block that are there.
		if block, ok := findExtra(r.extra, extraZip64); ok && len(block)%8 == 4 {
			disk = le32(block, len(block)-4)
		}
	}
	if int64(disk) >= int64(len(z.disks)) {
		r.invalid = detailf(ErrFormat, "local file header in part %d of %d", uint64(disk)+1, len(z.disks))
		return
	}
	if start := z.disks[disk]; r.header <= math.MaxInt64-start {
		r.header += start
	}
}

// zip64 replaces the fields that are all ones by those of the zip64 block (APPNOTE 4.5.3):
// size, compressed size, offset and disk, each there only when its field is all ones. A
// value without a block is meant as it stands: 42.zip and files of exactly that size.
func (r *record) zip64() {
	block, ok := findExtra(r.extra, extraZip64)
	if !ok {
		return
	}
	for _, f := range [...]*int64{&r.size, &r.csize, &r.header} {
		if *f != max32 {
			continue
		}
		if len(block) < 8 { // nothing is guessed from what may follow it (ZipDiff, class A2)
			r.invalid = detailf(ErrFormat, "zip64 block is too short for the fields that need it")
			return
		}
		v := le64(block, 0)
		if v > math.MaxInt64 { // Java takes it for negative (JDK-8302483)
			r.invalid = detailf(ErrFormat, "zip64 block holds %d, found a value that no file can have", v)
			return
		}
		*f = int64(v)
		block = block[8:]
	}
}

// zip64Oddity names what is odd about the zip64 block of a header that could do without, or
// is longer than it needs: archive/zip writes all three values when one is needed, Ant and
// Commons Compress write empty blocks.
func (z *ZipFile) zip64Oddity(r *record) string {
	block, ok := findExtra(r.extra, extraZip64)
	if !ok {
		return ""
	}
	d := z.dir[r.pos:]
	need := 0
	for _, off := range [...]int{cenSize, cenCompSize, cenOffset} {
		if le32(d, off) == max32 {
			need += 8
		}
	}
	if le16(d, cenDisk) == max16 {
		need += 4
	}
	switch {
	case len(block) == 0:
		return "zip64 block is empty"
	case need == 0:
		return "zip64 block where no field needs one"
	case len(block) > need:
		return "zip64 block is longer than its fields need"
	}
	return ""
}

// headerOffset is where the header of r in the directory begins, in bytes from the start of the file;
// -1 where the directory was rebuilt.
func (z *ZipFile) headerOffset(r *record) int64 {
	if z.recovered {
		return -1
	}
	if z.only != nil {
		i, _ := slices.BinarySearch(z.pos, uint32(r.pos))
		return z.only.headers[i].at
	}
	return z.dirOffset + int64(r.pos)
}

// isDir: a directory is what ends in a slash, or is empty and has the directory bit of its
// host. Some jar tools leave the slash out.
func (r *record) isDir(z *ZipFile) bool {
	if name := z.entryName(r); len(name) > 0 && name[len(name)-1] == '/' {
		return true
	}
	return r.size == 0 && r.invalid == nil && fileMode(r.host(), z.external(r)).IsDir()
}

func (r *record) host() int { return int(r.madeBy >> 8) }

func (z *ZipFile) external(r *record) uint32 { return le32(z.dir, r.pos+cenExternal) }

// hasDirectoryData reports a directory that carries contents. Two bytes are an empty deflate
// stream, which java's jar tool writes for directories (golang/go's File.Open names it).
func (r *record) hasDirectoryData() bool {
	return r.size != 0 || r.csize > 2 || r.method == Store && r.csize != 0
}

func (r *record) dirDataText() string {
	n := r.size
	if n == 0 {
		n = r.csize
	}
	return fmt.Sprintf("a directory with %d bytes of data", n)
}

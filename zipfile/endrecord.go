package zipfile

import (
	"bytes"
	"fmt"
	"math"
)

// endRecord is what an end of central directory record says, zip64 records taken in, and
// where that puts the directory.
type endRecord struct {
	candidate
	stop int64 // where the directory should end: before the zip64 record or the end record

	disk, dirDisk uint32
	count         uint64
	diskCount     uint64 // of count, those in this part
	wide          bool   // count comes from a zip64 record and is not modulo 65536
	size, offset  uint64 // of the directory, as recorded
	shift         int64  // what the zip64 locator's offset lacks to lead to the zip64 record

	// Set by place.
	dirOffset, dirSize int64
	base               int64 // what recorded offsets lack

	odd []Finding
}

func (e *endRecord) note(kind string, off int64, format string, args ...any) {
	e.odd = append(e.odd, Finding{Kind: kind, Index: -1, Offset: off, Text: fmt.Sprintf(format, args...)})
}

// endRecordAt takes apart the end record of a candidate and the zip64 records before it.
func (o *opening) endRecordAt(e *endRecord, c candidate) error {
	d := o.tail[c.pos-o.start:]
	*e = endRecord{
		candidate: c,
		stop:      c.pos,
		disk:      uint32(le16(d, endDisk)),
		dirDisk:   uint32(le16(d, endDirDisk)),
		count:     uint64(le16(d, endCount)),
		diskCount: uint64(le16(d, endDiskCount)),
		size:      uint64(le32(d, endDirSize)),
		offset:    uint64(le32(d, endDirOffset)),
	}
	if err := o.zip64(e); err != nil {
		return err
	}
	if err := o.splitOffset(e); err != nil {
		return err
	}
	// Nobody reads this field, so that it may hold anything; libzip and 7-Zip warn.
	if e.diskCount != e.count {
		e.note(kindEntryCount, c.pos, "%d entries in this part, %d in all", e.diskCount, e.count)
	}
	return nil
}

// splitOffset makes the offset of the directory count from the start of the first part, if the
// archive is split and all parts are there.
func (o *opening) splitOffset(e *endRecord) error {
	disks := o.z.disks
	switch {
	case e.disk == 0 && e.dirDisk == 0:
		return nil
	case int64(e.disk) != int64(len(disks))-1 || e.dirDisk > e.disk || e.offset > math.MaxInt64/2:
		return o.splitError(e.pos, e.disk)
	}
	e.offset += uint64(disks[e.dirDisk])
	e.diskCount = e.count // that of the last part alone
	return nil
}

// zip64 finds the zip64 records that belong to e and replaces its fields by theirs. Readers
// differ most over archives in which the two contradict each other (ZipDiff, class C5), so
// those are refused: a 32-bit field is all ones or has the same value.
func (o *opening) zip64(e *endRecord) error {
	loc := e.pos - zip64LocLen
	buf, err := o.bytes(loc, zip64LocLen)
	if err != nil {
		return err
	}
	if buf == nil || le32(buf, 0) != sigZip64Loc {
		return nil
	}
	offset, disks, disk := le64(buf, zlocOffset), le32(buf, zlocDisks), le32(buf, zlocDisk)
	if int64(disk) < int64(len(o.z.disks)) && offset <= math.MaxInt64/2 {
		offset += uint64(o.z.disks[disk])
	}
	pos, rec, err := o.zip64Record(loc, offset)
	if err != nil {
		return err
	}
	if rec == nil {
		if e.needsZip64() {
			return formatErrorf(recZip64Loc, loc, "found offset %d, where no zip64 end of central directory record is that ends at the locator", offset)
		}
		// A file name at the end of the directory can look like a locator.
		e.note(kindZip64, loc, "a zip64 locator that leads to no record")
		return nil
	}
	if len(o.z.disks) == 0 && (disks > 1 || disk != 0) {
		return o.splitError(loc, max(disks, 1)-1)
	}
	for _, f := range [...]struct {
		name        string
		short, ones uint64
		off, len    int
	}{
		{"number of this disk", uint64(e.disk), max16, z64Disk, 4},
		{"disk of the directory", uint64(e.dirDisk), max16, z64DirDisk, 4},
		{"entries on this disk", e.diskCount, max16, z64DiskCount, 8},
		{"number of entries", e.count, max16, z64Count, 8},
		{"size of the directory", e.size, max32, z64DirSize, 8},
		{"offset of the directory", e.offset, max32, z64DirOffset, 8},
	} {
		v := uint64(le32(rec, f.off))
		if f.len == 8 {
			v = le64(rec, f.off)
		}
		if f.short != f.ones && f.short != v {
			return formatErrorf(recEnd, e.pos, "%s is %d, the zip64 record says %d", f.name, f.short, v)
		}
	}
	// APPNOTE 4.3.14.2 keeps it for PKWARE's own use. PyPI refuses it, as readers that take the
	// record to be of fixed length look for it in the wrong place.
	if n := le64(rec, z64RecordSize); n > zip64EndLen-12 {
		e.note(kindZip64, pos, "%d bytes of extensible data in the zip64 record", n-(zip64EndLen-12))
	}
	e.disk, e.dirDisk = le32(rec, z64Disk), le32(rec, z64DirDisk)
	e.diskCount, e.count = le64(rec, z64DiskCount), le64(rec, z64Count)
	e.size, e.offset = le64(rec, z64DirSize), le64(rec, z64DirOffset)
	e.wide, e.stop, e.shift = true, pos, pos-int64(offset)
	return nil
}

func (e *endRecord) needsZip64() bool {
	return e.disk == max16 || e.dirDisk == max16 || e.count == max16 || e.diskCount == max16 ||
		e.size == max32 || e.offset == max32
}

// maxExtensible is how far before its locator a zip64 record with extensible data is searched,
// in bytes, where the locator does not lead to it.
const maxExtensible = 64 << 10

// zip64Record finds the zip64 record that ends at the locator: where the locator says, else
// right before it (a prefix that the offsets do not count), else before it with extensible
// data. It is nil where there is none.
func (o *opening) zip64Record(loc int64, offset uint64) (int64, []byte, error) {
	try := func(pos int64) ([]byte, error) {
		if pos < 0 || pos > loc-zip64EndLen {
			return nil, nil
		}
		rec, err := o.bytes(pos, zip64EndLen)
		if err != nil || rec == nil || le32(rec, 0) != sigZip64End || le64(rec, z64RecordSize) != uint64(loc-pos-12) {
			return nil, err
		}
		return rec, nil
	}
	if offset > math.MaxInt64 {
		return 0, nil, nil
	}
	for _, pos := range [...]int64{int64(offset), loc - zip64EndLen} {
		if rec, err := try(pos); rec != nil || err != nil {
			return pos, rec, err
		}
	}
	from := max(loc-o.start-maxExtensible, 0)
	near := o.tail[from:max(loc-o.start, from)]
	sig := []byte("PK\x06\x06")
	for end := len(near); end > 0; {
		i := bytes.LastIndex(near[:end], sig)
		if i < 0 {
			break
		}
		pos := o.start + from + int64(i)
		if rec, err := try(pos); rec != nil || err != nil {
			return pos, rec, err
		}
		end = i + 3
	}
	return 0, nil, nil
}

// bytes returns n bytes at off, from the tail where it holds them; nil outside the file.
func (o *opening) bytes(off int64, n int) ([]byte, error) {
	if off < 0 || off > o.size-int64(n) {
		return nil, nil
	}
	if i := off - o.start; i >= 0 {
		return o.tail[i : i+int64(n)], nil
	}
	buf := make([]byte, n)
	return buf, o.z.readAt(buf, off)
}

// fits reports whether size and offset of the directory are possible at all.
func (e *endRecord) fits() bool { return e.size <= uint64(e.stop) && e.offset <= uint64(e.stop) }

// place finds the directory. It ends at the end record as a rule; what the recorded offset
// lacks to lead there is the length of a prefix, which java's ZipFile, unzip and archive/zip
// tolerate, as self-extracting archives and shell stubs have one. If there is no directory
// there, it may be at the recorded offset, with a gap behind it.
func (o *opening) place(e *endRecord) error {
	if !e.fits() {
		return formatErrorf(recEnd, e.pos, "directory of %d bytes at offset %d does not fit before offset %d", e.size, e.offset, e.stop)
	}
	// A damaged end record must not look like an archive with nothing in it.
	if e.size == 0 && e.count > 0 {
		return formatErrorf(recEnd, e.pos, "directory of 0 bytes with %d entries", e.count)
	}
	e.dirSize = int64(e.size)
	recorded := int64(e.offset)
	adjacent := e.stop - e.dirSize
	if adjacent == recorded && (!e.wide || e.shift == 0) {
		e.dirOffset = recorded // as in every ordinary archive; loading it will tell
		return nil
	}
	there, err := o.directoryAt(adjacent, e)
	if err != nil {
		return err
	}
	switch base := adjacent - recorded; {
	case there && base >= 0:
		e.dirOffset, e.base = adjacent, base
		if base > 0 && e.dirSize > 0 {
			// A reader that trusts the recorded offset would see other entries (ZipDiff, class C4).
			other, err := o.directoryAt(recorded, e)
			if err != nil {
				return err
			}
			if other {
				e.note(kindSeveralEnds, recorded, "a directory at the recorded offset %d too; the one at offset %d, before the end record, is used", recorded, adjacent)
			}
		}
	case recorded+e.dirSize > e.stop:
		return formatErrorf(recEnd, e.pos, "directory of %d bytes at offset %d does not fit before offset %d", e.size, e.offset, e.stop)
	default:
		at, err := o.directoryAt(recorded, e)
		if err != nil {
			return err
		}
		if !at {
			return formatErrorf(recDirectory, adjacent, "no directory there, nor at the recorded offset %d", recorded)
		}
		e.dirOffset, e.base = recorded, 0
		// Found behind APKs whose signing block was put in the wrong place, and where tools cut a
		// directory in place. archive/zip reads it so, Java does not.
		e.note(kindGap, recorded+e.dirSize, "%d bytes between the directory and the end record", e.stop-recorded-e.dirSize)
	}
	if e.wide && e.shift != e.base {
		return formatErrorf(recZip64Loc, e.pos-zip64LocLen, "zip64 record is %d bytes from where the locator says, the directory %d bytes", e.shift, e.base)
	}
	return nil
}

// directoryAt reports whether a directory of the recorded size could begin at off.
func (o *opening) directoryAt(off int64, e *endRecord) (bool, error) {
	if e.dirSize == 0 {
		return true, nil
	}
	if e.dirSize < centralLen {
		return false, nil
	}
	head, err := o.bytes(off, centralLen)
	if err != nil || head == nil {
		return false, err
	}
	n := headerLen(head)
	return n > 0 && int64(n) <= e.dirSize, nil
}

package zipfile

import (
	"fmt"
	"math/bits"

	"zipcat.dev/zipfile/internal/inflate"
)

// deflateLevel are the flags that tell how hard the writer tried (APPNOTE 4.4.4, bits 1 and
// 2). They do not change what is read, and some writers set them in one place alone.
const deflateLevel = 1<<1 | 1<<2

// place is where the data of an entry lie.
type place struct {
	header int64 // local file header, bytes from the start of the file
	data   int64 // first byte of the data
	next   int64 // first byte that belongs to something else
}

// headerGuess is what is read for a local file header alone: names and extra fields seldom
// take more.
const headerGuess = 512

// locate reads the local file header of entry i and checks where its data lie.
func (z *ZipFile) locate(i uint32, r *record) (place, error) {
	p, err := z.precheck(i, r)
	if err != nil {
		return p, err
	}
	buf := getBuffer(int(min(p.next-p.header, headerGuess)))
	defer buf.free()
	if err := z.readAt(buf.b, p.header); err != nil {
		return p, err
	}
	return p, z.parseLocal(i, r, &p, buf.b)
}

// precheck checks what can be told before the file is read.
func (z *ZipFile) precheck(i uint32, r *record) (p place, err error) {
	if r.invalid != nil {
		return p, &FormatError{Offset: z.headerOffset(r), Record: recCentral, Kind: kindFormat, Err: r.invalid}
	}
	p.header = r.header
	// libziparchive checks this when it opens, Java and archive/zip never: they would read
	// headers out of the directory.
	if r.header < 0 || r.header > z.dirOffset-localLen {
		return p, formatErrorf(recLocal, r.header, "does not fit before the directory at offset %d", z.dirOffset)
	}
	var shared bool
	if p.next, shared = z.next(i, r.header); shared {
		// The whole-archive form of the overlapping bomb (Fifield, "A better zip bomb", 2019).
		return p, overlapError(recLocal, r.header, "another name has the same header")
	}
	if r.csize > z.dirOffset-localLen-r.header {
		return p, formatErrorf(recLocal, r.header, "%d bytes of data reach past the directory at offset %d", r.csize, z.dirOffset)
	}
	return p, nil
}

// checkReadable tells what stands against reading the contents before the file is read.
func (z *ZipFile) checkReadable(r *record) error {
	off := z.headerOffset(r)
	fault := func(kind string, is error, format string, args ...any) error {
		return &FormatError{Offset: off, Record: recCentral, Kind: kind, Err: detailf(is, format, args...)}
	}
	switch {
	case r.invalid != nil:
		return &FormatError{Offset: off, Record: recCentral, Kind: kindFormat, Err: r.invalid}
	case r.isDir(z):
		if z.checks == Strict && r.hasDirectoryData() {
			return fault(kindFormat, ErrFormat, "%s, expected none", r.dirDataText())
		}
		return nil
	case r.encrypted() || r.method == methodAES:
		if kind, err := z.checkEncryption(r); err != nil {
			return &FormatError{Offset: off, Record: recCentral, Kind: kind, Err: err}
		}
	}
	if !z.readable(r.method) {
		return fault(kindMethod, ErrAlgorithm, "method %s is not supported", r.method.inWords())
	}
	return z.checkSizes(r)
}

// checkSizes holds the declared sizes against each other and against the limits.
func (z *ZipFile) checkSizes(r *record) error {
	off := z.headerOffset(r)
	if err := r.sizeFault(); err != nil && !(z.recovered && r.csize-r.overhead() < r.size) { // perhaps cut off
		return &FormatError{Offset: off, Record: recCentral, Kind: kindSize, Err: err}
	}
	if m := z.limits.MaxEntrySize; m > 0 && r.size > m {
		return limitError(recCentral, off, "declares %d bytes, the limit is %d", r.size, m)
	}
	if m := z.limits.MaxRatio; m > 0 && r.over(m) {
		return limitError(recCentral, off, "declares %d bytes out of %d, the limit is %d to 1", r.size, r.csize, m)
	}
	return nil
}

// sizeFault tells which pair of sizes is impossible. Of a stored entry with two sizes one reader
// gives one length and another the other (ZipDiff, class A2; yauzl has a test of it).
func (r *record) sizeFault() error {
	switch {
	case r.method == Store && r.csize != r.size+r.overhead():
		return detailf(ErrFormat, "stored with %d bytes of data for a size of %d", r.csize-r.overhead(), r.size)
	case r.method == Deflate && r.over(inflate.MaxRatio):
		return detailf(ErrFormat, "declares %d bytes out of %d, more than deflate can give", r.size, r.csize)
	}
	return nil
}

// over reports more than ratio bytes for each compressed byte.
func (r *record) over(ratio int64) bool {
	hi, lo := bits.Mul64(uint64(ratio), uint64(r.csize))
	return hi == 0 && uint64(r.size) > lo
}

func overlapError(record string, off int64, format string, args ...any) error {
	return &FormatError{Offset: off, Record: record, Kind: kindOverlap, Err: detailf(ErrFormat, format, args...)}
}

// parseLocal completes p from the bytes at p.header and compares the local file header with
// the directory.
func (z *ZipFile) parseLocal(i uint32, r *record, p *place, b []byte) error {
	if len(b) < localLen {
		// The directory has room for the header, so it is another entry that begins within it.
		return overlapError(recLocal, p.header, "the next entry begins at offset %d, within the header", p.next)
	}
	if sig := le32(b, 0); sig != sigLocal {
		return formatErrorf(recLocal, p.header, "found signature %08x, expected %08x", sig, uint32(sigLocal))
	}
	n, m := int64(le16(b, locNameLen)), int64(le16(b, locExtraLen))
	p.data = p.header + localLen + n + m
	switch end := p.data + r.csize; {
	case end > z.dirOffset:
		return formatErrorf(recLocal, p.header, "data of %d bytes at offset %d reach past the directory at offset %d", r.csize, p.data, z.dirOffset)
	case end > p.next && !(r.size == 0 && end <= p.next+2):
		// Two bytes behind an entry of size 0 are an empty deflate stream whose compressed size
		// was written as 0 or 2 at odds with the layout (ClamAV#561 names vendors' jars).
		return overlapError(recLocal, p.header, "data of %d bytes at offset %d reach into the next entry at offset %d", r.csize, p.data, p.next)
	}
	return z.compareLocal(i, r, p, b)
}

// compareLocal notes where the local file header contradicts the directory, which decides. A
// program that reads archives from the front would see something else (ZipDiff, classes A1 to
// A5; Android's "master key" faults).
func (z *ZipFile) compareLocal(i uint32, r *record, p *place, b []byte) error {
	need := int(p.data - p.header)
	if need > len(b) {
		buf := getBuffer(need)
		defer buf.free()
		if err := z.readAt(buf.b, p.header); err != nil {
			return err
		}
		b = buf.b
	}
	n := localLen + int(le16(b, locNameLen))
	name, extra := b[localLen:n], b[n:need]
	if off := walkExtra(extra, func(uint16, []byte) bool { return true }); off >= 0 {
		z.noteRead(kindExtra, i, p.header, "extra field of the local file header overruns at byte %d of %d", off, len(extra))
	}
	if what, found, want := r.localDifference(b, name, extra); what != "" {
		z.noteRead(kindLocal, i, p.header, "%s is %v, the directory says %v", what, found, want)
	}
	return nil
}

// localDifference compares field by field. Under bit 3, and where they are 0 or all ones, sizes
// and CRC mean "see the directory" (ijar's rule for sloppy writers).
func (r *record) localDifference(b, name, extra []byte) (what string, found, want any) {
	switch flags, method := le16(b, locFlags), le16(b, locMethod); {
	case string(name) != r.name:
		return "name", printable(string(name)), printable(r.name)
	case method != uint16(r.stored):
		return "method", Method(method), r.stored
	case (flags^r.flags)&^deflateLevel != 0:
		return "flags", fmt.Sprintf("%#04x", flags), fmt.Sprintf("%#04x", r.flags)
	case flags&flagDescriptor != 0:
		return "", nil, nil
	}
	if crc := le32(b, locCRC32); crc != r.crc && crc != 0 && crc != max32 {
		return "CRC-32", fmt.Sprintf("%08x", crc), fmt.Sprintf("%08x", r.crc)
	}
	size, csize := uint64(le32(b, locSize)), uint64(le32(b, locCompSize))
	if block, ok := findExtra(extra, extraZip64); ok && (size == max32 || csize == max32) {
		// APPNOTE 4.5.3: in a local header both sizes are there.
		for _, f := range [...]*uint64{&size, &csize} {
			if *f == max32 && len(block) >= 8 {
				*f, block = le64(block, 0), block[8:]
			}
		}
	}
	if size != uint64(r.size) && size != 0 && size != max32 {
		return "size", size, r.size
	}
	if csize != uint64(r.csize) && csize != 0 && csize != max32 {
		return "compressed size", csize, r.csize
	}
	return "", nil, nil
}

// checkDescriptor looks at what follows the data of an entry with bit 3: up to gap bytes that
// belong to nothing else. A descriptor may be missing (bit 3 on directories, zip2#971), may
// lack its signature, and may have 64-bit sizes with and without a zip64 block. What looks
// like one and agrees with the directory in none of these readings contradicts it.
func (z *ZipFile) checkDescriptor(i uint32, r *record, off int64, b []byte, gap int64) {
	if r.flags&flagDescriptor == 0 || len(b) < 12 {
		return
	}
	signed := le32(b, 0) == sigDataDesc
	if descriptorFits(b, r) || signed && descriptorFits(b[4:], r) {
		return
	}
	at := b
	if signed {
		at, gap = b[4:], gap-4
	}
	switch {
	case gap == 20 && len(at) >= 20:
		z.noteRead(kindDescriptor, i, off, "CRC-32 %08x, sizes %d and %d; the directory says %08x, %d and %d",
			le32(at, 0), le64(at, 4), le64(at, 12), r.crc, r.csize, r.size)
	case (signed || gap == 12) && len(at) >= 12:
		z.noteRead(kindDescriptor, i, off, "CRC-32 %08x, sizes %d and %d; the directory says %08x, %d and %d",
			le32(at, 0), le32(at, 4), le32(at, 8), r.crc, r.csize, r.size)
	}
}

// descriptorLen is the longest data descriptor: signature, CRC, two 64-bit sizes.
const descriptorLen = 24

func descriptorFits(b []byte, r *record) bool {
	if len(b) < 12 || le32(b, 0) != r.crc {
		return false
	}
	if le32(b, 4) == uint32(r.csize) && le32(b, 8) == uint32(r.size) {
		return true
	}
	return len(b) >= 20 && le64(b, 4) == uint64(r.csize) && le64(b, 12) == uint64(r.size)
}

package zipfile

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// onTrust is the largest directory, in bytes, that gets its memory before its records are
// checked. A larger one is read twice, so that a size that a header only claims (over the hole
// of a sparse file, say) costs no memory.
const onTrust = 32 << 20

// load reads the directory that e leads to and checks that its records fill it.
func (o *opening) load(e *endRecord) error {
	z := o.z
	if most := int64(min(math.MaxUint32, math.MaxInt)); e.dirSize > most {
		return limitError(recDirectory, e.dirOffset, "directory of %d bytes, the most is %d", e.dirSize, most)
	}
	if m := z.limits.MaxDirectorySize; m > 0 && e.dirSize > m {
		return limitError(recDirectory, e.dirOffset, "directory of %d bytes, the limit is %d", e.dirSize, m)
	}
	z.dirOffset, z.base = e.dirOffset, e.base
	z.endAt, z.endStop, z.zip64 = e.pos, e.end, e.wide
	if o.maySelect(e) {
		if count, ok, err := o.selectOnly(e); err != nil {
			return err
		} else if ok {
			e.checkCount(count)
			return nil
		}
	}
	if e.dirSize > onTrust {
		if err := o.walk(e.dirOffset, e.dirSize); err != nil {
			return err
		}
	}
	dir, err := o.readDirectory(e)
	if err != nil {
		return err
	}
	z.dir, z.only = dir, nil
	if err := z.scan(e.count); err != nil {
		return err
	}
	if at, err := o.wrapped(e); err != nil {
		return err
	} else if at != nil {
		z.wrap, z.base, z.prefix = at, 0, at[0]
		z.ascending = slices.IsSortedFunc(at, func(a, b int64) int { return cmp.Or(cmp.Compare(a, b), 1) })
		e.note(kindZip64, e.pos, "sizes and offsets are modulo 4 GiB, without zip64 records")
	}
	e.checkCount(len(z.pos))
	return z.checkTotals()
}

// checkCount compares the count of entries with that of the directory.
func (e *endRecord) checkCount(held int) {
	if n := uint64(held); n != e.count && (e.wide || n%(max16+1) != e.count) {
		// More than 65,535 entries without zip64 records are common (Ant's zip64Mode "never",
		// JDK-8272746): their count is modulo 65,536.
		e.note(kindEntryCount, e.pos, "the end record counts %d entries, the directory holds %d", e.count, n)
	}
}

// readDirectory reads the directory into a string through a builder, so that every name in
// it is a substring that costs nothing. The tail is done with and serves as the buffer.
func (o *opening) readDirectory(e *endRecord) (string, error) {
	if i := e.dirOffset - o.start; i >= 0 {
		return string(o.tail[i : i+e.dirSize]), nil
	}
	var b strings.Builder
	b.Grow(int(e.dirSize))
	for off, end := e.dirOffset, e.dirOffset+e.dirSize; off < end; {
		p := o.tail[:min(end-off, int64(len(o.tail)))]
		if err := o.z.readOnce(p, off); err != nil {
			return "", err
		}
		b.Write(p)
		off += int64(len(p))
	}
	return b.String(), nil
}

// scan passes over the directory once: it finds where each header begins, checks that they
// fill the directory, whether local headers ascend, and where the first one is.
func (z *ZipFile) scan(count uint64) error {
	dir := z.dir
	z.pos = make([]uint32, 0, min(count, uint64(len(dir)/centralLen)))
	z.ascending = true
	last, lowest := int64(-1), int64(math.MaxInt64)
	for pos := 0; pos < len(dir); {
		n := headerLen(dir[pos:])
		if n == 0 || n > len(dir)-pos {
			if isDigitalSignature(dir[pos:], len(dir)-pos) {
				break
			}
			return headerFault(dir[pos:], z.dirOffset+int64(pos), int64(len(dir)-pos))
		}
		header := int64(le32(dir, pos+cenOffset))
		if header == max32 || z.disks != nil {
			r := z.recordAt(pos)
			if header = r.header - z.base; r.invalid != nil {
				header = -1
			}
		}
		if header <= last {
			z.ascending = false
		}
		last = header
		if header >= 0 {
			lowest = min(lowest, header)
		}
		z.pos = append(z.pos, uint32(pos))
		pos += n
	}
	return z.scanned(len(z.pos), lowest)
}

// scanned ends a pass over the directory: it held count headers, the lowest local file header is
// recorded to be at lowest.
func (z *ZipFile) scanned(count int, lowest int64) error {
	switch {
	case count == 0:
		z.prefix = z.dirOffset // an empty archive begins with its directory
	case lowest < z.dirOffset-z.base:
		z.prefix = z.base + lowest
	default:
		z.prefix = z.base // no header is where one can be
	}
	if m := z.limits.MaxEntries; m > 0 && int64(count) > m {
		return limitError(recDirectory, z.dirOffset, "%d entries, the limit is %d", count, m)
	}
	return nil
}

// headerLen returns the length of the central directory header that h begins with, 0 if there
// is none.
func headerLen[S bytestring](h S) int {
	if len(h) < centralLen || le32(h, 0) != sigCentral {
		return 0
	}
	return centralLen + int(le16(h, cenNameLen)) + int(le16(h, cenExtraLen)) + int(le16(h, cenCommentLen))
}

// headerFault says what is wrong where a header should begin, left bytes before the end of the
// directory. A directory must end where its size says: between its real and its declared end
// one reader sees entries and another does not (OpenJDK refuses it too).
func headerFault[S bytestring](h S, off, left int64) error {
	switch n := headerLen(h); {
	case left < centralLen:
		return formatErrorf(recCentral, off, "directory ends within a header, %d bytes are left of at least %d", left, centralLen)
	case n == 0:
		return formatErrorf(recCentral, off, "found signature %08x, expected %08x", le32(h, 0), uint32(sigCentral))
	default:
		return formatErrorf(recCentral, off, "header of %d bytes runs past the end of the directory, %d are left", n, left)
	}
}

// isDigitalSignature recognises the record that may end a directory (APPNOTE 4.3.13).
func isDigitalSignature[S bytestring](s S, left int) bool {
	return len(s) >= 6 && le32(s, 0) == sigDigital && int(le16(s, 4)) == left-6
}

// checkTotals holds the declared sizes against the limit. What an entry gives is never more
// than it declares.
func (z *ZipFile) checkTotals() error {
	m := z.limits.MaxTotalSize
	if m <= 0 {
		return nil
	}
	var total int64
	for _, pos := range z.pos {
		r := z.recordAt(int(pos))
		if total += r.size; total > m || total < 0 {
			return limitError(recDirectory, z.dirOffset, "entries declare more than %d bytes, the limit for all of them", m)
		}
	}
	return nil
}

// walk checks that a directory lies at off, in bounded memory.
func (o *opening) walk(off, size int64) error {
	w := window{read: o.z.readOnce, size: o.size, buf: make([]byte, 64<<10)}
	for pos, end := off, off+size; pos < end; {
		left := end - pos
		head, err := w.bytes(pos, int(min(left, centralLen)))
		if err != nil {
			return err
		}
		n := int64(headerLen(head))
		if n == 0 || n > left {
			if isDigitalSignature(head, int(min(left, max32))) {
				return nil
			}
			return headerFault(head, pos, left)
		}
		pos += n
	}
	return nil
}

func limitError(record string, off int64, format string, args ...any) error {
	return &FormatError{Offset: off, Record: record, Kind: kindLimit, Err: detailf(ErrLimit, format, args...)}
}

package zipfile

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

// recovery rebuilds a directory that is lost or damaged from the local file headers, in one pass
// from the front of the file; data are read a second time to decode them. What it makes is a directory like any other, as a writer would
// have written it, so that everything else works on it unchanged.
type recovery struct {
	z     *ZipFile
	size  int64 // of the file
	w     window
	dir   []byte // made so far
	old   map[int64]survivor
	count [fates]int
	gaps  int64 // bytes that belong to no entry
	rest  int64 // bytes of what is left of the directory
	work  int64 // bytes that may still be decoded or searched to find where entries end
	odd   []Finding

	claimed int64 // end of the last local file header that was taken in
	overlap int64 // bytes of headers that may still overlap such a one
}

// survivor is what is left in the old directory of an entry and stands nowhere else.
type survivor struct {
	madeBy   uint16
	external uint32
	name     string
	comment  string
}

// fate is what has become of an entry.
type fate uint8

const (
	whole fate = iota
	unverified
	damaged
	cutOff
	lost
	fates
)

// maxEffort times the size of the file is how much is read to find where entries end. A file made
// of headers that all claim the rest of it could otherwise be read once for each.
const (
	maxEffort  = 8
	freeEffort = 64 << 20 // bytes, so that a small file of large entries is read through
)

// recoverable reports a failure to open after which Options.Recover looks for entries.
func recoverable(err error) bool {
	fe, ok := errors.AsType[*FormatError](err)
	return ok && fe.Kind != kindLimit && fe.Kind != kindIO && fe.Kind != kindChanged
}

// checkInner refuses an archive that was found inside another one, whose own directory is lost:
// the file begins with a local file header, and what stands before the archive that was found
// does not end like an archive (as it does where two were put one behind the other).
func (o *opening) checkInner() error {
	z := o.z
	if z.base < localLen {
		return nil
	}
	n := min(z.base, max16+endLen)
	before := make([]byte, n)
	if err := z.readAt(before[:4], 0); err != nil {
		return err
	}
	switch le32(before, 0) {
	case sigLocal, sigDataDesc, sigTemporary:
	default:
		return nil
	}
	if err := z.readAt(before, z.base-n); err != nil {
		return err
	}
	for at := 0; ; at++ {
		i := bytes.Index(before[at:], []byte("PK\x05\x06"))
		if at += i; i < 0 || len(before)-at < endLen {
			break
		}
		if at+endLen+int(le16(before, at+endCommentLen)) == len(before) {
			return nil
		}
	}
	return &FormatError{Kind: kindTruncated, Err: detailf(ErrTruncated, "no directory but that of an archive in it, at offset %d", z.base)}
}

// recover makes a directory in place of the one that cannot be used because of cause, which is
// returned when there is not a single entry.
func (o *opening) recover(cause error) error {
	z := o.z
	rc := &recovery{z: z, size: o.size, old: make(map[int64]survivor), work: maxEffort*o.size + freeEffort, overlap: o.size}
	rc.w = window{read: z.readAt, size: o.size, buf: make([]byte, 256<<10)}
	if err := rc.run(); err != nil {
		return err
	}
	if len(rc.dir) == 0 {
		return cause
	}
	rc.restore()
	z.dir, z.dirOffset, z.base, z.recovered = string(rc.dir), o.size, 0, true
	z.findings, z.comment, z.wrap, z.disks = findings{}, "", nil, nil
	if err := z.scan(uint64(len(rc.dir) / centralLen)); err != nil {
		return err
	}
	if err := z.checkTotals(); err != nil {
		return err
	}
	var why string
	if fe, ok := errors.AsType[*FormatError](cause); ok {
		why = fe.Error()
	}
	c := &rc.count
	z.findings.add(Finding{Kind: kindRecovered, Index: -1, Text: fmt.Sprintf(
		"directory rebuilt from local file headers: %d whole, %d not verified, %d damaged, %d cut off, %d lost; %d bytes belong to no entry, and %d to what is left of the directory (%s)",
		c[whole], c[unverified], c[damaged], c[cutOff], c[lost], rc.gaps, rc.rest, why)})
	for _, f := range rc.odd {
		z.findings.add(f)
	}
	return nil
}

func (rc *recovery) note(index int, name string, off int64, format string, args ...any) {
	if len(rc.odd) < maxFindings {
		rc.odd = append(rc.odd, Finding{Kind: kindRecovered, Entry: name, Index: index, Offset: off, Text: fmt.Sprintf(format, args...)})
	}
}

// run walks over the file.
func (rc *recovery) run() error {
	for pos := int64(0); pos < rc.size; {
		at, err := rc.signature(pos, sigLocal, sigCentral)
		if err != nil {
			return err
		}
		if at > pos {
			rc.gap(pos, at)
		}
		if at == rc.size {
			return nil
		}
		if pos, err = rc.record(at); err != nil {
			return err
		}
		if m := rc.z.limits.MaxDirectorySize; int64(len(rc.dir)) > min(math.MaxUint32, math.MaxInt) || m > 0 && int64(len(rc.dir)) > m {
			return limitError(recDirectory, at, "more than %d bytes of directory are rebuilt, the limit is %d", len(rc.dir), cmp.Or(m, math.MaxUint32))
		}
	}
	return nil
}

// gap takes account of bytes that no entry claims. Those behind the first header of the old
// directory are that and the end records.
func (rc *recovery) gap(from, to int64) {
	if len(rc.old) > 0 {
		rc.rest += to - from
		return
	}
	rc.gaps += to - from
	rc.note(-1, "", from, "bytes %d to %d belong to no entry", from, to-1)
}

// signature finds the first place at or behind from that begins with one of the signatures; the
// size of the file if there is none.
func (rc *recovery) signature(from int64, sigs ...uint32) (int64, error) {
	for from < rc.size {
		n := rc.w.buffered(from) // what is there already, so that short entries do not read it again
		if n < 4 {
			n = int(min(rc.size-from, int64(len(rc.w.buf))))
		}
		b, err := rc.w.bytes(from, n)
		if err != nil {
			return 0, err
		}
		for i := 0; ; i++ {
			j := bytes.Index(b[i:], []byte("PK"))
			if i += j; j < 0 || i+4 > n {
				break
			}
			for _, sig := range sigs {
				if le32(b, i) == sig {
					return from + int64(i), nil
				}
			}
		}
		from += int64(max(n-3, 1))
	}
	return rc.size, nil
}

// record takes in the header at a place and returns where to go on.
func (rc *recovery) record(at int64) (next int64, err error) {
	b, err := rc.w.bytes(at, int(min(localLen, rc.size-at)))
	if err != nil {
		return 0, err
	}
	if le32(b, 0) == sigCentral {
		return rc.survivor(at)
	}
	if len(b) < localLen {
		return rc.lose(at, "local file header is cut off")
	}
	n, m := int(le16(b, locNameLen)), int(le16(b, locExtraLen))
	data := at + localLen + int64(n) + int64(m)
	if data > rc.size {
		return rc.lose(at, "name or extra field of the local file header is cut off")
	}
	// Headers of an archive do not overlap, and those of a damaged one do here and there: its directory
	// is about as large as they are. In a file of nothing but signatures each of them begins a header
	// whose name is as long as the next characters say.
	if at < rc.claimed {
		if rc.overlap -= data - at; rc.overlap < 0 {
			rc.gap(at, at+4)
			return at + 4, nil
		}
	}
	if b, err = rc.w.bytes(at, localLen+n+m); err != nil {
		return 0, err
	}
	// Any four bytes of data can be those of a signature.
	name := string(b[localLen : localLen+n])
	if n == 0 || strings.IndexByte(name, 0) >= 0 || b[locVersion] > 63+20 {
		rc.gap(at, at+4)
		return at + 4, nil
	}
	return rc.entry(at, data, bytes.Clone(b), name)
}

// lose tells of an entry that cannot be given.
func (rc *recovery) lose(at int64, why string) (next int64, err error) {
	next, err = rc.signature(min(at+4, rc.size), sigLocal, sigCentral)
	rc.count[lost]++
	rc.gaps += next - at
	rc.note(-1, "", at, "lost: %s", why)
	return next, err
}

// survivor takes in a header of the old directory.
func (rc *recovery) survivor(at int64) (next int64, err error) {
	b, err := rc.w.bytes(at, int(min(centralLen, rc.size-at)))
	if err != nil {
		return 0, err
	}
	n := headerLen(b)
	if n == 0 || int64(n) > rc.size-at {
		rc.rest += 4
		return min(at+4, rc.size), nil
	}
	if b, err = rc.w.bytes(at, n); err != nil {
		return 0, err
	}
	r := (&ZipFile{dir: string(b)}).recordAt(0)
	if r.invalid == nil {
		rc.old[r.header] = survivor{r.madeBy, le32(b, cenExternal), r.name, r.comment}
	}
	rc.rest += int64(n)
	return at + int64(n), nil
}

// entry finds out where the entry ends whose local file header is h, and adds it to the
// directory.
func (rc *recovery) entry(at, data int64, h []byte, name string) (next int64, err error) {
	r := rc.localRecord(at, h)
	var f fate
	var why string
	if streamed := r.flags&flagDescriptor != 0 && (r.csize == 0 || r.size == 0 && r.crc == 0); streamed {
		next, f, why, err = rc.bound(r, data)
	} else {
		next, f, why, err = rc.verify(r, data)
	}
	if err != nil {
		return 0, err
	}
	rc.count[f]++
	if f == lost {
		rc.note(-1, name, at, "lost: %s", why)
		rc.gaps += next - at
		return next, nil
	}
	index := rc.count[whole] + rc.count[unverified] + rc.count[damaged] + rc.count[cutOff] - 1
	if f == cutOff || f == damaged {
		rc.note(index, name, at, "%s: %s", [...]string{damaged: "damaged", cutOff: "cut off"}[f], why)
	}
	rc.add(r, h)
	rc.claimed = max(rc.claimed, data)
	return next, nil
}

// localRecord makes a record of a local file header.
func (rc *recovery) localRecord(at int64, h []byte) *record {
	n := localLen + int(le16(h, locNameLen))
	r := &record{
		flags: le16(h, locFlags), method: Method(le16(h, locMethod)), crc: le32(h, locCRC32),
		csize: int64(le32(h, locCompSize)), size: int64(le32(h, locSize)), header: at,
		name: string(h[localLen:n]), extra: string(h[n:]),
	}
	if block, ok := findExtra(r.extra, extraZip64); ok && len(block) >= 16 && (r.size == max32 || r.csize == max32) {
		if size, csize := le64(block, 0), le64(block, 8); size <= math.MaxInt64 && csize <= math.MaxInt64 {
			r.size, r.csize = int64(size), int64(csize)
		}
	}
	r.realMethod()
	return r
}

// verify decodes an entry that says how long it is.
func (rc *recovery) verify(r *record, data int64) (next int64, f fate, why string, err error) {
	end := data + r.csize
	there := end <= rc.size && end >= data
	if !there {
		end = rc.size
		why = fmt.Sprintf("%d of %d bytes are there", end-data, r.csize)
		r.csize = end - data
	}
	if r.encrypted() || !rc.z.readable(r.method) || rc.work <= 0 {
		if ok, err := rc.recordAt(end); there && (ok || err != nil) {
			return end, unverified, "", err
		}
		found, err := rc.signature(r.header+localLen, sigLocal, sigCentral)
		switch {
		case err != nil:
			return 0, 0, "", err
		case found < rc.size:
			r.csize = max(found-data, 0)
			return found, damaged, "no record follows its data", nil
		case there:
			return end, unverified, "", nil
		}
		return end, cutOff, why, nil
	}
	n, crc, used, fault := rc.decode(r, data, end, r.size)
	if src, ok := errors.AsType[*sourceError](fault); ok {
		return 0, 0, "", src.err
	}
	switch {
	case errors.Is(fault, errTooLarge):
		return end, unverified, "", nil
	case fault == nil && n == r.size && crc == r.crc:
		ok, err := rc.recordAt(end)
		switch {
		case ok || err != nil:
		case r.csize == 0: // no data have confirmed the lengths of name and extra field
			end = r.header + localLen
		case r.method != Store && used > 0:
			r.csize, end = used, data+used
		}
		return end, whole, "", err
	case !there && (r.method == Store || isCutOff(fault)):
		return end, cutOff, why, nil
	}
	switch {
	case fault != nil:
		why = fault.Error()
	case n != r.size:
		why = fmt.Sprintf("gives %d bytes, expected %d", n, r.size)
	default:
		why = fmt.Sprintf("contents have CRC-32 %08x, expected %08x", crc, r.crc)
	}
	if r.size == 0 {
		r.size++ // so that it does not pass for whole
	}
	// Is it the data or the length that is damaged? A length that leads to a record is right.
	if ok, err := rc.recordAt(end); ok || err != nil {
		return end, damaged, why, err
	}
	if fault == nil && r.method != Store {
		end = data + used
	} else if end, err = rc.signature(r.header+localLen, sigLocal, sigCentral); err != nil {
		return 0, 0, "", err
	}
	r.csize = max(end-data, 0) // the lengths of name and extra field may be wrong
	return end, damaged, why, nil
}

// signatureAt returns the four bytes at off, 0 at the end of the file.
func (rc *recovery) signatureAt(off int64) (uint32, error) {
	if rc.size-off < 4 {
		return 0, nil
	}
	b, err := rc.w.bytes(off, 4)
	if err != nil {
		return 0, err
	}
	return le32(b, 0), nil
}

// recordAt reports the end of the file or a known signature.
func (rc *recovery) recordAt(off int64) (bool, error) {
	sig, err := rc.signatureAt(off)
	switch sig {
	case sigLocal, sigCentral, sigDataDesc, sigEnd, sigZip64End:
		return true, err
	}
	return off == rc.size, err
}

// add appends a central directory header (APPNOTE 4.3.12) for an entry.
func (rc *recovery) add(r *record, h []byte) {
	var wide []byte // values of the zip64 block
	field := func(v int64) uint32 {
		if v < max32 {
			return uint32(v)
		}
		wide = binary.LittleEndian.AppendUint64(wide, uint64(v))
		return max32
	}
	size, csize, header := field(r.size), field(r.csize), field(r.header)
	var extra []byte
	if len(wide) > 0 {
		extra = binary.LittleEndian.AppendUint16(extra, extraZip64)
		extra = binary.LittleEndian.AppendUint16(extra, uint16(len(wide)))
		extra = append(extra, wide...)
	}
	walkExtra(r.extra, func(id uint16, block string) bool {
		if id != extraZip64 && len(extra)+4+len(block) <= max16 {
			extra = binary.LittleEndian.AppendUint16(extra, id)
			extra = binary.LittleEndian.AppendUint16(extra, uint16(len(block)))
			extra = append(extra, block...)
		}
		return true
	})
	d := make([]byte, centralLen, centralLen+len(r.name)+len(extra))
	put16, put32 := binary.LittleEndian.PutUint16, binary.LittleEndian.PutUint32
	put32(d, sigCentral)
	put16(d[cenMadeBy:], hostUnix<<8|20)
	copy(d[cenMadeBy+2:], h[locVersion:locCRC32]) // version, flags, method, time, date
	put32(d[cenCRC32:], r.crc)
	put32(d[cenCompSize:], csize)
	put32(d[cenSize:], size)
	put16(d[cenNameLen:], uint16(len(r.name)))
	put16(d[cenExtraLen:], uint16(len(extra)))
	put32(d[cenOffset:], header)
	d = append(d, r.name...)
	rc.dir = append(rc.dir, append(d, extra...)...)
}

// restore gives entries back what the old directory, if some of it is left, says of them: host,
// mode and comment.
func (rc *recovery) restore() {
	if len(rc.old) == 0 {
		return
	}
	made := string(rc.dir)
	rc.dir = rc.dir[:0]
	z := &ZipFile{dir: made}
	for pos := 0; pos < len(made); {
		r := z.recordAt(pos)
		n := headerLen(made[pos:])
		h := []byte(made[pos : pos+n])
		if s, ok := rc.old[r.header]; ok && s.name == r.name {
			binary.LittleEndian.PutUint16(h[cenMadeBy:], s.madeBy)
			binary.LittleEndian.PutUint32(h[cenExternal:], s.external)
			binary.LittleEndian.PutUint16(h[cenCommentLen:], uint16(len(s.comment)))
			h = append(h, s.comment...)
		}
		rc.dir = append(rc.dir, h...)
		pos += n
	}
}

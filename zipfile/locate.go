package zipfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"zipcat.dev/backend"
)

const (
	// tailLen is what is read first: the longest comment with its end record and the zip64
	// records before it. An ordinary archive is located with this one read.
	tailLen = max16 + endLen + zip64LocLen + zip64EndLen
	// longTailLen is what is searched for an end record when the first tail holds none: junk
	// after the archive (a web server's page, a block of NULs from a tape or a flash sector).
	longTailLen = 1<<20 + max16 + endLen

	// maxTries bounds how many end records are followed to a directory. A file made of end
	// records could otherwise have the same bytes walked thousands of times.
	maxTries = 64
	// maxSeconds bounds how many others are followed to see whether they lead to one too.
	maxSeconds = 8
)

const (
	recEnd       = "end of central directory record"
	recZip64End  = "zip64 end of central directory record"
	recZip64Loc  = "zip64 end of central directory locator"
	recDirectory = "central directory"
	recCentral   = "central directory header"
	recLocal     = "local file header"
	recDesc      = "data descriptor"
)

// class sorts end records by what follows them.
type class uint8

const (
	exact    class = iota // the comment ends where the file ends
	nuls                  // only NULs follow the comment
	trailing              // something else follows
	overrun               // the comment would run past the end
)

// candidate is a place that begins with the signature of an end record.
type candidate struct {
	pos   int64
	end   int64 // behind its comment
	class class
}

// opening is the state of opening one archive.
type opening struct {
	z     *ZipFile
	size  int64
	tail  []byte
	start int64        // of tail in the file
	few   [4]candidate // room for the candidates of ordinary archives
	tries int
	junk  bool // the best end record has something behind it
	only  []string
}

func open(b backend.Backend, o *Options, name string) (*ZipFile, error) {
	z := &ZipFile{name: name}
	if o != nil {
		z.checks, z.charset, z.limits, z.methods, z.recover = o.Checks, o.Charset, o.Limits, o.Methods, o.Recover
		z.password, z.passwordFunc = o.Password, o.PasswordFunc
	}
	z.opened, z.disks = b, backend.Parts(b)
	z.current.Store(&z.opened)
	op := opening{z: z, size: b.Size()}
	if o != nil {
		op.only = o.Only
	}
	err := op.run()
	if err == nil && z.recover {
		err = op.checkInner()
	}
	if err != nil && z.recover && recoverable(err) && !(z.disks == nil && hasOtherParts(name)) && !(z.disks != nil && ErrorKind(err) == kindSplit) {
		err = op.recover(err)
	}
	if err != nil {
		return nil, z.withPath("open", err)
	}
	if z.checks == Strict && !z.recovered {
		if err := z.checkStrict(); err != nil {
			return nil, z.withPath("open", err)
		}
	}
	return z, nil
}

func (o *opening) run() error {
	if o.size == 0 {
		return &FormatError{Kind: kindNone, Err: detailf(ErrNoArchive, "the file is empty")}
	}
	found, err := o.search(make([]byte, min(o.size, tailLen)))
	if o.size > tailLen && (!found && err == nil || err != nil && o.junk && mayFollowAnother(err)) {
		// A signature by chance in what was put behind the archive is no end record.
		first := err
		if found, err = o.search(make([]byte, min(o.size, longTailLen))); err != nil && first != nil && mayFollowAnother(err) {
			err = first
		}
	}
	if err != nil {
		return err
	}
	if !found {
		return o.noEndRecord()
	}
	return o.findPrefix()
}

// search reads a tail of the file and opens the directory that its best end record leads to.
// found is false if there is no end record in it.
func (o *opening) search(tail []byte) (found bool, err error) {
	o.tail, o.start = tail, o.size-int64(len(tail))
	if err := o.z.readAt(tail, o.start); err != nil {
		return false, err
	}
	all := o.candidates()
	if len(all) == 0 {
		return false, nil
	}
	best := bestClass(all)
	o.junk = best == trailing
	if last := all[len(all)-1]; last.class == overrun && best != exact {
		if o.z.recover {
			lacks := last.end - o.size
			last.end = o.size
			err = o.follow(new(endRecord), last, []candidate{last})
			if err == nil {
				o.z.findings.add(Finding{Kind: kindRecovered, Index: -1, Offset: last.pos, Text: fmt.Sprintf("comment of the archive is cut off, %d bytes are missing", lacks)})
			}
			return true, err
		}
		// Never fall back to an older record: it would show the archive as it once was.
		return true, formatErrorf(recEnd, last.pos, "comment of %d bytes runs past the end of the file, found %d",
			last.end-last.pos-endLen, o.size-last.pos-endLen)
	}
	// The best class alone counts: where its directory is damaged, an end record of a lower
	// class is most likely that of an archive stored inside this one.
	var first error
	inner := int64(0) // what ends before this is of an archive stored in one that is damaged
	for _, c := range slices.Backward(all) {
		if c.class != best || c.end <= inner {
			continue
		}
		if o.tries++; o.tries > maxTries {
			break
		}
		var end endRecord
		err := o.follow(&end, c, all)
		if err == nil {
			return true, nil
		}
		if !mayFollowAnother(err) {
			return true, err
		}
		if first == nil {
			first = err
		}
		if end.fits() {
			inner = max(inner, end.stop-int64(end.size))
		}
	}
	return true, first
}

func bestClass(all []candidate) class {
	best := overrun
	for _, c := range all {
		best = min(best, c.class)
	}
	return best
}

// mayFollowAnother tells whether after err another end record may be the right one: when this
// one leads nowhere. A limit or a failed read does not make another archive the right one.
func mayFollowAnother(err error) bool {
	fe, ok := errors.AsType[*FormatError](err)
	return ok && (fe.Kind == kindFormat || fe.Kind == kindSplit)
}

// candidates lists the end records in the tail in the order of their places.
func (o *opening) candidates() []candidate {
	found := o.few[:0]
	content := int64(-1) // end of the last byte that is not NUL, searched when first needed
	sig := []byte("PK\x05\x06")
	for at := 0; ; {
		i := bytes.Index(o.tail[at:], sig)
		if i < 0 || len(o.tail)-at-i < endLen {
			return found
		}
		at += i
		c := candidate{pos: o.start + int64(at)}
		c.end = c.pos + endLen + int64(le16(o.tail, at+endCommentLen))
		switch {
		case c.end == o.size:
			c.class = exact
		case c.end > o.size:
			c.class = overrun
		default:
			if content < 0 {
				content = o.start + int64(len(bytes.TrimRight(o.tail, "\x00")))
			}
			c.class = trailing
			if c.end >= content {
				c.class = nuls
			}
		}
		found = append(found, c)
		at++
	}
}

// follow goes from an end record to its directory, loads that and notes what is odd about
// where the archive lies.
func (o *opening) follow(end *endRecord, c candidate, all []candidate) error {
	if err := o.endRecordAt(end, c); err != nil {
		return err
	}
	if err := o.place(end); err != nil {
		return err
	}
	if end.class == trailing {
		end.note(kindTrailingBytes, end.end, "%d bytes after the end of the archive", o.size-end.end)
	}
	if err := o.second(end, all); err != nil {
		return err
	}
	o.z.comment = string(o.tail[end.pos-o.start+endLen : end.end-o.start])
	if err := o.load(end); err != nil {
		// Its buffer was the tail.
		if again := o.z.readAt(o.tail, o.start); again != nil {
			return again
		}
		return err
	}
	for _, f := range end.odd {
		o.z.findings.add(f)
	}
	return nil
}

// second looks for another end record that a reader might take, and notes it. Those inside the
// archive's own entries are of archives stored in it; of the others, one counts that is of the
// same class or stands behind the record in use, as in its comment (ZipDiff, class C2).
func (o *opening) second(used *endRecord, all []candidate) error {
	tries := 0
	for _, c := range slices.Backward(all) {
		if c.pos == used.pos || c.class == overrun || used.base <= c.pos && c.pos < used.dirOffset+used.dirSize ||
			c.class != used.class && c.pos < used.pos {
			continue
		}
		if tries++; tries > maxSeconds {
			used.note(kindSeveralEnds, c.pos, "more than %d other end of central directory records, not all looked at; the one at offset %d is used", maxSeconds, used.pos)
			return nil
		}
		var end endRecord
		err := o.endRecordAt(&end, c)
		if err == nil {
			err = o.place(&end)
		}
		if err == nil {
			err = o.walk(end.dirOffset, end.dirSize)
		}
		if err == nil {
			used.note(kindSeveralEnds, c.pos, "another end of central directory record leads to a directory too; the one at offset %d is used", used.pos)
			return nil
		}
		if _, ok := errors.AsType[*FormatError](err); !ok {
			return err // the file cannot be read
		}
	}
	return nil
}

// noEndRecord tells a file that was cut off from one that never was an archive.
func (o *opening) noEndRecord() error {
	var head [4]byte
	if o.size < int64(len(head)) {
		return &FormatError{Kind: kindNone, Err: detailf(ErrNoArchive, "not a zip archive: no end of central directory record in %d bytes", o.size)}
	}
	if err := o.z.readAt(head[:], 0); err != nil {
		return err
	}
	switch le32(head[:], 0) {
	case sigLocal, sigDataDesc, sigTemporary:
		return &FormatError{Kind: kindTruncated, Err: detailf(ErrTruncated,
			"begins as a zip archive and has no end of central directory record: cut off, or the first part of a split archive")}
	}
	return &FormatError{Kind: kindNone, Err: detailf(ErrNoArchive, "not a zip archive: no end of central directory record in the last %d bytes", min(o.size, longTailLen))}
}

// findPrefix finds what stands before the first local file header.
func (o *opening) findPrefix() error {
	z := o.z
	if z.prefix == 0 {
		return nil
	}
	var head [4]byte
	if z.prefix >= 4 {
		if err := z.readAt(head[:], 0); err != nil {
			return err
		}
	}
	sig := le32(head[:], 0)
	if z.prefix == 4 && (sig == sigDataDesc || sig == sigTemporary) {
		z.prefix = 0 // the marker of a split archive that fitted into one file is part of it
		return nil
	}
	z.findings.add(Finding{Kind: kindPrefix, Index: -1, Text: fmt.Sprintf("%d bytes before the archive", z.prefix)})
	if sig == sigLocal && z.checks == Strict {
		return formatErrorf(recLocal, 0, "found before the archive, which begins at offset %d: a reader from the front would see another archive", z.prefix)
	}
	return nil
}

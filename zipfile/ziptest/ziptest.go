// Package ziptest builds zip archives for tests, odd ones above all: every field of every
// record can be set, lied about, left out, repeated or moved.
//
// What a literal does not mention is truthful, so that it shows only what is odd about the
// archive:
//
//	a := ziptest.Archive{
//		Prefix: []byte("#!/bin/sh\n"),
//		Entries: []ziptest.Entry{
//			{Name: "a.txt", Data: []byte("hello\n")},
//			{Name: "b.txt", Data: []byte("hello\n"), Method: ziptest.Deflate,
//				Local: func(h *ziptest.LocalHeader) { h.Name = "c.txt" }},
//		},
//		Comment: "b.txt is c.txt in its local header",
//	}
//	b := a.Bytes()
//
// Lies are told by hooks, functions that get a truthful record and change it before it is
// written. Lengths that follow from a record (of its name, its extra fields) are [Auto] in the
// hook: they follow what the hook changes, unless it sets them too.
//
// [Archive.Build] also says where every record stands, as [Layout], and can build archives
// far larger than memory, as their holes are not held. The same Archive gives the same bytes
// every time, except that those of Deflate depend on the version of compress/flate.
//
// The package is for tests: it panics on a literal that cannot be laid out.
package ziptest

import "iter"

// Archive describes a zip archive in the order of its bytes.
type Archive struct {
	Prefix     []byte // bytes before the archive
	PrefixHole int64  // zeros after Prefix

	// Adjust makes recorded offsets count from the start of the file; otherwise they count
	// from the end of the prefix.
	Adjust bool

	Entries []Entry
	More    iter.Seq[Entry] // entries after Entries, made as they are written; see [Many]

	DirectoryAt     int64  // if set: zeros fill the file so that the directory starts at this position
	BeforeDirectory []byte // bytes that end where the directory starts

	// Directory gets the central headers in the order of the entries, after their own hooks,
	// and returns those to write: reordered, repeated, dropped, added.
	Directory func(d []CentralHeader) []CentralHeader

	BeforeEnd []byte // gap between the directory and the end records

	// Zip64 decides on the zip64 end record and its locator. Hooks on them make it
	// Zip64Always where it is Zip64Auto.
	Zip64        Zip64
	Zip64End     func(*Zip64EndRecord)
	Zip64Locator func(*Zip64Locator)

	Comment string
	End     func(*EndRecord)
	Suffix  []byte // bytes after the end record and its comment
}

// Bytes builds the archive in memory.
func (a Archive) Bytes() []byte { return a.Build().Bytes() }

// WriteFile builds the archive as the named file; holes are left to the file system.
func (a Archive) WriteFile(name string) error { return a.Build().WriteFile(name) }

// Build builds the archive.
func (a Archive) Build() *Image {
	b := builder{archive: &a, img: new(Image)}
	b.img.write(a.Prefix)
	b.img.skip(a.PrefixHole)
	b.img.Start = b.img.size

	for i := range a.Entries {
		b.entry(&a.Entries[i], true)
	}
	if a.More != nil {
		for e := range a.More {
			b.entry(&e, false)
		}
	}
	if a.DirectoryAt > 0 {
		b.img.skipTo(a.DirectoryAt-int64(len(a.BeforeDirectory)), "DirectoryAt")
	}
	b.img.write(a.BeforeDirectory)
	b.directory()
	b.img.write(a.BeforeEnd)
	b.end()
	b.img.write(a.Suffix)
	return b.img
}

// builder is an archive in the making.
type builder struct {
	archive  *Archive
	img      *Image
	deflate  deflater
	scratch  []byte             // a header being written
	named    map[string]written // of Archive.Entries, for Entry.Share
	headers  []CentralHeader    // when there is a Directory hook
	central  store              // otherwise: the directory so far
	records  []int64            // positions of the records in central
	nrecords uint64
}

// written is what another entry must know to share one.
type written struct {
	contents
	EntryLayout
}

// recorded is the offset that the archive records for a position in the file.
func (b *builder) recorded(pos int64) uint64 {
	if !b.archive.Adjust {
		pos -= b.img.Start
	}
	return uint64(pos)
}

func (b *builder) entry(e *Entry, shareable bool) {
	w := written{}
	if e.Share != "" {
		var ok bool
		if w, ok = b.named[e.Share]; !ok {
			panic("ziptest: entry " + e.Name + " shares " + e.Share + ", which is not before it in Archive.Entries")
		}
		w.flags |= e.Flags
	} else {
		w = b.local(e)
	}
	w.Name, w.Record = e.Name, -1
	if shareable {
		if b.named == nil {
			b.named = make(map[string]written)
		}
		b.named[e.Name] = w
	}

	b.img.Entries = append(b.img.Entries, w.EntryLayout)
	h := e.centralHeader(w.contents, b.recorded(w.Header))
	h.entry = len(b.img.Entries)
	if b.archive.Directory != nil {
		b.headers = append(b.headers, h)
	} else {
		b.record(&h)
	}
}

// local writes all of an entry that stands before the directory.
func (b *builder) local(e *Entry) written {
	if e.At > 0 {
		b.img.skipTo(e.At, "At of entry "+e.Name)
	}
	c := e.contents(&b.deflate)
	w := written{contents: c}
	w.Header = b.img.size
	h := e.localHeader(c)
	b.scratch = h.appendTo(b.scratch[:0])
	b.img.write(b.scratch)
	w.Data = b.img.size
	b.img.write(c.raw)
	b.img.skip(c.hole)
	w.contents.raw = nil
	w.Descriptor = -1
	if e.Descriptor != nil {
		d := e.descriptor(c, h.Zip64 != nil)
		if !d.Omit {
			w.Descriptor = b.img.size
			b.img.write(d.Bytes())
		}
	}
	b.img.write(e.After)
	w.End = b.img.size
	return w
}

// record appends a record to the directory, of which the position is not known yet.
func (b *builder) record(h *CentralHeader) {
	if !h.Omit {
		if h.entry > 0 && b.img.Entries[h.entry-1].Record < 0 {
			b.img.Entries[h.entry-1].Record = b.central.size
		}
		b.records = append(b.records, b.central.size)
		b.scratch = h.appendTo(b.scratch[:0])
		b.central.write(b.scratch)
		b.nrecords++
	}
	b.central.write(h.After)
	b.central.skip(h.Hole)
}

func (b *builder) directory() {
	if b.archive.Directory != nil {
		d := b.archive.Directory(b.headers)
		for i := range d {
			b.record(&d[i])
		}
	}
	start := b.img.size
	for i := range b.records {
		b.records[i] += start
	}
	for i := range b.img.Entries {
		if e := &b.img.Entries[i]; e.Record >= 0 {
			e.Record += start
		}
	}
	b.img.join(&b.central)
	b.img.Directory, b.img.DirectoryEnd, b.img.Records = start, b.img.size, b.records
}

// end writes the end records.
func (b *builder) end() {
	a, l := b.archive, &b.img.Layout
	size, offset := uint64(l.DirectoryEnd-l.Directory), b.recorded(l.Directory)
	mode := a.Zip64
	if mode == Zip64Auto && (a.Zip64End != nil || a.Zip64Locator != nil) {
		mode = Zip64Always
	}
	l.Zip64End, l.Zip64Locator, l.End = -1, -1, -1
	if mode == Zip64Always || mode == Zip64Redundant ||
		mode == Zip64Auto && (b.nrecords >= max16 || size >= max32 || offset >= max32) {
		b.zip64End(size, offset)
	}

	e := EndRecord{
		Signature:       EndSignature,
		EntriesOnDisk:   uint16(mode.field(b.nrecords, max16)),
		Entries:         uint16(mode.field(b.nrecords, max16)),
		DirectorySize:   uint32(mode.field(size, max32)),
		DirectoryOffset: uint32(mode.field(offset, max32)),
		CommentLength:   Auto,
		Comment:         a.Comment,
	}
	if a.End != nil {
		a.End(&e)
	}
	if !e.Omit {
		l.End = b.img.size
		b.img.write(e.Bytes())
	}
}

func (b *builder) zip64End(size, offset uint64) {
	a, l := b.archive, &b.img.Layout
	r := Zip64EndRecord{
		Signature:       Zip64EndSignature,
		RecordSize:      Auto,
		VersionMadeBy:   versionZip64,
		VersionNeeded:   versionZip64,
		EntriesOnDisk:   b.nrecords,
		Entries:         b.nrecords,
		DirectorySize:   size,
		DirectoryOffset: offset,
	}
	if a.Zip64End != nil {
		a.Zip64End(&r)
	}
	at := b.img.size
	if !r.Omit {
		l.Zip64End = at
		b.img.write(r.Bytes())
	}
	b.img.write(r.After)

	loc := Zip64Locator{Signature: Zip64LocatorSignature, Offset: b.recorded(at), Disks: 1}
	if a.Zip64Locator != nil {
		a.Zip64Locator(&loc)
	}
	if !loc.Omit {
		l.Zip64Locator = b.img.size
		b.img.write(loc.Bytes())
	}
	b.img.write(loc.After)
}

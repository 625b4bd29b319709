package zipfile_test

import (
	"strings"
	"testing"

	"zipcat.dev/zipfile/ziptest"
)

func TestChecksPlace(t *testing.T) { runChecks(t, placeChecks()) }

// placeChecks: where the directory is, and what stands before the archive and between its parts.
func placeChecks() []check {
	type A = ziptest.Archive
	type E = ziptest.EndRecord
	type C = ziptest.CentralHeader
	const always = ziptest.Zip64Always
	two := []ziptest.Entry{storedEntry("a.txt"), deflatedEntry("b.txt")}
	end := func(f func(*E)) A { return A{Entries: two, End: f} }
	last := func(f func(*C)) A {
		e := deflatedEntry("b.txt")
		e.Central = f
		return archiveOf(storedEntry("a.txt"), e)
	}
	script, marker := []byte("#!/bin/sh\n"), []byte("PK00")
	// other is a directory of the same length as that of one entry "a.txt".
	other := (&C{Signature: ziptest.CentralSignature, Header: ziptest.Header{Name: "x.txt", NameLength: ziptest.Auto, ExtraLength: ziptest.Auto}, CommentLength: ziptest.Auto}).Bytes()
	// The offset that counts from the end of a prefix of its length leads to other.
	doubled := A{Prefix: []byte("#!" + strings.Repeat("\n", len(other)-2)), Entries: two[:1], BeforeDirectory: other}
	doubled64 := doubled
	doubled64.Zip64 = always
	atOther := func(m *ziptest.Image) int64 { return m.Directory - int64(len(other)) }

	return []check{
		checkRow("directories at both offsets", doubled, finds("prefix several-end-records", atOther), refuses("format", atOther)),
		checkRow("directories at both offsets, zip64", doubled64, finds("prefix several-end-records", atOther), refuses("format", atOther)),

		checkRow("gap of 1 byte", A{Entries: two, BeforeEnd: []byte("x")}, finds("gap", atDirectoryEnd), refuses("format", atDirectoryEnd)),
		checkRow("gap of NULs", A{Entries: two, BeforeEnd: make([]byte, 70000)}, finds("gap", atDirectoryEnd), refuses("format", atDirectoryEnd)),
		checkRow("gap, zip64", A{Entries: two, BeforeEnd: []byte("gap"), Zip64: always}, finds("gap", atDirectoryEnd), refuses("format", atDirectoryEnd)),
		checkRow("gap and adjusted prefix", A{Prefix: script, Adjust: true, Entries: two, BeforeEnd: []byte("gap")}, finds("gap prefix", atDirectoryEnd), refuses("format", atDirectoryEnd)),
		checkRow("gap and prefix that is not adjusted", A{Prefix: script, Entries: two, BeforeEnd: []byte("gap")}, refuses("format"), refuses("format")),
		checkRow("gap as long as a prefix that is not adjusted", A{Prefix: script, Entries: two, BeforeEnd: []byte("0123456789")}, refuses("format"), refuses("format")),

		checkRow("offset behind the end", end(func(e *E) { e.DirectoryOffset = 0xfffffff0 }), refuses("format", atEnd), refuses("format", atEnd)),
		checkRow("offset one too large", end(func(e *E) { e.DirectoryOffset++ }), refuses("format", atEnd), refuses("format", atEnd)),
		checkRow("offset all ones without zip64", end(func(e *E) { e.DirectoryOffset = 0xffffffff }), refuses("format", atEnd), refuses("format", atEnd)),
		checkRow("size larger than the file", end(func(e *E) { e.DirectorySize = 1 << 30 }), refuses("format", atEnd), refuses("format", atEnd)),
		checkRow("size all ones without zip64", end(func(e *E) { e.DirectorySize = 0xffffffff }), refuses("format", atEnd), refuses("format", atEnd)),
		checkRow("size one too large", end(func(e *E) { e.DirectorySize++ }), refuses("format", atEnd), refuses("format", atEnd)),
		checkRow("size one too small", end(func(e *E) { e.DirectorySize-- }), refuses("format", atRecord("b.txt")), refuses("format", atRecord("b.txt"))),
		checkRow("size smaller than a record", end(func(e *E) { e.DirectorySize = 45 }), refuses("format"), refuses("format")),
		// All of it is a directory of one record, which the recorded offset leads to.
		checkRow("size of the first record", A{Entries: []ziptest.Entry{two[0], storedEntry("longer.txt")}, End: func(e *E) { e.DirectorySize = 51 }}, finds("entry-count gap"), refuses("format")),
		checkRow("size 0 of two entries", end(func(e *E) { e.DirectorySize = 0 }), refuses("format"), refuses("format")),

		checkRow("damaged first record", archiveOf(ziptest.Entry{Name: "a.txt", Central: func(h *C) { h.Signature++ }}), refuses("format", atDirectory), refuses("format", atDirectory)),
		checkRow("damaged last record", last(func(h *C) { h.Signature++ }), refuses("format", atRecord("b.txt")), refuses("format", atRecord("b.txt"))),
		checkRow("name runs out of the directory", last(func(h *C) { h.NameLength = 6 }), refuses("format", atRecord("b.txt")), refuses("format", atRecord("b.txt"))),
		checkRow("extra field runs out of the directory", last(func(h *C) { h.ExtraLength = 65535 }), refuses("format", atRecord("b.txt")), refuses("format", atRecord("b.txt"))),
		checkRow("comment runs out of the directory", last(func(h *C) { h.CommentLength = 1 }), refuses("format", atRecord("b.txt")), refuses("format", atRecord("b.txt"))),
		checkRow("bytes at the end of the directory", last(func(h *C) { h.After = []byte("junk") }), refuses("format", behind(atDirectoryEnd, -4)), refuses("format", behind(atDirectoryEnd, -4))),
		checkRow("NULs at the end of the directory", last(func(h *C) { h.Hole = 64 }), refuses("format", behind(atDirectoryEnd, -64)), refuses("format", behind(atDirectoryEnd, -64))),

		checkRow("prefix", A{Prefix: script, Entries: two}, finds("prefix"), finds("prefix")),
		checkRow("prefix, adjusted", A{Prefix: script, Adjust: true, Entries: two}, finds("prefix"), finds("prefix")),
		checkRow("prefix, zip64", A{Prefix: script, Entries: two, Zip64: always}, finds("prefix"), finds("prefix")),
		checkRow("prefix, zip64, adjusted", A{Prefix: script, Adjust: true, Entries: two, Zip64: always}, finds("prefix"), finds("prefix")),
		checkRow("prefix of 1 byte", A{Prefix: []byte("x"), Entries: two}, finds("prefix"), finds("prefix")),
		checkRow("prefix of 1 byte, adjusted", A{Prefix: []byte("x"), Adjust: true, Entries: two}, finds("prefix"), finds("prefix")),
		checkRow("prefix of 100000 NULs", A{PrefixHole: 100000, Entries: two}, finds("prefix"), finds("prefix")),
		checkRow("prefix of 100000 NULs, adjusted", A{PrefixHole: 100000, Adjust: true, Entries: two}, finds("prefix"), finds("prefix")),
		checkRow("prefix of no entries", A{Prefix: script}, finds("prefix"), finds("prefix")),
		checkRow("prefix of no entries, adjusted", A{Prefix: script, Adjust: true}, finds("prefix"), finds("prefix")),
		checkRow("prefix that begins with a local header", A{Prefix: archiveOf(storedEntry("hidden")).Bytes()[:60], Entries: two}, finds("prefix"), refuses("format", position(0))),
		checkRow("prefix that begins with a local header, adjusted", A{Prefix: archiveOf(storedEntry("hidden")).Bytes()[:60], Adjust: true, Entries: two}, finds("prefix"), refuses("format", position(0))),
		checkRow("first entry not in the directory", archiveOf(ziptest.Entry{Name: "hidden", Central: ziptest.NoCentral}, storedEntry("a.txt")), finds("prefix"), refuses("format", position(0))).
			prefixed(atLocal("a.txt")),
		// APPNOTE 8.5.4: a split archive that fitted into one file.
		checkRow("marker of a single part", A{Prefix: marker, Adjust: true, Entries: two}, accepts(), accepts()).prefixed(position(0)),
		checkRow("marker of a single part, not adjusted", A{Prefix: marker, Entries: two}, accepts(), accepts()).prefixed(position(0)),
		checkRow("spanning marker", A{Prefix: []byte("PK\x07\x08"), Adjust: true, Entries: two}, accepts(), accepts()).prefixed(position(0)),

		// zipalign, the signing block of an APK
		checkRow("bytes between entries", archiveOf(ziptest.Entry{Name: "a.txt", Data: []byte("a"), After: make([]byte, 5)}, storedEntry("b.txt")), accepts(), accepts()),
		checkRow("bytes before the directory", A{Entries: two, BeforeDirectory: []byte("APK Sig Block 42")}, accepts(), accepts()),
	}
}

func TestChecksEntryCount(t *testing.T) {
	type A = ziptest.Archive
	type E = ziptest.EndRecord
	type Z = ziptest.Zip64EndRecord
	two := []ziptest.Entry{storedEntry("a.txt"), deflatedEntry("b.txt")}
	counted := func(n uint16) A { return A{Entries: two, End: func(e *E) { e.Entries, e.EntriesOnDisk = n, n }} }
	wide := func(n uint64) A { return A{Entries: two, Zip64End: func(r *Z) { r.Entries, r.EntriesOnDisk = n, n }} }
	runChecks(t, []check{
		checkRow("one too few", counted(1), finds("entry-count", atEnd), refuses("format", atEnd)),
		checkRow("one too many", counted(3), finds("entry-count", atEnd), refuses("format", atEnd)),
		checkRow("none", counted(0), finds("entry-count", atEnd), refuses("format", atEnd)),
		checkRow("all ones without zip64", counted(0xffff), finds("entry-count", atEnd), refuses("format", atEnd)),
		checkRow("zip64, one too few", wide(1), finds("entry-count"), refuses("format")),
		checkRow("zip64, one too many", wide(3), finds("entry-count"), refuses("format")),
		checkRow("zip64, huge", wide(1<<61), finds("entry-count"), refuses("format")),
		checkRow("zip64, largest", wide(1<<64-1), finds("entry-count"), refuses("format")),
		checkRow("one of no entries", A{End: func(e *E) { e.Entries, e.EntriesOnDisk = 1, 1 }}, refuses("format"), refuses("format")),

		// More entries than 16 bits count, without zip64: Ant, JDK-8272746.
		checkRow("65534", A{More: ziptest.Many(65534)}, accepts(), accepts()),
		checkRow("65535", A{More: ziptest.Many(65535)}, accepts(), accepts()),
		checkRow("65535 without zip64", A{More: ziptest.Many(65535), Zip64: ziptest.Zip64Never}, accepts(), accepts()),
		checkRow("65536", A{More: ziptest.Many(65536)}, accepts(), accepts()),
		checkRow("65536 without zip64", A{More: ziptest.Many(65536), Zip64: ziptest.Zip64Never}, accepts(), accepts()),
		checkRow("65537 without zip64", A{More: ziptest.Many(65537), Zip64: ziptest.Zip64Never}, accepts(), accepts()),
		checkRow("65537 without zip64, one too few", A{More: ziptest.Many(65537), Zip64: ziptest.Zip64Never, End: func(e *E) { e.Entries-- }}, finds("entry-count"), refuses("format")),
	})
}

package zipfile_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

func TestChecksEndRecord(t *testing.T) { runChecks(t, endRecordChecks()) }

// farthest is the longest tail that is searched for an end record, in bytes.
const farthest = 1<<20 + 65535 + 22

// endRecordChecks: what follows the end record, and which of several counts.
func endRecordChecks() []check {
	type A = ziptest.Archive
	type E = ziptest.EndRecord
	two := []ziptest.Entry{storedEntry("a.txt"), deflatedEntry("b.txt")}
	inner := archiveOf(storedEntry("inner.txt")).Build()
	in := string(inner.Bytes())
	damaged := strings.Replace(in, "PK\x01\x02", "PK\x01\x03", 1)
	holding := func(b string) []ziptest.Entry {
		return []ziptest.Entry{storedEntry("a.txt"), {Name: "inner.jar", Data: []byte(b)}}
	}
	badRecord := func(d []ziptest.CentralHeader) []ziptest.CentralHeader {
		d[0].Signature++
		return d
	}
	lengthen := func(n int) func(*E) { return func(e *E) { e.CommentLength = len(e.Comment) + n } }
	behindEnd := behind(atEnd, 22)
	inComment := behind(atEnd, 22+inner.End) // the end record of inner as a comment
	const bogus = "PK\x05\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00"

	return []check{
		checkRow("plain", A{Entries: two}, accepts(), accepts()),
		checkRow("no entries", A{}, accepts(), accepts()),
		checkRow("comment of 1 byte", A{Entries: two, Comment: "c"}, accepts(), accepts()),
		checkRow("comment of 65535 bytes", A{Entries: two, Comment: strings.Repeat("c", 65535)}, accepts(), accepts()),

		// Padding: tapes, flash sectors, uv#15451.
		checkRow("1 NUL behind", A{Entries: two, Suffix: make([]byte, 1)}, accepts(), accepts()),
		checkRow("22 NULs behind", A{Entries: two, Suffix: make([]byte, 22)}, accepts(), accepts()),
		checkRow("70000 NULs behind", A{Entries: two, Suffix: make([]byte, 70000)}, accepts(), accepts()),
		checkRow("70000 NULs behind the longest comment", A{Entries: two, Comment: strings.Repeat("c", 65535), Suffix: make([]byte, 70000)}, accepts(), accepts()),
		checkRow("most NULs behind", A{Entries: two, Suffix: make([]byte, farthest-22)}, accepts(), accepts()),
		checkRow("most NULs behind the longest comment", A{Entries: two, Comment: strings.Repeat("c", 65535), Suffix: make([]byte, 1<<20)}, accepts(), accepts()),
		checkRow("too many NULs behind", A{Entries: two, Suffix: make([]byte, farthest-21)}, refuses("truncated"), refuses("truncated")),
		checkRow("NULs behind no entries", A{Suffix: make([]byte, 70000)}, accepts(), accepts()),

		// Web servers, editors.
		checkRow("line end behind", A{Entries: two, Suffix: []byte("\r\n")}, finds("trailing-bytes", behindEnd), refuses("format", behindEnd)),
		checkRow("page behind", A{Entries: two, Comment: "c", Suffix: []byte("<html></html>\n")}, finds("trailing-bytes", behind(atEnd, 23)), refuses("format", behind(atEnd, 23))),
		checkRow("NUL and a byte behind", A{Entries: two, Suffix: []byte("\x00x")}, finds("trailing-bytes", behindEnd), refuses("format", behindEnd)),
		checkRow("byte and NULs behind", A{Entries: two, Suffix: []byte("x\x00\x00")}, finds("trailing-bytes", behindEnd), refuses("format", behindEnd)),
		checkRow("70000 bytes behind", A{Entries: two, Suffix: slices.Repeat([]byte("x"), 70000)}, finds("trailing-bytes", behindEnd), refuses("format", behindEnd)),
		checkRow("most bytes behind", A{Entries: two, Suffix: slices.Repeat([]byte("x"), farthest-22)}, finds("trailing-bytes", behindEnd), refuses("format", behindEnd)),
		checkRow("too many bytes behind", A{Entries: two, Suffix: slices.Repeat([]byte("x"), farthest-21)}, refuses("truncated"), refuses("truncated")),
		checkRow("comment length too small", A{Entries: two, Comment: "comment", End: lengthen(-3)}, finds("trailing-bytes", behind(atEnd, 26)), refuses("format", behind(atEnd, 26))),

		// ZipDiff, class C2: an end record in the comment.
		checkRow("signature in the comment", A{Entries: two, Comment: "PK\x05\x06"}, accepts(), accepts()),
		checkRow("end record that leads nowhere in the comment", A{Entries: two, Comment: bogus}, accepts(), accepts()),
		checkRow("end record that runs past the end in the comment", A{Entries: two, Comment: bogus[:20] + "\xff\xff"}, accepts(), accepts()),
		checkRow("archive in the comment", A{Entries: two, Comment: in}, finds("prefix several-end-records", atEnd), refuses("format")).
			holding("hello from inner.txt\n").prefixed(behindEnd),
		checkRow("damaged archive in the comment", A{Entries: two, Comment: damaged}, accepts(), accepts()),
		checkRow("archive and NUL in the comment", A{Entries: two, Comment: in + "\x00"}, finds("several-end-records", inComment), refuses("format", inComment)),
		checkRow("archive and byte in the comment", A{Entries: two, Comment: in + "x"}, finds("several-end-records", inComment), refuses("format", inComment)),
		checkRow("archive and byte in the comment, NULs behind", A{Entries: two, Comment: in + "x", Suffix: make([]byte, 70000)}, finds("several-end-records", inComment), refuses("format", inComment)),
		checkRow("archive in the comment, NULs behind", A{Entries: two, Comment: in, Suffix: make([]byte, 3)}, finds("prefix several-end-records", atEnd), refuses("format")).
			holding("hello from inner.txt\n").prefixed(behindEnd),
		checkRow("archive in the comment, bytes behind", A{Entries: two, Comment: in, Suffix: []byte("xx")}, finds("prefix several-end-records trailing-bytes", atEnd), refuses("format")).
			holding("hello from inner.txt\n").prefixed(behindEnd),
		checkRow("two archives in a row", A{Prefix: []byte(in), Entries: two}, finds("prefix"), refuses("format", position(0))),

		// Archives stored in an archive are no second reading of it.
		checkRow("stored archive inside", A{Entries: holding(in)}, accepts(), accepts()),
		checkRow("stored archive inside, NULs behind", A{Entries: holding(in), Suffix: make([]byte, 9)}, accepts(), accepts()),
		checkRow("stored archive inside, bytes behind", A{Entries: holding(in), Suffix: []byte("xx")}, finds("trailing-bytes", behindEnd), refuses("format", behindEnd)),
		checkRow("stored archive with a comment inside", A{Entries: holding(string(A{Entries: two, Comment: "inner"}.Bytes()))}, accepts(), accepts()),
		checkRow("stored zip64 archive inside", A{Entries: holding(string(A{Entries: two, Zip64: ziptest.Zip64Always}.Bytes()))}, accepts(), accepts()),
		checkRow("stored archive inside, behind a prefix", A{Prefix: []byte("#!/bin/sh\n"), Entries: holding(in)}, finds("prefix"), finds("prefix")),
		checkRow("stored archive inside, damaged directory", A{Entries: holding(in), Directory: badRecord}, refuses("format"), refuses("format")),
		checkRow("stored archive inside, damaged directory, NULs behind", A{Entries: holding(in), Directory: badRecord, Suffix: make([]byte, 30)}, refuses("format"), refuses("format")),
		checkRow("stored archive inside, damaged directory, bytes behind", A{Entries: holding(in), Directory: badRecord, Suffix: []byte("xx")}, refuses("format"), refuses("format")),
		checkRow("stored archive inside, directory offset damaged", A{Entries: holding(in), End: func(e *E) { e.DirectoryOffset += 1 << 20 }}, refuses("format", atEnd), refuses("format", atEnd)),
		checkRow("stored archive inside, comment cut off", A{Entries: holding(in), Comment: "cut", End: lengthen(4)}, refuses("format", atEnd), refuses("format", atEnd)),

		// Never fall back to an older record: it shows the archive as it once was.
		checkRow("comment length one too large", A{Entries: two, Comment: "c", End: lengthen(1)}, refuses("format", atEnd), refuses("format", atEnd)),
		checkRow("comment cut off", A{Entries: two, End: lengthen(65535)}, refuses("format", atEnd), refuses("format", atEnd)),
		checkRow("comment cut off behind an older archive", A{Prefix: []byte(in), Entries: two, End: lengthen(1)}, refuses("format", atEnd), refuses("format", atEnd)),
	}
}

func TestChecksNoEndRecord(t *testing.T) {
	ordinary := archiveOf(storedEntry("a.txt"), deflatedEntry("b.txt")).Build()
	whole := ordinary.Bytes()
	pick := func(name, b, kind string) check {
		return checkRow(name, rawArchive([]byte(b)), refuses(kind), refuses(kind))
	}
	runChecks(t, []check{
		pick("empty", "", "none"),
		pick("1 byte", "P", "none"),
		pick("3 bytes", "PK\x03", "none"),
		pick("text", "no archive at all\n", "none"),
		pick("21 bytes of an end record", string(ordinary.Bytes()[ordinary.End:][:21]), "none"),
		pick("NULs", strings.Repeat("\x00", 70000), "none"),
		pick("long text", strings.Repeat("no archive at all\n", 70000), "none"),
		pick("signature of a local header", "PK\x03\x04", "truncated"),
		pick("cut off in the data", string(whole[:40]), "truncated"),
		pick("cut off before the directory", string(whole[:ordinary.Directory]), "truncated"),
		pick("cut off in the directory", string(whole[:ordinary.Directory+60]), "truncated"),
		pick("cut off before the end record", string(whole[:ordinary.End]), "truncated"),
		pick("cut off in the end record", string(whole[:ordinary.End+21]), "truncated"),
		pick("cut off far behind", string(whole[:40])+strings.Repeat("x", farthest), "truncated"),
		pick("spanning marker", "PK\x07\x08"+string(whole[:ordinary.Directory]), "truncated"),
		pick("spanning marker of a single part", "PK00"+string(whole[:ordinary.Directory]), "truncated"),
		pick("directory without an end", string(whole[ordinary.Directory:ordinary.End]), "none"),
	})
}

// TestChecksWords: messages that a person must be able to act on.
func TestChecksWords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	part := func(disk uint16) ziptest.Archive {
		return ziptest.Archive{Entries: []ziptest.Entry{storedEntry("a.txt")}, End: func(e *ziptest.EndRecord) { e.Disk, e.DirectoryDisk = disk, disk }}
	}
	for name, tt := range map[string]struct {
		archive ziptest.Archive
		words   []string
	}{
		"empty.zip": {rawArchive(nil), []string{"empty"}},
		"text.zip":  {rawArchive([]byte("text")), []string{"not a zip archive"}},
		"two.zip":   {part(1), []string{"two.z01"}},
		"three.zip": {part(2), []string{"three.z01", "three.z02"}},
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, tt.archive.WriteFile(path))
		_, err := zipfile.Open(path, nil)
		for _, word := range tt.words {
			assert.ErrorContains(t, err, word)
		}
		assert.ErrorContains(t, err, path)
		if name != "empty.zip" {
			assert.NotContains(t, err.Error()[len(path):], "empty")
		}
	}
}

func TestChecksSplit(t *testing.T) {
	type A = ziptest.Archive
	two := []ziptest.Entry{storedEntry("a.txt"), deflatedEntry("b.txt")}
	end := func(f func(*ziptest.EndRecord)) A { return A{Entries: two, End: f} }
	split := func(name string, a A, at where) check {
		return checkRow(name, a, refuses("split", at), refuses("split", at))
	}
	runChecks(t, []check{
		split("last of two parts", end(func(e *ziptest.EndRecord) { e.Disk = 1 }), atEnd),
		split("last of three parts, the directory begins on the second", end(func(e *ziptest.EndRecord) { e.Disk, e.DirectoryDisk = 2, 1 }), atEnd),
		split("all in the last part", end(func(e *ziptest.EndRecord) { e.Disk, e.DirectoryDisk = 1, 1 }), atEnd),
		split("zip64, last of two parts", A{Entries: two, Zip64: ziptest.Zip64Always, Zip64End: func(r *ziptest.Zip64EndRecord) { r.Disk, r.DirectoryDisk = 1, 1 },
			Zip64Locator: func(l *ziptest.Zip64Locator) { l.Disk, l.Disks = 1, 2 },
			End:          func(e *ziptest.EndRecord) { e.Disk, e.DirectoryDisk = 1, 1 }}, nil),
		split("zip64, locator of two parts", A{Entries: two, Zip64: ziptest.Zip64Always, Zip64Locator: func(l *ziptest.Zip64Locator) { l.Disks = 2 }}, nil),
		split("zip64, record on another part", A{Entries: two, Zip64: ziptest.Zip64Always, Zip64Locator: func(l *ziptest.Zip64Locator) { l.Disk, l.Disks = 1, 2 }}, nil),
		checkRow("zip64, disks all ones in the end record", A{Entries: two, Zip64: ziptest.Zip64Always, End: func(e *ziptest.EndRecord) { e.Disk, e.DirectoryDisk = 0xffff, 0xffff }}, accepts(), accepts()),
		checkRow("zip64, locator counts no parts", A{Entries: two, Zip64: ziptest.Zip64Always, Zip64Locator: func(l *ziptest.Zip64Locator) { l.Disks = 0 }}, accepts(), accepts()),
	})
}

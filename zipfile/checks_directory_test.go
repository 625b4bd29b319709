package zipfile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

func TestChecksExtra(t *testing.T) {
	overrun := []byte("\xfe\xca\x05\x00four")
	central := func(b ...[]byte) ziptest.Archive {
		e := storedEntry("b.txt")
		e.CentralExtra = []byte(strings.Join(stringsOf(b), ""))
		return archiveOf(storedEntry("a.txt"), e)
	}
	local := func(b []byte) ziptest.Archive {
		e := deflatedEntry("b.txt")
		e.LocalExtra = b
		return archiveOf(storedEntry("a.txt"), e, storedEntry("c.txt"))
	}
	renamed := ziptest.UnicodePath("b.txt", "c.txt")
	needed := func(h *ziptest.CentralHeader) {
		h.Zip64, h.Extra = nil, append(append([]byte{}, overrun...), ziptest.Zip64Extra(uint64(h.Size))...)
		h.Size = 0xffffffff
	}
	behindOverrun := storedEntry("b.txt")
	behindOverrun.Central = needed
	at := atRecord("b.txt")
	runChecks(t, []check{
		checkRow("field of length 0", central(ziptest.Extra(ziptest.ExtraJar)), accepts(), accepts()),
		checkRow("fields of many kinds", central(ziptest.InfoZipUnix(0, 0), ziptest.Extra(0x7777, make([]byte, 1000)...)), accepts(), accepts()),
		checkRow("65535 bytes of one field", central(ziptest.Extra(0x7777, make([]byte, 65531)...)), accepts(), accepts()),
		checkRow("1 NUL", central(make([]byte, 1)), accepts(), accepts()), // zipalign
		checkRow("3 NULs behind a field", central(ziptest.Extra(ziptest.ExtraJar), make([]byte, 3)), accepts(), accepts()),
		checkRow("4 NULs", central(make([]byte, 4)), accepts(), accepts()),

		// BND, GlassFish: JDK-8313765.
		checkRow("overrun by 1", central(overrun), finds("extra-field", at), refuses("format", at)),
		checkRow("overrun by 65535", central([]byte("\xfe\xca\xff\xff")), finds("extra-field", at), refuses("format", at)),
		checkRow("overrun behind a field", central(ziptest.Extra(ziptest.ExtraJar), overrun), finds("extra-field", at), refuses("format", at)),
		checkRow("what follows an overrun is ignored", central([]byte("\xfe\xca\xff\x00"), renamed), finds("extra-field", at), refuses("format", at)),
		checkRow("zip64 block behind an overrun", archiveOf(storedEntry("a.txt"), behindOverrun), spoils("ok size", "extra-field", at), refuses("format")),
		checkRow("overrun in the local header", local(overrun), finds("extra-field", atLocal("b.txt")), refuses("format", atLocal("b.txt"))),
		checkRow("other field in the local header", local(ziptest.InfoZipUnix(0, 0)), accepts(), accepts()),
		checkRow("65535 bytes in the local header", local(ziptest.Extra(0x7777, make([]byte, 65531)...)), accepts(), accepts()),
		checkRow("3 NULs in the local header", local(make([]byte, 3)), accepts(), accepts()),
	})
}

func stringsOf(b [][]byte) []string {
	s := make([]string, len(b))
	for i := range b {
		s[i] = string(b[i])
	}
	return s
}

func TestChecksDuplicates(t *testing.T) {
	type A = ziptest.Archive
	type E = ziptest.Entry
	type D = []ziptest.CentralHeader
	second := E{Name: "a.txt", Data: []byte("the second a.txt\n")}
	twice := func(d D) D { return append(d, d[0]) }
	at := atRecord("a.txt")
	runChecks(t, []check{
		// junit-framework#761, temurin-build#1938
		checkRow("same name", archiveOf(storedEntry("a.txt"), second), finds("duplicate-name", at), refuses("format", at)),
		checkRow("same name, same contents", archiveOf(storedEntry("a.txt"), storedEntry("a.txt")), finds("duplicate-name", at), refuses("format", at)),
		checkRow("same name three times", archiveOf(storedEntry("a.txt"), storedEntry("b.txt"), second, second), finds("duplicate-name", at), refuses("format", at)),
		checkRow("same directory", archiveOf(E{Name: "d/"}, E{Name: "d/"}), finds("duplicate-name"), refuses("format")),
		checkRow("identical records", A{Entries: []E{storedEntry("a.txt"), storedEntry("b.txt")}, Directory: twice}, finds("duplicate-name", at), finds("duplicate-name", at)),
		checkRow("identical records side by side", A{Entries: []E{storedEntry("a.txt")}, Directory: func(d D) D { return D{d[0], d[0], d[0]} }}, finds("duplicate-name", at), finds("duplicate-name", at)),
		checkRow("name that a backslash makes the same", archiveOf(E{Name: `d\a.txt`}, E{Name: "d/a.txt"}), finds("duplicate-name"), refuses("format")),
		checkRow("file and directory", archiveOf(storedEntry("a"), storedEntry("a/b")), accepts(), accepts()),
		checkRow("letter case", archiveOf(storedEntry("a.txt"), storedEntry("A.TXT")), accepts(), accepts()),
	})

	t.Run("the last wins", func(t *testing.T) {
		z, err := zipfile.New(backend.Bytes(archiveOf(storedEntry("a.txt"), storedEntry("b.txt"), second).Bytes()), nil)
		require.NoError(t, err)
		e, ok := z.Lookup("a.txt")
		require.True(t, ok)
		assert.Equal(t, 2, e.Index())
		assert.Equal(t, []zipfile.Entry{z.At(0), z.At(2)}, z.LookupAll("a.txt"))
	})
}

func TestChecksOverlap(t *testing.T) { runChecks(t, overlapChecks()) }

// overlapChecks: bytes that belong to two entries, which is how a small archive unpacks to a
// large one (Fifield, "A better zip bomb", 2019).
func overlapChecks() []check {
	type A = ziptest.Archive
	type E = ziptest.Entry
	type C = ziptest.CentralHeader
	type D = []C
	// reach makes the data of the first of two stored entries n bytes longer.
	reach := func(n uint32) A {
		e := storedEntry("a.txt")
		e.Header = func(h *ziptest.Header) { h.Size += n; h.CompressedSize += n }
		return archiveOf(e, storedEntry("b.txt"))
	}
	// empty is an entry of size 0 whose last n bytes of data stand in the next one.
	empty := func(name, raw string, n uint32) A {
		e := E{Name: name, Method: ziptest.Deflate, Raw: []byte(raw)}
		e.Central = func(h *C) { h.CompressedSize += n }
		e.Local = func(h *ziptest.LocalHeader) { h.CompressedSize = 0 }
		return archiveOf(e, storedEntry("b.txt"))
	}
	last := func(n uint32) A {
		e := storedEntry("b.txt")
		e.Header = func(h *ziptest.Header) { h.Size += n; h.CompressedSize += n }
		return archiveOf(storedEntry("a.txt"), e)
	}
	offset := func(f func(*C)) A {
		e := storedEntry("b.txt")
		e.Central = f
		return archiveOf(storedEntry("a.txt"), e, storedEntry("c.txt"))
	}
	overlaps := func(name string, a A, entries string, at ...where) check {
		return checkRow(name, a, spoils(entries, "", at...), refuses("format", at...))
	}
	backwards := func(d D) D { return D{d[1], d[0]} }
	inner := archiveOf(storedEntry("inner.txt"))
	innerHeader := int64(30 + len("in.jar"))
	streamed := storedEntry("a.txt")
	streamed.Descriptor = ziptest.MissingDescriptor

	return []check{
		overlaps("1 byte", reach(1), "overlap ok", atLocal("a.txt")),
		overlaps("2 bytes", reach(2), "overlap ok", atLocal("a.txt")),
		overlaps("a whole entry", reach(40), "overlap ok", atLocal("a.txt")),
		overlaps("1 byte, directory backwards", A{Entries: reach(1).Entries, Directory: backwards}, "ok overlap", atLocal("a.txt")),
		overlaps("3 bytes behind an empty entry", empty("a.txt", "\x03\x00", 3), "overlap ok", atLocal("a.txt")),
		overlaps("quoted", ziptest.QuotedOverlap(E{Name: "kernel", Data: make([]byte, 2000)}, "a", "b", "c"), "overlap overlap overlap ok", atLocal("a")),
		overlaps("two names", archiveOf(storedEntry("a.txt"), E{Name: "b.txt", Share: "a.txt"}), "overlap overlap", atLocal("a.txt")),
		overlaps("kernel of three names", archiveOf(storedEntry("x"), deflatedEntry("a"), E{Name: "b", Share: "a"}, E{Name: "c", Share: "a"}, storedEntry("y")), "ok overlap overlap overlap ok", atLocal("a")),
		overlaps("two names, one of them twice", A{Entries: []E{storedEntry("a.txt"), {Name: "b.txt", Share: "a.txt"}}, Directory: func(d D) D { return append(d, d[0]) }}, "overlap overlap overlap", atLocal("a.txt")).
			finding("duplicate-name"),
		overlaps("header in the data of another", A{Entries: []E{{Name: "in.jar", Data: inner.Bytes()}, storedEntry("b.txt")},
			Directory: func(d D) D {
				c := d[1]
				c.Name, c.Offset = "inner.txt", uint32(innerHeader)
				truth := inner.Entries[0]
				c.Size, c.CompressedSize = uint32(len(truth.Data)), uint32(len(truth.Data))
				c.CRC32 = checksum(truth.Data)
				return append(d, c)
			}}, "overlap ok ok", position(0)).holding("", string(storedEntry("b.txt").Data), string(storedEntry("inner.txt").Data)),
		overlaps("header in the header of another", offset(func(h *C) { h.Offset = 10 }), "overlap format ok"),

		// ClamAV#561: vendors' jars.
		checkRow("1 byte behind a directory", empty("a/", "", 1), accepts(), accepts()),
		checkRow("2 bytes behind a directory", empty("a/", "", 2), accepts(), accepts()),
		checkRow("1 byte behind an empty entry", empty("a.txt", "\x03\x00", 1), accepts(), accepts()),
		checkRow("2 bytes behind an empty entry", empty("a.txt", "\x03\x00", 2), accepts(), accepts()),
		checkRow("2 bytes of the next header", empty("a.txt", "", 2), accepts(), accepts()),
		checkRow("stored, next to each other", archiveOf(storedEntry("a.txt"), storedEntry("b.txt")), accepts(), accepts()),
		checkRow("directory backwards", A{Entries: []E{storedEntry("a.txt"), deflatedEntry("b.txt")}, Directory: backwards}, accepts(), accepts()),
		checkRow("no room for the descriptor", archiveOf(streamed, storedEntry("b.txt")), accepts(), accepts()),

		overlaps("3 bytes behind a directory", empty("a/", "", 3), "overlap ok", atLocal("a/")).finding("directory-data"),
		overlaps("1 byte into the directory", last(1), "ok format", atLocal("b.txt")),
		overlaps("into the end record", last(60), "ok format", atLocal("b.txt")),
		overlaps("behind the file", last(1<<20), "ok format", atLocal("b.txt")),
		overlaps("offset in the directory", offset(func(h *C) { h.Offset += 1000 }), "ok format ok"),
		overlaps("offset behind the file", offset(func(h *C) { h.Offset = 0xfffffffe }), "ok format ok"),
		overlaps("offset of no header", offset(func(h *C) { h.Offset++ }), "ok format ok", behind(atLocal("b.txt"), 1)),
	}
}

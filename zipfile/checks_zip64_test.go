package zipfile_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

func TestChecksZip64End(t *testing.T) { runChecks(t, zip64EndChecks()) }

// zip64EndChecks: the zip64 records against each other and against the end record (ZipDiff,
// class C5).
func zip64EndChecks() []check {
	type A = ziptest.Archive
	type E = ziptest.EndRecord
	type Z = ziptest.Zip64EndRecord
	type L = ziptest.Zip64Locator
	const always, redundant = ziptest.Zip64Always, ziptest.Zip64Redundant
	two := []ziptest.Entry{storedEntry("a.txt"), deflatedEntry("b.txt")}
	beside := func(f func(*E)) A { return A{Entries: two, Zip64: redundant, End: f} }
	record := func(f func(*Z)) A { return A{Entries: two, Zip64End: f} }
	locator := func(f func(*L)) A { return A{Entries: two, Zip64Locator: f} }
	refusedBy := func(name string, a A) check { return checkRow(name, a, refuses("format"), refuses("format")) }
	// An entry's comment of the length of a locator, which looks like one.
	disguised := storedEntry("b.txt")
	disguised.Comment = string((&L{Signature: ziptest.Zip64LocatorSignature, Offset: 30, Disks: 1}).Bytes())
	script := []byte("#!/bin/sh\n")

	return []check{
		checkRow("for all values", A{Entries: two, Zip64: always}, accepts(), accepts()),
		checkRow("beside the same values", A{Entries: two, Zip64: redundant}, accepts(), accepts()),
		checkRow("of no entries", A{Zip64: always}, accepts(), accepts()),
		checkRow("with a comment", A{Entries: two, Zip64: always, Comment: "c"}, accepts(), accepts()),
		checkRow("70000 NULs behind", A{Entries: two, Zip64: always, Suffix: make([]byte, 70000)}, accepts(), accepts()),

		refusedBy("entries differ", beside(func(e *E) { e.Entries++ })),
		refusedBy("entries on the disk differ", beside(func(e *E) { e.EntriesOnDisk++ })),
		refusedBy("entries are 0", beside(func(e *E) { e.Entries, e.EntriesOnDisk = 0, 0 })),
		refusedBy("directory size differs", beside(func(e *E) { e.DirectorySize++ })),
		refusedBy("directory size is 0", beside(func(e *E) { e.DirectorySize = 0 })),
		refusedBy("directory offset differs", beside(func(e *E) { e.DirectoryOffset-- })),
		refusedBy("directory offset is 0", beside(func(e *E) { e.DirectoryOffset = 0 })),
		refusedBy("directory size just below all ones", beside(func(e *E) { e.DirectorySize = 0xfffffffe })),
		refusedBy("directory offset just below all ones", beside(func(e *E) { e.DirectoryOffset = 0xfffffffe })),
		refusedBy("entries just below all ones", beside(func(e *E) { e.Entries, e.EntriesOnDisk = 0xfffe, 0xfffe })),

		refusedBy("record says a larger directory", record(func(r *Z) { r.DirectorySize++ })),
		refusedBy("record says a directory of 2^63 bytes", record(func(r *Z) { r.DirectorySize = 1 << 63 })),
		refusedBy("record says a directory of 2^64-1 bytes", record(func(r *Z) { r.DirectorySize = 1<<64 - 1 })),
		refusedBy("record says a directory at 2^63", record(func(r *Z) { r.DirectoryOffset = 1 << 63 })),
		refusedBy("record says a directory at 2^64-1", record(func(r *Z) { r.DirectoryOffset = 1<<64 - 1 })),
		refusedBy("offset and size together overflow", record(func(r *Z) { r.DirectoryOffset, r.DirectorySize = 1<<63-1, 1<<63-1 })),
		refusedBy("record says no directory", record(func(r *Z) { r.DirectorySize = 0 })),
		refusedBy("record has another signature", record(func(r *Z) { r.Signature++ })),
		refusedBy("record too short", record(func(r *Z) { r.RecordSize = 43 })),
		refusedBy("record too long", record(func(r *Z) { r.RecordSize = 45 })),
		refusedBy("record of 2^64-2 bytes", record(func(r *Z) { r.RecordSize = -2 })),
		refusedBy("bytes between record and locator", record(func(r *Z) { r.After = []byte("gap") })),
		refusedBy("no record", record(ziptest.NoZip64End)),
		refusedBy("locator leads 7 bytes too far", locator(func(l *L) { l.Offset += 7 })),
		refusedBy("locator leads 1 byte too short", locator(func(l *L) { l.Offset-- })),
		refusedBy("locator leads behind the file", locator(func(l *L) { l.Offset = 1 << 40 })),
		refusedBy("locator leads to 2^64-1", locator(func(l *L) { l.Offset = 1<<64 - 1 })),
		refusedBy("no locator", locator(ziptest.NoZip64Locator)),
		refusedBy("locator has another signature", locator(func(l *L) { l.Signature++ })),
		refusedBy("bytes between locator and end record", locator(func(l *L) { l.After = []byte("gap") })),
		checkRow("no record, offset of the locator", record(ziptest.NoZip64End), refuses("format", atLocator), refuses("format", atLocator)),

		refusedBy("prefix counted by the locator alone", A{Prefix: script, Entries: two, Zip64Locator: func(l *L) { l.Offset += 10 }}),
		refusedBy("prefix counted by the record alone", A{Prefix: script, Entries: two, Zip64End: func(r *Z) { r.DirectoryOffset += 10 }}),

		checkRow("entry comment that looks like a locator", archiveOf(storedEntry("a.txt"), disguised), finds("zip64", behind(atEnd, -20)), refuses("format", behind(atEnd, -20))),
		checkRow("locator without need and record", A{Entries: two, Zip64: redundant, Zip64End: ziptest.NoZip64End}, finds("gap zip64", atLocator), refuses("format")),
		checkRow("extensible data", record(func(r *Z) { r.Extensible = []byte("0123456789") }), finds("zip64", atZip64End), refuses("format", atZip64End)),
		checkRow("70000 bytes of extensible data", record(func(r *Z) { r.Extensible = make([]byte, 70000) }), finds("zip64", atZip64End), refuses("format", atZip64End)),
		checkRow("extensible data behind a prefix", A{Prefix: script, Entries: two, Zip64End: func(r *Z) { r.Extensible = []byte("x") }}, finds("prefix zip64", atZip64End), refuses("format", atZip64End)),
	}
}

func TestChecksZip64Block(t *testing.T) { runChecks(t, zip64BlockChecks()) }

// zip64BlockChecks: the zip64 blocks of entries.
func zip64BlockChecks() []check {
	type E = ziptest.Entry
	type C = ziptest.CentralHeader
	const all = 0xffffffff
	with := func(f func(*C)) ziptest.Archive {
		e := storedEntry("b.txt")
		e.Central = f
		return archiveOf(storedEntry("a.txt"), e, deflatedEntry("c.txt"))
	}
	size := uint64(len(storedEntry("b.txt").Data))
	block := func(values ...uint64) func(*C) { return func(h *C) { h.Zip64 = values } }
	entry := func(name string, z ziptest.Zip64) E { e := storedEntry(name); e.Zip64 = z; return e }
	at := atRecord("b.txt")
	odd := func(name string, a ziptest.Archive) check {
		return checkRow(name, a, finds("zip64", at), refuses("format", at))
	}
	bad := func(name, kind string, a ziptest.Archive) check {
		return checkRow(name, a, spoils("ok "+kind+" ok", ""), refuses("format"))
	}
	extra := func(b []byte) func(*C) {
		return func(h *C) { h.Size, h.CompressedSize, h.Extra = all, all, b }
	}

	return []check{
		checkRow("for all values", archiveOf(entry("a.txt", ziptest.Zip64Always), entry("b.txt", ziptest.Zip64Always)), accepts(), accepts()),
		checkRow("for all values of an empty entry", archiveOf(E{Name: "a.txt", Zip64: ziptest.Zip64Always}), accepts(), accepts()),
		checkRow("for all values, prefix", ziptest.Archive{Prefix: []byte("#!\n"), Entries: []E{entry("a.txt", ziptest.Zip64Always)}}, finds("prefix"), finds("prefix")),
		checkRow("for the size", with(func(h *C) { h.Size, h.Zip64 = all, []uint64{size} }), accepts(), accepts()),
		checkRow("for the compressed size", with(func(h *C) { h.CompressedSize, h.Zip64 = all, []uint64{size} }), accepts(), accepts()),
		checkRow("for the offset", with(func(h *C) { h.Zip64, h.Offset = []uint64{uint64(h.Offset)}, all }), accepts(), accepts()),
		checkRow("behind another field", with(extra(append(ziptest.Extra(ziptest.ExtraJar), ziptest.Zip64Extra(size, size)...))), accepts(), accepts()),
		checkRow("local header alone", archiveOf(E{Name: "b.txt", Data: []byte("b"), LocalExtra: ziptest.Zip64Extra(1, 1), Local: func(h *ziptest.LocalHeader) { h.Size, h.CompressedSize = all, all }}), accepts(), accepts()),

		odd("needless", with(block(size, size))),
		odd("needless, redundant", archiveOf(storedEntry("a.txt"), entry("b.txt", ziptest.Zip64Redundant))),
		odd("needless, empty", with(block([]uint64{}...))),
		odd("longer than the size needs", with(func(h *C) { h.Size, h.Zip64 = all, []uint64{size, size, uint64(h.Offset)} })), // archive/zip
		odd("longer than all need", with(func(h *C) {
			h.Zip64 = []uint64{size, size, uint64(h.Offset), 0}
			h.Size, h.CompressedSize, h.Offset = all, all, all
		})),
		odd("with a disk that nothing needs", with(func(h *C) {
			h.Extra = ziptest.Extra(ziptest.ExtraZip64, append(ziptest.Zip64Extra(size, size, uint64(h.Offset))[4:], 0, 0, 0, 0)...)
			h.Size, h.CompressedSize, h.Offset = all, all, all
		})),

		checkRow("empty and needed", with(func(h *C) { h.Size, h.Zip64 = all, []uint64{} }), spoils("ok format ok", "zip64", at), refuses("format")),
		bad("7 bytes", "format", with(func(h *C) { h.Size, h.Extra = all, ziptest.Extra(ziptest.ExtraZip64, make([]byte, 7)...) })),
		bad("8 bytes for two values", "format", with(func(h *C) { h.Size, h.CompressedSize, h.Zip64 = all, all, []uint64{size} })),
		bad("16 bytes for three values", "format", with(func(h *C) { h.Size, h.CompressedSize, h.Offset, h.Zip64 = all, all, all, []uint64{size, size} })),
		bad("size of 2^63", "format", with(func(h *C) { h.Size, h.CompressedSize, h.Zip64 = all, all, []uint64{1 << 63, size} })),
		bad("compressed size of 2^64-1", "format", with(func(h *C) { h.Size, h.CompressedSize, h.Zip64 = all, all, []uint64{size, 1<<64 - 1} })),
		bad("both sizes 2^62", "format", with(func(h *C) { h.Size, h.CompressedSize, h.Zip64 = all, all, []uint64{1 << 62, 1 << 62} })),
		bad("both sizes 2^63-1", "format", with(func(h *C) { h.Size, h.CompressedSize, h.Zip64 = all, all, []uint64{1<<63 - 1, 1<<63 - 1} })),
		bad("offset of 2^63", "format", with(func(h *C) { h.Offset, h.Zip64 = all, []uint64{1 << 63} })),
		bad("offset of 2^63-1", "format", with(func(h *C) { h.Offset, h.Zip64 = all, []uint64{1<<63 - 1} })),
		bad("offset of 2^40", "format", with(func(h *C) { h.Offset, h.Zip64 = all, []uint64{1 << 40} })),

		// Without a block all ones are a number: 42.zip, files of exactly that size.
		bad("both sizes all ones, no block", "format", with(func(h *C) { h.Size, h.CompressedSize = all, all })),
		bad("size all ones, no block", "size", with(func(h *C) { h.Size = all })),
		bad("compressed size all ones, no block", "size", with(func(h *C) { h.CompressedSize = all })),
		bad("offset all ones, no block", "format", with(func(h *C) { h.Offset = all })),
	}
}

// TestChecksEdges: counts, sizes and offsets around what 16 and 32 bits hold, over holes. The
// entries behind the large ones are where the zip64 block says.
func TestChecksEdges(t *testing.T) {
	t.Parallel()
	type A = ziptest.Archive
	type E = ziptest.Entry
	for _, n := range []int64{0xfffe, 0xffff, 0x10000, 0xfffffffe, 0xffffffff, 0x100000000} {
		large := func(z ziptest.Zip64) E { return E{Name: "large", Data: []byte("large"), Zeros: n - 5, Zip64: z} }
		script := []byte("#!/bin/sh\n")
		for name, a := range map[string]A{
			"offset":             {Entries: []E{storedEntry("a.txt"), {Name: "b.txt", Data: []byte("b"), At: n}}},
			"size":               {Entries: []E{large(0), storedEntry("b.txt")}},
			"streamed size":      {Entries: []E{{Name: "large", Zeros: n, Descriptor: func(*ziptest.Descriptor) {}}, storedEntry("b.txt")}},
			"directory offset":   {Entries: []E{storedEntry("a.txt")}, DirectoryAt: n},
			"prefix":             {PrefixHole: n, Entries: []E{storedEntry("a.txt"), deflatedEntry("b.txt")}},
			"prefix, adjusted":   {PrefixHole: n, Adjust: true, Entries: []E{storedEntry("a.txt"), deflatedEntry("b.txt")}},
			"size behind script": {Prefix: script, Entries: []E{large(0), storedEntry("b.txt")}},
			"size and blocks":    {Entries: []E{large(ziptest.Zip64Always), storedEntry("b.txt")}},
		} {
			for _, checks := range []zipfile.Checks{zipfile.Standard, zipfile.Strict} {
				t.Run(fmt.Sprintf("%s=%#x/checks=%d", name, n, checks), func(t *testing.T) {
					t.Parallel()
					img := a.Build()
					z, err := zipfile.New(backend.ReaderAt(img, img.Size()), &zipfile.Options{Checks: checks})
					require.NoError(t, err)
					defer z.Close()
					assert.Equal(t, img.Start, z.Prefix())
					want := ""
					if img.Start > 0 {
						want = "prefix"
					}
					assert.Equal(t, want, kindsOf(z.Findings()))
					for e := range z.Entries() {
						l := img.Entries[e.Index()]
						assert.Equal(t, l.Header, e.HeaderOffset())
						at, err := e.DataOffset()
						require.NoError(t, err)
						assert.Equal(t, l.Data, at)
						truth := a.Entries[e.Index()]
						if e.Name() != "large" {
							got, err := e.ReadAll()
							require.NoError(t, err)
							assert.Equal(t, string(truth.Data), string(got))
							continue
						}
						assert.Equal(t, n, e.Size())
						assert.Equal(t, n, e.CompressedSize())
						r, err := e.Open()
						require.NoError(t, err)
						got := make([]byte, 100)
						_, err = io.ReadFull(r, got)
						require.NoError(t, err)
						require.NoError(t, r.Close())
						assert.Equal(t, string(truth.Data), string(got[:len(truth.Data)]))
						assert.Empty(t, kindsOf(z.Findings())[len(want):])
					}
				})
			}
		}
	}
}

// TestChecksFourGiB: an entry of exactly 4,294,967,295 bytes without a zip64 block, as 42.zip
// has them, is read to its end.
func TestChecksFourGiB(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("decodes 4 GiB")
	}
	t.Parallel()
	a := archiveOf(ziptest.Entry{Name: "zeros", Zeros: 0xffffffff, Method: ziptest.Deflate, Zip64: ziptest.Zip64Never}, storedEntry("b.txt"))
	img := a.Build()
	for _, checks := range []zipfile.Checks{zipfile.Standard, zipfile.Strict} {
		z, err := zipfile.New(backend.ReaderAt(img, img.Size()), &zipfile.Options{Checks: checks})
		require.NoError(t, err)
		defer z.Close()
		assert.Equal(t, int64(0xffffffff), z.At(0).Size())
		assert.Empty(t, kindsOf(z.Findings()))
		if checks == zipfile.Standard {
			n, err := z.At(0).WriteTo(io.Discard)
			require.NoError(t, err)
			assert.Equal(t, int64(0xffffffff), n)
		}
	}
}

package ziptest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

// TestHooks: what a hook changes stands where the layout says.
func TestHooks(t *testing.T) {
	t.Parallel()
	const offset = 7 // a changed value
	local := func(f func(*ziptest.LocalHeader)) ziptest.Archive {
		return ziptest.Archive{Entries: []ziptest.Entry{{Name: "first"}, {Name: "a.txt", Data: hello, Local: f}}}
	}
	central := func(f func(*ziptest.CentralHeader)) ziptest.Archive {
		return ziptest.Archive{Entries: []ziptest.Entry{{Name: "first"}, {Name: "a.txt", Data: hello, Central: f}}}
	}
	descriptor := func(f func(*ziptest.Descriptor)) ziptest.Archive {
		return ziptest.Archive{Entries: []ziptest.Entry{{Name: "a.txt", Data: hello, Descriptor: f}}}
	}
	zip64 := func(f func(*ziptest.Zip64EndRecord)) ziptest.Archive {
		return ziptest.Archive{Entries: []ziptest.Entry{{Name: "a.txt"}}, Zip64End: f}
	}
	locator := func(f func(*ziptest.Zip64Locator)) ziptest.Archive {
		return ziptest.Archive{Entries: []ziptest.Entry{{Name: "a.txt"}}, Zip64Locator: f}
	}
	end := func(f func(*ziptest.EndRecord)) ziptest.Archive {
		return ziptest.Archive{Prefix: []byte("MZ"), Entries: []ziptest.Entry{{Name: "a.txt"}}, Comment: "c", End: f}
	}
	inLocal := func(l *ziptest.Image) int64 { return l.Entry("a.txt").Header }
	inCentral := func(l *ziptest.Image) int64 { return l.Entry("a.txt").Record }
	inDescriptor := func(l *ziptest.Image) int64 { return l.Entry("a.txt").Descriptor }
	inZip64 := func(l *ziptest.Image) int64 { return l.Zip64End }
	inLocator := func(l *ziptest.Image) int64 { return l.Zip64Locator }
	inEnd := func(l *ziptest.Image) int64 { return l.End }

	type L = ziptest.LocalHeader
	type C = ziptest.CentralHeader
	type D = ziptest.Descriptor
	type Z = ziptest.Zip64EndRecord
	type K = ziptest.Zip64Locator
	type E = ziptest.EndRecord
	for _, tt := range []struct {
		name    string
		archive ziptest.Archive
		record  func(*ziptest.Image) int64
		at      int64
		want    string // little-endian bytes
	}{
		{"local signature", local(func(h *L) { h.Signature = offset }), inLocal, 0, "\x07\x00\x00\x00"},
		{"local version", local(func(h *L) { h.VersionNeeded = offset }), inLocal, 4, "\x07\x00"},
		{"local flags", local(func(h *L) { h.Flags = offset }), inLocal, 6, "\x07\x00"},
		{"local method", local(func(h *L) { h.Method = offset }), inLocal, 8, "\x07\x00"},
		{"local time", local(func(h *L) { h.Time = offset }), inLocal, 10, "\x07\x00"},
		{"local date", local(func(h *L) { h.Date = offset }), inLocal, 12, "\x07\x00"},
		{"local crc", local(func(h *L) { h.CRC32 = offset }), inLocal, 14, "\x07\x00\x00\x00"},
		{"local compressed size", local(func(h *L) { h.CompressedSize = offset }), inLocal, 18, "\x07\x00\x00\x00"},
		{"local size", local(func(h *L) { h.Size = offset }), inLocal, 22, "\x07\x00\x00\x00"},
		{"local name length", local(func(h *L) { h.NameLength = offset }), inLocal, 26, "\x07\x00\x00\x00a.txthello\n"},
		{"local extra length", local(func(h *L) { h.ExtraLength = offset }), inLocal, 26, "\x05\x00\x07\x00a.txthello\n"},
		{"local name", local(func(h *L) { h.Name = "longer.txt" }), inLocal, 26, "\x0a\x00\x00\x00longer.txthello\n"},
		{"local extra", local(func(h *L) { h.Extra = ziptest.Extra(1, 'x') }), inLocal, 26, "\x05\x00\x05\x00a.txt\x01\x00\x01\x00xhello\n"},
		{"local zip64", local(func(h *L) { h.Zip64 = []uint64{offset} }), inLocal, 28, "\x0c\x00a.txt\x01\x00\x08\x00\x07\x00\x00\x00\x00\x00\x00\x00hello\n"},
		{"local zip64 of length 0", local(func(h *L) { h.Zip64 = []uint64{} }), inLocal, 28, "\x04\x00a.txt\x01\x00\x00\x00hello\n"},
		{"no local header", local(ziptest.NoLocal), inLocal, 0, "hello\nPK\x01\x02"},

		{"central signature", central(func(h *C) { h.Signature = offset }), inCentral, 0, "\x07\x00\x00\x00"},
		{"version made by", central(func(h *C) { h.VersionMadeBy = offset }), inCentral, 4, "\x07\x00"},
		{"central version", central(func(h *C) { h.VersionNeeded = offset }), inCentral, 6, "\x07\x00"},
		{"central flags", central(func(h *C) { h.Flags = offset }), inCentral, 8, "\x07\x00"},
		{"central method", central(func(h *C) { h.Method = offset }), inCentral, 10, "\x07\x00"},
		{"central time", central(func(h *C) { h.Time = offset }), inCentral, 12, "\x07\x00"},
		{"central date", central(func(h *C) { h.Date = offset }), inCentral, 14, "\x07\x00"},
		{"central crc", central(func(h *C) { h.CRC32 = offset }), inCentral, 16, "\x07\x00\x00\x00"},
		{"central compressed size", central(func(h *C) { h.CompressedSize = offset }), inCentral, 20, "\x07\x00\x00\x00"},
		{"central size", central(func(h *C) { h.Size = offset }), inCentral, 24, "\x07\x00\x00\x00"},
		{"central name length", central(func(h *C) { h.NameLength = offset }), inCentral, 28, "\x07\x00"},
		{"central extra length", central(func(h *C) { h.ExtraLength = offset }), inCentral, 30, "\x07\x00"},
		{"central comment length", central(func(h *C) { h.CommentLength = offset }), inCentral, 32, "\x07\x00"},
		{"disk of the entry", central(func(h *C) { h.DiskStart = offset }), inCentral, 34, "\x07\x00"},
		{"internal attributes", central(func(h *C) { h.InternalAttributes = offset }), inCentral, 36, "\x07\x00"},
		{"external attributes", central(func(h *C) { h.ExternalAttributes = offset }), inCentral, 38, "\x07\x00\x00\x00"},
		{"header offset", central(func(h *C) { h.Offset = offset }), inCentral, 42, "\x07\x00\x00\x00a.txtPK\x05\x06"},
		{"truthful header offset", central(nil), inCentral, 42, "\x23\x00\x00\x00a.txtPK\x05\x06"},
		{"central name", central(func(h *C) { h.Name = "b" }), inCentral, 46, "bPK\x05\x06"},
		{"central extra", central(func(h *C) { h.Extra = []byte("xyz") }), inCentral, 30, "\x03\x00"},
		{"entry comment", central(func(h *C) { h.Comment = "xyz" }), inCentral, 46, "a.txtxyzPK\x05\x06"},
		{"bytes between records", central(func(h *C) { h.After, h.Hole = []byte("junk"), 2 }), inCentral, 46, "a.txtjunk\x00\x00PK\x05\x06"},

		{"descriptor", descriptor(ziptest.Signed32), inDescriptor, 0, "PK\x07\x08\x20\x30\x3a\x36\x06\x00\x00\x00\x06\x00\x00\x00PK\x01\x02"},
		{"unsigned descriptor", descriptor(ziptest.Unsigned32), inDescriptor, 0, "\x20\x30\x3a\x36\x06\x00\x00\x00\x06\x00\x00\x00PK\x01\x02"},
		{"wide descriptor", descriptor(ziptest.Signed64), inDescriptor, 8, "\x06\x00\x00\x00\x00\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00PK\x01\x02"},
		{"descriptor signature", descriptor(func(d *D) { d.Signature = offset }), inDescriptor, 0, "\x07\x00\x00\x00"},
		{"descriptor crc", descriptor(func(d *D) { d.CRC32 = offset }), inDescriptor, 4, "\x07\x00\x00\x00"},
		{"descriptor compressed size", descriptor(func(d *D) { d.CompressedSize = offset }), inDescriptor, 8, "\x07\x00\x00\x00"},
		{"descriptor size", descriptor(func(d *D) { d.Size = offset }), inDescriptor, 12, "\x07\x00\x00\x00"},
		{"local header before a descriptor", descriptor(ziptest.Signed32), inLocal, 6, "\x08\x00\x00\x00\x00\x00\x21\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05\x00"},
		{"missing descriptor", descriptor(ziptest.MissingDescriptor), inCentral, -6, "hello\nPK\x01\x02\x14\x00\x14\x00\x08\x00"},

		{"zip64 signature", zip64(func(z *Z) { z.Signature = offset }), inZip64, 0, "\x07\x00\x00\x00"},
		{"zip64 record size", zip64(func(z *Z) { z.RecordSize = offset }), inZip64, 4, "\x07\x00\x00\x00\x00\x00\x00\x00"},
		{"zip64 record size, huge", zip64(func(z *Z) { z.RecordSize = -2 }), inZip64, 4, "\xfe\xff\xff\xff\xff\xff\xff\xff"},
		{"zip64 version made by", zip64(func(z *Z) { z.VersionMadeBy = offset }), inZip64, 12, "\x07\x00"},
		{"zip64 version", zip64(func(z *Z) { z.VersionNeeded = offset }), inZip64, 14, "\x07\x00"},
		{"zip64 disk", zip64(func(z *Z) { z.Disk = offset }), inZip64, 16, "\x07\x00\x00\x00"},
		{"zip64 directory disk", zip64(func(z *Z) { z.DirectoryDisk = offset }), inZip64, 20, "\x07\x00\x00\x00"},
		{"zip64 entries on disk", zip64(func(z *Z) { z.EntriesOnDisk = offset }), inZip64, 24, "\x07\x00\x00\x00\x00\x00\x00\x00"},
		{"zip64 entries", zip64(func(z *Z) { z.Entries = offset }), inZip64, 32, "\x07\x00\x00\x00\x00\x00\x00\x00"},
		{"zip64 directory size", zip64(func(z *Z) { z.DirectorySize = offset }), inZip64, 40, "\x07\x00\x00\x00\x00\x00\x00\x00"},
		{"zip64 directory offset", zip64(func(z *Z) { z.DirectoryOffset = offset }), inZip64, 48, "\x07\x00\x00\x00\x00\x00\x00\x00PK\x06\x07"},
		{"zip64 extensible data", zip64(func(z *Z) { z.Extensible = []byte("data") }), inZip64, 4, "\x30\x00\x00\x00\x00\x00\x00\x00"},
		{"zip64 gap", zip64(func(z *Z) { z.After = []byte("gap") }), inZip64, 56, "gapPK\x06\x07"},
		{"no zip64 record", zip64(ziptest.NoZip64End), inLocator, 0, "PK\x06\x07\x00\x00\x00\x00\x56\x00\x00\x00"},
		{"locator signature", locator(func(k *K) { k.Signature = offset }), inLocator, 0, "\x07\x00\x00\x00"},
		{"locator disk", locator(func(k *K) { k.Disk = offset }), inLocator, 4, "\x07\x00\x00\x00"},
		{"locator offset", locator(func(k *K) { k.Offset = offset }), inLocator, 8, "\x07\x00\x00\x00\x00\x00\x00\x00"},
		{"locator disks", locator(func(k *K) { k.Disks = offset }), inLocator, 16, "\x07\x00\x00\x00PK\x05\x06"},
		{"locator gap", locator(func(k *K) { k.After = []byte("gap") }), inLocator, 20, "gapPK\x05\x06"},
		{"no locator", locator(ziptest.NoZip64Locator), inZip64, 56, "PK\x05\x06\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00"},

		{"end signature", end(func(e *E) { e.Signature = offset }), inEnd, 0, "\x07\x00\x00\x00"},
		{"disk", end(func(e *E) { e.Disk = offset }), inEnd, 4, "\x07\x00"},
		{"directory disk", end(func(e *E) { e.DirectoryDisk = offset }), inEnd, 6, "\x07\x00"},
		{"entries on disk", end(func(e *E) { e.EntriesOnDisk = offset }), inEnd, 8, "\x07\x00"},
		{"entries", end(func(e *E) { e.Entries = offset }), inEnd, 10, "\x07\x00"},
		{"directory size", end(func(e *E) { e.DirectorySize = offset }), inEnd, 12, "\x07\x00\x00\x00"},
		{"directory offset", end(func(e *E) { e.DirectoryOffset = offset }), inEnd, 16, "\x07\x00\x00\x00"},
		{"comment length", end(func(e *E) { e.CommentLength = offset }), inEnd, 20, "\x07\x00c"},
		{"comment", end(func(e *E) { e.Comment = "xyz" }), inEnd, 20, "\x03\x00xyz"},
		{"truthful end record", end(nil), inEnd, 0, "PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00\x33\x00\x00\x00\x23\x00\x00\x00\x01\x00c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			img := tt.archive.Build()
			got := img.Bytes()[tt.record(img)+tt.at:]
			require.GreaterOrEqual(t, len(got), len(tt.want))
			assert.Equal(t, tt.want, string(got[:len(tt.want)]))
		})
	}
}

func TestDirectoryHook(t *testing.T) {
	t.Parallel()
	img, r := open(t, ziptest.Archive{
		Entries: []ziptest.Entry{{Name: "a", Data: hello}, {Name: "b", Data: text}, {Name: "c"}},
		Directory: func(d []ziptest.CentralHeader) []ziptest.CentralHeader {
			return []ziptest.CentralHeader{d[1], d[0], d[1]} // reordered, repeated, dropped
		},
	})
	require.Len(t, r.File, 3)
	assert.Equal(t, text, contents(t, r.File[0]))
	assert.Equal(t, hello, contents(t, r.File[1]))
	assert.Equal(t, text, contents(t, r.File[2]))
	assert.Equal(t, img.Records[1], img.Entry("a").Record)
	assert.Equal(t, img.Records[0], img.Entry("b").Record)
	assert.EqualValues(t, -1, img.Entry("c").Record)
}

func TestShare(t *testing.T) {
	t.Parallel()
	img, r := open(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "a", Data: text, Method: ziptest.Deflate},
		{Name: "b", Share: "a"},
		{Name: "c", Share: "b"},
	}})
	require.Len(t, r.File, 3)
	for i, f := range r.File {
		assert.Equal(t, text, contents(t, f))
		assert.Equal(t, img.Entries[0].Data, img.Entries[i].Data)
	}
}

func TestHeaderHookTellsBoth(t *testing.T) {
	t.Parallel()
	_, r := open(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "a", Data: hello, Header: func(h *ziptest.Header) { h.Name = "b" }, Local: func(h *ziptest.LocalHeader) {
			assert.Equal(t, "b", h.Name)
		}},
	}})
	assert.Equal(t, "b", r.File[0].Name)
}

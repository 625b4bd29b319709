package ziptest_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

var (
	hello = []byte("hello\n")
	text  = bytes.Repeat([]byte("a line that repeats\n"), 500)
	when  = time.Date(2024, 2, 29, 13, 14, 16, 0, time.UTC)
)

// open reads a built archive with archive/zip.
func open(t *testing.T, a ziptest.Archive) (*ziptest.Image, *zip.Reader) {
	t.Helper()
	img := a.Build()
	r, err := zip.NewReader(img, img.Size())
	require.NoError(t, err)
	return img, r
}

func contents(t *testing.T, f *zip.File) []byte {
	t.Helper()
	r, err := f.Open()
	require.NoError(t, err)
	b, err := io.ReadAll(r)
	require.NoError(t, err, f.Name)
	return b
}

// TestClean: what no hook touches is read by archive/zip as it was described.
func TestClean(t *testing.T) {
	t.Parallel()
	all := []ziptest.Entry{
		{Name: "META-INF/"},
		{Name: "a.txt", Data: hello, Comment: "stored"},
		{Name: "b.txt", Data: text, Method: ziptest.Deflate, Modified: when, Mode: 0o755},
		{Name: "empty", Method: ziptest.Deflate},
		{Name: "ä/ö", Data: hello, Mode: 0o600 | fs.ModeSetuid},
		{Name: "link", Data: []byte("a.txt"), Mode: fs.ModeSymlink | 0o777},
		{Name: "zeros", Data: hello, Zeros: 70000},
		{Name: "packed zeros", Data: hello, Zeros: 700000, Method: ziptest.Deflate},
		{Name: "extra", Data: hello, Extra: ziptest.Extra(ziptest.ExtraJar), LocalExtra: ziptest.Extra(0x9999, 1, 2)},
		{Name: "gap", Data: hello, After: []byte("junk")},
		{Name: "at", Data: hello, At: 200000},
	}
	each := func(change func(e *ziptest.Entry)) []ziptest.Entry {
		entries := slices.Clone(all)
		for i := range entries {
			change(&entries[i])
		}
		return entries
	}
	descriptor := func(form func(*ziptest.Descriptor)) []ziptest.Entry {
		return each(func(e *ziptest.Entry) {
			if !strings.HasSuffix(e.Name, "/") {
				e.Descriptor = form
			}
		})
	}
	zip64 := func(z ziptest.Zip64) []ziptest.Entry {
		return each(func(e *ziptest.Entry) { e.Zip64 = z })
	}
	for name, a := range map[string]ziptest.Archive{
		"empty":                 {},
		"plain":                 {Entries: all},
		"comment":               {Entries: all, Comment: "of the archive"},
		"prefix":                {Entries: all, Prefix: []byte("#!/bin/sh\n")},
		"prefix adjusted":       {Entries: all, Prefix: []byte("#!/bin/sh\n"), Adjust: true},
		"prefix hole":           {Entries: each(func(e *ziptest.Entry) { e.At = 0 }), Prefix: []byte("MZ"), PrefixHole: 1 << 33},
		"before directory":      {Entries: all, BeforeDirectory: []byte("APK Sig Block 42")},
		"directory moved":       {Entries: all, BeforeDirectory: []byte("junk"), DirectoryAt: 1 << 20},
		"signed descriptor":     {Entries: descriptor(ziptest.Signed32)},
		"unsigned descriptor":   {Entries: descriptor(ziptest.Unsigned32)},
		"signed descriptor64":   {Entries: descriptor(ziptest.Signed64)},
		"unsigned descriptor64": {Entries: descriptor(ziptest.Unsigned64)},
		"zip64 end":             {Entries: all, Zip64: ziptest.Zip64Always},
		"zip64 end redundant":   {Entries: all, Zip64: ziptest.Zip64Redundant},
		"zip64 end, prefix":     {Entries: all, Zip64: ziptest.Zip64Always, Prefix: []byte("MZ"), Adjust: true},
		"zip64 entries":         {Entries: zip64(ziptest.Zip64Always)},
		"zip64 redundant":       {Entries: zip64(ziptest.Zip64Redundant)},
		"zip64 never":           {Entries: zip64(ziptest.Zip64Never), Zip64: ziptest.Zip64Never},
		"more":                  {More: slices.Values(all)},
		"trailing bytes":        {Entries: all, Suffix: make([]byte, 4)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img, r := open(t, a)
			assert.Equal(t, a.Comment, r.Comment)
			entries := a.Entries
			if a.More != nil {
				entries = all
			}
			require.Len(t, r.File, len(entries))
			require.Len(t, img.Entries, len(entries))
			for i, f := range r.File {
				e := entries[i]
				assert.Equal(t, e.Name, f.Name)
				assert.Equal(t, e.Comment, f.Comment)
				assert.Equal(t, e.Method, f.Method)
				assert.False(t, f.NonUTF8)
				if !strings.HasSuffix(e.Name, "/") {
					assert.Equal(t, string(e.Data)+string(make([]byte, e.Zeros)), string(contents(t, f)), e.Name)
				}
				if e.Mode != 0 {
					assert.Equal(t, e.Mode, f.Mode())
				}
				if !e.Modified.IsZero() {
					assert.Equal(t, e.Modified, f.Modified)
				}
				off, err := f.DataOffset()
				require.NoError(t, err)
				assert.Equal(t, img.Entries[i].Data, off)
			}
		})
	}
}

// TestLayout: the parts of an archive follow each other as they are described.
func TestLayout(t *testing.T) {
	t.Parallel()
	a := ziptest.Archive{
		Prefix:          []byte("prefix"),
		PrefixHole:      2,
		Entries:         []ziptest.Entry{{Name: "a", Data: hello, Descriptor: ziptest.Unsigned32, After: []byte("after")}, {Name: "b", At: 100}},
		BeforeDirectory: []byte("block"),
		DirectoryAt:     200,
		BeforeEnd:       []byte("gap"),
		Zip64:           ziptest.Zip64Always,
		Comment:         "comment",
		Suffix:          []byte("suffix"),
	}
	img := a.Build()
	b := img.Bytes()
	assert.Equal(t, a.Bytes(), b)
	assert.Equal(t, ziptest.Layout{
		Start: 8,
		Entries: []ziptest.EntryLayout{
			{Name: "a", Header: 8, Data: 39, Descriptor: 45, End: 62, Record: 200},
			{Name: "b", Header: 100, Data: 131, Descriptor: -1, End: 131, Record: 247},
		},
		Directory:    200,
		DirectoryEnd: 294,
		Records:      []int64{200, 247},
		Zip64End:     297,
		Zip64Locator: 353,
		End:          373,
	}, img.Layout)
	for pos, want := range map[int64]string{
		0: "prefix\x00\x00PK\x03\x04", 57: "after\x00", 99: "\x00PK\x03\x04", 194: "\x00blockPK\x01\x02",
		294: "gapPK\x06\x06", 395: "commentsuffix",
	} {
		assert.Equal(t, want, string(b[pos:pos+int64(len(want))]))
	}
	assert.EqualValues(t, len(b), img.Size())

	a = ziptest.Archive{Entries: []ziptest.Entry{{Name: "a", Central: ziptest.NoCentral}}, End: ziptest.NoEnd}
	img = a.Build()
	assert.EqualValues(t, -1, img.Entry("a").Record)
	assert.EqualValues(t, -1, img.End)
	assert.Equal(t, img.Size(), img.DirectoryEnd)
	assert.Equal(t, img.Directory, img.DirectoryEnd)
}

// TestFlags: names that need it are marked, and only they.
func TestFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		entry ziptest.Entry
		want  uint16
	}{
		{ziptest.Entry{Name: "a"}, 0},
		{ziptest.Entry{Name: "ä"}, ziptest.FlagUTF8},
		{ziptest.Entry{Name: "a", Comment: "ä"}, ziptest.FlagUTF8},
		{ziptest.Entry{Name: "\xe4"}, 0},
		{ziptest.Entry{Name: "a", Flags: ziptest.FlagEncrypted}, ziptest.FlagEncrypted},
		{ziptest.Entry{Name: "a", Descriptor: ziptest.Signed32}, ziptest.FlagDescriptor},
		{ziptest.Entry{Name: "ä", Header: func(h *ziptest.Header) { h.Flags = 0 }}, 0},
	} {
		_, r := open(t, ziptest.Archive{Entries: []ziptest.Entry{tt.entry}})
		assert.Equal(t, tt.want, r.File[0].Flags, "%q", tt.entry.Name)
	}
}

func TestExtraFields(t *testing.T) {
	t.Parallel()
	odd := when.Add(time.Second)
	for name, extra := range map[string][]byte{
		"extended timestamp": ziptest.ExtendedTimestamp(odd),
		"old unix":           ziptest.OldUnix(when, odd),
		"ntfs":               ziptest.NTFSTime(odd, when, when),
	} {
		_, r := open(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "a", Modified: when, Extra: extra}}})
		assert.True(t, odd.Equal(r.File[0].Modified), "%s: %v", name, r.File[0].Modified)
	}
	crc := string(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte("a"))))
	assert.Equal(t, "up\x06\x00\x01"+crc+"b", string(ziptest.UnicodePath("a", "b")))
	assert.Equal(t, "uc\x06\x00\x01"+crc+"b", string(ziptest.UnicodeComment("a", "b")))
	assert.Equal(t, "ux\x0b\x00\x01\x04\xe8\x03\x00\x00\x04\x64\x00\x00\x00", string(ziptest.InfoZipUnix(1000, 100)))
	assert.Equal(t, "\x01\x99\x07\x00\x02\x00AE\x03\x08\x00", string(ziptest.AES(2, 3, ziptest.Deflate)))
	assert.Equal(t, "\xfe\xca\x00\x00", string(ziptest.Extra(ziptest.ExtraJar)))
	assert.Equal(t, "\x01\x00\x08\x00\x01\x00\x00\x00\x00\x00\x00\x00", string(ziptest.Zip64Extra(1)))
}

func TestDOSTime(t *testing.T) {
	t.Parallel()
	date, clock := ziptest.DOSTime(time.Date(2107, 12, 31, 23, 59, 59, 0, time.UTC))
	assert.Equal(t, []uint16{127<<9 | 12<<5 | 31, 23<<11 | 59<<5 | 29}, []uint16{date, clock})
	for _, year := range []int{1979, 2108} {
		date, clock = ziptest.DOSTime(time.Date(year, 6, 1, 1, 1, 1, 0, time.UTC))
		assert.Zero(t, date|clock)
	}
}

// TestZip64Blocks: which values stand in the fields of the headers, and which in the blocks.
func TestZip64Blocks(t *testing.T) {
	t.Parallel()
	const ones = 0xffffffff
	type values struct {
		size, compressed, offset uint32
		block                    []uint64
	}
	for _, tt := range []struct {
		name    string
		entry   ziptest.Entry
		local   values
		central values
	}{
		{"auto", ziptest.Entry{Data: hello}, values{6, 6, 0, nil}, values{6, 6, 9, nil}},
		{"always", ziptest.Entry{Data: hello, Zip64: ziptest.Zip64Always},
			values{ones, ones, 0, []uint64{6, 6}}, values{ones, ones, ones, []uint64{6, 6, 9}}},
		{"redundant", ziptest.Entry{Data: hello, Zip64: ziptest.Zip64Redundant},
			values{6, 6, 0, []uint64{6, 6}}, values{6, 6, 9, []uint64{6, 6, 9}}},
		{"streamed", ziptest.Entry{Data: hello, Descriptor: ziptest.Signed64}, values{}, values{6, 6, 9, nil}},
		{"always streamed", ziptest.Entry{Data: hello, Zip64: ziptest.Zip64Always, Descriptor: ziptest.Signed64},
			values{ones, ones, 0, []uint64{0, 0}}, values{ones, ones, ones, []uint64{6, 6, 9}}},
		{"large", ziptest.Entry{Zeros: 1 << 32},
			values{ones, ones, 0, []uint64{1 << 32, 1 << 32}}, values{ones, ones, 9, []uint64{1 << 32, 1 << 32}}},
		{"large never", ziptest.Entry{Zeros: 1<<32 + 5, Zip64: ziptest.Zip64Never}, values{5, 5, 0, nil}, values{5, 5, 9, nil}},
		{"large unpacked", ziptest.Entry{Zeros: 1 << 32, Raw: hello},
			values{ones, ones, 0, []uint64{1 << 32, 6}}, values{ones, 6, 9, []uint64{1 << 32}}},
		{"high", ziptest.Entry{Data: hello, At: 1 << 32}, values{6, 6, 0, nil}, values{6, 6, ones, []uint64{1 << 32}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := tt.entry
			e.Local = func(h *ziptest.LocalHeader) {
				assert.Equal(t, tt.local, values{h.Size, h.CompressedSize, 0, h.Zip64})
			}
			e.Central = func(h *ziptest.CentralHeader) {
				assert.Equal(t, tt.central, values{h.Size, h.CompressedSize, h.Offset, h.Zip64})
			}
			if e.At == 0 {
				e.At = 9
			}
			ziptest.Archive{Entries: []ziptest.Entry{e}}.Build()
		})
	}
}

func TestImage(t *testing.T) {
	t.Parallel()
	img := ziptest.Archive{
		Prefix:  []byte("MZ"),
		Entries: []ziptest.Entry{{Name: "a", Data: hello, Zeros: 1000}, {Name: "big", Data: bytes.Repeat(text, 300)}, {Name: "b", At: 4 << 20}},
		Suffix:  []byte("end"),
	}.Build()
	want := img.Bytes()
	assert.NoError(t, iotest.TestReader(io.NewSectionReader(img, 0, img.Size()), want))
	for _, off := range []int64{0, 1, 30, 100, 1 << 20, 3<<20 + 1, img.Size() - 10} {
		p := bytes.Repeat([]byte{0xee}, 5000)
		n, err := img.ReadAt(p, off)
		assert.Equal(t, want[off:min(off+5000, img.Size())], p[:n])
		if n < len(p) {
			assert.ErrorIs(t, err, io.EOF)
		} else {
			assert.NoError(t, err)
		}
	}
	n, err := img.ReadAt(nil, 5)
	assert.Zero(t, n)
	assert.NoError(t, err)
	_, err = img.ReadAt(make([]byte, 1), img.Size())
	assert.ErrorIs(t, err, io.EOF)
	_, err = img.ReadAt(make([]byte, 1), -1)
	assert.Error(t, err)

	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, img.WriteFile(name))
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want, got))
}

func TestMisuse(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]ziptest.Archive{
		"At":          {Entries: []ziptest.Entry{{Name: "a", Data: hello}, {Name: "b", At: 3}}},
		"Share":       {Entries: []ziptest.Entry{{Name: "a", Share: "b"}, {Name: "b"}}},
		"Zeros":       {Entries: []ziptest.Entry{{Name: "a", Zeros: -1, Method: ziptest.Deflate}}},
		"DirectoryAt": {Entries: []ziptest.Entry{{Name: "a"}}, DirectoryAt: 5},
		"PrefixHole":  {PrefixHole: -1},
	} {
		assert.Panics(t, func() { a.Build() }, name)
	}
}

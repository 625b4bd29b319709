package zipfile_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/backend/backendtest"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// zerosOf returns a deflated entry of zeros whose size is a multiple of its compressed size
// plus rest, and that multiple.
func zerosOf(rest int64) (e ziptest.Entry, ratio int64) {
	for n := int64(1000); ; n++ {
		e := ziptest.Entry{Name: "b.txt", Zeros: n, Method: ziptest.Deflate}
		l := archiveOf(e).Build().Entries[0]
		if compressed := l.End - l.Data; n%compressed == rest {
			return e, n / compressed
		}
	}
}

func TestChecksLimits(t *testing.T) {
	type A = ziptest.Archive
	type L = zipfile.Limits
	two := A{Entries: []ziptest.Entry{storedEntry("a.txt"), deflatedEntry("b.txt")}}
	img := two.Build()
	directory := img.DirectoryEnd - img.Directory
	small, large := int64(len(two.Entries[0].Data)), int64(len(two.Entries[1].Data))
	full, ratio := zerosOf(0)
	over, overRatio := zerosOf(1)
	huge := storedEntry("huge")
	huge.Central = func(h *ziptest.CentralHeader) {
		h.Size, h.CompressedSize, h.Zip64 = 0xffffffff, 0xffffffff, []uint64{1<<63 - 1, 1<<63 - 1}
	}
	limited := func(name string, a A, l L, o outcome) check {
		return checkRow(name, a, o, o).with(zipfile.Options{Limits: l})
	}
	runChecks(t, []check{
		limited("entries", two, L{MaxEntries: 2}, accepts()),
		limited("entries, one over", two, L{MaxEntries: 1}, refuses("limit")),
		limited("entries, the end record counts one", A{Entries: two.Entries, End: func(e *ziptest.EndRecord) { e.Entries, e.EntriesOnDisk = 1, 1 }}, L{MaxEntries: 1}, refuses("limit")),
		limited("directory", two, L{MaxDirectorySize: directory}, accepts()),
		limited("directory, one over", two, L{MaxDirectorySize: directory - 1}, refuses("limit")),
		limited("entry", two, L{MaxEntrySize: large}, accepts()),
		limited("entry, one over", two, L{MaxEntrySize: large - 1}, spoils("ok limit", "", atRecord("b.txt"))),
		limited("both entries over", two, L{MaxEntrySize: 1}, spoils("limit limit", "", atRecord("a.txt"))),
		limited("total", two, L{MaxTotalSize: small + large}, accepts()),
		limited("total, one over", two, L{MaxTotalSize: small + large - 1}, refuses("limit")),
		limited("ratio", archiveOf(storedEntry("a.txt"), full), L{MaxRatio: ratio}, accepts()),
		limited("ratio, one over", archiveOf(storedEntry("a.txt"), full), L{MaxRatio: ratio - 1}, spoils("ok limit", "", atRecord("b.txt"))),
		limited("ratio, one byte over", archiveOf(storedEntry("a.txt"), over), L{MaxRatio: overRatio}, spoils("ok limit", "", atRecord("b.txt"))),
		limited("ratio of stored entries", archiveOf(storedEntry("a.txt"), ziptest.Entry{Name: "empty"}), L{MaxRatio: 1}, accepts()),
		limited("ratio of nothing, deflated", archiveOf(ziptest.Entry{Name: "empty", Method: ziptest.Deflate}), L{MaxRatio: 1}, accepts()),
		limited("all at once", two, L{MaxEntries: 2, MaxDirectorySize: directory, MaxEntrySize: large, MaxTotalSize: small + large, MaxRatio: large}, accepts()),
		limited("total that overflows", archiveOf(huge, huge), L{MaxTotalSize: 1<<63 - 1}, refuses("limit")),
	})
}

// TestChecksDirectoryOf4GiB: one of 4 GiB is over the limit of the package, as is one that the
// address space cannot hold; a smaller one is looked at.
func TestChecksDirectoryOf4GiB(t *testing.T) {
	t.Parallel()
	below := map[int]string{32: "limit", 64: "format"}[strconv.IntSize]
	for size, kind := range map[int64]string{1 << 32: "limit", 1<<32 - 1: below, 5 << 32: "limit", 1 << 30: "format"} {
		e := ziptest.Entry{Name: "a", Central: func(h *ziptest.CentralHeader) { h.Hole = size - 47 }}
		img := archiveOf(e).Build()
		require.Equal(t, size, img.DirectoryEnd-img.Directory)
		_, err := zipfile.New(backend.ReaderAt(img, img.Size()), nil)
		require.Error(t, err)
		checkError(t, err, kind, nil)
	}
}

// TestChecksAllocation: what a header only claims costs no memory.
func TestChecksAllocation(t *testing.T) {
	skipUnderRace(t)
	type C = ziptest.CentralHeader
	type Z = ziptest.Zip64EndRecord
	const all = 0xffffffff
	two := []ziptest.Entry{storedEntry("a.txt"), deflatedEntry("b.txt")}
	end := func(f func(*ziptest.EndRecord)) ziptest.Archive { return ziptest.Archive{Entries: two, End: f} }
	record := func(f func(*Z)) ziptest.Archive { return ziptest.Archive{Entries: two, Zip64End: f} }
	entry := func(e ziptest.Entry, f func(*C)) ziptest.Archive {
		e.Central = f
		return archiveOf(storedEntry("a"), e)
	}
	str, def := storedEntry("b"), deflatedEntry("b")
	for name, a := range map[string]ziptest.Archive{
		"65535 entries":             end(func(e *ziptest.EndRecord) { e.Entries, e.EntriesOnDisk = 0xffff, 0xffff }),
		"2^61 entries":              record(func(r *Z) { r.Entries, r.EntriesOnDisk = 1<<61, 1<<61 }),
		"2^64-1 entries":            record(func(r *Z) { r.Entries, r.EntriesOnDisk = 1<<64-1, 1<<64-1 }),
		"directory of 4 GiB":        end(func(e *ziptest.EndRecord) { e.DirectorySize = all - 1 }),
		"directory of 2^40 bytes":   record(func(r *Z) { r.DirectorySize = 1 << 40 }),
		"directory of 2^63-1 bytes": record(func(r *Z) { r.DirectorySize = 1<<63 - 1 }),
		"zip64 record of 2^62":      record(func(r *Z) { r.RecordSize = 1 << 62 }),
		"comment of 65535 bytes":    end(func(e *ziptest.EndRecord) { e.CommentLength = 65535 }),
		"name of 65535 bytes":       entry(str, func(h *C) { h.NameLength = 65535 }),
		"stored entry of 4 GiB":     entry(str, func(h *C) { h.Size, h.CompressedSize = all-1, all-1 }),
		"deflated entry of 4 GiB":   entry(def, func(h *C) { h.Size = all - 1 }),
		"both sizes 4 GiB":          entry(def, func(h *C) { h.Size, h.CompressedSize = all-1, all-1 }),
		"stored entry of 2^62":      entry(str, func(h *C) { h.Size, h.CompressedSize, h.Zip64 = all, all, []uint64{1 << 62, 1 << 62} }),
		"deflated entry of 2^63-1":  entry(def, func(h *C) { h.Size, h.CompressedSize, h.Zip64 = all, all, []uint64{1<<63 - 1, 1<<63 - 1} }),
		"most that deflate gives":   entry(def, func(h *C) { h.Size = 1032 * h.CompressedSize }),
		"directory of 1 GiB":        {Entries: []ziptest.Entry{{Name: "a", Central: func(h *C) { h.Hole = 1 << 30 }}}},
	} {
		t.Run(name, func(t *testing.T) {
			img := a.Build()
			for _, checks := range []zipfile.Checks{zipfile.Standard, zipfile.Strict} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				z, err := zipfile.New(backend.ReaderAt(img, img.Size()), &zipfile.Options{Checks: checks})
				if err == nil {
					for e := range z.Entries() {
						if b, err := e.ReadAll(); err != nil {
							assert.Nil(t, b)
						}
						e.WriteTo(io.Discard)
					}
					z.Findings()
				}
				runtime.ReadMemStats(&after)
				assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "checks=%d: %v", checks, err)
			}
		})
	}
}

// TestChecksFindingsKept: 1,000 of each kind, the last of which says how many more there are.
func TestChecksFindingsKept(t *testing.T) {
	t.Parallel()
	for _, n := range []int{999, 1000, 1001, 1500} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			var a ziptest.Archive
			for i := range n {
				e := storedEntry(fmt.Sprintf("../%d", i))
				e.Local = func(h *ziptest.LocalHeader) { h.CRC32++ }
				a.Entries = append(a.Entries, e)
			}
			z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
			require.NoError(t, err)
			for e := range z.Entries() {
				_, err := e.ReadAll()
				require.NoError(t, err)
			}
			byKind := make(map[string][]zipfile.Finding)
			for _, f := range z.Findings() {
				byKind[f.Kind] = append(byKind[f.Kind], f)
			}
			require.Len(t, byKind, 2)
			for _, kind := range []string{"name", "local-header"} {
				list := byKind[kind]
				require.Len(t, list, min(n, 1000), kind)
				for _, f := range list[:len(list)-1] {
					assert.NotContains(t, f.Text, "more of")
				}
				last := list[len(list)-1].Text
				if n > 1000 {
					assert.Contains(t, last, fmt.Sprintf(" %d more", n-1000))
				} else {
					assert.NotContains(t, last, " more")
				}
			}
			assert.Equal(t, z.Findings(), z.Findings(), "the same every time")
		})
	}
}

// TestChecksOneBad: whatever is wrong with an entry, the others are listed and read.
func TestChecksOneBad(t *testing.T) {
	t.Parallel()
	var a ziptest.Archive
	add := func(kind string, e ziptest.Entry) {
		e.Name = kind
		a.Entries = append(a.Entries, e, deflatedEntry(fmt.Sprintf("good%d", len(a.Entries))))
	}
	str, def := storedEntry("b"), deflatedEntry("b")
	header := func(e ziptest.Entry, f func(*ziptest.Header)) ziptest.Entry { e.Header = f; return e }
	central := func(e ziptest.Entry, f func(*ziptest.CentralHeader)) ziptest.Entry { e.Central = f; return e }
	add("checksum", header(str, func(h *ziptest.Header) { h.CRC32++ }))
	add("size", header(def, func(h *ziptest.Header) { h.Size++ }))
	add("data", ziptest.Entry{Method: ziptest.Deflate, Data: []byte("data"), Raw: []byte("\x07")})
	add("method", ziptest.Entry{Method: 77, Data: []byte("data"), Raw: []byte("raw")})
	add("password", ziptest.Entry{Flags: ziptest.FlagEncrypted, Data: make([]byte, 20)})
	add("overlap", header(str, func(h *ziptest.Header) { h.Size++; h.CompressedSize++ }))
	add("format", central(str, func(h *ziptest.CentralHeader) { h.Offset++ }))
	z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
	require.NoError(t, err)
	fsys := z.FS()
	for range 2 {
		for e := range z.Entries() {
			truth := a.Entries[e.Index()]
			got, err := e.ReadAll()
			inTree, treeErr := fs.ReadFile(fsys, e.Name())
			if strings.HasPrefix(e.Name(), "good") {
				require.NoError(t, err)
				require.NoError(t, treeErr)
				assert.Equal(t, truth.Data, got)
				assert.Equal(t, truth.Data, inTree)
				continue
			}
			assert.Nil(t, got)
			assert.Equal(t, truth.Name, zipfile.ErrorKind(err), "%v", err)
			assert.Equal(t, truth.Name, zipfile.ErrorKind(treeErr), "%v", treeErr)
		}
	}
	list, err := fs.ReadDir(fsys, ".")
	require.NoError(t, err)
	assert.Len(t, list, len(a.Entries))
}

// TestChecksReads: opening takes a read of the tail, and the directory is read once from front
// to back, in pieces of the size of the tail; an entry takes one read, and what cannot be read
// takes none.
func TestChecksReads(t *testing.T) {
	t.Parallel()
	large := ziptest.Entry{Name: "large", Data: bytes.Repeat([]byte("0123456789abcdef"), 60000)}
	streamed := deflatedEntry("streamed")
	streamed.Descriptor = ziptest.Signed32
	extra := storedEntry("extra")
	extra.LocalExtra = ziptest.Extra(0x7777, make([]byte, 60000)...)
	none := map[string]bool{"method": true, "password": true, "size": true}
	a := archiveOf(storedEntry("stored"), deflatedEntry("deflated"), ziptest.Entry{Name: "empty"}, large, streamed, extra,
		ziptest.Entry{Name: "method", Method: 77, Raw: []byte("raw")}, ziptest.Entry{Name: "password", Flags: ziptest.FlagEncrypted, Data: []byte("data")},
		ziptest.Entry{Name: "size", Header: func(h *ziptest.Header) { h.Size = 9 }}, storedEntry("last"))
	a.More = ziptest.Many(3000) // a directory that the tail does not hold
	img := a.Build()
	b := backendtest.NewFaulty(backend.Bytes(img.Bytes()))
	z, err := zipfile.New(b, nil)
	require.NoError(t, err)
	directory, tail := img.DirectoryEnd-img.Directory, b.Reads()[0].Len
	assert.EqualValues(t, (directory+int64(tail)-1)/int64(tail), b.Count()-1, "opening: %v", b.Reads())
	assert.EqualValues(t, directory+int64(tail), b.Bytes(), "opening: %v", b.Reads())
	for way, read := range readers {
		for i := range a.Entries {
			e := z.At(i)
			b.Reset()
			_, err := read(e)
			if none[e.Name()] {
				assert.Error(t, err)
				assert.Zero(t, b.Count(), "%s of %s", way, e.Name())
				continue
			}
			require.NoError(t, err)
			if way == "Open" && e.Size() > 1<<16 {
				continue // bit by bit
			}
			assert.LessOrEqual(t, b.Count(), 1, "%s of %s: %v", way, e.Name(), b.Reads())
			assert.LessOrEqual(t, b.Bytes(), e.CompressedSize()+64<<10, "%s of %s: %v", way, e.Name(), b.Reads())
		}
	}
}

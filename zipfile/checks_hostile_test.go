package zipfile_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/backend/backendtest"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// TestManyEndRecords: a file made of end records must not be searched once for each of them.
func TestManyEndRecords(t *testing.T) {
	t.Parallel()
	end := ziptest.EndRecord{Signature: ziptest.EndSignature, Disk: 0xffff, DirectoryDisk: 0xffff, EntriesOnDisk: 0xffff, Entries: 0xffff, DirectorySize: 0xffffffff, DirectoryOffset: 0xffffffff}
	far := ziptest.Zip64Locator{Signature: ziptest.Zip64LocatorSignature, Offset: 1 << 40, Disks: 1}
	plain := ziptest.EndRecord{Signature: ziptest.EndSignature, Entries: 1, EntriesOnDisk: 1, DirectorySize: 46}
	for name, piece := range map[string][]byte{
		"zip64 locators that lead nowhere": append(far.Bytes(), end.Bytes()...),
		"directories that are none":        plain.Bytes(),
		"empty archives":                   ziptest.Archive{}.Bytes(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := backendtest.NewFaulty(backend.Bytes(append(bytes.Repeat(piece, (1<<20)/len(piece)), strings.Repeat("x", 60_000)...)))
			z, err := zipfile.New(b, nil)
			if err == nil {
				assert.Zero(t, z.Len())
			}
			assert.Less(t, b.Count(), 500)
			assert.Less(t, b.Bytes(), int64(20<<20))
		})
	}
}

// TestLimitEndsTheSearch: a limit, a failed read, must not make an older archive the right one.
func TestLimitEndsTheSearch(t *testing.T) {
	t.Parallel()
	inner := ziptest.Archive{Entries: []ziptest.Entry{{Name: "a"}, {Name: "b"}}}
	outer := ziptest.Archive{Entries: []ziptest.Entry{{Name: "outer"}}, Comment: string(inner.Bytes())}
	_, err := zipfile.New(backend.Bytes(outer.Bytes()), &zipfile.Options{Limits: zipfile.Limits{MaxEntries: 1}})
	require.ErrorIs(t, err, zipfile.ErrLimit)
	for n := 1; ; n++ {
		b := backendtest.NewFaulty(backend.Bytes(outer.Bytes()))
		b.FailRead(n, fs.ErrPermission)
		z, err := zipfile.New(b, nil)
		if n > b.Count() {
			require.NoError(t, err)
			break
		}
		require.ErrorIs(t, err, fs.ErrPermission, "read %d: %v", n, z)
	}
}

// TestFindingsOfRereads: an entry is counted once, however often it is read.
func TestFindingsOfRereads(t *testing.T) {
	t.Parallel()
	var a ziptest.Archive
	for i := range 1100 {
		a.Entries = append(a.Entries, ziptest.Entry{Name: fmt.Sprint(i), Local: func(h *ziptest.LocalHeader) { h.Name = "other" }})
	}
	z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
	require.NoError(t, err)
	for range 3 {
		for e := range z.Entries() {
			_, err := e.ReadAll()
			require.NoError(t, err)
		}
		found := z.Findings()
		require.Len(t, found, 1000)
		assert.Contains(t, found[999].Text, "(and 100 more of this kind)")
	}
}

// TestOneRuleForPaths: Path, FS and the findings agree about every name.
func TestOneRuleForPaths(t *testing.T) {
	t.Parallel()
	bad := "bad\xff.txt"
	z, err := zipfile.New(backend.Bytes(ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "good.txt"},
		{Name: bad, Flags: ziptest.FlagUTF8},
		{Name: bad, Flags: ziptest.FlagUTF8, Extra: ziptest.UnicodePath(bad, "named.txt")},
		{Name: "../up"},
		{Name: "dir", Mode: fs.ModeDir | 0o755, Method: ziptest.Deflate, Raw: []byte("12345")},
	}}.Bytes()), nil)
	require.NoError(t, err)
	odd := map[int][]string{}
	for _, f := range z.Findings() {
		odd[f.Index] = append(odd[f.Index], f.Kind)
	}
	assert.Equal(t, map[int][]string{1: {"name"}, 2: {"name", "unicode-path"}, 3: {"name"}, 4: {"directory-data"}}, odd)
	for e := range z.Entries() {
		path, err := e.Path()
		_, statErr := fs.Stat(z.FS(), e.Name())
		if e.Index() == 0 || e.Index() == 4 {
			require.NoError(t, err)
			assert.Equal(t, e.Name(), path)
			assert.NoError(t, statErr)
			continue
		}
		assert.ErrorIs(t, err, zipfile.ErrInsecurePath, e.Name())
		assert.Error(t, statErr, e.Name())
	}
}

// TestUnicodePathBomb: many names by Unicode Path fields over one header are an overlap, though
// the name in the headers is the same.
func TestUnicodePathBomb(t *testing.T) {
	t.Parallel()
	a := ziptest.Archive{Entries: []ziptest.Entry{{Name: "k", Data: []byte("kernel")}}}
	for i := range 3 {
		a.Entries = append(a.Entries, ziptest.Entry{Name: "k", Share: "k", CentralExtra: ziptest.UnicodePath("k", fmt.Sprint("f", i))})
	}
	z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
	require.NoError(t, err)
	for e := range z.Entries() {
		_, err := e.ReadAll()
		assert.Equal(t, "overlap", zipfile.ErrorKind(err), e.Name())
	}
}

// TestStrictReadsOnce: Strict reads the file once from front to back, also when the directory
// lists it from back to front.
func TestStrictReadsOnce(t *testing.T) {
	t.Parallel()
	img := ziptest.Archive{More: ziptest.Many(20000), Directory: func(d []ziptest.CentralHeader) []ziptest.CentralHeader {
		slices.Reverse(d)
		return d
	}}.Build()
	b := backendtest.NewFaulty(backend.ReaderAt(img, img.Size()))
	z, err := zipfile.New(b, &zipfile.Options{Checks: zipfile.Strict})
	require.NoError(t, err)
	assert.Equal(t, 20000, z.Len())
	assert.Less(t, b.Bytes(), 2*img.Size())
}

// TestLinkFault: a failed read of a link's target is an error, never the link's own contents.
func TestLinkFault(t *testing.T) {
	t.Parallel()
	b := backendtest.NewFaulty(backend.Bytes(ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "real.txt", Data: []byte("contents")},
		{Name: "link", Data: []byte("real.txt"), Mode: fs.ModeSymlink | 0o777},
	}}.Bytes()))
	z, err := zipfile.New(b, nil)
	require.NoError(t, err)
	b.Reset()
	b.FailRead(1, fs.ErrPermission)
	_, err = fs.ReadFile(z.FS(), "link")
	require.ErrorIs(t, err, fs.ErrPermission)
	got, err := fs.ReadFile(z.FS(), "link")
	require.NoError(t, err)
	assert.Equal(t, "contents", string(got))
}

// TestSameFault: where an entry is both longer than declared and cut off, every way to read it
// tells the same.
func TestSameFault(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	for i := range 300 {
		fmt.Fprintf(&text, "line %d of %d, ", i, i*i)
	}
	whole := ziptest.Entry{Name: "a", Data: text.Bytes(), Method: ziptest.Deflate}
	z, err := zipfile.New(backend.Bytes(ziptest.Archive{Entries: []ziptest.Entry{whole}}.Bytes()), nil)
	require.NoError(t, err)
	compressed := int(z.At(0).CompressedSize())
	for cut := 1; cut < compressed; cut += 1 + cut/8 {
		for size := text.Len() - 1; size > 0; size -= 1 + (text.Len()-size)/4 {
			whole.Header = func(h *ziptest.Header) { h.Size = uint32(size); h.CompressedSize = uint32(compressed - cut) }
			z, err := zipfile.New(backend.Bytes(ziptest.Archive{Entries: []ziptest.Entry{whole}}.Bytes()), nil)
			require.NoError(t, err)
			kinds := map[string][]string{}
			for way, read := range readers {
				_, err := read(z.At(0))
				require.Error(t, err)
				kinds[zipfile.ErrorKind(err)] = append(kinds[zipfile.ErrorKind(err)], way)
			}
			err = z.Load(context.Background(), zipfile.LoadOptions{}, func(zipfile.Entry, []byte) error { return nil })
			kinds[zipfile.ErrorKind(err)] = append(kinds[zipfile.ErrorKind(err)], "Load")
			assert.Len(t, kinds, 1, "cut by %d, %d bytes declared: %v", cut, size, kinds)
		}
	}
}

package ziptest_test

import (
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

// TestOffsets: header offsets around 4 GiB, of which those that 32 bits cannot tell are in
// a zip64 block.
func TestOffsets(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		at    int64
		extra int // length of the central extra fields
	}{
		{0xfffffffe, 0},
		{0xffffffff, 12},
		{1 << 32, 12},
		{1 << 40, 12},
	} {
		t.Run(fmt.Sprintf("at=%#x", tt.at), func(t *testing.T) {
			t.Parallel()
			img, r := open(t, ziptest.Archive{Entries: []ziptest.Entry{
				{Name: "low", Data: hello},
				{Name: "high", Data: hello, At: tt.at},
			}})
			assert.Equal(t, tt.at, img.Entry("high").Header)
			assert.Positive(t, img.Zip64End, "the directory is high")
			assert.Len(t, r.File[1].Extra, tt.extra)
			assert.Equal(t, hello, contents(t, r.File[0]))
			assert.Equal(t, hello, contents(t, r.File[1]))
		})
	}
}

// TestLargeEntry: sizes around 4 GiB, stored in a hole.
func TestLargeEntry(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{0xfffffffe, 0xffffffff, 1 << 32, 5 << 40} {
		for _, descriptor := range []func(*ziptest.Descriptor){nil, func(*ziptest.Descriptor) {}} {
			img, r := open(t, ziptest.Archive{Entries: []ziptest.Entry{
				{Name: "large", Data: hello, Zeros: size - int64(len(hello)), Descriptor: descriptor},
				{Name: "next", Data: hello},
			}})
			f := r.File[0]
			assert.EqualValues(t, size, f.UncompressedSize64)
			assert.EqualValues(t, size, f.CompressedSize64)
			assert.Equal(t, hello, contents(t, r.File[1]))
			if descriptor != nil {
				want := int64(16)
				if size >= 0xffffffff {
					want = 24
				}
				assert.Equal(t, want, img.Entries[0].End-img.Entries[0].Descriptor)
			}
		}
	}
}

func TestLargeDirectory(t *testing.T) {
	t.Parallel()
	img := ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "a", Central: func(h *ziptest.CentralHeader) { h.Hole = 4 << 30 }},
	}}.Build()
	assert.Equal(t, int64(4<<30+47), img.DirectoryEnd-img.Directory)
	assert.Equal(t, img.DirectoryEnd, img.Zip64End)
}

// TestSparseFile: a hole of the archive is one of the file.
func TestSparseFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a file system with holes")
	}
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "a", Zeros: 5 << 30}}}.WriteFile(name))
	fi, err := os.Stat(name)
	require.NoError(t, err)
	assert.Greater(t, fi.Size(), int64(5<<30))
}

func TestDeflatedZeros(t *testing.T) {
	t.Parallel()
	for _, data := range [][]byte{nil, hello} {
		for _, n := range []int64{1, 2, 257, 258, 259, 260, 516, 517, 1032, 1033, 4096, 100003, 1 << 20} {
			img := ziptest.Archive{Entries: []ziptest.Entry{{Name: "a", Data: data, Zeros: n, Method: ziptest.Deflate}}}.Build()
			_, r := open(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "a", Data: data, Zeros: n, Method: ziptest.Deflate}}})
			assert.Equal(t, string(data)+string(make([]byte, n)), string(contents(t, r.File[0])), n)

			raw := io.NewSectionReader(img, img.Entries[0].Data, int64(r.File[0].CompressedSize64))
			_, err := io.Copy(io.Discard, flate.NewReader(raw))
			assert.NoError(t, err)
			left, err := io.Copy(io.Discard, raw)
			assert.NoError(t, err)
			assert.Zero(t, left)
		}
	}
	_, r := open(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "bomb", Zeros: 1 << 30, Method: ziptest.Deflate}}})
	assert.Greater(t, r.File[0].UncompressedSize64, 1031*r.File[0].CompressedSize64)
}

// TestCRCOfZeros: the CRC that the builder computes without the bytes is the one of the bytes.
func TestCRCOfZeros(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 3, 255, 65537, 1<<20 + 7} {
		_, r := open(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "a", Data: hello, Zeros: int64(n)}}})
		assert.Equal(t, crc32.ChecksumIEEE(append([]byte("hello\n"), make([]byte, n)...)), r.File[0].CRC32, n)
	}
}

func TestMany(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		n     int
		zip64 ziptest.Zip64
		has   bool
	}{
		{65534, ziptest.Zip64Auto, false},
		{65535, ziptest.Zip64Auto, true},
		{65537, ziptest.Zip64Auto, true},
	} {
		img, r := open(t, ziptest.Archive{More: ziptest.Many(tt.n), Zip64: tt.zip64})
		require.Len(t, r.File, tt.n)
		assert.Equal(t, tt.has, img.Zip64End >= 0)
		last := r.File[tt.n-1]
		assert.Equal(t, fmt.Sprintf("%04d/%07d.txt", (tt.n-1)/1000, tt.n-1), last.Name)
		assert.Equal(t, last.Name, string(contents(t, last)))
	}

	img := ziptest.Archive{More: ziptest.Many(65537), Zip64: ziptest.Zip64Never}.Build()
	assert.EqualValues(t, -1, img.Zip64End)
	count := make([]byte, 2)
	_, err := img.ReadAt(count, img.End+10)
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 0}, count, "the count modulo 65,536")
}

func TestQuotedOverlap(t *testing.T) {
	t.Parallel()
	img, r := open(t, ziptest.QuotedOverlap(ziptest.Entry{Name: "kernel", Zeros: 100000}, "a", "b", "c"))
	require.Len(t, r.File, 4)
	size := uint64(100000)
	for i := 3; i >= 0; i-- {
		f := r.File[i]
		assert.Equal(t, size, f.UncompressedSize64, f.Name)
		assert.Len(t, contents(t, f), int(size))
		assert.Equal(t, img.Directory, img.Entries[i].Data+int64(f.CompressedSize64), "all end with the kernel")
		size += uint64(30 + len(f.Name))
	}
}

func BenchmarkMany(b *testing.B) {
	for _, n := range []int{65537, 1000000} {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				img := ziptest.Archive{More: ziptest.Many(n)}.Build()
				b.SetBytes(img.Size())
			}
		})
	}
}

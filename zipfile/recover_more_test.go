package zipfile_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// Many small entries are read about once, not a buffer for each.
func TestRecoverReadsOnce(t *testing.T) {
	var entries []ziptest.Entry
	for i := range 5000 {
		entries = append(entries, ziptest.Entry{Name: fmt.Sprint(i), Data: []byte("x"), Method: ziptest.Deflate * uint16(i%2)})
	}
	a := archiveOf(entries...)
	image := a.Bytes()[:a.Build().Directory]
	c := &countingBackend{Backend: backend.Bytes(image)}
	z, err := zipfile.New(backend.ReaderAt(c, int64(len(image))), &zipfile.Options{Recover: true})
	require.NoError(t, err)
	defer z.Close()
	assert.Equal(t, len(entries), z.Len())
	assert.Less(t, c.bytes, int64(10*len(image)))
}

// What a highly compressible entry costs does not lose the others.
func TestRecoverAfterZeros(t *testing.T) {
	a := archiveOf(
		ziptest.Entry{Name: "zeros", Zeros: 64 << 20, Method: ziptest.Deflate},
		ziptest.Entry{Name: "a", Data: []byte("aaa"), Method: ziptest.Deflate, Descriptor: ziptest.Signed32},
		ziptest.Entry{Name: "b", Data: []byte("bbb"), Method: ziptest.Deflate, Descriptor: ziptest.Signed32},
	)
	z, err := recovered(t, a.Bytes()[:a.Build().Directory])
	require.NoError(t, err)
	defer z.Close()
	require.Equal(t, 3, z.Len())
	requireContents(t, z.At(2), []byte("bbb"))
	assert.Contains(t, z.Findings()[0].Text, "3 whole")
}

// An entry that is no longer in the directory does not come back from a sound archive.
func TestRecoverLeavesDeletedEntries(t *testing.T) {
	a := archiveOf(ziptest.Entry{Name: "deleted", Data: []byte("x")}, ziptest.Entry{Name: "kept", Data: []byte("y")})
	a.Directory = func(d []ziptest.CentralHeader) []ziptest.CentralHeader { return d[1:] }
	z, err := recovered(t, a.Bytes())
	require.NoError(t, err)
	defer z.Close()
	require.Equal(t, 1, z.Len())
	for _, f := range z.Findings() {
		assert.NotEqual(t, "recovered", f.Kind, "%v", f)
	}
}

// An archive in an archive, both cut off.
func TestRecoverNested(t *testing.T) {
	inner := archiveOf(ziptest.Entry{Name: "a", Data: []byte("aaa")}, ziptest.Entry{Name: "b", Data: bytes.Repeat([]byte("b"), 1000)})
	outer := archiveOf(ziptest.Entry{Name: "inner.jar", Data: inner.Bytes()}).Bytes()
	z, err := recovered(t, outer[:500])
	require.NoError(t, err)
	defer z.Close()
	b, err := z.At(0).Backend()
	require.NoError(t, err)
	in, err := zipfile.New(b, &zipfile.Options{Recover: true})
	require.NoError(t, err)
	requireContents(t, in.At(0), []byte("aaa"))
}

func TestRecoverLimits(t *testing.T) {
	a := archiveOf(ziptest.Entry{Name: "a", Data: bytes.Repeat([]byte("a"), 10000), Method: ziptest.Deflate})
	image := a.Bytes()[:a.Build().Directory]
	z, err := zipfile.New(backend.Bytes(image), &zipfile.Options{Recover: true, Limits: zipfile.Limits{MaxEntrySize: 1024}})
	require.NoError(t, err)
	defer z.Close()
	assert.Equal(t, int64(10000), z.At(0).Size())
	requireFails(t, z.At(0), "limit")
	assert.Contains(t, z.Findings()[0].Text, "1 not verified, 0 damaged")
	_, err = zipfile.New(backend.Bytes(image), &zipfile.Options{Recover: true, Limits: zipfile.Limits{MaxDirectorySize: 10}})
	assert.Equal(t, "limit", zipfile.ErrorKind(err))
}

// Offsets are those of bytes of the file.
func TestRecoverOffsets(t *testing.T) {
	a := archiveOf(ziptest.Entry{Name: "../evil", Data: []byte("x")}, ziptest.Entry{Name: "odd", Data: []byte("x"), Header: func(h *ziptest.Header) { h.Method = 77 }})
	image := a.Bytes()[:a.Build().Directory]
	z, err := recovered(t, image)
	require.NoError(t, err)
	defer z.Close()
	for _, f := range z.Findings() {
		assert.Less(t, f.Offset, int64(len(image)), "%v", f)
	}
	_, err = z.At(1).ReadAll()
	assert.NotContains(t, err.Error(), "at offset")
	assert.Equal(t, int64(-1), z.At(0).CentralHeader().Offset)
}

// How much of a comment is missing is told.
func TestRecoverCommentLength(t *testing.T) {
	a := archiveOf(ziptest.Entry{Name: "a"})
	a.Comment = "a long comment"
	image := a.Bytes()
	z, err := recovered(t, image[:len(image)-5])
	require.NoError(t, err)
	defer z.Close()
	assert.Contains(t, z.Findings()[0].Text, "5 bytes are missing")
}

// The parts that are there of a split archive whose last one is lost.
func TestRecoverSplit(t *testing.T) {
	dir := t.TempDir()
	parts := split(t, archiveOf(splitEntries()...), 700)
	for i, p := range parts[:2] {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("a.z%02d", i+1)), p, 0o600))
	}
	first := filepath.Join(dir, "a.z01")
	_, err := zipfile.Open(first, nil)
	assert.Equal(t, "split", zipfile.ErrorKind(err))
	var pe *fs.PathError
	require.ErrorAs(t, err, &pe)
	z, err := zipfile.Open(first, &zipfile.Options{Recover: true})
	require.NoError(t, err)
	defer z.Close()
	assert.Greater(t, z.Len(), 3)
	requireContents(t, z.At(0), splitEntries()[0].Data)
}

// Absurd numbers of parts cost nothing to refuse, and are no parts of an archive in one.
func TestSplitNumbers(t *testing.T) {
	a := archiveOf(ziptest.Entry{Name: "a", Data: []byte("x")})
	a.End = func(e *ziptest.EndRecord) { e.Disk = 0xfffe }
	image := a.Bytes()
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, os.WriteFile(name, bytes.Repeat(image[len(image)-22:], 64), 0o600))
	_, err := zipfile.Open(name, nil)
	assert.Equal(t, "split", zipfile.ErrorKind(err), "%v", err)

	inner := archiveOf(ziptest.Entry{Name: "x", Data: []byte("x"), Central: func(h *ziptest.CentralHeader) { h.DiskStart = 1 }})
	outer := archiveOf(ziptest.Entry{Name: "inner", Data: inner.Bytes()}).Bytes()
	joined, err := backend.Join(backend.Bytes(outer[:50]), backend.Bytes(outer[50:]))
	require.NoError(t, err)
	z, err := zipfile.New(joined, nil)
	require.NoError(t, err)
	defer z.Close()
	b, err := z.At(0).Backend()
	require.NoError(t, err)
	in, err := zipfile.New(b, nil)
	require.NoError(t, err)
	requireContents(t, in.At(0), []byte("x"))
}

// What a signature by chance does to junk behind an archive.
func TestJunkWithASignature(t *testing.T) {
	image := archiveOf(ziptest.Entry{Name: "a", Data: []byte("hello")}).Bytes()
	junk := strings.Repeat("junk", 25000) + "PK\x05\x06" + strings.Repeat("j", 16) + "\x00\x00jj"
	z, err := zipfile.New(backend.Bytes(append(image, junk...)), nil)
	require.NoError(t, err)
	defer z.Close()
	requireContents(t, z.At(0), []byte("hello"))
}

// Offsets modulo 4 GiB together with a directory that is not all of it.
func TestModulo4GiBRecovered(t *testing.T) {
	if testing.Short() {
		t.Skip("a sparse file of 4 GiB")
	}
	a := archiveOf(ziptest.Entry{Name: "first", Data: []byte("hello\n")}, ziptest.Entry{Name: "far", Data: []byte("far\n"), At: 1<<32 + 100})
	a.Directory = func(d []ziptest.CentralHeader) []ziptest.CentralHeader { return d[:1] }
	for i := range a.Entries {
		a.Entries[i].Zip64 = ziptest.Zip64Never
	}
	a.Zip64 = ziptest.Zip64Never
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, a.WriteFile(name))
	z, err := zipfile.Open(name, &zipfile.Options{Recover: true})
	require.NoError(t, err)
	defer z.Close()
	for e := range z.Entries() {
		assert.Less(t, e.Size(), int64(math.MaxInt64))
		_, err := e.LocalHeader()
		assert.NoError(t, err)
	}
}

// A window that no power of two is.
func TestZstdWindow(t *testing.T) {
	p := bytes.Repeat([]byte("0123456789abcdef"), 600000)
	raw := zstdEncode(t, p)
	if raw[4]&(1<<5) != 0 {
		t.Skip("the encoder wrote a frame of one segment")
	}
	raw[5] = 14<<3 | 4 // 24 MiB
	z, err := zipfile.New(backend.Bytes(archiveOf(ziptest.Entry{Name: "a", Data: p, Raw: raw, Method: 93}).Bytes()), nil)
	require.NoError(t, err)
	defer z.Close()
	requireContents(t, z.At(0), p)
}

// Signatures without end and bombs end soon; of two sizes that differ the entry fails.
func TestRecoverBounds(t *testing.T) {
	header := archiveOf(ziptest.Entry{Name: "x", Descriptor: ziptest.MissingDescriptor}).Bytes()[:31]
	image := append(bytes.Repeat(append(header, '.'), 300), bytes.Repeat([]byte("PK\x07\x08"), 50000)...)
	c := &countingBackend{Backend: backend.Bytes(image)}
	z, err := zipfile.New(backend.ReaderAt(c, int64(len(image))), &zipfile.Options{Recover: true})
	if err == nil {
		z.Close()
	}
	assert.Less(t, c.bytes, int64(200*len(image)))

	// A file of signatures makes no directory much larger than itself.
	signatures := bytes.Repeat([]byte("PK\x03\x04"), 500_000)
	if z, err = recovered(t, signatures); err == nil {
		assert.Less(t, z.Structure().DirectorySize+totalNames(z), int64(4*len(signatures)))
		z.Close()
	}

	sizes := archiveOf(ziptest.Entry{Name: "a", Data: bytes.Repeat([]byte("ab"), 50), Header: func(h *ziptest.Header) { h.Size = 50 }})
	z, err = recovered(t, sizes.Bytes()[:sizes.Build().Directory])
	require.NoError(t, err)
	defer z.Close()
	requireFails(t, z.At(0), "size")
}

func totalNames(z *zipfile.ZipFile) (n int64) {
	for e := range z.Entries() {
		n += int64(len(e.RawName()))
	}
	return n
}

// A directory that has the name of a part is none.
func TestDirectoryAsPart(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "a.z01"), 0o700))
	name := filepath.Join(dir, "a.zip")
	image := archiveOf(ziptest.Entry{Name: "a", Data: []byte("hello")}).Bytes()
	require.NoError(t, os.WriteFile(name, image[:len(image)-30], 0o600))
	_, err := zipfile.Open(name, nil)
	assert.Equal(t, "truncated", zipfile.ErrorKind(err), "%v", err)
	z, err := zipfile.Open(name, &zipfile.Options{Recover: true})
	require.NoError(t, err)
	defer z.Close()
	requireContents(t, z.At(0), []byte("hello"))
}

// An entry of a few bytes that asks for a large window gets none.
func TestZstdMemory(t *testing.T) {
	const size = 500 << 20
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 2 << 6 & 0xff, 19 << 3, 0, 0, 0x40, 0x1f, 3, 0, 0} // RLE block
	single := []byte{0x28, 0xb5, 0x2f, 0xfd, 2<<6&0xff | 1<<5, 0, 0, 0x40, 0x1f, 3, 0, 0}
	for _, raw := range [][]byte{frame, single} {
		z, err := zipfile.New(backend.Bytes(archiveOf(ziptest.Entry{Name: "a", Zeros: 1, Raw: raw, Method: 93, Header: func(h *ziptest.Header) { h.Size = size }}).Bytes()), nil)
		require.NoError(t, err)
		defer z.Close()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = z.At(0).ReadAll()
		runtime.ReadMemStats(&after)
		require.Error(t, err)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(40<<20))
	}
}

// With a part missing in the middle the others are not put together as if there were no gap.
func TestRecoverSplitGap(t *testing.T) {
	dir := t.TempDir()
	parts := split(t, archiveOf(splitEntries()...), 700)
	require.Greater(t, len(parts), 3)
	for i, p := range parts {
		name := fmt.Sprintf("a.z%02d", i+1)
		if i == len(parts)-1 {
			name = "a.zip"
		}
		if i != 1 {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), p, 0o600))
		}
	}
	_, err := zipfile.Open(filepath.Join(dir, "a.zip"), &zipfile.Options{Recover: true})
	assert.Equal(t, "split", zipfile.ErrorKind(err), "%v", err)
	assert.Contains(t, err.Error(), "a.z02 is missing")
}

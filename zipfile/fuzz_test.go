package zipfile_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// fuzzArchives are the odd archives that fuzzing begins with.
func fuzzArchives() []ziptest.Archive {
	text := bytes.Repeat([]byte("a line that repeats\n"), 20)
	stored := ziptest.Entry{Name: "stored.txt", Data: []byte("hello\n")}
	deflated := ziptest.Entry{Name: "dir/deflated.txt", Data: text, Method: ziptest.Deflate}
	both := []ziptest.Entry{stored, deflated}
	// with changes the second of two entries.
	with := func(change func(e *ziptest.Entry)) ziptest.Archive {
		e := deflated
		change(&e)
		return ziptest.Archive{Entries: []ziptest.Entry{stored, e, {Name: "last", Data: []byte("x")}}}
	}
	central := func(change func(h *ziptest.CentralHeader)) ziptest.Archive {
		return with(func(e *ziptest.Entry) { e.Central = change })
	}
	local := func(change func(h *ziptest.LocalHeader)) ziptest.Archive {
		return with(func(e *ziptest.Entry) { e.Local = change })
	}
	descriptor := func(change func(d *ziptest.Descriptor)) ziptest.Archive {
		return with(func(e *ziptest.Entry) { e.Descriptor = change })
	}
	named := func(names ...string) ziptest.Archive { return ziptest.Archive{Entries: fsStored(names...)} }
	end := func(change func(e *ziptest.EndRecord)) ziptest.Archive {
		return ziptest.Archive{Entries: both, End: change}
	}
	zip64End := func(change func(r *ziptest.Zip64EndRecord)) ziptest.Archive {
		return ziptest.Archive{Entries: both, Zip64: ziptest.Zip64Always, Zip64End: change}
	}
	inner := ziptest.Archive{Entries: both, Comment: "inner"}.Bytes()
	raw := func(b ...byte) ziptest.Archive {
		return with(func(e *ziptest.Entry) { e.Raw = b })
	}
	return []ziptest.Archive{
		{},
		{Entries: both},
		{Entries: both, Comment: "of the archive"},
		{Entries: both, Prefix: []byte("#!/bin/sh\n")},
		{Entries: both, Prefix: []byte("#!/bin/sh\n"), Adjust: true},
		{Entries: both, Prefix: []byte("MZ"), Zip64: ziptest.Zip64Always},
		{Entries: both, Prefix: []byte("PK\x07\x08"), Adjust: true},
		{Entries: both, Prefix: inner},
		{Entries: both, Prefix: inner, Adjust: true},
		{Entries: both, Suffix: make([]byte, 5)},
		{Entries: both, Suffix: []byte("trailing")},
		{Entries: both, Suffix: inner[len(inner)-27:]},
		{Entries: both, Comment: string(inner)},
		{Entries: both, BeforeEnd: []byte("gap")},
		{Entries: both, BeforeDirectory: []byte("APK Sig Block 42")},
		{Entries: []ziptest.Entry{{Name: "inner.zip", Data: inner}}},
		{Entries: both, Zip64: ziptest.Zip64Always},
		{Entries: both, Zip64: ziptest.Zip64Redundant},
		zip64End(ziptest.NoZip64End),
		zip64End(func(r *ziptest.Zip64EndRecord) { r.Extensible = []byte("extensible data") }),
		zip64End(func(r *ziptest.Zip64EndRecord) { r.Entries = 1 << 40 }),
		zip64End(func(r *ziptest.Zip64EndRecord) { r.DirectorySize = 1 << 63 }),
		zip64End(func(r *ziptest.Zip64EndRecord) { r.DirectoryOffset = 1<<64 - 20 }),
		{Entries: both, Zip64Locator: func(l *ziptest.Zip64Locator) { l.Offset = 1<<64 - 1 }},
		end(func(e *ziptest.EndRecord) { e.Entries, e.EntriesOnDisk = 65535, 65535 }),
		end(func(e *ziptest.EndRecord) { e.Entries, e.EntriesOnDisk = 1, 1 }),
		end(func(e *ziptest.EndRecord) { e.DirectorySize -= 10 }),
		end(func(e *ziptest.EndRecord) { e.DirectorySize = 0xffffffff }),
		end(func(e *ziptest.EndRecord) { e.DirectoryOffset -= 30 }),
		end(func(e *ziptest.EndRecord) { e.DirectoryOffset = 0xfffffffe }),
		end(func(e *ziptest.EndRecord) { e.CommentLength = 10 }),
		end(func(e *ziptest.EndRecord) { e.Disk = 2 }),
		end(ziptest.NoEnd),
		{Entries: both, Directory: func(d []ziptest.CentralHeader) []ziptest.CentralHeader { slices.Reverse(d); return d }},
		{Entries: both, Directory: func(d []ziptest.CentralHeader) []ziptest.CentralHeader { return append(d, d...) }},
		{Entries: both, Directory: func(d []ziptest.CentralHeader) []ziptest.CentralHeader {
			d[1].After = []byte("PK\x05\x05\x03\x00sig")
			return d
		}},
		{Entries: append(both, ziptest.Entry{Name: "shares", Share: "stored.txt"})},
		{Entries: append(both, ziptest.Entry{Name: "stored.txt", Data: []byte("again")})},
		ziptest.QuotedOverlap(ziptest.Entry{Name: "kernel", Data: text}, "a", "b", "c"),
		central(func(h *ziptest.CentralHeader) { h.CRC32 = 0 }),
		central(func(h *ziptest.CentralHeader) { h.CRC32++ }),
		central(func(h *ziptest.CentralHeader) { h.Size++ }),
		central(func(h *ziptest.CentralHeader) { h.Size-- }),
		central(func(h *ziptest.CentralHeader) { h.Size = 1 << 30 }),
		central(func(h *ziptest.CentralHeader) { h.Size = 0xffffffff }),
		central(func(h *ziptest.CentralHeader) { h.CompressedSize += 3 }),
		central(func(h *ziptest.CentralHeader) { h.CompressedSize-- }),
		central(func(h *ziptest.CentralHeader) { h.CompressedSize = 0xffffffff }),
		central(func(h *ziptest.CentralHeader) { h.Offset++ }),
		central(func(h *ziptest.CentralHeader) { h.Offset = 0xffffffff }),
		central(func(h *ziptest.CentralHeader) { h.Method, h.CompressedSize = ziptest.Store, h.Size }),
		central(func(h *ziptest.CentralHeader) { h.Flags |= ziptest.FlagEncrypted }),
		central(func(h *ziptest.CentralHeader) {
			h.Size, h.CompressedSize, h.Zip64 = 0xffffffff, 0xffffffff, []uint64{1 << 60, 1<<60 + 1<<56}
		}),
		central(func(h *ziptest.CentralHeader) {
			h.Method, h.Size, h.CompressedSize, h.Zip64 = ziptest.Store, 0xffffffff, 0xffffffff, []uint64{1 << 46, 1 << 46}
		}),
		central(func(h *ziptest.CentralHeader) { h.CompressedSize, h.Zip64 = 0xffffffff, []uint64{1<<64 - 76} }),
		{Entries: []ziptest.Entry{{Name: "behind the end",
			Central: func(h *ziptest.CentralHeader) { h.CompressedSize, h.Zip64 = 0xffffffff, []uint64{1 << 31} },
			Local:   func(h *ziptest.LocalHeader) { h.ExtraLength = 65535 }}}},
		central(func(h *ziptest.CentralHeader) { h.Offset, h.Zip64 = 0xffffffff, []uint64{1<<63 - 1} }),
		central(func(h *ziptest.CentralHeader) { h.Extra = []byte("\x01\x00\xff\xff12") }),
		local(func(h *ziptest.LocalHeader) { h.Name = "other" }),
		local(func(h *ziptest.LocalHeader) { h.Method ^= ziptest.Deflate }),
		local(func(h *ziptest.LocalHeader) { h.ExtraLength = 65535 }),
		local(func(h *ziptest.LocalHeader) { h.Size, h.CompressedSize, h.CRC32 = 1, 2, 3 }),
		local(ziptest.NoLocal),
		descriptor(ziptest.Signed32), descriptor(ziptest.Unsigned32), descriptor(ziptest.Signed64), descriptor(ziptest.Unsigned64),
		descriptor(ziptest.MissingDescriptor),
		descriptor(func(d *ziptest.Descriptor) { d.Size, d.CRC32 = 9, 9 }),
		with(func(e *ziptest.Entry) { e.Zip64 = ziptest.Zip64Always }),
		with(func(e *ziptest.Entry) { e.Zip64 = ziptest.Zip64Redundant }),
		with(func(e *ziptest.Entry) { e.Zeros = 100_000 }),
		with(func(e *ziptest.Entry) { e.Name, e.Extra = "raw", ziptest.UnicodePath("raw", "ünï/") }),
		with(func(e *ziptest.Entry) { e.Name, e.Host = `win\dows\`, ziptest.HostNTFS }),
		with(func(e *ziptest.Entry) { e.Method, e.Raw = 99, []byte("x") }),
		with(func(e *ziptest.Entry) { e.After = []byte("junk") }),
		with(func(e *ziptest.Entry) { e.Data, e.Mode = nil, fs.ModeDir|0o755 }),
		raw(3, 0), raw(1, 0, 0, 0xff, 0xff), raw(0, 5, 0, 0xfa, 0xff, 'h'), raw(0xff, 0xff), raw(0x4b, 4, 0, 3), raw(),
		named("a/", "a/b", "a", "../up", "/abs", "nul\x00", "c:/d", "\x81", ""),
		{Entries: []ziptest.Entry{{Name: "d/", Data: text, Method: ziptest.Deflate}, {Name: "e/", Raw: []byte{3, 0}, Method: ziptest.Deflate}}},
	}
}

// fuzzSeeds adds the odd archives, and the small ones of a corpus.
func fuzzSeeds(f *testing.F) {
	f.Helper()
	for _, a := range fuzzArchives() {
		f.Add(a.Bytes())
	}
	f.Add([]byte("PK\x05\x06"))
	f.Add([]byte{})
	if corpusDir() == "" {
		return
	}
	require.NoError(f, filepath.WalkDir(corpusDir(), func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(p)
		if err == nil && len(b) <= fuzzLimit && bytes.Contains(b, []byte("PK")) {
			f.Add(b)
		}
		return err
	}))
}

const fuzzLimit = 64 << 10 // bytes of an archive that is fuzzed

// zipDifference is a way in which archive/zip may read an archive otherwise, and why.
type zipDifference struct {
	name   string
	reason string
	allows func(z *zipfile.ZipFile, e zipfile.Entry, f *zip.File, err error) bool
}

func foundInArchive(z *zipfile.ZipFile, kinds ...string) bool {
	return slices.ContainsFunc(z.Findings(), func(f zipfile.Finding) bool { return f.Index < 0 && slices.Contains(kinds, f.Kind) })
}

// directoryDifferences allow archive/zip to see other entries, or the same ones elsewhere.
var directoryDifferences = []zipDifference{
	{"several directories", "archive/zip takes the last end record in the file and the recorded offset, whatever else there is",
		func(z *zipfile.ZipFile, _ zipfile.Entry, _ *zip.File, _ error) bool {
			return foundInArchive(z, "several-end-records")
		}},
	{"prefix choice", "archive/zip believes the recorded offset as soon as a header stands there, and else shifts all offsets",
		func(z *zipfile.ZipFile, _ zipfile.Entry, _ *zip.File, _ error) bool {
			return foundInArchive(z, "prefix", "gap")
		}},
	{"entry count", "archive/zip reads as many records as are counted, past the directory's size or not up to it",
		func(z *zipfile.ZipFile, _ zipfile.Entry, _ *zip.File, _ error) bool {
			return foundInArchive(z, "entry-count")
		}},
	{"zip64 locator", "archive/zip follows a zip64 locator that leads to another record",
		func(z *zipfile.ZipFile, _ zipfile.Entry, _ *zip.File, _ error) bool {
			return foundInArchive(z, "zip64")
		}},
	{"end record in the comment", "archive/zip takes the last end record that fits into the file, though it stands in the comment of another",
		func(z *zipfile.ZipFile, _ zipfile.Entry, _ *zip.File, _ error) bool {
			return strings.Contains(z.Comment(), "PK\x05\x06")
		}},
	{"trailing bytes", "archive/zip takes the last signature near the end, whatever follows its comment",
		func(z *zipfile.ZipFile, _ zipfile.Entry, _ *zip.File, _ error) bool {
			return foundInArchive(z, "trailing-bytes")
		}},
}

// contentDifferences allow the contents to differ where both read them without an error.
var contentDifferences = []zipDifference{
	{"directory", "a directory is empty here, whatever data it has; archive/zip sees no directory in a name that a backslash or a Unicode Path field ends",
		func(_ *zipfile.ZipFile, e zipfile.Entry, f *zip.File, _ error) bool {
			return e.IsDir() && !strings.HasSuffix(f.Name, "/")
		}},
}

// faultDifferences allow an entry to fail here that archive/zip reads.
var faultDifferences = []zipDifference{
	{"encrypted", "archive/zip hands out ciphertext as contents",
		func(_ *zipfile.ZipFile, e zipfile.Entry, _ *zip.File, err error) bool {
			return e.Encrypted() && (errors.Is(err, zipfile.ErrPassword) || errors.Is(err, zipfile.ErrAlgorithm))
		}},
	{"CRC 0", "archive/zip takes a CRC of 0 for one that is not known",
		func(_ *zipfile.ZipFile, _ zipfile.Entry, f *zip.File, err error) bool {
			return f.CRC32 == 0 && errors.Is(err, zipfile.ErrChecksum)
		}},
	{"overlap", "archive/zip reads entries that share bytes, as bombs do",
		func(_ *zipfile.ZipFile, _ zipfile.Entry, _ *zip.File, err error) bool {
			return zipfile.ErrorKind(err) == "overlap"
		}},
	{"outside", "archive/zip reads entries that lie in the directory or behind it",
		func(z *zipfile.ZipFile, e zipfile.Entry, f *zip.File, err error) bool {
			return zipfile.ErrorKind(err) == "format" && strings.Contains(err.Error(), "the directory at offset")
		}},
	{"beyond any file", "archive/zip takes a compressed size of 1<<63 or more for all that follows in the file",
		func(_ *zipfile.ZipFile, _ zipfile.Entry, f *zip.File, err error) bool {
			return zipfile.ErrorKind(err) == "format" && f.CompressedSize64 > math.MaxInt64
		}},
	{"stored, of size 0", "archive/zip finds no data beyond the end of the file, and takes that for an entry that is empty",
		func(_ *zipfile.ZipFile, _ zipfile.Entry, f *zip.File, _ error) bool {
			return f.Method == zip.Store && f.UncompressedSize64 == 0 && f.CompressedSize64 != 0
		}},
	{"renamed directory", "archive/zip reads no data where the name in the header ends in a slash, though a Unicode Path field replaces it",
		func(_ *zipfile.ZipFile, e zipfile.Entry, f *zip.File, _ error) bool {
			return strings.HasSuffix(f.Name, "/") && !e.IsDir()
		}},
	{"directory in Strict", "a directory with data is refused there; archive/zip ignores its data, or sees no directory without a slash",
		func(_ *zipfile.ZipFile, e zipfile.Entry, _ *zip.File, err error) bool {
			return e.IsDir() && e.CompressedSize() > 0 && zipfile.ErrorKind(err) == "format"
		}},
	{"final block in Strict", "bytes behind the final block are refused there; archive/zip never looks at them",
		func(_ *zipfile.ZipFile, _ zipfile.Entry, _ *zip.File, err error) bool {
			return zipfile.ErrorKind(err) == "data" && strings.Contains(err.Error(), "after the final block")
		}},
}

func allowed(list []zipDifference, z *zipfile.ZipFile, e zipfile.Entry, f *zip.File, err error) bool {
	return slices.ContainsFunc(list, func(d zipDifference) bool { return d.allows(z, e, f, err) })
}

// insideBackend fails the test where a read reaches out of the file.
type insideBackend struct {
	backend.Backend
	t *testing.T
}

func (b insideBackend) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off > b.Size()-int64(len(p)) {
		b.t.Errorf("read of %d bytes at %d of %d", len(p), off, b.Size())
	}
	return b.Backend.ReadAt(p, off)
}

// FuzzOpen opens arbitrary bytes: no panic, no read outside the file, memory in proportion.
func FuzzOpen(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		for checks := range zipfile.Strict + 1 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			z, err := zipfile.New(insideBackend{backend.Bytes(b), t}, &zipfile.Options{Checks: checks})
			if err == nil {
				z.Findings()
				z.Lookup("a")
				_, _ = fs.Stat(z.FS(), "a")
			}
			runtime.ReadMemStats(&after)
			// The directory is copied once for each end record that leads to it, 64 at the most;
			// each time a buffer of 64 KiB serves to look for a second one.
			if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20+128*uint64(len(b)) {
				t.Errorf("%d bytes of memory for a file of %d", used, len(b))
			}
			if err != nil {
				if fe, ok := errors.AsType[*zipfile.FormatError](err); !ok || fe.Error() == "" || zipfile.ErrorKind(err) == "io" {
					t.Errorf("not an error about the format: %v", err)
				}
				continue
			}
			require.NoError(t, z.Close())
		}
	})
}

// FuzzEntry reads entries in every way; all agree, and archive/zip too.
func FuzzEntry(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > fuzzLimit {
			return
		}
		for checks := range zipfile.Strict + 1 {
			z, err := zipfile.New(insideBackend{backend.Bytes(b), t}, &zipfile.Options{Checks: checks})
			if err != nil {
				continue
			}
			for e := range z.Entries() {
				if !tooLarge(e, int64(len(b))) {
					waysAgree(t, e)
				}
			}
			agreesWithZip(t, z, bytes.NewReader(b), int64(len(b)))
			require.NoError(t, z.Close())
		}
	})
}

// waysAgree reads an entry in every way there is.
func waysAgree(t *testing.T, e zipfile.Entry) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	want, wantErr := e.ReadAll()
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; wantErr != nil && used > 8<<20 && used > 4*1032*uint64(max(e.CompressedSize(), 0)) {
		t.Errorf("%q: %d bytes of memory to fail with %v", e.Name(), used, wantErr)
	}
	agree := func(way string, got []byte, err error) {
		t.Helper()
		require.Equal(t, zipfile.ErrorKind(wantErr), zipfile.ErrorKind(err), "%q: ReadAll %v, %s %v", e.Name(), wantErr, way, err)
		require.True(t, wantErr != nil || bytes.Equal(want, got), "%q: %s", e.Name(), way)
	}
	open := func(way string, wrap func(io.Reader) io.Reader) {
		t.Helper()
		r, err := e.Open()
		var got []byte
		if err == nil {
			got, err = io.ReadAll(wrap(r))
			require.LessOrEqual(t, int64(len(got)), e.Size(), "%q: more than declared", e.Name())
			require.NoError(t, r.Close())
		}
		agree(way, got, err)
	}
	open("Open", func(r io.Reader) io.Reader { return r })
	if len(want) < 4096 {
		open("Open, byte by byte", iotest.OneByteReader)
	}
	var w bytes.Buffer
	n, err := e.WriteTo(&w)
	agree("WriteTo", w.Bytes(), err)
	require.Equal(t, int64(w.Len()), n)
	got, err := e.AppendTo([]byte("before"))
	require.True(t, bytes.HasPrefix(got, []byte("before")))
	agree("AppendTo", got[len("before"):], err)
	if wantErr != nil {
		require.Empty(t, want)
		require.Len(t, got, len("before"))
	}
}

// FuzzBackends opens a file through every backend; all say the same.
func FuzzBackends(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > fuzzLimit {
			return
		}
		name := filepath.Join(t.TempDir(), "a.zip")
		require.NoError(t, os.WriteFile(name, b, 0o600))
		accountsAgree(t, corpusFile{path: name, content: b})
	})
}

// FuzzStrict holds what Strict promises: an archive that opens means the same to Standard, and
// what can be read of it is the same to archive/zip (see agreesWithZip in FuzzEntry).
func FuzzStrict(f *testing.F) {
	fuzzSeeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > fuzzLimit {
			return
		}
		strict, err := zipfile.New(backend.Bytes(b), &zipfile.Options{Checks: zipfile.Strict})
		if err != nil {
			return
		}
		standard, err := zipfile.New(backend.Bytes(b), nil)
		require.NoError(t, err, "Strict opens it")
		require.Equal(t, strict.Len(), standard.Len())
		headers := map[string]int64{}
		for i := range strict.Len() {
			x, y := strict.At(i), standard.At(i)
			require.Equal(t, x.Name(), y.Name())
			if header, again := headers[x.Name()]; again { // the same record twice
				require.Equal(t, header, x.HeaderOffset(), "two entries %q", x.Name())
			}
			headers[x.Name()] = x.HeaderOffset()
			if tooLarge(x, int64(len(b))) {
				continue
			}
			want, err := x.ReadAll()
			got, err2 := y.ReadAll()
			if err == nil {
				require.NoError(t, err2, "%q: Strict reads it", x.Name())
				require.True(t, bytes.Equal(want, got), "%q", x.Name())
			}
		}
		for _, found := range standard.Findings() {
			require.Contains(t, []string{"prefix", "name", "duplicate-name", "directory-data", "trailing-data", "unicode-path"}, found.Kind, "%v", found)
		}
		require.NoError(t, strict.Close())
		require.NoError(t, standard.Close())
	})
}

// FuzzRecover rebuilds directories: no panic, no read outside the file, no more work than a few
// readings of it, and nothing that differs from what opens without.
func FuzzRecover(f *testing.F) {
	fuzzSeeds(f)
	img := recoverable().Bytes()
	for n := len(img); n > 0; n -= len(img)/17 + 1 {
		f.Add(img[:n])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > fuzzLimit {
			return
		}
		count := &countingBackend{Backend: insideBackend{backend.Bytes(b), t}}
		z, err := zipfile.New(backend.ReaderAt(count, int64(len(b))), &zipfile.Options{Recover: true, Limits: zipfile.Limits{MaxEntrySize: 16 << 20}})
		require.Less(t, count.bytes, int64(64<<20)+64*int64(len(b)))
		plain, plainErr := zipfile.New(backend.Bytes(b), nil)
		if err != nil {
			require.Error(t, plainErr, "it opens without Recover")
			return
		}
		for e := range z.Entries() {
			if !tooLarge(e, int64(len(b))) {
				waysAgree(t, e)
			}
		}
		rebuilt := slices.ContainsFunc(z.Findings(), func(f zipfile.Finding) bool { return f.Kind == "recovered" })
		if plainErr == nil && !rebuilt {
			require.Equal(t, plain.Len(), z.Len())
		}
		require.NoError(t, z.Close())
	})
}

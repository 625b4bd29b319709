package zipfile_test

import (
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// named is a name as it stands in the header, and what becomes of it.
type named struct {
	raw     string
	name    string // "": raw
	odd     string // kinds of findings
	host    uint8
	flags   uint16
	extra   []byte
	charset encoding.Encoding
	tree    string // path in FS, "": none
}

func names() map[string]named {
	const utf8Flag = ziptest.FlagUTF8
	japaneseRaw := "\x93\xfa\x96{.txt" // Shift JIS
	long := strings.Repeat("n", 65535)
	stale := ziptest.UnicodePath("other.txt", "stale.txt")
	version := func(v byte) []byte {
		b := ziptest.UnicodePath("raw.txt", "unicode.txt")
		b[4] = v
		return b
	}
	bad := func(raw string) named { return named{raw: raw, odd: "name", host: ziptest.HostUnix} }
	good := func(raw string) named { return named{raw: raw, host: ziptest.HostUnix, tree: raw} }
	const unix, fat, ntfs, vfat = ziptest.HostUnix, ziptest.HostFAT, ziptest.HostNTFS, ziptest.HostVFAT

	return map[string]named{
		"plain":                   good("a.txt"),
		"in a directory":          good("dir/sub/a.txt"),
		"space":                   good(" a . txt "),
		"dots":                    good("...a/..b/c../.d"),
		"colon later":             good("ab:c"),
		"device of Windows":       good("CON"),
		"4096 bytes":              good(long[:4096]),
		"4097 bytes":              bad(long[:4097]),
		"65535 bytes":             bad(long),
		"UTF-8":                   good("grüße/日本.txt"),
		"UTF-8 without the flag":  {raw: "grüße.txt", host: unix, tree: "grüße.txt"},
		"combining accent":        good("e\u0301.txt"),
		"NUL in the middle":       bad("a.txt\x00.jpg"),
		"NUL first":               bad("\x00a.txt"),
		"NULs last":               bad("a.txt\x00\x00"),
		"escape sequence":         bad("\x1b[31mred"),
		"line end":                bad("two\nlines"),
		"tab":                     bad("a\tb"),
		"DEL":                     bad("a\x7fb"),
		"absolute":                bad("/etc/passwd"),
		"two slashes":             bad("//host/share"),
		"slash alone":             bad("/"),
		"drive":                   bad("C:/a.txt"),
		"drive, small":            bad("c:a.txt"),
		"drive alone":             bad("C:"),
		"climbs":                  bad("../a.txt"),
		"climbs, inside":          bad("dir/../../a.txt"),
		"climbs at the end":       bad("dir/.."),
		"climbs, directory":       bad("../"),
		"two dots":                bad(".."),
		"dot":                     bad("."),
		"dot first":               bad("./a.txt"),
		"dot inside":              bad("dir/./a.txt"),
		"empty element":           bad("dir//a.txt"),
		"empty element last":      bad("dir//"),
		"empty":                   bad(""),
		"backslash, Unix":         bad(`dir\a.txt`),
		"backslash and slash":     {raw: `dir/sub\a.txt`, odd: "name", host: fat},
		"backslash, FAT":          {raw: `dir\a.txt`, name: "dir/a.txt", host: fat, tree: "dir/a.txt"},
		"backslash, NTFS":         {raw: `dir\a.txt`, name: "dir/a.txt", host: ntfs, tree: "dir/a.txt"},
		"backslash, VFAT":         {raw: `dir\sub\a.txt`, name: "dir/sub/a.txt", host: vfat, tree: "dir/sub/a.txt"},
		"backslash, macOS":        {raw: `dir\a.txt`, odd: "name", host: ziptest.HostMacOS},
		"backslash, climbs":       {raw: `..\a.txt`, name: "../a.txt", odd: "name", host: fat},
		"backslash, drive":        {raw: `C:\a.txt`, name: "C:/a.txt", odd: "name", host: fat},
		"backslash first":         {raw: `\a.txt`, name: "/a.txt", odd: "name", host: fat},
		"flag over other bytes":   {raw: "bad\xff\xfe.txt", name: "bad\u00a0■.txt", odd: "name", host: unix, flags: utf8Flag},
		"flag over a cut rune":    {raw: "a\xe6\x97", name: "aµù", odd: "name", host: unix, flags: utf8Flag},
		"CP437":                   {raw: "caf\x82.txt", name: "café.txt", odd: "name", host: fat, tree: "café.txt"},
		"CP437, all ones":         {raw: "a\xff", name: "a\u00a0", odd: "name", host: fat, tree: "a\u00a0"},
		"Shift JIS as CP437":      {raw: japaneseRaw, name: "ô·û{.txt", odd: "name", host: unix, tree: "ô·û{.txt"},
		"Shift JIS":               {raw: japaneseRaw, name: "日本.txt", odd: "name", host: unix, charset: japanese.ShiftJIS, tree: "日本.txt"},
		"Windows 1252":            {raw: "caf\xe9.txt", name: "café.txt", odd: "name", host: unix, charset: charmap.Windows1252, tree: "café.txt"},
		"UTF-8 despite charset":   {raw: "grüße.txt", host: unix, charset: charmap.Windows1252, tree: "grüße.txt"},
		"Unicode Path":            {raw: "raw.txt", name: "日本.txt", odd: "unicode-path", extra: ziptest.UnicodePath("raw.txt", "日本.txt"), tree: "日本.txt"},
		"Unicode Path, equal":     {raw: "raw.txt", extra: ziptest.UnicodePath("raw.txt", "raw.txt"), tree: "raw.txt"},
		"Unicode Path, stale":     {raw: "raw.txt", extra: stale, tree: "raw.txt"},
		"Unicode Path, version 2": {raw: "raw.txt", extra: version(2), tree: "raw.txt"},
		"Unicode Path, version 0": {raw: "raw.txt", extra: version(0), tree: "raw.txt"},
		"Unicode Path, cut off":   {raw: "raw.txt", extra: ziptest.Extra(ziptest.ExtraUnicodePath, 1, 2, 3), tree: "raw.txt"},
		"Unicode Path climbs":     {raw: "raw.txt", name: "../a.txt", odd: "name unicode-path", extra: ziptest.UnicodePath("raw.txt", "../a.txt")},
		"Unicode Path, CP437":     {raw: "caf\x82.txt", name: "café.txt", odd: "unicode-path", extra: ziptest.UnicodePath("caf\x82.txt", "café.txt"), tree: "café.txt"},
		"Unicode Path, no UTF-8":  {raw: "raw.txt", extra: ziptest.UnicodePath("raw.txt", "\xff.txt"), tree: "raw.txt"},
	}
}

func (n named) archive() ziptest.Archive {
	e := ziptest.Entry{Name: n.raw, Host: n.host, Extra: n.extra, Flags: n.flags, Data: []byte("contents\n")}
	if strings.HasSuffix(n.raw, "/") {
		e.Data = nil
	}
	if !strings.HasPrefix(n.raw, "grüße/") { // that one is marked as UTF-8
		e.Header = func(h *ziptest.Header) { h.Flags = n.flags }
	}
	return archiveOf(storedEntry("first"), e)
}

func TestChecksNames(t *testing.T) {
	var rows []check
	for name, n := range names() {
		strict := accepts()
		if n.odd != "" {
			strict = refuses("format", behind(atDirectory, 46+5))
		}
		var at []where
		if n.odd != "" {
			at = append(at, behind(atDirectory, 46+5))
		}
		rows = append(rows, checkRow(name, n.archive(), finds(n.odd, at...), strict).with(zipfile.Options{Charset: n.charset}))
	}
	runChecks(t, rows)
}

// TestChecksNamesUse: every name is listed and readable exactly as it is; those that are paths
// are in the file system.
func TestChecksNamesUse(t *testing.T) {
	t.Parallel()
	for name, n := range names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			z, err := zipfile.New(backend.Bytes(n.archive().Bytes()), &zipfile.Options{Charset: n.charset})
			require.NoError(t, err)
			want := n.name
			if want == "" {
				want = n.raw
			}
			assert.Equal(t, want, z.At(1).Name())
			assert.Equal(t, n.raw, z.At(1).RawName())
			e, ok := z.Lookup(want)
			require.True(t, ok)
			assert.Equal(t, 1, e.Index())
			_, ok = z.Lookup(n.raw)
			assert.Equal(t, want == n.raw, ok, "by the bytes of the header")

			var files []string
			require.NoError(t, fs.WalkDir(z.FS(), ".", func(path string, d fs.DirEntry, err error) error {
				if !d.IsDir() {
					files = append(files, path)
				}
				return err
			}))
			if n.tree == "" {
				assert.Equal(t, []string{"first"}, files)
				return
			}
			assert.ElementsMatch(t, []string{"first", n.tree}, files)
			got, err := fs.ReadFile(z.FS(), n.tree)
			require.NoError(t, err)
			assert.Equal(t, "contents\n", string(got))
		})
	}
}

func TestChecksComments(t *testing.T) {
	t.Parallel()
	a := archiveOf(ziptest.Entry{Name: "a", Comment: "caf\x82"}, ziptest.Entry{Name: "b", Comment: "日本"}, ziptest.Entry{Name: "c", Comment: strings.Repeat("c", 65535)})
	a.Comment = "\x82"
	z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
	require.NoError(t, err)
	assert.Equal(t, "é", z.Comment())
	assert.Equal(t, "café", z.At(0).Comment())
	assert.Equal(t, "日本", z.At(1).Comment())
	assert.Len(t, z.At(2).Comment(), 65535)
	assert.Empty(t, z.Findings())
	z, err = zipfile.New(backend.Bytes(a.Bytes()), &zipfile.Options{Charset: charmap.Windows1252})
	require.NoError(t, err)
	assert.Equal(t, "‚", z.Comment())
}

func TestChecksDirectoryEntries(t *testing.T) {
	type E = ziptest.Entry
	data := []byte("contents of a directory\n")
	odd := func(name string, e E) check {
		return checkRow(name, archiveOf(storedEntry("a.txt"), e), finds("directory-data", atRecord("d/")), spoils("ok format", "directory-data", atRecord("d/")))
	}
	sized := func(size, compressed uint32) func(*ziptest.Header) {
		return func(h *ziptest.Header) { h.Size, h.CompressedSize = size, compressed }
	}
	runChecks(t, []check{
		checkRow("plain", archiveOf(E{Name: "d/"}, storedEntry("d/a.txt")), accepts(), accepts()),
		checkRow("without a slash", archiveOf(E{Name: "d", Mode: fs.ModeDir | 0o755}, storedEntry("d/a.txt")), accepts(), accepts()),
		checkRow("deflated nothing", archiveOf(E{Name: "d/", Method: ziptest.Deflate, Raw: []byte("\x03\x00")}, storedEntry("d/a.txt")), accepts(), accepts()), // java's jar
		odd("stored data", E{Name: "d/", Data: data}),
		odd("deflated data", E{Name: "d/", Data: data, Method: ziptest.Deflate}),
		odd("size of a disk block", E{Name: "d/", Header: sized(4096, 0)}), // yauzl#53
		odd("wrong CRC", E{Name: "d/", Data: data, Header: func(h *ziptest.Header) { h.CRC32++ }}),
	})

	t.Run("OpenRaw", func(t *testing.T) {
		z, err := zipfile.New(backend.Bytes(archiveOf(E{Name: "d/", Data: data}).Bytes()), nil)
		require.NoError(t, err)
		assert.True(t, z.At(0).IsDir())
		r, err := z.At(0).OpenRaw()
		require.NoError(t, err)
		got, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.Equal(t, data, got)
	})
}

package zipfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// check is a row of the tables in the files checks_*_test.go: an archive, and what it gives
// with each kind of checks.
type check struct {
	name             string
	archive          ziptest.Archive
	standard, strict outcome

	options zipfile.Options
	holds   []string // contents in directory order, where the archive does not tell
	prefix  where    // expected of ZipFile.Prefix; nil: where the builder's prefix ends
}

// outcome is what an archive gives after every entry was read.
type outcome struct {
	open     string // kind of the error of opening, "" where it opens
	entries  string // kinds of the entries' errors in directory order, "ok" for none; "": all ok
	findings string // kinds in order, each once
	at       where  // of the error of opening, else of the first bad entry, else of a finding
}

// where tells a place of a built archive.
type where func(*ziptest.Image) int64

func accepts() outcome { return outcome{} }

// finds: all is readable and there are findings of these kinds.
func finds(kinds string, at ...where) outcome { return outcome{findings: kinds, at: firstOf(at)} }

// refuses: opening fails with an error of this kind.
func refuses(kind string, at ...where) outcome { return outcome{open: kind, at: firstOf(at)} }

// spoils: entries fail with errors of these kinds.
func spoils(entries, findings string, at ...where) outcome {
	return outcome{entries: entries, findings: findings, at: firstOf(at)}
}

func firstOf(at []where) where {
	if len(at) == 0 {
		return nil
	}
	return at[0]
}

func checkRow(name string, archive ziptest.Archive, standard, strict outcome) check {
	return check{name: name, archive: archive, standard: standard, strict: strict}
}

func (c check) with(o zipfile.Options) check     { c.options = o; return c }
func (c check) holding(contents ...string) check { c.holds = contents; return c }
func (c check) prefixed(at where) check          { c.prefix = at; return c }

// finding adds kinds of findings to those of the standard checks.
func (c check) finding(kinds string) check { c.standard.findings = kinds; return c }

func position(n int64) where                { return func(*ziptest.Image) int64 { return n } }
func atEnd(m *ziptest.Image) int64          { return m.End }
func atDirectory(m *ziptest.Image) int64    { return m.Directory }
func atDirectoryEnd(m *ziptest.Image) int64 { return m.DirectoryEnd }
func atLocator(m *ziptest.Image) int64      { return m.Zip64Locator }
func atZip64End(m *ziptest.Image) int64     { return m.Zip64End }
func atRecord(name string) where            { return func(m *ziptest.Image) int64 { return m.Entry(name).Record } }
func atLocal(name string) where             { return func(m *ziptest.Image) int64 { return m.Entry(name).Header } }
func atData(name string) where              { return func(m *ziptest.Image) int64 { return m.Entry(name).Data } }
func atDescriptor(name string) where {
	return func(m *ziptest.Image) int64 { return m.Entry(name).Descriptor }
}
func behind(w where, n int64) where       { return func(m *ziptest.Image) int64 { return w(m) + n } }
func rawArchive(b []byte) ziptest.Archive { return ziptest.Archive{Prefix: b, End: ziptest.NoEnd} }
func storedEntry(name string) ziptest.Entry {
	return ziptest.Entry{Name: name, Data: []byte("hello from " + name + "\n")}
}
func deflatedEntry(name string) ziptest.Entry {
	e := storedEntry(name)
	e.Data = bytes.Repeat(e.Data, 9)
	e.Method = ziptest.Deflate
	return e
}
func archiveOf(entries ...ziptest.Entry) ziptest.Archive { return ziptest.Archive{Entries: entries} }

func checksum(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

// runChecks runs every row with both kinds of checks on every backend.
func runChecks(t *testing.T, rows []check) {
	t.Helper()
	t.Parallel()
	names := make(map[string]bool)
	for _, c := range rows {
		require.False(t, names[c.name], "two rows are called %s", c.name)
		names[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			img := c.archive.Build()
			b := img.Bytes()
			t.Run("standard", func(t *testing.T) { c.run(t, zipfile.Standard, c.standard, img, b) })
			t.Run("strict", func(t *testing.T) { c.run(t, zipfile.Strict, c.strict, img, b) })
		})
	}
}

func (c check) run(t *testing.T, checks zipfile.Checks, want outcome, img *ziptest.Image, content []byte) {
	o := c.options
	o.Checks = checks
	var answers []answer
	for _, b := range everyBackend(t, content) {
		t.Run(b.name, func(t *testing.T) {
			z, err := b.open(&o)
			if err == nil {
				defer z.Close()
			}
			a := c.ask(t, z, err, want, img)
			if answers = append(answers, a); len(answers) > 1 {
				assert.Equal(t, answers[0], a, "another answer than through the first backend")
			}
		})
	}
}

// answer is what one backend gave, to be compared with that of another.
type answer struct {
	Errors   []string // of opening, else of each entry: kind and offset
	Contents []string
	Findings []zipfile.Finding
}

// ask reads everything and holds it against what is wanted.
func (c check) ask(t *testing.T, z *zipfile.ZipFile, err error, want outcome, img *ziptest.Image) (a answer) {
	if want.open != "" || err != nil {
		require.Error(t, err, "opening must fail: %s", want.open)
		fe := checkError(t, err, want.open, nil)
		if want.at != nil {
			assert.Equal(t, want.at(img), fe.Offset, "offset of %v", err)
		}
		a.Errors = []string{fmt.Sprint(fe.Kind, fe.Offset)}
		return a
	}
	before := z.Findings()
	kinds := strings.Fields(want.entries)
	if len(kinds) > 0 {
		require.Len(t, kinds, z.Len(), "entries")
	}
	step := 1 + z.Len()/100 // not all of tens of thousands
	at := want.at
	for i := 0; i < z.Len(); i += step {
		kind := ""
		if len(kinds) > 0 && kinds[i] != "ok" {
			kind = kinds[i]
		}
		fe, data := c.read(t, z.At(i), kind, img)
		a.Contents = append(a.Contents, string(data))
		if fe != nil {
			a.Errors = append(a.Errors, fmt.Sprint(i, fe.Kind, fe.Offset))
			if at != nil {
				assert.Equal(t, at(img), fe.Offset, "offset of %v", fe)
				at = nil
			}
		}
	}
	a.Findings = z.Findings()
	checkFindings(t, z, a.Findings, img.Size())
	assert.Equal(t, want.findings, kindsOf(a.Findings), "findings: %v", a.Findings)
	checkFirst(t, before, a.Findings)
	if at != nil {
		var offsets []int64
		for _, f := range a.Findings {
			offsets = append(offsets, f.Offset)
		}
		assert.Contains(t, offsets, at(img), "no finding at that offset: %v", a.Findings)
	}
	switch {
	case c.prefix != nil:
		assert.Equal(t, c.prefix(img), z.Prefix(), "prefix")
	case img.Start < img.Size():
		assert.Equal(t, img.Start, z.Prefix(), "prefix")
	}
	return a
}

// read reads an entry in every way there is; kind is that of the error, "" for none.
func (c check) read(t *testing.T, e zipfile.Entry, kind string, img *ziptest.Image) (fe *zipfile.FormatError, data []byte) {
	want, known := c.contents(e, img)
	for way, read := range readers {
		got, err := read(e)
		if kind != "" {
			require.Error(t, err, "%s of %q must fail: %s", way, e.Name(), kind)
			if f := checkError(t, err, kind, &e); way == "ReadAll" {
				fe = f
			}
			continue
		}
		if !assert.NoError(t, err, "%s of %q", way, e.Name()) {
			return nil, nil
		}
		if assert.True(t, known, "no entry of the archive begins at %d", e.HeaderOffset()) {
			assert.True(t, string(want) == string(got), "%s of %q: %.99q, expected %.99q", way, e.Name(), got, want)
		}
		data = got
	}
	return fe, data
}

// contents is the truth about an entry, which stands where the entry says that it does.
func (c check) contents(e zipfile.Entry, img *ziptest.Image) ([]byte, bool) {
	if c.holds != nil {
		return []byte(c.holds[e.Index()]), true
	}
	header := e.HeaderOffset()
	for i, l := range img.Entries {
		if l.Header != header {
			continue
		}
		switch {
		case e.IsDir():
			return nil, true
		case i >= len(c.archive.Entries):
			return []byte(l.Name), true // of ziptest.Many
		}
		truth := c.archive.Entries[i]
		return append(slices.Clip(truth.Data), make([]byte, truth.Zeros)...), true
	}
	return nil, false
}

// checkError: the kind, the sentinels, and a message of one line that names the entry.
func checkError(t *testing.T, err error, kind string, e *zipfile.Entry) *zipfile.FormatError {
	t.Helper()
	assert.Equal(t, kind, zipfile.ErrorKind(err), "kind of %v", err)
	var fe *zipfile.FormatError
	require.ErrorAs(t, err, &fe)
	assert.Equal(t, kind, fe.Kind)
	for _, s := range []struct {
		is    error
		kinds string
	}{
		{zipfile.ErrFormat, "none truncated format split data size overlap"},
		{zipfile.ErrNoArchive, "none"},
		{zipfile.ErrTruncated, "truncated"},
		{zipfile.ErrAlgorithm, "method"},
		{zipfile.ErrChecksum, "checksum"},
		{zipfile.ErrPassword, "password"},
		{zipfile.ErrLimit, "limit"},
		{zipfile.ErrInsecurePath, ""},
	} {
		assert.Equal(t, slices.Contains(strings.Fields(s.kinds), fe.Kind), errors.Is(err, s.is), "errors.Is(%q, %q)", err, s.is)
	}
	message := err.Error()
	assert.Equal(t, -1, strings.IndexFunc(message, func(r rune) bool { return !unicode.IsPrint(r) }), "not for a terminal: %q", message)
	if e != nil {
		assert.Equal(t, e.Name(), fe.Entry)
		assert.True(t, strings.Contains(message, e.Name()) || strings.Contains(message, strconv.Quote(e.Name())), "%q does not name %q", message, e.Name())
	}
	return fe
}

// checkFirst: the findings before anything was read are those that the directory shows.
func checkFirst(t *testing.T, before, after []zipfile.Finding) {
	t.Helper()
	read := []string{"local-header", "data-descriptor", "trailing-data"}
	after = slices.DeleteFunc(slices.Clone(after), func(f zipfile.Finding) bool {
		return slices.Contains(read, f.Kind) || f.Kind == "extra-field" && !slices.Contains(before, f) // of a local header
	})
	assert.ElementsMatch(t, after, before, "findings before reading")
}

func checkFindings(t *testing.T, z *zipfile.ZipFile, findings []zipfile.Finding, size int64) {
	t.Helper()
	for _, f := range findings {
		assert.NotEmpty(t, f.Text)
		assert.True(t, 0 <= f.Offset && f.Offset <= size, "outside the file: %v", f)
		if f.Index < 0 {
			assert.Equal(t, -1, f.Index)
			assert.Empty(t, f.Entry)
		} else if assert.Less(t, f.Index, z.Len()) {
			assert.Equal(t, z.At(f.Index).Name(), f.Entry)
		}
	}
}

func kindsOf(findings []zipfile.Finding) string {
	var kinds []string
	for _, f := range findings {
		kinds = append(kinds, f.Kind)
	}
	slices.Sort(kinds)
	return strings.Join(slices.Compact(kinds), " ")
}

type opener struct {
	name string
	open func(*zipfile.Options) (*zipfile.ZipFile, error)
}

// everyBackend opens content through each backend that the platform has.
func everyBackend(t *testing.T, content []byte) []opener {
	over := func(b backend.Backend) func(*zipfile.Options) (*zipfile.ZipFile, error) {
		return func(o *zipfile.Options) (*zipfile.ZipFile, error) { return zipfile.New(b, o) }
	}
	// What surrounds a section must never be taken for part of the archive.
	decoy := archiveOf(storedEntry("decoy")).Bytes()
	n := int64(len(decoy))
	section, err := backend.Section(backend.Bytes(slices.Concat(decoy, content, decoy)), n, int64(len(content)))
	require.NoError(t, err)
	all := []opener{
		{"memory", over(backend.Bytes(content))},
		{"reader", over(backend.ReaderAt(bytes.NewReader(content), int64(len(content))))},
		{"section", over(section)},
	}
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, rawArchive(content).WriteFile(name))
	for _, k := range []backend.Kind{backend.Pread, backend.Mapped} {
		if k == backend.Mapped && !canMap(name) {
			continue
		}
		all = append(all, opener{k.String(), func(o *zipfile.Options) (*zipfile.ZipFile, error) {
			of := *o
			of.Backend = k
			return zipfile.Open(name, &of)
		}})
	}
	return all
}

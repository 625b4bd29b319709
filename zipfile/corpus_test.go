package zipfile_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
)

// corpusFile is an archive on disk, with its contents where they fit in memory.
type corpusFile struct {
	path    string
	content []byte // nil: too large
}

type namedBackend struct {
	name string
	backend.Backend
}

// backends opens the file through everything that can read it, pread first; the caller closes
// them.
func (f corpusFile) backends(t *testing.T) []namedBackend {
	t.Helper()
	var all []namedBackend
	for _, kind := range []backend.Kind{backend.Pread, backend.Mapped} {
		b, err := backend.Open(f.path, kind)
		if kind == backend.Mapped && errors.Is(err, errors.ErrUnsupported) {
			continue // the platform, or a file larger than the address space
		}
		require.NoError(t, err)
		all = append(all, namedBackend{kind.String(), b})
	}
	file, err := os.Open(f.path)
	require.NoError(t, err)
	size := all[0].Size()
	all = append(all, namedBackend{"reader", backend.ReaderAt(file, size)})
	if f.content == nil {
		return all
	}
	// Something else on both sides, that looks like an archive.
	const around = "PK\x03\x04PK\x05\x06"
	section, err := backend.Section(backend.Bytes([]byte(around+string(f.content)+around)), int64(len(around)), size)
	require.NoError(t, err)
	return append(all, namedBackend{"memory", backend.Bytes(f.content)}, namedBackend{"section", section})
}

// archiveAccount is all that a ZipFile tells, in a form that compares.
type archiveAccount struct {
	Fault    string // why it does not open
	Comment  string
	Prefix   int64
	Entries  []entryAccount
	Findings []zipfile.Finding
}

type entryAccount struct {
	Name, RawName, Comment, Extra string
	Size, CompressedSize, Header  int64
	Data                          int64
	CRC32                         uint32
	Method                        zipfile.Method
	Flags                         uint16
	Mode                          fs.FileMode
	Modified                      time.Time
	IsDir, Encrypted              bool
	SHA256, Raw                   string // of the contents, and as they are stored
	Fault                         string // why it cannot be read
}

// faultOf tells an error without the path of the file.
func faultOf(err error) string {
	fe, ok := errors.AsType[*zipfile.FormatError](err)
	if !ok {
		return zipfile.ErrorKind(err)
	}
	return fmt.Sprintf("%s: %v", zipfile.ErrorKind(err), fe)
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// accountLimit bounds what is read of one entry, in bytes.
const accountLimit = 16 << 20

// tooLarge reports an entry that a test does not read: one that may really be that large, in a
// file of size bytes. What cannot be true must fail soon.
func tooLarge(e zipfile.Entry, size int64) bool {
	return e.CompressedSize() <= size && (e.CompressedSize() > accountLimit || min(e.Size(), 1032*e.CompressedSize()) > accountLimit)
}

// accountOf opens an archive, reads all of it and closes it.
func accountOf(t *testing.T, b backend.Backend, checks zipfile.Checks) archiveAccount {
	t.Helper()
	z, err := zipfile.New(b, &zipfile.Options{Checks: checks})
	if err != nil {
		assert.NoError(t, b.Close())
		return archiveAccount{Fault: faultOf(err)}
	}
	defer func() { assert.NoError(t, z.Close()) }()
	size := b.Size()
	a := archiveAccount{Comment: z.Comment(), Prefix: z.Prefix()}
	var buf []byte
	for e := range z.Entries() {
		data, err := e.DataOffset()
		if err != nil {
			data = -1
		}
		ea := entryAccount{
			Name: e.Name(), RawName: e.RawName(), Comment: e.Comment(), Extra: string(e.Extra()),
			Size: e.Size(), CompressedSize: e.CompressedSize(), Header: e.HeaderOffset(), Data: data, CRC32: e.CRC32(),
			Method: e.Method(), Flags: e.Flags(), Mode: e.Mode(), Modified: e.Modified(), IsDir: e.IsDir(), Encrypted: e.Encrypted(),
		}
		if tooLarge(e, size) {
			a.Entries = append(a.Entries, ea)
			continue
		}
		buf, err = e.AppendTo(buf[:0])
		ea.SHA256, ea.Fault = hashOf(buf), faultOf(err)
		if raw, err := e.OpenRaw(); err == nil {
			stored, err := io.ReadAll(raw)
			ea.Raw = hashOf(stored) + faultOf(err)
		}
		a.Entries = append(a.Entries, ea)
	}
	a.Findings = z.Findings()
	return a
}

// entryMeta is what Strict must tell as Standard does.
func (a archiveAccount) entryMeta() []entryAccount {
	list := slices.Clone(a.Entries)
	for i := range list {
		list[i].Fault, list[i].SHA256 = "", "" // bytes after the final block are a fault in Strict alone
	}
	return list
}

// accountsAgree opens a file through every backend, Standard and Strict, and returns what they
// all say in Standard.
func accountsAgree(t *testing.T, f corpusFile) archiveAccount {
	t.Helper()
	var accounts [2]archiveAccount
	for checks := range zipfile.Strict + 1 {
		all := f.backends(t)
		accounts[checks] = accountOf(t, all[0].Backend, checks)
		for _, b := range all[1:] {
			require.Equal(t, accounts[checks], accountOf(t, b.Backend, checks), "%s and %s, checks %d", all[0].name, b.name, checks)
		}
	}
	standard, strict := accounts[zipfile.Standard], accounts[zipfile.Strict]
	if strict.Fault == "" {
		require.Empty(t, standard.Fault, "an archive that opens in Strict opens in Standard")
		require.Equal(t, standard.entryMeta(), strict.entryMeta(), "with the same entries")
	}
	return standard
}

// zipContents reads an entry through archive/zip, limit bytes of it at the most.
func zipContents(f *zip.File, limit int64) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = zipfile.ErrLimit
	}
	return b, err
}

// agreesWithZip holds the entries of z, which is that of r, against archive/zip.
func agreesWithZip(t *testing.T, z *zipfile.ZipFile, r io.ReaderAt, size int64) {
	t.Helper()
	zr, err := zip.NewReader(r, size)
	if err != nil {
		return
	}
	same := z.Len() == len(zr.File)
	for i := 0; same && i < z.Len(); i++ {
		same = z.At(i).RawName() == zr.File[i].Name
	}
	if !same {
		require.True(t, allowed(directoryDifferences, z, zipfile.Entry{}, nil, nil), "archive/zip sees other entries, findings: %v", z.Findings())
		return
	}
	for i, f := range zr.File {
		e := z.At(i)
		if tooLarge(e, size) || f.UncompressedSize64 > accountLimit {
			continue
		}
		want, zipErr := zipContents(f, accountLimit)
		if zipErr != nil {
			continue
		}
		ours, err := e.DataOffset()
		if theirs, zipErr := f.DataOffset(); err == nil && zipErr == nil && ours != theirs {
			require.True(t, allowed(directoryDifferences, z, e, f, nil), "%q: data at %d, archive/zip has them at %d", e.Name(), ours, theirs)
			continue
		}
		got, err := e.ReadAll()
		if err != nil {
			require.True(t, allowed(faultDifferences, z, e, f, err) || allowed(directoryDifferences, z, e, f, err), "%q: archive/zip reads it: %v", e.Name(), err)
			continue
		}
		if !bytes.Equal(want, got) {
			require.True(t, allowed(contentDifferences, z, e, f, nil), "%q: %d bytes, archive/zip reads %d others", e.Name(), len(got), len(want))
		}
	}
}

// corpusRecord is a line of a corpus.jsonl: what is established of an archive.
type corpusRecord struct {
	File    string `json:"file"`
	Entries []struct {
		Name   string `json:"name"`
		ASCII  bool   `json:"name_ascii"`
		Size   int64  `json:"size"`
		SHA256 string `json:"sha256"`
		Dir    bool   `json:"dir"`
	} `json:"entries"`
	Consensus string `json:"consensus"`
}

func corpusRecords(t *testing.T, name string) []corpusRecord {
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	var list []corpusRecord
	for d := json.NewDecoder(bufio.NewReader(f)); ; {
		var r corpusRecord
		if err := d.Decode(&r); err == io.EOF {
			return list
		}
		require.NoError(t, err)
		list = append(list, r)
	}
}

// corpusDir is where the archives are, "" if there are none.
func corpusDir() string { return os.Getenv("ZIPFILE_CORPUS") }

// unsparse makes the file that a description of its parts stands for.
func unsparse(t *testing.T, name string) string {
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	var d struct {
		Size   int64   `json:"size"`
		Chunks [][]any `json:"chunks"`
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&d))
	f, err := os.Create(filepath.Join(t.TempDir(), "sparse.zip"))
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, f.Truncate(d.Size))
	for _, c := range d.Chunks {
		require.Len(t, c, 2)
		off, err := c[0].(json.Number).Int64()
		require.NoError(t, err)
		p, err := base64.StdEncoding.DecodeString(c[1].(string))
		require.NoError(t, err)
		_, err = f.WriteAt(p, off)
		require.NoError(t, err)
	}
	return f.Name()
}

// TestCorpus reads the archives below ZIPFILE_CORPUS through every backend.
func TestCorpus(t *testing.T) {
	t.Parallel()
	dir := corpusDir()
	if dir == "" {
		t.Skip("ZIPFILE_CORPUS names no directory of archives")
	}
	records := make(map[string]corpusRecord)
	var files []string
	require.NoError(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case d.Name() == "corpus.jsonl":
			for _, r := range corpusRecords(t, p) {
				records[filepath.Join(filepath.Dir(p), filepath.FromSlash(r.File))] = r
			}
		case strings.HasSuffix(p, ".sparse.json"):
			files = append(files, p)
		case strings.HasSuffix(p, ".jsonl"), strings.HasSuffix(p, ".json"), strings.HasSuffix(p, ".md"):
			// Says something about archives and is none.
		case d.Type().IsRegular():
			files = append(files, p)
		}
		return nil
	}))
	require.NotEmpty(t, files, "no archives below ZIPFILE_CORPUS")
	for _, p := range files {
		name, err := filepath.Rel(dir, p)
		require.NoError(t, err)
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Parallel()
			f := corpusFile{path: p}
			if strings.HasSuffix(p, ".sparse.json") {
				f.path = unsparse(t, p)
			} else {
				b, err := os.ReadFile(p)
				require.NoError(t, err)
				f.content = b
			}
			a := accountsAgree(t, f)
			if a.Fault != "" {
				record, known := records[p]
				assert.False(t, known && record.Consensus == "valid", a.Fault)
				return
			}
			z, err := zipfile.Open(f.path, nil)
			require.NoError(t, err)
			defer z.Close()
			file, err := os.Open(f.path)
			require.NoError(t, err)
			defer file.Close()
			info, err := file.Stat()
			require.NoError(t, err)
			agreesWithZip(t, z, file, info.Size())
			if r := records[p]; r.Entries != nil {
				agreesWithRecord(t, a, r)
			}
		})
	}
}

// agreesWithRecord holds the contents against the established ones. What needs a password or a
// method that is not there has none; contested archives may fail otherwise too.
func agreesWithRecord(t *testing.T, a archiveAccount, r corpusRecord) {
	if r.Consensus == "valid" {
		require.Len(t, a.Entries, len(r.Entries))
	}
	for i, want := range r.Entries[:min(len(r.Entries), len(a.Entries))] {
		got := a.Entries[i]
		if want.ASCII && got.Name != want.Name {
			assert.NotEqual(t, "valid", r.Consensus, "%q is called %q", want.Name, got.Name)
			return // another directory was chosen
		}
		if got.Fault != "" || got.SHA256 == "" {
			needs := strings.HasPrefix(got.Fault, "password:") || strings.HasPrefix(got.Fault, "method:")
			assert.True(t, got.Fault == "" || needs || r.Consensus != "valid", got.Fault)
			continue
		}
		assert.Equal(t, want.Dir, got.IsDir, want.Name)
		if got.IsDir && r.Consensus != "valid" {
			assert.Equal(t, hashOf(nil), got.SHA256, "%s: a directory is empty, whatever data it has", want.Name)
			continue
		}
		assert.Equal(t, want.SHA256, got.SHA256, want.Name)
		assert.True(t, want.Dir || want.Size == got.Size, want.Name)
	}
}

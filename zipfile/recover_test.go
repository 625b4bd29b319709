package zipfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// recoverable has entries of all the kinds that are bounded in different ways.
func recoverable() ziptest.Archive {
	text := []byte(strings.Repeat("to be, or not to be: that is the question. ", 30))
	inner := archiveOf(ziptest.Entry{Name: "inner.txt", Data: text, Descriptor: ziptest.Signed32}).Bytes()
	seal := sealedEntry("sealed", text, ziptest.Deflate, 3, 2, 0)
	return archiveOf(
		ziptest.Entry{Name: "dir/", Mode: fs.ModeDir | 0o700},
		ziptest.Entry{Name: "dir/stored.txt", Data: text, Mode: 0o600},
		ziptest.Entry{Name: "deflated.txt", Data: text, Method: ziptest.Deflate, Comment: "a comment"},
		ziptest.Entry{Name: "streamed.txt", Data: text, Method: ziptest.Deflate, Descriptor: ziptest.Signed32},
		ziptest.Entry{Name: "streamed64.txt", Data: text, Method: ziptest.Deflate, Descriptor: ziptest.Signed64},
		ziptest.Entry{Name: "streamed, no descriptor", Data: text, Method: ziptest.Deflate, Descriptor: ziptest.MissingDescriptor},
		ziptest.Entry{Name: "streamed and stored", Data: text, Descriptor: ziptest.Signed32},
		ziptest.Entry{Name: "streamed and stored, 64", Data: text, Descriptor: ziptest.Signed64},
		ziptest.Entry{Name: "streamed archive", Data: inner, Descriptor: ziptest.Signed32},
		ziptest.Entry{Name: "streamed and empty", Descriptor: ziptest.Signed32},
		ziptest.Entry{Name: "archive", Data: inner},
		ziptest.Entry{Name: "wide", Data: text, Zip64: ziptest.Zip64Always},
		seal,
		ziptest.Entry{Name: "last", Data: text, Method: ziptest.Deflate},
	)
}

// dataEnd is where the data of an entry end, for stored ones with a descriptor that too: only it
// says that they are whole.
func dataEnd(l ziptest.EntryLayout) int64 {
	if l.Descriptor > 0 && !strings.HasPrefix(l.Name, "streamed a") {
		return l.Descriptor
	}
	return l.End
}

func recovered(t testing.TB, image []byte) (*zipfile.ZipFile, error) {
	t.Helper()
	return zipfile.New(backend.Bytes(image), &zipfile.Options{Recover: true, Password: secret})
}

// Cut off anywhere, an archive gives all entries that are whole, the right bytes of one that is
// not, and an error at the end of these.
func TestRecoverCutOff(t *testing.T) {
	a := recoverable()
	img := a.Build()
	all := a.Bytes()
	step := 1
	if raceEnabled {
		step = 7
	}
	for n := 0; n < len(all); n += step {
		z, err := recovered(t, all[:n])
		whole := 0
		for whole < len(img.Entries) && dataEnd(img.Entries[whole]) <= int64(n) {
			whole++
		}
		if err != nil {
			require.Zero(t, whole, "cut at %d: %v", n, err)
			continue
		}
		require.GreaterOrEqual(t, z.Len(), whole, "cut at %d", n)
		require.LessOrEqual(t, z.Len(), whole+1, "cut at %d", n)
		kinds := map[string]int{}
		for _, f := range z.Findings() {
			kinds[f.Kind]++
		}
		require.NotZero(t, kinds["recovered"], "cut at %d", n)
		for i := range z.Len() {
			e, want := z.At(i), a.Entries[i]
			require.Equal(t, want.Name, e.Name(), "cut at %d", n)
			rc, err := e.Open()
			var got []byte
			if err == nil {
				got, err = io.ReadAll(rc)
				rc.Close()
			}
			if i < whole {
				require.NoError(t, err, "cut at %d: %s", n, want.Name)
				require.True(t, bytes.Equal(want.Data, got), "cut at %d: %s", n, want.Name)
				continue
			}
			if strings.HasPrefix(want.Name, "streamed a") { // perhaps with the first bytes of a descriptor
				got = got[:min(len(got), len(want.Data))]
			}
			require.True(t, bytes.HasPrefix(want.Data, got), "cut at %d: %s", n, want.Name)
			if err == nil { // all data are there, what follows them is not
				require.True(t, bytes.Equal(want.Data, got), "cut at %d: %s", n, want.Name)
			}
		}
		z.Close()
	}
}

// Without its directory nothing is lost but what stands nowhere else.
func TestRecoverWithoutDirectory(t *testing.T) {
	a := recoverable()
	img := a.Build()
	z, err := recovered(t, a.Bytes()[:img.Directory])
	require.NoError(t, err)
	require.Equal(t, len(a.Entries), z.Len())
	for i, want := range a.Entries {
		e := z.At(i)
		if !e.IsDir() {
			requireContents(t, e, want.Data)
		}
		assert.Equal(t, img.Entries[i].Header, e.HeaderOffset())
	}
	require.Len(t, z.Findings(), 1)
	assert.Contains(t, z.Findings()[0].Text, "12 whole, 2 not verified, 0 damaged, 0 cut off, 0 lost; 0 bytes belong to no entry, and 0 to")
}

// What is left of the directory is used.
func TestRecoverModes(t *testing.T) {
	a := recoverable()
	img := a.Build()
	z, err := recovered(t, a.Bytes()[:img.End])
	require.NoError(t, err)
	assert.Equal(t, fs.ModeDir|0o700, z.At(0).Mode())
	assert.Equal(t, fs.FileMode(0o600), z.At(1).Mode())
	assert.Equal(t, "a comment", z.At(2).Comment())
	assert.Contains(t, z.Findings()[0].Text, fmt.Sprintf("and %d to what is left of the directory", img.End-img.Directory))
}

// Damage in one entry leaves the others alone.
func TestRecoverDamage(t *testing.T) {
	a := recoverable()
	img := a.Build()
	whole := a.Bytes()[:img.Directory]
	for i, l := range img.Entries {
		for _, at := range []int64{max(l.Header, 4), l.Header + 4, l.Header + 8, l.Header + 18, l.Header + 22, l.Header + 28, l.Data, (l.Data + dataEnd(l)) / 2} {
			if at >= l.End {
				continue // of the next one
			}
			for _, flip := range []byte{1, 0x80, 0xff} {
				image := bytes.Clone(whole)
				image[at] ^= flip
				z, err := recovered(t, image)
				require.NoError(t, err)
				found := map[string]bool{}
				for e := range z.Entries() {
					got, err := e.ReadAll()
					if err == nil && !e.IsDir() {
						found[e.Name()] = true
						for _, want := range a.Entries {
							if want.Name == e.Name() && want.Name != "streamed, no descriptor" { // no CRC anywhere
								require.True(t, bytes.Equal(want.Data, got), "%s, after %#x at %d of %s: %v", e.Name(), flip, at-l.Header, a.Entries[i].Name, z.Findings())
							}
						}
					}
				}
				for j, want := range a.Entries {
					if j != i && want.Name != "dir/" && want.Name != "streamed, no descriptor" {
						require.True(t, found[want.Name], "%s is lost by %#x at %d of %s (%v)", want.Name, flip, at-l.Header, a.Entries[i].Name, z.Findings())
					}
				}
				z.Close()
			}
		}
	}
}

func TestRecoverChangesNothing(t *testing.T) {
	z, err := recovered(t, recoverable().Bytes())
	require.NoError(t, err)
	for _, f := range z.Findings() {
		assert.NotEqual(t, "recovered", f.Kind)
	}
}

func TestRecoverNothing(t *testing.T) {
	for name, c := range map[string]struct {
		image []byte
		kind  string
	}{
		"empty":        {nil, "none"},
		"text":         {[]byte("just some text that mentions PK\x03\x04"), "none"},
		"half header":  {[]byte("PK\x03\x04\x14\x00"), "truncated"},
		"end alone":    {append([]byte("PK\x05\x06"), bytes.Repeat([]byte{0xff}, 18)...), "split"},
		"NULs in name": {append([]byte("PK\x03\x04\x14\x00"), make([]byte, 100)...), "truncated"},
	} {
		_, err := recovered(t, c.image)
		require.Error(t, err, name)
		assert.Equal(t, c.kind, zipfile.ErrorKind(err), "%s: %v", name, err)
	}
}

// A comment that is cut off is accepted, and told.
func TestRecoverComment(t *testing.T) {
	a := archiveOf(ziptest.Entry{Name: "a", Data: []byte("hello")})
	a.Comment = "a long comment"
	image := a.Bytes()
	z, err := recovered(t, image[:len(image)-5])
	require.NoError(t, err)
	assert.Equal(t, "a long co", z.Comment())
	require.Len(t, z.Findings(), 1)
	assert.Equal(t, "recovered", z.Findings()[0].Kind)
	requireContents(t, z.At(0), []byte("hello"))
}

// Headers that all claim the rest of the file are not read to its end once for each.
func TestRecoverEffort(t *testing.T) {
	var image []byte
	header := archiveOf(ziptest.Entry{Name: "x", Data: make([]byte, 1<<20)}).Bytes()[:31]
	for len(image) < 1<<20 {
		image = append(image, header...)
	}
	c := &countingBackend{Backend: backend.Bytes(image)}
	z, err := zipfile.New(backend.ReaderAt(c, int64(len(image))), &zipfile.Options{Recover: true})
	if err == nil {
		z.Close()
	} else {
		var fe *zipfile.FormatError
		require.True(t, errors.As(err, &fe), "%v", err)
	}
	assert.Less(t, c.bytes, int64(20*len(image)))
}

type countingBackend struct {
	backend.Backend
	bytes int64
}

func (c *countingBackend) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Backend.ReadAt(p, off)
	c.bytes += int64(n)
	return n, err
}

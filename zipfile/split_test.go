package zipfile_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

func splitEntries() (entries []ziptest.Entry) {
	for i := range 12 {
		entries = append(entries, ziptest.Entry{Name: fmt.Sprintf("%02d.txt", i), Data: bytes.Repeat([]byte{byte('a' + i)}, 100+37*i), Method: ziptest.Deflate * uint16(i%2)})
	}
	return entries
}

// split cuts an archive in parts of n bytes, with the offsets that belong to that: each counts from
// the start of the part that its place is in.
func split(t testing.TB, a ziptest.Archive, n int64) (parts [][]byte) {
	t.Helper()
	img := a.Build()
	all := a.Bytes()
	put := func(at int64, off int64, disk int) {
		binary.LittleEndian.PutUint32(all[at:], uint32(off-int64(disk)*n))
	}
	part := func(off int64) int { return int(off / n) }
	for i, rec := range img.Records {
		header := img.Entries[i].Header
		binary.LittleEndian.PutUint16(all[rec+34:], uint16(part(header)))
		put(rec+42, header, part(header))
	}
	last := part(int64(len(all)) - 1)
	binary.LittleEndian.PutUint16(all[img.End+4:], uint16(last))
	binary.LittleEndian.PutUint16(all[img.End+6:], uint16(part(img.Directory)))
	put(img.End+16, img.Directory, part(img.Directory))
	for len(all) > 0 {
		m := min(int(n), len(all))
		parts = append(parts, all[:m])
		all = all[m:]
	}
	require.Len(t, parts, last+1)
	return parts
}

func TestSplit(t *testing.T) {
	entries := splitEntries()
	a := archiveOf(entries...)
	whole := a.Bytes()
	for _, n := range []int64{64, 100, 333, 1000, int64(len(whole)) - 10} {
		for _, upper := range []bool{false, true} {
			t.Run(fmt.Sprint(n, upper), func(t *testing.T) {
				dir := t.TempDir()
				parts := split(t, a, n)
				var names []string
				for i, p := range parts {
					name := fmt.Sprintf("a.z%02d", i+1)
					if i == len(parts)-1 {
						name = "a.zip"
					}
					if upper {
						name = strings.ToUpper(name)
					}
					names = append(names, filepath.Join(dir, name))
					require.NoError(t, os.WriteFile(names[i], p, 0o600))
				}
				given := names
				if len(given) > 3 {
					given = []string{names[0], names[1], names[len(names)-1]}
				}
				for _, name := range given {
					for _, kind := range []backend.Kind{backend.Pread, backend.Auto} {
						z, err := zipfile.Open(name, &zipfile.Options{Backend: kind, Recover: true})
						require.NoError(t, err, name)
						require.Equal(t, len(entries), z.Len())
						for i, want := range entries {
							requireContents(t, z.At(i), want.Data)
						}
						require.NoError(t, z.SwitchBackend(backend.Pread))
						requireContents(t, z.At(3), entries[3].Data)
						require.Empty(t, z.Findings())
						require.NoError(t, z.Close())
					}
				}
				if len(parts) < 3 {
					return
				}
				require.NoError(t, os.Remove(names[1]))
				_, err := zipfile.Open(names[len(names)-1], nil)
				require.Error(t, err)
				assert.Equal(t, "split", zipfile.ErrorKind(err), "%v", err)
				assert.Contains(t, err.Error(), filepath.Base(names[1])+" is missing")
				require.NoError(t, os.Remove(names[len(names)-1]))
				_, err = zipfile.Open(names[0], nil)
				require.Error(t, err)
				assert.Equal(t, "split", zipfile.ErrorKind(err), "%v", err)
				assert.Contains(t, err.Error(), filepath.Base(names[len(names)-1])+" is missing")
			})
		}
	}
}

// Parts without offsets of their own, as 7-Zip and split(1) make them.
func TestSplitPlainly(t *testing.T) {
	entries := splitEntries()
	whole := archiveOf(entries...).Bytes()
	dir := t.TempDir()
	var names []string
	for rest := whole; len(rest) > 0; {
		n := min(700, len(rest))
		names = append(names, filepath.Join(dir, fmt.Sprintf("a.zip.%03d", len(names)+1)))
		require.NoError(t, os.WriteFile(names[len(names)-1], rest[:n], 0o600))
		rest = rest[n:]
	}
	for _, name := range names {
		z, err := zipfile.Open(name, nil)
		require.NoError(t, err, name)
		for i, want := range entries {
			requireContents(t, z.At(i), want.Data)
		}
		require.NoError(t, z.Close())
	}
	last := names[len(names)-1]
	require.NoError(t, os.Remove(last))
	_, err := zipfile.Open(names[0], nil)
	require.Error(t, err)
	assert.Equal(t, "split", zipfile.ErrorKind(err))
	assert.Contains(t, err.Error(), filepath.Base(last)+" is missing")
}

// Sizes and offsets modulo 4 GiB, as macOS writes them.
func TestModulo4GiB(t *testing.T) {
	if testing.Short() {
		t.Skip("a sparse file of 4 GiB")
	}
	const giB4 = 1 << 32
	a := archiveOf(
		ziptest.Entry{Name: "first.txt", Data: []byte("hello\n")},
		ziptest.Entry{Name: "far.txt", Data: []byte("far\n"), Method: ziptest.Deflate, At: giB4 + 100},
		ziptest.Entry{Name: "farther.txt", Data: []byte("farther\n"), At: giB4 + 1000},
	)
	a.Zip64 = ziptest.Zip64Never
	for i := range a.Entries {
		a.Entries[i].Zip64 = ziptest.Zip64Never
	}
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, a.WriteFile(name))
	z, err := zipfile.Open(name, nil)
	require.NoError(t, err)
	defer z.Close()
	for i := 1; i < z.Len(); i++ {
		requireContents(t, z.At(i), a.Entries[i].Data)
		assert.Greater(t, z.At(i).HeaderOffset(), int64(giB4))
	}
	require.NotEmpty(t, z.Findings())
	assert.Equal(t, "zip64", z.Findings()[0].Kind)
}

package zipfile_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// faultChild is set in the process that lives through a fault.
const faultChild = "ZIPFILE_TEST_FAULT"

// An archive is read through a mapping or an open file while the file is cut short, replaced,
// overwritten or deleted. Each case runs in a process of its own, which must come through.
func TestFaults(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOARCH == "wasm" {
		t.Skip("an open file cannot be changed there, or there are no processes")
	}
	for _, c := range faults {
		for _, kind := range []backend.Kind{backend.Pread, backend.Mapped} {
			id := c.name + "/backend=" + kind.String()
			if os.Getenv(faultChild) == id {
				c.run(t, kind)
				return
			}
			if os.Getenv(faultChild) != "" {
				continue
			}
			t.Run(id, func(t *testing.T) {
				t.Parallel()
				cmd := exec.Command(os.Args[0], "-test.run=^TestFaults$", "-test.v")
				cmd.Env = append(os.Environ(), faultChild+"="+id)
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s", out)
				require.Contains(t, string(out), "--- PASS: TestFaults")
			})
		}
	}
}

// faultArchive has entries of 100 KB so that most lie beyond any page that is kept.
func faultArchive(fill byte) ziptest.Archive {
	var a ziptest.Archive
	for i := range 20 {
		data := make([]byte, 100_000)
		for j := range data {
			data[j] = byte(i*j) ^ byte(j>>8) ^ fill
		}
		a.Entries = append(a.Entries, ziptest.Entry{Name: fmt.Sprintf("%d.bin", i), Data: data, Method: []uint16{ziptest.Store, ziptest.Deflate}[i%2]})
	}
	return a
}

// faultCase is one thing that can happen to the file of an open archive.
type faultCase struct {
	name string
	// change does something to the file; the time of a change always differs.
	change func(t *testing.T, name string)
	// check judges what reading entry i gave, with its true contents.
	check func(t *testing.T, kind backend.Kind, i int, want, got []byte, err error)
}

var faults = []faultCase{
	{
		name:   "truncated",
		change: func(t *testing.T, name string) { require.NoError(t, os.Truncate(name, 5000)) },
		check: func(t *testing.T, kind backend.Kind, i int, want, got []byte, err error) {
			require.ErrorIs(t, err, backend.ErrChanged)
			assert.Equal(t, "changed", zipfile.ErrorKind(err))
			if kind == backend.Mapped && i > 1 {
				require.ErrorIs(t, err, backend.ErrFault)
			}
			assert.ErrorContains(t, err, fmt.Sprintf("%d.bin", i))
		},
	},
	{
		name: "replaced",
		change: func(t *testing.T, name string) {
			require.NoError(t, faultArchive(1).WriteFile(name+".new"))
			require.NoError(t, os.Rename(name+".new", name))
		},
		check: unchanged,
	},
	{
		name: "overwritten",
		change: func(t *testing.T, name string) {
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = f.WriteAt(faultArchive(1).Bytes(), 0)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			require.NoError(t, os.Chtimes(name, time.Time{}, time.Now().Add(time.Hour)))
		},
		check: func(t *testing.T, _ backend.Kind, _ int, want, got []byte, err error) {
			require.ErrorIs(t, err, backend.ErrChanged)
		},
	},
	{
		name:   "deleted",
		change: func(t *testing.T, name string) { require.NoError(t, os.Remove(name)) },
		check:  unchanged,
	},
}

func unchanged(t *testing.T, _ backend.Kind, _ int, want, got []byte, err error) {
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got))
}

func (c faultCase) run(t *testing.T, kind backend.Kind) {
	name := filepath.Join(t.TempDir(), "fault.zip")
	a := faultArchive(0)
	require.NoError(t, a.WriteFile(name))
	z, err := zipfile.Open(name, &zipfile.Options{Backend: kind})
	require.NoError(t, err)
	defer z.Close()
	c.change(t, name)
	for i := range a.Entries {
		for way, read := range readers {
			got, err := read(z.At(i))
			t.Log(way, err)
			c.check(t, kind, i, a.Entries[i].Data, got, err)
		}
	}
}

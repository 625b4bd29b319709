package zipfile_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// These count allocations, so they run alone.
func skipUnderRace(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
}

func TestAllocsOfOpen(t *testing.T) {
	skipUnderRace(t)
	const entries = 30000
	name := filepath.Join(t.TempDir(), "many.zip")
	img := ziptest.Archive{More: ziptest.Many(entries)}.Build()
	require.NoError(t, img.WriteFile(name))
	for kind, most := range map[backend.Kind]float64{backend.Pread: 12, backend.Mapped: 18} {
		if kind == backend.Mapped && !canMap(name) {
			continue
		}
		var before, after runtime.MemStats
		const runs = 20
		runtime.ReadMemStats(&before)
		got := testing.AllocsPerRun(runs-1, func() {
			z, err := zipfile.Open(name, &zipfile.Options{Backend: kind})
			require.NoError(t, err)
			z.Close()
		})
		runtime.ReadMemStats(&after)
		assert.LessOrEqual(t, got, most, "allocations through %v", kind)
		assert.LessOrEqual(t, int64(after.TotalAlloc-before.TotalAlloc)/runs, img.DirectoryEnd-img.Directory+8*entries+128<<10, "bytes through %v", kind)
	}
}

func TestAllocsOfReading(t *testing.T) {
	skipUnderRace(t)
	name, a := writeMixed(t)
	for kind, open := range openers(t, name) {
		t.Run("backend="+kind, func(t *testing.T) {
			z, err := zipfile.New(open(), nil)
			require.NoError(t, err)
			defer z.Close()
			buf := make([]byte, 0, 1<<20)
			for _, i := range []int{2, 3, 10, 11} {
				e := z.At(i)
				got, err := e.AppendTo(buf)
				require.NoError(t, err)
				require.Equal(t, a.Entries[i].Data, got)
				assert.Zero(t, testing.AllocsPerRun(100, func() { e.AppendTo(buf) }), "AppendTo of %v", e.Method())
			}
		})
	}
}

func TestAllocsOfLookup(t *testing.T) {
	skipUnderRace(t)
	z, err := zipfile.New(backend.Bytes(ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "a/plain.txt"}, {Name: "grüße/привет.txt"}, {Name: "with/extra.txt", Extra: ziptest.InfoZipUnix(1, 2)}, {Name: `un\ix`, Host: ziptest.HostUnix},
	}}.Bytes()), nil)
	require.NoError(t, err)
	for e := range z.Entries() {
		name := e.Name()
		assert.Zero(t, testing.AllocsPerRun(100, func() { _ = e.Name() }), "Name of %s", name)
		z.Lookup(name)
		assert.Zero(t, testing.AllocsPerRun(100, func() { z.Lookup(name) }), "Lookup of %s", name)
		assert.Zero(t, testing.AllocsPerRun(100, func() { z.Lookup("not there") }))
	}
}

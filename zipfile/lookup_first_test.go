package zipfile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// TestFirstLookup: the first lookup, which has no index, finds what the others find.
func TestFirstLookup(t *testing.T) {
	t.Parallel()
	b := ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "a"}, {Name: "a/b.txt"}, {Name: "twice", Data: []byte("1")}, {Name: `dos\file`, Host: ziptest.HostFAT, Mode: 0},
		{Name: "caf\x82"}, {Name: "café", Flags: ziptest.FlagUTF8}, {Name: "renamed", Extra: ziptest.UnicodePath("renamed", "new name")},
		{Name: "twice", Data: []byte("22")}, {Name: "a long name with many letters and an end that is odd\xff"}, {Name: ""}, {Name: "ünlängst"}, {Name: "back\\slash", Host: ziptest.HostUnix},
	}}.Bytes()
	all, err := zipfile.New(backend.Bytes(b), nil)
	require.NoError(t, err)
	names := []string{"nothing", "renamed", `dos\file`, "a/", "back/slash"}
	for e := range all.Entries() {
		names = append(names, e.Name(), e.RawName())
	}
	all.Lookup("")
	for _, name := range names {
		want, found := all.Lookup(name)
		z, err := zipfile.New(backend.Bytes(b), nil)
		require.NoError(t, err)
		got, ok := z.Lookup(name)
		assert.Equal(t, found, ok, "%q", name)
		if ok && found {
			assert.Equal(t, want.Index(), got.Index(), "%q", name)
		}
		for _, z := range []*zipfile.ZipFile{z, all} { // without an index and with one
			for e := range z.Entries() {
				assert.Equal(t, e.Name() == name, e.Named(name), "%q, %q", e.Name(), name)
			}
		}
		again, _ := z.Lookup(name)
		assert.Equal(t, got, again)
		require.NoError(t, z.Close())
		z, err = zipfile.New(backend.Bytes(b), nil)
		require.NoError(t, err)
		assert.Len(t, z.LookupAll(name), len(all.LookupAll(name)), "%q", name)
		require.NoError(t, z.Close())
	}
	assert.Len(t, all.LookupAll("twice"), 2)
	found := 0
	for _, name := range names {
		if _, ok := all.Lookup(name); ok {
			found++
		}
	}
	assert.Greater(t, found, 12)
}

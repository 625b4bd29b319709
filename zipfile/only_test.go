package zipfile_test

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// odd entries that are put among 2,000 others, so that the directory does not fit into the tail.
var oddEntries = []ziptest.Entry{
	{Name: "first", Data: []byte("1")}, {Name: "twice", Data: []byte("one")}, {Name: `dos\file`, Host: ziptest.HostFAT, Mode: 0, Data: []byte("dos")},
	{Name: "caf\x82", Data: []byte("cp437")}, {Name: "café", Flags: ziptest.FlagUTF8, Data: []byte("utf-8")},
	{Name: "renamed", Extra: ziptest.UnicodePath("renamed", "new name"), Data: []byte("r")}, {Name: "twice", Data: []byte("another")},
	{Name: "deflated", Method: ziptest.Deflate, Data: bytes.Repeat([]byte("text "), 5000)}, {Name: "timed", Extra: ziptest.InfoZipUnix(1, 2), Data: []byte("t")},
	{Name: "lies", Data: []byte("lies"), Central: func(h *ziptest.CentralHeader) { h.CRC32++ }},
	{Name: "overlong", Data: []byte("stored"), Central: func(h *ziptest.CentralHeader) { h.Size, h.CompressedSize = 500, 500 }},
}

// TestOnly: with Options.Only an entry is what it is without, whether others are left out or not.
func TestOnly(t *testing.T) {
	t.Parallel()
	var entries []ziptest.Entry
	i := 0
	for e := range ziptest.Many(2000) {
		entries = append(entries, e)
		if i++; i%150 == 0 && i/150 <= len(oddEntries) {
			entries = append(entries, oddEntries[i/150-1])
		}
	}
	with := func(change func(a *ziptest.Archive)) []byte {
		a := ziptest.Archive{Entries: slices.Clone(entries)}
		change(&a)
		return a.Bytes()
	}
	cases := []struct {
		name    string
		archive []byte
		options zipfile.Options
		reduced bool
	}{
		{"ordinary", with(func(*ziptest.Archive) {}), zipfile.Options{}, true},
		{"prefix and comment", with(func(a *ziptest.Archive) { a.Prefix, a.Comment = []byte("#!/bin/sh\n"), "comment" }), zipfile.Options{}, true},
		{"small", ziptest.Archive{Entries: oddEntries}.Bytes(), zipfile.Options{}, false},
		{"not ascending", with(func(a *ziptest.Archive) {
			a.Entries[7].Central = func(h *ziptest.CentralHeader) { h.Offset = 5 }
		}), zipfile.Options{}, false},
		{"a header larger than the buffer", with(func(a *ziptest.Archive) {
			a.Entries[9].Comment, a.Entries[9].CentralExtra = string(bytes.Repeat([]byte("c"), 65000)), ziptest.Extra(0x7777, make([]byte, 65000)...)
		}), zipfile.Options{}, false},
		{"wrong count", with(func(a *ziptest.Archive) { a.End = func(e *ziptest.EndRecord) { e.Entries-- } }), zipfile.Options{}, true},
		{"no header", with(func(a *ziptest.Archive) {
			a.Entries[1500].Central = func(h *ziptest.CentralHeader) { h.Signature = 7 }
		}), zipfile.Options{}, true},
		{"too long a header", with(func(a *ziptest.Archive) {
			a.Entries[len(a.Entries)-1].Central = func(h *ziptest.CentralHeader) { h.NameLength = 6000 }
		}), zipfile.Options{}, true},
		{"too many", with(func(*ziptest.Archive) {}), zipfile.Options{Limits: zipfile.Limits{MaxEntries: 100}}, true},
		{"too much", with(func(*ziptest.Archive) {}), zipfile.Options{Limits: zipfile.Limits{MaxTotalSize: 100}}, true},
		{"strict", with(func(*ziptest.Archive) {}), zipfile.Options{Checks: zipfile.Strict}, false},
		{"recover", with(func(*ziptest.Archive) {}), zipfile.Options{Recover: true}, false},
	}
	names := []string{"", "nothing", "0000/0000000.txt", "0001/0001999.txt", "renamed", "new name", "café", "dos/file", "back/slash"}
	for _, e := range oddEntries {
		names = append(names, e.Name)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			all, wantErr := zipfile.New(backend.Bytes(c.archive), &c.options)
			for _, name := range names {
				o := c.options
				o.Only = []string{name, "twice"}
				z, err := zipfile.New(backend.Bytes(c.archive), &o)
				if wantErr != nil {
					require.EqualError(t, err, wantErr.Error())
					continue
				}
				require.NoError(t, err)
				assert.Equal(t, c.reduced, z.Len() < all.Len(), "%d of %d entries", z.Len(), all.Len())
				assert.Equal(t, all.Structure(), z.Structure())
				assert.Equal(t, all.Prefix(), z.Prefix())
				for _, name := range o.Only {
					want, got := all.LookupAll(name), z.LookupAll(name)
					require.Len(t, got, len(want), "%q", name)
					for i := range want {
						assert.Equal(t, facts(want[i]), facts(got[i]))
					}
				}
			}
			if wantErr == nil {
				empty, err := zipfile.New(backend.Bytes(c.archive), &zipfile.Options{Checks: c.options.Checks, Recover: c.options.Recover, Only: []string{}})
				require.NoError(t, err)
				assert.Equal(t, c.reduced, empty.Len() < 10)
			}
		})
	}
}

// facts is what a reader learns of an entry.
func facts(e zipfile.Entry) string {
	data, err := e.ReadAll()
	offset, offsetErr := e.DataOffset()
	var stored []byte
	raw, rawErr := e.OpenRaw()
	if rawErr == nil {
		stored, rawErr = io.ReadAll(raw)
	}
	central := e.CentralHeader()
	return fmt.Sprintf("%q %q %d %d %v %v %x; %q %v; %d %v; %q %v; %d", e.Name(), e.RawName(), e.Size(), e.CompressedSize(), e.Method(), e.Modified(), e.CRC32(),
		data, err, offset, offsetErr, stored, rawErr, central.Offset)
}

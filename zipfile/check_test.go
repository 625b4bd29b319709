package zipfile_test

import (
	"bytes"
	"hash/crc32"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// Check says what reading says, but for what only decoding shows.
func TestCheck(t *testing.T) {
	data := []byte("some data")
	with := func(name string, change func(h *ziptest.Header)) ziptest.Entry {
		return ziptest.Entry{Name: name, Data: data, Header: change}
	}
	sealed := func(name, password string) ziptest.Entry {
		return ziptest.Entry{Name: name, Data: data, Flags: ziptest.FlagEncrypted, Raw: ziptest.EncryptZipCrypto(data, password, byte(crc32.ChecksumIEEE(data)>>24))}
	}
	noHeader := ziptest.Entry{Name: "no header", Data: data, Local: func(h *ziptest.LocalHeader) { h.Signature = 1 }}
	image := archiveOf(
		ziptest.Entry{Name: "good", Data: data, Method: ziptest.Deflate},
		ziptest.Entry{Name: "directory/"},
		sealed("right password", secret),
		with("damaged", func(h *ziptest.Header) { h.CRC32++ }),
		sealed("wrong password", "wrong"),
		with("method", func(h *ziptest.Header) { h.Method = 77 }),
		with("size", func(h *ziptest.Header) { h.Size++ }),
		ziptest.Entry{Name: "large", Zeros: 2000},
		ziptest.Entry{Name: "dense", Data: bytes.Repeat([]byte("a"), 900), Method: ziptest.Deflate},
		noHeader,
		with("strong", func(h *ziptest.Header) { h.Flags |= 1<<6 | 1 }),
	).Bytes()
	for password, faults := range map[string]int{"": 8, secret: 7} {
		z, err := zipfile.New(backend.Bytes(image), &zipfile.Options{Password: password, Limits: zipfile.Limits{MaxEntrySize: 1000, MaxRatio: 20}})
		require.NoError(t, err)
		bad := 0
		for e := range z.Entries() {
			_, want := e.ReadAll()
			got := e.Check()
			if e.Name() == "damaged" {
				require.Error(t, want)
				want = nil
			}
			assert.Equal(t, want, got, e.Name())
			if got != nil {
				bad++
			}
		}
		assert.Equal(t, faults, bad)
		require.NoError(t, z.Close())
		assert.ErrorIs(t, z.At(0).Check(), fs.ErrClosed)
	}
}

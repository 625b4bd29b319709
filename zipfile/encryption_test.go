package zipfile_test

import (
	"bytes"
	"compress/flate"
	"errors"
	"hash/crc32"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

const secret = "pässword"

func deflated(p []byte) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	w.Write(p)
	w.Close()
	return b.Bytes()
}

// sealedEntry encrypts an entry by AES of a strength, or traditionally for strength 0.
func sealedEntry(name string, contents []byte, method uint16, strength byte, version uint16, flags uint16) ziptest.Entry {
	data := contents
	if method == ziptest.Deflate {
		data = deflated(contents)
	}
	e := ziptest.Entry{Name: name, Data: contents, Method: method, Flags: ziptest.FlagEncrypted | flags}
	if strength == 0 {
		check := byte(crc32.ChecksumIEEE(contents) >> 24)
		if flags&ziptest.FlagDescriptor != 0 {
			_, clock := ziptest.DOSTime(e.Modified)
			check = byte(clock >> 8)
		}
		e.Raw = ziptest.EncryptZipCrypto(data, secret, check)
		return e
	}
	e.Raw = ziptest.EncryptAES(data, secret, strength)
	e.Method = 99
	e.Extra = ziptest.AES(version, strength, method)
	if version == 2 {
		noCRC := uint32(0)
		e.Local = func(h *ziptest.LocalHeader) { h.CRC32 = noCRC }
		e.Central = func(h *ziptest.CentralHeader) { h.CRC32 = noCRC }
	}
	return e
}

func TestEncrypted(t *testing.T) {
	long := bytes.Repeat([]byte("all work and no play "), 10000)
	large := make([]byte, 5<<20)
	if raceEnabled {
		large = large[:3<<19]
	}
	for i := range large {
		large[i] = byte(i * i >> 7)
	}
	var entries []ziptest.Entry
	for _, contents := range [][]byte{nil, []byte("hello\n"), long, large} {
		for _, method := range []uint16{ziptest.Store, ziptest.Deflate} {
			entries = append(entries, sealedEntry("zipcrypto", contents, method, 0, 0, 0),
				sealedEntry("zipcrypto, streamed", contents, method, 0, 0, ziptest.FlagDescriptor))
			for strength := byte(1); strength <= 3; strength++ {
				for version := uint16(1); version <= 2; version++ {
					entries = append(entries, sealedEntry("aes", contents, method, strength, version, 0))
				}
			}
		}
	}
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, archiveOf(entries...).WriteFile(name))
	for kind, open := range openers(t, name) {
		t.Run("backend="+kind, func(t *testing.T) {
			z, err := zipfile.New(open(), &zipfile.Options{Password: secret})
			require.NoError(t, err)
			defer z.Close()
			for i, want := range entries {
				e := z.At(i)
				requireContents(t, e, want.Data)
				assert.True(t, e.Encrypted())
				assert.Contains(t, []zipfile.Method{zipfile.Store, zipfile.Deflate}, e.Method(), "the real method")
			}
		})
	}
}

// requireContents reads an entry in every way there is.
func requireContents(t *testing.T, e zipfile.Entry, want []byte) {
	t.Helper()
	all, err := e.ReadAll()
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, all))
	rc, err := e.Open()
	require.NoError(t, err)
	defer rc.Close()
	all, err = io.ReadAll(rc)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, all))
}

// requireFails reads an entry in every way there is, which must fail and give no whole contents.
func requireFails(t *testing.T, e zipfile.Entry, kind string) {
	t.Helper()
	_, err := e.ReadAll()
	require.Error(t, err)
	require.Equal(t, kind, zipfile.ErrorKind(err), "%v", err)
	rc, err := e.Open()
	if err == nil {
		defer rc.Close()
		_, err = io.Copy(io.Discard, rc)
	}
	require.Error(t, err)
	require.Equal(t, kind, zipfile.ErrorKind(err), "%v", err)
}

func TestPasswords(t *testing.T) {
	contents := []byte("hello, hello, hello, hello\n")
	for name, entry := range map[string]ziptest.Entry{
		"zipcrypto, stored":   sealedEntry("a", contents, ziptest.Store, 0, 0, 0),
		"zipcrypto, deflated": sealedEntry("a", contents, ziptest.Deflate, 0, 0, 0),
		"AES":                 sealedEntry("a", contents, ziptest.Deflate, 3, 2, 0),
	} {
		t.Run(name, func(t *testing.T) {
			image := ziptest.Archive{Entries: []ziptest.Entry{entry}}.Bytes()
			open := func(o zipfile.Options) zipfile.Entry {
				z, err := zipfile.New(backend.Bytes(image), &o)
				require.NoError(t, err)
				t.Cleanup(func() { z.Close() })
				return z.At(0)
			}
			requireFails(t, open(zipfile.Options{}), "password")
			requireFails(t, open(zipfile.Options{Password: "wrong"}), "password")
			requireContents(t, open(zipfile.Options{Password: secret}), contents)
			ask := func(password string, err error) func(zipfile.Entry) (string, error) {
				return func(e zipfile.Entry) (string, error) {
					assert.Equal(t, "a", e.Name())
					return password, err
				}
			}
			requireContents(t, open(zipfile.Options{PasswordFunc: ask(secret, nil)}), contents)
			requireContents(t, open(zipfile.Options{Password: "wrong", PasswordFunc: ask(secret, nil)}), contents)
			requireContents(t, open(zipfile.Options{Password: secret, PasswordFunc: ask("", nil)}), contents)
			requireFails(t, open(zipfile.Options{PasswordFunc: ask("", nil)}), "password")
			refused := errors.New("nobody answers")
			e := open(zipfile.Options{Password: secret, PasswordFunc: ask(secret, refused)})
			requireFails(t, e, "password")
			_, err := e.ReadAll()
			require.ErrorIs(t, err, refused)
			require.ErrorIs(t, err, zipfile.ErrPassword)
		})
	}
}

func TestEncryptedDamage(t *testing.T) {
	contents := bytes.Repeat([]byte("hello\n"), 100)
	for name, c := range map[string]struct {
		entry ziptest.Entry
		spoil func(e *ziptest.Entry)
		kind  string
	}{
		"AES, code":               {sealedEntry("a", contents, ziptest.Store, 3, 2, 0), func(e *ziptest.Entry) { e.Raw[len(e.Raw)-1] ^= 1 }, "checksum"},
		"AES, stored data":        {sealedEntry("a", contents, ziptest.Store, 3, 2, 0), func(e *ziptest.Entry) { e.Raw[40] ^= 1 }, "checksum"},
		"AES, deflated data":      {sealedEntry("a", contents, ziptest.Deflate, 1, 2, 0), func(e *ziptest.Entry) { e.Raw[14] ^= 6 }, "checksum"},
		"AES-1, CRC":              {sealedEntry("a", contents, ziptest.Store, 3, 1, 0), func(e *ziptest.Entry) { e.Central = func(h *ziptest.CentralHeader) { h.CRC32++ } }, "checksum"},
		"AES, too short":          {sealedEntry("a", nil, ziptest.Store, 3, 2, 0), func(e *ziptest.Entry) { e.Raw = e.Raw[:20] }, "size"},
		"AES, unknown strength":   {sealedEntry("a", contents, ziptest.Store, 3, 2, 0), func(e *ziptest.Entry) { e.Extra = ziptest.AES(2, 4, 0) }, "method"},
		"AES, no extra field":     {sealedEntry("a", contents, ziptest.Store, 3, 2, 0), func(e *ziptest.Entry) { e.Extra = nil }, "method"},
		"AES, method 77":          {sealedEntry("a", contents, ziptest.Store, 3, 2, 0), func(e *ziptest.Entry) { e.Extra = ziptest.AES(2, 3, 77) }, "method"},
		"AES, data cut off":       {sealedEntry("a", contents, ziptest.Deflate, 3, 2, 0), func(e *ziptest.Entry) { e.Raw = append(e.Raw[:30:30], e.Raw[33:]...) }, "checksum"},
		"zipcrypto, too short":    {sealedEntry("a", nil, ziptest.Store, 0, 0, 0), func(e *ziptest.Entry) { e.Raw = e.Raw[:5] }, "size"},
		"zipcrypto, stored data":  {sealedEntry("a", contents, ziptest.Store, 0, 0, 0), func(e *ziptest.Entry) { e.Raw[20] ^= 1 }, "checksum"},
		"zipcrypto, strong flag":  {sealedEntry("a", contents, ziptest.Store, 0, 0, 0), func(e *ziptest.Entry) { e.Flags |= ziptest.FlagStrong }, "method"},
		"zipcrypto, longer":       {sealedEntry("a", contents, ziptest.Store, 0, 0, 0), func(e *ziptest.Entry) { e.Raw = append(e.Raw, 0) }, "size"},
		"zipcrypto, size of one":  {sealedEntry("a", nil, ziptest.Store, 0, 0, 0), func(e *ziptest.Entry) { e.Raw = append(e.Raw, 0) }, "size"},
		"zipcrypto, data cut off": {sealedEntry("a", contents, ziptest.Deflate, 0, 0, 0), func(e *ziptest.Entry) { e.Raw = e.Raw[:len(e.Raw)-3] }, "data"},
	} {
		t.Run(name, func(t *testing.T) {
			c.spoil(&c.entry)
			z, err := zipfile.New(backend.Bytes(ziptest.Archive{Entries: []ziptest.Entry{c.entry}}.Bytes()), &zipfile.Options{Password: secret})
			require.NoError(t, err)
			defer z.Close()
			requireFails(t, z.At(0), c.kind)
		})
	}
}

// A field of AES encryption in an entry that is not encrypted excuses no check.
func TestAESFieldAlone(t *testing.T) {
	for _, checks := range []zipfile.Checks{zipfile.Standard, zipfile.Strict} {
		for _, method := range []uint16{ziptest.Store, ziptest.Deflate} {
			e := sealedEntry("a", bytes.Repeat([]byte("hello\n"), 300000), method, 3, 2, 0)
			e.Flags, e.Raw = 0, e.Data
			if method == ziptest.Deflate {
				e.Raw = deflated(e.Data)
			}
			z, err := zipfile.New(backend.Bytes(archiveOf(e).Bytes()), &zipfile.Options{Password: secret, Checks: checks})
			require.NoError(t, err)
			defer z.Close()
			requireFails(t, z.At(0), "method")
			_, err = z.At(0).WriteTo(io.Discard)
			require.ErrorIs(t, err, zipfile.ErrAlgorithm)
		}
	}
}

// Whatever PasswordFunc fails with is an error about the password.
func TestPasswordErrors(t *testing.T) {
	image := archiveOf(sealedEntry("a", []byte("x"), ziptest.Store, 3, 2, 0)).Bytes()
	for _, failure := range []error{zipfile.ErrAlgorithm, zipfile.ErrLimit, errors.New("nobody answers")} {
		z, err := zipfile.New(backend.Bytes(image), &zipfile.Options{PasswordFunc: func(zipfile.Entry) (string, error) { return "", failure }})
		require.NoError(t, err)
		defer z.Close()
		requireFails(t, z.At(0), "password")
		_, err = z.At(0).ReadAll()
		require.ErrorIs(t, err, failure)
		assert.Contains(t, err.Error(), "a: ")
	}
}

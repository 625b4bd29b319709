package crypt

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTools decrypts what tools encrypt now, where they are found.
func TestTools(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args []string // then the archive and the files
	}{
		{"7zz AES128", []string{"7zz", "a", "-tzip", "-mx0", "-p" + secret, "-mem=AES128"}},
		{"7zz AES192", []string{"7zz", "a", "-tzip", "-mx1", "-p" + secret, "-mem=AES192"}},
		{"7zz AES256", []string{"7zz", "a", "-tzip", "-mx0", "-p" + secret, "-mem=AES256"}},
		{"7zz ZipCrypto", []string{"7zz", "a", "-tzip", "-mx1", "-p" + secret, "-mem=ZipCrypto"}},
		{"zip", []string{"zip", "-q", "-P", secret}},
		{"zip -0", []string{"zip", "-q", "-0", "-P", secret}},
		{"bsdtar aes128", []string{"bsdtar", "--options", "zip:encryption=aes128", "--passphrase", secret, "-acf"}},
		{"bsdtar aes256", []string{"bsdtar", "--options", "zip:encryption=aes256", "--passphrase", secret, "-acf"}},
		{"bsdtar zipcrypt", []string{"bsdtar", "--options", "zip:encryption=zipcrypt", "--passphrase", secret, "-acf"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.args[0]); err != nil {
				t.Skipf("%s is not here", c.args[0])
			}
			dir := t.TempDir()
			archive := filepath.Join(dir, "test.zip")
			args := append(c.args[1:len(c.args):len(c.args)], archive)
			for i, size := range sizes {
				name := fmt.Sprintf("%d.bin", i)
				data := append(bytes.Repeat([]byte("again "), size/12), noise(size-size/12*6)...)
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
				args = append(args, name)
			}
			cmd := exec.Command(c.args[0], args...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)

			z, err := zip.OpenReader(archive)
			require.NoError(t, err)
			defer z.Close()
			all, err := os.ReadFile(archive)
			require.NoError(t, err)
			require.Len(t, z.File, len(sizes))
			encrypted := 0
			for _, f := range z.File {
				if f.Flags&1 == 0 { // some do not encrypt nothing
					require.Zero(t, f.UncompressedSize64, f.Name)
					continue
				}
				encrypted++
				offset, err := f.DataOffset()
				require.NoError(t, err)
				want, err := os.ReadFile(filepath.Join(dir, f.Name))
				require.NoError(t, err)
				checkTool(t, &f.FileHeader, all[offset:offset+int64(f.CompressedSize64)], want)
			}
			assert.GreaterOrEqual(t, encrypted, len(sizes)-1)
		})
	}
}

// checkTool decrypts an entry both ways and inflates it.
func checkTool(t *testing.T, f *zip.FileHeader, stored, want []byte) {
	v := vector{tool: f.Name, check: byte(f.CRC32 >> 24)}
	if f.Flags&8 != 0 {
		v.check = byte(f.ModifiedTime >> 8) //lint:ignore SA1019 the field as it is stored
	}
	method := f.Method
	if method == 99 {
		x, err := ParseExtra(field(f.Extra, 0x9901))
		require.NoError(t, err, f.Name)
		v.strength, method = x.Strength, x.Method
		if x.Version == AE2 {
			assert.Zero(t, f.CRC32)
		}
	}
	got, err := v.whole(stored, secret)
	require.NoError(t, err, f.Name)
	r, err := v.open(bytes.NewReader(stored), len(stored), secret)
	require.NoError(t, err, f.Name)
	if method == zip.Deflate {
		got, err = io.ReadAll(flate.NewReader(bytes.NewReader(got)))
		require.NoError(t, err, f.Name)
		require.True(t, bytes.Equal(want, got), f.Name)
		got, err = io.ReadAll(flate.NewReader(r))
		require.NoError(t, err, f.Name)
		if a, ok := r.(*AES); ok {
			require.NoError(t, a.Finish(), f.Name)
		}
		require.True(t, bytes.Equal(want, got), f.Name)
		return
	}
	require.True(t, bytes.Equal(want, got), f.Name)
	got, err = io.ReadAll(r)
	require.NoError(t, err, f.Name)
	require.True(t, bytes.Equal(want, got), f.Name)
}

// field finds the data of an extra field.
func field(extra []byte, id uint16) []byte {
	for len(extra) >= 4 {
		n := 4 + int(binary.LittleEndian.Uint16(extra[2:]))
		if binary.LittleEndian.Uint16(extra) == id {
			return extra[4:n]
		}
		extra = extra[n:]
	}
	return nil
}

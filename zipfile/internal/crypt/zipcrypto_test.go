package crypt

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestZipCryptoSizes(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 2, 1000, 65537} {
		for _, password := range []string{"", "x", secret, strings.Repeat("long", 1000), "\xff\x00\x80"} {
			data := noise(size)
			stored := sealZipCrypto(data, password, 0xa5)
			before := bytes.Clone(stored)

			dst := make([]byte, size+5)
			got, err := DecryptZipCrypto(dst, stored, password, 0xa5)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, got))
			assert.Equal(t, before, stored)
			assert.Equal(t, make([]byte, 5), dst[size:])
			assert.Equal(t, size, cap(got))

			for name, source := range map[string]func(io.Reader) io.Reader{
				"whole": func(r io.Reader) io.Reader { return r },
				"bytes": iotest.OneByteReader, "halves": iotest.HalfReader, "EOF with data": iotest.DataErrReader,
			} {
				z, err := NewZipCrypto(source(bytes.NewReader(stored)), password, 0xa5)
				require.NoError(t, err, name)
				got, err = io.ReadAll(z)
				require.NoError(t, err, name)
				require.True(t, bytes.Equal(data, got), name)
			}

			_, err = DecryptZipCrypto(nil, stored, password, 0xa4)
			assert.Equal(t, ErrPassword, err)
			_, err = NewZipCrypto(bytes.NewReader(stored), password, 0xa4)
			assert.Equal(t, ErrPassword, err)
			_, err = DecryptZipCrypto(nil, stored, "other", 0xa5)
			assert.Equal(t, ErrPassword, err)
			assert.Equal(t, before, stored)

			got, err = DecryptZipCrypto(nil, stored, password, 0xa5)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, got))
		}
	}
}

// TestZipCryptoPasses: about one wrong password in 256 passes, with contents that are wrong.
func TestZipCryptoPasses(t *testing.T) {
	t.Parallel()
	data := noise(100)
	stored := sealZipCrypto(data, secret, 7)
	passed := 0
	for i := range 10000 {
		got, err := DecryptZipCrypto(make([]byte, 100), stored, string(rune(i)), 7)
		if err == nil {
			passed++
			require.NotEqual(t, data, got)
		}
	}
	assert.InDelta(t, 10000/256, passed, 20)
}

func TestZipCryptoCut(t *testing.T) {
	t.Parallel()
	v := vectors()[3]
	stored := v.bytes()
	broken := errors.New("of the source")
	for cut := range stored {
		want, wantErr := vectorText[:max(cut-ZipCryptoOverhead, 0)], error(nil)
		if cut < ZipCryptoOverhead {
			wantErr = io.ErrUnexpectedEOF
		}
		got, err := v.whole(stored[:cut], secret)
		require.Equal(t, wantErr, err)
		require.Equal(t, want, string(got))
		got, err = v.streamed(bytes.NewReader(stored[:cut]), cut, secret)
		require.Equal(t, wantErr, err)
		require.Equal(t, want, string(got))
		got, err = v.streamed(io.MultiReader(bytes.NewReader(stored[:cut]), iotest.ErrReader(broken)), cut, secret)
		require.Equal(t, broken, err)
		require.Equal(t, want, string(got))
	}
	_, err := v.apart(make([]byte, len(vectorText)-1), stored, secret)
	assert.ErrorIs(t, err, io.ErrShortBuffer)
}

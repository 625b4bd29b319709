package crypt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func FuzzParseExtra(f *testing.F) {
	f.Add([]byte("\x02\x00AE\x01\x00\x00"))
	f.Add([]byte("\x01\x00AE\x03\x08\x00"))
	f.Add([]byte("\x01\x00AE\x03\x08"))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := ParseExtra(b)
		if err != nil {
			require.Zero(t, x)
			return
		}
		back := binary.LittleEndian.AppendUint16(nil, x.Version)
		back = append(back, 'A', 'E', x.Strength)
		require.Equal(t, b, binary.LittleEndian.AppendUint16(back, x.Method))
		require.NotZero(t, Overhead(x.Strength))
	})
}

// FuzzAES: what was encrypted comes back in each way, whatever the pieces; and a byte that was
// changed is found.
func FuzzAES(f *testing.F) {
	f.Add([]byte(vectorText), secret, byte(1), uint16(0), byte(0), uint64(1))
	f.Add([]byte(nil), "", byte(2), uint16(20), byte(1), uint64(2))
	f.Add(noise(3000), "\xff", byte(3), uint16(2000), byte(0x80), uint64(3))
	f.Add(noise(100), secret, byte(0), uint16(3), byte(4), uint64(4))
	f.Fuzz(func(t *testing.T, data []byte, password string, strength byte, at uint16, change byte, seed uint64) {
		strength = strength%3 + 1
		stored := sealAES(data, strength, password)
		if change != 0 {
			stored[int(at)%len(stored)] ^= change
		}
		whole, wholeErr := DecryptAES(make([]byte, len(data)), stored, strength, password)
		read, readErr := pieces(NewAES(&oddReader{bytes.NewReader(stored), seeded(seed)}, int64(len(stored)), strength, password))(seeded(seed + 1))
		require.Equal(t, wholeErr, readErr)
		a, err := NewAES(bytes.NewReader(stored), int64(len(stored)), strength, password)
		if err == nil { // stop somewhere
			io.CopyN(io.Discard, a, seeded(seed).Int64N(int64(len(data))+1))
			err = a.Finish()
		}
		require.Equal(t, wholeErr, err)
		if change == 0 {
			require.NoError(t, wholeErr)
			require.True(t, bytes.Equal(data, whole))
			require.True(t, bytes.Equal(data, read))
			return
		}
		require.Error(t, wholeErr)
		require.Nil(t, whole)
		assert.True(t, len(read) == 0 || len(read) < len(data))
	})
}

// FuzzAESStored: arbitrary stored bytes, cut or declared shorter than they are, give an error,
// and the same one both ways.
func FuzzAESStored(f *testing.F) {
	for _, v := range vectors()[:3] {
		f.Add(v.bytes(), v.strength, secret, uint16(0))
		f.Add(v.bytes(), v.strength, secret, uint16(1))
		f.Add(v.bytes(), v.strength-1, secret, uint16(0))
	}
	f.Fuzz(func(t *testing.T, stored []byte, strength byte, password string, cut uint16) {
		whole, wholeErr := DecryptAES(nil, bytes.Clone(stored), strength, password)
		read, readErr := pieces(NewAES(bytes.NewReader(stored), int64(len(stored)), strength, password))(seeded(1))
		require.Equal(t, wholeErr, readErr)
		if wholeErr == nil {
			require.True(t, bytes.Equal(whole, read))
		}
		if n := int(cut); n > 0 && n <= len(stored) && keyLen(strength) > 0 && int64(len(stored)) >= Overhead(strength) {
			_, err := pieces(NewAES(bytes.NewReader(stored[:len(stored)-n]), int64(len(stored)), strength, password))(seeded(1))
			require.Contains(t, []error{ErrPassword, io.ErrUnexpectedEOF}, err)
		}
	})
}

func FuzzZipCrypto(f *testing.F) {
	f.Add([]byte(vectorText), secret, byte(7), uint64(1))
	f.Add([]byte(nil), "", byte(0), uint64(2))
	f.Add(noise(3000), "\xff", byte(255), uint64(3))
	f.Fuzz(func(t *testing.T, data []byte, password string, check byte, seed uint64) {
		stored := sealZipCrypto(data, password, check)
		_, err := DecryptZipCrypto(nil, stored, password, check+1)
		require.Equal(t, ErrPassword, err)
		z, err := NewZipCrypto(&oddReader{bytes.NewReader(stored), seeded(seed)}, password, check)
		require.NoError(t, err)
		got, err := io.ReadAll(z)
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, got))
		got, err = DecryptZipCrypto(nil, stored, password, check)
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, got))

		// Arbitrary bytes.
		_, wholeErr := DecryptZipCrypto(make([]byte, len(data)), data, password, check)
		_, readErr := NewZipCrypto(bytes.NewReader(data), password, check)
		require.Equal(t, wholeErr, readErr)
	})
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// oddReader gives pieces of odd sizes, empty ones among them.
type oddReader struct {
	r    io.Reader
	rand *rand.Rand
}

func (o *oddReader) Read(p []byte) (int, error) {
	return o.r.Read(p[:o.rand.IntN(len(p)+1)])
}

// pieces reads all in pieces of odd sizes and calls Finish.
func pieces(a *AES, err error) func(*rand.Rand) ([]byte, error) {
	return func(r *rand.Rand) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		var all []byte
		for p := make([]byte, 1+r.IntN(3*batch)); err == nil; {
			var n int
			n, err = a.Read(p[:1+r.IntN(len(p))])
			all = append(all, p[:n]...)
		}
		end := a.Finish()
		if err == io.EOF {
			return all, end
		}
		if end != err {
			return all, errUnlike
		}
		return all, err
	}
}

var errUnlike = errors.New("Read and Finish differ")

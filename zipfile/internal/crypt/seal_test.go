package crypt

import (
	"crypto/aes"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha1"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const secret = "secret"

// sealAES encrypts as WinZip's document has it, one block after the other.
func sealAES(data []byte, strength byte, password string) []byte {
	n := 8 + 8*int(strength)
	salt := noise(n / 2)
	k, err := pbkdf2.Key(sha1.New, password, salt, 1000, 2*n+2)
	if err != nil {
		panic(err)
	}
	stored := append(salt, k[2*n:]...)
	stored = append(stored, counterMode(data, k[:n], 1)...)
	mac := hmac.New(sha1.New, k[n:2*n])
	mac.Write(stored[n/2+2:])
	return append(stored, mac.Sum(nil)[:10]...)
}

// counterMode is AES with a little-endian counter of 16 bytes that starts at from.
func counterMode(data, key []byte, from uint64) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	var counter, stream [16]byte
	for i := range 8 {
		counter[i] = byte(from >> (8 * i))
	}
	out := make([]byte, len(data))
	for i, c := range data {
		if i%16 == 0 {
			block.Encrypt(stream[:], counter[:])
			for j := range counter {
				if counter[j]++; counter[j] != 0 {
					break
				}
			}
		}
		out[i] = c ^ stream[i%16]
	}
	return out
}

// sealZipCrypto encrypts as APPNOTE 6.1 has it, without tables.
func sealZipCrypto(data []byte, password string, check byte) []byte {
	key := [3]uint32{0x12345678, 0x23456789, 0x34567890}
	step := func(crc uint32, b byte) uint32 {
		crc ^= uint32(b)
		for range 8 {
			crc = crc>>1 ^ 0xedb88320*(crc&1)
		}
		return crc
	}
	update := func(b byte) {
		key[0] = step(key[0], b)
		key[1] = (key[1]+key[0]&0xff)*134775813 + 1
		key[2] = step(key[2], byte(key[1]>>24))
	}
	for _, b := range []byte(password) {
		update(b)
	}
	plain := append(noise(11), check)
	plain = append(plain, data...)
	out := make([]byte, len(plain))
	for i, b := range plain {
		t := uint16(key[2] | 2)
		out[i] = b ^ byte(t*(t^1)>>8)
		update(b)
	}
	return out
}

// noise gives the same n bytes each time.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16)}).Read(b)
	return b
}

// vector is an entry that a tool made of the text in vectorText, stored, with the password
// "secret".
type vector struct {
	tool, stored string
	strength     byte // 0: ZipCrypto
	check        byte
}

const vectorText = "twenty-one bytes here"

func vectors() []vector {
	return []vector{
		{"7-Zip 26.02 -mem=AES128", "235dfa2791b63354d95c8be391cb4af6839bf5af5cb9ec98c5f668ae092850e979cd36d020aeac7464", 1, 0},
		{"7-Zip 26.02 -mem=AES192", "732823ce6cffe96d2f6575de316cbc0ce1ccd5466b85430c240da2de95c1286862d28a88ac41cbb2290d81da55", 2, 0},
		{"7-Zip 26.02 -mem=AES256", "f95c0d3a24d43e940a42d5dbc58c8239e423270d6d4670c260649c6cc877add628b55e3e72ac87fbfc78625a6d6200bd18", 3, 0},
		{"7-Zip 26.02 -mem=ZipCrypto", "8094ce4797fad09d22e08c662da0d1e76d3fa535665d9be16ee2333ba369767e74", 0, 0x23},
		{"Info-ZIP 3.0 -P, flag bit 3", "38b83652abfcc0c44ea5ae21b52597abddf3e8d52be4df61874b668a9b858e8a91", 0, 0x71},
	}
}

func (v vector) bytes() []byte {
	b, err := hex.DecodeString(v.stored)
	if err != nil {
		panic(err)
	}
	return b
}

// whole decrypts a copy in place; apart decrypts to another buffer; streamed reads a stream.
func (v vector) whole(stored []byte, password string) ([]byte, error) {
	stored = append([]byte(nil), stored...)
	if v.strength == 0 {
		return DecryptZipCrypto(nil, stored, password, v.check)
	}
	return DecryptAES(nil, stored, v.strength, password)
}

func (v vector) apart(dst, stored []byte, password string) ([]byte, error) {
	if v.strength == 0 {
		return DecryptZipCrypto(dst, stored, password, v.check)
	}
	return DecryptAES(dst, stored, v.strength, password)
}

func (v vector) open(r io.Reader, size int, password string) (io.Reader, error) {
	if v.strength == 0 {
		z, err := NewZipCrypto(r, password, v.check)
		if err != nil {
			return nil, err // not a nil *ZipCrypto
		}
		return z, nil
	}
	a, err := NewAES(r, int64(size), v.strength, password)
	if err != nil {
		return nil, err
	}
	return a, nil
}

func (v vector) streamed(r io.Reader, size int, password string) ([]byte, error) {
	s, err := v.open(r, size, password)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(s)
}

func TestVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors() {
		t.Run(v.tool, func(t *testing.T) {
			t.Parallel()
			stored := v.bytes()
			got, err := v.whole(stored, secret)
			require.NoError(t, err)
			assert.Equal(t, vectorText, string(got))
			got, err = v.apart(make([]byte, len(vectorText)), stored, secret)
			require.NoError(t, err)
			assert.Equal(t, vectorText, string(got))
			assert.Equal(t, v.bytes(), stored)
			got, err = v.streamed(strings.NewReader(string(stored)), len(stored), secret)
			require.NoError(t, err)
			assert.Equal(t, vectorText, string(got))

			for _, wrong := range []string{"", "Secret", "secret1", strings.Repeat("long", 100)} {
				_, err = v.whole(stored, wrong)
				assert.ErrorIs(t, err, ErrPassword, wrong)
				_, err = v.streamed(strings.NewReader(string(stored)), len(stored), wrong)
				assert.ErrorIs(t, err, ErrPassword, wrong)
			}
		})
	}
}

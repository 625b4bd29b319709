package crypt

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

// These count allocations, so they run alone.
func skipUnderRace(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
}

// TestAllocsOfAES: an entry takes the same few allocations however long it is, most of them in
// crypto/pbkdf2 and crypto/hmac, which may change with Go; a second goroutine takes a few more.
func TestAllocsOfAES(t *testing.T) {
	skipUnderRace(t)
	const most = 24
	allocs := func(size int) float64 {
		stored, dst := sealAES(noise(size), 3, secret), make([]byte, size)
		return testing.AllocsPerRun(5, func() {
			if _, err := DecryptAES(dst, stored, 3, secret); err != nil {
				t.Error(err)
			}
		})
	}
	small := allocs(0)
	assert.LessOrEqual(t, small, float64(most))
	assert.Equal(t, small, allocs(100<<10))
	assert.LessOrEqual(t, allocs(sharedLen), small+6)

	stored, p := sealAES(noise(100<<10), 3, secret), make([]byte, 1000)
	r := bytes.NewReader(nil)
	assert.LessOrEqual(t, testing.AllocsPerRun(5, func() {
		r.Reset(stored)
		a, err := NewAES(r, int64(len(stored)), 3, secret)
		for err == nil {
			_, err = a.Read(p)
		}
	}), small+2)
}

func TestAllocsOfZipCrypto(t *testing.T) {
	skipUnderRace(t)
	stored := sealZipCrypto(noise(1000), secret, 1)
	dst := make([]byte, 1000)
	assert.Zero(t, testing.AllocsPerRun(20, func() { DecryptZipCrypto(dst, stored, secret, 1) }))
	r := bytes.NewReader(nil)
	assert.EqualValues(t, 1, testing.AllocsPerRun(20, func() {
		r.Reset(stored)
		z, err := NewZipCrypto(r, secret, 1)
		for err == nil {
			_, err = z.Read(dst)
		}
	}))
}

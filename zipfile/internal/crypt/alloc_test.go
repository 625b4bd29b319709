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

func TestAllocsOfAES(t *testing.T) {
	skipUnderRace(t)
	const most = 0
	stored := sealAES(noise(100<<10), 3, secret)
	dst := make([]byte, 100<<10)
	allocs := func(dst, stored []byte) float64 {
		return testing.AllocsPerRun(5, func() {
			if _, err := DecryptAES(dst, stored, 3, secret); err != nil {
				t.Error(err)
			}
		})
	}
	n := allocs(dst, stored)
	t.Log(n)
	assert.LessOrEqual(t, n, 30.0)
	assert.Equal(t, n, allocs(dst, sealAES(nil, 3, secret)))

	r := bytes.NewReader(nil)
	n = testing.AllocsPerRun(5, func() {
		r.Reset(stored)
		a, err := NewAES(r, int64(len(stored)), 3, secret)
		for err == nil {
			_, err = a.Read(dst[:1000])
		}
	})
	t.Log(n)
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

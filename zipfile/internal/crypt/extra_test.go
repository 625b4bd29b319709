package crypt

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseExtra(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, field string
		want        Extra
		err         error
	}{
		{"AE-2, 128 bits, stored, by 7-Zip", "\x02\x00AE\x01\x00\x00", Extra{AE2, 1, 0}, nil},
		{"AE-1, 256 bits, deflated, by libarchive", "\x01\x00AE\x03\x08\x00", Extra{AE1, 3, 8}, nil},
		{"192 bits, method of two bytes", "\x02\x00AE\x02\x34\x12", Extra{AE2, 2, 0x1234}, nil},
		{"empty", "", Extra{}, ErrExtraLength},
		{"6 bytes", "\x02\x00AE\x01\x00", Extra{}, ErrExtraLength},
		{"8 bytes", "\x02\x00AE\x01\x00\x00\x00", Extra{}, ErrExtraLength},
		{"vendor EA", "\x02\x00EA\x01\x00\x00", Extra{}, ErrVendor},
		{"version 0", "\x00\x00AE\x01\x00\x00", Extra{}, ErrVersion},
		{"version 3", "\x03\x00AE\x01\x00\x00", Extra{}, ErrVersion},
		{"version 257", "\x01\x01AE\x01\x00\x00", Extra{}, ErrVersion},
		{"strength 0", "\x02\x00AE\x00\x00\x00", Extra{}, ErrStrength},
		{"strength 4", "\x02\x00AE\x04\x00\x00", Extra{}, ErrStrength},
		{"strength 255", "\x02\x00AE\xff\x00\x00", Extra{}, ErrStrength},
	} {
		got, err := ParseExtra([]byte(c.field))
		assert.ErrorIs(t, err, c.err, c.name)
		assert.Equal(t, c.want, got, c.name)
	}
}

func TestOverhead(t *testing.T) {
	t.Parallel()
	assert.EqualValues(t, 20, Overhead(1))
	assert.EqualValues(t, 24, Overhead(2))
	assert.EqualValues(t, 28, Overhead(3))
	assert.Zero(t, Overhead(0))
	assert.Zero(t, Overhead(4))
}

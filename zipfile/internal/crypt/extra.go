package crypt

import "encoding/binary"

const (
	extraLen  = 7
	vendorAE  = 'A' | 'E'<<8
	verifyLen = 2  // of the password verification value, in bytes
	codeLen   = 10 // of the authentication code, HMAC-SHA1-80
)

// The vendor versions of Extra.
const (
	AE1 = 1 // the header has the CRC-32 of the contents
	AE2 = 2 // the header has 0 in its place, and only the authentication code tells damage
)

// Extra is what extra field 0x9901 says. An entry that has it states method 99.
type Extra struct {
	Version  uint16 // AE1 or AE2
	Strength byte   // 1, 2, 3: keys of 128, 192, 256 bits
	Method   uint16 // how the contents are compressed
}

// ParseExtra reads the data of extra field 0x9901, without its id and length. It fails with
// ErrExtraLength, ErrVendor, ErrVersion or ErrStrength. Any method passes.
func ParseExtra(b []byte) (Extra, error) {
	if len(b) != extraLen {
		return Extra{}, ErrExtraLength
	}
	x := Extra{binary.LittleEndian.Uint16(b), b[4], binary.LittleEndian.Uint16(b[5:])}
	switch {
	case binary.LittleEndian.Uint16(b[2:]) != vendorAE:
		return Extra{}, ErrVendor
	case x.Version != AE1 && x.Version != AE2:
		return Extra{}, ErrVersion
	case keyLen(x.Strength) == 0:
		return Extra{}, ErrStrength
	}
	return x, nil
}

// keyLen returns the length of the key in bytes, 0 for an unknown strength. The salt is half as
// long.
func keyLen(strength byte) int {
	if strength < 1 || strength > 3 {
		return 0
	}
	return 8 + 8*int(strength)
}

// Overhead returns by how many bytes an entry encrypted by AES is longer than what was
// encrypted: salt, password verification value and authentication code; 0 for an unknown
// strength.
func Overhead(strength byte) int64 {
	n := keyLen(strength)
	if n == 0 {
		return 0
	}
	return int64(n/2 + verifyLen + codeLen)
}

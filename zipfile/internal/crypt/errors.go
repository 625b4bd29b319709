package crypt

import "errors"

var (
	// ErrPassword: the password is not the one that the entry was encrypted with, or the bytes
	// that tell are damaged: salt and verification value of AES, the header of ZipCrypto.
	ErrPassword = errors.New("wrong password")
	// ErrAuth: the ciphertext, or its authentication code, is not what was written; or, once in
	// 65536, the password is wrong.
	ErrAuth = errors.New("authentication code does not match")
	// ErrShort: the stored bytes have no room for what comes before and after the ciphertext.
	ErrShort = errors.New("encrypted data are too short")

	// ErrExtraLength: extra field 0x9901 is not 7 bytes long.
	ErrExtraLength = errors.New("AES extra field is not 7 bytes long")
	// ErrVendor: the vendor is not "AE".
	ErrVendor = errors.New("unknown vendor of AES encryption")
	// ErrVersion: neither AE-1 nor AE-2.
	ErrVersion = errors.New("unknown version of AES encryption")
	// ErrStrength: neither 128 nor 192 nor 256 bits.
	ErrStrength = errors.New("unknown strength of AES encryption")
)

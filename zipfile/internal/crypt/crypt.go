// Package crypt decrypts entries of zip archives: traditional PKWARE encryption (APPNOTE 6.1),
// and AES as WinZip brought it (AE-1 and AE-2 with keys of 128, 192 and 256 bits,
// https://www.winzip.com/en/support/aes-encryption/).
//
// Each is there as a stream and for an entry that is in memory as a whole:
//
//	x, err := crypt.ParseExtra(field) // of extra field 0x9901
//	if err != nil {
//		return err
//	}
//	a, err := crypt.NewAES(r, compressedSize, x.Strength, password)
//	if err != nil {
//		return err // ErrPassword, most of the time
//	}
//	if err := decompress(dst, a, x.Method); err != nil {
//		return err
//	}
//	return a.Finish()
//
// A password is bytes: which encoding its writer used, the caller has to know or try. The
// package keeps neither passwords nor keys beyond the entry that they are for. A cache would save
// nothing: PBKDF2 takes most of a small entry's time, up to 1 ms, and depends on a salt that
// every entry has of its own.
//
// What the two promise differs. The authentication code of AES covers the ciphertext: data
// that end with io.EOF are those that were encrypted with the password. It does not cover names,
// sizes, the method or the CRC-32. Traditional encryption has no such code and is broken since
// 1994 (Biham and Kocher, A Known Plaintext Attack on the PKZIP Stream Cipher); all that tells a
// wrong password is one byte, and after that what the decompressor and the CRC-32 say.
package crypt

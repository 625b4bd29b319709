package ziptest

import (
	"crypto/aes"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha1"
	"hash/crc32"
)

// EncryptZipCrypto encrypts compressed data in PKWARE's traditional way (APPNOTE 6.1), for Raw
// of an entry with FlagEncrypted. check is the high byte of the contents' CRC-32, or with
// FlagDescriptor that of the time.
func EncryptZipCrypto(data []byte, password string, check byte) []byte {
	k0, k1, k2 := uint32(0x12345678), uint32(0x23456789), uint32(0x34567890)
	step := func(k uint32, c byte) uint32 { return crc32.IEEETable[byte(k)^c] ^ k>>8 }
	update := func(c byte) {
		k0 = step(k0, c)
		k1 = (k1+uint32(byte(k0)))*134775813 + 1
		k2 = step(k2, byte(k1>>24))
	}
	for _, c := range []byte(password) {
		update(c)
	}
	plain := append([]byte("eleven byte"), check)
	plain = append(plain, data...)
	sealed := make([]byte, len(plain))
	for i, c := range plain {
		t := uint16(k2) | 2
		sealed[i] = c ^ byte(t*(t^1)>>8)
		update(c)
	}
	return sealed
}

// EncryptAES encrypts compressed data in WinZip's way, for Raw of an entry of method 99 with
// FlagEncrypted and an [AES] field of the same strength. The salt is always the same.
func EncryptAES(data []byte, password string, strength byte) []byte {
	keyLen := 8 + 8*int(strength)
	salt := []byte("salt of 16 bytes")[:keyLen/2]
	keys, err := pbkdf2.Key(sha1.New, password, salt, 1000, 2*keyLen+2)
	if err != nil {
		panic(err)
	}
	block, err := aes.NewCipher(keys[:keyLen])
	if err != nil {
		panic(err)
	}
	body := make([]byte, len(data))
	var counter, key [aes.BlockSize]byte
	for i, c := range data {
		if i%aes.BlockSize == 0 {
			for j := range counter { // counts from 1, lowest byte first
				if counter[j]++; counter[j] != 0 {
					break
				}
			}
			block.Encrypt(key[:], counter[:])
		}
		body[i] = c ^ key[i%aes.BlockSize]
	}
	mac := hmac.New(sha1.New, keys[keyLen:2*keyLen])
	mac.Write(body)
	sealed := append(append([]byte(nil), salt...), keys[2*keyLen:]...)
	return append(append(sealed, body...), mac.Sum(nil)[:10]...)
}

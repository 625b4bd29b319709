package crypt

import (
	"hash/crc32"
	"io"
)

// ZipCryptoOverhead is by how many bytes an entry with traditional encryption is longer than
// what was encrypted: the header in front of it.
const ZipCryptoOverhead = 12

// ZipCrypto is a stream with traditional PKWARE encryption (APPNOTE 6.1). It is for one
// goroutine at a time.
type ZipCrypto struct {
	r    io.Reader
	keys keys
	head [ZipCryptoOverhead]byte
}

// NewZipCrypto reads the header of an entry from r, whose bytes end with those of the entry.
//
// The last byte of the header must be check: the high byte of the CRC-32 or, where flag bit 3
// says that the CRC-32 follows the data, of the time in the local file header. Old writers have
// two such bytes; what is in the other one now is random. NewZipCrypto fails with ErrPassword
// when it differs; one wrong password in 256 passes. It fails with io.ErrUnexpectedEOF when r
// ends within the header.
func NewZipCrypto(r io.Reader, password string, check byte) (*ZipCrypto, error) {
	z := &ZipCrypto{r: r}
	if err := readFull(r, z.head[:]); err != nil {
		return nil, err
	}
	if !z.keys.open(&z.head, password, check) {
		return nil, ErrPassword
	}
	return z, nil
}

// Read decrypts what one Read of the source gives, and returns the source's error as it is.
func (z *ZipCrypto) Read(p []byte) (int, error) {
	n, err := z.r.Read(p)
	z.keys.decrypt(p[:n], p[:n])
	return n, err
}

// DecryptZipCrypto decrypts all stored bytes of an entry, header included, and returns what was
// encrypted: in dst or, when dst is nil, in place. Otherwise dst and stored must not overlap. It
// allocates nothing. The errors are those of NewZipCrypto and, when dst has no room,
// io.ErrShortBuffer; with any of them both buffers are as before.
func DecryptZipCrypto(dst, stored []byte, password string, check byte) ([]byte, error) {
	if len(stored) < ZipCryptoOverhead {
		return nil, io.ErrUnexpectedEOF
	}
	head, body := [ZipCryptoOverhead]byte(stored), stored[ZipCryptoOverhead:]
	if dst == nil {
		dst = body
	}
	if len(dst) < len(body) {
		return nil, io.ErrShortBuffer
	}
	var k keys
	if !k.open(&head, password, check) {
		return nil, ErrPassword
	}
	k.decrypt(dst, body)
	return dst[:len(body):len(body)], nil
}

// keys is the state of the cipher (APPNOTE 6.1.5).
type keys struct{ k0, k1, k2 uint32 }

const multiplier = 134775813

// open takes the password and the header, which it overwrites.
func (k *keys) open(head *[ZipCryptoOverhead]byte, password string, check byte) bool {
	t := crc32.IEEETable
	*k = keys{0x12345678, 0x23456789, 0x34567890}
	for i := range len(password) {
		k.k0 = t[byte(k.k0)^password[i]] ^ k.k0>>8
		k.k1 = (k.k1+k.k0&0xff)*multiplier + 1
		k.k2 = t[byte(k.k2)^byte(k.k1>>24)] ^ k.k2>>8
	}
	k.decrypt(head[:], head[:])
	return head[len(head)-1] == check
}

// decrypt decrypts src to dst, which are the same bytes or apart. Every byte depends on the one
// before through all three keys, and what counts is the length of that chain: two loads and two
// multiplications. So all else is computed beside it: product is what of k1 does not wait for k0.
func (k *keys) decrypt(dst, src []byte) {
	t := crc32.IEEETable
	k0, k1, k2 := k.k0, k.k1, k.k2
	product := k1*multiplier + 1
	dst = dst[:len(src)]
	for i, c := range src {
		x := byte(k0) ^ c
		s := byte((k2 | 2) * (k2 ^ 1 | 2) >> 8)
		dst[i] = c ^ s
		high := k0 >> 8
		k0 = t[x^s] ^ high
		k1 = product + k0&0xff*multiplier
		product = k1*multiplier + 1
		k2 = t[byte(k2)^byte(k1>>24)] ^ k2>>8
	}
	k.k0, k.k1, k.k2 = k0, k1, k2
}

// readFull is io.ReadFull for bytes that have to be there.
func readFull(r io.Reader, p []byte) error {
	_, err := io.ReadFull(r, p)
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

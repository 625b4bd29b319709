package crypt

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/binary"
	"hash"
	"runtime"
)

const (
	iterations = 1000      // of PBKDF2
	batch      = 1 << 10   // bytes of the key stream that are made at a time
	share      = 16 << 10  // bytes that one goroutine takes at a time
	sharedLen  = 512 << 10 // from where a second goroutine is worth it, in bytes
)

// sealed decrypts and authenticates one entry.
type sealed struct {
	block cipher.Block
	mac   hash.Hash
	pos   int64 // in the ciphertext
	code  [sha1.Size]byte
	lanes [2]keyStream
}

// unseal derives the keys from the password and head, which is salt and password verification
// value, and compares that value. The key has n bytes.
func unseal(head []byte, n int, password string) (*sealed, error) {
	salt, verify := head[:n/2], head[n/2:]
	k, err := pbkdf2.Key(sha1.New, password, salt, iterations, 2*n+verifyLen)
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare(k[2*n:], verify) == 0 {
		return nil, ErrPassword
	}
	s := &sealed{mac: hmac.New(sha1.New, k[n:2*n])}
	s.block, err = aes.NewCipher(k[:n])
	return s, err
}

// decrypt takes the next bytes of the ciphertext, src, and decrypts them to dst, which are the
// same bytes or apart.
func (s *sealed) decrypt(dst, src []byte) {
	if len(src) >= sharedLen && runtime.GOMAXPROCS(0) > 1 {
		s.shared(dst, src)
	} else {
		s.alone(dst, src)
	}
	s.pos += int64(len(src))
}

// alone is decrypt in one goroutine.
func (s *sealed) alone(dst, src []byte) {
	for from := 0; from < len(src); from += share {
		to := min(from+share, len(src))
		s.mac.Write(src[from:to])
		s.lanes[0].xor(s.block, dst[from:to], src[from:to], s.pos+int64(from))
	}
}

// shared is decrypt in two goroutines. HMAC is one chain over all bytes, while each block of the
// key stream is by itself. So the first goes on here, and what it is through with is decrypted
// by another goroutine, until HMAC is done and the rest is for both. In place no other order
// would do.
func (s *sealed) shared(dst, src []byte) {
	shares := make(chan int, len(src)/share+1)
	work := func(k *keyStream) {
		for from := range shares {
			to := min(from+share, len(src))
			k.xor(s.block, dst[from:to], src[from:to], s.pos+int64(from))
		}
	}
	done := make(chan struct{})
	go func() {
		work(&s.lanes[1])
		close(done)
	}()
	// Few steps, as each may have to wake the other goroutine.
	step := max(len(src)/16&^(share-1), share)
	for from := 0; from < len(src); {
		to := min(from+step, len(src))
		s.mac.Write(src[from:to])
		for ; from < to; from += share {
			shares <- from
		}
	}
	close(shares)
	work(&s.lanes[0])
	<-done
}

// verify reports whether the ciphertext has this authentication code.
func (s *sealed) verify(code []byte) bool {
	var sum [sha1.Size]byte
	return hmac.Equal(s.mac.Sum(sum[:0])[:codeLen], code)
}

// keyStream is what AES in counter mode adds to the ciphertext, from the position from up to to.
//
// The counter is little-endian and starts at 1, so cipher.NewCTR, which counts in the last
// byte, is of no use. Block.Encrypt takes blocks one by one, but the processor overlaps calls
// that do not wait for each other; all counters of a batch are written before, since AES loads
// 16 bytes at once and a load of what two stores just wrote would wait for them.
type keyStream struct {
	from, to int64
	counters [batch]byte
	stream   [batch]byte
}

// xor decrypts src, which lies at pos in the ciphertext, to dst.
func (k *keyStream) xor(block cipher.Block, dst, src []byte, pos int64) {
	for len(src) > 0 {
		if pos < k.from || pos >= k.to {
			k.fill(block, pos, len(src))
		}
		n := subtle.XORBytes(dst, src, k.stream[pos-k.from:k.to-k.from])
		dst, src, pos = dst[n:], src[n:], pos+int64(n)
	}
}

// fill makes the key stream from pos on, for up to n bytes.
func (k *keyStream) fill(block cipher.Block, pos int64, n int) {
	first := pos / aes.BlockSize
	skip := int(pos % aes.BlockSize)
	size := (min(skip+min(n, batch), batch) + aes.BlockSize - 1) &^ (aes.BlockSize - 1)
	k.from = first * aes.BlockSize
	k.to = k.from + int64(size)
	// The upper half of a counter stays 0, as no entry has 2^64 blocks.
	for i := 0; i < size; i += aes.BlockSize {
		first++
		binary.LittleEndian.PutUint64(k.counters[i:i+8], uint64(first))
	}
	for i := 0; i < size; i += aes.BlockSize {
		block.Encrypt(k.stream[i:i+aes.BlockSize], k.counters[i:i+aes.BlockSize])
	}
}

package crypt

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha1"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkAESRatio runs what DecryptAES does behind the derivation of the keys, and the standard
// library's counter mode and HMAC over the same bytes, in turns. It reports medians: the speed of
// both sides, and how many times the speed of the standard library this one has, as it is
// (vs-std) and with one goroutine (one-vs-std).
func BenchmarkAESRatio(b *testing.B) {
	for _, bits := range []int{128, 256} {
		for _, size := range []int{16 << 10, 512 << 10, 1 << 20, 4 << 20} {
			b.Run(fmt.Sprintf("bits=%d/size=%d", bits, size), func(b *testing.B) {
				data, key, iv := make([]byte, size), make([]byte, bits/8), make([]byte, aes.BlockSize)
				block, err := aes.NewCipher(key)
				require.NoError(b, err)
				s := &sealed{block: block, mac: hmac.New(sha1.New, key)}
				code := make([]byte, codeLen)
				sides := []func(){
					func() {
						mac := hmac.New(sha1.New, key)
						mac.Write(data)
						hmac.Equal(mac.Sum(nil)[:codeLen], code)
						cipher.NewCTR(block, iv).XORKeyStream(data, data)
					},
					func() {
						s.pos = 0
						s.mac.Reset()
						s.decrypt(data, data)
						s.verify(code)
					},
					func() {
						s.pos = 0
						s.mac.Reset()
						s.alone(data, data)
						s.verify(code)
					},
				}
				times := make([][]time.Duration, len(sides))
				for b.Loop() {
					for i, f := range sides {
						start := time.Now()
						f()
						times[i] = append(times[i], time.Since(start))
					}
				}
				speed := make([]float64, len(sides))
				for i, t := range times {
					slices.Sort(t)
					speed[i] = float64(size) / 1e6 / t[len(t)/2].Seconds()
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(speed[0], "std-MB/s")
				b.ReportMetric(speed[1], "aes-MB/s")
				b.ReportMetric(speed[1]/speed[0], "vs-std")
				b.ReportMetric(speed[2]/speed[0], "one-vs-std")
			})
		}
	}
}

// BenchmarkKeys is the derivation of the keys, for each entry.
func BenchmarkKeys(b *testing.B) {
	for strength := byte(1); strength <= 3; strength++ {
		b.Run(fmt.Sprintf("bits=%d", 64+64*int(strength)), func(b *testing.B) {
			stored := sealAES(nil, strength, secret)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := DecryptAES(nil, stored, strength, secret); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkZipCrypto(b *testing.B) {
	data := make([]byte, 1<<20)
	var k keys
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		k.decrypt(data, data)
	}
}

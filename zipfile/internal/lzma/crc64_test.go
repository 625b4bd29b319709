package lzma

import (
	"fmt"
	"hash/crc64"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCRC64(t *testing.T) {
	t.Parallel()
	p := code(filterX86, 70000)
	tab := crc64.MakeTable(crc64.ECMA)
	for _, n := range []int{0, 1, 7, 8, 9, crcHalf, 2*crcHalf - 1, 2 * crcHalf, 2*crcHalf + 1, 70000} {
		for _, from := range []uint64{0, 1, 0x123456789abcdef0, 1<<64 - 1} {
			require.Equal(t, crc64.Update(from, tab, p[:n]), crc64Table().update(from, p[:n]), n)
		}
	}
	h := &ecma64{t: crc64Table()}
	for i := 0; i < len(p); i += 777 {
		h.Write(p[i:min(i+777, len(p))])
	}
	require.Equal(t, crc64.Checksum(p, tab), h.crc)
}

func BenchmarkCRC64(b *testing.B) {
	p := code(filterX86, chunk)[:chunk]
	for _, who := range []string{"ours", "hash/crc64"} {
		b.Run(fmt.Sprint("by=", who), func(b *testing.B) {
			b.SetBytes(chunk)
			tab := crc64.MakeTable(crc64.ECMA)
			var crc uint64
			for b.Loop() {
				if who == "ours" {
					crc = crc64Table().update(crc, p)
				} else {
					crc = crc64.Update(crc, tab, p)
				}
			}
		})
	}
}

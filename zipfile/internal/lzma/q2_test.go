package lzma

import (
	"archive/zip"
	"fmt"
	"hash/crc32"
	"io"
	"syscall"
	"testing"
)

func TestQX(t *testing.T) {
	for _, f := range []string{"/tmp/xzt/data/text-XZ.zip", "/tmp/xzt/data/bin-XZ.zip"} {
		z, err := zip.OpenReader(f)
		if err != nil {
			t.Skip(err)
		}
		e := z.File[0]
		best := 1e9
		for range 5 {
			raw, _ := e.OpenRaw()
			var u syscall.Rusage
			syscall.Getrusage(0, &u)
			t0 := u.Utime.Nano()
			r := NewXZReader(raw, int64(e.UncompressedSize64), 0)
			h := crc32.NewIEEE()
			n, err := io.Copy(h, r)
			if uint64(n) != e.UncompressedSize64 || err != nil || h.Sum32() != e.CRC32 {
				t.Error(f, n, err, len(r.d.out))
			}
			fmt.Println(r.flags, len(r.d.out), r.Buffered())
			r.Free()
			syscall.Getrusage(0, &u)
			best = min(best, float64(u.Utime.Nano()-t0)/1e6)
		}
		fmt.Println(f[14:17], best)
	}
}

package lzma
import ("testing";"archive/zip";"hash/crc32";"io";"syscall";"fmt";"os";"strings")
func TestQ(t *testing.T) {
	if os.Getenv("Q") == "" { t.Skip() }
	for _, f := range strings.Split(os.Getenv("Q"), ",") {
		z, err := zip.OpenReader(f)
		if err != nil { t.Skip(err) }
		e := z.File[0]
		best := 1e9
		for range 3 {
			raw, _ := e.OpenRaw()
			var u syscall.Rusage
			syscall.Getrusage(0, &u); t0 := u.Utime.Nano()+u.Stime.Nano()
			var r io.Reader
			if e.Method == 14 { r = NewReader(raw, int64(e.UncompressedSize64), e.Flags&2 != 0, 0) } else { r = NewXZReader(raw, int64(e.UncompressedSize64), 0) }
			h := crc32.NewIEEE()
			n, err := io.Copy(h, r)
			if uint64(n) != e.UncompressedSize64 || err != nil || h.Sum32() != e.CRC32 { t.Error(f, n, err) }
			r.(interface{Free()}).Free()
			syscall.Getrusage(0, &u)
			best = min(best, float64(u.Utime.Nano()+u.Stime.Nano()-t0)/1e6)
		}
		fmt.Println(f[strings.LastIndex(f, "/")+1:], best)
	}
}

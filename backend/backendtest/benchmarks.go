package backendtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"zipcat.dev/backend"
)

// RunBenchmarks measures reads of several lengths at random positions of 8 MiB,
// on one goroutine and on GOMAXPROCS of them, and views where they are offered.
func RunBenchmarks(b *testing.B, open OpenFunc) {
	content := pattern(8 << 20)
	be := openFor(b, open, content)
	for _, n := range []int{64, 4 << 10, 64 << 10, 1 << 20} {
		offs := randomOffsets(len(content) - n)
		p := make([]byte, n)
		if _, err := be.ReadAt(p, offs[0]); err != nil || !bytes.Equal(p, content[offs[0]:][:n]) {
			b.Fatalf("read of %d bytes at %d: wrong bytes or error %v", n, offs[0], err)
		}
		b.Run(fmt.Sprintf("op=read/len=%d/readers=1", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := be.ReadAt(p, offs[i%len(offs)]); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("op=read/len=%d/readers=max", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				p := make([]byte, n)
				for i := rand.IntN(len(offs)); pb.Next(); i++ {
					if _, err := be.ReadAt(p, offs[i%len(offs)]); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
		if v, ok := be.(backend.Viewer); ok {
			b.Run(fmt.Sprintf("op=view/len=%d/readers=1", n), func(b *testing.B) {
				b.ReportAllocs()
				sum := 0
				use := func(p []byte) error {
					sum += int(p[len(p)-1])
					return nil
				}
				for i := 0; b.Loop(); i++ {
					if err := v.View(offs[i%len(offs)], n, use); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func randomOffsets(limit int) []int64 {
	r := rand.New(rand.NewPCG(3, 3))
	offs := make([]int64, 1024)
	for i := range offs {
		offs[i] = r.Int64N(int64(limit))
	}
	return offs
}

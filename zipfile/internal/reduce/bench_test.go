package reduce

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

func BenchmarkReader(b *testing.B) {
	for _, factor := range []int{1, 4} {
		for _, s := range []sample{
			{"small", text(2048)}, // PKZIP shrinks what is smaller
			{"text", text(1 << 20)},
			{"binary", binaries(1 << 20)},
			{"noise", noise(1 << 20)},
			{"run", make([]byte, 1<<20)},
		} {
			src := (&encoder{factor: factor}).encode(s.want)
			if out, err := decode(src, len(s.want), factor); err != nil || !bytes.Equal(s.want, out) {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("factor=%d/data=%s", factor, s.name), func(b *testing.B) {
				b.SetBytes(int64(len(s.want)))
				b.ReportAllocs()
				in := bytes.NewReader(nil)
				p := make([]byte, 32<<10)
				for b.Loop() {
					in.Reset(src)
					z := NewReader(in, int64(len(s.want)), factor)
					for {
						if _, err := z.Read(p); err == io.EOF {
							break
						} else if err != nil {
							b.Fatal(err)
						}
					}
					z.Free()
				}
			})
		}
	}
}

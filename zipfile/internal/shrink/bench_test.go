package shrink

import (
	"bytes"
	"io"
	"testing"
)

func BenchmarkReader(b *testing.B) {
	for _, s := range []sample{
		{"small", text(300)},
		{"text", text(1 << 20)},
		{"binary", binaries(1 << 20)},
		{"noise", noise(1 << 20)},
		{"run", make([]byte, 1<<20)},
	} {
		src := encode(s.want)
		if out, err := decode(src, len(s.want)); err != nil || !bytes.Equal(s.want, out) {
			b.Fatal(err)
		}
		b.Run("data="+s.name, func(b *testing.B) {
			b.SetBytes(int64(len(s.want)))
			b.ReportAllocs()
			in := bytes.NewReader(nil)
			p := make([]byte, 32<<10)
			for b.Loop() {
				in.Reset(src)
				z := NewReader(in, int64(len(s.want)))
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
	// The input that gives the least for the most work: clear, over and over.
	b.Run("data=clears", func(b *testing.B) {
		var w bitWriter
		width := uint(minWidth)
		for ; width < maxWidth; width++ {
			w.write(control, width)
			w.write(1, width)
		}
		n := 0
		for range 8000 {
			w.write(uint64(n%251), width)
			n++
		}
		for range 8000 {
			w.write(uint64(n%251), width)
			w.write(control, width)
			w.write(2, width)
			n++
		}
		src := w.bytes()
		b.SetBytes(int64(len(src)))
		for b.Loop() {
			z := NewReader(bytes.NewReader(src), int64(n))
			if m, err := io.Copy(io.Discard, z); err != nil || m != int64(n) {
				b.Fatal(m, err)
			}
			z.Free()
		}
	})
}

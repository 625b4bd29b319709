package bzip2

import (
	"bytes"
	std "compress/bzip2"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkDecode measures this package beside the standard library's.
func BenchmarkDecode(b *testing.B) {
	n := 9 * levelSize / 10 * 9 // some runs get longer
	for _, c := range []struct {
		name  string
		plain []byte
		times int // that the block comes
	}{
		{"prose", prose(n), 3},
		{"records", records(n), 3},
		{"noise", noise(n), 3},
		{"zeros", make([]byte, 30*n), 1},
		{"blocks of 100", prose(100), 1000},
	} {
		src := streamSpec{blocks: []blockSpec{{plain: c.plain}}, times: c.times}.write()
		for _, d := range []struct {
			name string
			open func(r io.Reader) (io.Reader, func())
		}{
			{"this", func(r io.Reader) (io.Reader, func()) { z := NewReader(r); return z, z.Free }},
			{"std", func(r io.Reader) (io.Reader, func()) { return std.NewReader(r), func() {} }},
		} {
			b.Run("data="+c.name+"/decoder="+d.name, func(b *testing.B) {
				buf := make([]byte, 32<<10)
				total := int64(c.times * len(c.plain))
				b.SetBytes(total)
				b.ReportAllocs()
				for b.Loop() {
					r, free := d.open(bytes.NewReader(src))
					got := int64(0)
					for {
						n, err := r.Read(buf)
						got += int64(n)
						if err != nil {
							require.Equal(b, io.EOF, err)
							break
						}
					}
					require.Equal(b, total, got)
					free()
				}
			})
		}
	}
}

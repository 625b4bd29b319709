package lzma

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkReader(b *testing.B) {
	const zeros = 1 + 16000*273
	text := words(4 << 20)
	e := newEncoder(3, 0, 2)
	e.text(text)
	lzma := e.stream(1<<23, true)
	for _, c := range []struct {
		name string
		src  []byte
		n    int
		open func(io.Reader) freer
	}{
		{"lzma/text", lzma, len(text), func(r io.Reader) freer { return NewReader(r, int64(len(text)), true, 0) }},
		{"lzma/zeros", repeated(zeros, 1<<23), zeros, func(r io.Reader) freer { return NewReader(r, zeros, true, 0) }},
		{"xz/zeros", repeatedXZ(zeros, 20), zeros, func(r io.Reader) freer { return NewXZReader(r, zeros, 0) }},
	} {
		b.Run("data="+c.name, func(b *testing.B) { benchmark(b, c.src, c.n, c.open) })
	}
	for _, f := range branchFilters {
		p := code(f.id, 4<<20)
		x := xzStream{blocks: []xzBlock{{dict: 12, filters: []xzFilter{{f.id, nil}}, data: storedLZMA2(p), want: p}}}
		src := x.bytes()
		b.Run(fmt.Sprintf("filter=%s", f.name), func(b *testing.B) {
			benchmark(b, src, len(p), func(r io.Reader) freer { return NewXZReader(r, int64(len(p)), 0) })
		})
	}
}

func benchmark(b *testing.B, src []byte, n int, open func(io.Reader) freer) {
	run := func() int {
		r := open(bytes.NewReader(src))
		defer r.Free()
		got, err := io.Copy(io.Discard, r)
		require.NoError(b, err)
		return int(got)
	}
	require.Equal(b, n, run())
	b.SetBytes(int64(n))
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
}

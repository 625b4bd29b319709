package bzip2

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzDecode holds any input against the reference and compress/bzip2.
func FuzzDecode(f *testing.F) {
	for _, c := range oddCases() {
		if len(c.src) < 1000 {
			f.Add(c.src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) { judge(t, src) })
}

// FuzzBlock writes any bytes, as a block in odd ways, and wants them back.
func FuzzBlock(f *testing.F) {
	f.Add([]byte("xyzzy"), uint64(0), uint16(1))
	f.Add(prose(200), uint64(1), uint16(7))
	f.Add(repeated(300, "n"), uint64(2), uint16(300))
	f.Add(toRuns(repeated(300, "n")), uint64(3), uint16(300))
	f.Add(join(prose(60), noise(100), repeated(9, "nnnno")), uint64(4), uint16(9))
	f.Fuzz(func(t *testing.T, raw []byte, seed uint64, size uint16) {
		if len(raw) == 0 || len(raw) > 3000 || ended(raw) {
			return
		}
		r := rand.New(rand.NewPCG(seed, 7))
		b := blockSpec{raw: raw, random: r.IntN(3) == 0, tables: 2 + r.IntN(5), steps: r.IntN(2)}
		if r.IntN(2) == 0 {
			b.values = allValues()
		} else {
			b.plain, b.raw = fromRuns(raw), nil
		}
		if b.random { // it has other values than raw
			b.values = allValues()
		}
		n := len(b.values)
		if b.values == nil {
			n = len(slices.Compact(slices.Sorted(slices.Values(toRuns(b.plain)))))
		}
		for range b.tables {
			l := even(n + 2)
			if r.IntN(2) == 0 {
				l = stairs(n + 2)
			}
			r.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
			b.lengths = append(b.lengths, l)
		}
		want := b.plain
		if want == nil {
			want = fromRuns(raw)
		}
		src := streamSpec{level: '1', blocks: []blockSpec{b, b}}.write()
		want = join(want, want)
		z := NewReader(&oddReader{src, r, 100, io.EOF})
		require.True(t, bytes.Equal(want, readIn(t, z, 1+int(size))))
		z.Free()
		if !b.random && !goesOn(raw) {
			out, err := decodeStd(src)
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, out))
		}
	})
}

// FuzzWalk undoes the transform of any bytes, which come again and again to make a block that is
// walked from many places.
func FuzzWalk(f *testing.F) {
	f.Add([]byte("banana"), uint32(3), uint8(1), uint8(5))
	f.Add(noise(1000), uint32(100), uint8(40), uint8(2))
	f.Add([]byte{1, 0, 0, 0}, uint32(0), uint8(100), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, origin uint32, times, rounds uint8) {
		if len(data) == 0 || len(data) > 4000 {
			return
		}
		data = bytes.Repeat(data, 1+int(times)%64)
		at := int(origin % uint32(len(data)))
		want := new(refDecoder).inverse(data, at, false)
		z := blockOf(data, at)
		z.link()
		z.mark()
		if z.count > 1 {
			z.walkAll(int(rounds % 20))
		}
		require.True(t, bytes.Equal(want, pieces(z)))
	})
}

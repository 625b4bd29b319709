package bzip2

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Any bytes are those of some transform, perhaps of one whose chain is a part of the block that
// comes again and again: so these tests need no encoder.

// transformed are sorted bytes of many kinds.
func transformed(n int) map[string][]byte {
	r := rand.New(rand.NewPCG(5, uint64(n)))
	runs, ramp, one := make([]byte, n), make([]byte, n), make([]byte, n)
	for i := 0; i < n; {
		c := byte(r.IntN(20))
		for k := 1 + r.IntN(100); k > 0 && i < n; k-- {
			runs[i] = c
			i++
		}
	}
	for i := range ramp {
		ramp[i] = byte(i * 256 / n)
	}
	one[0] = 1 // a single cycle, each place followed by the next
	return map[string][]byte{
		"noise":  noise(n),
		"runs":   runs,
		"ramp":   ramp, // each place followed by itself
		"one":    one,
		"zeros":  make([]byte, n),
		"falls":  slices.Sorted(slices.Values(noise(n))),
		"halves": append(slices.Repeat([]byte{1}, n/2), make([]byte, n-n/2)...), // pairs
		"shift":  append(slices.Repeat([]byte{1}, n/7), make([]byte, n-n/7)...), // places far from each other
	}
}

// blockOf is a Reader behind the codes of a block.
func blockOf(data []byte, origin int) *Reader {
	z := new(Reader)
	z.size, z.origin, z.level = len(data), origin, 9
	z.growData(len(data)+dataSlack, 9*levelSize)
	copy(z.data, data)
	for _, c := range data {
		z.counts[c]++
	}
	return z
}

func pieces(z *Reader) (out []byte) {
	for {
		p := z.piece()
		if len(p) == 0 {
			return out
		}
		out = append(out, p...)
	}
}

func TestWalk(t *testing.T) {
	t.Parallel()
	sizes := []int{1, 2, 3, 255, 1000, walkMin - 1, walkMin, 20011}
	if !raceEnabled {
		sizes = append(sizes, 65536, 300_000)
	}
	for _, n := range sizes {
		for name, data := range transformed(n) {
			t.Run(fmt.Sprint(name, " ", n), func(t *testing.T) {
				t.Parallel()
				for _, origin := range []int{0, n / 3, n - 1} {
					want := new(refDecoder).inverse(data, origin, false)
					z := blockOf(data, origin)
					z.transform()
					require.True(t, slices.Equal(want, pieces(z)))

					// What the rounds do not suffice for is walked when it is given out.
					for rounds := range 3 {
						z := blockOf(data, origin)
						z.link()
						z.mark()
						z.walkAll(rounds)
						require.True(t, slices.Equal(want, pieces(z)))
					}
				}
			})
		}
	}
}

// TestWalkEvenly: blocks of common kinds do not leave much to walk in one lane.
func TestWalkEvenly(t *testing.T) {
	t.Parallel()
	n := 30000
	for _, p := range [][]byte{prose(n), noise(n), records(n)} {
		symbols, origin := sortedBytes(p)
		z := blockOf(symbols, origin)
		z.transform()
		rest := n
		for _, s := range z.sections[:z.count] {
			rest -= int(s.n)
		}
		require.True(t, slices.Equal(p, pieces(z)))
		require.Less(t, rest, n/50)
	}
}

// records are of 20 bytes, most of them the same.
func records(n int) (p []byte) {
	for i := 0; len(p) < n; i++ {
		p = fmt.Appendf(p, "%08d is a number", i)[:20*(i+1)]
	}
	return p[:n]
}

func sortedBytes(p []byte) (data []byte, origin int) {
	for i, at := range sorted(p) {
		if at == 0 {
			origin = i
		}
		data = append(data, p[(at+len(p)-1)%len(p)])
	}
	return data, origin
}

// TestFlips: the places that are inverted, against a counter that goes from byte to byte.
func TestFlips(t *testing.T) {
	t.Parallel()
	want := make([]byte, 900000)
	left, at := 0, 0
	for i := range want {
		if left == 0 {
			left = int(flipDistances[at%512])
			at++
		}
		if left--; left == 1 {
			want[i] = 1
		}
	}
	r := rand.New(rand.NewPCG(6, 6))
	z := new(Reader)
	z.startRuns()
	var got []byte
	zeros := make([]byte, chunkSize)
	for len(got) < len(want) {
		got = append(got, z.flip(zeros[:min(1+r.IntN(chunkSize), len(want)-len(got))])...)
	}
	require.True(t, slices.Equal(want, got))
}

func TestChecksum(t *testing.T) {
	t.Parallel()
	for n := range 200 {
		p := noise(n)
		z := new(Reader)
		z.checksum(p[:n/3])
		z.checksum(p[n/3:])
		got, err := z.endRuns()
		require.NoError(t, err)
		require.Equal(t, crcOf(p), got)
	}
	p := noise(5000)
	z := new(Reader)
	z.checksum(p)
	got, _ := z.endRuns()
	require.Equal(t, crcOf(p), got)
}

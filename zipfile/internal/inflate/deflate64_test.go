//go:build !purego

package inflate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func single64(src []byte, size int) verdict {
	d := Get()
	defer d.Free()
	dst := make([]byte, size)
	used, err := d.Decode64(dst, src)
	if err != nil {
		return verdict{err: err}
	}
	return verdict{dst, used, nil}
}

func streamed64(r io.Reader, most int) verdict {
	d := Get()
	defer d.Free()
	d.Stream64(r)
	out, err := io.ReadAll(io.LimitReader(d, int64(most)+1))
	if err == nil && len(out) > most {
		err = ErrLong
	}
	return verdict{out: out, err: err}
}

// samples64 are streams with what only Deflate64 has: distance codes 30 and 31, and lengths up
// to 65538 by code 285.
func samples64() (all []sample) {
	lit := bytes.Repeat([]uint8{8}, 226)
	lit = append(lit, bytes.Repeat([]uint8{9}, 60)...)
	dist := bytes.Repeat([]uint8{5}, 32)
	add := func(name string, first []byte, ts ...token) {
		var w bitWriter
		for rest := first; len(rest) > 0; {
			n := min(len(rest), 65535)
			w.stored(false, rest[:n])
			rest = rest[n:]
		}
		w.dynamic(true, true, lit, dist, ts...)
		all = append(all, sample{name, w.b, expand(bytes.Clone(first), ts...)})
	}
	m := func(length, dist int) token { return token{length: length, dist: dist} }
	add("no match", nil, literals("text")...)
	add("short matches", []byte("some text"), m(3, 9), m(257, 1), m(257, 7), m(130, 8))
	for _, d := range []int{32768, 32769, 40000, 49152, 49153, 60000, 65535, 65536} {
		add(fmt.Sprintf("distance %d", d), noise(65536), m(3, d), token{literal: 'x'}, m(200, d), m(1000, d))
	}
	for _, length := range []int{258, 259, 260, 300, 1000, 32768, 65535, 65537, 65538} {
		for _, d := range []int{1, 2, 3, 7, 8, 9, 100} {
			add(fmt.Sprintf("length %d, distance %d", length, d), noise(100), m(length, d), token{literal: 'x'}, m(length, d))
		}
		add(fmt.Sprintf("length %d, far", length), noise(65536), m(length, 65536), m(length, 65500), m(length, 40))
	}
	for seed := range uint64(12) {
		src, want := randomStream(300+seed, 1+int(seed), 400, true)
		all = append(all, sample{fmt.Sprintf("random %d", seed), src, want})
	}
	return all
}

func TestDeflate64(t *testing.T) {
	t.Parallel()
	for _, s := range samples64() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			want, used, err := reference(s.src, true, 1<<21)
			require.NoError(t, err)
			require.True(t, bytes.Equal(s.want, want), "the reference")
			require.Equal(t, len(s.src), used, "the reference")

			src := append(bytes.Clone(s.src), 0xff, 0xff, 0xff)
			got := single64(src, len(want))
			require.NoError(t, got.err)
			require.True(t, bytes.Equal(want, got.out))
			assert.Equal(t, used, got.used)
			assert.ErrorIs(t, single64(src, len(want)+1).err, ErrShort)
			for _, less := range []int{1, 2, 100, 257, 258, 65537, 65538, 65539} {
				if less <= len(want) {
					assert.ErrorIs(t, single64(src, len(want)-less).err, ErrLong)
				}
			}
			for _, r := range []io.Reader{bytes.NewReader(src), iotest.OneByteReader(bytes.NewReader(src)), iotest.DataErrReader(bytes.NewReader(src))} {
				got := streamed64(r, len(want))
				require.NoError(t, got.err)
				require.True(t, bytes.Equal(want, got.out))
			}
			for n := range s.src {
				if len(s.src) < sparse(1000) || n%997 == 0 {
					require.Error(t, single64(s.src[:n:n], len(want)).err)
					require.Error(t, single64(s.src[:n], len(want)).err)
				}
			}
		})
	}
}

// TestDeflate64IsNotDeflate: distance codes 30 and 31 are wrong in DEFLATE, and code 285 means
// something else, with the same decoder one after the other and in a fixed block too.
func TestDeflate64IsNotDeflate(t *testing.T) {
	t.Parallel()
	fixed := fixedCoder()
	var narrow, wide, far bitWriter
	narrow.fixed(true, token{literal: 'a'}, token{length: 258, dist: 1})
	wide.bits(1, 1).bits(1, 2)
	wide.tokens(fixed, true, token{literal: 'a'}, token{length: 700, dist: 1})
	far.stored(false, noise(50000))
	far.bits(1, 1).bits(1, 2)
	far.tokens(fixed, true, token{length: 5, dist: 50000})

	d := Get()
	defer d.Free()
	for range 3 {
		dst := make([]byte, 259)
		_, err := d.Decode(dst, narrow.b)
		require.NoError(t, err)
		assert.Equal(t, bytes.Repeat([]byte("a"), 259), dst)
		dst = make([]byte, 701)
		_, err = d.Decode64(dst, wide.b)
		require.NoError(t, err)
		assert.Equal(t, bytes.Repeat([]byte("a"), 701), dst)
		dst = make([]byte, 50005)
		_, err = d.Decode(dst, far.b)
		require.Error(t, err)
		_, err = d.Decode64(dst, far.b)
		require.NoError(t, err)
		assert.Equal(t, append(noise(50000), noise(50000)[:5]...), dst)
	}
}

// TestDeflate64Mutations holds broken streams against the reference.
func TestDeflate64Mutations(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	for _, s := range samples64() {
		if len(s.src) > 600 {
			continue
		}
		for i := range 8 * len(s.src) {
			src := bytes.Clone(s.src)
			src[i/8] ^= 1 << (i % 8)
			if r.IntN(40) > 0 || raceEnabled && i%8 > 0 {
				continue
			}
			want, used, err := reference(src, true, 1<<18)
			if err == errReferenceBig {
				continue
			}
			got := single64(src, len(want))
			stream := streamed64(bytes.NewReader(src), len(want))
			if err != nil {
				require.Error(t, got.err, "%s, bit %d", s.name, i)
				require.Error(t, stream.err, "%s, bit %d", s.name, i)
				continue
			}
			require.NoError(t, got.err, "%s, bit %d", s.name, i)
			require.True(t, bytes.Equal(want, got.out), "%s, bit %d", s.name, i)
			require.Equal(t, used, got.used, "%s, bit %d", s.name, i)
			require.NoError(t, stream.err, "%s, bit %d", s.name, i)
			require.True(t, bytes.Equal(want, stream.out), "%s, bit %d", s.name, i)
		}
	}
}

// TestTools64: streams by the one tool that makes them.
func TestTools64(t *testing.T) {
	t.Parallel()
	zeros := func(n int) []byte { return slices.Concat(bottles(), make([]byte, n), bottles()) }
	for _, c := range []toolStream{
		{"7-Zip, Deflate64, long matches", zeros(70000), "5NU9TsNAFIVRalYxC0AotvPjiNUEYkQU46Bg9g89xdOtz6lnvu7qDZv2elvXefput/f2eZmv7bK09WNqb9M8n+5P7f+Ll7aerlO7LVP7+Wqn5d" +
			"zO98vy93F9fuyPVa8/Rr2x7I1R71D2DlFvX/b2UW9X9nZRb1v2tlFvKHtD1OvLXh/1urLXRb1N2Yv20ZX76I5Rbyx7Y9Q7lL1D1NuXvX3U25W9" +
			"XdTblr1t1BvK3hD1+rLXR72u7HVRb1P2on2U84jWUY4j2kY5jWgZ5TCiXZSziFZRjiLaRDmJ7GJUtWwPVS1awwOPx+PxeDwej8fj8Xg8Ho/H4/" +
			"F4PB6Px+PxeDwej8fj8Xg8Ho/H4/F4PB6Px+PxeDwej8fj8Xg8Ho/H4/F4PB6Px+PxeDwej8fj8Xg8Ho/H4/F4PB6Px+PxeDwej8fj8Xg8Ho/H" +
			"4/F4PB6Px+PxeDwej8fj8Xg8Ho/H4/F4PB6Px+PxeDwej8fj8Xg8Ho/H4/F4PB6Px+PxeDwej8fj8Xg8Ho/H4/F4PB6Px+PxeDwej8fj8Xg8Ho" +
			"/H4/F4PB6Px+PxeDwej8fj/ZZX9zgRw1AUhXtW8RaAUGznV6wmMEZEExI0mP3P9FNc3fp8tX26q4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eH" +
			"h4eHh4eHh4eHh4eHh4eHh4eHZ/GVLj7O1vb6F+dX/Gz7NbYj2neNz7rv6+01nl+8R1uvNc6jxv9vrMclLrfteHxsby95Ub28WL1Z9marN8neZP" +
			"VG2Rut3iB7g9XrZa+3ekX2itXLspetXpK9ZPU62bP2keQ+0mL1Ztmbrd4ke5PVG2VvtHqD7A1Wr5e93uoV2StWL8tetnpJ9pLV62TP2oech7UO" +
			"OQ5rG3Ia1jLkMKxdyFlYq5CjsDYhJ+FdDFXz9qBq1hru"},
		{"7-Zip, Deflate64, far matches", zeros(40000), "5d47TsRAEEVRYlbRC0Bo/PeI1RjGCGuMjQazf8gJSiWRoHPi7pu9vJpTed6PY50/y/5a3pf1WpatHG9zeZnXdbo9lN8vnsoxXeeyb3P5+ijTdi" +
			"mX27L9fDwe7+tz1KvPqd4Y9sZUbwh7Q6rXh70+1evCXpfqtWGvTfWasNekenXYq1O9KuxVqd4p7KX2UYX7qM6p3hj2xlRvCHtDqteHvT7V68Je" +
			"l+q1Ya9N9Zqw16R6ddirU70q7FWp3inspfYRziO1jnAcqW2E00gtIxxGahfhLFKrCEeR2kQ4idQiwkHk9hDVUmu44/F4PB6Px+PxeDwej8fj8X" +
			"g8Ho/H4/F4PB6Px+PxeDwej8fj8Xg8Ho/H4/F4PB6Px+PxeDwej8fj8Xg8Ho/H4/F4PB6Px+PxeDwej8fj8Xg8Ho/H4/F4PB6Px+PxeDwej8fj" +
			"8Xg8Ho/H4/F4PB6Px+PxeDwej8fj8Xg8Ho/H4/F4PB6Px+PxeP8Bf40lf40lf40lf40lf40lf40lf40lf40lf43ln1xj+Q0="},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := c.decoded(t)
			got := single64(src, len(c.want))
			require.NoError(t, got.err)
			require.True(t, bytes.Equal(c.want, got.out))
			assert.Equal(t, len(src), got.used)
			got = streamed64(bytes.NewReader(src), len(c.want))
			require.NoError(t, got.err)
			require.True(t, bytes.Equal(c.want, got.out))
		})
	}
}

func FuzzDecode64(f *testing.F) {
	for _, s := range append(smallSamples(), samples64()...) {
		if len(s.src) < 1000 {
			f.Add(s.src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		want, used, err := reference(src, true, fuzzMost)
		if errors.Is(err, errReferenceBig) {
			return
		}
		got, stream := single64(src, len(want)), streamed64(bytes.NewReader(src), fuzzMost)
		require.Error(t, single64(src, len(want)+1).err)
		if err != nil {
			require.Error(t, got.err)
			require.Error(t, stream.err)
			require.True(t, bytes.HasPrefix(want, stream.out))
			return
		}
		require.Equal(t, verdict{out: got.out, used: used}, got)
		require.True(t, bytes.Equal(want, got.out))
		require.NoError(t, stream.err)
		require.True(t, bytes.Equal(want, stream.out))
	})
}

//go:build !purego

package inflate

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
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

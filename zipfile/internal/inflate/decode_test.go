package inflate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// verdict is what a decoder makes of a stream.
type verdict struct {
	out  []byte
	used int
	err  error
}

func single(src []byte, size int) verdict {
	d := Get()
	defer d.Free()
	dst := make([]byte, size)
	used, err := d.Decode(dst, src)
	if err != nil {
		return verdict{err: err}
	}
	return verdict{dst, used, nil}
}

// paired decodes jobs with a Pair; their tags must be their indices.
func paired(jobs ...Job) []verdict {
	p := GetPair()
	defer p.Free()
	all, next := make([]verdict, len(jobs)), 0
	for i := range all {
		all[i].err = errors.New("never done")
	}
	p.Decode(func() (Job, bool) {
		if next == len(jobs) {
			return Job{}, false
		}
		next++
		return jobs[next-1], true
	}, func(j Job, out []byte, used int, err error) bool {
		if err != nil {
			all[j.Tag] = verdict{err: err}
		} else {
			all[j.Tag] = verdict{bytes.Clone(out), used, nil}
		}
		return true
	})
	return all
}

// streamed decodes at most most bytes, and gives what came before an error too.
func streamed(r io.Reader, most int) verdict {
	d := Get()
	defer d.Free()
	d.Stream(r)
	out, err := io.ReadAll(io.LimitReader(d, int64(most)+1))
	if err == nil && len(out) > most {
		err = ErrLong
	}
	return verdict{out: out, err: err}
}

// ways are the ways to decode a stream whose size is declared.
var ways = map[string]func(src []byte, size int) verdict{
	"single": single,
	"alone":  func(src []byte, size int) verdict { return paired(Job{Src: src, Size: size})[0] },
	"lane a": func(src []byte, size int) verdict { return besides(src, size, 0) },
	"lane b": func(src []byte, size int) verdict { return besides(src, size, 1) },
}

// besides decodes in a lane while a long good stream is in the other.
func besides(src []byte, size, lane int) verdict {
	c := companion()
	jobs := []Job{{Src: c.src, Size: len(c.want), Tag: 0}, {Src: c.src, Size: len(c.want), Tag: 1}}
	jobs[lane].Src, jobs[lane].Size = src, size
	all := paired(jobs...)
	if other := all[1-lane]; other.err != nil || other.used != len(c.src) || !bytes.Equal(other.out, c.want) {
		panic(fmt.Sprintf("the other lane suffers: %v", other.err))
	}
	return all[lane]
}

func companion() sample {
	for _, s := range samples() {
		if s.name == "flate level 6, text" {
			return s
		}
	}
	panic("no companion")
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, s := range append(samples(), hugeSamples()...) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for name, decode := range ways {
				got := decode(s.src, len(s.want))
				require.NoError(t, got.err, name)
				require.True(t, bytes.Equal(s.want, got.out), name)
				assert.Equal(t, len(s.src), got.used, name)
			}
			got := streamed(bytes.NewReader(s.src), len(s.want))
			require.NoError(t, got.err)
			require.True(t, bytes.Equal(s.want, got.out))
		})
	}
}

// TestSamples holds the samples against the two references.
func TestSamples(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		got, used, err := reference(s.src, false, len(s.want))
		require.NoError(t, err, s.name)
		assert.True(t, bytes.Equal(s.want, got), s.name)
		assert.Equal(t, len(s.src), used, s.name)
		got, used, err = flateDecode(s.src, len(s.want))
		require.NoError(t, err, s.name)
		assert.True(t, bytes.Equal(s.want, got), s.name)
		assert.Equal(t, len(s.src), used, s.name)
	}
}

func TestDeclaredSize(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for name, decode := range ways {
				n := len(s.want)
				for _, size := range []int{0, 1, n / 2, n - 300, n - 259, n - 258, n - 257, n - 3, n - 2, n - 1} {
					if size >= 0 && size < n {
						assert.ErrorIs(t, decode(s.src, size).err, ErrLong, "%s, %d of %d", name, size, n)
					}
				}
				for _, size := range []int{n + 1, n + 2, n + 259, n + 70000} {
					assert.ErrorIs(t, decode(s.src, size).err, ErrShort, "%s, %d of %d", name, size, n)
				}
			}
		})
	}
}

// TestSizeNobodyHas declares sizes that no stream can give and no memory holds.
func TestSizeNobodyHas(t *testing.T) {
	t.Parallel()
	const maxInt = int(^uint(0) >> 1)
	src := deflate(6, words(100))
	for _, size := range []int{-1, -256, -257, -258, -700, -maxInt, -maxInt - 1, maxInt, maxInt - 255, maxInt - 256, maxInt - 257, maxInt - 896, maxInt - 897, maxInt - 1000, maxInt/5*4 + 1} {
		all := paired(Job{Src: src, Size: size}, Job{Src: src, Size: 100, Tag: 1}, Job{Src: src, Size: 100, Tag: 2})
		assert.Error(t, all[0].err, size)
		for _, got := range all[1:] {
			require.NoError(t, got.err, size)
			assert.Equal(t, words(100), got.out)
		}
		assert.Error(t, paired(Job{Src: src, Size: size})[0].err, size)
	}
}

// TestTrailingBytes: what is behind the final block is left alone and told.
func TestTrailingBytes(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		for _, n := range []int{1, 7, 8, 9, 100} {
			for _, tail := range [][]byte{make([]byte, n), bytes.Repeat([]byte{0xff}, n), noise(n)} {
				src := append(bytes.Clone(s.src), tail...)
				for name, decode := range ways {
					got := decode(src, len(s.want))
					require.NoError(t, got.err, "%s: %s", s.name, name)
					require.True(t, bytes.Equal(s.want, got.out), "%s: %s", s.name, name)
					require.Equal(t, len(s.src), got.used, "%s: %s", s.name, name)
				}
			}
		}
	}
}

// behind makes an array that goes on behind src with c.
func behind(src []byte, c byte) []byte {
	b := append(bytes.Clone(src), bytes.Repeat([]byte{c}, 100)...)
	return b[:len(src)]
}

// requireCut wants ErrCut. Where the bits that are left are the start of a code, what is in
// errorsOfCut will do; ErrShort, where so few bytes cannot give the size whatever they are.
func requireCut(t *testing.T, err error, n, size int, msg string, args ...any) {
	t.Helper()
	if size > MaxRatio*n && errors.Is(err, ErrShort) || slices.Contains(errorsOfCut, err) {
		return
	}
	require.ErrorIs(t, err, ErrCut, append([]any{msg}, args...)...)
}

// TestTruncation cuts streams everywhere. What is behind the cut, the rest of the stream or
// other bytes, must not make up for it.
func TestTruncation(t *testing.T) {
	t.Parallel()
	for _, s := range smallSamples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			whole := append(bytes.Clone(s.src), make([]byte, 100)...)
			for n := range s.src {
				for name, decode := range ways {
					for i, src := range [][]byte{bytes.Clone(s.src[:n:n]), whole[:n], behind(s.src[:n], 0), behind(s.src[:n], 0xff)} {
						requireCut(t, decode(src, len(s.want)).err, n, len(s.want), "%s, first %d of %d bytes, kind %d", name, n, len(s.src), i)
					}
					require.Error(t, decode(s.src[:n], 0).err, name)
				}
				got := streamed(bytes.NewReader(s.src[:n]), len(s.want))
				require.ErrorIs(t, got.err, ErrCut, "stream, first %d of %d bytes", n, len(s.src))
				require.True(t, bytes.HasPrefix(s.want, got.out), "a stream gives nothing that is not there: first %d of %d bytes", n, len(s.src))
			}
		})
	}
	for _, s := range samples()[len(smallSamples()):] {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(4, 4))
			for range 60 {
				n := r.IntN(len(s.src))
				for name, decode := range ways {
					requireCut(t, decode(s.src[:n], len(s.want)).err, n, len(s.want), "%s, first %d of %d bytes", name, n, len(s.src))
				}
			}
		})
	}
}

// TestCut: where no start of a code is that of an invalid one, as in these streams, nothing but
// ErrCut comes out.
func TestCut(t *testing.T) {
	t.Parallel()
	var fixed, storedOnly bitWriter
	fixed.fixed(true, literals("some text")...)
	storedOnly.stored(true, []byte("some text"))
	for _, src := range [][]byte{fixed.b, storedOnly.b, deflate(6, words(100))} {
		for n := range src {
			for name, decode := range ways {
				assert.ErrorIs(t, decode(src[:n:n], 100).err, ErrCut, "%s, first %d of %d bytes", name, n, len(src))
			}
			assert.ErrorIs(t, streamed(bytes.NewReader(src[:n]), 100).err, ErrCut)
		}
	}
}

// difference is what a decoder that is not of this package makes of a broken stream.
type difference struct {
	accepts bool   // it may accept it
	why     string // and may give more than what comes before the fault
}

// judge holds all ways to decode src against the reference and compress/flate.
func judge(t testing.TB, src []byte, most int, doing string) {
	want, used, err := reference(src, false, most)
	if errors.Is(err, errReferenceBig) {
		return
	}
	differs, odd := differences[err]
	if odd {
		t.Logf("%s: %s", doing, differs.why)
	}
	same, flateUsed, flateErr := flateDecode(src, most)
	if err == nil {
		require.NoError(t, flateErr, doing)
		require.Equal(t, used, flateUsed, doing)
		require.True(t, bytes.Equal(want, same), doing)
	} else {
		require.Error(t, flateErr, doing)
	}
	for name, decode := range ways {
		got := decode(src, len(want))
		if err != nil {
			more := decode(src, len(want)+1)
			if !differs.accepts {
				require.Error(t, got.err, "%s: %s", doing, name)
				require.Error(t, more.err, "%s: %s", doing, name)
			}
			continue
		}
		require.NoError(t, got.err, "%s: %s", doing, name)
		require.True(t, bytes.Equal(want, got.out), "%s: %s", doing, name)
		require.Equal(t, used, got.used, "%s: %s", doing, name)
		require.ErrorIs(t, decode(src, len(want)+1).err, ErrShort, "%s: %s", doing, name)
		if len(want) > 0 {
			require.ErrorIs(t, decode(src, len(want)-1).err, ErrLong, "%s: %s", doing, name)
		}
	}
	compareBlocks(t, src, len(want))
	got := streamed(bytes.NewReader(src), most)
	if err == nil {
		require.NoError(t, got.err, doing)
		require.True(t, bytes.Equal(want, got.out), doing)
		return
	}
	if !differs.accepts {
		require.Error(t, got.err, doing)
	}
	if !odd {
		require.True(t, bytes.HasPrefix(want, got.out), "%s: a stream gives nothing that is not there", doing)
	}
}

// sparse is n, or a tenth of it where everything takes ten times as long.
func sparse(n int) int {
	if raceEnabled || testing.Short() {
		return (n + 9) / 10
	}
	return n
}

// stride is 1, or n where everything takes ten times as long.
func stride(n int) int {
	if raceEnabled || testing.Short() {
		return n
	}
	return 1
}

func TestBitFlips(t *testing.T) {
	t.Parallel()
	for _, s := range smallSamples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			src := bytes.Clone(s.src)
			for i := 0; i < 8*len(src); i += stride(11) {
				src[i/8] ^= 1 << (i % 8)
				judge(t, src, 1<<17, fmt.Sprintf("bit %d", i))
				src[i/8] ^= 1 << (i % 8)
			}
		})
	}
}

func TestStoredBlocks(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 7, 8, 9, 255, 256, 257, 65534, 65535} {
		for _, bitsBefore := range []int{0, 10, 20, 30, 40, 50, 60, 70} {
			p := noise(n)
			var w bitWriter
			for range bitsBefore / 10 {
				w.fixed(false)
			}
			w.stored(false, p)
			w.stored(false, nil)
			w.stored(true, p)
			want := append(bytes.Clone(p), p...)
			for name, decode := range ways {
				got := decode(w.b, len(want))
				require.NoError(t, got.err, name)
				require.True(t, bytes.Equal(want, got.out), name)
				require.Equal(t, len(w.b), got.used, name)
			}
			got := streamed(bytes.NewReader(w.b), len(want))
			require.NoError(t, got.err)
			require.True(t, bytes.Equal(want, got.out))
		}
	}
}

// TestMatches copies with all distances up to 40, and some up to 32 KiB, and all lengths.
func TestMatches(t *testing.T) {
	t.Parallel()
	distances := []int{255, 256, 257, 258, 259, 1000, 4096, 16384, 24577, 32767, 32768}
	for d := 1; d <= 40; d++ {
		distances = append(distances, d)
	}
	for _, dist := range distances {
		t.Run(fmt.Sprintf("distance=%d", dist), func(t *testing.T) {
			t.Parallel()
			var w bitWriter
			start := noise(dist)
			w.stored(false, start)
			var ts []token
			for length := 3; length <= 258; length++ {
				ts = append(ts, token{length: length, dist: dist}, token{literal: byte(length)})
			}
			lit, d := fixedLitlen()[:286], bytes.Repeat([]byte{5}, 30)
			lit[284], lit[285], d[0], d[1] = 7, 7, 4, 4 // the two codes that a fixed block does not use
			w.dynamic(false, false, lit, d, ts...)
			w.fixed(true, ts...)
			want := expand(expand(bytes.Clone(start), ts...), ts...)
			for name, decode := range ways {
				got := decode(w.b, len(want))
				require.NoError(t, got.err, name)
				require.True(t, bytes.Equal(want, got.out), name)
			}
			got := streamed(bytes.NewReader(w.b), len(want))
			require.NoError(t, got.err)
			require.True(t, bytes.Equal(want, got.out))
		})
	}
}

// TestMatchAtTheEnd ends streams with a match, so that one byte less is within it.
func TestMatchAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, dist := range []int{1, 2, 3, 5, 7, 8, 9, 31, 32, 33} {
		for length := 3; length <= 258; length += stride(5) {
			ts := append(literals(string(words(dist))), token{length: length, dist: dist})
			var w bitWriter
			w.fixed(true, ts...)
			want := expand(nil, ts...)
			for name, decode := range ways {
				got := decode(w.b, len(want))
				require.NoError(t, got.err, name)
				require.Equal(t, want, got.out, name)
				require.ErrorIs(t, decode(w.b, len(want)-1).err, ErrLong, name)
				require.ErrorIs(t, decode(w.b, len(want)+1).err, ErrShort, name)
				require.ErrorIs(t, decode(w.b, dist).err, ErrLong, name)
			}
		}
	}
}

// TestTooFar: a distance may reach the first byte and no farther, whatever is before.
func TestTooFar(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 7, 8, 100, 255, 256, 257, 32767} {
		for _, over := range []int{0, 1, 2, 256, 257} {
			if n+over > 32768 || n+over == 0 {
				continue
			}
			var w bitWriter
			w.stored(false, noise(n))
			w.fixed(true, token{length: 10, dist: n + over})
			for name, decode := range ways {
				if err := decode(w.b, n+10).err; over == 0 {
					require.NoError(t, err, name)
				} else {
					require.Error(t, err, "%s: %d bytes, distance %d", name, n, n+over)
				}
			}
			if err := streamed(bytes.NewReader(w.b), n+10).err; over == 0 {
				require.NoError(t, err)
			} else {
				require.Error(t, err, "%d bytes, distance %d", n, n+over)
			}
		}
	}
}

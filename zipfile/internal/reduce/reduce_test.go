package reduce

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func decode(src []byte, size, factor int) ([]byte, error) {
	z := NewReader(bytes.NewReader(src), int64(size), factor)
	defer z.Free()
	return decoded(z, 4096)
}

func encoders(factor int) map[string]*encoder {
	return map[string]*encoder{
		"best":             {factor: factor, zeros: true},
		"no followers":     {factor: factor, size: func(int) int { return 0 }},
		"one follower":     {factor: factor, size: func(int) int { return 1 }},
		"sets of all size": {factor: factor, size: func(last int) int { return last % (maxFollowers + 1) }},
		"no copies":        {factor: factor, plain: true},
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for factor := 1; factor <= 4; factor++ {
		for _, s := range samples() {
			for name, e := range encoders(factor) {
				if len(s.want) > 100_000 && (name != "best" || factor%2 == 1) {
					continue
				}
				t.Run(fmt.Sprintf("factor=%d/%s/%s", factor, s.name, name), func(t *testing.T) {
					t.Parallel()
					src := e.encode(s.want)
					for name, r := range readers(src, io.EOF) {
						z := NewReader(r, int64(len(s.want)), factor)
						out, err := decoded(z, 1000)
						require.NoError(t, err, name)
						require.True(t, bytes.Equal(s.want, out), name)
						z.Free()
					}
					out, used, cut, err := reference(src, len(s.want), factor)
					require.NoError(t, err)
					require.False(t, cut)
					require.True(t, bytes.Equal(s.want, out))
					require.Equal(t, len(src), used)

					r := bytes.NewReader(append(src, "trailer"...))
					z := NewReader(r, int64(len(s.want)), factor)
					defer z.Free()
					require.NoError(t, iotest.TestReader(z, s.want))
					assert.Equal(t, len("trailer"), z.Buffered()+r.Len())
				})
			}
		}
	}
}

// TestEncoder: the round trips cover what they are meant to.
func TestEncoder(t *testing.T) {
	t.Parallel()
	if raceEnabled {
		t.Skip("without the large samples")
	}
	for factor := 1; factor <= 4; factor++ {
		var e encoder
		for _, s := range samples() {
			for _, with := range encoders(factor) {
				if len(s.want) > 100_000 {
					continue
				}
				with.encode(s.want)
				for i := range e.sizes {
					e.sizes[i] += with.sizes[i]
					e.listed[i] += with.listed[i]
				}
				e.lengths[0] += with.lengths[0]
				e.lengths[1] += with.lengths[1]
				e.escapes += with.escapes
				e.before += with.before
				e.farthest = max(e.farthest, with.farthest)
			}
		}
		for i := range e.sizes {
			assert.NotZero(t, e.sizes[i], "sets of %d", i)
			assert.Equal(t, i > 0, e.listed[i] > 0, "sets of %d", i)
		}
		assert.NotZero(t, e.lengths[0])
		assert.NotZero(t, e.lengths[1])
		assert.NotZero(t, e.escapes)
		assert.NotZero(t, e.before)
		assert.Equal(t, 256<<factor, e.farthest)
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{0, -1} {
		z := NewReader(iotest.ErrReader(errors.New("not read")), size, 1)
		n, err := z.Read(make([]byte, 10))
		assert.Zero(t, n)
		assert.Equal(t, io.EOF, err)
		assert.Zero(t, z.Buffered())
		z.Free()
	}
}

// TestStreams takes streams apart that no compressor writes, or only seldom.
func TestStreams(t *testing.T) {
	t.Parallel()
	one := [256][]byte{0: {'a'}, 'a': {'b'}}
	three := [256][]byte{0: {'a', 'b', 'c'}}
	with := func(sets [256][]byte, bits ...uint64) []byte { // value, count, value, count
		w := followersOf(sets)
		for i := 0; i < len(bits); i += 2 {
			w.write(bits[i], uint(bits[i+1]))
		}
		return w.bytes()
	}
	tooMany := new(bitWriter)
	tooMany.write(0, 6)
	tooMany.write(33, 6)
	zeros := func(n int) string { return string(make([]byte, n)) }
	for _, tt := range []struct {
		name   string
		src    []byte
		factor int
		want   string
		size   int
		err    string
	}{
		{"nothing", nil, 1, "", 1, "unexpected EOF"},
		{"followers that are cut", plainly('a')[:100], 1, "", 1, "unexpected EOF"},
		{"too many followers", tooMany.bytes(), 1, "", 1, "byte 254 has 33 followers"},
		{"no data", plainly(), 1, "", 1, "unexpected EOF"},
		{"factor 0", plainly('a'), 0, "", 1, "factor 0 is not 1 to 4"},
		{"factor 5", plainly('a'), 5, "", 1, "factor 5 is not 1 to 4"},

		{"a set of one takes a bit", with(one, 0, 2, 0, 2, 'c', 8), 1, "abc", 3, ""},
		{"a set of one, its bit set", with(one, 0, 2, 2, 2), 1, "a", 2, "follower 1 of byte 97, which has 1"},
		{"a set of one, not in it", with(one, 'x'<<1|1, 9), 1, "x", 1, ""},
		{"a set of three", with(three, 4, 3, 'x', 8), 1, "cx", 2, ""},
		{"a set of three, the fourth", with(three, 6, 3), 1, "", 1, "follower 3 of byte 0, which has 3"},
		{"a set of three, the fourth is cut", with(three, 0, 7)[:192], 1, "", 1, "unexpected EOF"},

		{"an escape", plainly(144, 0, 'a', 144, 0), 1, "\x90a\x90", 3, ""},
		{"an escape that is cut", plainly(144), 1, "", 1, "unexpected EOF"},
		{"an escape in the copy", plainly('a', 'b', 'c', 144, 1, 144, 'd'), 1, "abc" + zeros(4) + "d", 8, ""},
		{"144 behind a copy", plainly('a', 144, 1, 0, 144, 0), 1, "aaaaa\x90", 6, ""},
		{"a copy that is cut", plainly('a', 144, 2), 1, "a", 6, "unexpected EOF"},
		{"a long copy that is cut", plainly('a', 144, 127, 0), 1, "a", 200, "unexpected EOF"},
		{"the declared size ends in a copy", plainly('a', 144, 2, 0), 1, "a", 5, "copy of 5 bytes, the declared size leaves 4"},
		{"a copy that laps over", plainly('a', 'b', 144, 4, 1), 1, "ababababa", 9, ""},

		{"factor 1, longest and farthest", plainly('a', 144, 255, 255, 255), 1, "a" + zeros(385), 386, ""},
		{"factor 2, longest and farthest", plainly('a', 144, 255, 255, 255), 2, "a" + zeros(321), 322, ""},
		{"factor 3, longest and farthest", plainly('a', 144, 255, 255, 255), 3, "a" + zeros(289), 290, ""},
		{"factor 4, longest and farthest", plainly('a', 144, 255, 255, 255), 4, "a" + zeros(273), 274, ""},
		{"a copy from before the start and into it", plainly('a', 'b', 144, 3, 3), 4, "ab" + "\x00\x00ab\x00\x00", 8, ""},
		{"a copy at the start", plainly(144, 0x7f, 0, 9, 'a'), 2, zeros(66) + "a", 67, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, err := decode(tt.src, tt.size, tt.factor)
			if tt.factor >= 1 && tt.factor <= 4 {
				want, _, cut, bad := reference(tt.src, tt.size, tt.factor)
				assert.Equal(t, string(want), string(out), "as the reference")
				assert.Equal(t, bad != nil || cut, err != nil, "as the reference")
			}
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, tt.want, string(out))
		})
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	want := append(append(text(3000), make([]byte, 3000)...), noise(1000)...)
	src := (&encoder{factor: 3}).encode(want)
	for i := range src {
		out, err := decode(src[:i], len(want), 3)
		require.Equal(t, io.ErrUnexpectedEOF, err, i)
		require.Less(t, len(out), len(want), i)
		require.True(t, bytes.HasPrefix(want, out), i)
	}
}

func TestErrorOfInput(t *testing.T) {
	t.Parallel()
	broken := errors.New("of the input")
	want := text(100_000)
	src := (&encoder{factor: 4}).encode(want)
	require.Greater(t, len(src), (16 << 10))
	for _, n := range []int{0, 1, 2, 500, (16 << 10), len(src) - 1} {
		most, err := decode(src[:n], len(want), 4)
		require.Equal(t, io.ErrUnexpectedEOF, err)
		for name, r := range readers(src[:n], broken) {
			z := NewReader(r, int64(len(want)), 4)
			out, err := decoded(z, 1000)
			require.Equal(t, broken, err, name)
			require.True(t, bytes.Equal(most, out), name)
			_, err = z.Read(make([]byte, 1))
			require.Equal(t, broken, err, "again")
			z.Free()
		}
	}
	for name, r := range readers(src, broken) { // it comes too late
		z := NewReader(r, int64(len(want)), 4)
		out, err := decoded(z, 1000)
		require.NoError(t, err, name)
		require.True(t, bytes.Equal(want, out), name)
		z.Free()
	}
	z := NewReader(stuck{}, 1, 1)
	defer z.Free()
	_, err := z.Read(make([]byte, 1))
	assert.Equal(t, io.ErrNoProgress, err)
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestFree(t *testing.T) {
	t.Parallel()
	z := NewReader(bytes.NewReader(plainly('a', 'b')), 2, 1)
	n, err := z.Read(nil)
	assert.Zero(t, n)
	require.NoError(t, err)
	out, err := decoded(z, 10)
	require.NoError(t, err)
	assert.Equal(t, "ab", string(out))
	z.Free()
	z.Free()
	assert.Zero(t, z.Buffered())
	_, err = z.Read(make([]byte, 1))
	assert.Error(t, err)
}

// TestReuse: an entry knows nothing of the one before it.
func TestReuse(t *testing.T) {
	t.Parallel()
	var d decoder
	for _, s := range samples() {
		src := (&encoder{factor: 2}).encode(s.want)
		again := func(src []byte, size int) ([]byte, error) {
			d.reset(bytes.NewReader(src), int64(size))
			d.lenMask, d.highShift = 0x3f, 2
			return decoded(&Reader{&d}, 1000)
		}
		_, err := again(src[:len(src)-1], len(s.want))
		require.Equal(t, io.ErrUnexpectedEOF, err)
		out, err := again(src, len(s.want))
		require.NoError(t, err)
		require.True(t, bytes.Equal(s.want, out), s.name)
		_, err = again(plainly('a', 144), 10)
		require.Equal(t, io.ErrUnexpectedEOF, err)
		out, err = again(plainly('a', 144, 0xff, 0xff, 0xff), 322)
		require.NoError(t, err)
		require.Equal(t, "a"+string(make([]byte, 321)), string(out))
	}
}

// TestAllocs: no memory is taken on the word of a size.
func TestAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	src, in, p := plainly('a', 'b'), bytes.NewReader(nil), make([]byte, 10)
	most := testing.AllocsPerRun(100, func() {
		in.Reset(src)
		z := NewReader(in, 1<<62, 1)
		if n, err := z.Read(p); n != 2 || err != nil {
			t.Error(n, err)
		}
		z.Free()
	})
	assert.LessOrEqual(t, most, 1.0)
}

func ExampleNewReader() {
	stream := append(make([]byte, 192), 'a', 144, 4, 0) // no followers, "a" and a copy of 7 bytes
	r := NewReader(bytes.NewReader(stream), 8, 1)
	defer r.Free()
	b, err := io.ReadAll(r)
	fmt.Printf("%s %v\n", b, err)
	// Output: aaaaaaaa <nil>
}

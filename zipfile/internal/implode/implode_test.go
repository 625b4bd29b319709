package implode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/internal/bitreader"
)

func decode(src []byte, size int, flags uint16) ([]byte, error) {
	z := NewReader(bytes.NewReader(src), int64(size), flags)
	defer z.Free()
	return decoded(z, 4096)
}

var allFlags = []uint16{0, Dictionary8K, LiteralTree, Dictionary8K | LiteralTree}

func encoders(flags uint16) map[string]*encoder {
	return map[string]*encoder{
		"fitting trees": {flags: flags, zeros: true},
		"deep trees":    {flags: flags, trees: deep},
		"flat trees":    {flags: flags, trees: flat},
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, flags := range allFlags {
		for _, s := range samples() {
			for name, e := range encoders(flags) {
				if len(s.want) > 200_000 && (name != "fitting trees" || flags == 0) {
					continue
				}
				t.Run(fmt.Sprintf("flags=%d/%s/%s", flags, s.name, name), func(t *testing.T) {
					t.Parallel()
					src := e.encode(s.want)
					for name, r := range readers(src, io.EOF) {
						z := NewReader(r, int64(len(s.want)), flags|1<<11)
						out, err := decoded(z, 1000)
						require.NoError(t, err, name)
						require.True(t, bytes.Equal(s.want, out), name)
						z.Free()
					}
					out, used, cut, err := reference(src, len(s.want), flags)
					require.NoError(t, err)
					require.False(t, cut)
					require.True(t, bytes.Equal(s.want, out))
					require.Equal(t, len(src), used)

					r := bytes.NewReader(append(src, "trailer"...))
					z := NewReader(r, int64(len(s.want)), flags)
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
	for _, flags := range allFlags {
		var e encoder
		for _, s := range samples() {
			if len(s.want) > 200_000 {
				continue
			}
			for _, with := range encoders(flags) {
				with.encode(s.want)
				for i, n := range with.codes {
					e.codes[i] += n
				}
				for i, n := range with.lengths {
					e.lengths[i] += n
				}
				e.before += with.before
				e.farthest = max(e.farthest, with.farthest)
			}
		}
		for i, n := range e.codes[1:] {
			assert.NotZero(t, n, "codes of %d bits", i+1)
		}
		assert.NotZero(t, e.lengths[0])
		assert.NotZero(t, e.lengths[63])
		assert.NotZero(t, e.lengths[64])
		assert.NotZero(t, e.before)
		assert.Greater(t, e.farthest, 4000<<(flags>>1&1))
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{0, -1} {
		z := NewReader(iotest.ErrReader(errors.New("not read")), size, 0)
		n, err := z.Read(make([]byte, 10))
		assert.Zero(t, n)
		assert.Equal(t, io.EOF, err)
		assert.Zero(t, z.Buffered())
		z.Free()
	}
}

// TestTree has the example of APPNOTE 5.3, and trees that are none.
func TestTree(t *testing.T) {
	t.Parallel()
	read := func(n int, src ...byte) (*tree, error) {
		tr, in := new(tree), new(bitreader.Reader)
		in.Reset(bytes.NewReader(src))
		return tr, tr.read(in, n, "odd")
	}
	tr, err := read(8, 0x02, 0x42, 0x01, 0x13)
	require.NoError(t, err)
	for v, code := range []string{"101", "001", "110", "010", "100", "11", "1000", "0000"} {
		b := uint64(0)
		for _, c := range []byte(code) { // the last digit is read first
			b = b<<1 | uint64(c-'0')
		}
		for _, more := range []uint64{0, 0x5555, 0xffff} {
			e := tr.find(b | more<<len(code))
			assert.Equal(t, v, int(e>>8), code)
			assert.Equal(t, len(code), int(e&0xff), code)
		}
	}

	repeat := func(n int, b byte) []byte { return bytes.Repeat([]byte{b}, n) }
	for _, tt := range []struct {
		name string
		n    int
		src  []byte
		err  string
	}{
		{"64 of 6 bits", 64, append([]byte{3}, repeat(4, 0xf5)...), ""},
		{"256 of 8 bits", 256, append([]byte{15}, repeat(16, 0xf7)...), ""},
		{"256 one by one", 256, append([]byte{255}, repeat(256, 0x07)...), ""},
		{"nothing", 64, nil, "unexpected EOF"},
		{"cut", 64, []byte{3, 0xf5, 0xf5, 0xf5}, "unexpected EOF"},
		{"too few values", 64, []byte{2, 0xf5, 0xf5, 0xf5}, "odd tree has 48 values, not 64"},
		{"too many values", 64, append([]byte{4}, repeat(5, 0xf5)...), "odd tree has more than 64 values"},
		{"one value too many", 64, append([]byte{4}, append(repeat(4, 0xf5), 0x05)...), "odd tree has more than 64 values"},
		{"incomplete", 64, append([]byte{3}, repeat(4, 0xf6)...), "odd tree is incomplete"},
		{"incomplete by one of 16 bits", 4, []byte{3, 0x00, 0x01, 0x02, 0x0f}, "odd tree is incomplete"},
		{"full by one of 1 bit", 4, []byte{2, 0x10, 0x0f, 0x0f}, "odd tree has more codes than there can be"},
		{"too many codes", 64, append([]byte{3}, repeat(4, 0xf4)...), "odd tree has more codes than there can be"},
		{"too many codes of all lengths", 256, append([]byte{15}, 0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff), "odd tree has more codes than there can be"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := read(tt.n, tt.src...)
			if tt.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, tt.err)
			}
		})
	}
}

// TestStreams takes streams apart that no compressor writes, or only seldom.
func TestStreams(t *testing.T) {
	t.Parallel()
	zeros := func(n int) string { return string(make([]byte, n)) }
	stream := func(flags uint16, parsed ...copied) []byte {
		return (&encoder{flags: flags, trees: flat}).write(parsed)
	}
	a, b := copied{0, 'a'}, copied{0, 'b'}
	for _, tt := range []struct {
		name  string
		flags uint16
		src   []byte
		want  string
		size  int
		err   string
	}{
		{"nothing", 0, nil, "", 1, "unexpected EOF"},
		{"a bad literal tree", 4, []byte{0, 0}, "", 1, "literal tree has 1 values, not 256"},
		{"a bad length tree", 0, []byte{0, 0}, "", 1, "length tree has 1 values, not 64"},
		{"a bad distance tree", 0, []byte{3, 0xf5, 0xf5, 0xf5, 0xf5, 0, 0}, "", 1, "distance tree has 1 values, not 64"},
		{"no data", 0, stream(0), "", 1, "unexpected EOF"},
		{"no literal tree where one is declared", 4, stream(0, a), "", 1, "literal tree has 64 values, not 256"},
		{"shortest", 0, stream(0, a, b, copied{2, 2}), "abab", 4, ""},
		{"shortest, with a literal tree", 4, stream(4, a, b, copied{3, 2}), "ababa", 5, ""},
		{"longest", 2, stream(2, a, copied{2 + 63 + 255, 1}), "a" + string(bytes.Repeat([]byte{'a'}, 320)), 321, ""},
		{"longest, with a literal tree", 6, stream(6, a, b, copied{3 + 63 + 255, 2}), string(bytes.Repeat([]byte("ab"), 162)[:323]), 323, ""},
		{"63 more than the shortest", 2, stream(2, a, copied{2 + 63, 1}), string(bytes.Repeat([]byte{'a'}, 66)), 66, ""},
		{"farthest", 0, stream(0, a, copied{10, 4096}, b), "a" + zeros(10) + "b", 12, ""},
		{"farthest of 8K", 2, stream(2, a, copied{10, 8192}, b), "a" + zeros(10) + "b", 12, ""},
		{"from before the start and into it", 0, stream(0, a, b, copied{7, 4}), "ab\x00\x00ab\x00\x00a", 9, ""},
		{"a copy at the start", 0, stream(0, copied{5, 1}, a), zeros(5) + "a", 6, ""},
		{"the declared size ends in a copy", 0, stream(0, a, copied{5, 1}), "a", 5, "copy of 5 bytes, the declared size leaves 4"},
		{"a copy that is cut", 2, stream(2, a, copied{2 + 63 + 255, 1})[:12], "a", 321, "unexpected EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want, _, cut, bad := reference(tt.src, tt.size, tt.flags)
			out, err := decode(tt.src, tt.size, tt.flags)
			assert.Equal(t, string(want), string(out), "as the reference")
			assert.Equal(t, bad != nil || cut, err != nil, "as the reference")
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
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
	for _, flags := range allFlags {
		src := (&encoder{flags: flags}).encode(want)
		for i := range src {
			out, err := decode(src[:i], len(want), flags)
			require.Equal(t, io.ErrUnexpectedEOF, err, i)
			require.Less(t, len(out), len(want), i)
			require.True(t, bytes.HasPrefix(want, out), i)
		}
	}
}

func TestErrorOfInput(t *testing.T) {
	t.Parallel()
	broken := errors.New("of the input")
	want := text(100_000)
	const flags = Dictionary8K | LiteralTree
	src := (&encoder{flags: flags}).encode(want)
	require.Greater(t, len(src), (16 << 10))
	for _, n := range []int{0, 1, 2, 500, (16 << 10), len(src) - 1} {
		most, err := decode(src[:n], len(want), flags)
		require.Equal(t, io.ErrUnexpectedEOF, err)
		for name, r := range readers(src[:n], broken) {
			z := NewReader(r, int64(len(want)), flags)
			out, err := decoded(z, 1000)
			require.Equal(t, broken, err, name)
			require.True(t, bytes.Equal(most, out), name)
			_, err = z.Read(make([]byte, 1))
			require.Equal(t, broken, err, "again")
			z.Free()
		}
	}
	for name, r := range readers(src, broken) { // it comes too late
		z := NewReader(r, int64(len(want)), flags)
		out, err := decoded(z, 1000)
		require.NoError(t, err, name)
		require.True(t, bytes.Equal(want, out), name)
		z.Free()
	}
	z := NewReader(stuck{}, 1, 0)
	defer z.Free()
	_, err := z.Read(make([]byte, 1))
	assert.Equal(t, io.ErrNoProgress, err)
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestFree(t *testing.T) {
	t.Parallel()
	z := NewReader(bytes.NewReader((&encoder{}).encode([]byte("ab"))), 2, 0)
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
		for _, flags := range allFlags {
			again := func(src []byte, size int) ([]byte, error) {
				d.reset(bytes.NewReader(src), int64(size), flags)
				return decoded(&Reader{&d}, 1000)
			}
			src := (&encoder{flags: flags}).encode(s.want)
			_, err := again(src[:len(src)-1], len(s.want))
			require.Equal(t, io.ErrUnexpectedEOF, err)
			out, err := again(src, len(s.want))
			require.NoError(t, err)
			require.True(t, bytes.Equal(s.want, out), s.name)
			out, err = again((&encoder{flags: flags}).write([]copied{{0, 'a'}, {320, 4096}}), 321)
			require.NoError(t, err)
			require.Equal(t, "a"+string(make([]byte, 320)), string(out))
		}
	}
}

// TestAllocs: no memory is taken on the word of a size.
func TestAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	src, in, p := (&encoder{}).encode([]byte("ab")), bytes.NewReader(nil), make([]byte, 10)
	most := testing.AllocsPerRun(100, func() {
		in.Reset(src)
		z := NewReader(in, 1<<62, 0)
		if n, err := z.Read(p); n != 2 || err != nil {
			t.Error(n, err)
		}
		z.Free()
	})
	assert.LessOrEqual(t, most, 1.0)
}

func ExampleNewReader() {
	stream := []byte{
		3, 0xf5, 0xf5, 0xf5, 0xf5, // lengths: 64 codes of 6 bits
		3, 0xf5, 0xf5, 0xf5, 0xf5, // distances
		'a'<<1 | 1, 0, 0xff, 0x0f, // a literal, and a copy of 2 bytes at distance 1
	}
	r := NewReader(bytes.NewReader(stream), 3, 0)
	defer r.Free()
	b, err := io.ReadAll(r)
	fmt.Printf("%s %v\n", b, err)
	// Output: aaa <nil>
}

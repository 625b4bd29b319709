package shrink

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

func decode(src []byte, size int) ([]byte, error) {
	z := NewReader(bytes.NewReader(src), int64(size))
	defer z.Free()
	return decoded(z, 4096)
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		for name, e := range map[string]*encoder{
			"as PKZIP":     {},
			"wide at once": {early: true},
			"cleared":      {clear: 700},
			"cleared much": {clear: 3},
		} {
			if e.clear == 3 && len(s.want) > 20_000 {
				continue
			}
			t.Run(s.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				src := e.encode(s.want)
				for name, r := range readers(src, io.EOF) {
					z := NewReader(r, int64(len(s.want)))
					out, err := decoded(z, 1000)
					require.NoError(t, err, name)
					require.True(t, bytes.Equal(s.want, out), name)
					z.Free()
				}
				out, used, cut, err := reference(src, len(s.want))
				require.NoError(t, err)
				require.False(t, cut)
				require.True(t, bytes.Equal(s.want, out))
				require.Equal(t, len(src), used)

				r := bytes.NewReader(append(src, "trailer"...))
				z := NewReader(r, int64(len(s.want)))
				defer z.Free()
				require.NoError(t, iotest.TestReader(z, s.want))
				assert.Equal(t, len("trailer"), z.Buffered()+r.Len())
			})
		}
	}
}

// TestEncoder: the round trips cover what they are meant to.
func TestEncoder(t *testing.T) {
	t.Parallel()
	if raceEnabled {
		t.Skip("without the large samples")
	}
	var e encoder
	e.encode(text(600_000))
	for width := uint(minWidth); width <= maxWidth; width++ {
		assert.NotZero(t, e.widths[width], "codes of %d bits", width)
	}
	assert.Greater(t, e.clears, 5)
	e = encoder{}
	e.encode(coins(300_000))
	assert.NotZero(t, e.odd, "codes whose prefix was cleared")
	e = encoder{clear: 3}
	e.encode(coins(10_000))
	assert.NotZero(t, e.odd, "codes whose prefix was cleared")
	assert.NotZero(t, e.lost, "codes that are their own prefix")
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{0, -1} {
		z := NewReader(iotest.ErrReader(errors.New("not read")), size)
		n, err := z.Read(make([]byte, 10))
		assert.Zero(t, n)
		assert.Equal(t, io.EOF, err)
		assert.Zero(t, z.Buffered())
		z.Free()
	}
}

// TestCodes takes streams apart that no compressor writes, or only seldom.
func TestCodes(t *testing.T) {
	t.Parallel()
	a, b, c, x := int('a'), int('b'), int('c'), int('x')
	for _, tt := range []struct {
		name string
		src  []byte
		want string
		size int
		err  string
	}{
		{"no codes", nil, "", 1, "unexpected EOF"},
		{"a code that is cut", codesOf(a)[:1], "", 1, "unexpected EOF"},
		{"the new code", codesOf(a, 257, 258), "aaaaaa", 6, ""},
		{"a new code at the start", codesOf(257), "", 2, "code 257 is not in the table"},
		{"a code ahead of the new one", codesOf(a, 258), "a", 3, "code 258 is not in the table"},
		{"the highest code", codesOf(a, 256, 1, 256, 1, 256, 1, 256, 1, 8191), "a", 3, "code 8191 is not in the table"},
		{"wider", codesOf(256, 1, a, 256, 1, b, 256, 1, 257, 256, 1, 259), "abababa", 7, ""},
		{"too wide", codesOf(a, 256, 1, 256, 1, 256, 1, 256, 1, 256, 1, b), "a", 2, "codes of more than 13 bits"},
		{"256, 0", codesOf(a, 256, 0), "a", 2, "code 0 behind code 256"},
		{"256, 256", codesOf(a, 256, 256), "a", 2, "code 256 behind code 256"},
		{"256, 3", codesOf(256, 3), "", 2, "code 3 behind code 256"},
		{"256 at the end", codesOf(a, 256), "a", 2, "unexpected EOF"},
		{"the declared size ends in a string", codesOf(a, b, 257), "ab", 3, "code 257 stands for 2 bytes, the declared size leaves 1"},
		{"cleared while empty", codesOf(256, 2, a, 256, 2, b, 257), "abab", 4, ""},
		{"cleared often", codesOf(a, 256, 2, 256, 2, 256, 2, b, 256, 2, c), "abc", 3, ""},
		{"a cleared code", codesOf(a, b, c, 256, 2, 258), "abc", 5, "code 258 is not in the table"},
		{"a cleared code is the new one", codesOf(a, b, c, 256, 2, 257), "abccc", 5, ""},

		// 257 is ab, 258 bc, 259 ca, 260 aba, 261 abab when it is read.
		{"prefixes stay", codesOf(a, b, c, 257, 257, 256, 2, 257), "abcababab", 9, ""},

		// 257 is ab, read, cleared and given to itself and x.
		{"its own prefix", codesOf(a, b, 257, 256, 2, x), "ababx", 5, ""},
		{"its own prefix is used", codesOf(a, b, 257, 256, 2, x, 257), "ababx", 7, "code 257 is among its own prefixes"},
		{"its own prefix is used at once", codesOf(a, b, 257, 256, 2, 257), "abab", 7, "code 257 is among its own prefixes"},
		{"its own prefix is not cleared", codesOf(a, b, 257, 256, 2, x, 256, 2, c, 258, 257), "ababxcxc", 10, "code 257 is among its own prefixes"},

		// 259 is cd, read and cleared; then 257 is 259 and x.
		{"the prefix is cleared", codesOf(a, b, c, 'd', 259, 256, 2, x, 257), "abcdcdx", 10, "prefix 259 of code 257 is not in the table"},
		{"the prefix is cleared and the new code used", codesOf(a, b, c, 'd', 259, 256, 2, 257), "abcdcd", 10, "prefix 259 of code 257 is not in the table"},
		// 259 becomes ay.
		{"the prefix comes back", codesOf(a, b, c, 'd', 259, 256, 2, x, a, 'y', 257), "abcdcdxay" + "ayx", 12, ""},
		// 259 becomes a and the first byte of what is read, which starts with 259.
		{"the prefix is the new code", codesOf(a, b, c, 'd', 259, 256, 2, x, a, 257), "abcdcdxa" + "aax", 11, ""},
		// 258 is x and the first byte of 257, cleared when it has 259 as its prefix.
		{"cleared again", codesOf(a, b, c, 'd', 259, 256, 2, x, 256, 2, a, b, 257, 258), "abcdcdxab" + "xa" + "ab", 13, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want, _, cut, bad := reference(tt.src, tt.size)
			out, err := decode(tt.src, tt.size)
			assert.Equal(t, string(want), string(out), "as the reference")
			assert.Equal(t, bad != nil || cut, err != nil, "as the reference")
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, tt.want, string(out))
		})
	}
}

// TestLongestString goes through all codes, which makes the longest string there is, and lets
// the window move in it.
func TestLongestString(t *testing.T) {
	t.Parallel()
	var w bitWriter
	width, size := uint(minWidth), 0
	code := func(c int) {
		for c >= 1<<width {
			w.write(control, width)
			w.write(1, width)
			width++
		}
		w.write(uint64(c), width)
	}
	code('z')
	size++
	for c := control + 1; c < codes; c++ {
		code(c)
		size += c - control + 1
	}
	for range 10 { // the table is full
		code(codes - 1)
		size += codes - control
		code(codes - 5000) // moved out of the window by now
		size += codes - 5000 - control + 1
	}
	out, err := decode(w.bytes(), size)
	require.NoError(t, err)
	assert.Equal(t, bytes.Repeat([]byte{'z'}, size), out)
	out, err = decode(w.bytes(), size-1)
	require.ErrorContains(t, err, "the declared size leaves")
	assert.Len(t, out, size-(codes-5000-control+1))
}

func TestCut(t *testing.T) {
	t.Parallel()
	want := append(append(text(3000), make([]byte, 3000)...), noise(1000)...)
	src := (&encoder{clear: 300}).encode(want)
	for i := range src {
		out, err := decode(src[:i], len(want))
		require.Equal(t, io.ErrUnexpectedEOF, err, i)
		require.Less(t, len(out), len(want), i)
		require.True(t, bytes.HasPrefix(want, out), i)
	}
}

func TestErrorOfInput(t *testing.T) {
	t.Parallel()
	broken := errors.New("of the input")
	want := text(100_000)
	src := encode(want)
	require.Greater(t, len(src), (16 << 10))
	for _, n := range []int{0, 1, 2, 500, (16 << 10), len(src) - 2} { // the last byte may be half a code
		most, err := decode(src[:n], len(want))
		require.Equal(t, io.ErrUnexpectedEOF, err)
		for name, r := range readers(src[:n], broken) {
			z := NewReader(r, int64(len(want)))
			out, err := decoded(z, 1000)
			require.Equal(t, broken, err, name)
			require.Equal(t, most, out, name)
			_, err = z.Read(make([]byte, 1))
			require.Equal(t, broken, err, "again")
			z.Free()
		}
	}
	for name, r := range readers(src, broken) { // it comes too late
		z := NewReader(r, int64(len(want)))
		out, err := decoded(z, 1000)
		require.NoError(t, err, name)
		require.True(t, bytes.Equal(want, out), name)
		z.Free()
	}
	z := NewReader(stuck{}, 1)
	defer z.Free()
	_, err := z.Read(make([]byte, 1))
	assert.Equal(t, io.ErrNoProgress, err)
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestFree(t *testing.T) {
	t.Parallel()
	z := NewReader(bytes.NewReader(codesOf('a', 'b')), 2)
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
		for _, clear := range []int{0, 5} {
			if clear > 0 && len(s.want) > 20_000 {
				continue
			}
			src := (&encoder{clear: clear}).encode(s.want)
			d.reset(bytes.NewReader(src[:len(src)/2]), int64(len(s.want)))
			_, err := decoded(&Reader{&d}, 1000)
			require.Equal(t, io.ErrUnexpectedEOF, err)
			d.reset(bytes.NewReader(src), int64(len(s.want)))
			out, err := decoded(&Reader{&d}, 1000)
			require.NoError(t, err)
			require.True(t, bytes.Equal(s.want, out), s.name)
			d.reset(bytes.NewReader(codesOf('a', 258)), 10)
			out, err = decoded(&Reader{&d}, 1000)
			require.Error(t, err)
			require.Equal(t, "a", string(out))
		}
	}
}

// TestAllocs: no memory is taken on the word of a size.
func TestAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	src, in, p := codesOf('a', 'b'), bytes.NewReader(nil), make([]byte, 10)
	most := testing.AllocsPerRun(100, func() {
		in.Reset(src)
		z := NewReader(in, 1<<62)
		if n, err := z.Read(p); n != 2 || err != nil {
			t.Error(n, err)
		}
		z.Free()
	})
	assert.LessOrEqual(t, most, 1.0)
}

func ExampleNewReader() {
	stream := []byte{'a', 0x02, 0x06} // of 9 bits: 97 and 257, which stands for "aa"
	r := NewReader(bytes.NewReader(stream), 3)
	defer r.Free()
	b, err := io.ReadAll(r)
	fmt.Printf("%s %v\n", b, err)
	// Output: aaa <nil>
}

// TestPositions: positions are kept modulo 1<<32, and a string that left the window does not come
// back in when they start over.
func TestPositions(t *testing.T) {
	t.Parallel()
	want := append(binaries(300_000), text(300_000)...)
	for _, base := range []uint32{1<<30 - 200_000, 1<<31 - 1, 1<<32 - 300_000, 1<<32 - 1} {
		d := new(decoder)
		d.reset(bytes.NewReader(encode(want)), int64(len(want)))
		d.rebase(base)
		out, err := decoded(&Reader{d}, 1000)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, out))
	}

	const step = full + 1 - history
	for _, more := range []uint64{0, 1<<32 - 2*winLen, 1 << 32} {
		d := new(decoder)
		d.reset(bytes.NewReader(codesOf('a', 'b', 'c', 257, 258)), 1<<40)
		for range 3 {
			require.NoError(t, d.step())
		}
		for range more/step + 4 {
			d.o, d.given = full+1, full+1
			d.slide()
		}
		d.prevAt, d.o, d.given = 0, 0, 0
		require.NoError(t, d.step())
		require.NoError(t, d.step())
		assert.Equal(t, "abbc", string(d.win[:d.o]), more)
	}
}

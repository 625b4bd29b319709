package bzip2

import (
	"bytes"
	std "compress/bzip2"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// decode reads all of a source.
func decode(r io.Reader) (out []byte, left int, err error) {
	z := NewReader(r)
	defer z.Free()
	out, err = io.ReadAll(z)
	return out, z.Buffered(), err
}

func decodeStd(src []byte) ([]byte, error) { return io.ReadAll(std.NewReader(bytes.NewReader(src))) }

func TestCases(t *testing.T) {
	t.Parallel()
	for _, c := range oddCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, left, err := decode(bytes.NewReader(c.src))
			require.Equal(t, c.err, err)
			require.True(t, bytes.Equal(c.want, out))
			if c.err == nil {
				assert.Equal(t, c.left, left)
			}

			want, used, _, err := reference(c.src, 1<<20)
			require.Equal(t, c.err == nil, err == nil)
			require.Equal(t, c.err == io.ErrUnexpectedEOF, err == io.ErrUnexpectedEOF)
			require.True(t, bytes.Equal(want, out))
			if c.err == nil {
				assert.Equal(t, len(c.src)-used, left)
			}

			want, err = decodeStd(c.src)
			same := (err == nil) == (c.err == nil) && bytes.Equal(want, out)
			assert.Equal(t, c.std == "", same, "%s: %v", c.std, err)
		})
	}
}

// TestRunLengths: runs of all lengths, with the end of the block at each place in and behind them.
func TestRunLengths(t *testing.T) {
	t.Parallel()
	var blocks []blockSpec
	var want []byte
	for n := range 260 {
		for _, p := range [][]byte{
			repeated(n+1, "r"),
			join([]byte("s"), repeated(n+1, "r")),
			join(repeated(n+1, "r"), []byte("s")),
			join(repeated(n+1, "r"), repeated(n+1, "s")),
			join([]byte("srr"), repeated(n, "t"), []byte("uuuu")),
		} {
			blocks = append(blocks, blockSpec{plain: p})
			want = append(want, p...)
		}
	}
	src := streamSpec{blocks: blocks}.write()
	check := func(r io.Reader) {
		out, _, err := decode(r)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, out))
	}
	check(bytes.NewReader(src))
	check(iotest.HalfReader(bytes.NewReader(src)))
	out, err := decodeStd(src)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, out))
	for _, size := range []int{1, 8, 13} {
		z := NewReader(bytes.NewReader(src))
		require.Equal(t, want, readIn(t, z, size))
		z.Free()
	}
}

// readIn reads all in pieces of up to size bytes.
func readIn(t *testing.T, z *Reader, size int) (out []byte) {
	p := make([]byte, size)
	for {
		n, err := z.Read(p)
		out = append(out, p[:n]...)
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
	}
}

// TestRunPlaces: runs at each place within a word of eight bytes, next to others.
func TestRunPlaces(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		var p []byte
		for len(p) < 2000 {
			c := "ab\x00\x01\x80\x7f"[r.IntN(6)]
			p = append(p, bytes.Repeat([]byte{c}, 1+r.IntN(1+r.IntN(12)))...)
		}
		z := new(Reader)
		z.size = len(toRuns(p))
		z.left, z.count = z.size, 1
		z.startRuns()
		// Pieces of the transform end anywhere.
		raw := toRuns(p)
		var out []byte
		buf := make([]byte, 100)
		for len(raw) > 0 || len(z.rest) > 0 || z.repeat > 0 {
			if len(z.rest) == 0 {
				z.rest = raw[:min(len(raw), 1+r.IntN(40))]
				raw = raw[len(z.rest):]
			}
			// As much as the piece gives at most, so that no other is asked for.
			q := buf[:min(len(buf), 1+r.IntN(z.repeat+len(z.rest)))]
			z.left = 0
			out = append(out, q[:z.expand(q)]...)
		}
		require.Equal(t, p, out)
	}
}

func TestReaders(t *testing.T) {
	t.Parallel()
	want := join(prose(10000), make([]byte, 5000), noise(70000), prose(30))
	src := join(packed(want[:100]), packed(want[100:]))
	for name, r := range map[string]io.Reader{
		"whole":         bytes.NewReader(src),
		"one byte":      iotest.OneByteReader(bytes.NewReader(src)),
		"half":          iotest.HalfReader(bytes.NewReader(src)),
		"data with EOF": iotest.DataErrReader(bytes.NewReader(src)),
		"odd":           &oddReader{src, rand.New(rand.NewPCG(3, 3)), 1000, io.EOF},
	} {
		out, left, err := decode(r)
		require.NoError(t, err, name)
		require.True(t, bytes.Equal(want, out), name)
		assert.Zero(t, left, name)
	}
	z := NewReader(bytes.NewReader(src))
	require.NoError(t, iotest.TestReader(z, want))
	n, err := z.Read(make([]byte, 1))
	assert.Zero(t, n)
	assert.Equal(t, io.EOF, err, "again")
	n, err = z.Read(nil)
	assert.Zero(t, n)
	assert.NoError(t, err)
	z.Free()
	for _, size := range []int{1, 2, 7, 8, 9, 1000, 1 << 20} {
		z := NewReader(bytes.NewReader(src))
		require.True(t, bytes.Equal(want, readIn(t, z, size)))
		z.Free()
	}
}

// oddReader gives pieces of odd sizes, now and then nothing, and err behind the last or with it.
type oddReader struct {
	p    []byte
	r    *rand.Rand
	most int
	err  error
}

func (o *oddReader) Read(p []byte) (int, error) {
	if len(o.p) == 0 {
		return 0, o.err
	}
	n := copy(p, o.p[:min(len(o.p), o.r.IntN(o.most+1))])
	o.p = o.p[n:]
	if len(o.p) == 0 && o.r.IntN(2) == 0 {
		return n, o.err
	}
	return n, nil
}

// TestBuffered: what is read from the source and not used is told.
func TestBuffered(t *testing.T) {
	t.Parallel()
	src := packed(noise(90000)) // more than is read at a time
	for _, s := range [][]byte{src, packed(prose(100)), streamSpec{}.write()} {
		for _, tail := range []int{0, 1, 3, 4, 8, 1000, 100000} {
			r := bytes.NewReader(join(s, make([]byte, tail)))
			_, left, err := decode(r)
			require.NoError(t, err)
			assert.Equal(t, tail, left+r.Len())
		}
	}
}

// TestSourceError: what the source gives before an error is decoded, and then comes the error.
func TestSourceError(t *testing.T) {
	t.Parallel()
	broken := errors.New("of the source")
	want := join(prose(600), noise(300))
	src := streamSpec{blocks: []blockSpec{{plain: want[:200]}, {plain: want[200:500]}, {plain: want[500:]}}}.write()
	r := rand.New(rand.NewPCG(4, 4))
	whole := 0
	for n := range len(src) + 1 {
		out, _, err := decode(&oddReader{src[:n], r, 500, broken})
		require.Equal(t, broken, err)
		require.True(t, bytes.HasPrefix(want, out))
		require.GreaterOrEqual(t, len(out), whole)
		whole = len(out)
	}
	require.Len(t, want, whole)
	_, _, err := decode(iotest.ErrReader(broken))
	require.Equal(t, broken, err)
	_, _, err = decode(stuckReader{})
	require.Equal(t, io.ErrNoProgress, err)
}

// stuckReader gives nothing and no error.
type stuckReader struct{}

func (stuckReader) Read([]byte) (int, error) { return 0, nil }

func TestTruncations(t *testing.T) {
	t.Parallel()
	text := prose(250)
	for _, src := range [][]byte{
		packed(text),
		streamSpec{blocks: []blockSpec{{plain: text}, {plain: repeated(9, "z")}}}.write(),
		oneBlock(blockSpec{plain: text, tables: 6, steps: 1}),
		oneBlock(blockSpec{plain: noise(100), lengths: [][]uint8{stairs(len(slices.Compact(slices.Sorted(slices.Values(noise(100))))) + 2)}, selectors: make([]int, 3)}),
	} {
		want, _, err := decode(bytes.NewReader(src))
		require.NoError(t, err)
		for n := range len(src) {
			out, _, err := decode(bytes.NewReader(src[:n]))
			require.Equal(t, io.ErrUnexpectedEOF, err)
			require.True(t, bytes.HasPrefix(want, out))
			ref, _, _, _ := reference(src[:n], 1<<20)
			require.Equal(t, len(ref), len(out))
			out, _, err = decode(iotest.OneByteReader(bytes.NewReader(src[:n])))
			require.Equal(t, io.ErrUnexpectedEOF, err)
			require.Equal(t, len(ref), len(out))
		}
	}
}

// TestBitFlips holds each stream with one bit inverted against the reference.
func TestBitFlips(t *testing.T) {
	t.Parallel()
	text := join(prose(120), repeated(30, "q"))
	src := streamSpec{level: '1', blocks: []blockSpec{{plain: text}, {plain: text[:40], tables: 3}}}.write()
	good := 0
	for i := range 8 * len(src) {
		src[i/8] ^= 1 << (i % 8)
		good += flag(judge(t, src))
		src[i/8] ^= 1 << (i % 8)
	}
	assert.Less(t, good, 20) // in bits that do not matter
}

// judge holds a stream against the reference and compress/bzip2, and reports that it is good.
func judge(t *testing.T, src []byte) bool {
	const most = 1 << 20
	want, used, odd, err := reference(src, most)
	if err == errReferenceBig {
		return false
	}
	out, left, got := decode(bytes.NewReader(src))
	require.Equal(t, err == nil, got == nil, "%v, not %v", got, err)
	require.True(t, bytes.Equal(want, out))
	if err == nil {
		require.Equal(t, len(src)-used, left)
	}
	if odd != 0 {
		return err == nil
	}
	want, stdErr := decodeStd(src)
	if stdErr == nil && err != nil { // it takes some codes that overlap; so does bzip2, but not 7-Zip
		require.Equal(t, errOver, got)
		return false
	}
	require.Equal(t, err == nil, stdErr == nil, "%v, not %v", err, stdErr)
	if err == nil {
		require.True(t, bytes.Equal(want, out))
	}
	return err == nil
}

package inflate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// oddReader gives pieces of odd sizes, now and then nothing, and err behind the last.
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

func readers(src []byte) map[string]io.Reader {
	odd := func(most int) io.Reader {
		return &oddReader{src, rand.New(rand.NewPCG(14, uint64(most))), most, io.EOF}
	}
	return map[string]io.Reader{
		"whole":         bytes.NewReader(src),
		"one byte":      iotest.OneByteReader(bytes.NewReader(src)),
		"half":          iotest.HalfReader(bytes.NewReader(src)),
		"data with EOF": iotest.DataErrReader(bytes.NewReader(src)),
		"up to 7":       odd(7),
		"up to 1000":    odd(1000),
		"up to 70000":   odd(70000),
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	for _, s := range append(samples(), hugeSamples()...) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for name, r := range readers(s.src) {
				got := streamed(r, len(s.want))
				require.NoError(t, got.err, name)
				require.True(t, bytes.Equal(s.want, got.out), name)
			}
			d := Get()
			defer d.Free()
			d.Stream(bytes.NewReader(s.src))
			require.NoError(t, iotest.TestReader(d, s.want))
			n, err := d.Read(make([]byte, 1))
			assert.Zero(t, n)
			assert.Equal(t, io.EOF, err, "again")
		})
	}
}

// TestStreamBuffered: what a stream reads from its source and does not use is told.
func TestStreamBuffered(t *testing.T) {
	t.Parallel()
	for _, s := range append(samples(), hugeSamples()...) {
		for _, tail := range []int{0, 1, 8, 1000, 100000} {
			r := bytes.NewReader(append(bytes.Clone(s.src), noise(tail)...))
			d := Get()
			d.Stream(r)
			n, err := io.Copy(io.Discard, d)
			require.NoError(t, err, s.name)
			require.Equal(t, int64(len(s.want)), n, s.name)
			assert.Equal(t, tail, d.Buffered()+r.Len(), s.name)
			d.Free()
		}
	}
}

// TestStreamError: what the source gives before an error comes out, and then that error.
func TestStreamError(t *testing.T) {
	t.Parallel()
	for _, s := range append(samples(), hugeSamples()...) {
		r := rand.New(rand.NewPCG(15, uint64(len(s.src))))
		cuts := []int{20000, 40000, 65536, len(s.src) - 1}
		for range 10 {
			cuts = append(cuts, r.IntN(len(s.src)))
		}
		for i, n := range cuts {
			if n >= len(s.src) {
				continue
			}
			broken := []error{errors.New("of the source"), io.ErrUnexpectedEOF}[i%2]
			d := Get()
			d.Stream(&oddReader{s.src[:n], r, 1 + r.IntN(40000), broken})
			out, err := io.ReadAll(d)
			require.Equal(t, broken, err, s.name)
			require.True(t, bytes.HasPrefix(s.want, out), s.name)
			least, _, _ := flateDecode(s.src[:max(0, n-heldBack)], len(s.want))
			require.GreaterOrEqual(t, len(out), len(least), "%s, first %d of %d bytes", s.name, n, len(s.src))
			_, err = d.Read(make([]byte, 1))
			require.Equal(t, broken, err, "again")
			d.Free()
		}
	}
}

// TestStreamErrorBehind: an error behind the end of the stream does not matter, whether it comes
// with the last bytes or after them.
func TestStreamErrorBehind(t *testing.T) {
	t.Parallel()
	for _, s := range append(samples(), hugeSamples()...) {
		for _, tail := range []int{0, 1, 1000} {
			src := append(bytes.Clone(s.src), noise(tail)...)
			broken := errors.New("of the source")
			for name, r := range map[string]io.Reader{
				"behind the last byte": io.MultiReader(bytes.NewReader(src), iotest.ErrReader(broken)),
				"with the last byte":   iotest.DataErrReader(io.MultiReader(bytes.NewReader(src), iotest.ErrReader(broken))),
				"up to 10":             &oddReader{src, rand.New(rand.NewPCG(16, 16)), 10, broken},
			} {
				got := streamed(r, len(s.want))
				require.NoError(t, got.err, "%s, %s", s.name, name)
				require.True(t, bytes.Equal(s.want, got.out), "%s, %s", s.name, name)
			}
		}
	}
}

// stuckReader gives nothing and no error.
type stuckReader struct{}

func (stuckReader) Read([]byte) (int, error) { return 0, nil }

func TestStreamWithoutProgress(t *testing.T) {
	t.Parallel()
	d := Get()
	defer d.Free()
	d.Stream(stuckReader{})
	_, err := d.Read(make([]byte, 10))
	assert.Equal(t, io.ErrNoProgress, err)
}

// TestStreamMutations holds broken streams against the reference.
func TestStreamMutations(t *testing.T) {
	t.Parallel()
	for i, s := range hugeSamples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(17, uint64(i)))
			for k := range 12 {
				src := bytes.Clone(s.src)
				at := r.IntN(len(src))
				if k%3 == 0 {
					src = src[:at]
				} else {
					src[at] ^= 1 << r.IntN(8)
				}
				most := 2*len(s.want) + 1000
				want, _, err := flateDecode(src, most)
				if errors.Is(err, errReferenceBig) {
					continue
				}
				for name, reader := range readers(src) {
					got := streamed(reader, most)
					require.Equal(t, err == nil, got.err == nil, "%s: %v, %v", name, err, got.err)
					if err == nil {
						require.True(t, bytes.Equal(want, got.out), name)
					} else {
						require.True(t, bytes.HasPrefix(want, got.out), "%s: a stream gives nothing that is not there", name)
					}
				}
			}
		})
	}
}

// pieceReader gives pieces of n bytes at most.
type pieceReader struct {
	r io.Reader
	n int
}

func (p pieceReader) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), p.n)]) }

// TestStreamPlaces moves a stored block, and what follows it, over every place around 32 KiB, which
// is how much a stream reads at least before it decodes.
func TestStreamPlaces(t *testing.T) {
	t.Parallel()
	start, end := noise(33000), noise(1500)
	for shift := 0; shift < 1500; shift += stride(11) {
		var w bitWriter
		w.stored(false, start[:31000+shift])
		for range shift % 8 {
			w.fixed(false)
		}
		ts := literals("some text")
		w.fixed(false, ts...)
		w.stored(false, []byte("stored"))
		lit, dist := set(257, map[int]uint8{'a': 1, 256: 1}), []uint8{0}
		w.dynamic(false, false, lit, dist, literals("aaa")...)
		w.stored(true, end)
		want := append(bytes.Clone(start[:31000+shift]), "some textstoredaaa"...)
		want = append(want, end...)
		for name, r := range map[string]io.Reader{
			"whole":    bytes.NewReader(w.b),
			"32 KiB":   pieceReader{bytes.NewReader(w.b), 32 << 10},
			"one byte": iotest.OneByteReader(bytes.NewReader(w.b)),
		} {
			got := streamed(r, len(want))
			require.NoError(t, got.err, "%s, %d", name, shift)
			require.True(t, bytes.Equal(want, got.out), "%s, %d", name, shift)
		}
	}
}

// TestStreamFarMatches reaches back by up to 32 KiB where the window was moved.
func TestStreamFarMatches(t *testing.T) {
	t.Parallel()
	for _, dist := range []int{1, 2, 7, 8, 1000, 32767, 32768} {
		t.Run(fmt.Sprintf("distance=%d", dist), func(t *testing.T) {
			t.Parallel()
			var w bitWriter
			w.stored(false, noise(dist))
			r := rand.New(rand.NewPCG(18, uint64(dist)))
			var ts []token
			for range 4000 {
				ts = append(ts, token{length: 3 + r.IntN(256), dist: dist}, token{literal: byte(r.Uint32())})
			}
			w.fixed(true, ts...)
			want := expand(noise(dist), ts...)
			for name, r := range readers(w.b) {
				got := streamed(r, len(want))
				require.NoError(t, got.err, name)
				require.True(t, bytes.Equal(want, got.out), name)
			}
		})
	}
}

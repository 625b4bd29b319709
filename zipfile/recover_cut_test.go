package zipfile_test

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/internal/inflate"
	"zipcat.dev/zipfile/ziptest"
)

// heldBack is how much of the input the decoder of the build tag purego may hold back, in bytes.
func heldBack() int {
	if inflate.Has64 {
		return 0
	}
	return 2
}

// deflatedAt gives deflated data, and what of it can be decoded of a beginning.
func deflatedAt(t testing.TB, level int, p []byte) (raw []byte, least func(n int) int) {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, level)
	require.NoError(t, err)
	_, err = w.Write(p)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	raw = b.Bytes()
	return raw, func(n int) int {
		out, _ := io.ReadAll(flate.NewReader(bytes.NewReader(raw[:max(0, n-heldBack())])))
		return len(out)
	}
}

// All that can be decoded of an entry that is cut off is given before the error, whichever method it
// is of and however it is read.
func TestRecoverCutContents(t *testing.T) {
	type cut struct {
		method uint16
		data   []byte
		raw    []byte
		least  func(n int) int // bytes, of n of raw
	}
	var text []byte
	for r := rand.New(rand.NewPCG(1, 2)); len(text) < 86000; {
		text = fmt.Appendf(text, "line %d of some text\n", r.IntN(1000))
	}
	cases := []cut{{0, text[:2000], text[:2000], func(n int) int { return n }}}
	for _, size := range []int{4, 100, 3000, len(text)} {
		for _, level := range []int{flate.NoCompression, 6, flate.HuffmanOnly} {
			raw, least := deflatedAt(t, level, text[:size])
			cases = append(cases, cut{ziptest.Deflate, text[:size], raw, least})
			if level != 6 && inflate.Has64 { // without matches it is Deflate64 too
				cases = append(cases, cut{9, text[:size], raw, least})
			}
		}
	}
	short := text[:500]
	for method, at := range map[uint16]func(n int) int{
		1: func(n int) int { return n * 8 / 9 },
		2: func(n int) int { return n - 256*6/8 },
		4: func(n int) int { return n - 256*6/8 },
		6: func(n int) int { return (n - 10) * 8 / 9 },
	} {
		least := func(n int) int { return min(max(at(n), 0), len(short)-1) } // the last byte may have unused bits
		cases = append(cases, cut{method, short, asLiterals(method, string(short)), least})
	}
	for _, c := range cases {
		a := archiveOf(ziptest.Entry{Name: "cut", Data: c.data, Raw: c.raw, Method: c.method})
		image, begin := a.Bytes(), int(a.Build().Entries[0].Data)
		step := 1 + len(c.raw)/300
		for n := 1; n < len(c.raw); n += step {
			z, err := recovered(t, image[:begin+n])
			require.NoError(t, err)
			require.Equal(t, 1, z.Len())
			rc, err := z.At(0).Open()
			require.NoError(t, err)
			got, err := io.ReadAll(rc)
			rc.Close()
			require.Error(t, err)
			require.True(t, bytes.HasPrefix(c.data, got))
			require.GreaterOrEqual(t, len(got), c.least(n), "method %d, %d bytes, cut at %d of %d", c.method, len(c.data), n, len(c.raw))

			rc, err = z.At(0).Open()
			require.NoError(t, err)
			var written bytes.Buffer
			_, err = rc.(io.WriterTo).WriteTo(&written)
			rc.Close()
			require.Error(t, err)
			require.True(t, bytes.Equal(got, written.Bytes()), "method %d, %d bytes, cut at %d of %d", c.method, len(c.data), n, len(c.raw))
			z.Close()
		}
	}
}

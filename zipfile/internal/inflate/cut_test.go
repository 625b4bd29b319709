package inflate

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// cutSamples are streams of blocks of each kind, of 4 bytes of contents to some 300 KB.
func cutSamples() []sample {
	all := append(samples(), hugeSamples()...)
	add := func(name string, f func(w *bitWriter, p []byte)) {
		for _, n := range []int{4, 100, 3000, 60000} {
			var w bitWriter
			f(&w, words(n))
			all = append(all, sample{fmt.Sprintf("%s, %d bytes", name, n), w.b, words(n)})
		}
	}
	add("stored", func(w *bitWriter, p []byte) { w.stored(true, p) })
	add("fixed", func(w *bitWriter, p []byte) { w.fixed(true, literals(string(p))...) })
	add("dynamic", func(w *bitWriter, p []byte) {
		lit := append(bytes.Repeat([]uint8{8}, 255), 9, 9)
		w.dynamic(true, false, lit, []uint8{0}, literals(string(p))...)
	})
	add("flate", func(w *bitWriter, p []byte) { w.b = deflate(9, p) })
	for _, level := range []int{0, 1, 6, -2} {
		p := bytes.Repeat(words(150000), 2)
		all = append(all, sample{fmt.Sprintf("flate level %d, twice", level), deflate(level, p), p})
	}
	return all
}

// cuts are the places where a stream is cut: all of a short one, and of a long one those near its ends
// and where a piece of input ends, and some.
func cuts(src []byte) (all []int) {
	near := sparse(20)
	r := rand.New(rand.NewPCG(19, uint64(len(src))))
	for n := range src {
		edge := min(n, len(src)-n, max(n-inputPiece, inputPiece-n), max(n-2*inputPiece, 2*inputPiece-n))
		if len(src) <= sparse(3000) || edge < near || r.IntN(len(src)) < sparse(60) {
			all = append(all, n)
		}
	}
	return all
}

const inputPiece = 64 << 10

// TestCutGivesAll: what can be decoded of a stream that is cut off comes out before the error, at least
// as much as from compress/flate.
func TestCutGivesAll(t *testing.T) {
	t.Parallel()
	for _, s := range cutSamples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			broken := errors.New("of the source")
			r := rand.New(rand.NewPCG(20, 20))
			for _, n := range cuts(s.src) {
				src := s.src[:n:n]
				least, _, _ := flateDecode(src[:max(0, n-heldBack)], len(s.want))
				got := streamed(bytes.NewReader(src), len(s.want))
				require.Equal(t, ErrCut, got.err, "first %d of %d bytes", n, len(s.src))
				requireAll(t, least, s.want, got.out, n)
				got = streamed(&oddReader{src, r, 1 + r.IntN(40000), broken}, len(s.want))
				require.Equal(t, broken, got.err, "first %d of %d bytes", n, len(s.src))
				requireAll(t, least, s.want, got.out, n)
			}
		})
	}
}

// requireAll wants of the first n bytes of a stream some of want, and no less than least.
func requireAll(t *testing.T, least, want, got []byte, n int) {
	t.Helper()
	require.GreaterOrEqual(t, len(got), len(least), "first %d bytes", n)
	require.True(t, bytes.HasPrefix(want, got), "first %d bytes", n)
}

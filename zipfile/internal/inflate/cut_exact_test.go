//go:build !purego

package inflate

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCutExact: a stream that is cut off gives what the reference makes of it, no byte less or more.
func TestCutExact(t *testing.T) {
	t.Parallel()
	for _, s := range cutSamples() {
		if len(s.src) > sparse(3000) {
			continue
		}
		for n := range s.src {
			want, _, _ := reference(s.src[:n:n], false, len(s.want))
			got := streamed(bytes.NewReader(s.src[:n:n]), len(s.want))
			require.Equal(t, ErrCut, got.err, "%s, first %d of %d bytes", s.name, n, len(s.src))
			requireAll(t, want, want, got.out, n)
		}
	}
}

// TestCutExact64 is TestCutExact for Deflate64.
func TestCutExact64(t *testing.T) {
	t.Parallel()
	for _, s := range samples64() {
		for _, n := range cuts(s.src) {
			want, _, _ := reference(s.src[:n:n], true, len(s.want))
			got := streamed64(bytes.NewReader(s.src[:n:n]), len(s.want))
			require.Equal(t, ErrCut, got.err, "%s, first %d of %d bytes", s.name, n, len(s.src))
			requireAll(t, want, want, got.out, n)
		}
	}
}

// TestCutMutations: a stream that is broken and cut off gives what comes before the one or the other.
func TestCutMutations(t *testing.T) {
	t.Parallel()
	for _, s := range smallSamples() {
		r := rand.New(rand.NewPCG(21, uint64(len(s.src))))
		for range sparse(400) {
			src := bytes.Clone(s.src[:r.IntN(len(s.src))])
			if len(src) == 0 {
				continue
			}
			src[r.IntN(len(src))] ^= 1 << r.IntN(8)
			want, _, err := reference(src, false, fuzzMost)
			if err == nil || err == errReferenceBig {
				continue
			}
			got := streamed(bytes.NewReader(src), fuzzMost)
			require.Error(t, got.err)
			requireAll(t, want, want, got.out, len(src))
			if got.err == ErrCut { // else the fault is known before the reference has read so far
				assert.Equal(t, err, got.err, s.name)
			}
		}
	}
}

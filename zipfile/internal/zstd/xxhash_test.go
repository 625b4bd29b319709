package zstd

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestXXH64: values that other programs give.
func TestXXH64(t *testing.T) {
	t.Parallel()
	var x xxh64
	for text, want := range map[string]uint64{
		"":    0xef46db3751d8e999,
		"a":   0xd24ec4f1a98c6e5b,
		"abc": 0x44bc2cf5ad770999,
		"Nobody inspects the spammish repetition": 0xfbcea83c8a378bf1,
	} {
		x.reset()
		x.update([]byte(text))
		require.Equal(t, want, x.sum(), text)
	}
}

// TestXXH64Pieces: pieces make no difference.
func TestXXH64Pieces(t *testing.T) {
	t.Parallel()
	p := random(1, 200)
	for n := range p {
		var x, y xxh64
		x.reset()
		x.update(p[:n])
		for i := range n + 1 {
			y.reset()
			y.update(p[:i])
			y.update(p[i:n])
			require.Equal(t, x.sum(), y.sum())
		}
		y.reset()
		for i := range n {
			y.update(p[i : i+1])
		}
		require.Equal(t, x.sum(), y.sum())
	}
}

package zstd

import (
	"bytes"
	"io"
	"math"
	"runtime"
	"testing"

	peer "github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// allocated is how many bytes f allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC() // twice empties pools
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestMemoryOfHeaders: what a header declares is not allocated.
func TestMemoryOfHeaders(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	small := blockOf(blockRLE, 300, true, []byte("a"))
	single := join(le(magic, 4), []byte{singleSegment | 3<<6}, le(1<<40, 8), small)
	for name, c := range map[string]struct {
		src  []byte
		size int64
	}{
		"a window":            {frameOf(0xff, small), math.MaxInt64},
		"a window, no size":   {frameOf(0xff, small), -1},
		"a window, cut":       {frameOf(0xff, small)[:8], math.MaxInt64},
		"one segment":         {single, math.MaxInt64},
		"one segment, cut":    {single[:14], -1},
		"a block":             {frameOf(0xff, blockOf(blockCompressed, maxBlock, true)), -1},
		"literals":            {frameOf(0xff, compressedOf(le(literalsRLE|3<<2|maxBlock<<4, 3), []byte{0}, noSequences)), -1},
		"a skippable frame":   {join(le(skippable, 4), le(math.MaxUint32, 4)), -1},
		"many sequences":      {frameOf(0xff, compressedOf(rawLiterals(""), []byte{255, 255, 255, 0, 1})), -1},
		"an RLE block of all": {frameOf(0xff, blockOf(blockRLE, maxBlock, true, []byte("a"))), -1},
	} {
		got := allocated(func() {
			z := NewReader(bytes.NewReader(c.src), c.size, 0)
			defer z.Free()
			io.Copy(io.Discard, z)
		})
		assert.Less(t, got, int64(500<<10), name)
	}
}

// TestMemoryOfManyBlocks: blocks do not make the window grow each time, whatever size is declared.
func TestMemoryOfManyBlocks(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	blocks := bytes.Repeat(blockOf(blockRLE, 1000, false, []byte("a")), 1000)
	src := frameOf(0x50, append(blocks, blockOf(blockRLE, 1, true, []byte("a"))...)) // a window of 1 MiB
	for _, size := range []int64{-1, 0, 1, 1_000_001, math.MaxInt32, math.MaxInt64 - 100, math.MaxInt64} {
		got := allocated(func() {
			z := NewReader(bytes.NewReader(src), size, 0)
			defer z.Free()
			n, err := io.Copy(io.Discard, z)
			assert.NoError(t, err)
			assert.Equal(t, int64(1_000_001), n)
		})
		assert.Less(t, got, int64(4<<20), "%d declared", size)
	}
}

// TestMemoryOfWindow: the window gets as long as the frame's and a block more, or as the contents.
func TestMemoryOfWindow(t *testing.T) {
	t.Parallel()
	p := words(1, 3<<20)
	src := encode(t, p, peer.WithWindowSize(512<<10), peer.WithZeroFrames(true))
	large := encode(t, p, peer.WithWindowSize(64<<20))
	exact := encode(t, p, peer.WithWindowSize(4<<20))
	for _, c := range []struct {
		name string
		src  []byte
		size int64
		max  int64
		most int
	}{
		{"a small window", src, int64(len(p)), 0, 512<<10 + maxBlock},
		{"no size", src, -1, 0, 512<<10 + maxBlock},
		{"a wrong size", src, 1000, 0, 512<<10 + maxBlock},
		{"a limit", src, -1, 512 << 10, 512<<10 + maxBlock},
		{"a large window", large, int64(len(p)), 0, len(p) + maxBlock},
		{"a large window within a limit", large, int64(len(p)), 4 << 20, len(p) + maxBlock},
		{"a window of the contents", exact, int64(len(p)), 4 << 20, len(p) + maxBlock},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			z := NewReader(bytes.NewReader(c.src), c.size, c.max)
			defer z.Free()
			z.out = nil // not one from the pool that is longer
			var got bytes.Buffer
			_, err := io.Copy(&got, z)
			require.NoError(t, err)
			require.True(t, bytes.Equal(p, got.Bytes()))
			assert.LessOrEqual(t, len(z.out), c.most+2*slack)
		})
	}
}

// TestMemoryLimit: what refers farther back than the limit is told, and nothing else.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	p := random(1, 1<<20)
	src := encode(t, append(p, p...), peer.WithWindowSize(4<<20))
	_, err := decode(bytes.NewReader(src), -1, 1<<20)
	require.NoError(t, err)
	_, err = decode(bytes.NewReader(src), -1, 1<<20-1)
	require.ErrorIs(t, err, ErrMemory)
	require.Contains(t, err.Error(), "more memory needed than allowed: 1048576 bytes")
	src = encode(t, append(p, random(2, 1<<20)...), peer.WithWindowSize(4<<20))
	got, err := decode(bytes.NewReader(src), -1, 1000)
	require.NoError(t, err)
	require.Len(t, got, 2<<20)
}

// TestAllocs: with a Reader from the pool an entry allocates nothing.
func TestAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	buf := make([]byte, 32<<10)
	for _, n := range []int{0, 10, 5000, 1 << 20} {
		src := encode(t, words(1, n), peer.WithWindowSize(1<<20))
		in := bytes.NewReader(nil)
		got := testing.AllocsPerRun(50, func() {
			in.Reset(src)
			z := NewReader(in, int64(n), 512<<20)
			for {
				if _, err := z.Read(buf); err != nil {
					break
				}
			}
			z.Free()
		})
		assert.Less(t, got, 1.0, n)
	}
}

// TestFree: large windows are not kept, small ones are.
func TestFree(t *testing.T) {
	t.Parallel()
	p := words(1, 3<<20)
	for _, window := range []int{1 << 20, 4 << 20} {
		z := NewReader(bytes.NewReader(encode(t, p, peer.WithWindowSize(window))), -1, 0)
		_, err := io.Copy(io.Discard, z)
		require.NoError(t, err)
		z.free()
		require.Equal(t, window <= 1<<20, z.out != nil)
		require.Nil(t, z.r)
	}
}

// Package backendtest tests implementations of [backend.Backend], and helps to test
// what reads from one.
//
// A Backend passes [RunTests] in a few lines of its own test file:
//
//	func TestBackend(t *testing.T) {
//		backendtest.RunTests(t, func(tb testing.TB, content []byte) backend.Backend {
//			return mine.New(content)
//		})
//	}
//
// [RunBenchmarks] measures it the same way, [RunAllocs] is for those that promise
// reads without allocation, and [Faulty] makes reads fail.
package backendtest

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
)

// OpenFunc opens a new Backend that holds content, which it must not change. The
// suite closes the Backend; a second Close in a tb.Cleanup does no harm. Where
// opening fails it calls tb.Fatal.
type OpenFunc func(tb testing.TB, content []byte) backend.Backend

// RunTests tests the contract of [backend.Backend], that of [backend.Viewer] where
// it is offered, and [backend.Section] on top. It calls open many times, from
// several goroutines, with contents up to 256 KiB. Run it with the race detector
// too.
func RunTests(t *testing.T, open OpenFunc) {
	tests := []struct {
		name string
		run  func(*testing.T, OpenFunc)
	}{
		{"positions", testPositions},
		{"empty", testEmpty},
		{"outside", testOutside},
		{"concurrent", testConcurrent},
		{"close", testClose},
		{"close against reads", testCloseAgainstReads},
		{"view", testView},
		{"section", testSection},
		{"section bounds", testSectionBounds},
		{"section close", testSectionClose},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open)
		})
	}
}

// RunAllocs tests that reads do not allocate, which [backend.Backend] does not
// demand. It must not run beside parallel tests.
func RunAllocs(t *testing.T, open OpenFunc) {
	if raceEnabled {
		t.Skip("the race detector allocates by itself")
	}
	content := pattern(1 << 16)
	b := openFor(t, open, content)
	p := make([]byte, 4096)
	allocs := testing.AllocsPerRun(100, func() {
		b.ReadAt(p, 12345)            // whole
		b.ReadAt(p, int64(1<<16-100)) // to the end
		b.ReadAt(p[:0], 0)
		b.ReadAt(p, 1<<16)
	})
	assert.Zero(t, allocs, "allocations in four reads")
}

// pattern returns n bytes of which no two nearby runs are the same.
func pattern(n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(uint64(n), 1))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func openFor(tb testing.TB, open OpenFunc, content []byte) backend.Backend {
	tb.Helper()
	b := open(tb, content)
	require.NotNil(tb, b)
	tb.Cleanup(func() { assert.NoError(tb, b.Close()) })
	require.Equal(tb, int64(len(content)), b.Size())
	return b
}

// checkRead reads n bytes at off, which is not negative, and compares all that the
// contract promises.
func checkRead(t *testing.T, r io.ReaderAt, content []byte, off int64, n int) bool {
	t.Helper()
	const margin = 8 // bytes on both sides of p, which are none of the read's business
	buf := bytes.Repeat([]byte{0xa5}, margin+n+margin)
	got, err := r.ReadAt(buf[margin:margin+n], off)

	want := content[min(off, int64(len(content))):]
	want = want[:min(n, len(want))]
	ok := assert.Equal(t, len(want), got, "length of a read of %d bytes at %d", n, off) &&
		assert.True(t, bytes.Equal(want, buf[margin:margin+got]), "bytes of a read of %d bytes at %d", n, off)
	switch end := off + int64(n); {
	case len(want) < n || off > int64(len(content)):
		// Compared with ==, as readers do.
		ok = ok && assert.True(t, err == io.EOF, "error of a read of %d bytes at %d, past the end: %v", n, off, err)
	case err == io.EOF && end == int64(len(content)) && n > 0:
		// io.ReaderAt leaves this open.
	default:
		ok = ok && assert.NoError(t, err, "read of %d bytes at %d", n, off)
	}
	outside := append(buf[:margin:margin], buf[margin+n:]...)
	return ok && assert.Equal(t, bytes.Repeat([]byte{0xa5}, 2*margin), outside, "bytes around the buffer")
}

// checkPositions reads every span of a short content, some bytes past its end
// included.
func checkPositions(t *testing.T, r io.ReaderAt, content []byte) {
	t.Helper()
	for off := range len(content) + 3 {
		for n := range len(content) - min(off, len(content)) + 3 {
			if !checkRead(t, r, content, int64(off), n) {
				return
			}
		}
	}
}

func testPositions(t *testing.T, open OpenFunc) {
	for _, size := range []int{1, 2, 61} {
		content := pattern(size)
		checkPositions(t, openFor(t, open, content), content)
	}

	// Around pages, blocks and the end of something larger.
	content := pattern(1<<18 - 3)
	b := openFor(t, open, content)
	for _, off := range []int64{0, 1, 4095, 4096, 4097, 65535, 65536, 1<<18 - 4096, 1<<18 - 5, 1<<18 - 4} {
		for _, n := range []int{1, 4095, 4096, 4097, 65536, 1 << 18} {
			checkRead(t, b, content, off, n)
		}
	}
}

func testEmpty(t *testing.T, open OpenFunc) {
	checkPositions(t, openFor(t, open, nil), nil)
}

func testOutside(t *testing.T, open OpenFunc) {
	content := pattern(100)
	b := openFor(t, open, content)
	p := make([]byte, 10)

	for _, off := range []int64{100, 101, 1 << 31, 1 << 32, 1<<32 + 5, math.MaxInt64 - 5, math.MaxInt64} {
		n, err := b.ReadAt(p, off)
		assert.Zero(t, n, "offset %d", off)
		assert.True(t, err == io.EOF, "offset %d: %v", off, err)
	}
	for _, off := range []int64{-1, -10, -100, math.MinInt64} {
		for _, q := range [][]byte{p, nil} {
			n, err := b.ReadAt(q, off)
			assert.Zero(t, n, "offset %d", off)
			assert.Error(t, err, "offset %d", off)
			assert.NotErrorIs(t, err, io.EOF, "offset %d", off)
		}
	}
	checkRead(t, b, content, 0, 100) // none of this has hurt it
}

func testConcurrent(t *testing.T, open OpenFunc) {
	content := pattern(1 << 15)
	b := openFor(t, open, content)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 2))
			for range 200 {
				// All spans overlap in the middle.
				off := r.IntN(len(content) / 2)
				if !checkRead(t, b, content, int64(off), len(content)/2+r.IntN(64)-off+g) {
					return
				}
			}
		})
	}
	wg.Wait()
}

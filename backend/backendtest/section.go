package backendtest

import (
	"io/fs"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
)

func section(t *testing.T, b backend.Backend, off, n int64) backend.Backend {
	t.Helper()
	s, err := backend.Section(b, off, n)
	require.NoError(t, err)
	require.Equal(t, n, s.Size())
	return s
}

func testSection(t *testing.T, open OpenFunc) {
	content := pattern(100)
	b := openFor(t, open, content)
	_, viewer := b.(backend.Viewer)
	check := func(s backend.Backend, want []byte) {
		t.Helper()
		checkPositions(t, s, want)
		_, err := s.ReadAt(make([]byte, 1), -1)
		assert.Error(t, err, "a negative offset, though the bytes before the section exist")
		checkRead(t, s, want, math.MaxInt64-1, 1)
		v, ok := s.(backend.Viewer)
		if assert.Equal(t, viewer, ok, "a section of a Viewer is one, of another Backend not") && ok {
			checkView(t, v, want)
		}
	}
	for _, span := range [][2]int64{{0, 100}, {0, 30}, {40, 30}, {70, 30}, {99, 1}, {0, 0}, {50, 0}, {100, 0}} {
		off, n := span[0], span[1]
		check(section(t, b, off, n), content[off:off+n])
	}
	outer := section(t, b, 20, 60)
	check(section(t, outer, 10, 20), content[30:50])
	check(section(t, outer, 0, 60), content[20:80])
	check(section(t, section(t, outer, 10, 20), 5, 5), content[35:40])
}

func testSectionBounds(t *testing.T, open OpenFunc) {
	b := openFor(t, open, pattern(100))
	inner := section(t, b, 10, 50)
	for _, s := range []struct {
		b      backend.Backend
		off, n int64
	}{
		{b, -1, 10},
		{b, 0, -1},
		{b, -5, 5},
		{b, 0, 101},
		{b, 100, 1},
		{b, 101, 0},
		{b, 101, -1},
		{b, 1, math.MaxInt64},
		{b, math.MaxInt64, 1},
		{b, math.MaxInt64, math.MaxInt64},
		{b, math.MinInt64, math.MaxInt64},
		{b, math.MinInt64, math.MinInt64},
		{inner, 0, 51}, // within b, but not within inner
		{inner, 50, 1},
		{inner, -1, 1},
		{inner, 40, math.MaxInt64 - 5},
	} {
		got, err := backend.Section(s.b, s.off, s.n)
		assert.ErrorIs(t, err, fs.ErrInvalid, "section of %d bytes at %d", s.n, s.off)
		assert.Nil(t, got)
	}
}

func testSectionClose(t *testing.T, open OpenFunc) {
	content := pattern(100)
	b := openFor(t, open, content)
	s := section(t, b, 10, 50)
	inner := section(t, s, 10, 10)
	other := section(t, b, 10, 50)
	closed := func(b backend.Backend) {
		t.Helper()
		for _, p := range [][]byte{nil, make([]byte, 5)} {
			for _, off := range []int64{0, 100} {
				_, err := b.ReadAt(p, off)
				assert.ErrorIs(t, err, fs.ErrClosed, "read of %d bytes at %d", len(p), off)
			}
		}
		if v, ok := b.(backend.Viewer); ok {
			err := v.View(0, 1, func([]byte) error { return nil })
			assert.ErrorIs(t, err, fs.ErrClosed, "view")
		}
	}

	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "second Close")
	assert.Equal(t, int64(50), s.Size(), "Size after Close")
	closed(s)
	closed(inner)
	checkRead(t, b, content, 0, 100)
	checkRead(t, other, content[10:60], 0, 50)

	require.NoError(t, b.Close())
	closed(other)
	assert.NoError(t, other.Close(), "Close of a section after that of what it is a section of")
}

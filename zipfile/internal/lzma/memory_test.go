package lzma

import (
	"bytes"
	"io"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// repeated is a stream for method 14 of n zeros, or a few more.
func repeated(n int, dict uint32) []byte {
	e := newEncoder(3, 0, 2)
	e.literal(0)
	for len(e.data) < n {
		e.rep(0, 273)
	}
	return e.stream(dict, true)
}

// repeatedXZ is a file for method 95 of n zeros, or a few more.
func repeatedXZ(n int, dict byte) []byte {
	c := newChunkEncoder()
	c.literal(0)
	reset, total := resetDict, 1
	for ; total < n; reset = resetNothing {
		for len(c.data)-c.from < 1<<20 && total < n {
			c.rep(0, 273)
			total += 273
		}
		c.coded(reset)
	}
	data, want := c.end()
	return (&xzStream{check: 1, blocks: []xzBlock{{dict: dict, data: data, want: want}}}).bytes()
}

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
	const huge = math.MaxInt64
	lzma := NewReader(nil, 0, true, 0)
	lzma.Free()
	small := repeated(300, 1<<32-1)
	xz := repeatedXZ(300, 40)
	for name, open := range map[string]func() io.ReadCloser{
		"LZMA":         func() io.ReadCloser { return closer{NewReader(bytes.NewReader(small), huge, true, 0)} },
		"LZMA no size": func() io.ReadCloser { return closer{NewReader(bytes.NewReader(small), -1, true, 0)} },
		"LZMA cut":     func() io.ReadCloser { return closer{NewReader(bytes.NewReader(small[:20]), huge, true, 0)} },
		"xz":           func() io.ReadCloser { return closer{NewXZReader(bytes.NewReader(xz), huge, 0)} },
		"xz no size":   func() io.ReadCloser { return closer{NewXZReader(bytes.NewReader(xz), -1, 0)} },
		"xz cut":       func() io.ReadCloser { return closer{NewXZReader(bytes.NewReader(xz[:30]), huge, 0)} },
	} {
		got := allocated(func() {
			r := open()
			defer r.Close()
			_, err := io.Copy(io.Discard, r)
			if err != nil {
				require.Equal(t, io.ErrUnexpectedEOF, err, name)
			}
		})
		assert.Less(t, got, int64(400<<10), name)
	}
}

type freer interface {
	io.Reader
	Free()
}

type closer struct{ freer }

func (c closer) Close() error { c.Free(); return nil }

// TestMemoryOfWindow: the window gets as long as the dictionary and a quarter more, or as the
// declared size.
func TestMemoryOfWindow(t *testing.T) {
	t.Parallel()
	const n = 1 << 20
	for _, c := range []struct {
		name     string
		dict     byte
		size     int64
		most     int64
		max      int64
		mayError bool
	}{
		{"a small dictionary", 12, n, 256<<10 + 64<<10 + chunk, 0, false},
		{"no size", 12, -1, 256<<10 + 64<<10 + chunk, 0, false},
		{"the smallest dictionary", 0, n, 5<<10 + chunk, 0, false},
		{"a large dictionary", 24, n + 273, n + 273, 0, false},
		{"a large dictionary, a small limit", 12, n, 256<<10 + chunk, 256 << 10, false},
		{"a dictionary beyond the limit", 12, n, 0, 256<<10 - 1, true},
		{"an entry within the limit", 24, n + 273, n + 273, n + 273, false},
		{"an entry beyond the limit", 24, n, 0, n - 1, true},
		{"an entry that is longer than declared", 24, 1000, 1 << 19, 1 << 19, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []freer{
				NewReader(bytes.NewReader(repeated(n, dictSize(c.dict))), c.size, true, c.max),
				NewXZReader(bytes.NewReader(repeatedXZ(n, c.dict)), c.size, c.max),
			} {
				var w *window
				switch r := r.(type) {
				case *Reader:
					w = &r.d.window
				case *XZReader:
					w = &r.d.window
				}
				w.out = w.out[: base+slack : base+slack] // not one from the pool that is longer
				_, err := io.Copy(io.Discard, r)
				if c.mayError {
					require.ErrorIs(t, err, ErrMemory)
				} else {
					require.NoError(t, err)
				}
				assert.LessOrEqual(t, int64(len(w.out)), c.most+base+slack+chunk+16)
				if c.most == 0 {
					assert.Len(t, w.out, base+slack)
				}
				r.Free()
			}
		})
	}
}

// TestMemoryOfModels: 12 bits of context want 6 MiB.
func TestMemoryOfModels(t *testing.T) {
	t.Parallel()
	e := newEncoder(8, 4, 0)
	e.text(words(5000))
	src := e.stream(1<<16, true)
	got := decode(bytes.NewReader(src), 5000, true, 0x600<<12)
	assert.NoError(t, got.err)
	got = decode(bytes.NewReader(src), 5000, true, 0x600<<12-1)
	assert.ErrorIs(t, got.err, ErrMemory)
}

// TestAllocs: with a decoder from the pool a stream allocates its reader, and xz what belongs to
// its checks and filters.
func TestAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	buf := make([]byte, 32<<10)
	run := func(r freer) {
		for {
			if _, err := r.Read(buf); err != nil {
				break
			}
		}
		r.Free()
	}
	src, xz := repeated(1<<20, 1<<20), repeatedXZ(1<<20, 16)
	in := bytes.NewReader(nil)
	got := testing.AllocsPerRun(20, func() {
		in.Reset(src)
		run(NewReader(in, 1<<20, true, 0))
	})
	assert.LessOrEqual(t, got, 1.0)
	got = testing.AllocsPerRun(20, func() {
		in.Reset(xz)
		run(NewXZReader(in, 1<<20, 0))
	})
	assert.LessOrEqual(t, got, 8.0)
}

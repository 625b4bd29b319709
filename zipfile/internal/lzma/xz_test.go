package lzma

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

func decodeXZ(r io.Reader, size, max int64) (o outcome) {
	x := NewXZReader(r, size, max)
	defer x.Free()
	o.out, o.err = drain(x)
	o.buffered = x.Buffered()
	return o
}

// xzSamples are files for method 95.
func xzSamples() (all []sample) {
	add := func(name string, streams ...xzStream) {
		s := sample{name: name}
		for _, x := range streams {
			s.src = append(s.src, x.bytes()...)
			s.want = append(s.want, x.want()...)
		}
		all = append(all, s)
	}
	text := textBlock(words(50000))
	add("no block", xzStream{check: 1})
	add("empty block", xzStream{check: 4, blocks: []xzBlock{textBlock(nil)}})
	for kind := range byte(16) {
		add(fmt.Sprintf("check %d", kind), xzStream{check: kind, blocks: []xzBlock{text}})
	}
	told := text
	told.sizes = true
	add("sizes", xzStream{check: 1, blocks: []xzBlock{told, text, told, textBlock(nil)}})
	add("streams", xzStream{check: 1, blocks: []xzBlock{text}}, xzStream{}, xzStream{check: 10, blocks: []xzBlock{text, told}})
	for i := range uint64(12) {
		r := rand.New(rand.NewPCG(4, i))
		c := newChunkEncoder()
		c.random(r, 1+r.IntN(20), 1+r.IntN(15000), minDict<<(i%5))
		b := xzBlock{dict: byte(i%5) * 2, sizes: i%2 == 0}
		b.data, b.want = c.end()
		add(fmt.Sprintf("chunks %d", i), xzStream{check: 4, blocks: []xzBlock{b}})
	}
	// A chunk of 2 MiB, the longest, whose compressed data are short.
	c := newChunkEncoder()
	c.literal(0)
	for len(c.data) < 2<<20-273 {
		c.rep(0, 273)
	}
	c.rep(0, 2<<20-len(c.data))
	c.coded(resetDict)
	long := xzBlock{dict: 0}
	long.data, long.want = c.end()
	add("long chunk", xzStream{blocks: []xzBlock{long}})
	all = append(all, filterSamples()...)
	pad := all[len(all)-1]
	pad.name, pad.src = "padding", append(bytes.Clone(pad.src), make([]byte, 80000)...)
	pad.src = append(pad.src, pad.src...)
	pad.want = append(bytes.Clone(pad.want), pad.want...)
	return append(all, pad)
}

func TestXZReader(t *testing.T) {
	t.Parallel()
	for _, s := range xzSamples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int64{int64(len(s.want)), -1, 0, 1} {
				if raceEnabled && len(s.want) > 20000 && size != 1 {
					continue
				}
				got := decodeXZ(bytes.NewReader(s.src), size, 0)
				require.NoError(t, got.err)
				require.True(t, bytes.Equal(s.want, got.out))
				assert.Zero(t, got.buffered)
			}
			for name, r := range readers(s.src) {
				if raceEnabled && len(s.src) > 2000 && name != "up to 1000" {
					continue
				}
				got := decodeXZ(r, int64(len(s.want)), 0)
				require.NoError(t, got.err, name)
				require.True(t, bytes.Equal(s.want, got.out), name)
			}
			if len(s.want) < 10000 {
				d := NewXZReader(bytes.NewReader(s.src), int64(len(s.want)), 0)
				defer d.Free()
				require.NoError(t, iotest.TestReader(d, s.want))
				n, err := d.Read(make([]byte, 1))
				assert.Zero(t, n)
				assert.Equal(t, io.EOF, err, "again")
			}
		})
	}
}

// smallXZ are files whose parts are short.
func smallXZ() (all []sample) {
	text := textBlock([]byte("an archive, an archive, an archive and another one"))
	text.sizes = true
	r := rand.New(rand.NewPCG(8, 8))
	c := newChunkEncoder()
	c.random(r, 6, 100, minDict)
	mixed := xzBlock{filters: []xzFilter{{filterDelta, []byte{0}}}}
	mixed.data, mixed.want = c.end()
	mixed.want = undelta(1, mixed.want)
	for _, x := range []xzStream{
		{},
		{check: 1, blocks: []xzBlock{text}},
		{check: 4, blocks: []xzBlock{mixed, textBlock(nil), text}},
		{check: 10, blocks: []xzBlock{textBlock([]byte("x"))}},
	} {
		all = append(all, sample{name: fmt.Sprint(len(x.blocks), " blocks"), src: x.bytes(), want: x.want()})
	}
	two := sample{name: "two", src: bytes.Clone(all[1].src), want: bytes.Clone(all[1].want)}
	two.src = append(append(two.src, 0, 0, 0, 0), all[3].src...)
	two.want = append(two.want, all[3].want...)
	return append(all, two)
}

func TestXZReaderCut(t *testing.T) {
	t.Parallel()
	for _, s := range smallXZ() {
		end := 0 // of the first stream and the padding
		if s.name == "two" {
			end = len(smallXZ()[1].src)
		}
		for n := range s.src {
			for name, r := range map[string]io.Reader{
				"whole":    bytes.NewReader(s.src[:n]),
				"one byte": iotest.OneByteReader(bytes.NewReader(s.src[:n])),
			} {
				got := decodeXZ(r, int64(len(s.want)), 0)
				require.True(t, bytes.HasPrefix(s.want, got.out), "%s: %d %s", s.name, n, name)
				if end > 0 && n >= end && n < end+4+len(headerMagic) {
					require.NoError(t, got.err, "%s: %d", s.name, n)
					left := n - end
					if left >= 4 {
						left -= 4
					}
					require.Equal(t, left, got.buffered)
					continue
				}
				require.Equal(t, io.ErrUnexpectedEOF, got.err, "%s: %d %s", s.name, n, name)
			}
		}
	}
}

func TestXZReaderBuffered(t *testing.T) {
	t.Parallel()
	for _, s := range smallXZ() {
		for _, tail := range []int{1, 8, 40, 1000, 100000} {
			r := bytes.NewReader(append(bytes.Clone(s.src), words(tail)...))
			got := decodeXZ(r, int64(len(s.want)), 0)
			require.NoError(t, got.err)
			require.True(t, bytes.Equal(s.want, got.out))
			assert.Equal(t, tail, r.Len()+got.buffered)
		}
		// Padding that is no multiple of 4.
		got := decodeXZ(bytes.NewReader(append(bytes.Clone(s.src), make([]byte, 11)...)), int64(len(s.want)), 0)
		require.NoError(t, got.err)
		assert.Equal(t, 3, got.buffered)
	}
}

func TestXZReaderFault(t *testing.T) {
	t.Parallel()
	fault := errors.New("unplugged")
	for _, s := range smallXZ() {
		for n := range len(s.src) + 1 {
			with := &oddReader{s.src[:n], rand.New(rand.NewPCG(1, uint64(n))), 100, fault}
			got := decodeXZ(with, int64(len(s.want)), 0)
			require.Equal(t, fault, got.err, "%s: %d", s.name, n)
			want := decodeXZ(bytes.NewReader(s.src[:n]), int64(len(s.want)), 0)
			require.True(t, bytes.Equal(want.out, got.out), "%s: %d", s.name, n)
		}
	}
}

func TestXZReaderFree(t *testing.T) {
	t.Parallel()
	s := smallXZ()[2]
	d := NewXZReader(bytes.NewReader(append(s.src, 1, 2)), 0, 0)
	_, err := io.ReadAll(d)
	require.NoError(t, err)
	d.Free()
	d.Free()
	_, err = d.Read(make([]byte, 1))
	assert.Equal(t, errFreed, err)
	assert.Equal(t, 2, d.Buffered())
}

func TestXZReaderFlips(t *testing.T) {
	t.Parallel()
	for _, s := range smallXZ() {
		for i := 0; i < len(s.src)*8; i += stride {
			src := bytes.Clone(s.src)
			src[i/8] ^= 1 << (i % 8)
			got := same(t, func(r io.Reader) outcome { return decodeXZ(r, int64(len(s.want)), 1<<20) }, src)
			if got.err == nil && got.buffered == 0 {
				require.Equal(t, s.want, got.out, "a change that is not found")
			}
		}
	}
}

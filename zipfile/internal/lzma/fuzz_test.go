package lzma

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzReader: whatever the bytes, there is an end, the same for each way to read, and no more
// memory than allowed.
func FuzzReader(f *testing.F) {
	for _, s := range small() {
		f.Add(s.src, int64(len(s.want)), s.eos)
	}
	f.Fuzz(func(t *testing.T, src []byte, size int64, eos bool) {
		got := same(t, func(r io.Reader) outcome {
			d := NewReader(r, size, eos, 1<<20)
			defer d.Free()
			var o outcome
			o.out, o.err = drain(d)
			o.marker = d.Marker()
			require.LessOrEqual(t, len(d.d.out), keepRoom)
			return o
		}, src)
		if !eos && size >= 0 && got.err == nil {
			require.LessOrEqual(t, int64(len(got.out)), size)
		}
	})
}

func FuzzXZReader(f *testing.F) {
	for _, s := range smallXZ() {
		f.Add(s.src, int64(len(s.want)))
	}
	for _, s := range filterSamples() {
		if len(s.src) < 1000 {
			f.Add(s.src, int64(len(s.want)))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, size int64) {
		same(t, func(r io.Reader) outcome {
			x := NewXZReader(r, size, 1<<20)
			defer x.Free()
			var o outcome
			o.out, o.err = drain(x)
			require.LessOrEqual(t, len(x.d.out), keepRoom)
			return o
		}, src)
	})
}

// FuzzLZMA2 puts bytes into a file, so that no CRC-32 is in the way.
func FuzzLZMA2(f *testing.F) {
	for i := range byte(3) {
		b := textBlock(words(int(i) * 100))
		f.Add(b.data, i)
	}
	f.Fuzz(func(t *testing.T, data []byte, filters byte) {
		chain := []xzFilter{{filterX86, nil}, {filterRISCV, nil}, {filterIA64, nil}, {filterDelta, []byte{7}}}
		x := xzStream{blocks: []xzBlock{{dict: 4, data: data, filters: chain[filters&3:][:filters>>2&3%(4-filters&3)]}}}
		same(t, func(r io.Reader) outcome { return decodeXZ(r, -1, 1<<20) }, x.bytes())
	})
}

// FuzzFilter: filters undo what filters do.
func FuzzFilter(f *testing.F) {
	for _, b := range branchFilters {
		f.Add(byte(b.id), code(b.id, 50), uint32(0))
	}
	f.Fuzz(func(t *testing.T, id byte, p []byte, at uint32) {
		at &^= 15
		undo, err := newFilter(uint64(id), []byte{byte(at), byte(at >> 8), byte(at >> 16), byte(at >> 24)})
		if err != nil || id == filterDelta {
			return
		}
		got := applyBranch(uint64(id), at, p)
		undo.decode(got)
		require.True(t, bytes.Equal(p, got))
	})
}

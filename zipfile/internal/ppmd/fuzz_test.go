package ppmd

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

const fuzzMost = 1 << 15 // bytes that a stream declares

// FuzzReader: any input gives the same bytes and error however it is read, and leaves a sound
// model.
func FuzzReader(f *testing.F) {
	for _, s := range streams() {
		f.Add(s.src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		got, err := decode(src, fuzzMost)
		require.LessOrEqual(t, len(got), fuzzMost)
		z := NewReader(iotest.OneByteReader(bytes.NewReader(src)), fuzzMost, 0)
		defer z.Free()
		again, err2 := io.ReadAll(iotest.HalfReader(z))
		require.Equal(t, err, err2)
		require.True(t, bytes.Equal(got, again))
		_, err = decodeIn(new(decoder), src, fuzzMost, true)
		require.NoError(t, err)
	})
}

// FuzzRoundTrip: in little memory, so that restoration is what is tried most.
func FuzzRoundTrip(f *testing.F) {
	for _, s := range streams() {
		f.Add(s.data, uint8(0), uint16(0), true)
		f.Add(babble(uint64(len(s.src)), 3000), uint8(len(s.src)), uint16(30*len(s.src)), s.mark)
	}
	f.Fuzz(func(t *testing.T, data []byte, order uint8, memory uint16, cut bool) {
		n, size := minOrder+int(order)%(maxOrder-minOrder+1), 6<<10+uint32(memory)
		e := newEncoder(n, size, cut, size)
		for _, sym := range data {
			e.encode(int(sym))
		}
		e.flush()
		require.NoError(t, e.verify())
		requireDecodesSmall(t, data, e.out, n, size, cut)
	})
}

// FuzzBits: any bits, in little memory.
func FuzzBits(f *testing.F) {
	for _, s := range streams() {
		f.Add(s.src, uint8(0), uint16(0), true)
	}
	f.Add(noise(8000), uint8(3), uint16(3000), true)
	f.Add(noise(8000), uint8(14), uint16(1000), true)
	f.Fuzz(func(t *testing.T, src []byte, order uint8, memory uint16, cut bool) {
		n, size := minOrder+int(order)%(maxOrder-minOrder+1), 6<<10+uint32(memory)
		z := newDecoder(src, n, size, cut)
		if z.err != nil {
			return
		}
		out := make([]byte, 1000)
		for range fuzzMost / len(out) {
			if _, s := z.d.decode(out); s != going || z.d.pos > z.d.end {
				return
			}
			require.NoError(t, z.d.verify())
			z.fill()
		}
	})
}

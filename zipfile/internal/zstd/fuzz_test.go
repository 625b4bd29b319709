package zstd

import (
	"bytes"
	"testing"
	"testing/iotest"

	peer "github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// FuzzReader: whatever the bytes, there is an end, the same for each way to read, and the other
// decoder says the same.
func FuzzReader(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.src)
	}
	f.Fuzz(fuzz)
}

// FuzzBlock puts bytes into the last block of a frame, behind one that has codes to repeat.
func FuzzBlock(f *testing.F) {
	first := blocksOf(encode(f, words(1, 3000), peer.WithEncoderCRC(false)))
	first[0] &^= 1 // not the last
	for _, s := range samples(f) {
		if b := blocksOf(s.src); len(b) > blockHeader+4 {
			f.Add(b[blockHeader : len(b)-4])
		}
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		if len(p) < maxBlock {
			fuzz(t, join(frameOf(7<<3, first), blockOf(blockCompressed, len(p), true, p)))
		}
	})
}

// blocksOf is a frame without its header.
func blocksOf(src []byte) []byte {
	n := 6 + [4]int{0, 2, 4, 8}[src[4]>>6]
	if src[4]&singleSegment != 0 && src[4]>>6 != 0 {
		n--
	}
	return src[n:]
}

func fuzz(t *testing.T, src []byte) {
	got, err := decode(bytes.NewReader(src), 100, 1<<20)
	again, errAgain := decode(iotest.OneByteReader(bytes.NewReader(src)), -1, 1<<20)
	require.Equal(t, err, errAgain)
	require.True(t, bytes.Equal(got, again))
	want, peerErr := decodePeer(src)
	if refusesWindow(peerErr) {
		return
	}
	require.Equal(t, peerErr == nil, err == nil, "%x: %v, the other %v", src, err, peerErr)
	if err == nil {
		require.True(t, bytes.Equal(want, got))
	}
}

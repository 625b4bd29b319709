package bitreader_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/internal/bitreader"
)

// However the bytes come, the bits are the same, and none is lost or counted twice.
func TestReader(t *testing.T) {
	src := make([]byte, 13*1000)
	for i := range src {
		src[i] = byte(i * i >> 3)
	}
	for name, r := range map[string]io.Reader{
		"whole":             bytes.NewReader(src),
		"one byte":          iotest.OneByteReader(bytes.NewReader(src)),
		"half":              iotest.HalfReader(bytes.NewReader(src)),
		"data with the end": iotest.DataErrReader(bytes.NewReader(src)),
	} {
		t.Run(name, func(t *testing.T) {
			var in bitreader.Reader
			in.Reset(r)
			for at := uint(0); at < uint(8*len(src)); at += 13 {
				require.NoError(t, in.Refill(13))
				got := in.Bits & (1<<13 - 1)
				var want uint64
				for i := range uint(13) {
					want |= uint64(src[(at+i)/8]>>((at+i)%8)&1) << i
				}
				require.Equal(t, want, got, "bit %d", at)
				in.Bits >>= 13
				in.N -= 13
			}
			require.Equal(t, io.ErrUnexpectedEOF, in.Refill(1))
			require.Zero(t, in.Unused())
		})
	}
}

func TestErrors(t *testing.T) {
	var in bitreader.Reader
	failed := errors.New("failed")
	in.Reset(iotest.ErrReader(failed))
	require.Equal(t, failed, in.Refill(1))
	in.Reset(stuck{})
	require.Equal(t, io.ErrNoProgress, in.Refill(1))
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

package reduce

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// FuzzReader holds the Reader against the reference, with inputs and outputs in pieces of all
// sizes.
func FuzzReader(f *testing.F) {
	for factor := 1; factor <= 4; factor++ {
		for _, s := range samples() {
			if len(s.want) <= 2000 {
				for _, e := range encoders(factor) {
					f.Add(e.encode(s.want), uint16(len(s.want)), uint8(factor-1), uint64(len(s.want)))
				}
			}
		}
		f.Add(plainly('a', 144, 255, 255, 255), uint16(1000), uint8(factor-1), uint64(1))
	}
	f.Fuzz(func(t *testing.T, src []byte, size uint16, less uint8, seed uint64) {
		factor := 1 + int(less%4)
		want, used, cut, bad := reference(src, int(size), factor)
		broken := errors.New("of the input")
		var message string
		for i, r := range []io.Reader{
			bytes.NewReader(src),
			iotest.OneByteReader(bytes.NewReader(src)),
			iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(src))),
			&oddReader{src, rand.New(rand.NewPCG(seed, 2)), 1 + int(seed%300), broken},
		} {
			z := NewReader(r, int64(size), factor)
			out, err := decoded(z, 1+int((seed>>8)%5000))
			require.True(t, bytes.Equal(want, out))
			switch {
			case cut && i == 3:
				require.Equal(t, broken, err)
			case cut:
				require.Equal(t, io.ErrUnexpectedEOF, err)
			case bad != nil:
				require.Error(t, err)
				require.NotEqual(t, io.ErrUnexpectedEOF, err)
				require.Equal(t, i > 0, message != "")
				if i > 0 {
					require.Equal(t, message, err.Error())
				}
				message = err.Error()
			default:
				require.NoError(t, err)
				require.Len(t, out, int(size))
				if r, ok := r.(*bytes.Reader); ok {
					require.Equal(t, len(src)-used, z.Buffered()+r.Len())
				}
			}
			z.Free()
		}
	})
}

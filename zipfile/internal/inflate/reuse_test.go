package inflate

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReuse decodes all samples, good and broken, with one decoder.
func TestReuse(t *testing.T) {
	t.Parallel()
	d := Get()
	defer d.Free()
	r := rand.New(rand.NewPCG(5, 5))
	all := samples()
	for range sparse(2000) {
		s := all[r.IntN(len(all))]
		src, dst := s.src, make([]byte, len(s.want))
		switch r.IntN(6) {
		case 0:
			d.Decode(dst, src[:r.IntN(len(src))])
		case 1:
			src = bytes.Clone(src)
			src[r.IntN(len(src))] ^= 1 << r.IntN(8)
			d.Decode(dst, src)
		case 2:
			d.Stream(bytes.NewReader(src))
			d.Read(make([]byte, r.IntN(1000)))
		case 3:
			d.Decode64(dst, src)
		default:
			used, err := d.Decode(dst, src)
			require.NoError(t, err, s.name)
			require.True(t, bytes.Equal(s.want, dst), s.name)
			require.Equal(t, len(src), used, s.name)
		}
	}
}

// TestCodesAfterOthers: no code is left from a stream before.
func TestCodesAfterOthers(t *testing.T) {
	t.Parallel()
	var small bitWriter // has codes for all that can be a code length, and short distances
	lit := append(bytes.Repeat([]uint8{5}, 31), set(227, map[int]uint8{225: 6, 226: 6})...)
	small.dynamic(true, false, lit, []uint8{2, 2, 2, 2}, append(literals("\x00\x01\x02\x12"), token{length: 3, dist: 1})...)
	all := [][]byte{companion().src, small.b, deflate(6, nil)}
	d := Get()
	defer d.Free()
	stream := func(src []byte) verdict {
		d.Stream(bytes.NewReader(src))
		out, err := io.ReadAll(d)
		return verdict{out: out, err: err}
	}
	for _, before := range all {
		require.NoError(t, stream(before).err)
	}
	for _, c := range codeCases() {
		var decoded, streams []verdict
		size := len(stream(c.src).out)
		for _, before := range all {
			stream(before)
			dst := make([]byte, size)
			used, err := d.Decode(dst, c.src)
			if err != nil {
				dst, used = nil, 0
			}
			decoded = append(decoded, verdict{dst, used, err})
			stream(before)
			streams = append(streams, stream(c.src))
		}
		for i := range all {
			assert.Equal(t, decoded[0], decoded[i], c.name)
			assert.Equal(t, streams[0], streams[i], c.name)
		}
	}
}

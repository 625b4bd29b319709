//go:build purego

package inflate

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// differences are where klauspost/compress departs from what the tests want, by the error that the
// reference gives for a stream. No stream that zlib accepts is among them.
var differences = map[error]difference{
	errReferenceNoEnd: {why: "klauspost/compress looks for the end of a block when it comes, so that a stream gives what is in a block that has no code for it"},
	errReferenceEmpty: {accepts: true, why: "klauspost/compress keeps the table of the block before where a code is empty, so that it may accept a stream that uses the code"},
}

// heldBack is how much of the input in front of the end may give nothing, in bytes: klauspost/compress
// asks for more bits than a code has where more must follow.
const heldBack = 2

// errorsOfCut are none, as klauspost/compress looks at no bit that is not there.
var errorsOfCut []error

// TestNoDeflate64: what is not there fails, and harms nothing.
func TestNoDeflate64(t *testing.T) {
	t.Parallel()
	require.False(t, Has64)
	d := Get()
	defer d.Free()
	c := companion()
	dst := make([]byte, len(c.want))
	for range 2 {
		_, err := d.Decode64(dst, c.src)
		assert.Equal(t, errNo64, err)
		d.Stream64(bytes.NewReader(c.src))
		_, err = d.Read(dst)
		assert.Equal(t, errNo64, err)
		_, err = d.Decode(dst, c.src)
		require.NoError(t, err)
		assert.Equal(t, c.want, dst)
	}
}

//go:build purego

package inflate

import (
	"errors"
	"io"
)

// Has64 says whether Deflate64 is there. It is not: github.com/klauspost/compress has none.
const Has64 = false

var errNo64 = errors.New("deflate64 is not part of this build")

// Decode64 fails.
func (d *Decoder) Decode64(dst, src []byte) (used int, err error) { return 0, errNo64 }

// Stream64 starts a stream that fails.
func (d *Decoder) Stream64(r io.Reader) { d.Stream(failing{}) }

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errNo64 }

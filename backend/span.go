package backend

import "io"

// clip returns the part of p that a read at off can fill from size bytes, and the
// error that belongs to a read that filled this part: nil, io.EOF, or that of a
// negative offset.
func clip(p []byte, off, size int64) ([]byte, error) {
	switch {
	case off < 0:
		return nil, negativeOffset(off)
	case off > size, off == size && len(p) > 0:
		return nil, io.EOF
	case int64(len(p)) > size-off:
		return p[:size-off], io.EOF
	}
	return p, nil
}

// checkView returns the error of a View outside size bytes.
func checkView(off int64, n int, size int64) error {
	switch {
	case off < 0:
		return negativeOffset(off)
	case n < 0:
		return negativeLength(int64(n))
	case off > size || int64(n) > size-off:
		return io.EOF
	}
	return nil
}

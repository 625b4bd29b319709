package ppmd

import (
	"errors"
	"fmt"
)

var (
	// ErrMemory: the model asks for more memory than it may take. What Read gives wraps it and
	// says how much that is.
	ErrMemory = errors.New("more memory needed than allowed")
	// ErrUnsupported: parameters that PPMd knows and zip's decoders do not.
	ErrUnsupported = errors.New("not supported")
	// ErrLong: the stream goes on after all the bytes that were declared.
	ErrLong = errors.New("more data than declared")
)

var (
	errFreed   = errors.New("reader was freed")
	errCorrupt = errors.New("invalid PPMd data")
	errOrder   = errors.New("invalid PPMd order 1")
)

func tooLarge(need, limit int64) error {
	return fmt.Errorf("%w: the PPMd model asks for %d bytes, the limit is %d", ErrMemory, need, limit)
}

func unsupported(method int) error {
	return fmt.Errorf("PPMd restoration method %d is %w", method, ErrUnsupported)
}

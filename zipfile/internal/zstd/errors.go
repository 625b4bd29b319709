package zstd

import (
	"errors"
	"fmt"
)

var (
	// ErrMemory: the contents refer farther back than the memory that the caller allows. Errors that
	// wrap it say how far.
	ErrMemory = errors.New("more memory needed than allowed")
	// ErrUnsupported: the data may be right, but use what this package does not know.
	ErrUnsupported = errors.New("not supported")
)

// What is wrong with a frame. Input that ends too early is io.ErrUnexpectedEOF.
var (
	errMagic    = errors.New("not a zstd frame")
	errReserved = errors.New("zstd frame header with the reserved bit")
	errSize     = errors.New("zstd frame does not have the size that its header declares")
	errChecksum = errors.New("zstd content checksum mismatch")

	errBlockType = errors.New("zstd block of the reserved type")
	errBlockSize = errors.New("zstd block is larger than its frame allows")
	errBlock     = errors.New("zstd block ends too early")

	errLiterals = errors.New("zstd literals do not have the size that is declared")
	errTreeless = errors.New("zstd literals want the Huffman code of a block before, and there is none")
	errWeights  = errors.New("invalid weights of a Huffman code")
	errHuffman  = errors.New("zstd Huffman stream does not end as it must")
	errStreams  = errors.New("invalid sizes of four Huffman streams")

	errModes     = errors.New("zstd sequences with reserved bits")
	errRepeat    = errors.New("zstd sequences want the codes of a block before, and there are none")
	errAccuracy  = errors.New("FSE table is too large")
	errSymbol    = errors.New("FSE symbol out of range")
	errSequences = errors.New("zstd sequences do not end as they must")
	errTooFew    = errors.New("zstd sequences want more bits than there are")
	errOffset    = errors.New("invalid zstd offset")
	errTooFar    = errors.New("zstd offset reaches before the beginning or beyond the window")
)

// found is an error with what was found.
func found(err error, format string, args ...any) error {
	return fmt.Errorf("%w: %s", err, fmt.Sprintf(format, args...))
}

// tooLarge is ErrMemory for a need of so many bytes.
func tooLarge(need uint64) error { return fmt.Errorf("%w: %d bytes", ErrMemory, need) }

// unsupported is ErrUnsupported with the name of what it is.
func unsupported(format string, args ...any) error {
	return fmt.Errorf("%s %w", fmt.Sprintf(format, args...), ErrUnsupported)
}

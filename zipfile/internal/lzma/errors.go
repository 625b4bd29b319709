package lzma

import (
	"errors"
	"fmt"
)

var (
	// ErrMemory: the stream wants a larger dictionary than the caller allows. Errors that wrap it
	// say how large.
	ErrMemory = errors.New("more memory needed than allowed")
	// ErrUnsupported: the stream may be right, but uses what this package does not know.
	ErrUnsupported = errors.New("not supported")
	// ErrLong: an LZMA stream without end marker goes on after all the bytes that were declared.
	ErrLong = errors.New("more data than declared")
)

// What is wrong with a stream. Input that ends too early is io.ErrUnexpectedEOF.
var (
	errFreed = errors.New("reader was freed")

	errProperties = errors.New("invalid LZMA properties")
	errCoder      = errors.New("range coder starts with invalid bytes")
	errFinal      = errors.New("range coder does not end as it must")
	errTooFar     = errors.New("distance reaches before the beginning or beyond the dictionary")

	errControl   = errors.New("invalid control byte of an LZMA2 chunk")
	errReset     = errors.New("LZMA2 chunk without the reset that it needs")
	errChunk     = errors.New("LZMA2 chunk does not take the bytes that it declares")
	errEndMarker = errors.New("end marker within LZMA2")

	errMagic       = errors.New("not an xz stream")
	errHeaderCRC   = errors.New("xz header with a wrong CRC-32")
	errHeader      = errors.New("invalid xz block header")
	errNumber      = errors.New("invalid number in an xz header")
	errPadding     = errors.New("xz padding that is not zero")
	errSizes       = errors.New("xz block does not have the size that its header declares")
	errIndex       = errors.New("xz index does not tell the blocks that are there")
	errFooter      = errors.New("invalid xz stream footer")
	errCheckFailed = errors.New("xz integrity check failed")
)

// tooLarge is ErrMemory for a need of so many bytes.
func tooLarge(need int64) error { return fmt.Errorf("%w: %d bytes", ErrMemory, need) }

// unsupported is ErrUnsupported with the name of what it is.
func unsupported(format string, args ...any) error {
	return fmt.Errorf("%s %w", fmt.Sprintf(format, args...), ErrUnsupported)
}

// Package inflate decodes DEFLATE (RFC 1951) and Deflate64 for archives, whose entries have a
// known size: from one buffer to another, two entries side by side, and as a stream.
//
// It is the one package of this project that uses unsafe and assembly. What keeps an access
// within bounds is room behind every buffer: the inner loops look at their limits once for a step
// of one or two symbols, in assembly once for two steps, and what they may read or write until they
// look again is less than that room (see outSlack and InSlack). The room is the decoder's own business: it decodes into buffers of its
// own and copies an input that has none.
//
// Build tags: purego replaces the decoder by that of github.com/klauspost/compress; noasm leaves
// out the assembly; safe has the compiler check every access.
package inflate

import "errors"

var (
	// ErrLong: the stream goes on after all the bytes that were declared.
	ErrLong = errors.New("more data than declared")
	// ErrShort: the stream ends before all the bytes that were declared.
	ErrShort = errors.New("less data than declared")
	// ErrCut: the input ends within the stream.
	ErrCut = errors.New("deflate stream is cut off")
)

const (
	// MaxRatio is what DEFLATE can give for a byte: 258 bytes for each two bits.
	MaxRatio = 1032
	// InSlack is how much capacity behind its input a decoder may look at, in bytes. An input that has
	// less is copied. The loops go on while the position is at most 8 bytes behind the end; until they
	// look again they advance by at most four refills of at most 7 bytes (in assembly: two steps, each
	// with one more in a subtable), and the last of them reads 8: 8 + 3*7 + 8 < InSlack.
	InSlack = 64
)

// Job is one entry to decode.
type Job struct {
	Src  []byte // the stream, and perhaps more; what is behind it in the same array may be read
	Size int    // bytes that it must give
	Tag  int    // the caller's
}

// chunk is how much a stream decodes at a time, in bytes; with purego, how much it reads.
const chunk = 128 << 10

// Package bzip2 decodes bzip2 streams, the contents of zip entries of method 12 (APPNOTE 4.4.5).
//
// A stream is a header that limits the size of a block, blocks, and a checksum. A block went
// through four steps, which are undone in this order, a file each: Huffman codes of positions in
// a list of recent bytes (symbols.go), the Burrows-Wheeler transform (walk.go), runs of four equal
// bytes and a count (runs.go). Each step but the last does a whole block.
//
// The format has no specification by its author; what is said of it here is in "bzip2 Format
// Specification" by Joe Tsai (2016), which was drawn from the behaviour of bzip2 1.0.
package bzip2

import (
	"io"
	"sync"
)

// Reader decodes one or more streams that follow each other. It is not safe for concurrent use.
//
// It needs some 120 KB, and for a block of n bytes (900,000 at most, by the stream's header)
// 4n for the transform and up to 1.25n + 16 KB for the bytes, both by what the block turns out
// to hold and not by what the header says.
type Reader struct {
	bits
	err      error  // what Read gives when all output is given out
	level    int    // of the stream: hundreds of thousands of bytes in a block; 0 between streams
	combined uint32 // checksum of the blocks so far
	block    bool   // in the output of a block

	// Header of the block.
	sum       uint32 // its checksum
	random    bool
	origin    int
	selectors [maxSelectors]uint8
	used      int // of selectors
	tables    [maxTables]table
	list      [32]uint64 // recent bytes, eight a word, the latest lowest
	alphabet  int        // symbols

	tokens [64]token // of a group, and some room
	token  token     // that is not complete
	shift  uint64    // of the next digit for it
	counts [256]uint32
	data   []byte   // bytes of the block in the order of the transform, then in pieces of the right order
	size   int      // bytes of the block
	next   []uint32 // see walk.go
	walk
	runs
}

var pool = sync.Pool{New: func() any { return new(Reader) }}

// NewReader starts to decode from r, which is read in pieces of up to 64 KiB.
func NewReader(r io.Reader) *Reader {
	z := pool.Get().(*Reader)
	z.open(r)
	z.err, z.level, z.block = nil, 0, false
	return z
}

// Free gives the memory back. The Reader may not be used any more.
func (z *Reader) Free() {
	z.r, z.rerr, z.err = nil, nil, nil
	pool.Put(z)
}

// Read decodes the next bytes. It gives io.EOF behind the last stream, io.ErrUnexpectedEOF when
// the input ends within one, and an error of the source as it is when what the source gave before
// is decoded. The checksum of a block is checked when its bytes were given out.
//
// What follows a stream and does not begin with "BZh" and a digit from 1 to 9 is left over: see
// Buffered.
func (z *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for z.err == nil {
		if z.block {
			if n := z.give(p); n > 0 {
				return n, nil
			}
			z.err = z.endBlock()
			continue
		}
		if z.err = z.advance(); z.err != nil && z.overrun() {
			z.err = z.cut() // whatever was made of bytes that are not there
		}
	}
	return 0, z.err
}

// Buffered returns how many bytes were read from the source and are not used.
func (z *Reader) Buffered() int { return max(z.end-z.consumed(), 0) }

// Package bzip2 decodes bzip2 streams, the contents of zip entries of method 12 (APPNOTE 4.4.5).
//
// A stream is a header that limits the size of a block, blocks, and a checksum. A block went
// through four steps, which are undone in this order, a file each: Huffman codes of positions in
// a list of recent bytes (symbols.go), the Burrows-Wheeler transform (walk.go), runs of four equal
// bytes and a count (runs.go). Each step but the last does a whole block.
//
// The author of the format left no specification; "BZIP2: Format Specification" (Joe Tsai, 2016)
// describes what bzip2 1.0.6 does. A stream is accepted when bzip2 1.0.8 and 7-Zip 26.02 both do:
// they differ over codes that overlap, which only bzip2 takes, and over a run at the end of a block
// without its count, which only 7-Zip takes. The bits behind the end of a stream may be anything, as
// for bzip2.
package bzip2

import (
	"io"
	"sync"
)

// Reader decodes one or more streams that follow each other. It is not safe for concurrent use.
//
// It needs some 140 KB, and for a block of n bytes (900,000 at most, by the stream's header)
// up to 5n for the transform and 1.25n + 24 KB for the bytes, both by what the block turns out
// to hold and not by what the header says: 5 MB at most.
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

	// Codes of the block.
	tokens [64]token // of a group, and some room
	token  token     // that is not complete
	shift  uint64    // of the next digit for it

	// Bytes of the block, size of them, in the order of the transform, and then in the pieces that
	// walk made of them.
	data   []byte
	size   int
	counts [256]uint32 // of each value
	next   []uint32    // see walk
	walk
	runs
}

var pool = sync.Pool{New: func() any { return new(Reader) }}

// NewReader starts to decode from r, which is read in pieces of up to 64 KiB. Free should be called
// when it is done with.
func NewReader(r io.Reader) *Reader {
	z := pool.Get().(*Reader)
	z.open(r)
	return z
}

func (z *Reader) open(r io.Reader) {
	z.bits.open(r)
	z.err, z.level, z.block = nil, 0, false
}

// Free gives the memory back to a pool. The Reader may not be used any more.
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
func (z *Reader) Buffered() int {
	if z.overrun() {
		return 0
	}
	return z.end - z.consumed()
}

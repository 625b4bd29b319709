// Package zstd decodes Zstandard frames (RFC 8878), the contents of zip entries of method 93
// (APPNOTE 4.4.5) and of the older 20.
//
// A frame is a header, blocks, and a checksum. A block has literals, mostly in a Huffman code
// (literals.go, huffman.go), and sequences of three numbers in FSE codes (fse.go): so many literals,
// then a match of so many bytes from so far back (sequences.go).
//
// What the RFC leaves open is decided as the reference decoder does. No dictionaries are known, nor
// the formats before version 0.8 of the reference decoder.
package zstd

import (
	"io"
	"sync"
)

// Reader decodes frames that follow each other. It is not safe for concurrent use.
//
// It needs some 100 KB, up to 350 KB for long blocks, and a window that grows by four as the output
// does, up to the smaller of the window that the frame declares and the memory that the caller
// allows, and 128 KB more, or to the size of the contents where that is less. No number in a
// header makes it allocate anything else.
type Reader struct {
	input
	window
	frame
	err     error           // what Read gives when all output is given out
	left    int64           // bytes that are expected still, negative where that is unknown
	limit   int64           // of the window
	lit     []byte          // literals of a block
	huffman huffman         // the code of literals used last
	codes   [kinds]seqTable // those of sequences used last
	logs    [kinds]uint     // bits of their states
	counts  counts          // of the code that is being read
}

var pool = sync.Pool{New: func() any { return new(Reader) }}

// NewReader starts to decode from r, which is read in pieces of up to 64 KiB, or 192 KiB where
// blocks are long, at the first Read. size is how many bytes are declared, negative where that is
// unknown: there may be more or fewer, the window is made for so many. maxMemory is how many bytes a
// window may take, 0 for any. Free should be called when it is done with.
func NewReader(r io.Reader, size, maxMemory int64) *Reader {
	z := pool.Get().(*Reader)
	z.open(r, size, maxMemory)
	return z
}

func (z *Reader) open(r io.Reader, size, maxMemory int64) {
	z.input.open(r)
	z.window.open(0, 0, 0)
	z.frame = frame{}
	z.err, z.left, z.limit = nil, max(size, -1), maxMemory
}

// Free gives the memory back to a pool. The Reader may not be used any more.
func (z *Reader) Free() {
	z.free()
	pool.Put(z)
}

func (z *Reader) free() {
	z.input.open(nil)
	z.err = nil
	if len(z.out) > keepRoom {
		z.out = nil
	}
}

// Read gives decoded bytes, however many there are, and io.EOF behind the last frame. What follows
// a frame has to be another. Input of no bytes has no contents.
//
// Other errors are io.ErrUnexpectedEOF where the input ends too early, an error of the source as it
// is, one that wraps [ErrMemory] or [ErrUnsupported], or one that says what is wrong with the data.
// Bytes of the blocks before are given first; the checksum of a frame is checked when they were
// given out.
func (z *Reader) Read(p []byte) (int, error) {
	b, err := z.Next(len(p))
	return copy(p, b), err
}

// Next is Read without a copy: the bytes, most at most, are valid until the next call.
func (z *Reader) Next(most int) ([]byte, error) {
	if most <= 0 {
		return nil, nil
	}
	for z.given == z.o {
		if z.err != nil {
			return nil, z.err
		}
		z.err = z.advance()
	}
	b := z.out[z.given : z.given+min(most, z.o-z.given)]
	z.given += len(b)
	return b, nil
}

// Buffered returns how many bytes were read from the source and are not used.
func (z *Reader) Buffered() int { return z.end - z.pos }

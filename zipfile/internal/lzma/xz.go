package lzma

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"io"
	"strings"
)

const (
	streamHeaderLen = 12 // magic, flags (2 bytes), CRC-32 of the flags
	headerMagic     = "\xfd7zXZ\x00"
)

// XZReader decodes the .xz format. It is for one goroutine at a time.
type XZReader struct {
	d      *decoder
	left   int64 // declared bytes that are to come, 0 also when there are more; -1 where unknown
	max    int64
	err    error // what Read gives when all output is given out
	stage  func(*XZReader) error
	unused int // see Buffered, when the decoder is gone

	block  block
	chunks chunks
	chain  chain
	check  check

	// Of the stream: its flags, the number of its blocks, and a digest of their sizes, which the
	// index tells again. It takes no memory for each of them.
	flags  byte
	blocks uint64
	sizes  hash.Hash
}

// NewXZReader starts to decode from r, which is read in pieces of up to 64 KiB, at the first
// Read. size is how many bytes are declared, negative where that is unknown. maxMemory is how many
// bytes the dictionary may take, or the declared size where that is less; 0 is no limit.
//
// Streams may follow each other, with padding between. What is behind the last and is neither is
// not used, see Buffered.
func NewXZReader(r io.Reader, size, maxMemory int64) *XZReader {
	return &XZReader{d: getDecoder(r), left: max(size, -1), max: maxMemory, stage: (*XZReader).firstStream}
}

// Read gives decoded bytes, however many there are, and io.EOF behind the last stream, when all
// checks, sizes and indexes agree with the bytes. An integrity check of a kind that is not CRC-32,
// CRC-64 or SHA-256 is not verified, as xz does.
//
// Other errors are io.ErrUnexpectedEOF where the input ends too early, an error of the source
// as it is, one that wraps [ErrMemory] or [ErrUnsupported], or one that says what is wrong with
// the data. Bytes that were decoded before are given first.
func (x *XZReader) Read(p []byte) (int, error) {
	if x.d == nil {
		return 0, errFreed
	}
	for !x.ready() && x.err == nil {
		if len(p) == 0 {
			return 0, nil
		}
		x.err = x.stage(x)
	}
	var n int
	if x.chain.used() {
		n = x.chain.take(p)
	} else {
		n = x.d.take(p)
	}
	if n > 0 || len(p) == 0 {
		return n, nil
	}
	return 0, x.err
}

// ready reports whether there is output to give out.
func (x *XZReader) ready() bool {
	if x.chain.used() {
		return x.chain.ready() > 0
	}
	return x.d.o > x.d.given
}

// Buffered returns how many bytes were read from the source and are not used.
func (x *XZReader) Buffered() int {
	if x.d == nil {
		return x.unused
	}
	return x.d.unused()
}

// Free gives back the memory of the reader, which gives nothing but errors from then on. Freeing
// twice is fine.
func (x *XZReader) Free() {
	if x.d != nil {
		x.unused = x.d.unused()
		x.d.free()
		x.d, x.chunks.d, x.chain = nil, nil, chain{}
	}
}

// The stages. Each takes the next part of the input; all output is given out before.

func (x *XZReader) firstStream() error {
	d := x.d
	if !d.need(len(headerMagic)) {
		if h := d.peek(); !strings.HasPrefix(headerMagic, string(h)) {
			return errMagic
		}
		return d.cut()
	}
	if string(d.peek()[:len(headerMagic)]) != headerMagic {
		return errMagic
	}
	return x.stream()
}

// stream takes the header of a stream, section 2.1.1.
func (x *XZReader) stream() error {
	d := x.d
	if !d.need(streamHeaderLen) {
		return d.cut()
	}
	h := d.peek()[:streamHeaderLen]
	if binary.LittleEndian.Uint32(h[8:]) != crc32.ChecksumIEEE(h[6:8]) {
		return errHeaderCRC
	}
	if h[6] != 0 || h[7] > 15 {
		return unsupported("xz stream with flags %#x", h[6:8])
	}
	x.flags, x.blocks = h[7], 0
	if x.sizes == nil {
		x.sizes = sha256.New()
	}
	x.sizes.Reset()
	d.pos += streamHeaderLen
	x.stage = (*XZReader).nextBlock
	return nil
}

// nextBlock starts a block, or takes the index and what follows it.
func (x *XZReader) nextBlock() error {
	d := x.d
	if !d.need(1) {
		return d.cut()
	}
	if d.buf[d.pos] == 0 {
		x.stage = (*XZReader).nextStream
		return x.index()
	}
	x.stage = (*XZReader).data
	return x.openBlock()
}

// data decodes some of a block.
func (x *XZReader) data() error {
	d := x.d
	done, err := x.chunks.more()
	b := &x.block
	if n := int64(d.o - d.given); b.size >= 0 && n > b.size-b.produced {
		d.o = d.given + int(b.size-b.produced)
		err = errSizes
	}
	p := d.out[d.given:d.o]
	b.produced += int64(len(p))
	if x.left >= 0 {
		x.left = max(x.left-int64(len(p)), 0)
	}
	if x.chain.used() {
		d.given = d.o
		if done {
			p = x.chain.flush()
		} else {
			p = x.chain.add(p)
		}
	}
	x.check.update(p)
	if done {
		x.stage = (*XZReader).nextBlock
		return x.closeBlock()
	}
	return err
}

// nextStream looks for another stream behind padding, which is a multiple of 4 zeros (section
// 2.2).
func (x *XZReader) nextStream() error {
	d := x.d
	for d.need(4) && binary.LittleEndian.Uint32(d.peek()) == 0 {
		d.pos += 4
	}
	if !d.need(len(headerMagic)) {
		return d.err
	}
	if string(d.peek()[:len(headerMagic)]) != headerMagic {
		return io.EOF
	}
	return x.stream()
}

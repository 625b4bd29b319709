package zstd

import (
	"encoding/binary"
	"io"
)

const (
	magic         = 0xfd2fb528
	skippable     = 0x184d2a50 // and 15 more
	skippableMask = 0xfffffff0

	// The frame header descriptor (3.1.1.1.1).
	singleSegment = 1 << 5
	reservedBit   = 1 << 3
	hasChecksum   = 1 << 2

	maxBlock    = 128 << 10 // bytes of a block, compressed or not
	blockHeader = 3         // bytes
)

// The types of blocks (3.1.1.2.2).
const (
	blockRaw = iota
	blockRLE
	blockCompressed
)

const unknown = 1<<64 - 1

// frame is what is known of the frame.
type frame struct {
	stage   stage
	summed  bool   // there is a checksum
	size    uint64 // of the contents, or unknown
	done    uint64 // bytes of them
	reach   uint64 // how many bytes the window has, as declared
	block   int    // how many bytes a block has at most
	skip    uint32 // bytes of a skippable frame
	sum     xxh64
	reps    [3]uint32 // offsets used last
	huffSet bool      // there was a Huffman code
	seqSet  bool      // there were codes of sequences
}

type stage uint8

const (
	atFrame stage = iota
	inSkippable
	atBlock
	atChecksum
)

// advance takes the next part of the input.
func (z *Reader) advance() error {
	switch z.stage {
	case atFrame:
		return z.header()
	case inSkippable:
		return z.skipSome()
	case atBlock:
		return z.nextBlock()
	}
	return z.endFrame()
}

// header takes the header of a frame.
func (z *Reader) header() error {
	if !z.need(4) {
		h := z.peek()
		switch {
		case len(h) == 0:
			return z.input.err
		case z.input.err == io.EOF && !couldBe(h):
			return found(errMagic, "it begins with % x", h)
		}
		return z.cut()
	}
	switch m := binary.LittleEndian.Uint32(z.peek()); {
	case m&skippableMask == skippable:
		if !z.need(8) {
			return z.cut()
		}
		z.skip = binary.LittleEndian.Uint32(z.peek()[4:])
		z.pos += 8
		z.stage = inSkippable
		return nil
	case m>>8 == magic>>8 && m&0xff >= 0x22 && m&0xff <= 0x27, m == 0x1eb52ffd:
		return unsupported("zstd format of a version before 0.8")
	case m != magic:
		return found(errMagic, "it begins with % x, expected 28 b5 2f fd", z.peek()[:4])
	}
	if !z.need(6) {
		return z.cut()
	}
	descriptor := z.peek()[4]
	if descriptor&reservedBit != 0 {
		return found(errReserved, "descriptor %#02x", descriptor)
	}
	single := descriptor&singleSegment != 0
	idLen := [4]int{0, 1, 2, 4}[descriptor&3]
	sizeLen := [4]int{0, 2, 4, 8}[descriptor>>6]
	at := 5
	if single {
		sizeLen = max(sizeLen, 1)
	} else {
		at++
	}
	if !z.need(at + idLen + sizeLen) {
		return z.cut()
	}
	h := z.peek()[:at+idLen+sizeLen]
	if id := number(h[at : at+idLen]); id != 0 {
		return unsupported("zstd dictionary %d is", id)
	}
	z.size = unknown
	if sizeLen > 0 {
		if z.size = number(h[at+idLen:]); sizeLen == 2 {
			z.size += 256
		}
	}
	if z.reach = z.size; !single {
		base := uint64(1) << (10 + h[5]>>3)
		z.reach = base + base/8*uint64(h[5]&7)
	}
	z.block = int(min(z.reach, maxBlock))
	z.window.open(min(z.reach, z.size), z.block, z.limit)
	z.pos += len(h)
	z.summed = descriptor&hasChecksum != 0
	z.done = 0
	z.sum.reset()
	z.reps = [3]uint32{1, 4, 8}
	z.huffSet, z.seqSet = false, false
	z.stage = atBlock
	return nil
}

// couldBe reports whether h, less than 4 bytes, may be the beginning of a frame.
func couldBe(h []byte) bool {
	match := func(m uint32, first byte) bool {
		m = m&^0xff | uint32(first)
		for i, c := range h {
			if c != byte(m>>(8*i)) {
				return false
			}
		}
		return true
	}
	return match(magic, magic&0xff) || h[0]&0xf0 == skippable&0xf0 && match(skippable, h[0])
}

// number is a little-endian number.
func number(p []byte) (n uint64) {
	for i, c := range p {
		n |= uint64(c) << (8 * i)
	}
	return n
}

// skipSome passes over bytes of a skippable frame.
func (z *Reader) skipSome() error {
	if z.skip > 0 && !z.need(1) {
		return z.cut()
	}
	n := min(uint64(z.skip), uint64(z.end-z.pos))
	z.pos += int(n)
	if z.skip -= uint32(n); z.skip == 0 {
		z.stage = atFrame
	}
	return nil
}

// nextBlock decodes a block.
func (z *Reader) nextBlock() error {
	if !z.need(blockHeader) {
		return z.cut()
	}
	h := int(number(z.peek()[:blockHeader]))
	last, kind, n := h&1 != 0, h>>1&3, h>>3
	if n > z.block {
		return found(errBlockSize, "%d bytes, expected %d at most", n, z.block)
	}
	room, stored := n, n
	switch kind {
	case blockRaw:
	case blockRLE:
		stored = 1
	case blockCompressed:
		room = int(min(uint64(z.block), z.size-z.done))
	default:
		return errBlockType
	}
	if !z.need(blockHeader + stored) {
		return z.cut()
	}
	if uint64(room) > z.size-z.done {
		return z.wrongSize(uint64(room))
	}
	z.room(room, z.expected())
	from := z.o
	switch at := z.pos + blockHeader; kind {
	case blockRaw:
		z.o += copy(z.out[from:from+n], z.buf[at:])
	case blockRLE:
		fill(z.out[from:from+n], z.buf[at])
		z.o += n
	case blockCompressed:
		if err := z.compressed(at, at+n, room); err != nil {
			z.o = from
			return err
		}
	}
	z.pos += blockHeader + stored
	made := z.out[from:z.o]
	z.done += uint64(len(made))
	if z.left >= 0 {
		z.left -= int64(len(made))
	}
	if z.summed {
		z.sum.update(made)
	}
	if last {
		z.stage = atChecksum
	}
	return nil
}

// expected is how many bytes should follow, negative where that is unknown.
func (z *Reader) expected() int64 {
	if left := z.size - z.done; z.size != unknown && left < 1<<62 && (z.left < 0 || int64(left) < z.left) {
		return int64(left)
	}
	return z.left
}

// compressed decodes the block buf[at:end], of limit bytes at most.
func (z *Reader) compressed(at, end, limit int) error {
	lits, n, at, err := z.literals(at, end)
	if err != nil {
		return err
	}
	return z.sequences(lits, n, at, end, limit)
}

// endFrame checks the contents of a frame.
func (z *Reader) endFrame() error {
	if z.size != unknown && z.done != z.size {
		return z.wrongSize(0)
	}
	if z.summed {
		if !z.need(4) {
			return z.cut()
		}
		got, want := uint32(z.sum.sum()), binary.LittleEndian.Uint32(z.peek())
		if got != want {
			return found(errChecksum, "contents have %08x, expected %08x", got, want)
		}
		z.pos += 4
	}
	z.stage = atFrame
	return nil
}

func (z *Reader) wrongSize(more uint64) error {
	return found(errSize, "%d bytes, expected %d", z.done+more, z.size)
}

func fill(p []byte, c byte) {
	if len(p) == 0 {
		return
	}
	p[0] = c
	for n := 1; n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
}

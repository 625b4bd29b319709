package lzma

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// block is what is known of a block.
type block struct {
	start    int64 // its offset in the input
	data     int64 // the offset of the compressed data
	packed   int64 // their length as the header has it, -1 where it does not say
	size     int64 // the length of the output, the same way
	produced int64
}

// openBlock takes the header of a block, section 3.1: its length (1 byte, in words less one),
// flags (1), sizes if the flags say so, filters, padding, CRC-32.
func (x *XZReader) openBlock() error {
	d := x.d
	n := (int(d.buf[d.pos]) + 1) * 4
	if !d.need(n) {
		return d.cut()
	}
	h := d.peek()[:n]
	if binary.LittleEndian.Uint32(h[n-4:]) != crc32.ChecksumIEEE(h[:n-4]) {
		return errHeaderCRC
	}
	flags := h[1]
	if flags&0x3c != 0 {
		return unsupported("xz block with flags %#x", flags)
	}
	start := d.offset()
	x.block = block{start: start, data: start + int64(n), packed: -1, size: -1}
	f := fields{h[2 : n-4]}
	var err error
	if flags&0x40 != 0 {
		if x.block.packed, err = f.size(); err != nil {
			return err
		}
		if x.block.packed == 0 {
			return errHeader
		}
	}
	if flags&0x80 != 0 {
		if x.block.size, err = f.size(); err != nil {
			return err
		}
	}
	if err := x.openFilters(&f, int(flags&3)+1); err != nil {
		return err
	}
	for _, b := range f.b {
		if b != 0 {
			return unsupported("xz block header with more fields")
		}
	}
	d.pos += n
	x.check.open(x.flags)
	x.chunks.open(d)
	return nil
}

// openFilters takes the fields of n filters. They are in the order in which they were applied:
// the last is LZMA2, which is undone first.
func (x *XZReader) openFilters(f *fields, n int) error {
	var filters []filter
	for i := range n {
		id, p, err := f.filter()
		if err != nil {
			return err
		}
		if i < n-1 {
			filter, err := newFilter(id, p)
			if err != nil {
				return err
			}
			filters = append(filters, filter)
			continue
		}
		if id != filterLZMA2 {
			return unsupported("xz filter %#x at the end of a chain", id)
		}
		if len(p) != 1 || p[0] > 40 {
			return unsupported("LZMA2 with properties %#x", p)
		}
		x.d.dict = dictSize(p[0])
	}
	slices.Reverse(filters)
	if x.chain = (chain{}); len(filters) > 0 {
		x.chain.open(filters, x.d.chainBuffer())
	}
	left := x.left
	if size := x.block.size; size >= 0 && (left < 0 || size < left) {
		left = size
	}
	return x.d.window.open(x.d.dict, left, x.max)
}

// dictSize is the size of the dictionary that a byte up to 40 stands for, section 5.3.1.
func dictSize(b byte) uint32 {
	if b == 40 {
		return 1<<32 - 1
	}
	return (2 | uint32(b)&1) << (b/2 + 11)
}

// closeBlock takes what follows the compressed data of a block: padding and the check.
func (x *XZReader) closeBlock() error {
	d, b := x.d, &x.block
	packed := d.offset() - b.data
	if b.packed >= 0 && b.packed != packed || b.size >= 0 && b.size != b.produced {
		return errSizes
	}
	pad := int(-packed & 3)
	n := pad + x.check.size()
	if !d.need(n) {
		return d.cut()
	}
	p := d.peek()[:n]
	for _, b := range p[:pad] {
		if b != 0 {
			return errPadding
		}
	}
	if !x.check.holds(p[pad:]) {
		return errCheckFailed
	}
	d.pos += n
	x.blocks++
	x.addSizes(uint64(d.offset()-b.start-int64(pad)), uint64(b.produced))
	return nil
}

// addSizes adds the sizes of a block, without its padding and of its output, to their digest.
func (x *XZReader) addSizes(unpadded, size uint64) {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], unpadded)
	binary.LittleEndian.PutUint64(b[8:], size)
	x.sizes.Write(b[:])
}

package lzma

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
)

const (
	streamFooterLen = 12 // CRC-32 of what follows, size of the index (4 bytes, in words less one), flags, magic
	footerMagic     = "YZ"
	numberLen       = 9 // of the longest number
)

// number decodes a number of section 1.2, 7 bits a byte, and its length, which is 0 when b ends
// before it does and -1 when it is invalid.
func number(b []byte) (v uint64, n int) {
	for i, c := range b {
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			if c == 0 && i > 0 { // not the shortest form
				return 0, -1
			}
			return v, i + 1
		}
		if i == numberLen-1 {
			return 0, -1
		}
	}
	return 0, 0
}

// fields takes the fields of a block header one after the other.
type fields struct{ b []byte }

func (f *fields) number() (uint64, error) {
	v, n := number(f.b)
	if n <= 0 {
		return 0, errNumber
	}
	f.b = f.b[n:]
	return v, nil
}

func (f *fields) size() (int64, error) {
	v, err := f.number()
	return int64(v), err // of 63 bits
}

// filter takes the field of a filter: number, size of the properties, properties.
func (f *fields) filter() (id uint64, properties []byte, err error) {
	if id, err = f.number(); err != nil {
		return 0, nil, err
	}
	n, err := f.number()
	if err != nil {
		return 0, nil, err
	}
	if n > uint64(len(f.b)) {
		return 0, nil, errHeader
	}
	properties, f.b = f.b[:n], f.b[n:]
	return id, properties, nil
}

// index takes the index, section 4, and the footer, section 2.1.2.
func (x *XZReader) index() error {
	d := x.d
	start := d.offset()
	var crc uint32
	use := func(n int) {
		crc = crc32.Update(crc, crc32.IEEETable, d.peek()[:n])
		d.pos += n
	}
	next := func() (uint64, error) {
		d.need(numberLen)
		v, n := number(d.peek())
		switch n {
		case 0:
			return 0, d.cut()
		case -1:
			return 0, errNumber
		}
		use(n)
		return v, nil
	}

	use(1) // the zero that tells it from a block
	n, err := next()
	if err != nil {
		return err
	}
	if n != x.blocks {
		return errIndex
	}
	want := x.sizes.Sum(make([]byte, 0, sha256.Size))
	x.sizes.Reset()
	for range n {
		unpadded, err := next()
		if err != nil {
			return err
		}
		size, err := next()
		if err != nil {
			return err
		}
		x.addSizes(unpadded, size)
	}
	if !bytes.Equal(want, x.sizes.Sum(make([]byte, 0, sha256.Size))) {
		return errIndex
	}
	for (d.offset()-start)%4 != 0 {
		if !d.need(1) {
			return d.cut()
		}
		if d.buf[d.pos] != 0 {
			return errPadding
		}
		use(1)
	}
	if !d.need(4) {
		return d.cut()
	}
	if binary.LittleEndian.Uint32(d.peek()) != crc {
		return errHeaderCRC
	}
	d.pos += 4
	return x.footer(d.offset() - start)
}

// footer takes the footer of a stream whose index has size bytes.
func (x *XZReader) footer(size int64) error {
	d := x.d
	if !d.need(streamFooterLen) {
		return d.cut()
	}
	f := d.peek()[:streamFooterLen]
	if string(f[10:]) != footerMagic || binary.LittleEndian.Uint32(f) != crc32.ChecksumIEEE(f[4:10]) {
		return errFooter
	}
	words := int64(binary.LittleEndian.Uint32(f[4:])) + 1
	if f[8] != 0 || f[9] != x.flags || words != size/4 {
		return errFooter
	}
	d.pos += streamFooterLen
	return nil
}

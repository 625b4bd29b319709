package lzma

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"hash/crc64"
)

// xzBlock is a block as a test writes it. Its header is made of these fields, or given as raw.
type xzBlock struct {
	sizes   bool // tell the sizes
	filters []xzFilter
	dict    byte // of LZMA2
	data    []byte
	want    []byte // what data gives, behind the filters
	raw     []byte // the header without its CRC-32
	packed  int64  // told instead of the length of data, where not 0
	size    int64  // told instead of the length of want, where not 0
	check   []byte // instead of the right one
	pad     []byte // instead of zeros
}

type xzFilter struct {
	id         uint64
	properties []byte
}

// xzStream is a stream. What is nil is made from the blocks.
type xzStream struct {
	check  byte
	blocks []xzBlock
	flags  []byte // of the header
	index  []byte // without padding and CRC-32
	footer []byte // without CRC-32 and magic
	magic  string // of the header
	end    string // magic of the footer
}

func appendNumber(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

// sealed is b with its CRC-32 behind it.
func sealed(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)) }

// words fills up to words of 4 bytes.
func padded(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }

func checkOf(kind byte, p []byte) []byte {
	switch kind {
	case 0:
		return nil
	case 1:
		return binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(p))
	case 4:
		return binary.LittleEndian.AppendUint64(nil, crc64.Checksum(p, crc64.MakeTable(crc64.ECMA)))
	case 10:
		s := sha256.Sum256(p)
		return s[:]
	}
	return make([]byte, []int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}[kind])
}

func (b *xzBlock) header() []byte {
	h := []byte{0, byte(len(b.filters))}
	if b.sizes {
		h[1] |= 0xc0
		h = appendNumber(h, uint64(or(b.packed, int64(len(b.data)))))
		h = appendNumber(h, uint64(or(b.size, int64(len(b.want)))))
	}
	for _, f := range append(b.filters[:len(b.filters):len(b.filters)], xzFilter{filterLZMA2, []byte{b.dict}}) {
		h = appendNumber(h, f.id)
		h = append(appendNumber(h, uint64(len(f.properties))), f.properties...)
	}
	h = padded(h)
	h[0] = byte(len(h) / 4)
	return h
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

func (s *xzStream) bytes() []byte {
	flags := s.flags
	if flags == nil {
		flags = []byte{0, s.check}
	}
	all := append([]byte(or(s.magic, headerMagic)), sealed(flags[:2:2])...)
	index := appendNumber([]byte{0}, uint64(len(s.blocks)))
	for i := range s.blocks {
		b := &s.blocks[i]
		h := b.raw
		if h == nil {
			h = b.header()
		}
		h = sealed(h[:len(h):len(h)])
		check := b.check
		if check == nil {
			check = checkOf(s.check, b.want)
		}
		pad := b.pad
		if pad == nil {
			pad = make([]byte, -len(b.data)&3)
		}
		all = append(all, h...)
		all = append(all, b.data...)
		all = append(all, pad...)
		all = append(all, check...)
		index = appendNumber(index, uint64(len(h)+len(b.data)+len(check)))
		index = appendNumber(index, uint64(len(b.want)))
	}
	if s.index != nil {
		index = s.index
	}
	index = sealed(padded(index[:len(index):len(index)]))
	all = append(all, index...)
	footer := s.footer
	if footer == nil {
		footer = append(binary.LittleEndian.AppendUint32(nil, uint32(len(index)/4-1)), flags...)
	}
	all = binary.LittleEndian.AppendUint32(all, crc32.ChecksumIEEE(footer))
	all = append(all, footer...)
	return append(all, or(s.end, footerMagic)...)
}

func (s *xzStream) want() (p []byte) {
	for _, b := range s.blocks {
		p = append(p, b.want...)
	}
	return p
}

// textBlock is a block with one chunk of text.
func textBlock(text []byte) xzBlock {
	c := newChunkEncoder()
	if len(text) > 0 {
		c.encoder.text(text)
		c.coded(resetDict)
	}
	data, want := c.end()
	return xzBlock{dict: 20, data: data, want: want}
}

// storedLZMA2 is LZMA2 of stored chunks.
func storedLZMA2(p []byte) (data []byte) {
	control := byte(1)
	for len(p) > 0 {
		n := min(len(p), 1<<16)
		data = append(data, control, byte((n-1)>>8), byte(n-1))
		data = append(data, p[:n]...)
		p, control = p[n:], 2
	}
	return append(data, 0)
}

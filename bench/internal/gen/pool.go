package gen

import (
	"encoding/binary"
	"math"
)

// Tags of the constant pool, Java Virtual Machine Specification 4.4.
const (
	tagUTF8            = 1
	tagInteger         = 3
	tagLong            = 5
	tagDouble          = 6
	tagClass           = 7
	tagString          = 8
	tagField           = 9
	tagMethod          = 10
	tagInterfaceMethod = 11
	tagNameAndType     = 12
)

// pool builds the constant pool of one class. Each of its methods returns the index of a
// constant, which it adds unless it is there.
type pool struct {
	bytes []byte
	count int // constants so far; the first has index 1
	index map[string]uint16
}

func newPool() *pool { return &pool{index: map[string]uint16{}} }

func (p *pool) add(constant []byte) uint16 {
	if i, ok := p.index[string(constant)]; ok {
		return i
	}
	p.count++
	i := uint16(p.count)
	p.index[string(constant)] = i
	p.bytes = append(p.bytes, constant...)
	if constant[0] == tagLong || constant[0] == tagDouble {
		p.count++ // they take two indices, 4.4.5
	}
	return i
}

func (p *pool) utf8(s string) uint16 {
	b := binary.BigEndian.AppendUint16([]byte{tagUTF8}, uint16(len(s)))
	return p.add(append(b, s...))
}

func (p *pool) pair(tag byte, a, b uint16) uint16 {
	c := binary.BigEndian.AppendUint16([]byte{tag}, a)
	return p.add(binary.BigEndian.AppendUint16(c, b))
}

func (p *pool) class(name string) uint16 {
	return p.add(binary.BigEndian.AppendUint16([]byte{tagClass}, p.utf8(name)))
}

func (p *pool) str(s string) uint16 {
	return p.add(binary.BigEndian.AppendUint16([]byte{tagString}, p.utf8(s)))
}

func (p *pool) integer(v int32) uint16 {
	return p.add(binary.BigEndian.AppendUint32([]byte{tagInteger}, uint32(v)))
}

func (p *pool) long(v int64) uint16 {
	return p.add(binary.BigEndian.AppendUint64([]byte{tagLong}, uint64(v)))
}

func (p *pool) double(v float64) uint16 {
	return p.add(binary.BigEndian.AppendUint64([]byte{tagDouble}, math.Float64bits(v)))
}

// member returns a field or method reference; tag says which.
func (p *pool) member(tag byte, class, name, descriptor string) uint16 {
	nameAndType := p.pair(tagNameAndType, p.utf8(name), p.utf8(descriptor))
	return p.pair(tag, p.class(class), nameAndType)
}

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

// constant is what the pool knows of one. It refers to others by what they say, not by index: they
// may have none yet.
type constant struct {
	tag                     byte
	class, name, descriptor string // a text, a class's name and a string are names
	number                  uint64
}

// pool builds the constant pool of one class, in the order of javac: a constant gets its index
// when it is first named, and what it refers to comes after all that are named directly, unless it
// is one of them. So references stand together at the front with low numbers, and texts that are
// alike stand together too, on which much of the compression of real classes rests.
type pool struct {
	list  []constant
	index map[constant]uint16
	count int // indices so far; the first is 1

	// weight is that of all constants with what they refer to, in bytes. known are those that it has.
	weight int
	known  map[constant]bool
}

func newPool() *pool { return &pool{index: map[constant]uint16{}, known: map[constant]bool{}} }

// add returns the index of a constant, which it adds unless it is there.
func (p *pool) add(c constant) uint16 {
	if i, ok := p.index[c]; ok {
		return i
	}
	p.count++
	i := uint16(p.count)
	p.index[c] = i
	p.list = append(p.list, c)
	if c.tag == tagLong || c.tag == tagDouble {
		p.count++ // they take two indices, 4.4.5
	}
	p.weigh(c)
	return i
}

// parts returns the constants that c refers to.
func (c constant) parts() []constant {
	switch c.tag {
	case tagClass, tagString:
		return []constant{text(c.name)}
	case tagNameAndType:
		return []constant{text(c.name), text(c.descriptor)}
	case tagField, tagMethod, tagInterfaceMethod:
		return []constant{{tag: tagClass, name: c.class}, {tag: tagNameAndType, name: c.name, descriptor: c.descriptor}}
	}
	return nil
}

func text(s string) constant { return constant{tag: tagUTF8, name: s} }

// weigh adds c and all that it refers to to the size.
func (p *pool) weigh(c constant) {
	if p.known[c] {
		return
	}
	p.known[c] = true
	switch c.tag {
	case tagUTF8:
		p.weight += 3 + len(c.name)
	case tagClass, tagString:
		p.weight += 3
	case tagLong, tagDouble:
		p.weight += 9
	default:
		p.weight += 5
	}
	for _, part := range c.parts() {
		p.weigh(part)
	}
}

// bytes returns the pool as it stands in the file. Nothing may be added after it.
func (p *pool) bytes() []byte {
	var b []byte
	for i := 0; i < len(p.list); i++ { // it grows meanwhile
		c := p.list[i]
		b = append(b, c.tag)
		switch c.tag {
		case tagUTF8:
			b = append(appendU2(b, uint16(len(c.name))), c.name...)
		case tagInteger:
			b = binary.BigEndian.AppendUint32(b, uint32(c.number))
		case tagLong, tagDouble:
			b = binary.BigEndian.AppendUint64(b, c.number)
		}
		for _, part := range c.parts() {
			b = appendU2(b, p.add(part))
		}
	}
	return b
}

func (p *pool) utf8(s string) uint16 { return p.add(text(s)) }

func (p *pool) class(name string) uint16 { return p.add(constant{tag: tagClass, name: name}) }

func (p *pool) str(s string) uint16 { return p.add(constant{tag: tagString, name: s}) }

func (p *pool) integer(v int32) uint16 {
	return p.add(constant{tag: tagInteger, number: uint64(uint32(v))})
}

func (p *pool) long(v int64) uint16 { return p.add(constant{tag: tagLong, number: uint64(v)}) }

func (p *pool) double(v float64) uint16 {
	return p.add(constant{tag: tagDouble, number: math.Float64bits(v)})
}

// member returns a field or method reference; tag says which.
func (p *pool) member(tag byte, class, name, descriptor string) uint16 {
	return p.add(constant{tag: tag, class: class, name: name, descriptor: descriptor})
}

package gen

import (
	"encoding/binary"
	"strings"
)

// bytes returns the class file, Java Virtual Machine Specification 4.1.
func (c *class) bytes() []byte {
	rest := appendU2(nil, c.flags, c.pool.class(c.name), c.pool.class(c.super), uint16(len(c.interfaces)))
	for _, name := range c.interfaces {
		rest = appendU2(rest, c.pool.class(name))
	}
	rest = appendU2(rest, uint16(len(c.fields)))
	for _, f := range c.fields {
		rest = appendU2(rest, f.flags, c.utf8(f.name), c.utf8(f.descriptor), 0)
	}
	rest = appendU2(rest, uint16(len(c.methods)))
	for _, m := range c.methods {
		rest = c.appendMethod(rest, m)
	}
	rest = c.appendAttributes(rest)
	constants := c.pool.bytes()

	b := binary.BigEndian.AppendUint32(nil, 0xCAFEBABE)
	b = appendU2(b, 0, major, uint16(c.count+1))
	return append(append(b, constants...), rest...)
}

func (c *class) appendMethod(b []byte, m *method) []byte {
	b = appendU2(b, m.flags, c.utf8(m.name), c.utf8(m.descriptor), 0)
	count := len(b) - 1
	if m.body != nil {
		b[count]++
		b = c.attribute(b, "Code", m.body.bytes())
	}
	if m.throws != "" {
		b[count]++
		b = c.attribute(b, "Exceptions", appendU2(nil, 1, c.pool.class(m.throws)))
	}
	if m.signature != "" {
		b[count]++
		b = c.attribute(b, "Signature", appendU2(nil, c.utf8(m.signature)))
	}
	return b
}

// appendAttributes appends those of the class, with their count.
func (c *class) appendAttributes(b []byte) []byte {
	b = appendU2(b, 1)
	count := len(b) - 1
	b = c.attribute(b, "SourceFile", appendU2(nil, c.utf8(c.sourceFile())))
	inner := c.nested()
	if inner == "" {
		return b
	}
	b[count]++
	if inner[0] < 'A' { // no class of that name: an anonymous one, 4.7.6 and 4.7.7
		b = c.attribute(b, "InnerClasses", appendU2(nil, 1, c.pool.class(c.name), 0, 0, accStatic))
		b[count]++
		return c.attribute(b, "EnclosingMethod", appendU2(nil, c.pool.class(c.outer()), 0))
	}
	return c.attribute(b, "InnerClasses", appendU2(nil, 1, c.pool.class(c.name), c.pool.class(c.outer()), c.utf8(inner), accPublic|accStatic))
}

func (c *class) attribute(b []byte, name string, data []byte) []byte {
	b = appendU2(b, c.utf8(name))
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
	return append(b, data...)
}

// simpleName is the name without its package, as in "Reader$Builder".
func (c *class) simpleName() string { return c.name[strings.LastIndexByte(c.name, '/')+1:] }

// nested is the name of a class within another, as in "Builder" or "1", or empty.
func (c *class) nested() string {
	if at := strings.LastIndexByte(c.name, '$'); at >= 0 {
		return c.name[at+1:]
	}
	return ""
}

// outer is the class that it is nested in.
func (c *class) outer() string { return c.name[:max(0, strings.LastIndexByte(c.name, '$'))] }

func (c *class) sourceFile() string {
	outer, _, _ := strings.Cut(c.simpleName(), "$")
	return outer + ".java"
}

// bytes returns the contents of the Code attribute.
func (m *code) bytes() []byte {
	b := appendU2(nil, m.stack, uint16(m.most))
	b = binary.BigEndian.AppendUint32(b, uint32(len(m.b)))
	b = append(b, m.b...)
	b = appendU2(b, 0) // exception table
	b = appendU2(b, 2)
	count := len(b) - 1
	b = m.attribute(b, "LineNumberTable", append(appendU2(nil, uint16(len(m.lines)/4)), m.lines...))
	variables := appendU2(nil, uint16(len(m.variables)))
	for _, v := range m.variables {
		variables = appendU2(variables, uint16(v.start), uint16(len(m.b)-v.start), m.utf8(v.name), m.utf8(v.descriptor), uint16(v.slot))
	}
	b = m.attribute(b, "LocalVariableTable", variables)
	if len(m.frames) > 0 {
		b[count]++
		b = m.attribute(b, "StackMapTable", m.stackMap())
	}
	return b
}

// weight is how many bytes bytes returns, and the attribute's head.
func (m *code) weight() int {
	n := 6 + 8 + len(m.b) + 2 + 2 + 8 + len(m.lines) + 8 + 10*len(m.variables)
	if len(m.frames) > 0 {
		n += 8 + len(m.frames)
	}
	return n
}

// stackMap returns the table of frames, all of them same_frame, 4.7.4.
func (m *code) stackMap() []byte {
	b := appendU2(nil, uint16(len(m.frames)))
	last := -1
	for _, at := range m.frames {
		if delta := at - last - 1; delta < 64 {
			b = append(b, byte(delta))
		} else {
			b = appendU2(append(b, 251), uint16(delta))
		}
		last = at
	}
	return b
}

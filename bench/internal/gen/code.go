package gen

import (
	"encoding/binary"
	"strings"
)

// Opcodes, Java Virtual Machine Specification 6.5.
const (
	aconstNull      = 0x01
	iconst0         = 0x03
	lconst0         = 0x09
	dconst0         = 0x0e
	bipush          = 0x10
	sipush          = 0x11
	ldc             = 0x12
	ldcW            = 0x13
	ldc2W           = 0x14
	iload           = 0x15
	lload           = 0x16
	dload           = 0x18
	aload           = 0x19
	iload0          = 0x1a
	lload0          = 0x1e
	dload0          = 0x26
	aload0          = 0x2a
	istore          = 0x36
	lstore          = 0x37
	dstore          = 0x39
	astore          = 0x3a
	dup             = 0x59
	iadd            = 0x60
	ifeq            = 0x99
	ifne            = 0x9a
	ireturn         = 0xac
	lreturn         = 0xad
	dreturn         = 0xaf
	areturn         = 0xb0
	vreturn         = 0xb1
	getstatic       = 0xb2
	getfield        = 0xb4
	putfield        = 0xb5
	invokevirtual   = 0xb6
	invokespecial   = 0xb7
	invokestatic    = 0xb8
	invokeinterface = 0xb9
	newObject       = 0xbb
	athrow          = 0xbf
	ifnull          = 0xc6
)

// code is the body of a method in the making. It is a row of statements, each of which leaves
// the operand stack empty and reads no local variable but the parameters and its own, so that a
// stack map frame between two of them says "as at the start".
type code struct {
	*class
	b      []byte
	params []local // this first
	next   int     // the first local variable that is free
	line   int
	lines  []byte // entries of the LineNumberTable
	frames []int  // offsets of branch targets, ascending
}

type local struct {
	slot       int
	descriptor string
}

func (c *class) newCode(descriptor string) *code {
	m := &code{class: c, line: 20 + c.nMethods*9, params: []local{{0, "L" + c.name + ";"}}, next: 1}
	for _, d := range parameters(descriptor) {
		m.params = append(m.params, local{m.next, d})
		m.next += width(d)
	}
	return m
}

// parameters takes a method descriptor without arrays apart.
func parameters(descriptor string) []string {
	var list []string
	for s := descriptor[1:strings.IndexByte(descriptor, ')')]; s != ""; {
		n := 1
		if s[0] == 'L' {
			n = strings.IndexByte(s, ';') + 1
		}
		list = append(list, s[:n])
		s = s[n:]
	}
	return list
}

func result(descriptor string) string { return descriptor[strings.IndexByte(descriptor, ')')+1:] }

// width returns how many local variables a value takes.
func width(descriptor string) int {
	switch descriptor[0] {
	case 'J', 'D':
		return 2
	}
	return 1
}

// byType picks what fits a type out of the variants of an instruction.
func byType(descriptor string, i, l, d, a byte) byte {
	switch descriptor[0] {
	case 'I', 'Z':
		return i
	case 'J':
		return l
	case 'D':
		return d
	}
	return a
}

// op appends an instruction whose operand is an index of the constant pool.
func (m *code) op(opcode byte, index uint16) {
	m.b = binary.BigEndian.AppendUint16(append(m.b, opcode), index)
}

func (m *code) load(v local) {
	if v.slot < 4 {
		m.b = append(m.b, byType(v.descriptor, iload0, lload0, dload0, aload0)+byte(v.slot))
		return
	}
	m.b = append(m.b, byType(v.descriptor, iload, lload, dload, aload), byte(v.slot))
}

// store puts what is on the stack into a new local variable.
func (m *code) store(descriptor string) {
	m.b = append(m.b, byType(descriptor, istore, lstore, dstore, astore), byte(m.next))
	// A method's own variables are reused from one statement to the next after the eighth: a
	// slot has 8 bits here.
	if m.next += width(descriptor); m.next > 40 {
		m.next = 32
	}
}

func (m *code) text(s string) {
	if i := m.str(s); i < 256 {
		m.b = append(m.b, ldc, byte(i))
	} else {
		m.op(ldcW, i)
	}
}

// value pushes a value of the type: a parameter, a field or a constant.
func (m *code) value(descriptor string) {
	for _, v := range m.params {
		if v.descriptor == descriptor && m.percent(60) {
			m.load(v)
			return
		}
	}
	for _, f := range m.fields {
		if f.descriptor == descriptor && m.percent(70) {
			m.get(f)
			return
		}
	}
	switch {
	case descriptor == "Z":
		m.b = append(m.b, iconst0+byte(m.n(2)))
	case descriptor == "I" && m.percent(60):
		m.b = append(m.b, iconst0+byte(m.n(6)))
	case descriptor == "I" && m.percent(60):
		m.b = append(m.b, bipush, byte(m.between(6, 127)))
	case descriptor == "I" && m.percent(70):
		m.op(sipush, uint16(m.between(128, 32767)))
	case descriptor == "I":
		m.op(ldcW, m.integer(int32(m.between(32768, 1<<30))))
	case descriptor == "J" && m.percent(50):
		m.b = append(m.b, lconst0+byte(m.n(2)))
	case descriptor == "J":
		m.op(ldc2W, m.long(int64(m.n(1<<20))*1000))
	case descriptor == "D" && m.percent(60):
		m.b = append(m.b, dconst0+byte(m.n(2)))
	case descriptor == "D":
		m.op(ldc2W, m.double(float64(m.n(1000))/8))
	case descriptor == stringType:
		m.text(m.message())
	default:
		m.b = append(m.b, aconstNull)
	}
}

func (m *code) get(f field) {
	m.b = append(m.b, aload0)
	m.op(getfield, m.member(tagField, m.name, f.name, f.descriptor))
}

func (m *code) put(f field) {
	m.b = append(m.b, aload0)
	m.value(f.descriptor)
	m.op(putfield, m.member(tagField, m.name, f.name, f.descriptor))
}

// callee returns a method to call, often one that was called before.
func (m *code) callee(opcode byte, class string) callee {
	if len(m.called) > 0 && m.percent(65) {
		return m.called[m.low(len(m.called))]
	}
	f := callee{opcode, class, m.memberName(verbs[m.low(len(verbs))]), m.signature()}
	m.called = append(m.called, f)
	return f
}

// callSome calls a method with its object.
func (m *code) callSome(opcode byte, class string) {
	f := m.callee(opcode, class)
	switch {
	case f.opcode == invokestatic:
	case f.class == m.name:
		m.b = append(m.b, aload0)
	default:
		m.op(getstatic, m.member(tagField, f.class, "INSTANCE", "L"+f.class+";"))
	}
	m.call(f.opcode, f.class, f.name, f.descriptor)
}

// call calls a method, the object being on the stack where there is one, and keeps its result
// in a local variable.
func (m *code) call(opcode byte, class, name, descriptor string) {
	slots := 1
	for _, d := range parameters(descriptor) {
		m.value(d)
		slots += width(d)
	}
	if opcode == invokeinterface {
		m.op(opcode, m.member(tagInterfaceMethod, class, name, descriptor))
		m.b = append(m.b, byte(slots), 0)
	} else {
		m.op(opcode, m.member(tagMethod, class, name, descriptor))
	}
	if d := result(descriptor); d != "V" {
		m.store(d)
	}
}

// ret returns from the method.
func (m *code) ret(descriptor string) {
	if descriptor == "V" {
		m.b = append(m.b, vreturn)
		return
	}
	m.value(descriptor)
	m.b = append(m.b, byType(descriptor, ireturn, lreturn, dreturn, areturn))
}

// skip lets the statements that do appends be jumped over, unless the condition on the stack
// holds. Branches reach 32767 bytes; statements have some tens.
func (m *code) skip(branch byte, do func()) {
	at := len(m.b)
	m.op(branch, 0)
	do()
	binary.BigEndian.PutUint16(m.b[at+1:], uint16(len(m.b)-at))
	m.frames = append(m.frames, len(m.b))
}

func (m *code) throw(exception string) {
	m.op(newObject, m.pool.class(exception))
	m.b = append(m.b, dup)
	m.text(m.message())
	m.op(invokespecial, m.member(tagMethod, exception, "<init>", "("+stringType+")V"))
	m.b = append(m.b, athrow)
}

// statement appends one, of the kinds that are most common.
func (m *code) statement() {
	m.lines = appendU2(m.lines, uint16(len(m.b)), uint16(m.line))
	m.line += 1 + m.low(4)
	other := m.reference()
	switch m.n(10) {
	case 0:
		m.put(m.fields[m.low(len(m.fields))])
	case 1, 2:
		m.callSome(invokevirtual, m.name)
	case 3, 4:
		m.callSome(invokestatic, other)
	case 5:
		m.callSome(invokeinterface, other)
	case 6:
		m.value("Z")
		m.skip(ifne, func() { m.throw("java/lang/IllegalArgumentException") })
	case 7:
		m.value("L" + other + ";")
		m.skip(ifnull, func() {
			m.callSome(invokevirtual, other)
		})
	case 8:
		const sb = "java/lang/StringBuilder"
		m.op(newObject, m.pool.class(sb))
		m.b = append(m.b, dup)
		m.op(invokespecial, m.member(tagMethod, sb, "<init>", "()V"))
		for range m.between(1, 3) {
			m.value(stringType)
			m.op(invokevirtual, m.member(tagMethod, sb, "append", "("+stringType+")L"+sb+";"))
		}
		m.call(invokevirtual, sb, "toString", "()"+stringType)
	case 9:
		m.value("I")
		m.value("I")
		m.b = append(m.b, iadd)
		m.skip(ifeq, func() { m.put(m.fields[m.low(len(m.fields))]) })
	}
}

// end adds the method to its class, with its Code attribute.
func (m *code) end(flags uint16, name, descriptor string) {
	const maxStack = 12 // an object and at most three parameters of two words, and some to spare
	data := appendU2(nil, maxStack, 48)
	data = binary.BigEndian.AppendUint32(data, uint32(len(m.b)))
	data = append(data, m.b...)
	data = appendU2(data, 0) // exception table
	attributes := appendU2(nil, 2)
	attributes = m.attribute(attributes, "LineNumberTable", append(appendU2(nil, uint16(len(m.lines)/4)), m.lines...))
	attributes = m.attribute(attributes, "LocalVariableTable", m.variables())
	if len(m.frames) > 0 {
		attributes[1]++
		attributes = m.attribute(attributes, "StackMapTable", m.stackMap())
	}
	m.addMethod(flags, name, descriptor, 1, m.attribute(nil, "Code", append(data, attributes...)))
}

// variables returns the LocalVariableTable of the parameters.
func (m *code) variables() []byte {
	b := appendU2(nil, uint16(len(m.params)))
	for i, v := range m.params {
		name := "this"
		if i > 0 {
			name = m.subject[i]
		}
		b = appendU2(b, 0, uint16(len(m.b)), m.utf8(name), m.utf8(v.descriptor), uint16(v.slot))
	}
	return b
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

// constructor adds one that calls super's.
func (c *class) constructor(super string) {
	m := c.newCode("()V")
	m.lines = appendU2(m.lines, 0, uint16(m.line))
	m.b = append(m.b, aload0)
	m.op(invokespecial, c.member(tagMethod, super, "<init>", "()V"))
	m.ret("V")
	m.end(accPublic, "<init>", "()V")
}

// accessor adds a getter or a setter.
func (c *class) accessor(f field) {
	verb, descriptor := "get", "()"+f.descriptor
	if c.percent(30) {
		verb, descriptor = "set", "("+f.descriptor+")V"
	}
	m := c.newCode(descriptor)
	m.lines = appendU2(m.lines, 0, uint16(m.line))
	if verb == "set" {
		m.b = append(m.b, aload0)
		m.load(m.params[1])
		m.op(putfield, c.member(tagField, c.name, f.name, f.descriptor))
		m.ret("V")
	} else {
		m.get(f)
		m.b = append(m.b, byType(f.descriptor, ireturn, lreturn, dreturn, areturn))
	}
	m.end(accPublic, verb+upper(f.name), descriptor)
}

// method adds one of a few statements.
func (c *class) method() {
	descriptor := c.signature()
	m := c.newCode(descriptor)
	for range c.between(1, 4) * c.between(1, 5) {
		if m.statement(); c.full(len(m.b) + len(m.lines)) {
			break
		}
	}
	m.lines = appendU2(m.lines, uint16(len(m.b)), uint16(m.line))
	m.ret(result(descriptor))
	m.end(accPublic, c.memberName(c.word(verbs)), descriptor)
}

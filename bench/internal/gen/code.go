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
	istore0         = 0x3b
	lstore0         = 0x3f
	dstore0         = 0x47
	astore0         = 0x4b
	pop             = 0x57
	pop2            = 0x58
	dup             = 0x59
	ifeq            = 0x99
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
	ifnonnull       = 0xc7
)

// code is the body of a method in the making. It is a row of statements, each of which leaves
// the operand stack empty and reads no local variable but the parameters and its own, so that a
// stack map frame between two of them says "as at the start".
type code struct {
	*class
	b         []byte
	variables []variable // this first, then parameters
	params    int        // so many of them
	next      int        // the first local variable that is free
	most      int        // local variables
	stack     uint16
	line      int
	lines     []byte // entries of the LineNumberTable
	frames    []int  // offsets of branch targets, ascending
}

type variable struct {
	name, descriptor string
	slot, start      int // start is an offset in the code
}

func (c *class) newCode(descriptor string) *code {
	m := &code{class: c, line: c.line, stack: 4}
	for _, name := range []string{"Code", "LineNumberTable", "LocalVariableTable"} {
		c.weigh(text(name))
	}
	m.declare("this", "L"+c.name+";")
	for _, d := range parameters(descriptor) {
		m.declare(c.variableName(d), d)
	}
	m.params = len(m.variables)
	return m
}

// declare gives a new local variable its slot.
func (m *code) declare(name, descriptor string) variable {
	v := variable{name, descriptor, m.next, len(m.b)}
	m.variables = append(m.variables, v)
	m.weigh(text(name))
	m.weigh(text(descriptor))
	m.next += width(descriptor)
	m.most = max(m.most, m.next)
	return v
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

// access loads or stores a local variable. Each opcode has short forms for the first four slots.
func (m *code) access(v variable, opcode, short byte) {
	if v.slot < 4 {
		m.b = append(m.b, short+byte(v.slot))
		return
	}
	m.b = append(m.b, opcode, byte(v.slot))
}

func (m *code) load(v variable) {
	m.access(v, byType(v.descriptor, iload, lload, dload, aload), byType(v.descriptor, iload0, lload0, dload0, aload0))
}

func (m *code) store(v variable) {
	m.access(v, byType(v.descriptor, istore, lstore, dstore, astore), byType(v.descriptor, istore0, lstore0, dstore0, astore0))
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
	for _, v := range m.variables[1:m.params] {
		if v.descriptor == descriptor && m.percent(70) {
			m.load(v)
			return
		}
	}
	for _, f := range m.fields {
		if f.descriptor == descriptor && m.percent(80) {
			m.get(f)
			return
		}
	}
	switch {
	case descriptor == "Z":
		m.b = append(m.b, iconst0+byte(m.n(2)))
	case descriptor == "I" && m.percent(80):
		m.b = append(m.b, iconst0+byte(m.low(6)))
	case descriptor == "I" && m.percent(80):
		m.b = append(m.b, bipush, byte(m.between(6, 127)))
	case descriptor == "I" && m.percent(70):
		m.op(sipush, uint16(m.between(128, 32767)))
	case descriptor == "I":
		m.op(ldcW, m.integer(int32(m.between(32768, 1<<30))))
	case descriptor == "J" && m.percent(80):
		m.b = append(m.b, lconst0+byte(m.n(2)))
	case descriptor == "J":
		m.op(ldc2W, m.long(int64(m.n(1<<20))*1000))
	case descriptor == "D" && m.percent(80):
		m.b = append(m.b, dconst0+byte(m.n(2)))
	case descriptor == "D":
		m.op(ldc2W, m.double(float64(m.n(1000))/8))
	case descriptor == stringType && m.percent(45):
		m.text(m.message())
	default:
		m.b = append(m.b, aconstNull)
	}
}

func (m *code) get(f field) {
	m.b = append(m.b, aload0)
	m.op(getfield, m.member(tagField, m.name, f.name, f.descriptor))
}

// put stores a value into a field.
func (m *code) put(f field) {
	m.b = append(m.b, aload0)
	m.value(f.descriptor)
	m.op(putfield, m.member(tagField, m.name, f.name, f.descriptor))
}

// call calls a method, the object being on the stack where there is one, and drops its result
// or keeps it in a local variable.
func (m *code) call(f callee) {
	slots := 1
	for _, d := range parameters(f.descriptor) {
		m.value(d)
		slots += width(d)
	}
	m.stack = max(m.stack, uint16(slots)+2)
	if f.opcode == invokeinterface {
		m.op(f.opcode, m.member(tagInterfaceMethod, f.class, f.name, f.descriptor))
		m.b = append(m.b, byte(slots), 0)
	} else {
		m.op(f.opcode, m.member(tagMethod, f.class, f.name, f.descriptor))
	}
	switch d := result(f.descriptor); {
	case d == "V":
	case m.percent(60) && m.next < 200: // a slot has 8 bits here
		m.store(m.declareAfter(m.variableName(d), d))
	case width(d) == 2:
		m.b = append(m.b, pop2)
	default:
		m.b = append(m.b, pop)
	}
}

// declareAfter declares a variable that is there from the instruction after the next on.
func (m *code) declareAfter(name, descriptor string) variable {
	v := m.declare(name, descriptor)
	length := 2
	if v.slot < 4 {
		length = 1
	}
	m.variables[len(m.variables)-1].start += length
	return v
}

// callOwn calls a method of this class.
func (m *code) callOwn() {
	if len(m.own) == 0 {
		m.callOther()
		return
	}
	m.b = append(m.b, aload0)
	m.call(m.own[len(m.own)-1-m.low(len(m.own))])
}

// callOther calls a method of another class: of the object in a field or a static one. It is
// often one that was called before.
func (m *code) callOther() {
	f := callee{}
	if len(m.called) > 0 && m.percent(45) {
		f = m.called[m.low(len(m.called))]
	} else {
		f = callee{opcode: invokestatic, class: m.reference(), name: m.word(common), descriptor: m.signature()}
		if m.percent(35) {
			f.name = verbs[m.low(len(verbs))] + upper(m.properties[m.low(len(m.properties))].name)
		}
		if x := m.fields; len(x) > 0 {
			if of := x[m.low(len(x))]; of.descriptor[0] == 'L' && m.percent(60) {
				f.class = of.descriptor[1 : len(of.descriptor)-1]
				f.opcode = []byte{invokevirtual, invokevirtual, invokeinterface}[m.n(3)]
			}
		}
		m.called = append(m.called, f)
	}
	if f.opcode != invokestatic {
		m.value("L" + f.class + ";")
	}
	m.call(f)
}

// ret returns from the method.
func (m *code) ret(descriptor string) {
	switch descriptor {
	case "V":
		m.b = append(m.b, vreturn)
		return
	case "L" + m.name + ";":
		m.b = append(m.b, aload0)
	default:
		m.value(descriptor)
	}
	m.b = append(m.b, byType(descriptor, ireturn, lreturn, dreturn, areturn))
}

// skip lets the statements that do appends be jumped over, unless the condition on the stack
// holds. Branches reach 32767 bytes; statements have some tens.
func (m *code) skip(branch byte, do func()) {
	at := len(m.b)
	m.op(branch, 0)
	next := m.next
	m.startLine()
	do()
	m.weigh(text("StackMapTable"))
	m.next = next // what do has declared is gone
	binary.BigEndian.PutUint16(m.b[at+1:], uint16(len(m.b)-at))
	m.frames = append(m.frames, len(m.b))
}

func (m *code) throw() {
	exception, descriptor := m.word(exceptions), "()V"
	m.op(newObject, m.pool.class(exception))
	m.b = append(m.b, dup)
	if m.percent(50) {
		m.text(m.message())
		descriptor = "(" + stringType + ")V"
	}
	m.op(invokespecial, m.member(tagMethod, exception, "<init>", descriptor))
	m.b = append(m.b, athrow)
}

// startLine begins a line of the source.
func (m *code) startLine() {
	m.lines = appendU2(m.lines, uint16(len(m.b)), uint16(m.line))
	m.line++
	if m.percent(15) {
		m.line += 1 + m.low(4)
	}
}

// statement appends one, of the kinds that are most common.
func (m *code) statement() {
	m.startLine()
	f := m.fields[m.low(len(m.fields))]
	switch k := m.n(20); {
	case k < 4:
		m.put(f)
	case k < 8:
		m.callOwn()
	case k < 14:
		m.callOther()
	case k < 17:
		m.value(f.descriptor)
		if f.descriptor[0] != 'L' {
			m.b = append(m.b, byType(f.descriptor, pop, pop2, pop2, pop))
			m.get(m.condition())
			m.skip(ifeq, m.callOwn)
			return
		}
		m.skip(ifnonnull, m.throw)
	case k < 19:
		m.get(m.condition())
		m.skip(ifeq, func() { m.put(f) })
	default:
		const sb = "java/lang/StringBuilder"
		m.op(newObject, m.pool.class(sb))
		m.b = append(m.b, dup)
		m.op(invokespecial, m.member(tagMethod, sb, "<init>", "()V"))
		for range m.between(1, 3) {
			m.value(stringType)
			m.op(invokevirtual, m.member(tagMethod, sb, "append", "("+stringType+")L"+sb+";"))
		}
		m.call(callee{invokevirtual, sb, "toString", "()" + stringType})
	}
}

// condition returns a field whose value a branch can ask for.
func (m *code) condition() field {
	for _, f := range m.fields {
		if f.descriptor == "Z" || f.descriptor == "I" {
			return f
		}
	}
	m.field(property{"bitField0_", "I"})
	return m.fields[len(m.fields)-1]
}

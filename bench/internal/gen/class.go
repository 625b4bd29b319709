package gen

import (
	"encoding/binary"
	"strings"
)

// Access flags, Java Virtual Machine Specification 4.1, 4.5 and 4.6.
const (
	accPublic    = 0x0001
	accPrivate   = 0x0002
	accStatic    = 0x0008
	accFinal     = 0x0010
	accSuper     = 0x0020
	accInterface = 0x0200
	accAbstract  = 0x0400
)

// major is the version of the class files: that of Java 8, to which most libraries still compile.
const major = 52

// class is a class file in the making.
type class struct {
	*universe
	random
	*pool
	at         int // index of its name
	name       string
	super      string
	interfaces []string
	flags      uint16
	target     int // size to reach, in bytes
	rest       int // size of all but the pool so far
	line       int // of the source that is next

	subject     []string   // the words that its own names are made of
	properties  []property // what its methods are about
	used        []string   // the names of the classes it has named
	descriptors []string   // of methods, those it has used
	called      []callee   // the methods of others it has called
	own         []callee   // its own
	taken       map[string]bool
	fields      []field
	methods     []*method
}

// property is a thing that a class keeps: most of a class's methods are named for one.
type property struct{ name, descriptor string }

// callee is a method that can be called.
type callee struct {
	opcode                  byte
	class, name, descriptor string
}

type field struct {
	name, descriptor string
	flags            uint16
}

// method is one of a class. Its names get their indices when the class is done.
type method struct {
	flags            uint16
	name, descriptor string
	signature        string // with type arguments, or empty
	throws           string // or empty
	body             *code  // nil: abstract
}

// class returns the class file of the i-th class, of about target bytes.
func (u *universe) class(i, target int, r random) []byte {
	c := &class{
		universe: u, random: r, pool: newPool(), at: i, name: u.names[i], super: "java/lang/Object",
		target: target, line: 15 + r.n(30), taken: map[string]bool{},
	}
	c.weigh(constant{tag: tagClass, name: c.name})
	c.weigh(text(c.sourceFile()))
	c.weigh(text("SourceFile"))
	c.rest = 4 + 2 + 2 + 2 + 6 + 2 + 2 + 2 + 2 + 8 // magic, version, counts, flags to interfaces, SourceFile
	if inner := c.nested(); inner != "" {
		c.rest += 16
		c.weigh(text("InnerClasses"))
		c.weigh(constant{tag: tagClass, name: c.outer()})
		if inner[0] < 'A' {
			c.weigh(text("EnclosingMethod"))
			c.rest += 10
		} else {
			c.weigh(text(inner))
		}
	}
	c.subjects()
	switch {
	case target < 420 || target < 700 && r.percent(50) || target < 5000 && r.percent(8):
		c.makeInterface()
	case r.percent(20 + min(target/250, 40)):
		c.makeMessage()
	default:
		c.makeService()
	}
	return c.bytes()
}

// subjects draws what the class is about: few words, those of its own name first.
func (c *class) subjects() {
	c.subject = splitWords(c.simpleName())
	for range 2 + c.target/3500 {
		c.subject = append(c.subject, c.word(words))
	}
	for range 1 + c.target/1500 {
		c.properties = append(c.properties, property{c.propertyName(), c.descriptor()})
	}
}

// full reports whether the class has its size, with more bytes in the making.
func (c *class) full(more int) bool {
	// A constant's index has 16 bits; no size in the table comes near.
	return c.rest+c.weight+more >= c.target || len(c.known) > 60_000
}

func (c *class) makeInterface() {
	c.flags = accPublic | accInterface | accAbstract
	c.implement(2)
	for i := 0; !c.full(0); i++ {
		p := c.properties[i%len(c.properties)]
		if i < 2*len(c.properties) {
			c.add(&method{flags: accPublic | accAbstract, name: []string{"get", "has"}[i%2] + upper(p.name), descriptor: "()" + []string{p.descriptor, "Z"}[i%2]})
			continue
		}
		c.add(&method{flags: accPublic | accAbstract, name: c.word(verbs) + upper(p.name), descriptor: c.signature()})
	}
}

// makeMessage makes a class as generators of code write them, of accessors alone: half of the classes
// of a fat jar, and most of the large ones.
func (c *class) makeMessage() {
	c.flags = accPublic | accSuper | accFinal
	c.super = c.word(runtimeTypes)
	c.implement(1)
	for _, p := range c.properties {
		if c.full(0) {
			break
		}
		c.field(property{p.name + "_", p.descriptor})
	}
	c.constructor()
	standard := c.n(3)
	for i := 0; !c.full(0) && i < 1000; i++ {
		if i >= len(c.properties) {
			p := property{c.propertyName(), c.descriptor()}
			c.properties = append(c.properties, p)
			c.field(property{p.name + "_", p.descriptor})
		}
		p := c.properties[i]
		f := c.fields[c.n(len(c.fields))]
		for _, other := range c.fields {
			if other.name == p.name+"_" {
				f = other
			}
		}
		c.family(p, f)
		for range 4 + c.n(5) {
			if standard < len(standardMethods) && !c.full(0) {
				s := standardMethods[standard]
				c.simple(s.name, strings.ReplaceAll(s.descriptor, "%", c.name), s.throws)
				standard++
			}
		}
	}
}

// family adds the accessors of one property.
func (c *class) family(p property, f field) {
	name, self := upper(p.name), "L"+c.name+";"
	type accessor struct{ name, descriptor string }
	list := []accessor{
		{"has" + name, "()Z"},
		{"get" + name, "()" + p.descriptor},
		{"set" + name, "(" + p.descriptor + ")" + self},
		{"clear" + name, "()" + self},
	}
	switch {
	case p.descriptor == stringType:
		list = append(list, accessor{"get" + name + "Bytes", "()" + bytesType}, accessor{"set" + name + "Bytes", "(" + bytesType + ")" + self})
	case p.descriptor == listType:
		list = append(list, accessor{"get" + name + "List", "()" + listType}, accessor{"get" + name + "Count", "()I"},
			accessor{"get" + name, "(I)" + stringType}, accessor{"addAll" + name, "(Ljava/lang/Iterable;)" + self})
	case p.descriptor[0] == 'L' && c.percent(70):
		builder := strings.TrimSuffix(p.descriptor, ";") + "$Builder;"
		list = append(list, accessor{"merge" + name, "(" + p.descriptor + ")" + self}, accessor{"set" + name, "(" + builder + ")" + self},
			accessor{"get" + name + "Builder", "()" + builder}, accessor{"get" + name + "OrBuilder", "()" + strings.TrimSuffix(p.descriptor, ";") + "OrBuilder;"})
	}
	for _, a := range list {
		if c.full(0) {
			return
		}
		m := c.newMethod(accPublic, a.name, a.descriptor)
		if m == nil {
			continue
		}
		c.accessor(m, f)
	}
}

// makeService makes a class as people write them.
func (c *class) makeService() {
	c.flags = accPublic | accSuper
	if c.percent(40) {
		c.super = c.reference()
	}
	c.implement(2)
	for _, p := range c.properties[:min(len(c.properties), 1+c.n(4))] {
		c.field(p)
	}
	c.constructor()
	for i := 0; !c.full(0); i++ {
		if len(c.fields) < 40 && c.percent(8) || len(c.fields) == 0 {
			p := property{c.propertyName(), c.descriptor()}
			c.properties = append(c.properties, p)
			c.field(p)
		}
		f := c.fields[c.low(len(c.fields))]
		switch c.n(10) {
		case 0, 1:
			if m := c.newMethod(accPublic, "get"+upper(f.name), "()"+f.descriptor); m != nil {
				c.accessor(m, f)
			}
		case 2:
			m := c.newMethod(accPublic, c.word(objectMethods), []string{"()Z", "()I", "()" + stringType}[c.n(3)])
			if m != nil {
				c.statements(m, 3)
			}
		default:
			p := c.properties[c.low(len(c.properties))]
			name := verbs[c.low(len(verbs))] + upper(p.name)
			if len(c.own) > 2 && c.percent(20) {
				name = c.own[c.n(len(c.own))].name // an overload
			}
			if m := c.newMethod(accPublic, name, c.signature()); m != nil {
				if c.percent(15) {
					m.throws = c.word(exceptions)
				}
				c.statements(m, 7)
			}
		}
	}
}

func (c *class) implement(most int) {
	for range c.n(most + 1) {
		if name := c.reference(); !c.taken[name] {
			c.taken[name] = true
			c.weigh(constant{tag: tagClass, name: name})
			c.interfaces = append(c.interfaces, name)
			c.rest += 2
		}
	}
	c.weigh(constant{tag: tagClass, name: c.super})
}

func (c *class) field(p property) {
	for _, other := range c.fields {
		if other.name == p.name {
			return
		}
	}
	c.fields = append(c.fields, field{p.name, p.descriptor, accPrivate | accFinal&uint16(-c.n(2))})
	c.weigh(text(p.name))
	c.weigh(text(p.descriptor))
	c.rest += 8
}

// newMethod returns a method whose body is to be written, or nil where there is one of the name.
func (c *class) newMethod(flags uint16, name, descriptor string) *method {
	if c.taken[name+descriptor] {
		return nil
	}
	m := &method{flags: flags, name: name, descriptor: descriptor}
	m.body = c.newCode(descriptor)
	return m
}

// add adds a method that is done.
func (c *class) add(m *method) {
	if key := m.name + m.descriptor; !c.taken[key] {
		c.taken[key] = true
	} else {
		m.name = unique(c.taken, m.name)
	}
	c.methods = append(c.methods, m)
	c.weigh(text(m.name))
	c.weigh(text(m.descriptor))
	c.rest += 8
	if at := strings.LastIndex(m.descriptor, ")"+listType); at >= 0 && c.percent(80) {
		m.signature = m.descriptor[:at] + ")Ljava/util/List<" + c.element() + ">;"
		c.weigh(text(m.signature))
		c.weigh(text("Signature"))
		c.rest += 8
	}
	if m.throws != "" {
		c.weigh(constant{tag: tagClass, name: m.throws})
		c.weigh(text("Exceptions"))
		c.rest += 10
	}
	if m.body != nil {
		c.rest += m.body.weight()
		c.own = append(c.own, callee{invokevirtual, c.name, m.name, m.descriptor})
	}
}

// element is the descriptor of what lists of the class have.
func (c *class) element() string {
	if len(c.used) > 0 {
		return "L" + c.used[0] + ";"
	}
	return stringType
}

func appendU2(b []byte, values ...uint16) []byte {
	for _, v := range values {
		b = binary.BigEndian.AppendUint16(b, v)
	}
	return b
}

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

// class is a class file in the making: its fields and methods are laid out in the form they have
// in the file, and name constants of the pool that grows with them.
type class struct {
	*universe
	random
	*pool
	at       int // index of its name
	name     string
	taken    map[string]bool // names of methods and interfaces, none of which may come twice
	target   int             // size to reach, in bytes
	subject  []string        // the words that its own names are made of
	used     []string        // the names of the classes it has named
	called   []callee        // the methods it has called
	head     []byte          // from the access flags to the interfaces
	tail     []byte          // the attributes
	fields   []field
	fieldSec []byte
	methods  []byte
	nMethods int
}

// callee is a method that the class calls.
type callee struct {
	opcode                  byte
	class, name, descriptor string
}

type field struct{ name, descriptor string }

// class returns the class file of the i-th class.
func (u *universe) class(i int) []byte {
	r := newRandom(u.seed, uint64(i)+1)
	c := &class{universe: u, random: r, pool: newPool(), at: i, name: u.names[i], target: r.size(), taken: map[string]bool{}}
	for range 6 + c.target/800 {
		c.subject = append(c.subject, r.word(words))
	}
	isInterface := c.target < 300 || r.percent(8)

	var flags uint16 = accPublic | accSuper
	super := "java/lang/Object"
	switch {
	case isInterface:
		flags = accPublic | accInterface | accAbstract
	case r.percent(35):
		super = c.reference()
	}
	c.head = appendU2(nil, flags, c.pool.class(c.name), c.pool.class(super))
	var interfaces []byte
	for range c.n(3) {
		if name := c.reference(); !c.taken[name] {
			c.taken[name] = true
			interfaces = appendU2(interfaces, c.pool.class(name))
		}
	}
	c.head = appendU2(c.head, uint16(len(interfaces)/2))
	c.head = append(c.head, interfaces...)
	c.tail = c.attributes()

	// A constant's index has 16 bits; no size in the table comes near.
	for !c.full(0) && c.count < 60_000 {
		switch {
		case isInterface:
			c.abstractMethod()
		case c.nMethods == 0:
			c.constructor(super)
		case len(c.fields) < 2 || c.percent(20) && len(c.fields) < 60:
			c.field()
		case c.percent(30):
			c.accessor(c.fields[c.n(len(c.fields))])
		default:
			c.method()
		}
	}

	b := binary.BigEndian.AppendUint32(nil, 0xCAFEBABE)
	b = appendU2(b, 0, major, uint16(c.count+1))
	b = append(b, c.bytes...)
	b = append(b, c.head...)
	b = appendU2(b, uint16(len(c.fields)))
	b = append(b, c.fieldSec...)
	b = appendU2(b, uint16(c.nMethods))
	b = append(b, c.methods...)
	return append(b, c.tail...)
}

// full reports whether the class has its size, with more bytes in the making.
func (c *class) full(more int) bool {
	const fixed = 4 + 2 + 2 + 2 + 2 + 2 // magic, version, counts of constants, fields and methods
	return fixed+len(c.bytes)+len(c.head)+len(c.fieldSec)+len(c.methods)+len(c.tail)+more >= c.target
}

// attributes returns those of the class, with their count.
func (c *class) attributes() []byte {
	simple := c.name[strings.LastIndexByte(c.name, '/')+1:]
	outer, _, inner := strings.Cut(simple, "$")
	b := appendU2(nil, 1)
	b = c.attribute(b, "SourceFile", appendU2(nil, c.utf8(outer+".java")))
	if !inner {
		return b
	}
	b[1]++
	last := strings.LastIndexByte(c.name, '$')
	return c.attribute(b, "InnerClasses", appendU2(nil, 1, c.pool.class(c.name), c.pool.class(c.name[:last]),
		c.utf8(c.name[last+1:]), accPublic|accStatic))
}

func (c *class) attribute(b []byte, name string, data []byte) []byte {
	b = appendU2(b, c.utf8(name))
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
	return append(b, data...)
}

func (c *class) field() {
	f := field{c.memberName(""), c.descriptor()}
	for _, other := range c.fields {
		if other == f {
			return
		}
	}
	c.fields = append(c.fields, f)
	c.fieldSec = appendU2(c.fieldSec, accPrivate|accFinal&uint16(-c.n(2)), c.utf8(f.name), c.utf8(f.descriptor), 0)
}

func (c *class) addMethod(flags uint16, name, descriptor string, attributes int, data []byte) {
	c.nMethods++
	c.methods = appendU2(c.methods, flags, c.utf8(unique(c.taken, name)), c.utf8(descriptor), uint16(attributes))
	c.methods = append(c.methods, data...)
}

func (c *class) abstractMethod() {
	c.addMethod(accPublic|accAbstract, c.memberName(c.word(verbs)), c.signature(), 0, nil)
}

// reference returns the name of a class that this one uses, often one it has used before: of its
// own package, of the platform, one of those that many use, or any.
func (c *class) reference() string {
	if len(c.used) > 0 && c.percent(65) {
		return c.used[c.low(len(c.used))]
	}
	name := c.newReference()
	c.used = append(c.used, name)
	return name
}

func (c *class) newReference() string {
	switch k := c.n(10); {
	case k < 5:
		i := c.at + c.between(-9, 9)
		return c.names[min(max(i, 0), len(c.names)-1)]
	case k < 8:
		return platform[c.low(len(platform))]
	case k < 9:
		return c.names[c.n(min(len(c.names), 300))]
	}
	return c.names[c.n(len(c.names))]
}

// descriptor returns the descriptor of a type.
func (c *class) descriptor() string {
	switch k := c.n(20); {
	case k < 4:
		return "I"
	case k < 6:
		return "Z"
	case k < 7:
		return "J"
	case k < 8:
		return "D"
	case k < 12:
		return stringType
	}
	return "L" + c.reference() + ";"
}

// signature returns the descriptor of a method.
func (c *class) signature() string {
	var b strings.Builder
	b.WriteByte('(')
	for range c.n(4) {
		b.WriteString(c.descriptor())
	}
	b.WriteByte(')')
	if c.percent(35) {
		b.WriteByte('V')
	} else {
		b.WriteString(c.descriptor())
	}
	return b.String()
}

func appendU2(b []byte, values ...uint16) []byte {
	for _, v := range values {
		b = binary.BigEndian.AppendUint16(b, v)
	}
	return b
}

const stringType = "Ljava/lang/String;"

var platform = strings.Fields(`java/lang/Object java/lang/String java/lang/Class java/lang/Integer java/lang/Long
	java/lang/Boolean java/lang/Throwable java/lang/Exception java/lang/RuntimeException java/lang/Iterable
	java/lang/IllegalArgumentException java/lang/IllegalStateException java/lang/Comparable java/lang/Runnable
	java/lang/UnsupportedOperationException java/util/List java/util/ArrayList java/util/Map java/util/HashMap
	java/util/Set java/util/Collection java/util/Collections java/util/Iterator java/util/Optional java/util/Arrays
	java/util/Objects java/util/function/Function java/util/function/Supplier java/util/function/Consumer
	java/util/concurrent/Executor java/util/concurrent/TimeUnit java/util/concurrent/ConcurrentHashMap
	java/util/concurrent/atomic/AtomicReference java/io/IOException java/io/InputStream java/io/OutputStream
	java/io/Serializable java/nio/ByteBuffer java/nio/charset/Charset java/time/Duration java/util/logging/Logger`)

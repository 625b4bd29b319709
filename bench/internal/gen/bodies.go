package gen

// finish ends the method and adds it to its class.
func (c *class) finish(m *method) {
	m.body.ret(result(m.descriptor))
	c.line = m.body.line + 2 + c.low(6)
	c.add(m)
}

// constructor adds one that calls super's.
func (c *class) constructor() {
	m := c.newMethod(accPublic, "<init>", "()V")
	m.body.startLine()
	m.body.b = append(m.body.b, aload0)
	m.body.op(invokespecial, c.member(tagMethod, c.super, "<init>", "()V"))
	for i := range c.n(min(len(c.fields), 6) + 1) {
		m.body.startLine()
		m.body.put(c.fields[i])
	}
	m.body.startLine()
	c.finish(m)
}

// accessor writes the body of a method about one field.
func (c *class) accessor(m *method, f field) {
	b, d := m.body, result(m.descriptor)
	b.startLine()
	switch {
	case b.params == 1 && d == f.descriptor:
		b.get(f)
		b.b = append(b.b, byType(d, ireturn, lreturn, dreturn, areturn))
		c.line = b.line + 2 + c.low(6)
		c.add(m)
		return
	case b.params == 2 && b.variables[1].descriptor == f.descriptor:
		if f.descriptor[0] == 'L' && c.percent(60) {
			b.load(b.variables[1])
			b.skip(ifnonnull, b.throw)
			b.startLine()
		}
		b.b = append(b.b, aload0)
		b.load(b.variables[1])
		b.op(putfield, c.member(tagField, c.name, f.name, f.descriptor))
		b.startLine()
		b.b = append(b.b, aload0)
		b.op(invokevirtual, c.member(tagMethod, c.name, "onChanged", "()V"))
		b.startLine()
	case c.percent(50):
		b.put(f)
		b.startLine()
		b.b = append(b.b, aload0)
		b.op(invokevirtual, c.member(tagMethod, c.name, "onChanged", "()V"))
		b.startLine()
	case c.percent(50):
		b.callOwn()
		b.startLine()
	case f.descriptor[0] == 'L':
		b.get(f)
		b.skip(ifnonnull, b.callOwn)
		b.startLine()
	}
	c.finish(m)
}

// simple adds a method of a name that many classes have, and of one statement.
func (c *class) simple(name, descriptor, throws string) {
	m := c.newMethod(accPublic, name, descriptor)
	if m == nil {
		return
	}
	m.throws = throws
	m.body.startLine()
	if c.percent(60) {
		f := c.word(standardCalls)
		m.body.b = append(m.body.b, aload0)
		m.body.op(invokespecial, c.member(tagMethod, c.super, f, "()V"))
	}
	c.finish(m)
}

// statements writes a body of a few statements.
func (c *class) statements(m *method, most int) {
	for range c.between(1, most) {
		if m.body.statement(); c.full(m.body.weight()) {
			break
		}
	}
	m.body.startLine()
	c.finish(m)
}

package ppmd

// restore makes room when memory is full. The contexts above failed have got the last symbol
// already: it is taken from them again.
func (m *model) restore(failed ref) {
	a := m.arena
	m.text = m.textStart()
	c := m.topContext
	for ; c != failed; c = a[c].ref() {
		first, second := &a[c], &a[c+1]
		if first[0]--; first[0] > 0 {
			m.refresh(c, (int(first[0])+3)>>1, 0)
			continue
		}
		at := second.ref()
		m.toOne(c, a[at])
		m.freeUnit(at)
	}
	// From here on, what was not learned makes escapes more likely.
	for ; c != m.context; c = a[c].ref() {
		first, second := &a[c], &a[c+1]
		if first[0] == 0 {
			second[1] -= second[1] >> 1
			continue
		}
		sum := second.sum() + 4
		second.setSum(sum)
		if n := int(first[0]); int(sum) > 128+4*n {
			m.refresh(c, (n+2)>>1, 1)
		}
	}

	if !m.cutOff || m.used() < m.size/2 {
		m.restart()
		return
	}
	c = m.topContext
	for a[c].ref() != 0 {
		c = a[c].ref()
	}
	// A pass takes away the ends of all chains of contexts, so that there are few of them.
	for {
		m.cut(c, 0)
		m.expandText()
		if m.used() <= m.size/4*3 {
			break
		}
	}
	m.glueCount = 0
	m.orderFall = m.order
	m.context, m.topContext = c, c
}

// toOne makes s the only state of c. The frequency is brought to the scale of such contexts.
func (m *model) toOne(c ref, s slot) {
	first := &m.arena[c]
	first[0], first[1] = 0, first[1]&flagPrevHigh|flagIf(s[0] >= 0x40, flagHigh)
	s[1] = byte((uint32(s[1]) + 11) >> 3)
	m.arena[c+1] = s
}

// refresh is for a context that lost states, of which it has several left; its block had so many
// units before. With a scale of 1 frequencies are halved.
func (m *model) refresh(c ref, units int, scale uint32) {
	first, second := &m.arena[c], &m.arena[c+1]
	second.setRef(m.shrink(second.ref(), units, (int(first[0])+2)>>1))
	esc, sum := second.sum(), uint32(0)
	if esc >= 1<<15 {
		scale = 1 // a sum must not be more than the range coder's smallest range
	}
	flags := first[1] & flagPrevHigh
	if scale != 0 {
		flags |= first[1] & flagRescaled
	}
	_, states := m.states(c)
	for i := range states {
		s := &states[i]
		f := uint32(s[1])
		esc -= f
		f = (f + scale) >> scale
		sum += f
		s[1] = byte(f)
		flags |= flagIf(s[0] >= 0x40, flagHigh)
	}
	second.setSum(sum + (esc+scale)>>scale)
	first[1] = flags
}

// cut takes states that no context follows, and contexts that have none left, out of the tree of
// contexts that begins at c. It returns c, or 0 if that is gone itself. Every context of the tree
// has one context before it: a state of the longest contexts may have for its successor one that
// belongs to another, and these are not followed.
func (m *model) cut(c ref, order int) ref {
	const keepOrder = 9
	a := m.arena
	first, second := &a[c], &a[c+1]
	if first[0] == 0 {
		next := second.ref()
		if !next.before(m.unitsStart) {
			next = m.cutNext(next, order)
			second.setRef(next)
			if next != 0 || order <= keepOrder {
				return c
			}
		}
		m.freeUnit(c)
		return 0
	}

	n := int(first[0])
	units := (n + 2) >> 1
	at := m.moveUp(second.ref(), units)
	second.setRef(at)
	states := a[at : int(at)+n+1]
	for i := n; i >= 0; i-- {
		s := &states[i]
		next := s.ref()
		if !next.before(m.unitsStart) {
			s.setRef(m.cutNext(next, order))
			continue
		}
		s.setRef(0)
		swap(s, &states[n])
		n--
	}
	if order == 0 || n == int(first[0]) {
		return c
	}
	switch {
	case n < 0:
		m.insert(at, classOf(units))
		m.freeUnit(c)
		return 0
	case n == 0:
		m.toOne(c, states[0])
		m.insert(at, classOf(units))
	default:
		first[0] = byte(n)
		m.refresh(c, units, one(second.sum() > uint32(16*n)))
	}
	return c
}

func (m *model) cutNext(c ref, order int) ref {
	if order >= m.order {
		return 0
	}
	return m.cut(c, order+1)
}

// moveUp moves a block that is near the text to where it does not keep the text from growing.
func (m *model) moveUp(at ref, units int) ref {
	const near = 16 << 10 // bytes
	class := classOf(units)
	if (at-m.unitsStart)*slotBytes > near || at > m.free[class] {
		return at
	}
	moved := m.remove(class)
	m.copyUnits(moved, at, units)
	if at != m.unitsStart {
		m.insert(at, class)
	} else {
		m.unitsStart += ref(classUnits[class]) * unitSlots
	}
	return moved
}

// expandText gives the free blocks next to the text to it.
func (m *model) expandText() {
	a := m.arena
	m.guard()
	var taken [classes]uint32
	for a[m.unitsStart][1] == freeMark {
		n := a[m.unitsStart+1].ref()
		a[m.unitsStart][1] = 0
		taken[classOf(int(n))]++
		m.unitsStart += n * unitSlots
	}
	for class, n := range taken {
		m.blocks[class] -= n
		last := ref(0)
		for at := m.free[class]; n > 0; {
			next := a[at].ref()
			switch {
			case a[at][1] == freeMark:
				last = at
			case last == 0:
				m.free[class] = next
				n--
			default:
				a[last].setRef(next)
				n--
			}
			at = next
		}
	}
}

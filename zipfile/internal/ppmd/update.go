package ppmd

// find returns the place of the state of sym, which must be there.
func find(states []slot, sym byte) int {
	for i := range states {
		if states[i][0] == sym {
			return i
		}
	}
	panic(errCorrupt) // the suffix of a context has all of its symbols
}

// states returns the states of a context of several.
func (m *model) states(c ref) (at ref, states []slot) {
	at = m.arena[c+1].ref()
	return at, m.arena[at : int(at)+int(m.arena[c][0])+1]
}

// update takes in the symbol whose state is found, where the way to the next context is not just
// its successor.
func (m *model) update(found ref) {
	if m.hi-m.lo < m.slotReserve || m.text >= m.textReserve {
		found = m.grow(found)
	}
	a := m.arena
	f := &a[found]
	sym, freq, next := f[0], f[1], f.ref()

	if !next.before(m.unitsStart) {
		// The next symbol needs this context, which is rarely in a cache; other work is done
		// while it comes.
		m.ahead = a[next][0] + a[next+1][0]
	}

	// The suffix learns too.
	var inSuffix ref
	if c := a[m.context].ref(); freq < maxFreq/4 && c != 0 {
		if a[c][0] == 0 {
			inSuffix = c + 1
			if s := &a[inSuffix]; s[1] < 32 {
				s[1]++
			}
		} else {
			at, states := m.states(c)
			i := find(states, sym)
			if i > 0 && states[i][1] >= states[i-1][1] {
				swap(&states[i], &states[i-1])
				i--
			}
			inSuffix = at + ref(i)
			if s := &states[i]; s[1] < maxFreq-9 {
				s[1] += 2
				sum := &a[c+1]
				sum.setSum(sum.sum() + 2)
			}
		}
	}

	if m.orderFall == 0 && next != 0 {
		c := m.createSuccessors(found, true, inSuffix, m.context)
		f.setRef(c)
		if c == 0 {
			m.restore(m.topContext)
			return
		}
		m.context, m.topContext = c, c
		return
	}

	a[m.text/slotBytes][m.text%slotBytes] = sym
	m.text++
	if m.text >= m.unitsStart*slotBytes {
		m.restore(m.topContext)
		return
	}
	topNext := m.text | textBit

	if next == 0 {
		next = m.reduceOrder(found, inSuffix)
	} else if next.before(m.unitsStart) {
		next = m.createSuccessors(found, false, inSuffix, m.context)
	}
	if next == 0 {
		m.restore(m.topContext)
		return
	}
	if m.orderFall--; m.orderFall == 0 {
		topNext = next
		if m.topContext != m.context {
			m.text--
		}
	}
	if failed := m.addStates(sym, freq, topNext); failed != 0 {
		m.restore(failed)
		return
	}
	m.context, m.topContext = next, next
}

// addStates adds a state to every context that did not know the symbol. It returns the context
// for which there was no memory.
func (m *model) addStates(sym, freq byte, next ref) (failed ref) {
	a := m.arena
	count := uint32(a[m.context][0])
	// What other symbols have in the context that knew it.
	others := a[m.context+1].sum() - count - uint32(freq)
	for c := m.topContext; c != m.context; c = a[c].ref() {
		first, second := &a[c], &a[c+1]
		n := int(first[0])
		var sum uint32
		if n == 0 {
			at := m.alloc(0)
			if at == 0 {
				return c
			}
			s := &a[at]
			*s = *second
			if s[1] < maxFreq/4-1 {
				s[1] <<= 1
			} else {
				s[1] = maxFreq - 4
			}
			second.setRef(at)
			sum = uint32(s[1]) + m.initEsc + one(count > 2)
		} else {
			if n&1 != 0 { // all slots are taken
				units := (n + 1) >> 1
				if class := classOf(units); class != classOf(units+1) {
					at := m.alloc(class + 1)
					if at == 0 {
						return c
					}
					old := second.ref()
					m.copyUnits(at, old, units)
					m.insert(old, class)
					second.setRef(at)
				}
			}
			sum = second.sum() + one(uint32(3*n+1) < count)
		}

		f := 2 * uint32(freq) * (sum + 6)
		all := others + sum
		if f < 6*all {
			f = 1 + one(f > all) + one(f >= 4*all)
			sum += 4
		} else {
			f = 4 + one(f > 9*all) + one(f > 12*all) + one(f > 15*all)
			sum += f
		}
		second.setSum(sum)
		s := &a[int(second.ref())+n+1]
		s[0], s[1] = sym, byte(f)
		s.setRef(next)
		first[0]++
		first[1] |= flagIf(sym >= 0x40, flagHigh)
	}
	return 0
}

// createSuccessors makes contexts that follow found's symbol, for the state found itself unless
// skip says that it has what follows it, and for those of the symbol in the suffixes of c as far
// as they have none. inSuffix is the first of these if it is known. It returns the longest, or 0
// when there is no memory.
func (m *model) createSuccessors(found ref, skip bool, inSuffix, c ref) ref {
	a := m.arena
	sym, branch := a[found][0], a[found].ref()
	upSym := a[(branch&^textBit)/slotBytes][(branch&^textBit)%slotBytes] // early: it is far away
	waiting := &m.waiting
	n := 0
	if !skip {
		waiting[0] = found
		n = 1
	}
	for {
		suffix := a[c].ref()
		if suffix == 0 {
			break
		}
		c = suffix
		at := inSuffix
		switch {
		case at != 0:
			inSuffix = 0
		case a[c][0] != 0:
			first, states := m.states(c)
			i := find(states, sym)
			at = first + ref(i)
			if s := &states[i]; s[1] < maxFreq-9 {
				s[1]++
				sum := &a[c+1]
				sum.setSum(sum.sum() + 1)
			}
		default:
			at = c + 1
			if s := &a[at]; s[1] < 24 && a[a[c].ref()][0] == 0 {
				s[1]++
			}
		}
		if next := a[at].ref(); next != branch {
			if c = next; c.before(m.unitsStart) {
				panic(errCorrupt) // a suffix knows at least what the longer context knows
			}
			if n == 0 {
				return c
			}
			break
		}
		waiting[n] = at
		n++
	}

	flags := flagIf(sym >= 0x40, flagPrevHigh) | flagIf(upSym >= 0x40, flagHigh)
	upFreq := a[c+1][1]
	if a[c][0] != 0 {
		_, states := m.states(c)
		f := uint32(states[find(states, upSym)][1]) - 1
		others := a[c+1].sum() - uint32(a[c][0]) - f
		switch {
		case 2*f > others:
			f = (f + 2*others - 3) / others
		default:
			f = one(5*f > others)
		}
		upFreq = byte(1 + f)
	}

	for n > 0 {
		at := m.allocContext()
		if at == 0 {
			return 0
		}
		first, second := &a[at], &a[at+1]
		first[0], first[1] = 0, flags
		first.setRef(c)
		second[0], second[1] = upSym, upFreq
		second.setRef(branch + 1)
		n--
		a[waiting[n]].setRef(at)
		c = at
	}
	return c
}

// reduceOrder is for a state that nothing follows: it gets the text, and so does that of the
// symbol in the suffixes, down to one that knows a context. It returns that context, or 0 when
// there is no memory.
func (m *model) reduceOrder(found, inSuffix ref) ref {
	a := m.arena
	sym, start := a[found][0], m.context
	branch := m.text | textBit
	a[found].setRef(branch)
	m.orderFall++

	c, at := start, ref(0)
	for {
		suffix := a[c].ref()
		if suffix == 0 {
			return c
		}
		c = suffix
		switch {
		case inSuffix != 0:
			at, inSuffix = inSuffix, 0
		case a[c][0] != 0:
			first, states := m.states(c)
			i := find(states, sym)
			at = first + ref(i)
			if s := &states[i]; s[1] < maxFreq-9 {
				s[1] += 2
				sum := &a[c+1]
				sum.setSum(sum.sum() + 2)
			}
		default:
			at = c + 1
			if s := &a[at]; s[1] < 32 {
				s[1]++
			}
		}
		if a[at].ref() != 0 {
			break
		}
		a[at].setRef(branch)
		m.orderFall++
	}

	s := &a[at]
	if s.ref().before(m.unitsStart) {
		s.setRef(m.createSuccessors(at, false, 0, c))
	}
	next := s.ref()
	if m.orderFall == 1 && start == m.topContext {
		a[found].setRef(next)
		m.text--
	}
	return next
}

// rescale halves the frequencies of the context, of which found's has grown too large, and sorts
// the states by them. It returns where the state of found is now.
func (m *model) rescale(found ref) ref {
	a := m.arena
	c := m.context
	first, second := &a[c], &a[c+1]
	at, states := m.states(c)

	s := a[found]
	copy(states[1:], states[:found-at])
	esc := second.sum() - uint32(s[1])
	add := byte(0)
	if m.orderFall != 0 {
		add = 1
	}
	s[1] = byte((uint32(s[1]) + 4 + uint32(add)) >> 1)
	states[0] = s
	sum := uint32(s[1])
	for i := 1; i < len(states); i++ {
		s := states[i]
		esc -= uint32(s[1])
		s[1] = (s[1] + add) >> 1
		sum += uint32(s[1])
		j := i
		for ; j > 0 && s[1] > states[j-1][1]; j-- {
			states[j] = states[j-1]
		}
		states[j] = s
	}

	if last := len(states) - 1; states[last][1] == 0 {
		left := last
		for states[left-1][1] == 0 {
			left--
		}
		gone := len(states) - left
		esc += uint32(gone)
		units := (last + 2) >> 1
		if left == 1 {
			s := states[0]
			s[1] = byte(min((2*uint32(s[1])+esc-1)/esc, maxFreq/3))
			m.insert(at, classOf(units))
			first[0], first[1] = 0, first[1]&flagPrevHigh|flagIf(s[0] >= 0x40, flagHigh)
			*second = s
			return c + 1
		}
		first[0] = byte(left - 1)
		if n := (left + 1) >> 1; n != units {
			at = m.shrink(at, units, n)
			second.setRef(at)
		}
		first[1] &^= flagHigh
		_, states = m.states(c)
		for i := range states {
			first[1] |= flagIf(states[i][0] >= 0x40, flagHigh)
		}
	}
	second.setSum(sum + esc - esc>>1)
	first[1] |= flagRescaled
	return at
}

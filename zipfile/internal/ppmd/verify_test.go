package ppmd

import "fmt"

// verify checks what the model relies on: that each reference leads to what it should, that no
// two things are in one place, that a suffix has all the symbols of a context, that sums leave
// something for escape and that the range coder can divide by them.
func (m *model) verify() error {
	v := verifier{m: m, owner: make([]ref, len(m.arena)), orders: map[ref]int{}}
	if err := v.all(); err != nil {
		return fmt.Errorf("%w (order %d, text %d, units %d, lo %d, hi %d of %d)", err, m.order, m.text, m.unitsStart, m.lo, m.hi, len(m.arena))
	}
	return nil
}

type verifier struct {
	m      *model
	owner  []ref
	orders map[ref]int // of the contexts
	links  []link
}

type link struct {
	state ref
	next  ref
	order int // that next should have
}

func (v *verifier) all() error {
	m, a := v.m, v.m.arena
	root := m.context
	for a[root].ref() != 0 {
		root = a[root].ref()
	}
	if a[root][0] != orderZero || int(root) != len(a)-unitSlots {
		return fmt.Errorf("context of order 0 at %d with %d symbols", root, a[root][0])
	}
	if err := v.context(root, 0); err != nil {
		return err
	}
	for class, at := range m.free {
		n := uint32(0)
		for ; at != 0; at = a[at].ref() {
			if a[at][1] != freeMark || a[at+1].ref() != ref(classUnits[class]) {
				return fmt.Errorf("block %d in list %d is not free", at, class)
			}
			if err := v.claim(at, int(classUnits[class]), at); err != nil {
				return err
			}
			n++
		}
		if n != m.blocks[class] {
			return fmt.Errorf("list %d has %d blocks, not %d", class, n, m.blocks[class])
		}
	}
	for _, l := range v.links {
		order, ok := v.orders[l.next]
		if !ok || order != l.order {
			return fmt.Errorf("state %d is followed by %d of order %d (%v), not %d", l.state, l.next, order, ok, l.order)
		}
	}
	for c, order := range v.orders {
		if err := v.suffix(c, order); err != nil {
			return err
		}
	}
	if order, ok := v.orders[m.context]; !ok || order != m.order-m.orderFall {
		return fmt.Errorf("at context %d of order %d (%v), %d below the most", m.context, order, ok, m.orderFall)
	}
	return nil
}

// claim marks units as in use.
func (v *verifier) claim(at ref, units int, who ref) error {
	if at < v.m.unitsStart || int(at)+units*unitSlots > len(v.m.arena) || at%unitSlots != v.m.hi%unitSlots {
		return fmt.Errorf("%d units at %d", units, at)
	}
	for i := range ref(units * unitSlots) {
		if at+i >= v.m.lo && at+i < v.m.hi {
			return fmt.Errorf("%d units at %d are in what was never used", units, at)
		}
		if v.owner[at+i] != 0 {
			return fmt.Errorf("slot %d belongs to %d and %d", at+i, v.owner[at+i], who)
		}
		v.owner[at+i] = who
	}
	return nil
}

func (v *verifier) context(c ref, order int) error {
	m, a := v.m, v.m.arena
	if err := v.claim(c, 1, c); err != nil {
		return fmt.Errorf("context of order %d: %w", order, err)
	}
	v.orders[c] = order
	at, states := c+1, a[c+1:c+2]
	if a[c][0] != 0 {
		at, states = m.states(c)
		if err := v.claim(at, int(classUnits[classOf((len(states)+1)/2)]), c); err != nil {
			return fmt.Errorf("states of context %d: %w", c, err)
		}
	}
	if a[c][1]&^(flagHigh|flagPrevHigh|flagRescaled) != 0 {
		return fmt.Errorf("context %d has flags %#x", c, a[c][1])
	}
	sum := uint32(0)
	var seen [256]bool
	for i := range states {
		s := &states[i]
		if seen[s[0]] {
			return fmt.Errorf("context %d has %#x twice", c, s[0])
		}
		seen[s[0]] = true
		sum += uint32(s[1])
		if s[1] == 0 || s[1] > maxOneFreq || len(states) > 1 && s[1] > maxFreq+4 {
			return fmt.Errorf("context %d has a frequency of %d", c, s[1])
		}
		next := s.ref()
		switch {
		case next&textBit != 0:
			if p := next &^ textBit; p < m.textStart() || p > m.text {
				return fmt.Errorf("state %d of order %d is followed by the text at %d of %d", i, order, p, m.text)
			}
		case next != 0 && order < m.order:
			if err := v.context(next, order+1); err != nil {
				return err
			}
			v.links = append(v.links, link{at + ref(i), next, order + 1})
		case next != 0:
			v.links = append(v.links, link{at + ref(i), next, m.order})
		}
	}
	if len(states) > 1 {
		if all := a[c+1].sum(); all <= sum || all > bottom {
			return fmt.Errorf("context %d with %d states has a sum of %d, they have %d", c, len(states), all, sum)
		}
	}
	return nil
}

func (v *verifier) suffix(c ref, order int) error {
	a := v.m.arena
	suffix := a[c].ref()
	if order == 0 {
		if suffix != 0 {
			return fmt.Errorf("the context of order 0 has a suffix")
		}
		return nil
	}
	if got, ok := v.orders[suffix]; !ok || got != order-1 {
		return fmt.Errorf("context %d of order %d has the suffix %d of order %d (%v)", c, order, suffix, got, ok)
	}
	states, have := a[c+1:c+2], a[suffix+1:suffix+2]
	if a[c][0] != 0 {
		_, states = v.m.states(c)
	}
	if a[suffix][0] != 0 {
		_, have = v.m.states(suffix)
	}
	next := map[byte]ref{}
	for i := range have {
		next[have[i][0]] = have[i].ref()
	}
	for i := range states {
		n, ok := next[states[i][0]]
		if !ok {
			return fmt.Errorf("context %d has %#x, its suffix has not", c, states[i][0])
		}
		// What follows here follows the suffix, too, and what follows that is no shorter.
		if s := states[i].ref(); s != 0 && n == 0 || s&textBit == 0 && s != 0 && n&textBit != 0 {
			return fmt.Errorf("context %d of order %d has %d after %#x, its suffix has %d", c, order, int32(s), states[i][0], int32(n))
		}
	}
	return nil
}

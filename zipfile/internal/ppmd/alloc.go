package ppmd

import "encoding/binary"

// The arena. What a context predicts depends on when memory runs out, so the allocator is part of
// the format: sizes, order of the free lists and the moments of merging must be those of every
// other implementation. Where the bytes are is not.
//
//	text ... | units, bottom up ... free ... contexts, top down |
//	         unitsStart             lo       hi                 len(arena)
//
// The text is what was decoded, as far as no context covers it yet. Units are 12 bytes, two slots.
// A block of 1 to 128 units holds the states of a context, one a slot; a context and a free block
// have a unit's two slots for themselves.
//
//	            first slot                   second slot
//	context     count-1, flags, suffix       sum of frequencies, block of states
//	  of one    0, flags, suffix             its only state
//	state       symbol, frequency, successor
//	free block  -, freeMark, next            -, -, units
const (
	slotBytes = 6
	unitSlots = 2
	unitBytes = unitSlots * slotBytes

	maxUnits  = 128 // in a block
	freeMark  = 0xFF
	gluePause = 1 << 13 // allocations between two merges of free blocks
)

// slot is half a unit: two bytes and a reference, or a 16-bit number and a reference.
type slot [slotBytes]byte

// ref says where something is. A unit's or state's is the number of its slot. That of a byte of
// the text is its place in bytes with textBit. As signed numbers, text comes before nothing (0)
// before units.
type ref uint32

const textBit ref = 1 << 31

// before compares as signed numbers: r.before(unitsStart) is true for text, for nothing, and for
// a unit that was given back to the text.
func (r ref) before(q ref) bool { return int32(r) < int32(q) }

func (s *slot) ref() ref        { return ref(binary.LittleEndian.Uint32(s[2:])) }
func (s *slot) setRef(r ref)    { binary.LittleEndian.PutUint32(s[2:], uint32(r)) }
func (s *slot) sum() uint32     { return uint32(binary.LittleEndian.Uint16(s[:])) }
func (s *slot) setSum(v uint32) { binary.LittleEndian.PutUint16(s[:], uint16(v)) }

func swap(s, t *slot) {
	a, b, c, d := s.ref(), s.sum(), t.ref(), t.sum()
	s.setRef(c)
	s.setSum(d)
	t.setRef(a)
	t.setSum(b)
}

// classOf returns the smallest class of blocks that have n units, 1 to maxUnits.
func classOf(n int) int { return int(unitClass[n-1]) }

func (m *model) insert(at ref, class int) {
	first, second := &m.arena[at], &m.arena[at+1]
	first[1] = freeMark
	first.setRef(m.free[class])
	second.setRef(ref(classUnits[class]))
	m.free[class] = at
	m.blocks[class]++
}

// remove takes a block from the list of its class, which must have one.
func (m *model) remove(class int) ref {
	at := m.free[class]
	m.free[class] = m.arena[at].ref()
	m.blocks[class]--
	return at
}

// insertUnits frees n units, at most maxUnits, as one block or two.
func (m *model) insertUnits(at ref, n int) {
	class := classOf(n)
	if have := int(classUnits[class]); have != n {
		class--
		have = int(classUnits[class])
		m.insert(at+ref(have*unitSlots), n-have-1) // few enough to be their own class
	}
	m.insert(at, class)
}

// split frees what a block of class from has beyond one of class to.
func (m *model) split(at ref, from, to int) {
	keep := int(classUnits[to])
	m.insertUnits(at+ref(keep*unitSlots), int(classUnits[from])-keep)
}

// alloc returns a block, or 0 when there is none.
func (m *model) alloc(class int) ref {
	if m.free[class] != 0 {
		return m.remove(class)
	}
	if n := ref(classUnits[class]) * unitSlots; m.hi-m.lo >= n {
		at := m.lo
		m.lo += n
		return at
	}
	return m.allocRare(class)
}

// allocContext returns a unit from the top, or 0 when there is none at all.
func (m *model) allocContext() ref {
	switch {
	case m.hi != m.lo:
		m.hi -= unitSlots
		return m.hi
	case m.free[0] != 0:
		return m.remove(0)
	}
	return m.allocRare(0)
}

// allocRare splits a larger block, or takes from what is left for the text.
func (m *model) allocRare(class int) ref {
	if m.glueCount == 0 {
		m.glue()
		if m.free[class] != 0 {
			return m.remove(class)
		}
	}
	for i := class + 1; i < classes; i++ {
		if m.free[i] != 0 {
			at := m.remove(i)
			m.split(at, i, class)
			return at
		}
	}
	m.glueCount--
	n := ref(classUnits[class])
	if m.unitsStart*slotBytes-m.text <= n*unitBytes {
		return 0
	}
	m.unitsStart -= n * unitSlots
	return m.unitsStart
}

// glue merges neighbours among the free blocks.
func (m *model) glue() {
	a := m.arena
	m.glueCount = gluePause
	m.blocks = [classes]uint32{}
	m.guard()

	// All free blocks in one list. One that went into its neighbour has no units; the last
	// block of the arena is always the context of order 0, so that a neighbour exists.
	var head, last ref
	for class, at := range m.free {
		m.free[class] = 0
		for at != 0 {
			next := a[at].ref()
			if n := a[at+1].ref(); n != 0 {
				if last == 0 {
					head = at
				} else {
					a[last].setRef(at)
				}
				last = at
				for {
					after := at + n*unitSlots
					if a[after][1] != freeMark {
						break
					}
					more := &a[after+1]
					if more.ref() == 0 {
						panic(errCorrupt) // the model's lists are not those of a model
					}
					n += more.ref()
					more.setRef(0)
				}
				a[at+1].setRef(n)
			}
			at = next
		}
	}
	if last != 0 {
		a[last].setRef(0)
	}

	for head != 0 {
		at, n := head, int(a[head+1].ref())
		head = a[head].ref()
		if n == 0 {
			continue
		}
		for ; n > maxUnits; n -= maxUnits {
			m.insert(at, classes-1)
			at += maxUnits * unitSlots
		}
		m.insertUnits(at, n)
	}
}

// guard marks where the units that were never used begin: no free block is there.
func (m *model) guard() {
	if m.lo != m.hi {
		m.arena[m.lo][1] = 0
	}
}

// shrink gives back what a block of old units has beyond n, and returns where its first n are
// now.
func (m *model) shrink(at ref, old, n int) ref {
	from, to := classOf(old), classOf(n)
	if from == to {
		return at
	}
	if m.free[to] == 0 {
		m.split(at, from, to)
		return at
	}
	moved := m.remove(to)
	m.copyUnits(moved, at, n)
	m.insert(at, from)
	return moved
}

// freeUnit frees one unit, for the text if it is its neighbour.
func (m *model) freeUnit(at ref) {
	if at == m.unitsStart {
		m.unitsStart += unitSlots
	} else {
		m.insert(at, 0)
	}
}

func (m *model) copyUnits(to, from ref, n int) {
	copy(m.arena[to:int(to)+n*unitSlots], m.arena[from:])
}

// used returns how many bytes of the model's memory are neither free nor left for the text.
func (m *model) used() uint32 {
	n := uint32(0)
	for class, count := range m.blocks {
		n += count * uint32(classUnits[class])
	}
	return m.size - uint32(m.hi-m.lo)*slotBytes - uint32(m.unitsStart*slotBytes-m.text) - n*unitBytes
}

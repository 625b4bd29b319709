package ppmd

import "math"

// The memory that a stream asks for is taken as it is used. A model behaves the same in an arena
// that is too small until that is full; then the whole moves into a larger one. As long as the
// arena is too small, none of the model's memory was ever full, and therefore all between hi and
// the end is contexts that are in use, and every free block is below lo.
const (
	firstRoom = 256 << 10            // bytes
	roomStep  = 4                    // times the room before
	keepRoom  = firstRoom * roomStep // the largest that is kept for another stream

	// What one symbol may take: 16 contexts that get a larger block, and as many new contexts,
	// twice; and a byte of text.
	reserveSlots = (maxOrder*maxUnits + 4*maxOrder) * unitSlots
	reserveText  = 16
)

// nothing is the unit at the start that no reference points to.
const nothing = unitSlots

// pad is how many bytes lie between the unit of nothing and the text, so that units end where the
// memory does.
func (m *model) pad() uint32 { return (unitBytes - m.size%unitBytes) % unitBytes }

func (m *model) textStart() ref { return ref(nothing*slotBytes + m.pad()) }

// layout tells where an arena of so many bytes ends and where its units begin. An eighth is for
// the text.
func (m *model) layout(room uint32) (top, unitsStart ref) {
	top = ref((nothing*slotBytes + m.pad() + room) / slotBytes)
	return top, top - ref(room/8/unitBytes*7*unitSlots)
}

// setRoom takes room bytes or so, at most what the model may have.
func (m *model) setRoom(room uint32) {
	// Whatever the room, the same pad.
	m.room = min(m.size, room-room%unitBytes+m.size%unitBytes)
	if m.room == m.size {
		m.slotReserve, m.textReserve = 0, math.MaxInt32
		return
	}
	_, unitsStart := m.layout(m.room)
	m.slotReserve, m.textReserve = reserveSlots, unitsStart*slotBytes-reserveText
}

// openArena takes a small arena, or the one that is still there.
func (m *model) openArena() {
	if m.setRoom(keepRoom); m.fits() {
		return
	}
	if m.setRoom(firstRoom); !m.fits() {
		top, _ := m.layout(m.room)
		m.arena = make([]slot, top)
	}
}

// fits makes the arena as long as the room asks, if there is memory for it already.
func (m *model) fits() bool {
	top, _ := m.layout(m.room)
	if int(top) > cap(m.arena) {
		return false
	}
	m.arena = m.arena[:top]
	return true
}

// release gives back what is too much to keep.
func (m *model) release() {
	if cap(m.arena) > keepRoom/slotBytes+2*unitSlots {
		m.arena = nil
	}
}

// grow moves the model into a larger arena. It returns where the state at found is then.
func (m *model) grow(found ref) ref {
	oldTop, oldStart := m.layout(m.room)
	m.setRoom(m.room * roomStep)
	top, start := m.layout(m.room)
	a := make([]slot, top)
	copy(a, m.arena[:m.text/slotBytes+1])
	copy(a[start:], m.arena[oldStart:m.lo])
	copy(a[top-(oldTop-m.hi):], m.arena[m.hi:oldTop])

	up, down := start-oldStart, top-oldTop // how far blocks and contexts move
	m.arena = a
	m.unitsStart = start
	m.lo += up
	m.hi += down
	for class, at := range m.free {
		if at == 0 {
			continue
		}
		m.free[class] = at + up
		for at += up; a[at].ref() != 0; at = a[at].ref() {
			a[at].setRef(a[at].ref() + up)
		}
	}
	for c := m.hi; c < top; c += unitSlots {
		first, second := &a[c], &a[c+1]
		if suffix := first.ref(); suffix != 0 {
			first.setRef(suffix + down)
		}
		states := a[c+1 : c+2]
		if first[0] != 0 {
			second.setRef(second.ref() + up)
			_, states = m.states(c)
		}
		for i := range states {
			if next := states[i].ref(); ref(0).before(next) {
				states[i].setRef(next + down)
			}
		}
	}
	m.context += down
	m.topContext += down
	if found >= m.hi-down {
		return found + down
	}
	return found + up
}

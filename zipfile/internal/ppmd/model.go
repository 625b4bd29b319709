package ppmd

const (
	minOrder = 2
	maxOrder = 16

	maxFreq    = 124 // of a state in a context of several
	maxOneFreq = 196 // of the state in a context of one

	binBits    = 14 // of a probability in a context of one state
	periodBits = 7  // how slowly such a probability and an escape estimate move

	// Flags of a context.
	flagRescaled = 0x04
	flagHigh     = 0x08 // one of its symbols is 0x40 or more
	flagPrevHigh = 0x10 // the symbol in front was 0x40 or more

	orderZero = 255 // count-1 of the context of order 0: it always has all symbols
)

// see estimates how likely an escape is, in contexts that have some traits in common ("secondary
// escape estimation").
type see struct {
	sum   uint16
	shift uint8
	count uint8 // updates until shift grows
}

// model is PPMd variant I. It depends on nothing but the symbols decoded so far, and each of them
// leaves it in a state in which any other may follow: that is why references are not checked, but
// by the compiler (see guarded).
type model struct {
	arena []slot

	context    ref // of the symbol at hand, after escapes
	topContext ref // of the symbol at hand, before escapes
	orderFall  int // how much shorter context is than the order

	success     uint32 // 1: the last symbol was the likely one
	runLength   uint32 // how many likely symbols came in a row; negative: not yet enough
	initEsc     uint32 // the frequency of escape where a context gets its second state
	ahead       uint8  // not used, so that what is read ahead is read
	glueCount   uint32
	text        ref // where the next byte of the text goes, in bytes
	unitsStart  ref
	lo, hi      ref
	slotReserve ref // grow when fewer slots are between lo and hi
	textReserve ref // grow when the text is here

	order   int
	cutOff  bool   // when memory is full, prune the tree instead of starting again
	size    uint32 // of the memory, as the stream has it, in bytes
	room    uint32 // how much of that the arena has
	initRun uint32

	waiting [maxOrder + 1]ref // see createSuccessors
	free    [classes]ref
	blocks  [classes]uint32 // how many are in each list
	bins    [binRows << 6]uint16
	sees    [1 << 10]see
}

const (
	binRows     = 32 // a power of two, so that a mask keeps an index within
	usedBinRows = 25
	seeRows     = 24
	noSee       = seeRows << 5 // the one that stays as it is
)

func flagIf(is bool, flag byte) byte {
	if is {
		return flag
	}
	return 0
}

func one(is bool) uint32 {
	if is {
		return 1
	}
	return 0
}

// init makes a model of size bytes.
func (m *model) init(order int, size uint32, cutOff bool) {
	m.order, m.size, m.cutOff = order, size, cutOff
	m.initRun = uint32(-min(order, 12) - 1)
	m.openArena()
	m.restart()
}

// restart forgets all.
func (m *model) restart() {
	m.free, m.blocks = [classes]ref{}, [classes]uint32{}
	m.glueCount = 0
	m.text = m.textStart()
	top, unitsStart := m.layout(m.room)
	m.unitsStart = unitsStart
	m.orderFall = m.order
	m.runLength, m.success, m.initEsc = m.initRun, 0, 0

	c, states := top-unitSlots, unitsStart
	m.hi, m.lo = c, states+maxUnits*unitSlots
	m.context, m.topContext = c, c
	first, second := &m.arena[c], &m.arena[c+1]
	first[0], first[1] = orderZero, 0
	first.setRef(0)
	second.setSum(256 + 1)
	second.setRef(states)
	all := m.arena[states:m.lo]
	for i := range all {
		all[i] = slot{byte(i), 1}
	}

	// The starting values are those of the last frequency and count of each row.
	i := 0
	for row := range usedBinRows {
		for int(binRow[i]) == row {
			i++
		}
		bins := m.bins[row<<6:][:64]
		for k, esc := range initBinEsc {
			bins[k] = 1<<binBits - esc/uint16(i+1)
		}
		for k := len(initBinEsc); k < len(bins); k *= 2 {
			copy(bins[k:], bins[:k])
		}
	}
	i = 0
	for row := range seeRows {
		for i < orderZero && int(seeRow[i+1]) == row {
			i++
		}
		for k := range 32 {
			m.sees[row<<5|k] = see{sum: uint16(2*i+5) << (periodBits - 4), shift: periodBits - 4, count: 7}
		}
	}
	m.sees[noSee] = see{shift: periodBits, count: 64}
}

// binIndex tells which probability is for a context of one state.
func (m *model) binIndex(first, second *slot) uint32 {
	return uint32(binRow[second[1]-1])<<6 + uint32(suffixBin[m.arena[first.ref()][0]]) +
		m.success + uint32(first[1]) + m.runLength>>26&0x20
}

// seeIndex tells which estimate is for a context that has known states of a longer one.
func (m *model) seeIndex(c ref, known int) uint32 {
	first, n := &m.arena[c], uint32(m.arena[c][0])
	if n == orderZero {
		return noSee
	}
	sum, suffix := m.arena[c+1].sum(), uint32(m.arena[first.ref()][0])
	return uint32(seeRow[n])<<5 + one(sum > 11*(n+1)) + 2*one(2*n < suffix+uint32(known)) + uint32(first[1])
}

// escape takes the frequency of escape out of the estimate; hit or what is escaped from comes in.
func (e *see) escape() uint32 {
	r := e.sum >> e.shift
	e.sum -= r
	return uint32(max(r, 1))
}

// hit is called when there was no escape.
func (e *see) hit() {
	if e.shift >= periodBits {
		return
	}
	if e.count--; e.count == 0 {
		e.sum <<= 1
		e.count = 3 << e.shift
		e.shift++
	}
}

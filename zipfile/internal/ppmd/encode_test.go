package ppmd

import "encoding/binary"

// encoder is the other side of decoder: the same model, steered by the symbols.
type encoder struct {
	model
	low, rng uint32
	out      []byte
	mask     [256]bool
}

// endMark is an escape from all contexts.
const endMark = -1

// parameters are those in front of the data.
type parameters struct {
	order, memory, method int // memory in MiB
}

func (p parameters) bytes() []byte {
	return binary.LittleEndian.AppendUint16(nil, uint16(p.order-1|(p.memory-1)<<4|p.method<<12))
}

// compress makes a stream with an end mark, as 7-Zip's.
func compress(data []byte, p parameters) []byte {
	b, _ := compressTo(data, p, true)
	return b
}

func compressTo(data []byte, p parameters, mark bool) ([]byte, *encoder) {
	e := &encoder{rng: 1<<32 - 1, out: p.bytes()}
	e.init(p.order, uint32(p.memory)<<20, p.method == cutOff)
	for _, sym := range data {
		e.encode(int(sym))
	}
	if mark {
		e.encode(endMark)
	}
	e.flush()
	return e.out, e
}

func (e *encoder) flush() {
	e.out = binary.BigEndian.AppendUint32(e.out, e.low)
}

// part encodes that size from start on, of what e.rng was divided by, is where the symbol is.
func (e *encoder) part(start, size uint32) {
	e.low += start * e.rng
	e.rng *= size
	for e.low^(e.low+e.rng) < top || e.rng < bottom {
		if e.low^(e.low+e.rng) >= top {
			e.rng = -e.low & (bottom - 1)
		}
		e.out = append(e.out, byte(e.low>>24))
		e.low <<= 8
		e.rng <<= 8
	}
}

func (e *encoder) encode(sym int) {
	m, c := &e.model, e.context
	m.topContext = c
	first, second := &m.arena[c], &m.arena[c+1]
	e.mask = [256]bool{}
	if first[0] == 0 {
		bin := &m.bins[m.binIndex(first, second)]
		prob := uint32(*bin)
		e.rng >>= binBits
		if int(second[0]) == sym {
			e.part(0, prob)
			*bin += 1<<periodBits - uint16((prob+1<<5)>>periodBits)
			if second[1] < maxOneFreq {
				second[1]++
			}
			m.success = 1
			m.runLength++
			e.next(c + 1)
			return
		}
		e.part(prob, 1<<binBits-prob)
		*bin -= uint16((prob + 1<<5) >> periodBits)
		m.initEsc = uint32(expEscape[*bin>>10])
		e.mask[second[0]] = true
	} else {
		sum := second.sum()
		at, states := m.states(c)
		e.rng /= sum
		start := uint32(0)
		for i := range states {
			s := &states[i]
			f := uint32(s[1])
			if int(s[0]) != sym {
				start += f
				continue
			}
			e.part(start, f)
			m.success = 0
			if i == 0 && 2*f >= sum {
				m.success = 1
				m.runLength++
			}
			second.setSum(sum + 4)
			s[1] += 4
			found := at + ref(i)
			if i > 0 && s[1] > states[i-1][1] {
				swap(s, &states[i-1])
				found--
			} else if i > 0 {
				e.next(found)
				return
			}
			if m.arena[found][1] > maxFreq {
				found = m.rescale(found)
			}
			e.next(found)
			return
		}
		e.part(start, sum-start)
		for i := range states {
			e.mask[states[i][0]] = true
		}
	}
	m.success = 0
	e.escape(sym)
}

func (e *encoder) escape(sym int) {
	m, c := &e.model, e.context
	for {
		known := m.arena[c][0]
		for m.arena[c][0] == known {
			m.orderFall++
			if c = m.arena[c].ref(); c == 0 {
				return
			}
		}
		m.context = c
		at, states := m.states(c)
		sum, start, place := uint32(0), uint32(0), -1
		for i := range states {
			switch {
			case e.mask[states[i][0]]:
				continue
			case int(states[i][0]) == sym:
				start, place = sum, i
			}
			sum += uint32(states[i][1])
		}
		see := &m.sees[m.seeIndex(c, int(known))]
		all := sum + see.escape()
		e.rng /= all
		if place < 0 {
			e.part(sum, all-sum)
			see.sum += uint16(all)
			for i := range states {
				e.mask[states[i][0]] = true
			}
			continue
		}
		s := &states[place]
		e.part(start, uint32(s[1]))
		see.hit()
		second := &m.arena[c+1]
		second.setSum(second.sum() + 4)
		m.runLength = m.initRun
		found := at + ref(place)
		if s[1] += 4; s[1] > maxFreq {
			found = m.rescale(found)
		}
		m.update(found)
		return
	}
}

func (e *encoder) next(found ref) {
	m := &e.model
	if next := m.arena[found].ref(); m.orderFall == 0 && !next.before(m.unitsStart) {
		m.context = next
		return
	}
	m.update(found)
}

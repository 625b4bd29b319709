package ppmd

// Bounds of the range coder (Subbotin's, without carries): when the upper byte is settled it is
// shifted out, and when the range is less than bottom it is cut so that the byte is settled.
const (
	top    = 1 << 24
	bottom = 1 << 15
)

const (
	inputLen = 16 << 10 // how much is read at a time, in bytes
	// lookAhead is more than what one symbol takes: an escape from each of 17 contexts and the
	// symbol itself, at most 4 bytes each.
	lookAhead = 128
)

// masked marks symbols that contexts had which were escaped from.
const masked = 0xFF

// status tells why decode came back.
type status int

const (
	going   status = iota // dst is full, or the input nearly empty
	ended                 // the end mark: an escape from the context of order 0
	corrupt               // not within the range
)

// coder is the state of the range coder: where the range begins, how far into it the code is, and
// how long it is; and how much of the input is used.
type coder struct {
	low, code, rng uint32
	pos            int
}

// input is what was read, and room for what a symbol may look at beyond.
type input [inputLen + lookAhead]byte

// normalize shifts settled bytes out.
func (c coder) normalize(in *input) coder {
	for c.low^(c.low+c.rng) < top || c.rng < bottom {
		if c.low^(c.low+c.rng) >= top {
			c.rng = -c.low & (bottom - 1)
		}
		c.code = c.code<<8 | uint32(in[c.pos])
		c.pos++
		c.low <<= 8
		c.rng <<= 8
	}
	return c
}

// decoder is what a stream works with.
type decoder struct {
	model
	coder
	end  int        // of what was read
	safe int        // a symbol can be decoded when pos is at most this
	mask [256]uint8 // masked for the symbols that longer contexts have
	in   input
}

// decode decodes symbols to dst as long as there is input enough for one more.
func (d *decoder) decode(dst []byte) (n int, st status) {
	m := &d.model
	a := m.arena
	rc, safe, c := d.coder, d.safe, m.context
	for n < len(dst) && rc.pos <= safe {
		rc = rc.normalize(&d.in)
		var found ref
		first, second := &a[c], &a[c+1]
		if count := int(first[0]); count == 0 {
			bin := &m.bins[m.binIndex(first, second)%uint32(len(m.bins))]
			prob := uint32(*bin)
			rc.rng >>= binBits
			if part := prob * rc.rng; rc.code < part {
				rc.rng = part
				*bin = uint16(prob + 1<<periodBits - (prob+1<<5)>>periodBits)
				if second[1] < maxOneFreq {
					second[1]++
				}
				m.success = 1
				m.runLength++
				found = c + 1
				dst[n] = second[0]
			} else {
				rc.low += part
				rc.code -= part
				rc.rng *= 1<<binBits - prob
				prob -= (prob + 1<<5) >> periodBits
				*bin = uint16(prob)
				m.initEsc = uint32(expEscape[prob>>10%16])
				m.success = 0
				clear(d.mask[:])
				d.mask[second[0]] = masked
			}
		} else {
			sum, at := second.sum(), second.ref()
			states := a[at : int(at)+count+1]
			rc.rng /= sum
			s := &states[0]
			f := uint32(s[1])
			if part := f * rc.rng; rc.code < part {
				rc.rng = part
				m.success = one(2*f >= sum)
				m.runLength += m.success
				second.setSum(sum + 4)
				s[1] = byte(f + 4)
				dst[n] = s[0]
				found = at
				if f+4 > maxFreq {
					m.context = c
					found = m.rescale(found)
				}
			} else {
				m.success = 0
				before := part
				i := 1
				for ; i < len(states); i++ {
					part = uint32(states[i][1]) * rc.rng
					if rc.code-before < part {
						break
					}
					before += part
				}
				rc.low += before
				rc.code -= before
				if i < len(states) {
					rc.rng = part
					second.setSum(sum + 4)
					s, t := &states[i], &states[i-1]
					dst[n] = s[0]
					s[1] += 4
					found = at + ref(i)
					if s[1] > t[1] {
						swap(s, t)
						found--
						if t[1] > maxFreq {
							m.context = c
							found = m.rescale(found)
						}
					}
				} else {
					if rc.rng = rc.rng*sum - before; rc.code >= rc.rng {
						st = corrupt
						break
					}
					clear(d.mask[:])
					for i := range states {
						d.mask[states[i][0]] = masked
					}
				}
			}
		}

		if found != 0 {
			next := a[found].ref()
			if m.orderFall == 0 && !next.before(m.unitsStart) {
				n++
				c = next
				continue
			}
			m.context, m.topContext = c, c
		} else {
			m.context, m.topContext = c, c
			if found, rc, st = d.escape(rc); found == 0 {
				break
			}
			dst[n] = a[found][0]
		}
		n++
		m.update(found)
		a, c = m.arena, m.context
	}
	d.coder, m.context = rc, c
	return n, st
}

// escape goes to shorter contexts until one has the symbol, and returns where it is there.
func (d *decoder) escape(rc coder) (found ref, after coder, st status) {
	m := &d.model
	a := m.arena
	c := m.context
	for {
		known := a[c][0]
		for a[c][0] == known {
			m.orderFall++
			if c = a[c].ref(); c == 0 {
				return 0, rc, ended
			}
		}
		at, states := m.states(c)
		sum := unmasked(states, &d.mask)
		e := &m.sees[m.seeIndex(c, int(known))%uint32(len(m.sees))]
		all := sum + e.escape()
		rc = rc.normalize(&d.in)
		rc.rng /= all
		if part := sum * rc.rng; rc.code >= part {
			rc.low += part
			rc.code -= part
			if rc.rng = rc.rng*all - part; rc.code >= rc.rng {
				return 0, rc, corrupt
			}
			e.sum += uint16(all)
			for i := range states {
				d.mask[states[i][0]] = masked
			}
			continue
		}

		e.hit()
		m.context = c
		m.runLength = m.initRun
		before := uint32(0)
		for i := range states {
			s := &states[i]
			part := (uint32(s[1]) &^ uint32(d.mask[s[0]])) * rc.rng
			if rc.code-before >= part {
				before += part
				continue
			}
			rc.low += before
			rc.code -= before
			rc.rng = part
			second := &a[c+1]
			second.setSum(second.sum() + 4)
			found = at + ref(i)
			if s[1] += 4; s[1] > maxFreq {
				found = m.rescale(found)
			}
			return found, rc, going
		}
		panic(errCorrupt) // what is less than the sum is within one of its parts
	}
}

// unmasked sums the frequencies of states that are not masked. It is where much of the time goes
// with short inputs, in which novel symbols are looked for among all 256.
func unmasked(states []slot, mask *[256]uint8) uint32 {
	sum := uint32(0)
	for len(states) >= 4 {
		s := (*[4]slot)(states)
		sum += uint32(s[0][1])&^uint32(mask[s[0][0]]) + uint32(s[1][1])&^uint32(mask[s[1][0]]) +
			uint32(s[2][1])&^uint32(mask[s[2][0]]) + uint32(s[3][1])&^uint32(mask[s[3][0]])
		states = states[4:]
	}
	for i := range states {
		s := &states[i]
		sum += uint32(s[1]) &^ uint32(mask[s[0]])
	}
	return sum
}

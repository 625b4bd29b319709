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

// decoder is what a stream works with.
type decoder struct {
	model
	low, code, rng uint32

	pos, end int        // what of in is read and not used
	safe     int        // a symbol can be decoded when pos is at most this
	mask     [256]uint8 // masked for the symbols that longer contexts have
	open     [256]uint8 // places of states that are not masked
	in       [inputLen + lookAhead]byte
}

// decode decodes symbols to dst as long as there is input enough for one more.
func (d *decoder) decode(dst []byte) (n int, st status) {
	m := &d.model
	a := m.arena
	in := d.in[:]
	low, code, rng, pos, safe := d.low, d.code, d.rng, d.pos, d.safe
	c := m.context
	for n < len(dst) && pos <= safe {
		for low^(low+rng) < top || rng < bottom {
			if low^(low+rng) >= top {
				rng = -low & (bottom - 1)
			}
			code = code<<8 | uint32(in[pos])
			pos++
			low <<= 8
			rng <<= 8
		}
		var found ref
		first, second := &a[c], &a[c+1]
		if count := int(first[0]); count == 0 {
			bin := &m.bins[m.binIndex(first, second)%uint32(len(m.bins))]
			prob := uint32(*bin)
			rng >>= binBits
			if part := prob * rng; code < part {
				rng = part
				*bin = uint16(prob + 1<<periodBits - (prob+1<<5)>>periodBits)
				if second[1] < maxOneFreq {
					second[1]++
				}
				m.success = 1
				m.runLength++
				found = c + 1
				dst[n] = second[0]
			} else {
				low += part
				code -= part
				rng *= 1<<binBits - prob
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
			rng /= sum
			s := &states[0]
			f := uint32(s[1])
			if part := f * rng; code < part {
				rng = part
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
					part = uint32(states[i][1]) * rng
					if code-before < part {
						break
					}
					before += part
				}
				low += before
				code -= before
				if i < len(states) {
					rng = part
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
					if rng = rng*sum - before; code >= rng {
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
			d.low, d.code, d.rng, d.pos = low, code, rng, pos
			if found, st = d.escape(); found == 0 {
				return n, st
			}
			low, code, rng, pos = d.low, d.code, d.rng, d.pos
			dst[n] = a[found][0]
		}
		n++
		m.update(found)
		a, c = m.arena, m.context
	}
	d.low, d.code, d.rng, d.pos = low, code, rng, pos
	m.context = c
	return n, st
}

// escape goes to shorter contexts until one has the symbol, and returns where it is there.
func (d *decoder) escape() (found ref, st status) {
	m := &d.model
	a := m.arena
	c := m.context
	for {
		known := a[c][0]
		for a[c][0] == known {
			m.orderFall++
			if c = a[c].ref(); c == 0 {
				return 0, ended
			}
		}
		d.normalize()
		second := &a[c+1]
		at, states := m.states(c)
		n, sum := uint(0), uint(0)
		i := 0
		for ; i+1 < len(states); i += 2 {
			s := (*[2]slot)(states[i:])
			mask := uint(d.mask[s[0][0]])
			d.open[n%256] = uint8(i)
			n += ^mask & 1
			sum += uint(s[0][1]) &^ mask
			mask = uint(d.mask[s[1][0]])
			d.open[n%256] = uint8(i + 1)
			n += ^mask & 1
			sum += uint(s[1][1]) &^ mask
		}
		if i < len(states) {
			mask := uint(d.mask[states[i][0]])
			d.open[n%256] = uint8(i)
			n += ^mask & 1
			sum += uint(states[i][1]) &^ mask
		}
		e := &m.sees[m.seeIndex(c, int(known))%uint32(len(m.sees))]
		all := uint32(sum) + e.escape()
		d.rng /= all
		if part := uint32(sum) * d.rng; d.code >= part {
			d.low += part
			d.code -= part
			if d.rng = d.rng*all - part; d.code >= d.rng {
				return 0, corrupt
			}
			e.sum += uint16(all)
			for _, i := range d.open[:n%256] {
				d.mask[states[i][0]] = masked
			}
			continue
		}

		before := uint32(0)
		for _, i := range d.open[:n%256] {
			part := uint32(states[i][1]) * d.rng
			if d.code-before >= part {
				before += part
				continue
			}
			d.low += before
			d.code -= before
			d.rng = part
			e.hit()
			found = at + ref(i)
			second.setSum(second.sum() + 4)
			m.context = c
			m.runLength = m.initRun
			if states[i][1] += 4; states[i][1] > maxFreq {
				found = m.rescale(found)
			}
			return found, going
		}
		panic(errCorrupt) // what is less than the sum is within one of its parts
	}
}

// normalize shifts settled bytes out, as decode does.
func (d *decoder) normalize() {
	for d.low^(d.low+d.rng) < top || d.rng < bottom {
		if d.low^(d.low+d.rng) >= top {
			d.rng = -d.low & (bottom - 1)
		}
		d.code = d.code<<8 | uint32(d.in[d.pos])
		d.pos++
		d.low <<= 8
		d.rng <<= 8
	}
}

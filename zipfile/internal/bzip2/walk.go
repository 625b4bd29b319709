package bzip2

const (
	lanes     = 24
	chunkSize = 1024 // bytes that a lane writes in a row
	roundSize = lanes * chunkSize
	walkMin   = 8 << 10 // bytes of a block that is walked from many places
	// A block of walkMin bytes has some more starts than lanes, and starts at most cost little of
	// the time of a long one. The more there are, the more evenly the lanes have to walk.
	starts     = 512
	startEvery = 256 // bytes, at least

	marked  = 1 << 31 // in next: the start of a section, whose number is below
	noStart = -1
)

// The bytes of a block come sorted by what follows them. In next, the entry of a place in the order
// of the bytes themselves has that byte (bits 0-7) and the place of the byte behind it (from bit 8).
// So each step loads from memory what the step before it found, and as most blocks do not fit the
// second-level cache, the processor waits most of the time.
//
// Therefore a block is walked from many places at once. Some places are marked, with the first
// byte's among them. A section goes from a marked place up to the next that it comes to; when all
// are walked, it is known in which order they follow. Many sections are walked in lockstep, a lane
// each, whose loads do not wait for each other; a lane whose section ended takes up another.
//
// The chain of a block of equal parts is but a part of all places, which comes again and again.
type walk struct {
	sections [starts + 1]section
	count    int    // of sections
	left     int    // bytes of the block that were not given out yet
	at       int32  // section
	done     int    // bytes of it that were given out
	entry    uint32 // behind those, when they are more than the lane walked
	scratch  [chunkSize]byte
}

// section is a part of a block, of which a lane walked n bytes; they begin at the lane's byte from.
type section struct {
	lane  int32
	from  int32
	n     int32
	next  int32  // section that follows, noStart when there is a rest that was not walked
	entry uint32 // behind the n bytes
}

// transform undoes the transform of the block.
func (z *Reader) transform() {
	z.link()
	z.mark()
	if z.count > 1 {
		z.walkAll((z.size + z.size/4 + roundSize - 1) / roundSize)
	}
}

// mark marks the starts of sections, the first of them at the first byte of the block.
func (z *Reader) mark() {
	w, next := &z.walk, z.next
	w.left, w.at, w.done, w.count = z.size, 0, 0, 1
	w.sections[0] = section{entry: next[z.origin], next: noStart}
	if z.size < walkMin {
		return
	}
	next[z.origin] = marked
	n := uint32(min(starts, z.size/startEvery))
	// One start in each of n equal parts, anywhere in it: starts at equal distances could follow
	// upon each other in data of equal records.
	step, random := uint32(z.size)/n, uint32(0)
	for i := range n {
		random = random*1664525 + 1013904223
		if p := i*step + random>>16%step; next[p]&marked == 0 {
			w.sections[w.count] = section{entry: next[p], next: noStart}
			next[p] = marked | uint32(w.count)
			w.count++
		}
	}
}

// link makes next of the bytes in data: the first byte of each value in the order of their bytes
// is the first with it in data, and so on.
func (z *Reader) link() {
	n := z.size
	if len(z.next) < n+1 {
		z.next = make([]uint32, min(n+n/4, 9*levelSize)+1)
	}
	data, next := z.data[:n], z.next[:n+1]
	var low, high [256]uint32
	sum := uint32(0)
	for c, k := range z.counts {
		low[c] = sum
		sum += k
		high[c] = sum
	}
	// From both ends, for two chains of counts that do not wait for each other.
	i, j := 0, n-1
	for ; i < j; i, j = i+1, j-1 {
		c, d := data[i], data[j]
		k := low[c]
		low[c] = k + 1
		next[k] = uint32(i)<<8 | uint32(c)
		l := high[d] - 1
		high[d] = l
		next[l] = uint32(j)<<8 | uint32(d)
	}
	if i == j {
		c := data[i]
		next[low[c]] = uint32(i)<<8 | uint32(c)
	}
	next[n] = uint32(n) << 8 // a place of its own, for lanes without a section
}

// walkAll walks all sections as far as the rounds go, of which each takes roundSize bytes of data.
func (z *Reader) walkAll(rounds int) {
	w := &z.walk
	if len(z.data) < rounds*roundSize {
		z.data = make([]byte, rounds*roundSize)
	}
	var e [lanes]uint32
	var in [lanes]int32 // section of the lane
	park := z.next[z.size]
	begun, active := 0, 0
	begin := func(l, t int) {
		if begun == w.count {
			e[l], in[l] = park, noStart
			return
		}
		s := &w.sections[begun]
		s.lane, s.from = int32(l), int32(t)
		e[l], in[l] = s.entry, int32(begun)
		begun++
		active++
	}
	for l := range e {
		begin(l, 0)
	}
	t := 0
	for ; rounds > 0 && active > 0; rounds-- {
		g := (*[roundSize]byte)(z.data[t*lanes:])
		for s := 0; s < chunkSize; {
			d := lockstep(z.next, g, &e, s)
			s, t = s+d, t+d
			for l := range e {
				if v := e[l]; int32(v) < 0 {
					ended := &w.sections[in[l]]
					ended.n, ended.next = int32(t)-ended.from, int32(v&^marked)
					active--
					begin(l, t)
				}
			}
			if active == 0 {
				break
			}
		}
	}
	for l, s := range in {
		if s != noStart {
			cut := &w.sections[s]
			cut.n, cut.entry = int32(t)-cut.from, e[l]
		}
	}
}

// lockstep walks all lanes from step s of a round on until one comes to a mark, or the round is over,
// and returns how many steps that took.
func lockstep(next []uint32, g *[roundSize]byte, e *[lanes]uint32, s int) int {
	from := s
	e0, e1, e2, e3, e4, e5, e6, e7 := e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7]
	e8, e9, e10, e11, e12, e13, e14, e15 := e[8], e[9], e[10], e[11], e[12], e[13], e[14], e[15]
	e16, e17, e18, e19, e20, e21, e22, e23 := e[16], e[17], e[18], e[19], e[20], e[21], e[22], e[23]
	for s < chunkSize {
		g[0*chunkSize+s] = byte(e0)
		e0 = next[e0>>8]
		g[1*chunkSize+s] = byte(e1)
		e1 = next[e1>>8]
		g[2*chunkSize+s] = byte(e2)
		e2 = next[e2>>8]
		g[3*chunkSize+s] = byte(e3)
		e3 = next[e3>>8]
		g[4*chunkSize+s] = byte(e4)
		e4 = next[e4>>8]
		g[5*chunkSize+s] = byte(e5)
		e5 = next[e5>>8]
		g[6*chunkSize+s] = byte(e6)
		e6 = next[e6>>8]
		g[7*chunkSize+s] = byte(e7)
		e7 = next[e7>>8]
		g[8*chunkSize+s] = byte(e8)
		e8 = next[e8>>8]
		g[9*chunkSize+s] = byte(e9)
		e9 = next[e9>>8]
		g[10*chunkSize+s] = byte(e10)
		e10 = next[e10>>8]
		g[11*chunkSize+s] = byte(e11)
		e11 = next[e11>>8]
		g[12*chunkSize+s] = byte(e12)
		e12 = next[e12>>8]
		g[13*chunkSize+s] = byte(e13)
		e13 = next[e13>>8]
		g[14*chunkSize+s] = byte(e14)
		e14 = next[e14>>8]
		g[15*chunkSize+s] = byte(e15)
		e15 = next[e15>>8]
		g[16*chunkSize+s] = byte(e16)
		e16 = next[e16>>8]
		g[17*chunkSize+s] = byte(e17)
		e17 = next[e17>>8]
		g[18*chunkSize+s] = byte(e18)
		e18 = next[e18>>8]
		g[19*chunkSize+s] = byte(e19)
		e19 = next[e19>>8]
		g[20*chunkSize+s] = byte(e20)
		e20 = next[e20>>8]
		g[21*chunkSize+s] = byte(e21)
		e21 = next[e21>>8]
		g[22*chunkSize+s] = byte(e22)
		e22 = next[e22>>8]
		g[23*chunkSize+s] = byte(e23)
		e23 = next[e23>>8]
		s++
		if int32(e0|e1|e2|e3|e4|e5|e6|e7|
			e8|e9|e10|e11|e12|e13|e14|e15|
			e16|e17|e18|e19|e20|e21|e22|e23) < 0 {
			break
		}
	}
	*e = [lanes]uint32{
		e0, e1, e2, e3, e4, e5, e6, e7,
		e8, e9, e10, e11, e12, e13, e14, e15,
		e16, e17, e18, e19, e20, e21, e22, e23,
	}
	return s - from
}

// piece gives the next bytes of the block, none at its end.
func (z *Reader) piece() []byte {
	w := &z.walk
	for w.left > 0 {
		s := &w.sections[w.at]
		if rest := int(s.n) - w.done; rest > 0 {
			t := int(s.from) + w.done
			at := t%chunkSize + t/chunkSize*roundSize + int(s.lane)*chunkSize
			n := min(rest, w.left, chunkSize-t%chunkSize)
			w.done += n
			w.left -= n
			return z.data[at : at+n]
		}
		if s.next != noStart {
			w.at, w.done = s.next, 0
			continue
		}
		if w.done == int(s.n) {
			w.entry = s.entry
		}
		n := 0
		for n < min(w.left, chunkSize) && int32(w.entry) >= 0 {
			w.scratch[n] = byte(w.entry)
			w.entry = z.next[w.entry>>8]
			n++
		}
		w.done += n
		w.left -= n
		if int32(w.entry) < 0 {
			w.at, w.done = int32(w.entry&^marked), 0
		}
		return w.scratch[:n]
	}
	return nil
}

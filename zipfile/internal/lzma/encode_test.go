package lzma

import (
	"encoding/binary"
	"math/rand/v2"
)

// encoder writes LZMA symbols, whatever it is told: it does not look whether a match is one. It
// keeps its own models, in maps by name, so that it shares nothing with the decoder.
type encoder struct {
	lc, lp, pb int
	models     map[string][]uint16
	state      int
	reps       [4]int // distances; 1 is the last byte
	data       []byte // what the symbols give, since the reset of the dictionary

	low       uint64
	rng       uint32
	cache     byte
	cacheSize int
	out       []byte
}

func newEncoder(lc, lp, pb int) *encoder {
	e := &encoder{}
	e.reset(lc, lp, pb)
	e.startCoder()
	return e
}

// reset is a reset of the state with new properties.
func (e *encoder) reset(lc, lp, pb int) {
	e.lc, e.lp, e.pb = lc, lp, pb
	e.models = map[string][]uint16{}
	e.state = 0
	e.reps = [4]int{1, 1, 1, 1}
}

func (e *encoder) startCoder() { e.low, e.rng, e.cache, e.cacheSize, e.out = 0, 1<<32-1, 0, 1, nil }

func (e *encoder) properties() byte { return byte((e.pb*5+e.lp)*9 + e.lc) }

// model is the i-th of the models of a name.
func (e *encoder) model(name string, i int) *uint16 {
	m := e.models[name]
	for len(m) <= i {
		m = append(m, 1024)
	}
	e.models[name] = m
	return &m[i]
}

func (e *encoder) shift() {
	if e.low < 0xff000000 || e.low >= 1<<32 {
		carry := byte(e.low >> 32)
		for c := e.cache; e.cacheSize > 0; e.cacheSize-- {
			e.out = append(e.out, c+carry)
			c = 0xff
		}
		e.cache = byte(e.low >> 24)
	}
	e.cacheSize++
	e.low = e.low & 0xffffff << 8
}

func (e *encoder) bit(p *uint16, bit int) {
	bound := e.rng >> 11 * uint32(*p)
	if bit == 0 {
		e.rng = bound
		*p += (2048 - *p) >> 5
	} else {
		e.low += uint64(bound)
		e.rng -= bound
		*p -= *p >> 5
	}
	for e.rng < 1<<24 {
		e.rng <<= 8
		e.shift()
	}
}

func (e *encoder) direct(v, n int) {
	for n--; n >= 0; n-- {
		e.rng >>= 1
		if v>>n&1 == 1 {
			e.low += uint64(e.rng)
		}
		for e.rng < 1<<24 {
			e.rng <<= 8
			e.shift()
		}
	}
}

// tree writes n bits, the highest first; the models of the name begin at from.
func (e *encoder) tree(name string, from, v, n int) {
	m := 1
	for n--; n >= 0; n-- {
		b := v >> n & 1
		e.bit(e.model(name, from+m), b)
		m = 2*m + b
	}
}

func (e *encoder) reverse(name string, from, v, n int) {
	m := 1
	for i := range n {
		b := v >> i & 1
		e.bit(e.model(name, from+m), b)
		m = 2*m + b
	}
}

// flush ends the range coder and returns what was written since it started.
func (e *encoder) flush() []byte {
	for range 5 {
		e.shift()
	}
	return e.out
}

func (e *encoder) at() int { return len(e.data) & (1<<e.pb - 1) }

func (e *encoder) index() int { return e.state<<4 + e.at() }

func (e *encoder) byteAt(distance int) byte {
	if distance > len(e.data) || distance <= 0 {
		return 0
	}
	return e.data[len(e.data)-distance]
}

func (e *encoder) literal(b byte) {
	e.bit(e.model("match", e.index()), 0)
	context := len(e.data)&(1<<e.lp-1)<<e.lc | int(e.byteAt(1))>>(8-e.lc)
	m, i, like := 1, 8, int(e.byteAt(e.reps[0]))
	if e.state >= 7 {
		for i > 0 {
			i--
			x, y := like>>i&1, int(b)>>i&1
			e.bit(e.model("literal", context*0x300+0x100+x<<8+m), y)
			m = 2*m + y
			if x != y {
				break
			}
		}
	}
	for i--; i >= 0; i-- {
		y := int(b) >> i & 1
		e.bit(e.model("literal", context*0x300+m), y)
		m = 2*m + y
	}
	e.state = []int{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 4, 5}[e.state]
	e.data = append(e.data, b)
}

func (e *encoder) length(name string, n int) {
	switch n -= 2; {
	case n < 8:
		e.bit(e.model(name+"mid", 0), 0)
		e.tree(name+"low", e.at()<<3, n, 3)
	case n < 16:
		e.bit(e.model(name+"mid", 0), 1)
		e.bit(e.model(name+"long", 0), 0)
		e.tree(name+"middle", e.at()<<3, n-8, 3)
	default:
		e.bit(e.model(name+"mid", 0), 1)
		e.bit(e.model(name+"long", 0), 1)
		e.tree(name+"high", 0, n-16, 8)
	}
}

func (e *encoder) copy(n int) {
	for range n {
		e.data = append(e.data, e.byteAt(e.reps[0]))
	}
}

func (e *encoder) after(early, late int) {
	if e.state < 7 {
		e.state = early
	} else {
		e.state = late
	}
}

// match writes a match of n bytes, 2 to 273. The end marker is one of distance 0.
func (e *encoder) match(distance, n int) {
	e.bit(e.model("match", e.index()), 1)
	e.bit(e.model("rep", e.state), 0)
	e.length("match ", n)
	e.after(7, 10)
	d := uint32(distance - 1)
	slot, bits := int(d), 0
	if d >= 4 {
		for d>>bits >= 4 {
			bits++
		}
		slot = bits<<1 + int(d>>bits)
	}
	e.tree("slot", min(n-2, 3)<<6, slot, 6)
	if low := int(d & (1<<bits - 1)); slot >= 14 {
		e.direct(low>>4, bits-4)
		e.reverse("align", 0, low, 4)
	} else if slot >= 4 {
		e.reverse("special", slot<<6, low, bits)
	}
	e.reps = [4]int{distance, e.reps[0], e.reps[1], e.reps[2]}
	if distance > 0 {
		e.copy(n)
	}
}

func (e *encoder) endMarker() { e.match(0, 2) }

func (e *encoder) shortRep() {
	e.bit(e.model("match", e.index()), 1)
	e.bit(e.model("rep", e.state), 1)
	e.bit(e.model("rep0", e.state), 0)
	e.bit(e.model("rep0 long", e.index()), 0)
	e.after(9, 11)
	e.copy(1)
}

// rep writes a match with the i-th of the last distances.
func (e *encoder) rep(i, n int) {
	e.bit(e.model("match", e.index()), 1)
	e.bit(e.model("rep", e.state), 1)
	e.bit(e.model("rep0", e.state), min(i, 1))
	if i == 0 {
		e.bit(e.model("rep0 long", e.index()), 1)
	} else {
		e.bit(e.model("rep1", e.state), min(i-1, 1))
		if i > 1 {
			e.bit(e.model("rep2", e.state), i-2)
		}
	}
	r := e.reps
	copy(e.reps[1:], r[:i])
	e.reps[0] = r[i]
	e.length("rep ", n)
	e.after(8, 11)
	e.copy(n)
}

// random writes symbols of all kinds until there are n bytes or a little more, none of them
// farther back than dict.
func (e *encoder) random(r *rand.Rand, n, dict int) {
	length := func() int {
		return 2 + r.IntN([]int{8, 16, 40, 272}[r.IntN(4)])
	}
	for len(e.data) < n {
		far := min(len(e.data), dict)
		valid := func(i int) bool { return e.reps[i] <= far }
		switch k := r.IntN(12); {
		case k < 5 || far == 0:
			e.literal(byte(r.IntN([]int{3, 256}[r.IntN(2)])))
		case k < 8:
			e.match(1+r.IntN(min(far, 1<<r.IntN(30))), length())
		case k == 8 && valid(0):
			e.shortRep()
		case valid(k & 3):
			e.rep(k&3, length())
		}
	}
}

// text writes data as a simple encoder does that looks for matches.
func (e *encoder) text(data []byte) {
	seen := map[[3]byte]int{}
	same := func(i, distance int) (n int) {
		if distance > i {
			return 0
		}
		for n < 273 && i+n < len(data) && data[i+n] == data[i+n-distance] {
			n++
		}
		return n
	}
	from := len(e.data)
	for i := 0; i < len(data); i = len(e.data) - from {
		best, kind := same(i, e.reps[0]), 0
		for k := 1; k < 4; k++ {
			if n := same(i, e.reps[k]); n > best {
				best, kind = n, k
			}
		}
		distance := 0
		if i+3 <= len(data) {
			if at, ok := seen[[3]byte(data[i:])]; ok {
				if n := same(i, i-at); n > best+1 {
					best, distance = n, i-at
				}
			}
		}
		n := max(best, 1)
		for k := i; k < i+n && k+3 <= len(data); k++ {
			seen[[3]byte(data[k:])] = k
		}
		switch {
		case distance > 0:
			e.match(distance, best)
		case best >= 2:
			e.rep(kind, best)
		case best == 1 && kind == 0 && e.state >= 7:
			e.shortRep()
		default:
			e.literal(data[i])
		}
	}
}

// zipHeader is the header of method 14.
func zipHeader(properties byte, dict uint32) []byte {
	return binary.LittleEndian.AppendUint32([]byte{26, 2, 5, 0, properties}, dict)
}

// stream is a stream for method 14 of what was encoded.
func (e *encoder) stream(dict uint32, eos bool) []byte {
	if eos {
		e.endMarker()
	}
	return append(zipHeader(e.properties(), dict), e.flush()...)
}

// chunkEncoder writes LZMA2.
type chunkEncoder struct {
	*encoder
	from int // what of data is in chunks
	all  []byte
	want []byte // what came before a reset of the dictionary
}

func newChunkEncoder() *chunkEncoder { return &chunkEncoder{encoder: newEncoder(3, 0, 2)} }

// coded ends an LZMA chunk of the symbols that were written; reset is one of the decoder's
// constants.
func (c *chunkEncoder) coded(reset int) {
	n := len(c.data) - c.from - 1
	p := c.flush()
	c.all = append(c.all, byte(0x80|reset<<5|n>>16), byte(n>>8), byte(n), byte((len(p)-1)>>8), byte(len(p)-1))
	if reset >= resetProperties {
		c.all = append(c.all, c.properties())
	}
	c.all = append(c.all, p...)
	c.from = len(c.data)
	c.startCoder()
}

// stored writes a stored chunk, with a reset of the dictionary or without.
func (c *chunkEncoder) stored(p []byte, reset bool) {
	control := byte(2)
	if reset {
		c.dropDict()
		control = 1
	}
	c.all = append(c.all, control, byte((len(p)-1)>>8), byte(len(p)-1))
	c.all = append(c.all, p...)
	c.data = append(c.data, p...)
	c.from = len(c.data)
}

// dropDict begins a new dictionary. It must be at the beginning of a chunk.
func (c *chunkEncoder) dropDict() {
	c.want = append(c.want, c.data...)
	c.data, c.from = nil, 0
}

// end ends the stream, and returns it and what it gives.
func (c *chunkEncoder) end() (stream, want []byte) {
	return append(c.all, 0), append(c.want, c.data...)
}

// random writes chunks of all kinds.
func (c *chunkEncoder) random(r *rand.Rand, count, most, dict int) {
	for i := range count {
		n := 1 + r.IntN(most)
		if r.IntN(4) == 0 {
			p := make([]byte, n)
			for k := range p {
				p[k] = byte(r.Uint32())
			}
			// What follows a reset by a stored chunk must have new properties.
			c.stored(p, i == 0)
			if i == 0 {
				c.begin(r, resetProperties)
				c.encoder.random(r, len(c.data)+n, dict)
				c.coded(resetProperties)
			}
			continue
		}
		reset := r.IntN(4)
		if i == 0 {
			reset = resetDict
		} else if len(c.models) == 0 {
			reset = max(reset, resetProperties)
		}
		c.begin(r, reset)
		c.encoder.random(r, len(c.data)+n, dict)
		c.coded(reset)
	}
}

// begin does what a chunk resets.
func (c *chunkEncoder) begin(r *rand.Rand, reset int) {
	switch reset {
	case resetModels:
		c.reset(c.lc, c.lp, c.pb)
	case resetDict:
		c.dropDict()
		fallthrough
	case resetProperties:
		lc := r.IntN(5)
		c.reset(lc, r.IntN(5-lc), r.IntN(5))
	}
}

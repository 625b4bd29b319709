//go:build !purego

package inflate

import "sync"

// Pair decodes many entries, two at a time, which takes less time than one after the other:
// while one waits for a table or a copy the processor works on the other. It is for one
// goroutine.
type Pair struct {
	// One behind the other, as the assembly reaches both from one register.
	lanes [2]Decoder
}

var pairs = sync.Pool{New: func() any {
	p := new(Pair)
	p.lanes[0].init()
	p.lanes[1].init()
	return p
}}

// GetPair takes a Pair from the pool.
func GetPair() *Pair { return pairs.Get().(*Pair) }

// Free gives the Pair back. Nothing that it gave may be used any more.
func (p *Pair) Free() {
	p.lanes[0].forget()
	p.lanes[1].forget()
	pairs.Put(p)
}

// Decode decodes the jobs that next gives until it gives none. For each it calls done: with the
// contents, valid until done returns, and how many bytes of the input they take, or with an
// error. next and done run on the caller's goroutine, done in no fixed order, and once done has
// returned false no more jobs are begun.
func (p *Pair) Decode(next func() (Job, bool), done func(j Job, out []byte, used int, err error) bool) {
	b := batch{next: next, done: done}
	busy := 0
	for i := range p.lanes {
		if b.start(&p.lanes[i]) {
			busy++
		}
	}
	for busy == 2 {
		d, err := p.blocks()
		if !b.advance(d, (*Decoder).blockGo, err) && !b.start(d) {
			busy--
		}
	}
	for i := range p.lanes {
		for d := &p.lanes[i]; d.kind == coded; {
			if !b.advance(d, (*Decoder).block, nil) && !b.start(d) {
				break
			}
		}
	}
}

// batch is the work of a Pair.
type batch struct {
	next func() (Job, bool)
	done func(j Job, out []byte, used int, err error) bool
	over bool
}

// start begins jobs on d until one is at a block of codes. It is false when there are no more.
func (b *batch) start(d *Decoder) bool {
	for !b.over {
		j, ok := b.next()
		if !ok {
			b.over = true
			break
		}
		if !j.possible(false) {
			b.over = !b.done(j, nil, 0, ErrShort)
			continue
		}
		d.begin(j, false)
		if b.toCodes(d) {
			return true
		}
	}
	d.kind = noBlock
	return false
}

// advance takes a job to the end of its block, which mostly is what stopped the pair loop, and on
// to the next. It is false when the job is done.
func (b *batch) advance(d *Decoder, block func(*Decoder) (status, error), err error) bool {
	s := running
	if err == nil {
		s, err = block(d)
	}
	if s != running || err != nil {
		b.finish(d, s, err)
		return false
	}
	return b.toCodes(d)
}

func (b *batch) toCodes(d *Decoder) bool {
	s, err := d.toCodes()
	if s == running && err == nil {
		return true
	}
	b.finish(d, s, err)
	return false
}

func (b *batch) finish(d *Decoder, s status, err error) {
	out, used, err := d.result(s, err)
	d.kind = noBlock
	if !b.done(d.job, out, used, err) {
		b.over = true
	}
}

// outAtOnce bounds the time in the loops in assembly, which cannot be preempted, by the bytes
// that a lane writes: some hundred microseconds, as each step writes one at least.
const outAtOnce = 32 << 10

// What made the pair loop stop.
const (
	atLimit = iota // of input or output, or as far ahead as asked
	atA            // a symbol that needs more than a step
	atB
	farA // a distance that reaches too far
	farB
	invalidA // an invalid code
	invalidB
)

// blocks decodes in both lanes until one needs something else, and gives that one.
func (p *Pair) blocks() (*Decoder, error) {
	a, b := &p.lanes[0], &p.lanes[1]
	for {
		switch pairLoop(p, outAtOnce) {
		case atA:
			return a, nil
		case atB:
			return b, nil
		case farA:
			return a, errTooFar
		case farB:
			return b, errTooFar
		case invalidA:
			return a, errSymbol
		case invalidB:
			return b, errSymbol
		}
		if a.atLimit() {
			return a, nil
		}
		if b.atLimit() {
			return b, nil
		}
	}
}

func (d *Decoder) atLimit() bool { return d.pos > d.stop || d.o >= d.limit }

// pairGo is the pair loop: step by step in turn. No step depends on what the other does. A step
// is a literal, if one is next, and a literal or match, without a branch between these two: a
// literal is a match of length 1 whose source is in the identity table before the output. (A
// branch that is predicted wrong would stop both.) The lanes are written out one by one, as what
// they share could only be a call, which would put their state into memory. Of the input that
// state is one number, the place of the next bit: with the bits themselves it would not fit into
// the registers.
//
// Bounds, for each lane. At the head of the loop the next bit is in front of byte end+9 and
// o < limit. A step takes at most 64 bits and reads 8 bytes from where it begins or has come to:
// two steps read below end+9+2*8+8 <= end+inSlack <= len(buf). They write two literals and two
// matches of at most 258 bytes and run on by less than 40 bytes: below limit-1+2*259+40 <=
// limit-1+outSlack <= len(out). A match's source begins at identity or behind, as distances are
// checked, a literal's below identity; both end before identity+40 or what is written.
func pairGo(p *Pair, ahead int) (code int) {
	a, b := &p.lanes[0], &p.lanes[1]
	aat, ao := a.bitPos(), a.o
	bat, bo := b.bitPos(), b.o
	astop, alimit := uint64(a.stop)<<3|7, min(a.limit, a.o+ahead)-1
	bstop, blimit := uint64(b.stop)<<3|7, min(b.limit, b.o+ahead)-1
	for int64(astop-aat)|int64(bstop-bat)|int64(alimit-ao|blimit-bo) >= 0 {
		for range 2 {
			{
				bits := pointerTo(a.buf, int(aat>>3)).u64(0) >> (aat & 7)
				e := p.lanes[0].litlen[bits&(1<<litlenBits-1)]
				pointerTo(a.out, ao).put8(0, byte(e>>8))
				ao += int(e >> 31)
				bits >>= e & 63
				aat += uint64(byte(e))
				e = p.lanes[0].litlen[bits&(1<<litlenBits-1)]
				if e&special != 0 {
					if e&specials != subtable {
						code = atA
						goto leave
					}
					e = litlenAt(&p.lanes[0].litlen, uint64(e>>8&0xfff)+bits>>litlenBits&(1<<(e>>20&15)-1))
					if e&special != 0 {
						code = atA
						goto leave
					}
					aat += litlenBits
					bits = pointerTo(a.buf, int(aat>>3)).u64(0) >> (aat & 7)
				}
				lit := int64(int32(e)) >> 63
				t := e >> 16 & 63
				extra := bits & belowAt(&p.lanes[0].below, t) >> (e >> 24 & 63)
				bits >>= t
				aat += uint64(t)
				value := int64(byte(e >> 8))
				length := int(value&^lit + minMatch + 2*lit + int64(extra))
				f := p.lanes[0].dist[bits&(1<<distBits-1)] &^ uint32(lit)
				if f&distSpecial != 0 {
					if f&distInvalid == distInvalid {
						code = invalidA
						goto leave
					}
					f = distAt(&p.lanes[0].dist, uint64(f>>16)+bits>>distBits&(1<<(f>>8&15)-1))
					if f&distSpecial != 0 {
						code = invalidA
						goto leave
					}
					bits >>= distBits
					aat += distBits
				}
				t = f & 63
				aat += uint64(t)
				distance := int(uint64(f>>16) + bits&belowAt(&p.lanes[0].below, t)>>(f>>8&63))
				off := ao - distance
				if off < identity {
					code = farA
					goto leave
				}
				to := pointerTo(a.out, ao)
				ao += length
				if uint(distance-1) < 7 {
					repeat(to, length, distance)
				} else {
					off ^= (off ^ int(value)) & int(lit)
					from := pointerTo(a.out, off)
					to.put64(0, from.u64(0))
					to.put64(8, from.u64(8))
					to.put64(16, from.u64(16))
					to.put64(24, from.u64(24))
					to.put64(32, from.u64(32))
					if length > 40 {
						copyOn(to, from, length)
					}
				}
			}
			{
				bits := pointerTo(b.buf, int(bat>>3)).u64(0) >> (bat & 7)
				e := p.lanes[1].litlen[bits&(1<<litlenBits-1)]
				pointerTo(b.out, bo).put8(0, byte(e>>8))
				bo += int(e >> 31)
				bits >>= e & 63
				bat += uint64(byte(e))
				e = p.lanes[1].litlen[bits&(1<<litlenBits-1)]
				if e&special != 0 {
					if e&specials != subtable {
						code = atB
						goto leave
					}
					e = litlenAt(&p.lanes[1].litlen, uint64(e>>8&0xfff)+bits>>litlenBits&(1<<(e>>20&15)-1))
					if e&special != 0 {
						code = atB
						goto leave
					}
					bat += litlenBits
					bits = pointerTo(b.buf, int(bat>>3)).u64(0) >> (bat & 7)
				}
				lit := int64(int32(e)) >> 63
				t := e >> 16 & 63
				extra := bits & belowAt(&p.lanes[1].below, t) >> (e >> 24 & 63)
				bits >>= t
				bat += uint64(t)
				value := int64(byte(e >> 8))
				length := int(value&^lit + minMatch + 2*lit + int64(extra))
				f := p.lanes[1].dist[bits&(1<<distBits-1)] &^ uint32(lit)
				if f&distSpecial != 0 {
					if f&distInvalid == distInvalid {
						code = invalidB
						goto leave
					}
					f = distAt(&p.lanes[1].dist, uint64(f>>16)+bits>>distBits&(1<<(f>>8&15)-1))
					if f&distSpecial != 0 {
						code = invalidB
						goto leave
					}
					bits >>= distBits
					bat += distBits
				}
				t = f & 63
				bat += uint64(t)
				distance := int(uint64(f>>16) + bits&belowAt(&p.lanes[1].below, t)>>(f>>8&63))
				off := bo - distance
				if off < identity {
					code = farB
					goto leave
				}
				to := pointerTo(b.out, bo)
				bo += length
				if uint(distance-1) < 7 {
					repeat(to, length, distance)
				} else {
					off ^= (off ^ int(value)) & int(lit)
					from := pointerTo(b.out, off)
					to.put64(0, from.u64(0))
					to.put64(8, from.u64(8))
					to.put64(16, from.u64(16))
					to.put64(24, from.u64(24))
					to.put64(32, from.u64(32))
					if length > 40 {
						copyOn(to, from, length)
					}
				}
			}
		}
	}
leave:
	a.setBitPos(aat)
	a.o = ao
	b.setBitPos(bat)
	b.o = bo
	return code
}

// bitPos is the place of the next bit of the input.
func (d *Decoder) bitPos() uint64 { return uint64(d.pos)<<3 - uint64(d.n&63) }

// setBitPos makes a bit the next.
func (d *Decoder) setBitPos(at uint64) {
	d.pos = int(at>>3) + 1
	d.n = uint(8 - at&7)
	d.bb = uint64(d.buf[at>>3]) >> (at & 7)
}

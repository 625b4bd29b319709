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
	p.decode(next, done, pairLoop, (*Decoder).block)
}

// pairedLoop decodes in both lanes until one needs something else, or has written ahead bytes, and
// says why: pairLoop, or pairGo.
type pairedLoop func(p *Pair, ahead int) (code int)

func (p *Pair) decode(next func() (Job, bool), done func(j Job, out []byte, used int, err error) bool, both pairedLoop, block blockLoop) {
	b := batch{next: next, done: done}
	busy := 0
	for i := range p.lanes {
		if b.start(&p.lanes[i]) {
			busy++
		}
	}
	for busy == 2 {
		d, err := p.blocks(both)
		if !b.advance(d, (*Decoder).blockGo, err) && !b.start(d) {
			busy--
		}
	}
	for i := range p.lanes {
		for d := &p.lanes[i]; d.kind == coded; {
			if !b.advance(d, block, nil) && !b.start(d) {
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
func (b *batch) advance(d *Decoder, block blockLoop, err error) bool {
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
	atA            // the end of a block, or an invalid literal or length: blockGo says which
	atB
	farA // a distance that reaches too far
	farB
	invalidA // an invalid distance code
	invalidB
)

// blocks decodes in both lanes until one needs something else, and gives that one.
func (p *Pair) blocks(both pairedLoop) (*Decoder, error) {
	a, b := &p.lanes[0], &p.lanes[1]
	for {
		switch both(p, outAtOnce) {
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
// branch that is predicted wrong would stop both.)
//
// What a lane comes to is in its Decoder: a step takes it from there and puts it back, as the
// registers do not hold the state of two. The lanes are written out one by one, each with its
// own places; one text for both, by a pointer that goes to and fro, takes a fifth longer.
//
// Bounds, for each lane. At the head of a step pos <= stop <= end+8 and o < limit. A step refills
// at most twice, each time reading 8 bytes and advancing at most 7: it reads below
// end+8+7+8 <= end+InSlack <= len(buf). It writes a literal and a match of at most 258 bytes and
// runs on by less than 40 bytes: below limit+258+40 <= limit-1+outSlack <= len(out). A match's
// source begins at identity or behind, as distances are checked, a literal's below identity; both
// end before identity+40 or what is written.
func pairGo(p *Pair, ahead int) (code int) {
	a, b := &p.lanes[0], &p.lanes[1]
	a.pause, b.pause = min(a.limit, a.o+ahead)-1, min(b.limit, b.o+ahead)-1
	var pos, o int
	var bb uint64
	var n uint
loop:
	for {
		{
			pos, o, bb, n = a.pos, a.o, a.bb, a.n
			if (a.stop-pos)|(a.pause-o) < 0 {
				break loop
			}
			bb |= pointerTo(a.buf, pos).u64(0) << (n & 63)
			pos += 7 - int(n>>3&7)
			n |= 56
			e := a.litlen[bb&(1<<litlenBits-1)]
			pointerTo(a.out, o).put8(0, byte(e>>8))
			o += int(e >> 31)
			bb >>= e & 63
			n -= uint(e)
			e = a.litlen[bb&(1<<litlenBits-1)]
			length := int(byte(e>>lengthAt)) + 1
			if e&special != 0 {
				if e&specials == subtable {
					e = litlenAt(&a.litlen, uint64(e>>startAt&startMask)+bb>>litlenBits&(1<<(e>>widthAt&widthMask)-1))
					if e&special != 0 && e&specials != longLength {
						code = atA
						goto leaveA
					}
					bb >>= litlenBits
					n -= litlenBits
					bb |= pointerTo(a.buf, pos).u64(0) << (n & 63)
					pos += 7 - int(n>>3&7)
					n |= 56
					length = int(byte(e>>lengthAt)) + 1
				}
				if e&special != 0 {
					if e&specials != longLength {
						code = atA
						goto leaveA
					}
					t := e >> countAt & 63
					length = int(e>>8&255) + minMatch + int(bb&belowAt(&a.below, t)>>(t-e>>extraAt&extraMask))
					e = e&(63<<countAt) | notLiteral
				}
			}
			match := uint64(int8(e) >> 7) // all ones, or 0
			bb >>= e >> countAt & 63
			n -= uint(e >> countAt)
			f := a.dist[bb&(1<<distBits-1)] & uint32(match)
			if f&distSpecial != 0 {
				if f&distInvalid == distInvalid {
					code = invalidA
					goto leaveA
				}
				f = distAt(&a.dist, uint64(f>>distStartAt)+bb>>distBits&(1<<(f>>distWidthAt&widthMask)-1))
				if f&distSpecial != 0 {
					code = invalidA
					goto leaveA
				}
				bb >>= distBits
				n -= distBits
			}
			distance := int(uint64(f>>distBaseAt) + bb&belowAt(&a.below, f&63)>>(f>>distCodeAt&63))
			a.pos, a.o, a.bb, a.n = pos, o+length, bb>>(f&63), n-uint(f)
			source := o - distance
			if source < identity {
				code = farA
				break loop
			}
			to := pointerTo(a.out, o)
			if uint(distance-1) < 7 {
				repeat(to, length, distance)
			} else {
				from := pointerTo(a.out, source&int(match)+int(byte(e>>8)))
				to.copy40(from)
				if length > 40 {
					copyOn(to, from, length)
				}
			}
		}
		{
			pos, o, bb, n = b.pos, b.o, b.bb, b.n
			if (b.stop-pos)|(b.pause-o) < 0 {
				break loop
			}
			bb |= pointerTo(b.buf, pos).u64(0) << (n & 63)
			pos += 7 - int(n>>3&7)
			n |= 56
			e := b.litlen[bb&(1<<litlenBits-1)]
			pointerTo(b.out, o).put8(0, byte(e>>8))
			o += int(e >> 31)
			bb >>= e & 63
			n -= uint(e)
			e = b.litlen[bb&(1<<litlenBits-1)]
			length := int(byte(e>>lengthAt)) + 1
			if e&special != 0 {
				if e&specials == subtable {
					e = litlenAt(&b.litlen, uint64(e>>startAt&startMask)+bb>>litlenBits&(1<<(e>>widthAt&widthMask)-1))
					if e&special != 0 && e&specials != longLength {
						code = atB
						goto leaveB
					}
					bb >>= litlenBits
					n -= litlenBits
					bb |= pointerTo(b.buf, pos).u64(0) << (n & 63)
					pos += 7 - int(n>>3&7)
					n |= 56
					length = int(byte(e>>lengthAt)) + 1
				}
				if e&special != 0 {
					if e&specials != longLength {
						code = atB
						goto leaveB
					}
					t := e >> countAt & 63
					length = int(e>>8&255) + minMatch + int(bb&belowAt(&b.below, t)>>(t-e>>extraAt&extraMask))
					e = e&(63<<countAt) | notLiteral
				}
			}
			match := uint64(int8(e) >> 7) // all ones, or 0
			bb >>= e >> countAt & 63
			n -= uint(e >> countAt)
			f := b.dist[bb&(1<<distBits-1)] & uint32(match)
			if f&distSpecial != 0 {
				if f&distInvalid == distInvalid {
					code = invalidB
					goto leaveB
				}
				f = distAt(&b.dist, uint64(f>>distStartAt)+bb>>distBits&(1<<(f>>distWidthAt&widthMask)-1))
				if f&distSpecial != 0 {
					code = invalidB
					goto leaveB
				}
				bb >>= distBits
				n -= distBits
			}
			distance := int(uint64(f>>distBaseAt) + bb&belowAt(&b.below, f&63)>>(f>>distCodeAt&63))
			b.pos, b.o, b.bb, b.n = pos, o+length, bb>>(f&63), n-uint(f)
			source := o - distance
			if source < identity {
				code = farB
				break loop
			}
			to := pointerTo(b.out, o)
			if uint(distance-1) < 7 {
				repeat(to, length, distance)
			} else {
				from := pointerTo(b.out, source&int(match)+int(byte(e>>8)))
				to.copy40(from)
				if length > 40 {
					copyOn(to, from, length)
				}
			}
		}
	}
	goto leave
leaveA:
	a.pos, a.o, a.bb, a.n = pos, o, bb, n
	goto leave
leaveB:
	b.pos, b.o, b.bb, b.n = pos, o, bb, n
leave:
	a.n &= 63
	b.n &= 63
	return code
}

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
	p.lanes[0].mean, p.lanes[1].mean = meaning(), meaning()
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
// they share could only be a call, which would put their state into memory.
//
// Bounds, for each lane. At the head of the loop pos <= stop <= end+8 and o < limit. In two
// steps it refills at most four times, each time reading 8 bytes and advancing at most 7: it
// reads below end+8+3*7+8 <= end+inSlack <= len(buf). It writes two literals and two matches of
// at most 258 bytes and runs on by less than 40 bytes: below limit-1+2*259+40 <= limit-1+outSlack
// <= len(out). A match's source begins at identity or behind, as distances are checked, a
// literal's below identity; both end before identity+40 or what is written.
func pairGo(p *Pair, ahead int) (code int) {
	a, b := &p.lanes[0], &p.lanes[1]
	ain, abb, an, aout := pointerTo(a.buf, a.pos), a.bb, uint64(a.n), pointerTo(a.out, a.o)
	bin, bbb, bn, bout := pointerTo(b.buf, b.pos), b.bb, uint64(b.n), pointerTo(b.out, b.o)
	astop, alimit, abase := markOf(a.buf, a.stop), markOf(a.out, min(a.limit, a.o+ahead)-1), markOf(a.out, identity)
	bstop, blimit, bbase := markOf(b.buf, b.stop), markOf(b.out, min(b.limit, b.o+ahead)-1), markOf(b.out, identity)
	var ae, af, be, bf uint32
	for ain.until(astop)|bin.until(bstop)|aout.until(alimit)|bout.until(blimit) >= 0 {
		for range 2 {
			abb |= ain.u64(0) << (an & 63)
			bbb |= bin.u64(0) << (bn & 63)
			ain = ain.move(int((63 - an&63) >> 3))
			bin = bin.move(int((63 - bn&63) >> 3))
			an = an&63 | 56
			bn = bn&63 | 56
			ae = p.lanes[0].litlen[abb&(1<<litlenBits-1)]
			be = p.lanes[1].litlen[bbb&(1<<litlenBits-1)]
			aout.put8(0, byte(ae>>8))
			bout.put8(0, byte(be>>8))
			aout = aout.move(int(ae >> 31))
			bout = bout.move(int(be >> 31))
			abb >>= ae & 63
			bbb >>= be & 63
			an -= uint64(ae)
			bn -= uint64(be)
			ae = p.lanes[0].litlen[abb&(1<<litlenBits-1)]
			be = p.lanes[1].litlen[bbb&(1<<litlenBits-1)]

			if ae&special != 0 {
				if ae&specials != subtable {
					code = atA
					goto out
				}
				ae = litlenAt(&p.lanes[0].litlen, uint64(ae>>8&0xfff)+abb>>litlenBits&(1<<(ae>>20&15)-1))
				if ae&special != 0 {
					code = atA
					goto out
				}
				abb >>= litlenBits
				an -= litlenBits
				abb |= ain.u64(0) << (an & 63)
				ain = ain.move(int((63 - an&63) >> 3))
				an = an&63 | 56
			}
			{
				lit := uint64(int64(int32(ae)) >> 63)
				t := uint64(ae>>16) & 63
				saved := abb
				abb >>= t
				an -= t
				length := int(uint64(ae>>8&255)&^lit + minMatch + 2*lit + saved&(1<<t-1)>>(ae>>24&15))
				af = p.lanes[0].dist[abb&(1<<distBits-1)] &^ uint32(lit)
				if af&distSpecial != 0 {
					if af&distInvalid == distInvalid {
						code = invalidA
						goto out
					}
					abb >>= distBits
					an -= distBits
					af = distAt(&p.lanes[0].dist, uint64(af>>16)+abb&(1<<(af>>8&15)-1))
					if af&distSpecial != 0 {
						code = invalidA
						goto out
					}
				}
				saved = abb
				t = uint64(af) & 63
				abb >>= t
				an -= t
				distance := int(uint64(af>>16) + saved&(1<<t-1)>>(af>>8&15))
				written := -aout.until(abase)
				if distance > written {
					code = farA
					goto out
				}
				from := -distance
				from ^= (from ^ (int(ae>>8&255) - identity - written)) & int(lit)
				if uint(distance-1) < 7 {
					repeat(aout, length, distance)
				} else {
					from := aout.move(from)
					aout.put64(0, from.u64(0))
					aout.put64(8, from.u64(8))
					aout.put64(16, from.u64(16))
					aout.put64(24, from.u64(24))
					aout.put64(32, from.u64(32))
					if length > 40 {
						copyOn(aout, from, length)
					}
				}
				aout = aout.move(length)
			}
			if be&special != 0 {
				if be&specials != subtable {
					code = atB
					goto out
				}
				be = litlenAt(&p.lanes[1].litlen, uint64(be>>8&0xfff)+bbb>>litlenBits&(1<<(be>>20&15)-1))
				if be&special != 0 {
					code = atB
					goto out
				}
				bbb >>= litlenBits
				bn -= litlenBits
				bbb |= bin.u64(0) << (bn & 63)
				bin = bin.move(int((63 - bn&63) >> 3))
				bn = bn&63 | 56
			}
			{
				lit := uint64(int64(int32(be)) >> 63)
				t := uint64(be>>16) & 63
				saved := bbb
				bbb >>= t
				bn -= t
				length := int(uint64(be>>8&255)&^lit + minMatch + 2*lit + saved&(1<<t-1)>>(be>>24&15))
				bf = p.lanes[1].dist[bbb&(1<<distBits-1)] &^ uint32(lit)
				if bf&distSpecial != 0 {
					if bf&distInvalid == distInvalid {
						code = invalidB
						goto out
					}
					bbb >>= distBits
					bn -= distBits
					bf = distAt(&p.lanes[1].dist, uint64(bf>>16)+bbb&(1<<(bf>>8&15)-1))
					if bf&distSpecial != 0 {
						code = invalidB
						goto out
					}
				}
				saved = bbb
				t = uint64(bf) & 63
				bbb >>= t
				bn -= t
				distance := int(uint64(bf>>16) + saved&(1<<t-1)>>(bf>>8&15))
				written := -bout.until(bbase)
				if distance > written {
					code = farB
					goto out
				}
				from := -distance
				from ^= (from ^ (int(be>>8&255) - identity - written)) & int(lit)
				if uint(distance-1) < 7 {
					repeat(bout, length, distance)
				} else {
					from := bout.move(from)
					bout.put64(0, from.u64(0))
					bout.put64(8, from.u64(8))
					bout.put64(16, from.u64(16))
					bout.put64(24, from.u64(24))
					bout.put64(32, from.u64(32))
					if length > 40 {
						copyOn(bout, from, length)
					}
				}
				bout = bout.move(length)
			}
		}
	}
out:
	a.pos, a.bb, a.n, a.o = ain.index(a.buf), abb, uint(an&63), aout.index(a.out)
	b.pos, b.bb, b.n, b.o = bin.index(b.buf), bbb, uint(bn&63), bout.index(b.out)
	return code
}

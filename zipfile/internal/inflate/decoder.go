//go:build !purego

package inflate

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"
)

// Has64 says whether Deflate64 is there.
const Has64 = true

const (
	// outSlack is room behind the output, in bytes. The loops in assembly look at their limits every
	// two steps; a step writes a literal and a match of 258 bytes at most, and copies run up to 39
	// bytes beyond the end of a match: 2*259 + 39 < outSlack.
	outSlack = 640
	// longMatch is how much longer the longest match of Deflate64 is, in bytes.
	longMatch = 65538 - 258
	// identity bytes stand before the output of a Decoder: byte i is i. They let the loops that do
	// without a branch treat a literal as a match.
	identity = 256
	// headerRoom is more than the longest header of a block takes, in bytes: 3 + 14 bits, 19
	// lengths of 3 bits, 318 codes of 7 bits with 7 extra bits.
	headerRoom = 640
	// keepRoom is the largest buffer of a pooled decoder, in bytes, that it keeps.
	keepRoom = 2 << 20
)

var (
	errType   = errors.New("invalid block type")
	errStored = errors.New("stored block whose length and its complement differ")
	errCounts = errors.New("too many length or distance codes")
	errRepeat = errors.New("invalid repetition of code lengths")
	errNoEnd  = errors.New("no code for the end of the block")
	errSymbol = errors.New("invalid code")
	errTooFar = errors.New("distance reaches before the beginning")
)

// status says why decoding stopped.
type status uint8

const (
	running status = iota // at a block of codes, or at its end
	full                  // the output reached its limit
	starved               // the input ran out
	ended                 // the final block is done
)

type blockKind uint8

const (
	noBlock blockKind = iota
	stored
	coded
)

// Decoder decodes one stream at a time. It is large (some 30 KB and its buffers); take one
// from the pool with [Get] and give it back with Free. It is not safe for concurrent use.
type Decoder struct {
	// Input: buf[:end], with InSlack readable bytes behind. bb holds bits that were taken from
	// buf[:pos] and not used, n of them.
	buf  []byte
	pos  int
	end  int
	stop int // loops go on while pos is at most this
	bb   uint64
	n    uint

	// Output: out[identity:o], and where to stop. Distances reach no farther back.
	out   []byte
	o     int
	limit int
	pause int // where pairGo stops, at most limit-1

	kind  blockKind
	final bool // the block is the last
	left  int  // bytes of a stored block that are to come
	wide  bool // Deflate64
	fixed bool // the tables are those of the fixed codes

	litlen [litlenEntries]uint32
	dist   [distEntries]uint32
	pre    [128]uint16
	codes  codeLengths
	mean   *meanings
	below  [32]uint64 // below[i] has the lowest i bits

	job    Job
	padded []byte // a copy of an input that has no room behind it
	own    []byte // output
	window
}

var pool = sync.Pool{New: func() any {
	d := new(Decoder)
	d.init()
	return d
}}

func (d *Decoder) init() {
	d.mean = meaning()
	for i := range d.below {
		d.below[i] = 1<<i - 1
	}
}

// Get takes a decoder from the pool.
func Get() *Decoder { return pool.Get().(*Decoder) }

// Free gives the decoder back. Nothing that it gave may be used any more.
func (d *Decoder) Free() {
	d.forget()
	pool.Put(d)
}

// forget drops what belongs to others, and buffers too large to keep.
func (d *Decoder) forget() {
	d.buf, d.out, d.job = nil, nil, Job{}
	d.r, d.err, d.lack = nil, nil, nil
	if len(d.own) > keepRoom {
		d.own = nil
	}
	if len(d.padded) > keepRoom {
		d.padded = nil
	}
}

// Decode decodes the stream at the start of src, which must give len(dst) bytes, and returns
// how many bytes of src it takes. On an error dst holds anything.
func (d *Decoder) Decode(dst, src []byte) (used int, err error) {
	return d.decode(dst, src, false, (*Decoder).block)
}

// Decode64 is Decode for Deflate64.
func (d *Decoder) Decode64(dst, src []byte) (used int, err error) {
	return d.decode(dst, src, true, (*Decoder).block)
}

// blockLoop decodes the rest of a block of codes and returns running at its end: block, or blockGo.
type blockLoop func(*Decoder) (status, error)

// decode decodes into the decoder's own buffer, then copies.
func (d *Decoder) decode(dst, src []byte, wide bool, block blockLoop) (used int, err error) {
	j := Job{Src: src, Size: len(dst)}
	if !j.possible(wide) {
		return 0, ErrShort
	}
	d.begin(j, wide)
	s, err := d.run(block)
	out, used, err := d.result(s, err)
	if err == nil {
		copy(dst, out)
	}
	return used, err
}

// possible reports a size that the input can give at all. No other size gets a buffer.
func (j *Job) possible(wide bool) bool {
	ratio := MaxRatio
	if wide { // 65538 bytes for two codes of a bit and 16 extra bits
		ratio = 65538 * 8 / 18
	}
	return j.Size >= 0 && j.Size <= math.MaxInt/4 && j.Size/ratio <= len(j.Src)
}

// begin makes ready for a job.
func (d *Decoder) begin(j Job, wide bool) {
	d.job = j
	d.setInput(j.Src)
	room := identity + j.Size + outRoom(wide)
	if len(d.own) < room {
		d.own = make([]byte, room+j.Size/4)
		fillIdentity(d.own)
	}
	d.out, d.o, d.limit = d.own, identity, identity+j.Size+1
	d.reset(wide)
}

func fillIdentity(b []byte) {
	for i := range identity {
		b[i] = byte(i)
	}
}

func outRoom(wide bool) int {
	if wide {
		return outSlack + longMatch
	}
	return outSlack
}

// reset makes ready for the first block of a stream.
func (d *Decoder) reset(wide bool) {
	d.kind, d.final = noBlock, false
	if d.wide != wide {
		d.wide, d.fixed = wide, false
	}
}

// setInput takes the whole of src as input.
func (d *Decoder) setInput(src []byte) {
	d.buf = src
	if cap(src)-len(src) >= InSlack {
		d.buf = src[:len(src)+InSlack]
	} else {
		if len(d.padded) < len(src)+InSlack {
			d.padded = make([]byte, len(src)+len(src)/4+InSlack)
		}
		copy(d.padded, src)
		d.buf = d.padded[:len(src)+InSlack]
	}
	d.pos, d.end, d.stop, d.bb, d.n = 0, len(src), len(src)+8, 0, 0
}

// consumed is how many bytes of input are used, counting one that is used in part.
func (d *Decoder) consumed() int { return d.pos - int(d.n>>3) }

// result judges a job that stopped.
func (d *Decoder) result(s status, err error) (out []byte, used int, _ error) {
	used, n := d.consumed(), d.o-identity
	switch {
	case used > d.end || s == starved:
		err = ErrCut // whatever was made of bytes that are not there
	case err != nil:
	case s == full || n > d.job.Size: // one byte too many and then the end
		err = ErrLong
	case n < d.job.Size:
		err = ErrShort
	}
	if err != nil {
		return nil, used, err
	}
	return d.out[identity : identity+n : identity+n], used, nil
}

// run decodes until it has to stop.
func (d *Decoder) run(block blockLoop) (status, error) {
	for {
		if s, err := d.toCodes(); s != running || err != nil {
			return s, err
		}
		if s, err := block(d); s != running || err != nil {
			return s, err
		}
	}
}

// toCodes decodes up to the next block of codes.
func (d *Decoder) toCodes() (status, error) {
	for d.kind != coded {
		if d.kind == stored {
			if d.copyStored(); d.left > 0 {
				if d.o >= d.limit {
					return full, nil
				}
				return starved, nil
			}
			d.kind = noBlock
		}
		if d.final {
			return ended, nil
		}
		if d.consumed() >= d.end || d.pos > d.stop {
			return starved, nil
		}
		if err := d.header(); err != nil {
			return running, err
		}
		if d.consumed() > d.end {
			return starved, nil
		}
	}
	return running, nil
}

func (d *Decoder) copyStored() {
	n := max(min(d.left, d.limit-d.o, d.end-d.pos), 0)
	copy(d.out[d.o:d.o+n], d.buf[d.pos:d.pos+n])
	d.pos += n
	d.o += n
	d.left -= n
}

// refill makes at least 56 bits available, which may be bits behind the input: it reads 8 bytes and
// advances by those that fit, at most 7. The loops, lengths and REFILL in assembly spell it out, on
// variables of their own and with the advance as 7 - n>>3&7.
func (d *Decoder) refill() {
	d.bb |= binary.LittleEndian.Uint64(d.buf[d.pos:]) << (d.n & 63)
	d.pos += int((63 - d.n&63) >> 3)
	d.n |= 56
}

// take consumes bits that are available.
func (d *Decoder) take(n uint) int {
	v := d.bb & (1<<n - 1)
	d.bb >>= n
	d.n -= n
	return int(v)
}

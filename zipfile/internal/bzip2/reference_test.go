package bzip2

import (
	"errors"
	"io"
	"slices"
)

// oddity is what other decoders judge differently.
type oddity uint

const (
	randomised oddity = 1 << iota // compress/bzip2 refuses it
	incomplete                    // a code that is not full: compress/bzip2 gives its symbols other codes
	countless                     // a run at the end of a block without its count: compress/bzip2 takes it
	zeroCount                     // a run goes on after a count of 0: compress/bzip2 does not begin anew
	trailing                      // other data behind the end: compress/bzip2 refuses it
)

var errReferenceBig = errors.New("more than the test wants")

// reference decodes src bit by bit, in the words of the format. It stops at most bytes.
func reference(src []byte, most int) (out []byte, used int, odd oddity, err error) {
	d := refDecoder{src: src, most: most}
	err = d.streams()
	if d.cut {
		err = io.ErrUnexpectedEOF
	}
	return d.out, (d.at + 7) / 8, d.odd, err
}

type refDecoder struct {
	src  []byte
	at   int // bits used
	cut  bool
	out  []byte
	most int
	odd  oddity
}

var errReference = errors.New("of the reference")

func (d *refDecoder) take(n int) (v int) {
	for range n {
		v <<= 1
		if d.at >= 8*len(d.src) {
			d.cut = true
			continue
		}
		v |= int(d.src[d.at/8]>>(7-d.at%8)) & 1
		d.at++
	}
	return v
}

func (d *refDecoder) streams() error {
	for first := true; ; first = false {
		at := d.at
		d.at = (d.at + 7) / 8 * 8
		rest := d.src[d.at/8:]
		begins := len(rest) >= 4 && string(rest[:3]) == "BZh" && rest[3] >= '1' && rest[3] <= '9'
		if !first && !begins {
			if len(rest) > 0 {
				d.odd |= trailing
			}
			d.at = at
			return nil
		}
		if d.take(24) != 0x425a68 {
			return errReference
		}
		level := d.take(8) - '0'
		if level < 1 || level > 9 {
			return errReference
		}
		if err := d.stream(level); err != nil || d.cut {
			return err
		}
	}
}

func (d *refDecoder) stream(level int) error {
	combined := uint32(0)
	for {
		switch magic := uint64(d.take(24))<<24 | uint64(d.take(24)); magic {
		default:
			return errReference
		case endMagic:
			if uint32(d.take(32)) != combined {
				return errReference
			}
			return nil
		case blockMagic:
			sum := uint32(d.take(32))
			raw, err := d.block(level)
			if err != nil || d.cut {
				return err
			}
			out := fromRuns(raw)
			if len(d.out)+len(out) > d.most {
				return errReferenceBig
			}
			d.out = append(d.out, out...)
			if goesOn(raw) {
				d.odd |= zeroCount
			}
			if ended(raw) {
				d.odd |= countless
				return errReference
			}
			if crcOf(out) != sum {
				return errReference
			}
			combined = combined<<1 | combined>>31
			combined ^= sum
		}
	}
}

// ended reports that a count is missing.
func ended(raw []byte) bool {
	run, last := 0, -1
	for _, c := range raw {
		switch {
		case run == 4:
			run, last = 0, -1
		case int(c) == last:
			run++
		default:
			run, last = 1, int(c)
		}
	}
	return run == 4
}

// goesOn reports that the byte behind a count of 0 is that of the run.
func goesOn(raw []byte) bool {
	run, last := 0, -1
	for i, c := range raw {
		switch {
		case run == 4:
			if c == 0 && i+1 < len(raw) && int(raw[i+1]) == last {
				return true
			}
			run, last = 0, -1
		case int(c) == last:
			run++
		default:
			run, last = 1, int(c)
		}
	}
	return false
}

// block gives what was put through the transform.
func (d *refDecoder) block(level int) ([]byte, error) {
	random := d.take(1) == 1
	if random {
		d.odd |= randomised
	}
	origin := d.take(24)
	var list []byte
	ranges := d.take(16)
	for i := range 16 {
		if ranges>>(15-i)&1 == 1 {
			m := d.take(16)
			for k := range 16 {
				if m>>(15-k)&1 == 1 {
					list = append(list, byte(16*i+k))
				}
			}
		}
	}
	symbols := len(list) + 2
	tables := d.take(3)
	n := d.take(15)
	if len(list) == 0 || tables < 2 || tables > 6 || n == 0 {
		return nil, errReference
	}
	var selectors []int
	order := []int{0, 1, 2, 3, 4, 5}
	for range n {
		k := 0
		for d.take(1) == 1 {
			if k++; k >= tables {
				return nil, errReference
			}
		}
		s := order[k]
		order = append([]int{s}, append(append([]int{}, order[:k]...), order[k+1:]...)...)
		selectors = append(selectors, s)
	}
	type code struct {
		bits int
		n    int
	}
	var codes [6]map[code]int
	for t := range tables {
		var lengths []uint8
		l := d.take(5)
		for range symbols {
			for {
				if l < 1 || l > 20 {
					return nil, errReference
				}
				if d.take(1) == 0 {
					break
				}
				l += 1 - 2*d.take(1)
			}
			lengths = append(lengths, uint8(l))
		}
		full := 0
		for _, l := range lengths {
			full += 1 << (20 - l)
		}
		if full > 1<<20 {
			return nil, errReference
		}
		if full < 1<<20 {
			d.odd |= incomplete
		}
		codes[t] = map[code]int{}
		for s, c := range codesOf(lengths) {
			codes[t][code{int(c), int(lengths[s])}] = s
		}
	}
	if d.cut {
		return nil, nil
	}
	var data []byte
	digit := 1
	for i := 0; ; i++ {
		if i/50 >= len(selectors) {
			return nil, errReference
		}
		s, ok := 0, false
		for c := (code{}); !ok; {
			c.bits, c.n = c.bits<<1|d.take(1), c.n+1
			if c.n > 20 || d.cut {
				return nil, errReference
			}
			s, ok = codes[selectors[i/50]][c]
		}
		switch {
		case s == symbols-1:
			if len(data) > level*100000 || origin >= len(data) {
				return nil, errReference
			}
			return d.inverse(data, origin, random), nil
		case s < 2:
			if digit*(s+1)+len(data) > level*100000 {
				return nil, errReference
			}
			for range digit * (s + 1) {
				data = append(data, list[0])
			}
			digit *= 2
		default:
			c := list[s-1]
			list = append([]byte{c}, append(append([]byte{}, list[:s-1]...), list[s:]...)...)
			data = append(data, c)
			digit = 1
		}
	}
}

// inverse undoes the transform by following one place after another.
func (d *refDecoder) inverse(data []byte, origin int, random bool) (raw []byte) {
	var places [256][]int
	for i, c := range data {
		places[c] = append(places[c], i)
	}
	next := slices.Concat(places[:]...)
	p := origin
	left, at := 0, 0
	for range data {
		p = next[p]
		c := data[p]
		if random {
			if left == 0 {
				left = int(flipDistances[at%512])
				at++
			}
			if left--; left == 1 {
				c ^= 1
			}
		}
		raw = append(raw, c)
	}
	return raw
}

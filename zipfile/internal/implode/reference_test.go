package implode

import "errors"

var errReference = errors.New("bad")

// reference decodes as plainly as the format is described, from the whole input. It says how many
// bytes of the input it used.
func reference(src []byte, size int, flags uint16) (out []byte, used int, cut bool, err error) {
	at := 0 // in bits
	read := func(n int) (v int) {
		for i := range n {
			if at/8 < len(src) {
				v |= int(src[at>>3]>>(at&7)&1) << i
			}
			at++
		}
		return v
	}
	isCut := func() bool { return at > 8*len(src) }
	if size == 0 {
		return nil, 0, false, nil
	}
	type code struct {
		bits uint64
		n    int
	}
	tree := func(n int) (map[code]int, error) {
		var lengths []int
		for range read(8) + 1 {
			b := read(8)
			for range b>>4 + 1 {
				lengths = append(lengths, b&15+1)
			}
			if isCut() {
				return nil, nil
			}
			if len(lengths) > n {
				return nil, errReference
			}
		}
		if isCut() {
			return nil, nil
		}
		sum := 0
		for _, n := range lengths {
			sum += 1 << (16 - n)
		}
		if len(lengths) != n || sum != 1<<16 {
			return nil, errReference
		}
		values := map[code]int{}
		for v, c := range codesOf(lengths) {
			values[code{c, lengths[v]}] = v
		}
		return values, nil
	}
	value := func(t map[code]int) int {
		var c code
		for c.n < 16 {
			c.bits |= uint64(read(1)) << c.n
			c.n++
			if v, ok := t[c]; ok {
				return v
			}
		}
		panic("not complete")
	}
	var literals map[code]int
	lowBits, shortest := 6, 2
	if flags&Dictionary8K != 0 {
		lowBits = 7
	}
	if flags&LiteralTree != 0 {
		shortest = 3
		if literals, err = tree(256); err != nil || isCut() {
			return nil, 0, err == nil, err
		}
	}
	lengths, err := tree(64)
	if err != nil || isCut() {
		return nil, 0, err == nil, err
	}
	distances, err := tree(64)
	if err != nil || isCut() {
		return nil, 0, err == nil, err
	}
	for len(out) < size {
		if read(1) == 1 {
			c := 0
			if literals != nil {
				c = value(literals)
			} else {
				c = read(8)
			}
			if isCut() {
				return out, 0, true, nil
			}
			out = append(out, byte(c))
			continue
		}
		distance := read(lowBits)
		distance += value(distances)<<lowBits + 1
		n := value(lengths)
		if n == 63 {
			n += read(8)
		}
		n += shortest
		switch {
		case isCut():
			return out, 0, true, nil
		case len(out)+n > size:
			return out, 0, false, errReference
		}
		for range n {
			b := byte(0)
			if i := len(out) - distance; i >= 0 {
				b = out[i]
			}
			out = append(out, b)
		}
	}
	return out, (at + 7) / 8, false, nil
}

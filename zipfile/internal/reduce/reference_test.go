package reduce

import "errors"

var errReference = errors.New("bad")

// reference decodes as plainly as the format is described, from the whole input. It says how many
// bytes of the input it used.
func reference(src []byte, size, factor int) (out []byte, used int, cut bool, err error) {
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
	var sets [256][]byte
	for i := 255; i >= 0; i-- {
		n := read(6)
		if n > 32 && !isCut() {
			return nil, 0, false, errReference
		}
		for range n {
			sets[i] = append(sets[i], byte(read(8)))
		}
	}
	if isCut() {
		return nil, 0, true, nil
	}
	var last, first, state, length int
	for len(out) < size {
		set := sets[last]
		c := 0
		if len(set) == 0 || read(1) == 1 {
			c = read(8)
		} else {
			n := 1
			for 1<<n < len(set) {
				n++
			}
			i := read(n)
			switch {
			case isCut():
			case i >= len(set):
				return out, 0, false, errReference
			default:
				c = int(set[i])
			}
		}
		if isCut() {
			return out, 0, true, nil
		}
		last = c
		switch state {
		case 0:
			if c == 144 {
				state = 1
			} else {
				out = append(out, byte(c))
			}
		case 1:
			if c == 0 {
				out = append(out, 144)
				state = 0
				break
			}
			first = c
			length = c % (1 << (8 - factor))
			state = 3
			if length == 1<<(8-factor)-1 {
				state = 2
			}
		case 2:
			length += c
			state = 3
		case 3:
			if len(out)+length+3 > size {
				return out, 0, false, errReference
			}
			distance := first>>(8-factor)*256 + c + 1
			for range length + 3 {
				b := byte(0)
				if i := len(out) - distance; i >= 0 {
					b = out[i]
				}
				out = append(out, b)
			}
			state = 0
		}
	}
	return out, (at + 7) / 8, false, nil
}

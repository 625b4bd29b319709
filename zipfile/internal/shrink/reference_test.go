package shrink

import (
	"errors"
	"slices"
)

var errReference = errors.New("bad")

// reference decodes as plainly as the format is described, from the whole input. It says how many
// bytes of the input it used.
func reference(src []byte, size int) (out []byte, used int, cut bool, err error) {
	var (
		prefix   [codes]int // -1: free
		last     [codes]byte
		at       int // in bits
		width    = minWidth
		prev     = -1
		prevByte byte
		next     = control + 1 // no code below is free
	)
	for i := range prefix {
		prefix[i] = -1
	}
	read := func() (v int, ok bool) {
		if at+width > 8*len(src) {
			return 0, false
		}
		for i := range width {
			v |= int(src[at>>3]>>(at&7)&1) << i
			at++
		}
		return v, true
	}
	for len(out) < size {
		code, ok := read()
		if !ok {
			return out, at, true, nil
		}
		if code == control {
			what, ok := read()
			switch {
			case !ok:
				return out, at, true, nil
			case what == 1 && width < maxWidth:
				width++
			case what == 2:
				next = control + 1
				var isPrefix [codes]bool
				for _, p := range prefix[control+1:] {
					if p >= 0 {
						isPrefix[p] = true
					}
				}
				for c := control + 1; c < codes; c++ {
					if !isPrefix[c] {
						prefix[c] = -1
					}
				}
			default:
				return out, at, false, errReference
			}
			continue
		}
		added := 0
		if prev >= 0 {
			for next < codes && prefix[next] >= 0 {
				next++
			}
			if next < codes {
				added = next
				prefix[added], last[added] = prev, prevByte
			}
		}
		var s []byte
		c := code
		for ; c > control && prefix[c] >= 0 && len(s) < codes; c = prefix[c] {
			s = append(s, last[c])
		}
		if c >= control || len(out)+len(s) >= size {
			return out, at, false, errReference
		}
		s = append(s, byte(c))
		slices.Reverse(s)
		out = append(out, s...)
		prev, prevByte = code, s[0]
		if added > 0 {
			last[added] = s[0]
		}
	}
	return out, (at + 7) / 8, false, nil
}

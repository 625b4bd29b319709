package jar

import (
	"strings"
	"unicode/utf8"
)

// decode gives bytes that should be UTF-8 as Java's String does, and reports whether they were:
// names of sections that become equal by it are one section, so that not only valid ones matter.
func decode(s string) (text string, valid bool) {
	if utf8.ValidString(s) {
		return s, true
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			n = malformed(s)
		}
		b.WriteRune(r)
		s = s[n:]
	}
	return b.String(), false
}

// malformed returns how many bytes Java replaces by one U+FFFD where s does not begin with a
// valid sequence: the longest beginning of one, as the Unicode Standard recommends (3.9, "U+FFFD
// Substitution of Maximal Subparts"), but a surrogate as a whole.
func malformed(s string) int {
	first, length := s[0], 1
	low, high := byte(0x80), byte(0xbf) // of the second byte
	switch {
	case first == 0xe0:
		length, low = 3, 0xa0
	case 0xe1 <= first && first <= 0xef:
		length = 3
	case first == 0xf0:
		length, low = 4, 0x90
	case 0xf1 <= first && first <= 0xf3:
		length = 4
	case first == 0xf4:
		length, high = 4, 0x8f
	}
	n := 1
	for n < min(length, len(s)) && low <= s[n] && s[n] <= high {
		low, high = 0x80, 0xbf
		n++
	}
	return n
}

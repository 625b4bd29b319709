// Package charset guesses in which character set the names of an archive are that are not UTF-8.
//
// Old tools wrote names in whatever their machine used and did not say so. One name is seldom
// enough to tell; all of an archive together mostly are, as they come from one machine.
//
//	label, enc := charset.Guess(func(yield func(string) bool) {
//		for e := range z.Entries() {
//			if !yield(e.RawName()) {
//				return
//			}
//		}
//	})
//	z, err = zipfile.Open(name, &zipfile.Options{Charset: enc})
package charset

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// candidate is a character set that archives are known to have names in.
type candidate struct {
	label string // as WHATWG and IANA have it
	enc   encoding.Encoding
	// wide says where its common characters of two bytes stand; nil for sets of one byte a character.
	wide []row
}

// row is a range of first bytes of common characters, and how much more of such a character stand
// there than of another language, whose set has common ones in the same place.
type row struct {
	from, to byte
	weight   float64
}

func (c *candidate) weight(first byte) float64 {
	for _, r := range c.wide {
		if r.from <= first && first <= r.to {
			return r.weight
		}
	}
	return 0
}

// Of equal ones the first is taken: those that zip tools used on MS-DOS before those of Windows.
func candidates() []candidate {
	return []candidate{
		{"IBM437", charmap.CodePage437, nil},
		{"IBM850", charmap.CodePage850, nil},
		{"windows-1252", charmap.Windows1252, nil},
		{"IBM852", charmap.CodePage852, nil},
		{"windows-1250", charmap.Windows1250, nil},
		{"IBM866", charmap.CodePage866, nil},
		{"windows-1251", charmap.Windows1251, nil},
		{"koi8-r", charmap.KOI8R, nil},
		{"windows-1253", charmap.Windows1253, nil},
		{"windows-1255", charmap.Windows1255, nil},
		{"windows-1256", charmap.Windows1256, nil},
		{"windows-874", charmap.Windows874, nil},
		// JIS X 0208: kana, without which there is hardly a text, and the first level of kanji.
		{"shift_jis", japanese.ShiftJIS, []row{{0x82, 0x83, 1.3}, {0x81, 0x98, 0.9}}},
		{"euc-jp", japanese.EUCJP, []row{{0xa4, 0xa5, 1.3}, {0xb0, 0xcf, 0.9}}},
		// GB 2312: the first level of hanzi, in the order of their sounds from a to z. KS X 1001: hangul,
		// which end where the sound x begins. Big5: the frequent ones.
		{"gbk", simplifiedchinese.GBK, []row{{0xb0, 0xc8, 0.85}, {0xc9, 0xd7, 1.4}}},
		{"euc-kr", korean.EUCKR, []row{{0xb0, 0xc8, 1}}},
		{"big5", traditionalchinese.Big5, []row{{0xa4, 0xc6, 1}}},
	}
}

// enough bytes of names tell as much as more would.
const enough = 64 << 10

// Guess returns the character set in which the names that are not UTF-8 make most sense, and its
// label as WHATWG or IANA have it. It is IBM437, which the format names as its own, when all are
// UTF-8.
func Guess(names iter.Seq[string]) (label string, enc encoding.Encoding) {
	var raw []string
	n := 0
	for name := range names {
		if utf8.ValidString(name) {
			continue
		}
		raw = append(raw, name)
		if n += len(name); n > enough {
			break
		}
	}
	candidates := candidates()
	best, most := &candidates[0], -1e9
	for i := range candidates {
		c := &candidates[i]
		total := 0.0
		for _, name := range raw {
			total += c.score(name)
		}
		if total > most {
			best, most = c, total
		}
	}
	return best.label, best.enc
}

// What makes a reading of a name likely or not, for each byte that is not ASCII.
const (
	impossible = -20 // not a character, or a control character
	symbol     = -4  // box drawing and the like
	mixed      = -3  // letters of two scripts in one word, a capital after a small letter
	rare       = -2
	plain      = 1 // a letter in a word of its script
)

// score says how much sense a name makes in c.
func (c *candidate) score(name string) (score float64) {
	decoded, err := c.enc.NewDecoder().String(name)
	if err != nil {
		return impossible * float64(len(name))
	}
	at := 0 // byte of name that r began at, for sets of several bytes
	var last rune
	run := 0 // letters beyond ASCII in a row
	for _, r := range decoded {
		first := byte(0)
		if at < len(name) {
			first = name[at]
		}
		if r < utf8.RuneSelf {
			at++
			last, run = r, 0
			continue
		}
		two := c.wide != nil && first >= 0x80
		if at++; two {
			at++
		}
		switch {
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Co, r):
			score += impossible
		case 0xff61 <= r && r <= 0xff9f: // half-width katakana are one byte of Shift JIS
			at -= b2i(two)
			score += -0.5
		case two && unicode.IsLetter(r) && c.weight(first) > 0:
			score += 2 * plain * c.weight(first)
		case two && unicode.IsLetter(r):
			score += rare
		case two && unicode.In(r, unicode.P, unicode.S):
			score += 0 // full-width punctuation
		case two:
			score += rare
		case unicode.IsLetter(r) || unicode.IsMark(r):
			score += letter(last, r, run)
		case unicode.IsPunct(r), r == 0xa0, unicode.Is(unicode.Sc, r), unicode.IsNumber(r):
			score += rare
		default:
			score += symbol
		}
		if unicode.IsLetter(r) {
			run++
		} else {
			run = 0
		}
		last = r
	}
	return score
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// letter scores a letter of a set of one byte a character, after last and a run of letters beyond
// ASCII.
func letter(last, r rune, run int) float64 {
	switch {
	case r == 'ª' || r == 'º' || r == 'ƒ' || r == 'ⁿ':
		return rare
	case !unicode.IsLetter(last) && script(r) != unicode.Cyrillic && script(r) != unicode.Greek:
		return plain
	case unicode.IsLetter(last) && script(last) != script(r):
		return mixed
	case unicode.IsLower(last) && unicode.IsUpper(r):
		return mixed
	case script(r) == unicode.Latin && run >= 2: // Latin words have accents here and there
		return rare
	case script(r) == unicode.Cyrillic && strings.ContainsRune("аеёиоуыэюяАЕЁИОУЫЭЮЯ", r):
		return 1.3 * plain
	case script(r) == unicode.Greek && strings.ContainsRune("αεηιουωάέήίόύώϊϋΑΕΗΙΟΥΩΆΈΉΊΌΎΏ", r):
		return 1.2 * plain
	case script(r) == unicode.Greek: // half of the letters are vowels
		return 0.8 * plain
	case script(r) == unicode.Cyrillic: // four letters in ten are vowels
		return 0.8 * plain
	}
	return plain
}

func script(r rune) *unicode.RangeTable {
	for _, t := range [...]*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Hebrew, unicode.Arabic, unicode.Thai} {
		if unicode.Is(t, r) {
			return t
		}
	}
	return nil
}

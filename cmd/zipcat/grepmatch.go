package main

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// matcher finds the lines that a regular expression matches.
type matcher struct {
	re *regexp.Regexp

	// Bytes that each line which matches has in it: a fast search for them comes first.
	need   []byte
	folded bool // need is in lower case, and stands for either case
	enough bool // lines that have it match

	prefix []byte // that each match begins with, if any
}

// maxNeed is how long need is at most.
const maxNeed = 256

// compileMatcher makes the matcher of a regular expression. Words are bounded as by \b, which is
// about ASCII.
func compileMatcher(text string, words bool) (*matcher, error) {
	whole := text
	if words {
		whole = `\b(?:` + text + `)\b`
	}
	re, err := regexp.Compile(whole)
	if err != nil {
		return nil, err
	}
	m := &matcher{re: re}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	tree = tree.Simplify()
	literal, folded := required(tree)
	m.need, m.folded = []byte(literal[:min(len(literal), maxNeed)]), folded
	m.enough = !words && !folded && tree.Op == syntax.OpLiteral && string(tree.Rune) == string(m.need) && !strings.ContainsAny(literal, "\r\n")
	if !words {
		m.prefix = leading(tree)
	}
	return m, nil
}

// leading returns what each match begins with, wherever it is: regexp's LiteralPrefix leaves out a ^
// before it.
func leading(re *syntax.Regexp) []byte {
	for re.Op == syntax.OpConcat || re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if re.Op != syntax.OpLiteral || re.Flags&syntax.FoldCase != 0 || slices.Contains(re.Rune, utf8.RuneError) {
		return nil
	}
	return []byte(string(re.Rune))
}

// required returns the longest string that it finds in each match, in lower case if either case
// will do.
func required(re *syntax.Regexp) (literal string, folded bool) {
	switch re.Op {
	case syntax.OpLiteral:
		folded = re.Flags&syntax.FoldCase != 0
		// U+FFFD matches bytes that are not UTF-8 too. Folded, K and S have forms outside ASCII.
		parts := strings.FieldsFunc(string(re.Rune), func(r rune) bool {
			return r == utf8.RuneError || folded && (r > unicode.MaxASCII || strings.ContainsRune("kKsS", r))
		})
		for _, part := range parts {
			if len(part) > len(literal) {
				literal = part
			}
		}
		if folded {
			literal = strings.ToLower(literal)
		}
		return literal, folded
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if l, f := required(sub); len(l) > len(literal) {
				literal, folded = l, f
			}
		}
		return literal, folded
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	}
	return "", false
}

// next finds the first line from at on that matches. It ends before its line feed.
func (m *matcher) next(data []byte, at int) (start, end int, ok bool) {
	for at < len(data) {
		if len(m.need) > 0 {
			i := m.index(data[at:])
			if i < 0 {
				return 0, 0, false
			}
			start = at + bytes.LastIndexByte(data[at:at+i], '\n') + 1
			at += i
		} else {
			start = at
		}
		end = len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end = at + i
		}
		if m.enough || m.re.Match(withoutReturn(data[start:end])) {
			return start, end, true
		}
		at = end + 1
	}
	return 0, 0, false
}

// lowerASCII has the lower case of the letters of ASCII.
var lowerASCII = func() (table [256]byte) {
	for i := range table {
		if table[i] = byte(i); 'A' <= i && i <= 'Z' {
			table[i] |= 0x20
		}
	}
	return table
}()

// index finds the first place in data that has what a line needs.
func (m *matcher) index(data []byte) int {
	if !m.folded {
		return bytes.Index(data, m.need)
	}
	var lower [4096]byte
	size := maxNeed // small at first: the next line may be a hit
	for at := 0; at+len(m.need) <= len(data); size = len(lower) {
		part := data[at:min(len(data), at+size)]
		for i, c := range part {
			lower[i] = lowerASCII[c]
		}
		if i := bytes.Index(lower[:len(part)], m.need); i >= 0 {
			return at + i
		}
		at += len(part) - len(m.need) + 1
	}
	return -1
}

// place returns where in a line the match begins.
func (m *matcher) place(line []byte) int {
	if at := m.re.FindIndex(line); at != nil {
		return at[0]
	}
	return 0
}

func countLines(data []byte) int { return bytes.Count(data, []byte{'\n'}) }

// withoutReturn cuts off the carriage return that ends a line in text from Windows and in manifests.
func withoutReturn(line []byte) []byte { return bytes.TrimSuffix(line, []byte{'\r'}) }

// wholeRunes cuts off what remains of characters that were cut.
func wholeRunes(text []byte) []byte {
	for i := 0; i < utf8.UTFMax-1 && len(text) > 0 && !utf8.RuneStart(text[0]); i++ {
		text = text[1:]
	}
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if last := text[len(text)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return text[:len(text)-i]
			}
			break
		}
	}
	return text
}

// writeSafely writes text with nothing in it that a terminal takes for commands.
func writeSafely(out *output, text []byte) {
	plain := func(c byte) bool { return c >= ' ' && c < 0x7f || c == '\t' }
	for len(text) > 0 {
		n := 0
		for n < len(text) && plain(text[n]) {
			n++
		}
		out.Write(text[:n])
		if text = text[n:]; len(text) == 0 {
			break
		}
		r, size := utf8.DecodeRune(text)
		if unsafeRune(r) {
			r = utf8.RuneError
		}
		out.WriteRune(r)
		text = text[size:]
	}
}

package main

import (
	"bytes"
	"cmp"
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
	folded bool      // need is in lower case, and stands for either case
	lower  [256]byte // if folded, the lower case of the letters of ASCII
	enough bool      // lines that have it match

	prefix  []byte // that each match begins with, if any
	longest int    // bytes of a match at most, more than maxMatch where there is no bound

	// later is for what follows a part of a line: the first character is one of before, no match begins there.
	later *regexp.Regexp
}

const (
	// maxMatch is how many bytes a match in a line longer than maxLine has, if it is not to be searched
	// character by character.
	maxMatch = 64 << 10
	// minNear is how many bytes behind a place are searched at least if a match may be there.
	minNear = 64
	// manyMatches is how many matches are looked for at a time.
	manyMatches = 1 << 10
)

// maxNeed is how long need is at most.
const maxNeed = 256

// compileMatcher makes the matcher of a regular expression.
func compileMatcher(text string) (*matcher, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	later, err := regexp.Compile(`^(?s:.)|(?:` + text + `)`)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	tree = tree.Simplify()
	literal, folded := required(tree)
	m := &matcher{re: re, later: later, longest: longest(tree), prefix: leading(tree)}
	m.need, m.folded = []byte(literal[:min(len(literal), maxNeed)]), folded
	m.enough = !folded && tree.Op == syntax.OpLiteral && string(tree.Rune) == string(m.need) && !strings.ContainsAny(literal, "\r\n")
	for i := range m.lower {
		if m.lower[i] = byte(i); 'A' <= i && i <= 'Z' {
			m.lower[i] |= 0x20
		}
	}
	return m, nil
}

// newMatcher makes the matcher for the PATTERNs of grep.
func newMatcher(patterns []string, literal, ignoreCase, words bool) (*matcher, error) {
	list := slices.Clone(patterns)
	if literal { // the longest comes first, as the first that matches counts
		slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	}
	for i, text := range list {
		if strings.Contains(text, "\n") {
			return nil, errPatternLines
		}
		if literal {
			text = regexp.QuoteMeta(text)
		} else if _, err := regexp.Compile(text); err != nil {
			return nil, err
		} else if _, err := regexp.Compile("(?:" + text + ")"); err != nil {
			text += `\E` // \Q holds to the end
		}
		if ignoreCase {
			text = "(?i:" + text + ")"
		}
		if words {
			var err error
			if text, err = wholeWords(text); err != nil {
				return nil, err
			}
		}
		if list[i] = text; len(list) > 1 {
			list[i] = "(?:" + text + ")"
		}
	}
	return compileMatcher(strings.Join(list, "|"))
}

// wholeWords makes a regular expression match whole words only: what it begins and ends with tells whether a word
// begins or ends there (\b), or does not go on (\B). Characters of words are those of ASCII.
func wholeWords(text string) (string, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return "", err
	}
	return bounded(bounded(tree, 0), 1).String(), nil
}

// bounded puts what is at an end of a word at an end of what re matches: at 0 the beginning, at 1 the end.
// Where re may begin with different things, not alternatives, it is taken to be a word.
func bounded(re *syntax.Regexp, end int) *syntax.Regexp {
	subs := slices.Clone(re.Sub)
	switch re.Op {
	case syntax.OpAlternate:
		for i, sub := range subs {
			subs[i] = bounded(sub, end)
		}
	case syntax.OpConcat, syntax.OpCapture:
		at := end * (len(subs) - 1)
		subs[at] = bounded(subs[at], end)
	default:
		edge := &syntax.Regexp{Op: syntax.OpWordBoundary}
		if re.Op == syntax.OpLiteral && !syntax.IsWordChar(re.Rune[end*(len(re.Rune)-1)]) {
			edge.Op = syntax.OpNoWordBoundary
		}
		both := []*syntax.Regexp{edge, re}
		if end == 1 {
			both = []*syntax.Regexp{re, edge}
		}
		return &syntax.Regexp{Op: syntax.OpConcat, Sub: both}
	}
	with := *re
	with.Sub = subs
	return &with
}

// longest returns how many bytes a match has at most, a number above maxMatch where that is more.
func longest(re *syntax.Regexp) int {
	n := 0
	switch re.Op {
	case syntax.OpLiteral:
		if n = len(string(re.Rune)); re.Flags&syntax.FoldCase != 0 {
			n = utf8.UTFMax * len(re.Rune)
		}
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n = utf8.UTFMax
	case syntax.OpStar, syntax.OpPlus:
		n = maxMatch + 1
	case syntax.OpRepeat:
		if n = maxMatch + 1; re.Max >= 0 {
			n = re.Max * longest(re.Sub[0])
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			n = max(n, longest(sub))
		}
	default:
		for _, sub := range re.Sub {
			n = min(n+longest(sub), maxMatch+1)
		}
	}
	return min(n, maxMatch+1)
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

// limit is where in a part of a line those places end at which no match begins that needs what follows the part.
func (m *matcher) limit(b []byte, last bool) int {
	if last {
		return len(b) + 1
	}
	at := max(0, len(b)-m.longest-utf8.UTFMax)
	return at - backToRune(b, at)
}

// matchNear looks for a match in a part of a line, where what each has in it is. Matches have a bound, see limit
// for where they begin.
func (m *matcher) matchNear(b []byte, first, last bool) bool {
	if len(m.need) == 0 {
		return m.matchIn(b, first, last)
	}
	for at := 0; ; {
		i := m.index(b[at:])
		if i < 0 {
			return false
		}
		i += at
		from := max(0, i+len(m.need)-m.longest-2*utf8.UTFMax)
		from -= backToRune(b, from)
		to := min(len(b), i+3*m.longest+minNear)
		if part := b[from:to]; m.matchIn(part, first && from == 0, last && to == len(b)) {
			return true
		} else if to == len(b) {
			return false
		} else {
			at = from + m.limit(part, false)
		}
	}
}

// matchIn looks for a match in a part of a line.
func (m *matcher) matchIn(b []byte, first, last bool) bool {
	limit := m.limit(b, last)
	for _, at := range m.from(first).FindAllIndex(b, 2) {
		if (first || at[0] > 0) && at[0] < limit {
			return true
		}
	}
	return false
}

// from returns the regular expression for the first part of a line, or one that follows.
func (m *matcher) from(first bool) *regexp.Regexp {
	if first {
		return m.re
	}
	return m.later
}

// each gives out the matches in a line or a part of it that begin before limit. It returns where the last ends.
func (m *matcher) each(b []byte, first bool, limit int, yield func(from, to int)) (end int) {
	for at := 0; ; {
		found := m.from(first).FindAllIndex(b[at:], manyMatches)
		for _, f := range found {
			if f[0] == 0 && !first {
				continue
			}
			if at+f[0] >= limit {
				return end
			}
			end = at + f[1]
			yield(at+f[0], end)
		}
		if len(found) < manyMatches {
			return end
		}
		_, size := utf8.DecodeLastRune(b[:end])
		at, first = end-size, false
	}
}

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
			lower[i] = m.lower[c]
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

// brokenRune returns how many bytes come before the first whole character.
func brokenRune(text []byte) int {
	n := 0
	for n < utf8.UTFMax-1 && n < len(text) && !utf8.RuneStart(text[n]) {
		n++
	}
	return n
}

// backToRune returns how many bytes before a place the character there begins.
func backToRune(text []byte, at int) int {
	for n := range min(utf8.UTFMax, at+1) {
		if at-n < len(text) && utf8.RuneStart(text[at-n]) {
			return n
		}
	}
	return 0
}

// wholeRunes cuts off what remains of characters that were cut.
func wholeRunes(text []byte) []byte {
	text = text[brokenRune(text):]
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

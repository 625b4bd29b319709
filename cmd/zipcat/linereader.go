package main

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// maxLine is the longest line in bytes that is matched in memory.
const maxLine = 1 << 20

// lineReader reads lines in blocks of whole ones. Of a line that is longer than maxLine only a part is
// in memory at any time. It is an io.RuneReader of one such line.
type lineReader struct {
	r     io.Reader
	buf   []byte
	at, n int   // buf[at:n] was read and not given out
	err   error // that r ended with
	long  int64 // bytes of the long line that were passed
}

func newLineReader(r io.Reader) *lineReader { return &lineReader{r: r, buf: make([]byte, maxLine)} }

// fill reads on until the buffer is full or the reader ends.
func (l *lineReader) fill() {
	l.n = copy(l.buf, l.buf[l.at:l.n])
	l.at = 0
	for l.n < len(l.buf) && l.err == nil {
		var n int
		n, l.err = l.r.Read(l.buf[l.n:])
		l.n += n
	}
}

// head returns the bytes that come next, without passing them.
func (l *lineReader) head() []byte {
	l.fill()
	return l.buf[l.at:l.n]
}

// lines returns the lines that come next, nothing at the end and before a long line. They are valid until the
// next call.
func (l *lineReader) lines() []byte {
	if l.err == nil {
		l.fill()
	}
	lines := l.buf[l.at:l.n]
	if l.err == nil {
		lines = lines[:bytes.LastIndexByte(lines, '\n')+1]
	}
	l.at += len(lines)
	return lines
}

func (l *lineReader) ended() bool { return l.err != nil && l.at == l.n }

// match matches the long line that comes next, and passes it. It returns the beginning of it
// and its length.
func (l *lineReader) match(m *matcher) (shown []byte, length int64, ok bool) {
	shown = bytes.Clone(l.buf[l.at : l.at+maxShown])
	l.long = 0
	if m.longest <= maxMatch {
		ok = l.matchParts(m)
	} else {
		ok = l.passTo(m.prefix) && m.re.MatchReader(l)
	}
	l.pass()
	return shown, l.long, ok
}

// matchParts looks for a match in one part of the line after the other.
func (l *lineReader) matchParts(m *matcher) bool {
	for first := true; ; first = false {
		b, last := l.text()
		if m.matchNear(b, first, last) {
			return true
		}
		if last {
			return false
		}
		l.passBut(b[:m.limit(b, last)], 2) // an empty match right behind the first would not count
	}
}

// each gives out the matches in the long line that comes next, and passes it. One that is longer than maxMatch
// may come in parts.
func (l *lineReader) each(m *matcher, yield func(match []byte)) {
	for first := true; ; first = false {
		b, last := l.text()
		end, limit := 0, len(b)+1
		if !last {
			limit = len(b) - maxMatch
		}
		if m.index(b) >= 0 {
			end = m.each(b, first, limit, func(from, to int) { yield(b[from:to]) })
		}
		if last {
			break
		}
		l.passBut(b[:max(limit-backToRune(b, limit), end)], 1)
	}
	l.pass()
}

// text is part without the carriage return that ends the line.
func (l *lineReader) text() (b []byte, last bool) {
	if b, last = l.part(); last {
		b = withoutReturn(b)
	}
	return b, last
}

// passBut passes bytes but the last n characters of them, and reads on.
func (l *lineReader) passBut(b []byte, n int) {
	for range n {
		_, size := utf8.DecodeLastRune(b)
		b = b[:len(b)-size]
	}
	l.skip(len(b))
	l.fill()
}

// part returns what is in memory of the long line, and whether that is the end of it.
func (l *lineReader) part() (b []byte, last bool) {
	b = l.buf[l.at:l.n]
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return b[:i], true
	}
	return b, l.err != nil
}

func (l *lineReader) skip(n int) {
	l.at += n
	l.long += int64(n)
}

// passTo passes what comes before a prefix, which begins each match: no match is lost. It is
// false where the line has none.
func (l *lineReader) passTo(prefix []byte) bool {
	for {
		b, last := l.part()
		if i := bytes.Index(b, prefix); i >= 0 {
			l.skip(i)
			return true
		}
		if last {
			return false
		}
		l.skip(len(b) - len(prefix) + 1)
		l.fill()
	}
}

// pass passes the rest of the line.
func (l *lineReader) pass() {
	returns := false // a carriage return was passed last
	for {
		b, last := l.part()
		if l.skip(len(b)); len(b) > 0 {
			returns = b[len(b)-1] == '\r'
		}
		if last {
			break
		}
		l.fill()
	}
	if returns { // it ends the line, and is no part of it
		l.long--
	}
	if l.at < l.n {
		l.at++ // the line feed
	}
}

// ReadRune gives the characters of a long line.
func (l *lineReader) ReadRune() (rune, int, error) {
	if l.n-l.at <= utf8.UTFMax && l.err == nil {
		l.fill()
	}
	b := l.buf[l.at:l.n]
	if len(b) == 0 || b[0] == '\n' || b[0] == '\r' && (len(b) == 1 || b[1] == '\n') {
		return 0, 0, io.EOF
	}
	r, size := utf8.DecodeRune(b)
	l.skip(size)
	return r, size, nil
}

// cutLine cuts the first line off.
func cutLine(lines []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(lines, []byte{'\n'})
	return withoutReturn(line), rest
}

// lastLines returns the last n lines, or as many as there are.
func lastLines(lines []byte, n int) []byte {
	at := len(lines)
	for ; n > 0 && at > 0; n-- {
		at = bytes.LastIndexByte(lines[:at-1], '\n') + 1
	}
	return lines[at:]
}

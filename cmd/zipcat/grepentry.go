package main

import (
	"bytes"
	"fmt"
	"strconv"

	"zipcat.dev/zipfile"
)

// Colours on a terminal, as those of grep.
const (
	colorName   = "35"
	colorNumber = "32"
	colorMark   = "36" // what stands between
	colorMatch  = "1;31"
)

// entryLines prints the lines of an entry that are chosen, and those around them.
type entryLines struct {
	*grepper
	turn     *turn
	ar       *archive
	entry    zipfile.Entry
	name     string // as it is printed
	binary   bool
	streamed bool // added in pieces that are not kept

	n       int64 // lines that are chosen
	number  int64 // lines that were passed
	printed int64 // number of the last line that was printed
	follow  int   // lines to print after a chosen one

	// Lines passed since the last that was printed, where they may come before one that is chosen.
	gap      []byte // in the piece that was added
	past     []pastLine
	pastSize int
}

// pastLine is a line, or the beginning of a long one, that may be printed before one that is chosen.
type pastLine struct {
	text   []byte
	length int64
}

const (
	// maxPast is how many bytes of lines are kept to be printed before a chosen one, pastCost what each counts
	// for beside its text.
	maxPast  = 4 << 20
	pastCost = 64
)

func (g *grepper) lines(t *turn, ar *archive, e zipfile.Entry) *entryLines {
	return &entryLines{grepper: g, turn: t, ar: ar, entry: e}
}

// start is given the first bytes of the entry.
func (l *entryLines) start(head []byte) {
	l.binary = !l.text && isBinary(head)
}

// full reports whether no more lines are to be chosen.
func (l *entryLines) full() bool { return l.max > 0 && l.n == l.max }

// over reports whether nothing that follows matters.
func (l *entryLines) over() bool {
	return l.n > 0 && !l.counts && (l.names || l.binary || l.search.first) || l.full() && l.follow == 0 ||
		l.turn.out.failed() || l.turn.ctx.Err() != nil
}

func (l *entryLines) printsLines() bool {
	return !l.names && !l.counts && !l.binary && !l.search.first
}

// add is given whole lines.
func (l *entryLines) add(data []byte) {
	for len(data) > 0 && !l.over() {
		start, end := len(data), len(data)
		if !l.full() {
			if from, to, ok := l.matcher.next(data, 0); ok {
				start, end = from, min(to+1, len(data))
			}
		} else if l.invert {
			start = 0 // all are left out
		}
		if l.invert {
			l.choose(data[:start])
			l.pass(data[start:end])
		} else {
			l.pass(data[:start])
			l.choose(data[start:end])
		}
		data = data[end:]
	}
	if l.streamed && l.before > 0 {
		for lines := lastLines(l.gap, l.before); len(lines) > 0; {
			var line []byte
			line, lines = cutLine(lines)
			l.keep(line, int64(len(line)))
		}
	}
	l.gap = nil
}

// choose is given lines that are chosen, as far as there may be more.
func (l *entryLines) choose(lines []byte) {
	for len(lines) > 0 {
		if l.full() {
			l.pass(lines)
			return
		}
		var line []byte
		line, lines = cutLine(lines)
		switch printed := l.hit(); {
		case !printed:
		case l.only:
			l.matcher.each(line, true, len(line)+1, func(from, to int) { l.match(line[from:to]) })
		default:
			l.print(l.number, line, int64(len(line)), true)
		}
		if len(lines) > 0 && l.over() {
			return
		}
	}
}

// hit counts a line that is chosen, and reports whether it is to be printed; those before it are.
func (l *entryLines) hit() bool {
	l.n++
	l.turn.found = true
	if !l.printsLines() {
		return false
	}
	l.printBefore()
	l.number++
	l.follow = l.after
	return true
}

// pass is given lines that are not chosen.
func (l *entryLines) pass(lines []byte) {
	if len(lines) == 0 || !l.printsLines() {
		return
	}
	for ; l.follow > 0 && len(lines) > 0; l.follow-- {
		var line []byte
		line, lines = cutLine(lines)
		l.number++
		l.print(l.number, line, int64(len(line)), false)
	}
	if len(lines) == 0 {
		return
	}
	l.number += int64(countLines(lines))
	if lines[len(lines)-1] != '\n' {
		l.number++
	}
	if len(l.gap) == 0 {
		l.gap = lines[:0]
	}
	// What was passed before stands right before it.
	l.gap = l.gap[:len(l.gap)+len(lines)]
}

// long is for a line of which only a part is in memory at any time.
func (l *entryLines) long(in *lineReader) {
	if l.only && l.printsLines() && !l.full() {
		any := false
		in.each(l.matcher, func(match []byte) {
			if !any {
				any = true
				l.hit()
			}
			l.match(match)
		})
		if !any {
			l.number++
		}
		return
	}
	shown, length, matches := in.match(l.matcher)
	switch {
	case matches != l.invert && !l.full():
		if l.hit() {
			l.print(l.number, shown, length, true)
		}
	case !l.printsLines():
	case l.follow > 0:
		l.follow--
		l.number++
		l.print(l.number, shown, length, false)
	default:
		l.number++
		if l.before > 0 {
			l.keep(shown, length)
		}
	}
}

// keep keeps a line to be printed before one that is chosen.
func (l *entryLines) keep(text []byte, length int64) {
	text = bytes.Clone(text[:min(len(text), maxShown)])
	l.past = append(l.past, pastLine{text, length})
	l.pastSize += len(text) + pastCost
	for l.pastSize > maxPast || len(l.past) > l.before {
		l.pastSize -= len(l.past[0].text) + pastCost
		l.past = l.past[1:]
	}
}

// printBefore prints the lines before one that is chosen.
func (l *entryLines) printBefore() {
	if l.before == 0 {
		return
	}
	gap := lastLines(l.gap, l.before)
	lines := countLines(gap) // all of them have an end, as one follows
	past := l.past[max(0, len(l.past)-(l.before-lines)):]
	number := l.number - int64(lines+len(past))
	for _, p := range past {
		number++
		l.print(number, p.text, p.length, false)
	}
	for len(gap) > 0 {
		var line []byte
		line, gap = cutLine(gap)
		number++
		l.print(number, line, int64(len(line)), false)
	}
}

// match prints a match in the line with the last number.
func (l *entryLines) match(text []byte) {
	if len(text) > 0 {
		l.print(l.number, text, int64(len(text)), true)
	}
}

// end prints what is known when the entry was searched.
func (l *entryLines) end() {
	if l.n == 0 || l.search.first || !l.names && !l.counts && !l.binary {
		return
	}
	switch {
	case l.json:
		found := l.found()
		if l.counts {
			found.Count = l.n
		}
		found.Binary = l.binary
		l.turn.printJSON(found)
	case l.names:
		l.paint(colorName, l.title())
		l.turn.out.WriteByte('\n')
	case l.counts:
		if !l.nameless {
			l.paint(colorName, l.title())
			l.paint(colorMark, ":")
		}
		fmt.Fprintln(l.turn.out, l.n)
	default:
		fmt.Fprintf(l.turn.out, "Binary entry %s matches\n", l.title())
	}
}

// foundLine is a line of grep --json.
type foundLine struct {
	Archive string  `json:"archive"`
	Name    string  `json:"name"`
	Line    int64   `json:"line,omitempty"` // from 1
	Text    *string `json:"text,omitempty"`
	Length  int64   `json:"length,omitempty"`  // of the line in bytes, where text is a part of it
	Context bool    `json:"context,omitempty"` // not chosen itself
	Count   int64   `json:"count,omitempty"`
	Binary  bool    `json:"binary,omitempty"`
}

func (l *entryLines) found() *foundLine {
	return &foundLine{Archive: l.ar.name, Name: l.ar.title(l.entry)}
}

func (l *entryLines) title() string {
	if l.name == "" {
		l.name = printable(l.ar.name + innerSep + l.ar.title(l.entry))
	}
	return l.name
}

// paint prints text, in a colour where that is wanted.
func (l *entryLines) paint(color, text string) {
	l.begin(color)
	l.turn.out.WriteString(text)
	l.done()
}

// begin begins what is to have a colour, done ends it.
func (l *entryLines) begin(color string) {
	if l.turn.color {
		l.turn.out.WriteString("\x1b[" + color + "m")
	}
}

func (l *entryLines) done() {
	if l.turn.color {
		l.turn.out.WriteString("\x1b[0m")
	}
}

// maxShown is how many bytes of a line are printed.
const maxShown = 2 << 10

// print prints a line of so many bytes, or a match, if it is a long one a part of the text. A line that is not
// chosen stands around one that is.
func (l *entryLines) print(number int64, text []byte, length int64, chosen bool) {
	if l.groups && !l.json && (l.printed == 0 || number > l.printed+1) {
		l.divide()
	}
	l.printed = number
	l.gap, l.past, l.pastSize = nil, l.past[:0], 0
	matches := chosen != l.invert && int64(len(text)) == length
	from, part := 0, text
	if length > maxShown {
		if matches && !l.only {
			from = max(0, min(l.matcher.place(text)-maxShown/4, len(text)-maxShown))
			from += brokenRune(text[from:])
		}
		part = wholeRunes(text[from:min(len(text), from+maxShown)])
	}
	if l.json {
		found, shown := l.found(), string(part)
		found.Line, found.Text, found.Context = number, &shown, !chosen
		if length > maxShown {
			found.Length = length
		}
		l.turn.printJSON(found)
		return
	}
	out := l.turn.out
	l.prefix(number, chosen)
	if from > 0 {
		out.WriteString("... ")
	}
	switch {
	case !matches || !l.turn.color:
		writeSafely(out, part)
	case l.only:
		l.begin(colorMatch)
		writeSafely(out, part)
		l.done()
	default:
		l.highlight(text, from, from+len(part))
	}
	if length > maxShown {
		fmt.Fprintf(out, " ... [%d of %d bytes]", len(part), length)
	}
	out.WriteByte('\n')
}

// divide prints what stands between groups of lines.
func (l *entryLines) divide() {
	line := "--\n"
	if l.turn.color {
		line = "\x1b[" + colorMark + "m--\x1b[0m\n"
	}
	l.turn.out.divide(line)
}

// prefix prints what stands before a line.
func (l *entryLines) prefix(number int64, chosen bool) {
	mark := ":"
	if !chosen {
		mark = "-"
	}
	if !l.nameless {
		l.paint(colorName, l.title())
		l.paint(colorMark, mark)
	}
	if l.numbers {
		var digits [20]byte
		l.begin(colorNumber)
		l.turn.out.Write(strconv.AppendInt(digits[:0], number, 10))
		l.done()
		l.paint(colorMark, mark)
	}
}

// highlight prints a part of a line with the matches in a colour.
func (l *entryLines) highlight(text []byte, from, to int) {
	for _, m := range l.matcher.re.FindAllIndex(text, maxShown) {
		start, end := max(m[0], from), min(m[1], to)
		if start >= end {
			continue
		}
		writeSafely(l.turn.out, text[from:start])
		l.begin(colorMatch)
		writeSafely(l.turn.out, text[start:end])
		l.done()
		from = end
	}
	writeSafely(l.turn.out, text[from:to])
}

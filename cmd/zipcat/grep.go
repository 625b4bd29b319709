package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
)

func (a *app) grep() *cobra.Command {
	g := grepper{search: search{whole: a}}
	g.visit = g.look
	var include []string
	var words bool
	cmd := &cobra.Command{
		Use:   "grep PATTERN ARCHIVE...",
		Short: "Search the contents of entries, nested archives too",
		Long: `Search entries for lines that match a regular expression, in archives and in the
archives within them, and print ARCHIVE!/ENTRY:LINE:TEXT for each. Of an ARCHIVE
that is a directory all archives in it are searched: what has the name of one (see
zipcat help archive-names). The search is parallel, the lines are in the order of the
arguments and of the archives' directories.

Here PATTERN is a regular expression as Go and RE2 have it
(https://go.dev/s/re2syntax), of one line, without its end; with --literal it is a
fixed string. Of several entries of one name the last is searched. Binary
entries, those with a NUL in the first 8 KiB, are only told to match.

In what is printed control characters but tabs, and bytes that are not UTF-8, are
replaced by U+FFFD; of a line longer than 2 KiB a part is printed. Lines are
matched whatever their length: those longer than 1 MiB as they are read, slowly.
Of an entry larger than 1 MiB lines may have been printed before it turns out to
be damaged.

With --json each line is an object: archive, name, line, text; of a line of which a part
is printed its length in bytes too; binary or count in place of line and text.

The exit code is 0 when something was found, whatever else could not be read. With
--quiet nothing is printed and the first hit ends the search.`,
		Example: `  zipcat grep 'javax\.servlet' app.war
  zipcat grep -l -i deprecated lib/*.jar
  zipcat grep --literal 'log4j.rootLogger=' --include '**/*.properties' ~/.m2
  zipcat grep -c Exception logs.zip`,
		Args: needs("PATTERN", "ARCHIVE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if g.depth < 0 {
				return negative(g.depth, "depth")
			}
			m, err := newMatcher(args[0], a.flags.literal, a.flags.ignoreCase, words)
			if err != nil {
				return err
			}
			g.matcher = m
			globs := a.flags
			globs.literal = false // that is about PATTERN
			g.include = globs.patterns(include)
			g.first = a.flags.quiet
			found, searched := g.run(args[1:])
			if found {
				a.exit = outcome{} // what else went wrong was said
				return nil
			}
			a.say.noLine(args[0], g.include, searched)
			a.exit.note(exitNoMatch)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&g.names, "files-with-matches", "l", false, "print the names of entries with a match only")
	flags.BoolVarP(&g.counts, "count", "c", false, "print how many lines match, of each entry that has one")
	flags.BoolVarP(&g.numbers, "line-number", "n", true, "print the numbers of lines")
	flags.BoolVar(&g.json, "json", false, "print one JSON object a line")
	flags.BoolVarP(&words, "word-regexp", "w", false, "match whole words only")
	flags.BoolVarP(&g.text, "text", "a", false, "take binary entries as text")
	flags.StringArrayVar(&include, "include", nil, "search entries that `pattern` chooses only: one pattern, repeated for more")
	flags.IntVar(&g.depth, "depth", maxNesting, "go `n` archives deep, 0 for none within others")
	cmd.MarkFlagsMutuallyExclusive("files-with-matches", "count")
	return cmd
}

// grepper is one run of grep.
type grepper struct {
	search
	matcher *matcher
	include []*pattern
	names   bool
	counts  bool
	numbers bool
	text    bool
	json    bool
	spare   sync.Pool // of *batch
}

// look searches the contents of an archive's entries, except those that are searched as archives.
func (g *grepper) look(s *searched, ar *archive, depth int) {
	var chosenOnes set
	if len(g.include) > 0 {
		chosenOnes = chosen(ar, g.include, nil)
	}
	sel := newSelector(ar, nil, true)
	b := g.newBatch()
	for e := range ar.seen() {
		if s.over() {
			return
		}
		if e.IsDir() || chosenOnes != nil && !chosenOnes.has(e) || !sel.meant(e) || s.enters(depth) && jar.ArchiveName(e.Name()) {
			continue
		}
		if e.Size() > wholeSize {
			b = g.begin(s, ar, b)
			s.do(func(t *turn) { g.stream(t, ar, e) })
			continue
		}
		if b.full(e) {
			b = g.begin(s, ar, b)
		}
		b.add(e)
	}
	g.begin(s, ar, b)
}

func (g *grepper) newBatch() *batch {
	if b, ok := g.spare.Get().(*batch); ok {
		return b
	}
	return newBatch()
}

// begin begins the search of a batch, and returns one for what follows.
func (g *grepper) begin(s *searched, ar *archive, b *batch) *batch {
	if len(b.entries) == 0 {
		return b
	}
	s.do(func(t *turn) {
		b.load(t.ctx)
		for _, e := range b.entries {
			if t.ctx.Err() != nil || t.out.failed() {
				break
			}
			t.count++
			if c := b.contents[e]; c.err != nil {
				t.failed(ar, e, c.err)
			} else {
				l := g.lines(t, ar, e)
				l.start(b.data[c.from:c.to])
				l.add(b.data[c.from:c.to])
				l.end()
			}
		}
		b.clear()
		g.spare.Put(b)
	})
	return g.newBatch()
}

// failed tells of an entry that cannot be read.
func (t *turn) failed(ar *archive, e zipfile.Entry, err error) {
	t.say.entry(ar.name, e.Name(), err)
	t.exit.note(entryExit(err))
}

// stream searches an entry that is not held in memory.
func (g *grepper) stream(t *turn, ar *archive, e zipfile.Entry) {
	t.count++
	r, err := e.Open()
	if err != nil {
		t.failed(ar, e, err)
		return
	}
	defer r.Close()
	l := g.lines(t, ar, e)
	in := newLineReader(r)
	l.start(in.head())
	for !l.over() {
		if block := in.lines(); len(block) > 0 {
			l.add(block)
			continue
		}
		if in.ended() {
			break
		}
		shown, length, ok := in.match(g.matcher)
		l.long(shown, length, ok)
	}
	l.end()
	if in.err != nil && in.err != io.EOF {
		t.failed(ar, e, in.err)
	}
}

// entryLines prints the lines of an entry that match.
type entryLines struct {
	*grepper
	turn   *turn
	ar     *archive
	entry  zipfile.Entry
	name   string // as it is printed
	binary bool
	before int64 // lines before what is added next
	n      int64 // lines that match
}

func (g *grepper) lines(t *turn, ar *archive, e zipfile.Entry) *entryLines {
	return &entryLines{grepper: g, turn: t, ar: ar, entry: e}
}

// start is given the first bytes of the entry.
func (l *entryLines) start(head []byte) {
	l.binary = !l.text && isBinary(head)
}

// over reports whether nothing that follows matters.
func (l *entryLines) over() bool {
	return l.n > 0 && !l.counts && (l.names || l.binary || l.search.first) || l.turn.out.failed() || l.turn.ctx.Err() != nil
}

// add is given whole lines.
func (l *entryLines) add(data []byte) {
	counted, number := 0, l.before
	for at := 0; !l.over(); {
		start, end, ok := l.matcher.next(data, at)
		if !ok {
			break
		}
		l.n++
		l.turn.found = true
		if l.printsLines() {
			number += int64(countLines(data[counted:start]))
			counted = start
			text := withoutReturn(data[start:end])
			from := 0
			if len(text) > maxShown {
				from = l.matcher.place(text)
			}
			l.line(number+1, text, from, int64(len(text)))
		}
		at = end + 1
	}
	if l.printsLines() && !l.over() {
		l.before = number + int64(countLines(data[counted:]))
	}
}

// long is given a line of which only the beginning is in memory.
func (l *entryLines) long(shown []byte, length int64, matches bool) {
	l.before++
	if !matches {
		return
	}
	l.n++
	l.turn.found = true
	if l.printsLines() {
		l.line(l.before, shown, 0, length)
	}
}

func (l *entryLines) printsLines() bool {
	return !l.names && !l.counts && !l.binary && !l.search.first
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
		l.turn.out.WriteString(l.title())
		l.turn.out.WriteByte('\n')
	case l.counts:
		fmt.Fprintf(l.turn.out, "%s:%d\n", l.title(), l.n)
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
	Length  int64   `json:"length,omitempty"` // of the line in bytes, where text is a part of it
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

// maxShown is how many bytes of a line are printed.
const maxShown = 2 << 10

// line prints a line of the entry of so many bytes, if it is a long one the part around from.
func (l *entryLines) line(number int64, text []byte, from int, length int64) {
	part := text
	if length > maxShown {
		from = max(0, min(from-maxShown/4, len(text)-maxShown))
		part = wholeRunes(text[from:min(len(text), from+maxShown)])
	}
	if l.json {
		found, shown := l.found(), string(part)
		found.Line, found.Text = number, &shown
		if length > maxShown {
			found.Length = length
		}
		l.turn.printJSON(found)
		return
	}
	out := l.turn.out
	out.WriteString(l.title())
	out.WriteByte(':')
	if l.numbers {
		var digits [20]byte
		out.Write(strconv.AppendInt(digits[:0], number, 10))
		out.WriteByte(':')
	}
	if length <= maxShown {
		writeSafely(out, part)
	} else {
		if from > 0 {
			out.WriteString("... ")
		}
		writeSafely(out, part)
		fmt.Fprintf(out, " ... [%d of %d bytes]", len(part), length)
	}
	out.WriteByte('\n')
}

// errPatternLines is a PATTERN that no line can match.
var errPatternLines = errors.New("PATTERN has a line break in it, and lines are matched one by one")

// newMatcher makes the matcher for a PATTERN of grep.
func newMatcher(text string, literal, ignoreCase, words bool) (*matcher, error) {
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
	return compileMatcher(text, words)
}

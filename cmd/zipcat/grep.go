package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
)

func (a *app) grep() *cobra.Command {
	g := grepper{search: search{whole: a}}
	g.visit = g.look
	var patterns, include []string
	var fixed, words bool
	var context int
	cmd := &cobra.Command{
		Use:   "grep PATTERN ARCHIVE...",
		Short: "Search the contents of entries, nested archives too",
		Long: `Search entries for lines that match a regular expression, in archives and in the
archives within them, and print ARCHIVE!/ENTRY:LINE:TEXT for each. Of an ARCHIVE
that is a directory all archives in it are searched: what has the name of one (see
zipcat help archive-names). The search is parallel, the lines are in the order of the
arguments and of the archives' directories.

Here PATTERN is a regular expression as Go and RE2 have it
(https://go.dev/s/re2syntax), of one line, without its end; with --fixed-strings, or
--literal, it is a fixed string. With -e, which may be repeated, all arguments are
ARCHIVEs; at one place the first of several expressions counts, of fixed strings the
longest. Of several entries of one name the last is searched. Binary
entries, those with a NUL in the first 8 KiB, are only told to match.

With -A, -B and -C lines around those that match are printed too, with - in place of
: before LINE and TEXT, and -- between groups. In an entry larger than 1 MiB the lines
before a match may be no more than the last 4 MiB of them, where each counts for 64
bytes more than it has.

In what is printed control characters but tabs, and bytes that are not UTF-8, are
replaced by U+FFFD; of a line longer than 2 KiB a part is printed. Lines are
matched whatever their length: those longer than 1 MiB as they are read, slowly where
the length of a match has no bound. With --only-matching a match of more than 64 KiB
in one of these may come in parts. Of an entry larger than 1 MiB lines may have been
printed before it turns out to be damaged.

With -w a match begins where a word begins, or with a character of none behind
another such; characters of words are those of ASCII. A PATTERN that begins or ends
with a class or a dot is taken to do so with a character of a word.

With --json each line is an object: archive, name, line, text (with --only-matching each
match); of a line of which a part is printed its length in bytes too; context where it is
one around those that match; binary or count in place of line and text.

The exit code is 0 when something was found, whatever else could not be read. With
--quiet nothing is printed and the first hit ends the search.`,
		Example: `  zipcat grep 'javax\.servlet' app.war
  zipcat grep -l -i deprecated lib/*.jar
  zipcat grep -F 'log4j.rootLogger=' --include '**/*.properties' ~/.m2
  zipcat grep -C 2 -m 1 Exception logs.zip
  zipcat grep --no-filename -o -e 'https?://[^" ]+' site.zip`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(patterns) > 0 {
				return needs("ARCHIVE")(cmd, args)
			}
			return needs("PATTERN", "ARCHIVE")(cmd, args)
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(patterns) > 0 {
				return a.completeArchive(typed)
			}
			return a.completeArgs(cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed
			if !given("after-context") {
				g.after = context
			}
			if !given("before-context") {
				g.before = context
			}
			g.groups = given("context") || given("after-context") || given("before-context")
			switch {
			case g.depth < 0:
				return negative(g.depth, "depth")
			case context < 0:
				return negative(context, "context")
			case g.after < 0:
				return negative(g.after, "after-context")
			case g.before < 0:
				return negative(g.before, "before-context")
			case given("max-count") && g.max < 1:
				return fmt.Errorf("invalid argument \"%d\" for \"--max-count\" flag: it must be 1 or more", g.max)
			}
			if len(patterns) == 0 {
				patterns, args = args[:1], args[1:]
			}
			m, err := newMatcher(patterns, fixed || a.flags.literal, a.flags.ignoreCase, words)
			if err != nil {
				return err
			}
			g.matcher = m
			globs := a.flags
			globs.literal = false // that is about PATTERN
			g.include = globs.patterns(include)
			g.first = a.flags.quiet
			found, searched := g.run(args)
			if found {
				a.exit = outcome{} // what else went wrong was said
				return nil
			}
			text := strings.Join(patterns, ", ")
			if g.invert {
				text = "a line without " + text
			}
			if searched > 0 || !a.exit.seen[exitArchive] { // else that was said
				a.say.noLine(text, g.include, searched)
			}
			a.exit.note(exitNoMatch)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&patterns, "regexp", "e", nil, "search for `pattern`, repeated for lines that any of them matches")
	flags.BoolVarP(&fixed, "fixed-strings", "F", false, "take patterns as fixed strings")
	flags.BoolVarP(&words, "word-regexp", "w", false, "match whole words only")
	flags.BoolVarP(&g.invert, "invert-match", "v", false, "choose the lines that do not match")
	flags.Int64VarP(&g.max, "max-count", "m", 0, "stop after `n` lines of an entry")
	flags.BoolVarP(&g.names, "files-with-matches", "l", false, "print the names of entries with a match only")
	flags.BoolVarP(&g.counts, "count", "c", false, "print how many lines match, of each entry that has one")
	flags.BoolVarP(&g.only, "only-matching", "o", false, "print what matches only, each match on a line")
	flags.BoolVarP(&g.numbers, "line-number", "n", true, "print the numbers of lines")
	flags.BoolVar(&g.nameless, "no-filename", false, "leave out ARCHIVE!/ENTRY before lines and counts")
	flags.IntVarP(&g.after, "after-context", "A", 0, "print `n` lines after each that matches")
	flags.IntVarP(&g.before, "before-context", "B", 0, "print `n` lines before each that matches")
	flags.IntVarP(&context, "context", "C", 0, "print `n` lines before and after, where -A and -B do not say")
	flags.BoolVar(&g.json, "json", false, "print one JSON object a line")
	flags.BoolVarP(&g.text, "text", "a", false, "take binary entries as text")
	flags.StringArrayVar(&include, "include", nil, "search entries that `pattern` chooses only: one pattern, repeated for more")
	flags.IntVar(&g.depth, "depth", maxNesting, "go `n` archives deep, 0 for none within others")
	cmd.MarkFlagsMutuallyExclusive("files-with-matches", "count")
	anyway(flags, "recursive", "r")
	anyway(flags, "extended-regexp", "E")
	anyway(flags, "with-filename", "H")
	cmd.MarkFlagsMutuallyExclusive("json", "no-filename")
	cmd.MarkFlagsMutuallyExclusive("with-filename", "no-filename")
	for _, other := range []string{"invert-match", "after-context", "before-context", "context"} {
		cmd.MarkFlagsMutuallyExclusive("only-matching", other)
	}
	return cmd
}

// grepper is one run of grep.
type grepper struct {
	search
	matcher  *matcher
	include  []*pattern
	invert   bool  // choose lines that do not match
	max      int64 // lines chosen in an entry, 0 for all
	names    bool
	counts   bool
	only     bool // matches, not lines
	numbers  bool
	nameless bool
	groups   bool // lines before and after are printed, if any
	before   int
	after    int
	text     bool
	json     bool
	spare    sync.Pool // of *batch
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
		if e.Encrypted() && ar.mayAsk() {
			b = g.begin(s, ar, b)
			s.unlock(e)
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

// stream searches an entry that is not held in memory.
func (g *grepper) stream(t *turn, ar *archive, e zipfile.Entry) {
	t.count++
	t.waitForMemory(e)
	defer decoded(e)
	r, err := e.Open()
	if err != nil {
		t.failed(ar, e, err)
		return
	}
	defer r.Close()
	l := g.lines(t, ar, e)
	l.streamed = true
	in := newLineReader(r)
	l.start(in.head())
	for !l.over() {
		if block := in.lines(); len(block) > 0 {
			l.add(block)
		} else if in.ended() {
			break
		} else {
			l.long(in)
		}
	}
	l.end()
	if in.err != nil && in.err != io.EOF {
		t.failed(ar, e, in.err)
	}
}

// errPatternLines is a PATTERN that no line can match.
var errPatternLines = errors.New("PATTERN has a line break in it, and lines are matched one by one")

package main

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"zipcat.dev/zipfile"
)

// pattern is a PATTERN of the command line: first an exact name, then a glob over full names.
type pattern struct {
	text       string
	literal    bool
	ignoreCase bool
	folded     string // the text to match, in lower case if ignoreCase
	glob       bool   // to be tried where no entry has exactly that name
}

func (f *commonFlags) patterns(args []string) []*pattern {
	list := make([]*pattern, len(args))
	for i, text := range args {
		p := &pattern{text: text, literal: f.literal, ignoreCase: f.ignoreCase}
		p.folded = p.fold(text)
		p.glob = !p.literal && p.valid() && strings.ContainsAny(text, `*?[{\`)
		list[i] = p
	}
	return list
}

// names returns the names of entries that the patterns spell, nil if they could mean others too.
func names(patterns []*pattern) []string {
	var list []string
	for _, p := range patterns {
		if p.glob || p.ignoreCase {
			return nil
		}
		list = append(list, p.text)
	}
	return list
}

func (p *pattern) valid() bool { return doublestar.ValidatePattern(p.text) }

func (p *pattern) fold(name string) string {
	if p.ignoreCase {
		return strings.ToLower(name)
	}
	return name
}

// matches tells whether the glob matches a name. As in a shell a directory is found under its
// name without the slash, and a slash at the end of the glob means directories alone.
func (p *pattern) matches(name string) bool {
	glob, onlyDirs := strings.CutSuffix(p.folded, "/")
	name, dir := strings.CutSuffix(p.fold(name), "/")
	return (dir || !onlyDirs) && doublestar.MatchUnvalidated(glob, name)
}

// staysInDirectory reports a glob whose author may not know that * does not cross directories.
func (p *pattern) staysInDirectory() bool {
	return p.glob && strings.Contains(p.text, "*") && !strings.Contains(p.text, "/") && p.text != "**"
}

// selector finds the entries that patterns choose. Exact names, of which there may be as many as
// entries, are looked up; only globs cost a pass over the archive.
type selector struct {
	ar *archive
	// onlyLast leaves out entries whose name a later one has too.
	onlyLast bool
	folded   map[string][]int // with ignoreCase: the entries that a pattern spells, by its folded text
}

func newSelector(ar *archive, patterns []*pattern, onlyLast bool) *selector {
	s := &selector{ar: ar, onlyLast: onlyLast, folded: make(map[string][]int)}
	for _, p := range patterns {
		if p.ignoreCase {
			s.folded[p.folded] = nil
		}
	}
	if len(s.folded) == 0 {
		return s
	}
	for e := range ar.seen() {
		name := patterns[0].fold(ar.title(e))
		if list, ok := s.folded[name]; ok && s.meant(e) {
			s.folded[name] = append(list, e.Index())
		}
	}
	return s
}

// choose returns the entries that a pattern chooses, in the order of the directory: those with
// exactly the name that it spells, or where there is none those that it matches as a glob.
func (s *selector) choose(p *pattern) iter.Seq[zipfile.Entry] {
	return func(yield func(zipfile.Entry) bool) {
		exact := false
		for e := range s.exact(p) {
			exact = true
			if !yield(e) {
				return
			}
		}
		if exact || !p.glob {
			return
		}
		for e := range s.ar.seen() {
			if p.matches(s.ar.title(e)) && s.meant(e) && !yield(e) {
				return
			}
		}
	}
}

func (s *selector) exact(p *pattern) iter.Seq[zipfile.Entry] {
	return func(yield func(zipfile.Entry) bool) {
		switch {
		case p.ignoreCase:
			for _, i := range s.folded[p.folded] {
				if !yield(s.ar.At(i)) {
					return
				}
			}
		case s.onlyLast:
			if e, ok := s.ar.lookup(p.text); ok {
				yield(e)
			}
		default:
			slices.Values(s.ar.lookupAll(p.text))(yield)
		}
	}
}

// meant tells which of several entries of one name the selector is after.
func (s *selector) meant(e zipfile.Entry) bool {
	if !s.onlyLast {
		return true
	}
	last, _ := s.ar.lookup(s.ar.title(e))
	return last == e
}

// set is a set of entries by number.
type set []uint64

func (s set) add(e zipfile.Entry)      { s[e.Index()/64] |= 1 << (e.Index() % 64) }
func (s set) has(e zipfile.Entry) bool { return s[e.Index()/64]>>(e.Index()%64)&1 != 0 }

// chosen returns what any of the patterns chooses. none, if not nil, is called for each pattern
// that chooses nothing.
func chosen(ar *archive, patterns []*pattern, none func(*pattern)) set {
	in := make(set, (ar.Len()+63)/64)
	sel := newSelector(ar, patterns, false)
	found := make(map[string]bool) // by text: a pattern given again is not looked for again
	for _, p := range patterns {
		any, again := found[p.text]
		if !again {
			for e := range sel.choose(p) {
				any = true
				in.add(e)
			}
			found[p.text] = any
		}
		if !any && none != nil {
			none(p)
		}
	}
	return in
}

// choose returns the entries that any of the patterns chooses, in the order of the directory;
// all of them if there are no patterns. It says which patterns chose nothing.
func (a *app) choose(ar *archive, patterns []*pattern) []zipfile.Entry {
	if len(patterns) == 0 {
		return slices.AppendSeq(make([]zipfile.Entry, 0, ar.Len()), ar.seen())
	}
	in := chosen(ar, patterns, func(p *pattern) { a.nothing(ar, p) })
	var list []zipfile.Entry
	for e := range ar.seen() {
		if in.has(e) {
			list = append(list, e)
		}
	}
	return list
}

// selection is choose without a list of all entries where there are no patterns.
func (a *app) selection(ar *archive, patterns []*pattern) iter.Seq[zipfile.Entry] {
	if len(patterns) == 0 {
		return ar.seen()
	}
	return slices.Values(a.choose(ar, patterns))
}

// nothing says that a pattern chose nothing.
func (a *app) nothing(ar *archive, p *pattern) {
	a.exit.note(exitNoMatch)
	if ar.Len() == 0 && ar.only == nil {
		a.say.empty(ar.name, p)
		return
	}
	a.say.noMatch(ar.name, p, a.near(ar, p))
	// Where only some entries were kept (archive.only), those with such names were.
	if a.flags.charset.label == "" && strings.ContainsFunc(p.text, notASCII) && ar.hasForeignNames() {
		a.say.foreignNames()
	}
}

func notASCII(r rune) bool { return r >= utf8.RuneSelf }

// hasForeignNames reports names whose charset is not known.
func (ar *archive) hasForeignNames() bool {
	for e := range ar.Entries() {
		if !utf8.ValidString(e.RawName()) {
			return true
		}
	}
	return false
}

// onlyDirectory tells who named a directory how to name what is in it.
func (a *app) onlyDirectory(ar *archive, p *pattern) {
	if !strings.HasSuffix(p.text, "/") {
		return
	}
	if near := a.near(ar, p); near != "" {
		a.say.onlyDirectory(p, near)
	}
}

// maxNear is for how many patterns of a run a hint is looked for, which costs a pass over the archive each.
const maxNear = 10

// near is archive.near for an archive of which only some entries may have been kept. It is empty where
// nobody would see the hint.
func (a *app) near(ar *archive, p *pattern) string {
	if a.nears++; a.nears > maxNear || a.flags.quiet {
		return ""
	}
	if ar.only == nil {
		return ar.near(p)
	}
	all, err := a.openFile(ar.name, nil)
	if err != nil {
		return ""
	}
	defer all.Close()
	return all.near(p)
}

// near returns a pattern that chooses something where a plain name chose nothing: what is in the
// directory of that name, or the entries of that name in any directory. It is empty for none.
func (ar *archive) near(p *pattern) string {
	name := strings.TrimSuffix(p.text, "/")
	if p.glob || name == "" {
		return ""
	}
	for e := range ar.seen() {
		switch title := ar.title(e); {
		case strings.HasPrefix(title, name+"/") && len(title) > len(name)+1:
			return name + "/**"
		case strings.HasSuffix(title, "/"+name), strings.HasSuffix(title, "/"+name+"/"):
			return "**/" + name
		}
	}
	return ""
}

package main

import (
	"strings"

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

func (p *pattern) valid() bool { return doublestar.ValidatePattern(p.text) }

func (p *pattern) fold(name string) string {
	if p.ignoreCase {
		return strings.ToLower(name)
	}
	return name
}

// matcher returns what the pattern means in an archive: a function that tells whether a name
// is chosen. It is nil if no entry can be.
func (p *pattern) matcher(z *zipfile.ZipFile) func(name string) bool {
	if p.exact(z) {
		return func(name string) bool { return p.fold(name) == p.folded }
	}
	if !p.glob {
		return nil
	}
	// As in a shell a directory is found under its name without the slash, and a slash at the
	// end of the glob means directories alone.
	glob, onlyDirs := strings.CutSuffix(p.folded, "/")
	return func(name string) bool {
		name, dir := strings.CutSuffix(p.fold(name), "/")
		return (dir || !onlyDirs) && doublestar.MatchUnvalidated(glob, name)
	}
}

// exact reports whether an entry has exactly the name that the pattern spells.
func (p *pattern) exact(z *zipfile.ZipFile) bool {
	if !p.ignoreCase {
		_, ok := z.Lookup(p.text)
		return ok
	}
	for e := range z.Entries() {
		if p.fold(e.Name()) == p.folded {
			return true
		}
	}
	return false
}

// choose returns the entries that any of the patterns chooses, in the order of the directory;
// all of them if there are no patterns. It says which patterns chose nothing.
func (a *app) choose(ar *archive, patterns []*pattern) []zipfile.Entry {
	var chosen []zipfile.Entry
	if len(patterns) == 0 {
		chosen = make([]zipfile.Entry, 0, ar.Len())
		for e := range ar.Entries() {
			chosen = append(chosen, e)
		}
		return chosen
	}
	matchers := make([]func(string) bool, len(patterns))
	for i, p := range patterns {
		matchers[i] = p.matcher(ar.ZipFile)
	}
	hit := make([]bool, len(patterns))
	for e := range ar.Entries() {
		name, any := e.Name(), false
		for i, match := range matchers {
			if match != nil && match(name) {
				hit[i], any = true, true
			}
		}
		if any {
			chosen = append(chosen, e)
		}
	}
	for i, p := range patterns {
		if !hit[i] {
			a.say.noMatch(ar.name, p)
			a.exit.note(exitNoMatch)
		}
	}
	return chosen
}

package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
)

const (
	// innerSep separates the parts of a path into nested archives.
	innerSep = "!/"
	// maxNesting is how many archives deep a path or a search goes.
	maxNesting = 32
	// maxNested is how many bytes of the archives in one archive are unpacked to look into them,
	// altogether: 24 KB can hold tens of thousands of archives.
	maxNested = 1 << 30
	// maxNestedMemory is how many bytes of them are kept in memory at a time.
	maxNestedMemory = 32 << 20
	// maxPath is how many bytes the path of an archive in others may have: it stands in front of all that is
	// printed of it, and 15 KB can hold archives whose names make it 2 MB.
	maxPath = 16 << 10
	// maxInner is how many archives in one archive a search opens.
	maxInner = 1 << 16
)

var (
	errNesting = fmt.Errorf("more than %d archives inside one another", maxNesting)
	errTooMany = fmt.Errorf("more than %d archives in it", maxInner)
	errPath    = fmt.Errorf("a path of more than %d bytes", maxPath)
	errBudget  = fmt.Errorf("inner archives of more than %d MiB", maxNested>>20)
)

// noInnerError is a path into an archive that leads to no entry.
type noInnerError struct{ inner string }

func (e *noInnerError) Error() string {
	return fmt.Sprintf("no entry %s", printable(e.inner))
}

// splitPath splits a path into nested archives, or a URL that means one, at the first separator whose left side
// is a file.
func splitPath(name string) (outer, inner string) {
	name = pathOfURL(name)
	for i := 0; ; {
		j := strings.Index(name[i:], innerSep)
		if j < 0 {
			return name, ""
		}
		i += j
		left := name[:i]
		if left == stdinName {
			return left, name[i+len(innerSep):]
		}
		if st, err := os.Stat(left); err == nil && !st.IsDir() {
			return left, name[i+len(innerSep):]
		}
		i += len(innerSep)
	}
}

// descend opens the archives that inner leads to from ar, which it takes over; the last one only if that is
// wanted, as it may be meant as an entry. rest is what leads to no entry or was not wanted, or with an error the
// path of what cannot be opened.
func (a *app) descend(ar *archive, inner string, last bool) (_ *archive, rest string, err error) {
	for depth := 1; inner != ""; depth++ {
		e, rest, ok := lookupInner(ar, inner)
		if !ok || rest == "" && !last {
			break
		}
		next, err := (*archive)(nil), errNesting
		if depth <= maxNesting {
			next, err = a.enter(ar, e)
		}
		if err != nil {
			ar.Close()
			return nil, ar.name + innerSep + e.Name(), err
		}
		ar, inner = next, rest
	}
	return ar, inner, nil
}

// openInner opens the archive that inner leads to from ar, which it takes over.
func (a *app) openInner(ar *archive, inner string) (*archive, error) {
	ar, rest, err := a.descend(ar, inner, true)
	if err != nil || rest == "" {
		return ar, err
	}
	ar.Close()
	return nil, &noInnerError{rest}
}

// openAround opens the archive around what a path leads to, and returns what that is called in it. Where
// archive and entry part is told as in other paths: the longest name counts. It is nil where that fails, which
// is said.
func (a *app) openAround(path string) (ar *archive, name string) {
	outer, inner := splitPath(path)
	if inner == "" { // there is no such file
		i := strings.LastIndex(path, innerSep)
		return a.open(path[:i]), path[i+len(innerSep):]
	}
	if !strings.Contains(inner, innerSep) {
		return a.openOnly(outer, names(a.flags.patterns([]string{inner}))), inner
	}
	if ar = a.open(outer); ar == nil {
		return nil, ""
	}
	ar, rest, err := a.descend(ar, inner, false)
	if err != nil {
		a.say.archive(rest, err)
		a.exit.note(openExit(err))
		return nil, ""
	}
	return ar, rest
}

// lookupInner finds the longest part of inner that is the name of an entry.
func lookupInner(ar *archive, inner string) (e zipfile.Entry, rest string, ok bool) {
	for end := len(inner); end > 0; {
		if e, ok := ar.Lookup(inner[:end]); ok {
			return e, strings.TrimPrefix(inner[end:], innerSep), true
		}
		if end = strings.LastIndex(inner[:end], innerSep); end < 0 {
			break
		}
	}
	return e, "", false
}

// enter opens the archive that is an entry of another, which it belongs to from then on: closing
// the inner one closes the outer one.
func (a *app) enter(outer *archive, e zipfile.Entry) (*archive, error) {
	if e.IsDir() {
		return nil, errIsDirectory
	}
	if len(outer.name)+len(innerSep)+len(e.Name()) > maxPath {
		return nil, errPath
	}
	ar := &archive{name: outer.name + innerSep + e.Name(), outer: outer}
	b, err := a.innerBytes(e)
	if err != nil {
		return nil, err
	}
	return a.newArchive(ar, b)
}

// innerBytes gives the contents of an entry as a backend: the bytes as they are stored, or
// unpacked into memory or, if they are many, into a temporary file.
func (a *app) innerBytes(e zipfile.Entry) (backend.Backend, error) {
	if a.budget == nil {
		a.budget = &jar.Budget{Total: maxNested, Memory: maxNestedMemory}
	}
	ctx := context.Background()
	if a.part != nil {
		ctx = a.part.ctx
		a.part.waitForMemory(e)
		defer decoded(e)
	}
	b, err := jar.NestedBackend(ctx, e, &jar.NestedOptions{Memory: spoolMemory, Budget: a.budget})
	if err != nil && a.budget.Used() > a.budget.Total {
		err = errBudget
	}
	return b, err
}

package main

import (
	"iter"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
)

// view makes an archive look as a JVM of the release that was asked for sees it.
func (a *app) view(ar *archive) (err error) {
	if a.flags.release > 0 {
		ar.view, err = jar.NewView(ar.ZipFile, a.flags.release)
		if err == nil && !ar.view.MultiRelease() {
			ar.view = nil // nothing looks different
		}
	}
	return err
}

// seen gives the entries that are to be seen: all, or with --release one for each name.
func (ar *archive) seen() iter.Seq[zipfile.Entry] {
	if ar.view == nil {
		return ar.Entries()
	}
	return func(yield func(zipfile.Entry) bool) {
		for _, e := range ar.view.Entries() {
			if !yield(e) {
				return
			}
		}
	}
}

// title is the name under which an entry is seen.
func (ar *archive) title(e zipfile.Entry) string {
	if ar.view != nil {
		return ar.view.NameOf(e)
	}
	return e.Name()
}

// lookup finds the entry that a name stands for.
func (ar *archive) lookup(name string) (zipfile.Entry, bool) {
	if ar.view != nil {
		return ar.view.Lookup(name)
	}
	return ar.Lookup(name)
}

// lookupAll finds all entries that a name stands for.
func (ar *archive) lookupAll(name string) []zipfile.Entry {
	if ar.view == nil {
		return ar.LookupAll(name)
	}
	if e, ok := ar.view.Lookup(name); ok {
		return []zipfile.Entry{e}
	}
	return nil
}

package extract

import (
	"cmp"
	"io/fs"
	"iter"
	"runtime"
	"slices"
	"strings"

	"zipcat.dev/zipfile"
)

// plan says what goes where, before anything is written.
type plan struct {
	items []*item          // in the order of the entries
	at    map[string]*item // files and links by path
	dirs  map[string]*directory
}

// item is an entry that is to be unpacked.
type item struct {
	entry zipfile.Entry
	path  string // no slash at the end
	err   error
}

// directory is one that must be there: named by an entry, or above an item.
type directory struct {
	path  string
	item  *item // the last that names it, nil if none does
	tried bool  // makeDirectories came to it
	made  bool  // by us
	err   error // why it cannot be used
}

// errAbove returns why an item cannot be in its directory, nil if it can.
func (p *plan) errAbove(path string) error {
	d := p.dirs[parent(path)]
	if d == nil {
		return nil
	}
	if we, ok := d.err.(*WriteError); ok {
		return &WriteError{path, we.Err}
	}
	return d.err
}

func (u *unpacking) plan(entries iter.Seq[zipfile.Entry]) *plan {
	p := &plan{at: make(map[string]*item), dirs: make(map[string]*directory)}
	for e := range entries {
		name := e.Name()
		if u.Name != nil {
			if name = u.Name(e); name == "" {
				continue
			}
		}
		it := &item{entry: e, path: strings.TrimSuffix(name, "/")}
		p.items = append(p.items, it)
		if it.err = refuseEntry(e, name); it.err == nil {
			p.place(it)
		}
	}
	// Only when all are placed is it known who has a place.
	for _, it := range p.items {
		if it.err == nil {
			it.err = p.displaced(it)
		}
		if it.err != nil {
			u.done(it)
		}
	}
	return p
}

// place puts an item in its place, from which a later one may displace it.
func (p *plan) place(it *item) {
	if it.entry.IsDir() {
		p.need(it.path).item = it
		return
	}
	p.at[it.path] = it
	if dir := parent(it.path); dir != "." {
		p.need(dir)
	}
}

// displaced returns why an item does not have its place, nil if it has.
func (p *plan) displaced(it *item) error {
	d := p.dirs[it.path]
	if it.entry.IsDir() {
		if d.item != it {
			return errShadowed // the same directory
		}
		return nil
	}
	switch last := p.at[it.path]; {
	case last != it && last.entry.Name() == it.entry.Name():
		return errShadowed
	case d != nil:
		// Tools that append to archives in place leave both; so do hostile ones.
		return refusef("refused: another entry makes a directory of it")
	case last != it:
		return refusef("refused: %s takes its place", printable(last.entry.Name()))
	}
	return nil
}

// need adds a directory and those above it.
func (p *plan) need(path string) *directory {
	d := p.dirs[path]
	if d == nil {
		d = &directory{path: path}
		p.dirs[path] = d
		for up := parent(path); up != "." && p.dirs[up] == nil; up = parent(up) {
			p.dirs[up] = &directory{path: up}
		}
	}
	return d
}

// directories returns them so that each stands behind the one it is in, and close to it.
func (p *plan) directories() []*directory {
	list := make([]*directory, 0, len(p.dirs))
	for _, d := range p.dirs {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b *directory) int { return comparePaths(a.path, b.path) })
	return list
}

// pick returns the items that are in their place, links or files, in order.
func (p *plan) pick(links bool) []*item {
	var list []*item
	for _, it := range p.items {
		if it.err == nil && !it.entry.IsDir() && it.isLink() == links {
			list = append(list, it)
		}
	}
	return list
}

func (p *plan) failed() []*Error {
	var list []*Error
	for _, it := range p.items {
		if it.err != nil && it.err != errShadowed {
			list = append(list, &Error{it.entry, it.err})
		}
	}
	return list
}

func (it *item) isLink() bool { return it.entry.Mode()&fs.ModeSymlink != 0 }

// parent returns the directory of a path, "." for none.
func parent(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return "."
}

// base returns the last element of a path.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// comparePaths orders paths so that a slash comes before every other byte: in the order of the
// file tree of package zipfile.
func comparePaths(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if x, y := a[i], b[i]; x != y {
			switch {
			case x == '/':
				return -1
			case y == '/':
				return 1
			}
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(len(a), len(b))
}

// refuseEntry tells why an entry may not be unpacked as name.
func refuseEntry(e zipfile.Entry, name string) error {
	_, err := e.Path()
	if err == nil {
		err = zipfile.CheckPath(name)
	}
	if err != nil {
		return refusef("refused: %v", err)
	}
	if runtime.GOOS == "windows" {
		if fault := windowsFault(name); fault != "" {
			return refusef("refused: %s", fault)
		}
	}
	if t := e.Mode().Type(); t&^(fs.ModeDir|fs.ModeSymlink) != 0 && !e.IsDir() {
		return refusef("refused: %s", specialFile(t))
	}
	return nil
}

func specialFile(t fs.FileMode) string {
	switch {
	case t&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case t&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

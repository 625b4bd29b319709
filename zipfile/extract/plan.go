package extract

import (
	"io/fs"
	"iter"
	"runtime"
	"strings"

	"zipcat.dev/zipfile"
)

// plan says what goes where, before anything is written. Paths are taken apart at their slashes
// once: what the directories of a name of a thousand elements cost would else be the square of
// its length.
type plan struct {
	items []*item // in the order of the entries
	root  *directory
	at    map[place]*item // files and links
	dirs  map[place]*directory
	last  *directory // that need returned; entries of one directory stand together
}

// place is a name in a directory.
type place struct {
	in   *directory
	name string
}

// item is an entry that is to be unpacked.
type item struct {
	entry zipfile.Entry
	path  string     // no slash at the end
	in    *directory // nil for one that is refused at once
	err   error

	// Of links, see linker.
	state linkState
	chain uint8
}

func (it *item) place() place { return place{it.in, base(it.path)} }

// directory is one that must be there: named by an entry, or above an item.
type directory struct {
	path  string       // "." for the root
	in    *directory   // nil for the root
	dirs  []*directory // in it
	item  *item        // the last that names it, nil if none does
	tried bool         // makeDirectories came to it
	made  bool         // by us
	link  bool         // it was there, and is reached through a link
	err   error        // why it cannot be used
}

// errFor returns why what stands in the directory under path cannot, nil if it can.
func (d *directory) errFor(path string) error {
	if we, ok := d.err.(*WriteError); ok {
		return &WriteError{path, we.Err}
	}
	return d.err
}

func (u *unpacking) plan(entries iter.Seq[zipfile.Entry]) *plan {
	root := &directory{path: "."}
	p := &plan{root: root, last: root, at: make(map[place]*item), dirs: make(map[place]*directory)}
	for e := range entries {
		name := e.Name()
		switch {
		case u.Name != nil:
			name = u.Name(e)
		case u.Relative:
			name = RelativePath(name)
		}
		if name == "" && (u.Name != nil || u.Relative) {
			continue
		}
		it := &item{entry: e, path: strings.TrimSuffix(name, "/")}
		p.items = append(p.items, it)
		if it.err = u.refuseEntry(e, name); it.err == nil {
			p.put(it)
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

// put puts an item in its place, from which a later one may displace it.
func (p *plan) put(it *item) {
	if it.entry.IsDir() {
		d := p.need(it.path)
		it.in, d.item = d.in, it
		return
	}
	it.in = p.need(parent(it.path))
	p.at[it.place()] = it
}

// displaced returns why an item does not have its place, nil if it has.
func (p *plan) displaced(it *item) error {
	at := it.place()
	d := p.dirs[at]
	if it.entry.IsDir() {
		if d.item != it {
			return errShadowed // the same directory
		}
		return nil
	}
	switch last := p.at[at]; {
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

// need returns the directory with a path, and adds it and those above it where they are missing.
func (p *plan) need(path string) *directory {
	if path == p.last.path {
		return p.last
	}
	d := p.root
	for end := 0; path != "." && end < len(path); end++ {
		start := end
		if i := strings.IndexByte(path[start:], '/'); i >= 0 {
			end += i
		} else {
			end = len(path)
		}
		at := place{d, path[start:end]}
		next := p.dirs[at]
		if next == nil {
			next = &directory{path: path[:end], in: d}
			p.dirs[at] = next
			d.dirs = append(d.dirs, next)
		}
		d = next
	}
	p.last = d
	return d
}

// directories returns them so that each stands behind the one it is in, and close to it. The
// root is not among them.
func (p *plan) directories() []*directory {
	list := make([]*directory, 0, len(p.dirs))
	var add func(in *directory) // as deep as a name has elements
	add = func(in *directory) {
		for _, d := range in.dirs {
			list = append(list, d)
			add(d)
		}
	}
	add(p.root)
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

// refuseEntry tells why an entry may not be unpacked as name.
func (u *unpacking) refuseEntry(e zipfile.Entry, name string) error {
	_, err := e.Path()
	if err != nil && u.Relative && rightlyMarked(e) {
		err = zipfile.CheckPath(RelativePath(e.Name())) // what other fault it has
	}
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
	// What zip reads from a pipe it marks as one.
	piped := e.Mode().Type() == fs.ModeNamedPipe && e.Size() > 0
	if t := e.Mode().Type(); t&^(fs.ModeDir|fs.ModeSymlink) != 0 && !e.IsDir() && !piped {
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

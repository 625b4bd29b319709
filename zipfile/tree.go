package zipfile

import (
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

// tree is the archive seen as directories and files: the entries whose names are paths, sorted
// so that what a directory holds stands right behind it. It is built once, at first need.
type tree struct {
	once   sync.Once
	sorted []uint32 // one entry for a path
}

// pathOf is an entry's place in the tree: its name without the slash of a directory.
func pathOf(name string) string { return strings.TrimSuffix(name, "/") }

func (z *ZipFile) pathAt(j int) string { return pathOf(z.nameAt(z.tree.sorted[j])) }

// comparePaths orders paths so that a slash comes before every other byte.
func comparePaths(a, b string) int {
	n := min(len(a), len(b))
	for i := 0; i < n; i++ {
		if x, y := a[i], b[i]; x != y {
			if x == '/' {
				return -1
			}
			if y == '/' {
				return 1
			}
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

func (z *ZipFile) buildTree() {
	t := &z.tree
	t.sorted = make([]uint32, 0, len(z.pos))
	for i, pos := range z.pos {
		r := z.recordAt(int(pos))
		if r.pathFault(z.entryName(&r)) == "" {
			t.sorted = append(t.sorted, uint32(i))
		}
	}
	name := z.nameAt
	if z.index.once.Do(z.buildIndex); !z.index.asStored.Load() {
		// Decode each name once, not at every comparison.
		names := make([]string, len(z.pos))
		for _, i := range t.sorted {
			names[i] = z.nameAt(i)
		}
		name = func(i uint32) string { return names[i] }
	}
	slices.SortFunc(t.sorted, func(a, b uint32) int {
		if c := comparePaths(pathOf(name(a)), pathOf(name(b))); c != 0 {
			return c
		}
		return int(a) - int(b)
	})
	// Of several entries for one path the last directory wins, else the last file.
	kept := t.sorted[:0]
	for _, i := range t.sorted {
		if n := len(kept); n > 0 {
			before := Entry{z, kept[n-1]}
			if e := (Entry{z, i}); pathOf(before.Name()) == pathOf(e.Name()) {
				if e.IsDir() || !before.IsDir() {
					kept[n-1] = i
				}
				continue
			}
		}
		kept = append(kept, i)
	}
	t.sorted = slices.Clip(kept)
}

// node is a place in the tree. It is an fs.FileInfo and an fs.DirEntry.
type node struct {
	name  string // in its directory, or as it was asked for
	path  string // in the archive, without links
	entry Entry  // zero for directories that no entry names, and files that are directories too
	dir   bool
}

func (n *node) Name() string { return n.name }
func (n *node) IsDir() bool  { return n.dir }

func (n *node) Type() fs.FileMode          { return n.Mode().Type() }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }
func (n *node) String() string             { return fs.FormatFileInfo(n) }

func (n *node) Size() int64 {
	if n.dir {
		return 0
	}
	return n.entry.Size()
}

func (n *node) Mode() fs.FileMode {
	if n.entry.z == nil {
		return fs.ModeDir | 0o755
	}
	return n.entry.Mode()
}

func (n *node) ModTime() time.Time {
	if n.entry.z == nil {
		return time.Time{}
	}
	return n.entry.Modified()
}

// Sys returns the Entry, nil for a directory that has none.
func (n *node) Sys() any {
	if n.entry.z == nil {
		return nil
	}
	return n.entry
}

// within reports whether path p is dir or lies below it.
func within(p, dir string) bool {
	return len(p) >= len(dir) && p[:len(dir)] == dir && (len(p) == len(dir) || p[len(dir)] == '/')
}

// search returns the first place in the sorted view whose path is not before p.
func (z *ZipFile) search(p string) int {
	return sort.Search(len(z.tree.sorted), func(j int) bool { return comparePaths(z.pathAt(j), p) >= 0 })
}

// nodeAt returns the node with a path, nil if there is none. Links are not followed.
func (z *ZipFile) nodeAt(p string) *node {
	z.tree.once.Do(z.buildTree)
	if p == "." {
		return &node{name: p, path: p, dir: true}
	}
	j := z.search(p)
	if j == len(z.tree.sorted) || !within(z.pathAt(j), p) {
		return nil
	}
	return z.nodeFrom(j, p)
}

// nodeFrom makes the node of path p, of which entry j is the first.
func (z *ZipFile) nodeFrom(j int, p string) *node {
	n := &node{name: path.Base(p), path: p, dir: true}
	if z.pathAt(j) != p {
		return n
	}
	e := Entry{z, z.tree.sorted[j]}
	switch {
	case e.IsDir():
		n.entry = e
	case j+1 == len(z.tree.sorted) || !within(z.pathAt(j+1), p):
		n.entry, n.dir = e, false
	}
	return n
}

// firstChild returns the place in the sorted view where what a directory holds begins.
func (z *ZipFile) firstChild(dir string) int {
	z.tree.once.Do(z.buildTree)
	if dir == "." {
		return 0
	}
	j := z.search(dir)
	if j < len(z.tree.sorted) && z.pathAt(j) == dir {
		j++
	}
	return j
}

// children returns up to max nodes of a directory, sorted by name, beginning at the place from
// in the sorted view, and the place where the next would be. max <= 0 means all.
func (z *ZipFile) children(dir string, from, max int) ([]*node, int) {
	sorted := z.tree.sorted
	prefix := ""
	if dir != "." {
		prefix = dir + "/"
	}
	var list []*node
	j := from
	for j < len(sorted) && (max <= 0 || len(list) < max) {
		p := z.pathAt(j)
		if !strings.HasPrefix(p, prefix) {
			break
		}
		child := p
		if slash := strings.IndexByte(p[len(prefix):], '/'); slash >= 0 {
			child = p[:len(prefix)+slash]
		}
		list = append(list, z.nodeFrom(j, child))
		j++
		if j < len(sorted) && within(z.pathAt(j), child) {
			j += sort.Search(len(sorted)-j, func(k int) bool { return !within(z.pathAt(j+k), child) })
		}
	}
	return list, j
}

const (
	maxLinks  = 40   // as Linux follows
	maxTarget = 4096 // bytes of a link's target, PATH_MAX
)

// target returns where a link leads.
func (n *node) target() (string, error) {
	if n.entry.Size() > maxTarget {
		return "", detailf(ErrFormat, "link target of %d bytes, the most is %d", n.entry.Size(), maxTarget)
	}
	b, err := n.entry.ReadAll()
	return string(b), err
}

func (n *node) isLink() bool { return !n.dir && n.entry.Mode()&fs.ModeSymlink != 0 }

// resolve returns the node of a path with links followed, in the last element if last is set
// and in those before it always. A link that dangles, loops or leads out of the archive stands
// for itself; nil if there is nothing at the path. The error is that of reading a link.
func (z *ZipFile) resolve(p string, last bool) (*node, error) {
	links := 0
	return z.walkLinks(p, last, &links)
}

func (z *ZipFile) walkLinks(p string, last bool, links *int) (*node, error) {
	if n := z.nodeAt(p); n != nil {
		if !last || !n.isLink() {
			return n, nil
		}
		to, err := z.followLink(n, links)
		if err != nil {
			return nil, err
		}
		if to != nil {
			return to, nil
		}
		return n, nil
	}
	// Some element before the last may be a link to a directory.
	dir, base := path.Split(p)
	if dir == "" {
		return nil, nil
	}
	parent, err := z.walkLinks(pathOf(dir), true, links)
	if err != nil || parent == nil || !parent.dir || parent.path == pathOf(dir) {
		return nil, err
	}
	return z.walkLinks(path.Join(parent.path, base), last, links)
}

// followLink returns what a link leads to, nil if that is nothing in the archive.
func (z *ZipFile) followLink(n *node, links *int) (*node, error) {
	if *links++; *links > maxLinks || n.entry.Size() > maxTarget {
		return nil, nil
	}
	to, err := n.target()
	if err != nil || to == "" || path.IsAbs(to) {
		return nil, err
	}
	// Element by element, as the parent of a directory that a link leads to is the real one.
	at := z.nodeAt(path.Dir(n.path))
	for elem := range strings.SplitSeq(to, "/") {
		if !at.dir {
			return nil, nil // "file/" and "file/.." lead nowhere
		}
		switch elem {
		case "", ".":
			continue
		case "..":
			if at.path == "." {
				return nil, nil
			}
			at = z.nodeAt(path.Dir(at.path))
			continue
		}
		at, err = z.walkLinks(path.Join(at.path, elem), true, links)
		if err != nil || at == nil || at.isLink() {
			return nil, err
		}
	}
	return at, nil
}

package extract

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
)

const (
	// maxTarget is the longest target of a link, in bytes: PATH_MAX of Linux.
	maxTarget = 4096

	// maxChain is how many links may follow on each other, as many as Linux and zipfile's FS
	// follow.
	maxChain = 40
)

// linker makes the symbolic links, when everything else is there.
type linker struct {
	*unpacking
	plan   *plan
	cursor cursor
	chain  []pending // kept for its memory
}

var errSymlink = refusef("refused: a symbolic link")

type linkState uint8

const (
	noLink linkState = iota // or none that has its place
	linkWaiting
	linkBusy
	linkMade
	linkFailed // or kept: not ours
)

// pending is a link that waits for the one that its target is.
type pending struct {
	*item
	target string
	err    error // why the target is not known
}

func (u *unpacking) makeLinks(ctx context.Context, p *plan) {
	items := p.pick(true)
	l := &linker{unpacking: u, plan: p, cursor: cursor{root: u.root}}
	defer l.cursor.close()
	for _, it := range items {
		it.state = linkWaiting
	}
	for _, it := range items {
		l.make(ctx, it)
		if l.stopped.Load() {
			return
		}
	}
}

// make makes a link, after the one that its target may be, and so on. An archive may hold a
// chain of millions.
func (l *linker) make(ctx context.Context, it *item) {
	l.chain = l.chain[:0]
	for it != nil && it.state == linkWaiting && ctx.Err() == nil {
		it.state = linkBusy
		target, err := l.target(it)
		l.chain = append(l.chain, pending{it, target, err})
		it = l.next(it, target)
	}
	for _, p := range slices.Backward(l.chain) {
		if ctx.Err() != nil || l.stopped.Load() {
			return
		}
		l.finish(p)
	}
}

func (l *linker) finish(p pending) {
	it := p.item
	it.chain = 1
	if next := l.next(it, p.target); next != nil {
		it.chain += min(next.chain, maxChain) // of a link that is refused too
	}
	made, err := false, p.err
	if err == nil {
		made, err = l.link(it, p.target)
	}
	it.state = linkFailed
	if err == ErrStopped {
		return
	}
	it.err = err
	if made {
		it.state = linkMade
		l.count(func(r *Result) { r.Links++ })
	}
	l.done(it)
}

// target reads the target of a link that may be made.
func (l *linker) target(it *item) (string, error) {
	if err := it.in.errFor(it.path); err != nil {
		return "", err
	}
	if l.NoSymlinks {
		return "", errSymlink
	}
	if n := it.entry.Size(); n > maxTarget {
		return "", refusef("refused: a link with a target of %d bytes, the most is %d", n, maxTarget)
	}
	b, err := it.entry.ReadAll()
	return string(b), err
}

// next returns the link that a target is by its letters, nil if it is none.
func (l *linker) next(it *item, target string) *item {
	if target == "" || target[0] == '/' {
		return nil
	}
	in, target := it.in, path.Clean(target)
	for in != nil && target != "" {
		elem, rest, _ := strings.Cut(target, "/")
		switch at := (place{in, elem}); {
		case elem == "..":
			in = in.in
		case rest == "":
			if next := l.plan.at[at]; next != nil && next.state != noLink {
				return next
			}
			return nil
		default:
			in = l.plan.dirs[at]
		}
		target = rest
	}
	return nil
}

func (l *linker) link(it *item, target string) (made bool, err error) {
	old := l.before[it]
	if old != nil {
		if keep, err := l.occupied(it, old); err != nil || keep {
			return false, err
		}
	}
	if err := l.allowed(it, target); err != nil {
		return false, err
	}
	if l.DryRun {
		// The target has the length that the file system has for paths, and no room for what ends it.
		if l.tooLong(base(it.path)) || runtime.GOOS == "linux" && len(target) == maxTarget {
			return false, nameTooLong()
		}
		return true, nil
	}
	if err := l.symlink(it, target, old); err != nil {
		if errors.Is(err, errors.ErrUnsupported) {
			return false, refusef("refused: a symbolic link, which this system does not have")
		}
		return false, err
	}
	return true, nil
}

// symlink makes a link in place of the file old, nil for none.
func (l *linker) symlink(it *item, target string, old fs.FileInfo) error {
	dir, err := l.cursor.at(it.in.path)
	if err != nil {
		return l.writeError(it.path, err)
	}
	name := base(it.path)
	if old == nil {
		err = dir.Symlink(target, name)
	} else {
		temp := l.temps.newName()
		if err = dir.Symlink(target, temp); err != nil {
			return l.writeError(it.path, err)
		}
		if err = l.placer.rename(dir, temp, name, old); err != nil {
			dir.Remove(temp)
		}
	}
	if err != nil {
		return l.placeError(dir, it.path, err)
	}
	return nil
}

// allowed decides whether a link may lead to target. The system counts a target from the
// directory in which the link really stands, and follows every link on the way: so that what a
// name means can be told from the names alone, there must be none, neither where the link
// stands nor on the way to its target. The target itself may be a link that was made under this
// rule before, as libx.so to libx.so.1 to libx.so.1.2.
func (l *linker) allowed(it *item, target string) error {
	switch {
	case target == "":
		return refusef("refused: a link without a target")
	case strings.ContainsRune(target, 0):
		return refusef("refused: NUL byte in the target of the link")
	case target[0] == '/':
		return refusef("refused: the link leads to an absolute path")
	case runtime.GOOS == "windows" && strings.ContainsAny(target, `\:`):
		return refusef("refused: the link leads to a path with a backslash or colon")
	case it.in.link:
		return refusef("refused: the link stands in a directory that is reached through another link")
	}
	w := &way{linker: l, in: it.in}
	climbing := true
	elems := strings.Split(target, "/")
	for i, elem := range elems {
		switch elem {
		case "", ".":
			continue
		case "..":
			if !climbing {
				return refusef("refused: the target of the link climbs after it descended")
			}
			if w.in = w.in.in; w.in == nil {
				return refusef("refused: the link leads out")
			}
			continue
		}
		climbing = false
		last := !slices.ContainsFunc(elems[i+1:], isName)
		if err := w.step(elem, last); err != nil {
			return err
		}
	}
	if it.chain > maxChain {
		return refusef("refused: the link leads through more than %d links", maxChain)
	}
	return nil
}

// isName tells an element that names something in a directory from those that lead nowhere or
// up. Three dots are a name.
func isName(elem string) bool { return elem != "" && elem != "." && elem != ".." }

// way is how far the way to a target is known.
type way struct {
	*linker
	in      *directory // nil: in none of the plan
	path    string     // without in
	nothing bool       // there is nothing, whatever follows
}

// step judges one element on the way to a target.
func (w *way) step(elem string, last bool) error {
	if w.nothing {
		return nil
	}
	if w.in != nil {
		at := place{w.in, elem}
		if it := w.plan.at[at]; it != nil && it.state != noLink {
			switch {
			case !last:
				return refusef("refused: the link leads through another link")
			case it.state == linkMade:
				return nil
			case it.state == linkBusy:
				return refusef("refused: the link leads in a circle")
			}
		}
		if d := w.plan.dirs[at]; d != nil {
			w.in = d
			if d.link {
				return refusef("refused: the link leads through another link")
			}
			return nil
		}
		w.in, w.path = nil, w.in.path
	}
	if w.root == nil { // in a dry run
		w.nothing = true
		return nil
	}
	dir, err := w.cursor.at(w.path)
	if err != nil {
		w.nothing = true
		return nil
	}
	st, err := dir.Lstat(elem)
	switch {
	case err != nil:
		w.nothing = true
	case st.Mode()&fs.ModeSymlink != 0:
		return refusef("refused: the link leads through another link")
	case w.path == ".":
		w.path = elem
	default:
		w.path += "/" + elem
	}
	return nil
}

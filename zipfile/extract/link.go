package extract

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
)

// maxTarget is the longest target of a link, in bytes: PATH_MAX of Linux.
const maxTarget = 4096

// linker makes the symbolic links, when everything else is there.
type linker struct {
	*unpacking
	plan  *plan
	links map[string]*item // by path
	state map[*item]linkState
}

type linkState uint8

const (
	linkWaiting linkState = iota
	linkBusy
	linkMade
	linkFailed
)

func (u *unpacking) makeLinks(ctx context.Context, p *plan) {
	items := p.pick(true)
	l := &linker{u, p, make(map[string]*item), make(map[*item]linkState)}
	for _, it := range items {
		l.links[it.path] = it
	}
	for _, it := range items {
		if ctx.Err() != nil {
			return
		}
		l.make(it)
	}
}

// make makes a link, after the one that its target may be.
func (l *linker) make(it *item) {
	if l.state[it] != linkWaiting {
		return
	}
	l.state[it] = linkBusy
	made := false
	made, it.err = l.link(it)
	l.state[it] = linkMade
	if it.err != nil || !made {
		l.state[it] = linkFailed // or kept: not ours
	}
	if made {
		l.count(func(r *Result) { r.Links++ })
	}
	l.done(it)
}

func (l *linker) link(it *item) (made bool, err error) {
	if err := l.plan.errAbove(it.path); err != nil {
		return false, err
	}
	if l.NoSymlinks {
		return false, refusef("refused: a symbolic link")
	}
	if n := it.entry.Size(); n > maxTarget {
		return false, refusef("refused: a link with a target of %d bytes, the most is %d", n, maxTarget)
	}
	b, err := it.entry.ReadAll()
	if err != nil {
		return false, err
	}
	target := string(b)
	if st, err := l.root.Lstat(it.path); err == nil {
		if keep, err := l.occupied(st); err != nil || keep {
			return false, err
		}
	}
	if err := l.allowed(it.path, target); err != nil {
		return false, err
	}
	if err := l.symlink(it.path, target); err != nil {
		if errors.Is(err, errors.ErrUnsupported) {
			return false, refusef("refused: a symbolic link, which this system does not have")
		}
		return false, l.writeError(it.path, err)
	}
	return true, nil
}

func (l *linker) symlink(path, target string) error {
	if l.Existing != Overwrite {
		return l.root.Symlink(target, path)
	}
	temp := l.temps.newName()
	if dir := parent(path); dir != "." {
		temp = dir + "/" + temp
	}
	if err := l.root.Symlink(target, temp); err != nil {
		return err
	}
	err := l.root.Rename(temp, path)
	if err != nil {
		l.root.Remove(temp)
	}
	return err
}

// allowed decides whether a link at path may lead to target. The system counts a target from
// the directory in which the link really stands, and follows every link on the way: so that
// what a name means can be told from the names alone, there must be none, neither where the
// link stands nor on the way to its target. The target itself may be a link that was made
// under this rule before, as libx.so to libx.so.1 to libx.so.1.2.
func (l *linker) allowed(path, target string) error {
	switch {
	case target == "":
		return refusef("refused: a link without a target")
	case strings.ContainsRune(target, 0):
		return refusef("refused: NUL byte in the target of the link")
	case target[0] == '/':
		return refusef("refused: the link leads to an absolute path")
	case runtime.GOOS == "windows" && strings.ContainsAny(target, `\:`):
		return refusef("refused: the link leads to a path with a backslash or colon")
	}
	at := parent(path)
	if err := l.noLinksIn(at); err != nil {
		return err
	}
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
			if at == "." {
				return refusef("refused: the link leads out")
			}
			at = parent(at)
			continue
		}
		climbing = false
		if at == "." {
			at = elem
		} else {
			at += "/" + elem
		}
		last := !slices.ContainsFunc(elems[i+1:], isName)
		if err := l.step(at, last); err != nil {
			return err
		}
	}
	return nil
}

// isName tells an element that names something in a directory from those that lead nowhere or
// up. Three dots are a name.
func isName(elem string) bool { return elem != "" && elem != "." && elem != ".." }

// step judges one element on the way to a target.
func (l *linker) step(at string, last bool) error {
	if it := l.links[at]; it != nil {
		if !last {
			return refusef("refused: the link leads through another link")
		}
		l.make(it)
		if l.state[it] == linkMade {
			return nil
		}
		if l.state[it] == linkBusy {
			return refusef("refused: the link leads in a circle")
		}
	}
	if st, err := l.root.Lstat(at); err == nil && st.Mode()&os.ModeSymlink != 0 {
		return refusef("refused: the link leads through another link")
	}
	return nil
}

// noLinksIn refuses a directory below root that is reached through a link.
func (l *linker) noLinksIn(dir string) error {
	for ; dir != "."; dir = parent(dir) {
		st, err := l.root.Lstat(dir)
		if err != nil {
			return l.writeError(dir, err)
		}
		if st.Mode().Type()&fs.ModeSymlink != 0 {
			return refusef("refused: the link stands in a directory that is reached through another link")
		}
	}
	return nil
}

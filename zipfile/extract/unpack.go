package extract

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"zipcat.dev/zipfile"
)

// errShadowed marks an item that is left out because a later one of the same name, or for the
// same directory, stands for both. It is no failure.
var errShadowed = errors.New("shadowed")

// unpacking is one call of Unpack.
type unpacking struct {
	Options
	root *os.Root
	stop context.CancelCauseFunc

	stopped atomic.Bool         // by Stop: nothing more is begun
	heavy   *semaphore.Weighted // memory of decoders that take much, in bytes

	mu     sync.Mutex // result, and calls of Done
	asking sync.Mutex // calls of Decide
	result Result

	// before is what was in the place of files and links before the first was made.
	before map[*item]fs.FileInfo

	temps  temps
	placer placer
}

// done tells that an item is finished, one way or the other.
func (u *unpacking) done(it *item) {
	if u.Done == nil || it.err == errShadowed {
		return
	}
	var err error
	if it.err != nil {
		err = &Error{it.entry, it.err}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.Done(it.entry, err)
}

// count changes the result.
func (u *unpacking) count(change func(r *Result)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	change(&u.result)
}

// writeError sorts an error of the file system at path. One after which nothing more can be
// written ends everything.
func (u *unpacking) writeError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		return exists()
	case isNameTooLong(err):
		return nameTooLong()
	}
	var text error = err
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		text = pe.Err
	} else if le, ok := errors.AsType[*os.LinkError](err); ok {
		text = le.Err
	}
	if !isSystemError(text) {
		return refusef("refused: %v", text) // os.Root: a link leads out
	}
	we := &WriteError{path, text}
	if isFull(text) {
		u.stop(we)
	}
	return we
}

const (
	// anyName is the length up to which every file system takes a name, in bytes.
	anyName = 64
	// maxName is where nearly all of them end.
	maxName = 255
)

// tooLong reports, in a dry run, a name that the file system of root cannot hold. It is asked.
func (u *unpacking) tooLong(name string) bool {
	switch {
	case len(name) <= anyName:
		return false
	case u.root == nil:
		return len(name) > maxName
	}
	_, err := u.root.Lstat(name)
	return isNameTooLong(err)
}

// cursor holds one directory below a root open, so that working in it does not walk there for
// every file. It is for one goroutine.
type cursor struct {
	root *os.Root
	path string   // "." is the root itself
	open *os.Root // nil: none but the root
}

// at returns the directory with a path. It stays open until the next call.
func (c *cursor) at(path string) (*os.Root, error) {
	if path == "." {
		return c.root, nil
	}
	if c.open != nil && c.path == path {
		return c.open, nil
	}
	from, name := c.root, path
	if c.open != nil && parent(path) == c.path {
		from, name = c.open, base(path)
	}
	next, err := from.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	c.close()
	c.open, c.path = next, path
	return next, nil
}

func (c *cursor) close() {
	if c.open != nil {
		c.open.Close()
		c.open = nil
	}
}

// makeDirectories makes all directories that are needed, those above before those in them. They
// can be written to until finishDirectories.
func (u *unpacking) makeDirectories(ctx context.Context, p *plan) {
	c := cursor{root: u.root}
	defer c.close()
	for _, d := range p.directories() {
		if ctx.Err() != nil {
			return
		}
		d.tried = true
		if d.err = u.makeDirectory(&c, d); d.item == nil {
			continue
		}
		if d.item.err = d.err; d.err == nil && d.made {
			u.count(func(r *Result) { r.Directories++ })
		}
		if d.err != nil {
			u.done(d.item)
		}
	}
}

func (u *unpacking) makeDirectory(c *cursor, d *directory) error {
	d.link = d.in.link
	if err := d.in.errFor(d.path); err != nil {
		return err
	}
	if u.DryRun && d.in.made { // or would be
		if u.tooLong(base(d.path)) {
			return nameTooLong()
		}
		d.made = true
		return nil
	}
	dir, err := c.at(d.in.path)
	if err != nil {
		return u.writeError(d.path, err)
	}
	perm := fs.FileMode(0o777)
	if d.item != nil {
		perm = directoryPerm(d.item.entry) | 0o700
	}
	name := base(d.path)
	if u.DryRun {
		if _, err = dir.Lstat(name); err == nil {
			err = fs.ErrExist
		} else if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	} else {
		err = dir.Mkdir(name, perm)
	}
	if err == nil {
		d.made = true
		return nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return u.writeError(d.path, err)
	}
	// A link to a directory is one if it stays inside: os.Root says so.
	st, err := dir.Lstat(name)
	if err == nil && st.Mode()&fs.ModeSymlink != 0 {
		d.link = true
		st, err = dir.Stat(name)
	}
	switch {
	case err != nil:
		return u.writeError(d.path, err)
	case !st.IsDir():
		return occupied("refused: " + printable(d.path) + " exists and is no directory")
	}
	return nil
}

// look looks at what is in the places of files and links before the first is made. Later it
// could not be told from what we make, where the file system takes two names for one ("Foo" and
// "foo") or two directories are one, and the second would replace the first without a word.
func (u *unpacking) look(ctx context.Context, p *plan) {
	u.before = make(map[*item]fs.FileInfo)
	c := cursor{root: u.root}
	defer c.close()
	for _, it := range p.items {
		if ctx.Err() != nil {
			return
		}
		if it.err != nil || it.entry.IsDir() || it.in.err != nil || it.in.made {
			continue // in a directory that we made nothing was
		}
		if dir, err := c.at(it.in.path); err == nil {
			if st, err := dir.Lstat(base(it.path)); err == nil {
				u.before[it] = st
			}
		}
	}
}

// finishDirectories sets modes and times, those of the directories within before those above:
// they change with what is made in them, and a mode may forbid to make more.
func (u *unpacking) finishDirectories(ctx context.Context, p *plan) {
	c := cursor{root: u.root}
	defer c.close()
	list := p.directories()
	for i := len(list) - 1; i >= 0; i-- {
		d := list[i]
		if d.item == nil || !d.tried || d.err != nil {
			continue
		}
		if !u.DryRun && (d.made || u.Existing == Overwrite) {
			stopped := ctx.Err() != nil
			if err := u.finishDirectory(&c, d); err != nil && !stopped {
				d.item.err = err // else on a full disk each of them would say so
			}
		}
		u.done(d.item)
	}
}

func (u *unpacking) finishDirectory(c *cursor, d *directory) error {
	dir, err := c.at(d.in.path)
	if err != nil {
		return u.writeError(d.path, err)
	}
	name := base(d.path)
	if when, ok := u.modified(d.item.entry); ok {
		if err := dir.Chtimes(name, time.Time{}, when); err != nil {
			return u.writeError(d.path, err)
		}
	}
	if err := dir.Chmod(name, directoryPerm(d.item.entry)); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return u.writeError(d.path, err)
	}
	return nil
}

// directoryPerm returns the permissions of a directory. Tools that write the mode of a file for
// it (drw-r--r-- in the jar of the Firestore emulator) mean one that can be entered.
func directoryPerm(e zipfile.Entry) fs.FileMode {
	perm := e.Mode().Perm()
	if perm&0o111 == 0 {
		perm |= perm & 0o444 >> 2
	}
	return perm
}

// modified returns the time of last change to set. Times that do not fit into 64 bits of
// nanoseconds, as NTFS fields may hold, are left out.
func (u *unpacking) modified(e zipfile.Entry) (t time.Time, ok bool) {
	t = e.ModifiedIn(u.location())
	return t, !t.IsZero() && t.Year() >= 1700 && t.Year() <= 2200
}

func (u *unpacking) location() *time.Location {
	if u.Location == nil {
		return time.UTC
	}
	return u.Location
}

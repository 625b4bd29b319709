package extract

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

// tempPrefix begins the names of files that are not whole yet. The dot keeps them out of
// listings and globs.
const tempPrefix = ".unpacking-"

// temps makes temporary files.
type temps struct {
	once  sync.Once
	run   uint64 // tells the files of this call from others'
	count atomic.Uint64

	open func(dir *folder, name string) (output, error) // openNew but in tests
}

// output is a file to write to, an *os.File but in tests.
type output interface {
	io.WriteCloser
	Chmod(mode fs.FileMode) error
}

func openNew(dir *folder, name string) (output, error) { return dir.create(name) }

// temp is a temporary file in the directory in which it is to get its name, so that this is
// one step.
type temp struct {
	dir  *folder
	name string
	file output // nil after close
	gone bool   // it has its real name
}

func (t *temps) newName() string {
	t.once.Do(func() { t.run = rand.Uint64() })
	return tempPrefix + strconv.FormatUint(t.run, 36) + "-" + strconv.FormatUint(t.count.Add(1), 36)
}

func (t *temps) create(dir *folder) (*temp, error) {
	for tries := 0; ; tries++ {
		name := t.newName()
		f, err := t.open(dir, name)
		if err == nil {
			return &temp{dir: dir, name: name, file: f}, nil
		}
		if !errors.Is(err, fs.ErrExist) || tries == 100 {
			return nil, err
		}
	}
}

func (t *temp) close() error {
	f := t.file
	t.file = nil
	return f.Close()
}

// remove removes the file unless it has its real name.
func (t *temp) remove() {
	if t.file != nil {
		t.file.Close()
	}
	if !t.gone {
		t.dir.Remove(t.name)
	}
}

// placer gives files their real names. None replaces another that this run made, nor what came
// after we looked.
type placer struct {
	noRenameNew atomic.Bool // the system cannot rename without replacing
	noLinks     atomic.Bool // the file system has no hard links
	mu          sync.Mutex  // between looking at a place and renaming to it
}

// place gives t its real name, in place of the file old, nil for none. A hard link fails where a
// rename would replace.
func (p *placer) place(t *temp, name string, old fs.FileInfo) error {
	if old == nil && !p.noRenameNew.Load() {
		err := t.dir.renameNew(t.name, name)
		if t.gone = err == nil; t.gone || errors.Is(err, fs.ErrExist) {
			return err
		}
		p.noRenameNew.Store(true)
	}
	if old == nil && !p.noLinks.Load() {
		err := t.dir.Link(t.name, name)
		if err == nil || errors.Is(err, fs.ErrExist) {
			return err // the temporary name goes away like that of a failure
		}
		p.noLinks.Store(true)
	}
	err := p.rename(t.dir.Root, t.name, name, old)
	t.gone = err == nil
	return err
}

// rename renames what only we know to a name that is free, or that the file old has.
func (p *placer) rename(dir *os.Root, from, to string, old fs.FileInfo) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if st, err := dir.Lstat(to); err == nil && (old == nil || !os.SameFile(st, old)) {
		return fs.ErrExist
	}
	return dir.Rename(from, to)
}

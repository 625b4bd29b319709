package backend

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"sync/atomic"

	"golang.org/x/exp/mmap"
)

// mappingForbidden is the start-up gate, named so that its zero value is open.
var mappingForbidden atomic.Bool

// AllowMapping opens or shuts the start-up gate, which is open by default. While
// it is shut every [Open] and [Reopen] gives pread, whatever it was asked for, and
// [Describe] says so. What is mapped already stays mapped.
//
// A program that starts before it may map files shuts the gate first of all and
// opens it once it is up; Reopen then moves what is open to a mapping.
func AllowMapping(ok bool) { mappingForbidden.Store(!ok) }

// Open opens the named file for reading through k.
//
// [Auto] maps the file and falls back to pread where that cannot be: on platforms
// without mappings (all but Linux, macOS and Windows), for block devices, for
// empty files, for files larger than the address space, and where the operating
// system refuses. It prefers pread for files that are known to be on a network or
// FUSE file system. The environment variable ZIPFILE_BACKEND turns Auto into a
// preference: with pread it is [Pread], with mapped the file is mapped on any file
// system, the fallback staying as it is; another value is an error.
//
// [Mapped] is an error, which wraps [errors.ErrUnsupported], where the platform,
// the kind of file or its size rules it out, and the operating system's where it
// refuses. An empty file counts as mapped. The gate, see [AllowMapping], comes before all
// this. [Describe] tells what was chosen and why.
//
// What is neither a regular file nor a block device is refused before it is
// opened. The size is fixed at opening. The error of Open is an [fs.PathError]; the
// errors of reads are too, have the offset in their text, and wrap [ErrChanged]
// where [Changed] says so.
func Open(name string, k Kind) (Backend, error) {
	return thisMachine().open(origin{name: name, path: name}, k)
}

// Reopen opens the file of b again, through k. b stays open and remains the
// caller's.
//
// The file is found by the path that b was opened by, as it was absolute then. If
// that now leads to another file, or to one whose size or modification time is
// not what it was when b was opened, the error wraps [ErrChanged]; if it leads
// nowhere, [fs.ErrNotExist]. The error wraps [errors.ErrUnsupported] if b was not
// made by Open or Reopen, or joined of such, and [fs.ErrClosed] if b is closed. In errors the file
// keeps the name that Open was given.
func Reopen(b Backend, k Kind) (Backend, error) {
	if j, ok := b.(*joined); ok {
		return j.reopen(k)
	}
	o, ok := b.(interface{ opened() *file })
	if !ok || o.opened().path == "" {
		return nil, &fs.PathError{Op: "reopen", Path: Describe(b).Name, Err: errors.ErrUnsupported}
	}
	f := o.opened()
	if _, err := f.handle.Stat(); errors.Is(err, fs.ErrClosed) {
		return nil, &fs.PathError{Op: "reopen", Path: f.name, Err: fs.ErrClosed}
	}
	return thisMachine().open(origin{f.name, f.path, f.was}, k)
}

// machine is what a choice depends on beside the file. Tests make up their own.
type machine struct {
	gateShut bool
	env      string
	maps     bool
	largest  int64
	network  func(*os.File) string
	mmap     func(path string) (*mmap.ReaderAt, error)
}

func thisMachine() machine {
	return machine{
		gateShut: mappingForbidden.Load(),
		env:      os.Getenv(envName),
		maps:     platformMaps,
		largest:  math.MaxInt,
		network:  networkFileSystem,
		mmap:     mmap.Open,
	}
}

// attempts is how often open tries when the path changes under it.
const attempts = 4

// open is Open on m.
func (m machine) open(from origin, k Kind) (Backend, error) {
	for i := 1; ; i++ {
		b, err := m.try(from, k, i == attempts)
		if err == nil || i == attempts || !errors.Is(err, ErrChanged) {
			return b, err
		}
	}
}

// try is one attempt of open. Where mapping fails because the path changed, only
// the last attempt falls back to pread.
func (m machine) try(from origin, k Kind, last bool) (Backend, error) {
	f, err := openFile(from)
	if err != nil {
		return nil, err
	}
	f.asked = k
	c, err := choose(m.facts(&f))
	if err != nil {
		f.handle.Close()
		return nil, &fs.PathError{Op: "open", Path: f.name, Err: err}
	}
	f.reason = c.reason
	if c.kind == Pread {
		return &pread{file: f}, nil
	}
	data, err := mapFile(&f, from.path, m.mmap)
	if err == nil {
		return &mapped{file: f, data: data}, nil
	}
	if c.fallback && (last || !errors.Is(err, ErrChanged)) {
		f.reason = "mapping failed: " + errors.Unwrap(err).Error()
		return &pread{file: f}, nil
	}
	f.handle.Close()
	return nil, err
}

func (m machine) facts(f *file) facts {
	facts := facts{
		asked:    f.asked,
		gateShut: m.gateShut,
		env:      m.env,
		maps:     m.maps,
		size:     f.size,
		largest:  m.largest,
		block:    f.block(),
	}
	// One system call less where the answer does not matter.
	if f.asked == Auto && m.maps && !m.gateShut && m.env == "" {
		facts.network = m.network(f.handle)
	}
	return facts
}

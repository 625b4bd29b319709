// Package extract unpacks entries of a zip archive into a directory, safely whatever the
// archive says.
//
//	z, err := zipfile.Open("app.zip", nil)
//	if err != nil {
//		return err
//	}
//	defer z.Close()
//	root, err := os.OpenRoot("out")
//	if err != nil {
//		return err
//	}
//	defer root.Close()
//	result, err := extract.Unpack(ctx, root, z.Entries(), nil)
//	if err != nil {
//		return err
//	}
//	for _, failed := range result.Failed {
//		log.Print(failed)
//	}
//
// Nothing is written outside the directory, also when links in it lead out: all goes through
// [os.Root] or, by single names, into directories that were opened through it. A file appears under its name only when it is whole and verified, so that neither
// an error nor the end of the program leaves half a file.
//
// The package does not flush files to disk, restores no owners, access times or extended
// attributes, and makes no devices, sockets and FIFOs.
package extract

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"zipcat.dev/zipfile"
)

// Existing says what happens to an entry whose place is taken by a file, or a link, that was
// there before. One whose place a directory has is refused in any case, unless it is one too.
type Existing uint8

const (
	// Refuse leaves the file as it is and fails the entry with an error that is
	// [fs.ErrExist].
	Refuse Existing = iota
	// Keep leaves the file as it is, which is no error.
	Keep
	// Overwrite replaces the file by the entry.
	Overwrite
	// Stop leaves the file as it is and ends Unpack with [ErrStopped]: what was decided before is
	// unpacked, and nothing more is begun.
	Stop
)

// Options for Unpack. The zero value is the safe default.
type Options struct {
	Existing   Existing
	DryRun     bool           // write nothing: tell what would be done, as far as that is known before contents are decoded
	Relative   bool           // unpack names as RelativePath has them, if they have no other fault; Name gets them as they are
	NoSymlinks bool           // refuse all symbolic links, also those whose target stays inside
	Workers    int            // goroutines that decode and write, each with up to some MiB of contents; 0 or less: GOMAXPROCS
	Location   *time.Location // of times without a zone, as DOS times are; nil: UTC

	// Name gives the path, elements separated by slashes, that an entry is unpacked to; empty
	// leaves the entry out. It is checked like a name in the archive. nil: Entry.Name.
	Name func(zipfile.Entry) string

	// Decide says, where it is set and instead of Existing, what happens to an entry whose place
	// has the file or link there. It is called from several goroutines, one call at a time, before
	// the entry is read. Directories that are there are not asked about: Existing alone says whether they get
	// the mode and time of their entry.
	Decide func(e zipfile.Entry, path string, there fs.FileInfo) Existing

	// Wrote is called with the number of bytes whenever some were written to a file, also to one
	// that fails later, and from several goroutines at once.
	Wrote func(n int)

	// Done is called once for each entry that is finished, one call at a time, but from several
	// goroutines and in no fixed order; err is nil or the *Error that Result.Failed gets. It is
	// not called for entries that are left out silently, nor for those that Unpack did not
	// finish because it stopped early.
	Done func(e zipfile.Entry, err error)
}

// Result says what Unpack did.
type Result struct {
	Files, Directories, Links int      // that were made, directories only if an entry names them
	Kept                      int      // files and links that were there and were kept, see [Keep]
	Bytes                     int64    // of the contents of files
	Failed                    []*Error // in the order of the entries; none for what was not finished because Unpack stopped early
}

// Error is why an entry was not unpacked.
type Error struct {
	Entry zipfile.Entry
	Err   error // ErrRefused, fs.ErrExist, ErrOccupied or *WriteError for errors.Is and As; else reading the entry failed
}

// Error gives the name, quoted where it holds control characters, and the reason.
func (e *Error) Error() string {
	if fe, ok := errors.AsType[*zipfile.FormatError](e.Err); ok && fe.Entry != "" {
		return e.Err.Error() // names the entry
	}
	return printable(e.Entry.Name()) + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// printable quotes a name that a terminal could take for commands, by the rule of
// [zipfile.FormatError].
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// ErrRefused is what the error of an entry is that is not unpacked for safety: its name is no
// path, its link leads out, its place is not free, it is a device.
var ErrRefused = errors.New("refused")

// ErrOccupied is what the error of an entry is that no [Existing] helps, besides [fs.ErrExist]:
// a directory is in the place of a file, or something else in that of a directory.
var ErrOccupied = errors.New("the place is occupied")

// ErrStopped is what Unpack returns where [Stop] ended it.
var ErrStopped = errors.New("stopped")

// refusal is an ErrRefused in words of its own, and perhaps other errors too.
type refusal struct {
	text string
	is   []error
}

func (r *refusal) Error() string        { return r.text }
func (r *refusal) Is(target error) bool { return target == ErrRefused || slices.Contains(r.is, target) }

// occupied is a refusal for a place that is not made free.
func occupied(text string) error { return &refusal{text, []error{fs.ErrExist, ErrOccupied}} }

func refusef(format string, args ...any) error {
	return &refusal{text: fmt.Sprintf(format, args...)}
}

// appeared tells of a place that was free, or had another file, when unpacking began.
func appeared() error {
	return &refusal{"refused: a file that was not there before is in its place", []error{fs.ErrExist}}
}

func nameTooLong() error { return refusef("refused: the name is too long") }

func exists() error { return &refusal{"refused: the file exists", []error{fs.ErrExist}} }

// WriteError is a failure of what is written to: the disk is full, the directory may not be
// written, it is gone.
type WriteError struct {
	Path string // below the root, elements separated by slashes
	Err  error
}

func (e *WriteError) Error() string {
	return printable(e.Path) + ": cannot be written: " + e.Err.Error()
}
func (e *WriteError) Unwrap() error { return e.Err }

// Unpack unpacks entries, all of one archive, into root. nil options are the defaults. With DryRun
// root is only looked at, and nil stands for a directory that is not there yet. It foresees neither
// damaged contents nor what the file system says to writing.
//
// Entries that cannot be unpacked are told in the result, in the order of the entries, and do
// not stop the others. The error is nil unless Unpack stopped before the end: because ctx was
// done (the cause of ctx), because nothing more can be written (a *WriteError: the disk is
// full), or by [Stop]. Temporary files are removed in any case.
//
// Of several entries for one path the last is unpacked; the others are left out silently if
// they have the same name, else refused. Several entries for one directory, which may be named
// with a slash and without, are no conflict: the last gives mode and time. A directory, named
// by an entry or by the path of another, wins over files and links of its path, which are
// refused. Where the file system takes two names for one, as "Foo" and "foo", the one that is
// made second is refused, whatever Options.Existing says: that is about what was there before.
//
// Permissions and times of last change are restored, also those of directories that are made
// or, with Overwrite, found; set-id and sticky bits are not. Symbolic links are made last, and
// only if their target is relative, climbs only at its start, stays in root counted from the
// link's directory, and passes through no other link; it may be another link itself, in a chain
// of at most 40. On Windows names that it cannot hold
// are refused; see WindowsPath.
//
// Runs of zeros of 64 KiB and more are left out of files, so that they take no room on file systems
// that know holes.
//
// Entries of up to 1 MiB are read together with their neighbours and decoded in memory, which
// takes some 4 MiB for each worker; larger ones go to the disk piece by piece.
func Unpack(ctx context.Context, root *os.Root, entries iter.Seq[zipfile.Entry], o *Options) (*Result, error) {
	if o == nil {
		o = &Options{}
	}
	u := &unpacking{Options: *o, root: root, temps: temps{open: openNew}, heavy: semaphore.NewWeighted(heavyDecoding)}
	return u.run(ctx, entries)
}

func (u *unpacking) run(ctx context.Context, entries iter.Seq[zipfile.Entry]) (*Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	u.stop = stop
	p := u.plan(entries)
	p.root.made = u.root == nil
	steps := []func(context.Context, *plan){u.makeDirectories, u.look, u.writeFiles, u.makeLinks, u.finishDirectories}
	for i, step := range steps {
		// Directories are finished, so that what is there can be used and removed.
		if ctx.Err() == nil && !u.stopped.Load() || i == len(steps)-1 {
			step(ctx, p)
		}
	}
	u.result.Failed = p.failed()
	if ctx.Err() != nil {
		return &u.result, context.Cause(ctx)
	}
	if u.stopped.Load() {
		return &u.result, ErrStopped
	}
	return &u.result, nil
}

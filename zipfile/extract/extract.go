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
// [os.Root]. A file appears under its name only when it is whole and verified, so that neither
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
	"strconv"
	"strings"
	"time"

	"zipcat.dev/zipfile"
)

// Existing says what happens to an entry whose place is taken by a file that was there before.
type Existing uint8

const (
	// Refuse leaves the file as it is and fails the entry with an error that is
	// [fs.ErrExist].
	Refuse Existing = iota
	// Keep leaves the file as it is, which is no error.
	Keep
	// Overwrite replaces the file, or the link, by the entry. A directory is never replaced.
	Overwrite
)

// Options for Unpack. The zero value is the safe default.
type Options struct {
	Existing   Existing
	NoSymlinks bool           // refuse all symbolic links, also those whose target stays inside
	Workers    int            // goroutines that decode and write; 0: GOMAXPROCS
	Location   *time.Location // of times without a zone, as DOS times are; nil: UTC

	// Name gives the path, elements separated by slashes, that an entry is unpacked to; empty
	// leaves the entry out. It is checked like a name in the archive. nil: Entry.Name.
	Name func(zipfile.Entry) string

	// Done is called after each entry, one call at a time, but from several goroutines and
	// in no fixed order; err is nil or the *Error that Result.Failed gets.
	Done func(e zipfile.Entry, err error)
}

// Result says what Unpack did.
type Result struct {
	Files, Directories, Links int   // that were made, directories only if an entry names them
	Kept                      int   // files that were there and were kept, see [Keep]
	Bytes                     int64 // of the contents of files
	Failed                    []*Error
}

// Error is why an entry was not unpacked.
type Error struct {
	Entry zipfile.Entry
	Err   error // ErrRefused, fs.ErrExist or *WriteError for errors.Is and As; else reading the entry failed
}

// Error gives the name, quoted where it holds control characters, and the reason.
func (e *Error) Error() string {
	if fe, ok := errors.AsType[*zipfile.FormatError](e.Err); ok && fe.Entry != "" {
		return e.Err.Error() // names the entry
	}
	name := e.Entry.Name()
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		name = strconv.Quote(name)
	}
	return name + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// ErrRefused is what the error of an entry is that is not unpacked for safety: its name is no
// path, its link leads out, its place is not free, it is a device.
var ErrRefused = errors.New("refused")

// refusal is an ErrRefused in words of its own, and perhaps another error too.
type refusal struct {
	text string
	is   error
}

func (r *refusal) Error() string        { return r.text }
func (r *refusal) Is(target error) bool { return target == ErrRefused || r.is != nil && target == r.is }

func refusef(format string, args ...any) error {
	return &refusal{text: fmt.Sprintf(format, args...)}
}

func exists() error { return &refusal{"refused: the file exists", fs.ErrExist} }

// WriteError is a failure of what is written to: the disk is full, the directory may not be
// written, it is gone.
type WriteError struct {
	Path string // below the root, elements separated by slashes
	Err  error
}

func (e *WriteError) Error() string { return e.Path + ": cannot be written: " + e.Err.Error() }
func (e *WriteError) Unwrap() error { return e.Err }

// Unpack unpacks entries, all of one archive, into root. nil options are the defaults.
//
// Entries that cannot be unpacked are told in the result, in the order of the entries, and do
// not stop the others. The error is nil unless Unpack stopped before the end: because ctx was
// done (the cause of ctx), or because nothing more can be written (a *WriteError: the disk is
// full). Temporary files are removed in either case.
//
// Of several entries for one path the last is unpacked; the others are left out silently if
// they have the same name, else refused. A directory, named by an entry or by the path of
// another, wins over files and links of its path, which are refused.
//
// Permissions and times of last change are restored, also those of directories that are made
// or, with Overwrite, found; set-id and sticky bits are not. Symbolic links are made last, and
// only if their target is relative, climbs only at its start, stays in root counted from the
// link's directory, and passes through no other link. On Windows names that it cannot hold
// are refused.
//
// Entries of up to 1 MiB are decoded in memory, at most one for each worker; larger ones go
// to the disk piece by piece.
func Unpack(ctx context.Context, root *os.Root, entries iter.Seq[zipfile.Entry], o *Options) (*Result, error) {
	if o == nil {
		o = &Options{}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	u := &unpacking{Options: *o, root: root, stop: stop}
	p := u.plan(entries)
	steps := []func(context.Context, *plan){u.makeDirectories, u.writeFiles, u.makeLinks, u.finishDirectories}
	for i, step := range steps {
		// Directories are finished, so that what is there can be used and removed.
		if ctx.Err() == nil || i == len(steps)-1 {
			step(ctx, p)
		}
	}
	u.result.Failed = p.failed()
	if ctx.Err() != nil {
		return &u.result, context.Cause(ctx)
	}
	return &u.result, nil
}

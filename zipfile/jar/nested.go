package jar

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
)

const (
	defaultNestedMemory = 8 << 20  // of one archive, bytes
	defaultBudgetTotal  = 1 << 30  // bytes
	defaultBudgetMemory = 64 << 20 // bytes
	defaultMaxDepth     = 32

	// smallNested is what an archive may take in memory whatever the budget says, in bytes: its
	// directory takes as much, and a file that many would be without costs the system more.
	smallNested = 64 << 10
)

// NestedOptions say how archives are opened that are entries of others. The zero value, as nil, is a safe
// default for one of them. To walk every level, share one Budget and call Deeper once for each archive that
// is descended into. It is not changed; several goroutines may use one.
type NestedOptions struct {
	Zip      *zipfile.Options // of the archives; nil: the defaults. Only is not heeded
	Memory   int64            // bytes that one unpacked archive may take in memory, above that it is a temporary file; 0: 8 MiB, less than 0: none
	Budget   *Budget          // what all of them share; nil: each call has one of its own
	MaxDepth int              // how many archives may be inside one another, the outermost not counted; 0 or less: 32
	Depth    int              // in how many archives that of the entry is; 0: in none, as it is a file
}

// Deeper returns the options for the archives in one that was opened by o: one level deeper, with the
// same budget. Where o has none it makes one.
func (o *NestedOptions) Deeper() *NestedOptions {
	d := o.withDefaults()
	d.Depth++
	if d.Budget == nil {
		d.Budget = new(Budget)
	}
	return &d
}

// withDefaults returns the options with defaults in place, but for the budget.
func (o *NestedOptions) withDefaults() NestedOptions {
	var v NestedOptions
	if o != nil {
		v = *o
	}
	if v.Memory == 0 {
		v.Memory = defaultNestedMemory
	}
	if v.MaxDepth <= 0 {
		v.MaxDepth = defaultMaxDepth
	}
	return v
}

// zip returns the options of archives. Names that are wanted are those of an archive, not of all.
func (o *NestedOptions) zip() *zipfile.Options {
	if o.Zip == nil || o.Zip.Only == nil {
		return o.Zip
	}
	z := *o.Zip
	z.Only = nil
	return &z
}

// Budget bounds what archives that are compressed or encrypted in others cost altogether: 24 KB can hold
// tens of thousands of them, and an archive can hold itself (Russ Cox, "Zip Files All The Way Down").
// Those that are stored cost nothing of it. The zero value is ready for use; the fields must not be changed
// once it is used. Several goroutines may use it at once.
type Budget struct {
	Total  int64 // bytes that are unpacked, never given back, which bounds the time too; 0 or less: 1 GiB
	Memory int64 // bytes that are in memory at a time, given back at Close; beyond it, above 64 KiB, files are used; 0 or less: 64 MiB

	used, held atomic.Int64
}

// Used returns how many bytes were unpacked.
func (b *Budget) Used() int64 { return b.used.Load() }

func (b *Budget) total() int64 {
	if b.Total <= 0 {
		return defaultBudgetTotal
	}
	return b.Total
}

// take uses n bytes of the total.
func (b *Budget) take(n int64) error {
	if b.used.Add(n) > b.total() {
		return &limitText{fmt.Sprintf("archives in archives unpack to more than %d bytes altogether, which is the limit", b.total())}
	}
	return nil
}

// hold uses n bytes of the memory, if they are there.
func (b *Budget) hold(n int64) bool {
	most := b.Memory
	if most <= 0 {
		most = defaultBudgetMemory
	}
	if b.held.Add(n) > most {
		b.held.Add(-n)
		return false
	}
	return true
}

func (b *Budget) release(n int64) { b.held.Add(-n) }

// limitText is a limit in words; errors.Is finds zipfile.ErrLimit in it.
type limitText struct{ text string }

func (e *limitText) Error() string { return e.text }
func (e *limitText) Unwrap() error { return zipfile.ErrLimit }

// archiveExtensions are those of zip archives and of formats built on zip, most frequent first.
var archiveExtensions = []string{"jar", "zip", "war", "ear", "aar", "apk", "aab", "jmod", "nbm", "hpi", "jpi", "sar", "kar",
	"whl", "egg", "vsix", "nupkg", "crx", "xpi", "ipa", "epub", "par", "lpkg", "mule-plugin"}

// ArchiveExtensions returns the ends of the names of zip archives and of formats built on zip, without the dot and
// in lower case, most frequent first.
func ArchiveExtensions() []string { return slices.Clone(archiveExtensions) }

// ArchiveName reports whether name ends as those of zip archives do, and of formats built on zip: .jar,
// .zip, .war, .ear, .aar, .apk, .aab, .jmod and less frequent ones, in any letter case.
func ArchiveName(name string) bool {
	ext := path.Ext(name)
	return ext != "" && slices.Contains(archiveExtensions, strings.ToLower(ext[1:]))
}

// Nested returns the entries of an archive that are archives by their names (see [ArchiveName]) and no
// directories, in the order of the directory. Nothing is read, so that they may be something else.
func Nested(z *zipfile.ZipFile) iter.Seq[zipfile.Entry] {
	return func(yield func(zipfile.Entry) bool) {
		for e := range z.Entries() {
			if ArchiveName(e.Name()) && !e.IsDir() && !yield(e) {
				return
			}
		}
	}
}

// OpenNested opens the archive that an entry of another is. nil options are the defaults. ctx ends the
// opening, and has no part in what is read from the archive later.
//
// One that is stored as it is is read where it is, through the backend of the outer one: nothing is
// copied and no file is opened. Its own CRC-32 is not checked, since that would read all of it; its
// entries have theirs, and [Digest] checks it. One that is compressed or encrypted is unpacked into memory,
// or into a temporary file that has no name any more (on Windows it is removed by Close), and length and
// CRC-32 of the whole are checked.
//
// Close gives memory and file back and leaves the outer archive open, which must stay open as long as a
// stored one is used: after it was closed reads give fs.ErrClosed.
//
// The error says which entry is at fault. It wraps [zipfile.ErrLimit] where a limit is reached, is the
// cause of ctx, or is as those of [zipfile.Entry.Open] and [zipfile.New]; errors.ErrUnsupported for a directory.
func OpenNested(ctx context.Context, e zipfile.Entry, o *NestedOptions) (*zipfile.ZipFile, error) {
	v := o.withDefaults()
	return v.open(ctx, e, nil)
}

var errIsDirectory error = &directoryError{}

type directoryError struct{}

func (*directoryError) Error() string { return "is a directory, not an archive" }
func (*directoryError) Unwrap() error { return errors.ErrUnsupported }

// open opens the archive that an entry is. outer, if not nil, belongs to it from success on.
func (o *NestedOptions) open(ctx context.Context, e zipfile.Entry, outer io.Closer) (*zipfile.ZipFile, error) {
	b, err := o.backend(ctx, e)
	if err != nil {
		return nil, err
	}
	whole := b
	if outer != nil {
		whole = owned(b, outer)
	}
	z, err := zipfile.New(whole, o.zip())
	if err != nil {
		b.Close()
		return nil, entryError(e, err)
	}
	return z, nil
}

// NestedBackend gives the bytes of the archive that an entry of another is, in the way and with the
// errors of [OpenNested], which opens it: for who has to look into it in more than one way.
func NestedBackend(ctx context.Context, e zipfile.Entry, o *NestedOptions) (backend.Backend, error) {
	v := o.withDefaults()
	return v.backend(ctx, e)
}

func (o *NestedOptions) backend(ctx context.Context, e zipfile.Entry) (backend.Backend, error) {
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case o.Depth >= o.MaxDepth:
		return nil, entryError(e, &limitText{fmt.Sprintf("more than %d archives inside one another, which is the limit", o.MaxDepth)})
	case e.IsDir():
		return nil, entryError(e, errIsDirectory)
	}
	b, err := e.Backend()
	if errors.Is(err, errors.ErrUnsupported) {
		b, err = o.unpack(ctx, e)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, entryError(e, err)
	}
	return b, nil
}

// entryError adds the name of the entry to err, where it lacks.
func entryError(e zipfile.Entry, err error) error {
	if fe, ok := errors.AsType[*zipfile.FormatError](err); ok && fe.Entry == e.Name() {
		return err
	}
	return &zipfile.FormatError{Offset: -1, Entry: e.Name(), Kind: zipfile.ErrorKind(err), Err: err}
}

// owned is b whose Close closes outer too.
func owned(b backend.Backend, outer io.Closer) backend.Backend {
	o := &owning{Backend: b, outer: outer}
	if v, ok := b.(backend.Viewer); ok {
		return &owningViewer{o, v}
	}
	return o
}

// owning is the backend of an archive that the one around it belongs to.
type owning struct {
	backend.Backend
	outer io.Closer
	once  sync.Once
}

func (b *owning) Close() (err error) {
	b.once.Do(func() { err = errors.Join(b.Backend.Close(), b.outer.Close()) })
	return err
}

// Unwrap returns what the archive is read from.
func (b *owning) Unwrap() backend.Backend { return b.Backend }

// owningViewer is owning of what lends its bytes.
type owningViewer struct {
	*owning
	v backend.Viewer
}

var _ backend.Viewer = (*owningViewer)(nil)

func (b *owningViewer) View(off int64, n int, fn func(b []byte) error) error {
	return b.v.View(off, n, fn)
}

// errNoEntry is the error for a path that leads to no entry.
var errNoEntry error = &noEntry{}

type noEntry struct{}

func (*noEntry) Error() string { return "no such entry" }
func (*noEntry) Unwrap() error { return fs.ErrNotExist }

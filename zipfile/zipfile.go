// Package zipfile reads zip and jar archives.
//
// A [ZipFile] reads its directory and its entries through a [backend.Backend]: positioned
// reads on an open file, a memory mapping, memory, or whatever the program has. The backend is
// chosen when the archive is opened and can be changed while it is open. The directory is kept
// on the heap as it stands in the file; an [Entry] is a place in it and costs nothing.
//
//	z, err := zipfile.Open("app.jar", nil)
//	if err != nil {
//		return err
//	}
//	defer z.Close()
//	for e := range z.Entries() {
//		fmt.Println(e.Name(), e.Size())
//	}
//	if e, ok := z.Lookup("META-INF/MANIFEST.MF"); ok {
//		_, err = e.WriteTo(os.Stdout)
//	}
//
// Everything is checked against the directory before it is handed out: places, sizes and the
// CRC-32 of the contents. One bad entry fails alone. What is odd but readable is told by
// [ZipFile.Findings]; with [Strict] most of it makes Open fail, so that an archive which opens
// means the same to every reader.
//
// The package reads only: it writes no archives, unpacks nothing to disk (see
// zipcat.dev/zipfile/extract), and starts no goroutine but those of [ZipFile.Load] and one while a
// large piece of an AES entry is decrypted, which end before the call returns.
//
// References are to PKWARE's APPNOTE.TXT 6.3.10 and the JAR File Specification.
package zipfile

import (
	"fmt"
	"io"
	"io/fs"
	"iter"
	"sync"
	"sync/atomic"

	"golang.org/x/text/encoding"

	"zipcat.dev/backend"
)

// Checks says how much of an archive that is not quite right is accepted.
type Checks uint8

const (
	// Standard reads what real tools write: faults that leave no doubt about the contents are
	// findings, an entry that cannot be trusted fails when it is read.
	Standard Checks = iota
	// Strict opens only archives that every reader understands the same way. It reads all
	// local file headers when the archive is opened.
	Strict
)

// Options for [Open] and [New]. The zero value is the safe default.
type Options struct {
	Backend backend.Kind // how Open reads the file; New ignores it
	Checks  Checks
	Recover bool              // rebuild a directory that is lost or damaged from the local file headers; accept a cut-off comment
	Charset encoding.Encoding // for names and comments that are not valid UTF-8; nil: CP437
	Limits  Limits

	// Only names the entries that are wanted, as [Entry.Name] gives them; nil wants all. Others may be
	// left out everywhere, as if the directory did not list them, where that saves the time and memory
	// to keep a large directory; places are checked against them all the same.
	Only []string

	// Password decrypts all entries that PasswordFunc, which is asked first, has no password for
	// (an empty one). It is UTF-8. PasswordFunc may be called from several goroutines at once, each
	// time an encrypted entry is read; its error is that of the entry, and an ErrPassword.
	Password     string
	PasswordFunc func(Entry) (string, error)

	// Methods adds decoders by the number of their method, or replaces those that the package
	// has; Store cannot be replaced. A decoder is given the stored bytes, decrypted, and the size
	// of the contents in bytes that the directory declares. It should end with io.EOF, and with
	// io.ErrUnexpectedEOF where the stored bytes end too early. Several may be in use at once.
	Methods map[uint16]func(r io.Reader, size int64) (io.ReadCloser, error)
}

// Limits bound what an archive may ask for. Zero means no limit. What is over a limit fails with
// [ErrLimit]: opening for MaxEntries, MaxDirectorySize and MaxTotalSize, reading an entry for
// MaxEntrySize and MaxRatio. OpenRaw asks for nothing and is not limited.
type Limits struct {
	MaxEntries       int64 // entries in the directory
	MaxDirectorySize int64 // bytes of the directory
	MaxEntrySize     int64 // bytes of one entry, uncompressed
	MaxTotalSize     int64 // bytes of all entries together, uncompressed, as declared
	MaxRatio         int64 // uncompressed bytes for one compressed byte, of one entry
}

// ZipFile is an open archive. All methods may be called from several goroutines at once.
type ZipFile struct {
	name    string // path, where Open was given one
	current atomic.Pointer[backend.Backend]
	opened  backend.Backend // what current points to at first, here to save an allocation
	closed  atomic.Bool
	reopen  sync.Mutex // one SwitchBackend or Close at a time

	checks  Checks
	charset encoding.Encoding
	limits  Limits
	methods map[uint16]func(r io.Reader, size int64) (io.ReadCloser, error)

	password     string
	passwordFunc func(Entry) (string, error)

	recover   bool // asked for
	recovered bool // the directory is not that of the file

	// The directory, never changed after opening.
	dir       string   // as it stands in the file
	pos       []uint32 // of each header in dir
	only      *kept    // what dir lacks, nil if nothing
	dirOffset int64    // of dir in the file, bytes
	endAt     int64    // the end record
	endStop   int64    // behind it and its comment
	zip64     bool     // a zip64 record says where the directory is
	base      int64    // what recorded offsets lack to count from the start of the file
	prefix    int64
	comment   string  // raw
	disks     []int64 // of a split archive, where its parts begin
	wrap      []int64 // where the local file headers are, if offsets are modulo 4 GiB
	ascending bool    // header offsets rise from record to record

	findings findings
	index    index
	order    order
	tree     tree
}

// Open opens the archive in the named file. Of a split archive (x.z01, ..., x.zip or x.zip.001, ...)
// it may be any part; the others are found beside it. nil options are the defaults. With [backend.Auto] the
// environment variable ZIPFILE_BACKEND counts, see [backend.Open]. Errors are *fs.PathError,
// around a [*FormatError] where the bytes are at fault, which wraps [ErrFormat] ([ErrNoArchive]
// and [ErrTruncated] are that too) or [ErrLimit].
func Open(name string, o *Options) (*ZipFile, error) {
	var kind backend.Kind
	if o != nil {
		kind = o.Backend
	}
	b, err := backend.Open(name, kind)
	if err != nil {
		return nil, err
	}
	z, err := open(b, o, name)
	if err == nil {
		return z, nil
	}
	b.Close()
	if mayBePart(err) {
		if joined, perr := openParts(name, kind, o != nil && o.Recover); perr != nil {
			return nil, perr
		} else if joined != nil {
			if z, err = open(joined, o, name); err == nil {
				return z, nil
			}
			joined.Close()
			err = nextPartMissing(err, name, joined)
		}
	}
	return nil, err
}

// New opens the archive that b holds. nil options are the defaults. From success on b belongs
// to the ZipFile and is closed by Close; after an error it still belongs to the caller. Errors
// are those of Open without the path.
func New(b backend.Backend, o *Options) (*ZipFile, error) { return open(b, o, "") }

// Len returns the number of entries.
func (z *ZipFile) Len() int { return len(z.pos) }

// At returns the i-th entry in the order of the directory, 0 <= i < Len().
func (z *ZipFile) At(i int) Entry {
	_ = z.pos[i]
	return Entry{z, uint32(i)}
}

// Entries returns all entries in the order of the directory; of those that share a name, every one.
func (z *ZipFile) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range z.pos {
			if !yield(Entry{z, uint32(i)}) {
				return
			}
		}
	}
}

// Comment returns the archive's comment, decoded as names are.
func (z *ZipFile) Comment() string { return z.decodeComment(z.comment) }

// Prefix returns the number of bytes before the archive: a script, a self-extractor.
func (z *ZipFile) Prefix() int64 { return z.prefix }

// String names the archive for prints: how many entries it has and how it is read.
func (z *ZipFile) String() string {
	return fmt.Sprintf("zip archive of %d entries (%s)", z.Len(), z.Backend().Name)
}

// Backend tells which backend is in use and why.
func (z *ZipFile) Backend() backend.Info { return backend.Describe(z.backend()) }

func (z *ZipFile) backend() backend.Backend { return *z.current.Load() }

// SwitchBackend moves the open archive to another backend. Nothing is parsed again, entries
// and open streams stay valid, reads in progress finish on the old backend, which is closed
// after the last of them; SwitchBackend waits for that. It fails with an error wrapping
// [backend.ErrChanged] when the path now leads to another file, and with
// errors.ErrUnsupported when the archive was not opened by path; the archive stays as it was. An
// error in closing the old backend is returned too, after the switch. While the start-up gate is
// shut ([backend.AllowMapping]) every switch is one to plain reads.
func (z *ZipFile) SwitchBackend(k backend.Kind) error {
	z.reopen.Lock()
	defer z.reopen.Unlock()
	if z.closed.Load() {
		return z.withPath("switch", fs.ErrClosed)
	}
	old := z.current.Load()
	b, err := backend.Reopen(*old, k)
	if err != nil {
		return z.withPath("switch", err)
	}
	z.current.Store(&b)
	return (*old).Close()
}

// Close closes the archive and its backend. It waits for backend reads in progress and for
// nothing else: it may be called while streams are open, which then give fs.ErrClosed, and
// from within a callback. Closing twice is fine.
func (z *ZipFile) Close() error {
	z.reopen.Lock()
	defer z.reopen.Unlock()
	if z.closed.Swap(true) {
		return nil
	}
	return z.backend().Close()
}

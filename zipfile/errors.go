package zipfile

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"zipcat.dev/backend"
)

// The sentinels, for decisions with errors.Is. The first four are the values of archive/zip,
// so that a program which moves from there keeps its comparisons.
var (
	ErrFormat       = zip.ErrFormat       // the bytes are not what the format says
	ErrAlgorithm    = zip.ErrAlgorithm    // a compression method that is not supported
	ErrChecksum     = zip.ErrChecksum     // the contents do not have the recorded CRC-32
	ErrInsecurePath = zip.ErrInsecurePath // a name that leads out of where it is unpacked
)

var (
	ErrPassword = errors.New("zip: password required or wrong")
	ErrLimit    = errors.New("zip: limit exceeded")

	// ErrTruncated and ErrNoArchive are ErrFormat too.
	ErrTruncated error = &detail{ErrFormat, "zip: archive is cut off"}
	ErrNoArchive error = &detail{ErrFormat, "zip: not a zip archive"}
)

// detail is a sentinel in words of its own: errors.Is finds the sentinel, people read the text.
type detail struct {
	is   error
	text string
}

func (d *detail) Error() string { return d.text }
func (d *detail) Unwrap() error { return d.is }

func detailf(is error, format string, args ...any) error {
	return &detail{is, fmt.Sprintf(format, args...)}
}

// FormatError tells where in the archive something was found that is wrong, and what.
type FormatError struct {
	Offset int64  // of the record, in bytes from the start of the file; -1 where there is none
	Record string // in the format's words, as "local file header"; may be empty
	Entry  string // the entry's name, empty where the archive as a whole is meant
	Kind   string // the word that JSON uses, see [ErrorKind]
	Err    error  // what is wrong: found and expected; wraps one of the sentinels
}

// Error gives one line: entry, record, offset, what was found and what was expected. Names
// with control bytes are quoted.
func (e *FormatError) Error() string {
	var b strings.Builder
	if e.Entry != "" {
		b.WriteString(printable(e.Entry))
		b.WriteString(": ")
	}
	if e.Record != "" {
		b.WriteString(e.Record)
		if e.Offset >= 0 {
			fmt.Fprintf(&b, " at offset %d", e.Offset)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

func (e *FormatError) Unwrap() error { return e.Err }

// printable quotes a name that a terminal could take for commands.
func printable(name string) string {
	for _, r := range name {
		if !strconv.IsPrint(r) {
			return strconv.Quote(name)
		}
	}
	return name
}

// Kinds of errors, as JSON has them.
const (
	kindNone      = "none"
	kindTruncated = "truncated"
	kindFormat    = "format"
	kindSplit     = "split"
	kindLimit     = "limit"
	kindData      = "data"
	kindChecksum  = "checksum"
	kindSize      = "size"
	kindMethod    = "method"
	kindPassword  = "password"
	kindOverlap   = "overlap"
	kindChanged   = "changed"
	kindIO        = "io"
)

// ErrorKind sorts any error of this package into one word: "none", "truncated", "format",
// "split" and "limit" for archives that cannot be opened; "format", "data", "checksum",
// "size", "method", "password", "limit", "overlap" and "changed" for entries; "io" for what
// comes from below and everything else. It is empty for nil.
func ErrorKind(err error) string {
	if err == nil {
		return ""
	}
	// A file that changed explains every other complaint about its bytes.
	if errors.Is(err, backend.ErrChanged) {
		return kindChanged
	}
	if fe, ok := errors.AsType[*FormatError](err); ok {
		return fe.Kind
	}
	for _, k := range [...]struct {
		is   error
		kind string
	}{
		{ErrNoArchive, kindNone},
		{ErrTruncated, kindTruncated},
		{ErrLimit, kindLimit},
		{ErrPassword, kindPassword},
		{ErrAlgorithm, kindMethod},
		{ErrChecksum, kindChecksum},
		{ErrFormat, kindFormat},
	} {
		if errors.Is(err, k.is) {
			return k.kind
		}
	}
	return kindIO
}

// formatErrorf is an archive-wide fault in one record.
func formatErrorf(record string, off int64, format string, args ...any) *FormatError {
	return &FormatError{Offset: off, Record: record, Kind: kindFormat, Err: detailf(ErrFormat, format, args...)}
}

// withPath puts the archive's path in front of err, once, and asks the backend whether the
// file is still the one that was opened: whatever is wrong with its bytes, that comes first.
func (z *ZipFile) withPath(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if !errors.Is(err, backend.ErrChanged) && !errors.Is(err, fs.ErrClosed) && !errors.Is(err, ErrPassword) {
		if ch := backend.Changed(z.backend()); ch != nil && errors.Is(ch, backend.ErrChanged) {
			err = &changedError{err, ch}
		}
	}
	if z.name == "" {
		return err
	}
	if pe, ok := err.(*fs.PathError); ok && pe.Path == z.name {
		return err
	}
	return &fs.PathError{Op: op, Path: z.name, Err: err}
}

// changedError is what went wrong in a file that is no longer the one that was opened.
type changedError struct{ err, changed error }

func (e *changedError) Error() string   { return e.err.Error() + ": " + e.changed.Error() }
func (e *changedError) Unwrap() []error { return []error{e.err, e.changed} }

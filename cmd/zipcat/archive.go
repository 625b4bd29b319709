package main

import (
	"errors"
	"os"
	"unicode/utf8"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	charsets "zipcat.dev/zipfile/charset"
	"zipcat.dev/zipfile/jar"
)

// stdinName is the ARCHIVE that stands for standard input.
const stdinName = "-"

// spoolMemory is how many bytes of standard input, or of an inner archive, are kept in memory; more
// goes to a file.
const spoolMemory = 8 << 20

// archive is an open archive and what the command knows of it.
type archive struct {
	*zipfile.ZipFile
	name string // as on the command line

	view    *jar.View // with --release, of a multi-release archive
	charset string    // label of the one that was guessed
	only    []string  // names of the entries that are wanted, nil for all
	outer   *archive  // the one that this is an entry of, nil if it is a file
	asker   *asker    // that asks for the password, nil if nobody does
}

// Close closes the archive and those around it.
func (ar *archive) Close() error {
	err := ar.ZipFile.Close()
	if ar.outer != nil {
		err = errors.Join(err, ar.outer.Close())
	}
	return err
}

// sayRebuilt tells of an archive whose directory --recover has made.
func (a *app) sayRebuilt(ar *archive) {
	if ar.Structure().Rebuilt {
		a.say.rebuilt(ar.name, ar.Len(), len(ar.Findings()))
	}
}

var errIsDirectory = errors.New("is a directory")

var errStdinTwice = errors.New("standard input is an archive once only")

// open opens an archive. Where that fails it says so, notes the exit code and returns nil.
func (a *app) open(name string) *archive { return a.openOnly(name, nil) }

// openOnly is open for entries of some names: others may be missing in the archive. nil means all.
func (a *app) openOnly(name string, only []string) *archive {
	ar, err := a.tryOpen(name, only)
	if err != nil {
		a.notOpened(name, "", false, err)
		return nil
	}
	return ar
}

// notOpened reports an archive that cannot be opened; label is what JSON calls it, if anything.
func (a *app) notOpened(name, label string, asJSON bool, err error) {
	if asJSON {
		a.printJSON(openError{Archive: label, Kind: openErrorKind(err), Message: openErrorText(err)})
	}
	a.say.archive(name, err)
	a.exit.note(openExit(err))
}

func (a *app) tryOpen(name string, only []string) (*archive, error) {
	outer, inner := splitPath(name)
	if inner != "" {
		only = nil
	}
	ar, err := a.openFile(outer, only)
	if err != nil || inner == "" {
		return ar, err
	}
	return a.openInner(ar, inner)
}

// openFile opens an archive that is in no other.
func (a *app) openFile(name string, only []string) (*archive, error) {
	ar := &archive{name: name}
	var err error
	if name != stdinName {
		if st, err := os.Stat(name); err == nil && st.IsDir() {
			return nil, errIsDirectory
		}
		o := a.flags.options()
		if a.flags.release == 0 && !a.flags.charset.guess && !a.flags.recover { // which look at all of them
			ar.only, o.Only = only, only
		}
		a.askPassword(ar, o, func(o *zipfile.Options) (*zipfile.ZipFile, func(), error) {
			z, err := zipfile.Open(name, o)
			return z, func() { z.Close() }, err
		})
		if ar.ZipFile, err = zipfile.Open(name, o); err == nil && a.guessCharset(ar, o) {
			ar.Close()
			ar.ZipFile, err = zipfile.Open(name, o)
		}
		if err == nil {
			a.sayRebuilt(ar)
			if err = a.view(ar); err != nil {
				ar.Close()
			}
		}
		return ar, err
	}
	if a.stdinUsed {
		return nil, errStdinTwice
	}
	a.stdinUsed = true
	b, err := backend.Spool(a.stdin, spoolMemory)
	if err != nil {
		return nil, err
	}
	return a.newArchive(ar, b)
}

// newArchive opens the archive that b holds as ar. On an error it closes b.
func (a *app) newArchive(ar *archive, b backend.Backend) (_ *archive, err error) {
	o := a.flags.options()
	a.askPassword(ar, o, func(o *zipfile.Options) (*zipfile.ZipFile, func(), error) {
		z, err := zipfile.New(b, o)
		return z, func() {}, err // closing it would close what both read
	})
	ar.ZipFile, err = zipfile.New(b, o)
	if err == nil && a.guessCharset(ar, o) {
		ar.ZipFile, err = zipfile.New(b, o)
	}
	if err == nil {
		a.sayRebuilt(ar)
		err = a.view(ar)
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return ar, nil
}

// guessCharset chooses the charset for an archive, if asked to, and says which. It is true when the
// archive must be opened again for it.
func (a *app) guessCharset(ar *archive, o *zipfile.Options) bool {
	if !a.flags.charset.guess {
		return false
	}
	odd := false
	label, enc := charsets.Guess(func(yield func(string) bool) {
		for e := range ar.Entries() {
			raw := e.RawName()
			odd = odd || !utf8.ValidString(raw)
			if !yield(raw) {
				return
			}
		}
	})
	if !odd {
		return false
	}
	ar.charset, o.Charset = label, enc
	if !a.flags.quiet {
		a.say.guessed(ar.name, label)
	}
	return true
}

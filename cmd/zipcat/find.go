package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
)

func (a *app) find() *cobra.Command {
	f := finder{app: a}
	cmd := &cobra.Command{
		Use:   "find PATTERN ARCHIVE...",
		Short: "Find entries in archives, nested ones too",
		Long: `Find the entries that a pattern chooses, in archives and in the archives within
them, and print a line for each: the archive, the inner ones, the entry, with
!/ between them. Such a path without its last part is an ARCHIVE for all commands. Of
an ARCHIVE that is a directory all archives in it are searched.

The exit code is 0 when something was found, whatever else could not be read.`,
		Example: `  zipcat find com/example/Main.class lib/*.jar
  zipcat find '**/log4j*.xml' app.war`,
		Args: needs("PATTERN", "ARCHIVE"),
		RunE: func(_ *cobra.Command, args []string) error {
			f.pattern = a.flags.patterns(args[:1])[0]
			for _, name := range args[1:] {
				f.path(name)
				if f.done() {
					break
				}
			}
			if f.found {
				a.exit = outcome{} // what else went wrong was said
			} else {
				a.say.notFound(f.pattern)
				a.exit.note(exitNoMatch)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.depth, "depth", maxNesting, "go `n` archives deep, 0 for none within others")
	flags.BoolVar(&f.first, "first", false, "stop at the first entry that is found")
	return cmd
}

// finder is one run of find.
type finder struct {
	*app
	pattern *pattern
	depth   int
	first   bool
	found   bool
	opened  int  // archives in the one that is searched
	spent   bool // the budget for inner archives is used up
}

func (f *finder) done() bool { return f.out.failed() || f.first && f.found }

// path searches an archive or a directory.
func (f *finder) path(name string) {
	if st, err := os.Stat(name); err == nil && st.IsDir() {
		filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				f.failed(path, err)
			case d.Type().IsRegular() && looksLikeArchive(d.Name()):
				f.file(path)
			}
			if f.done() {
				return fs.SkipAll
			}
			return nil
		})
		return
	}
	f.file(name)
}

func (f *finder) file(name string) {
	f.nested, f.opened, f.spent = 0, 0, false
	ar := f.open(name)
	if ar == nil {
		return
	}
	defer ar.Close()
	f.archive(ar, 0)
}

// archive searches an archive, and those within it.
func (f *finder) archive(ar *archive, depth int) {
	sel := newSelector(ar.ZipFile, []*pattern{f.pattern}, true)
	for e := range sel.choose(f.pattern) {
		f.found = true
		f.out.WriteString(printable(ar.name + innerSep + e.Name()))
		f.out.WriteByte('\n')
		if f.done() {
			return
		}
	}
	if depth == f.depth || depth == maxNesting {
		return
	}
	for e := range ar.Entries() {
		if e.IsDir() || !looksLikeArchive(e.Name()) || !sel.meant(e) {
			continue
		}
		f.inner(ar, e, depth+1)
		if f.done() || f.spent {
			return
		}
	}
}

func (f *finder) inner(ar *archive, e zipfile.Entry, depth int) {
	in, err := (*archive)(nil), errTooMany
	if f.opened++; f.opened <= maxInner {
		in, err = f.enter(ar, e)
	}
	if err != nil {
		f.spent = errors.Is(err, errBudget) || err == errTooMany
		f.failed(ar.name+innerSep+e.Name(), err)
		return
	}
	defer in.ZipFile.Close() // the outer one is still searched
	f.archive(in, depth)
}

// failed tells of what could not be searched.
func (f *finder) failed(name string, err error) {
	f.say.archive(name, err)
	f.exit.note(exitArchive)
}

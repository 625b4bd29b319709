package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/extract"
)

// unpackFlags are the flags of x.
type unpackFlags struct {
	dir          string
	exclude      []string
	junk         bool
	strip        int
	never        bool
	force        bool
	newer        bool
	symlinks     bool
	windowsNames bool
	relative     bool
	verbose      bool
	dryRun       bool
	numWorkers   int
}

func (a *app) x() *cobra.Command {
	var f unpackFlags
	cmd := &cobra.Command{
		Use:   "x ARCHIVE [PATTERN...]",
		Short: "Unpack entries",
		Long: `Unpack entries into the current directory or the one that -C names, which is made
if need be. Nothing is written outside it. A file appears under its name only
when it is whole and verified.

Modes and times are restored; times that the archive gives without a zone are
taken as local ones. Of several entries of one name the last is unpacked.
Existing files are refused unless -f, -n or --newer says otherwise; on a terminal
you are asked. Symbolic links are made if their target stays inside; devices,
sockets and FIFOs never are. Long runs of zeros take no room on the disk.

Refused are names that are no paths below a directory: absolute ones, those with an
element that is .., . or empty, with control characters, or with a backslash where
the archive does not come from a system that means a slash by it.

With --relative they are taken without slashes at the beginning, and without
elements that are . or empty: ./a, /a and a//b are a, a and a/b.

With --dry-run the paths of what would be unpacked are printed, and what would be
refused is told as otherwise, with the same exit code: names, places, links, limits,
methods, passwords. Not foreseen are damaged contents, as nothing is decoded, and
what the disk says to writing: that it is full, may not be written, or takes two
names for one.`,
		Example: `  zipcat x -C out app.jar
  zipcat x -C out app.jar 'assets/**' -x '**/*.map'
  zipcat x --strip 1 -C src project-1.2.zip
  zipcat x -f -j fonts.zip '**/*.ttf'`,
		Args: needs("ARCHIVE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.numWorkers < 0:
				return negative(f.numWorkers, "workers")
			case f.strip < 0:
				return negative(f.strip, "strip")
			}
			ar := a.open(args[0])
			if ar == nil {
				return nil
			}
			defer ar.Close()
			ctx, stop := interruptible()
			defer stop()
			patterns := a.flags.patterns(args[1:])
			entries := a.without(a.choose(ar, patterns), ar, f.exclude)
			a.unpack(ctx, ar, entries, &f)
			if a.flags.charset.label == "" && ar.hasForeignNames() {
				a.say.foreignNames()
			}
			if f.strip > 0 && len(entries) > 0 && !slices.ContainsFunc(entries, func(e zipfile.Entry) bool { return f.target(ar.title(e), e.IsDir()) != "" }) {
				a.say.nothingLeft(f.strip)
			}
			if len(entries) > 0 && !slices.ContainsFunc(entries, func(e zipfile.Entry) bool { return !e.IsDir() }) {
				for _, p := range patterns {
					a.onlyDirectory(ar, p)
				}
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.dir, "directory", "C", ".", "unpack into `dir`")
	flags.StringArrayVarP(&f.exclude, "exclude", "x", nil, "leave out what `pattern` chooses: one pattern, -x is repeated for more")
	flags.BoolVarP(&f.junk, "junk-paths", "j", false, "drop directories")
	flags.IntVar(&f.strip, "strip", 0, "drop the first `n` elements of names, and entries that have no more")
	flags.BoolVarP(&f.never, "keep", "n", false, "keep existing files, never overwrite")
	flags.BoolVarP(&f.force, "force", "f", false, "overwrite existing files")
	flags.BoolVar(&f.newer, "newer", false, "overwrite existing files that are older than the entry, keep the others")
	flags.BoolVar(&f.symlinks, "symlinks", true, "make symbolic links whose target stays inside")
	flags.BoolVar(&f.windowsNames, "windows-names", false, "change names that Windows cannot hold: a:b to a_b, nul.txt to nul_.txt")
	flags.BoolVar(&f.relative, "relative", false, "unpack ./a, /a and b//a as a, a and b/a")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print the path of each entry that is unpacked")
	flags.BoolVar(&f.dryRun, "dry-run", false, "write nothing, print what would be unpacked")
	flags.IntVar(&f.numWorkers, "workers", 0, "unpack `n` files at a time (default one for each processor)")
	cmd.MarkFlagsMutuallyExclusive("keep", "force", "newer")
	cmd.MarkFlagsMutuallyExclusive("junk-paths", "strip")
	return cmd
}

// without returns the entries that no excluding pattern chooses.
func (a *app) without(entries []zipfile.Entry, ar *archive, exclude []string) []zipfile.Entry {
	if len(exclude) == 0 {
		return entries
	}
	none := func(p *pattern) { a.say.noExclude(ar.name, p, a.near(ar, p)) }
	return slices.DeleteFunc(entries, chosen(ar, a.flags.patterns(exclude), none).has)
}

// decided reports whether the command line says what is to become of existing files.
func (f *unpackFlags) decided() bool { return f.never || f.force || f.newer }

func (f *unpackFlags) options(ar *archive) *extract.Options {
	o := &extract.Options{Relative: f.relative, NoSymlinks: !f.symlinks, Workers: f.numWorkers, Location: time.Local, DryRun: f.dryRun}
	switch {
	case f.force:
		o.Existing = extract.Overwrite
	case f.never:
		o.Existing = extract.Keep
	case f.newer:
		o.Decide = func(e zipfile.Entry, _ string, there fs.FileInfo) extract.Existing {
			// Times of many archives are of two seconds: what is as old is the same.
			if e.ModifiedIn(time.Local).After(there.ModTime()) {
				return extract.Overwrite
			}
			return extract.Keep
		}
	}
	if f.junk || f.strip > 0 || f.relative || f.windowsNames || ar.view != nil {
		o.Name = func(e zipfile.Entry) string { return f.target(ar.title(e), e.IsDir()) }
	}
	return o
}

// target is the path that an entry is unpacked to, empty for none. What is no path is refused
// all the same.
func (f *unpackFlags) target(name string, dir bool) string {
	if f.relative {
		name = extract.RelativePath(name)
	}
	switch {
	case f.junk && dir:
		return ""
	case f.junk:
		name = path.Base(name)
	}
	for range f.strip {
		_, name, _ = strings.Cut(name, "/")
	}
	if f.windowsNames {
		name = extract.WindowsPath(name)
	}
	return name
}

func (a *app) unpack(ctx context.Context, ar *archive, entries []zipfile.Entry, f *unpackFlags) {
	if len(entries) == 0 && ar.Len() > 0 {
		return
	}
	root, err := openTarget(f)
	if err != nil {
		a.say.target(f.dir, err)
		a.exit.note(exitOutput)
		return
	}
	if root != nil {
		defer root.Close()
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	a.tty.interrupted = func() { stop(errInterrupted) } // not an exit: temporary files are removed first
	o := f.options(ar)
	would := make(map[zipfile.Entry]bool)
	switch {
	case f.dryRun:
		onUnpacked(o, func(e zipfile.Entry) { would[e] = true })
	case !f.decided() && a.canAsk():
		o.Decide = a.conflict(f.dir)
	}
	if f.verbose && !f.dryRun {
		onUnpacked(o, func(e zipfile.Entry) { a.printPath(f, o, e) })
	}
	done := o.Done
	o.Done = func(e zipfile.Entry, err error) {
		if done != nil {
			done(e, err)
		}
		if !f.dryRun {
			decoded(e)
		}
	}
	var total int64
	for _, e := range entries {
		total = saturated(total, e.Size())
	}
	if f.verbose && a.shown {
		total = 0 // no bar among the paths
	}
	bar := a.progress("unpacking", total)
	o.Wrote = bar.add
	result, err := extract.Unpack(ctx, root, slices.Values(entries), o)
	bar.stop()
	a.reportUnpacked(ar, entries, would, result, f, o)
	switch {
	case err == nil:
		a.say.unpackedAll(result, f)
	case err == extract.ErrStopped:
		a.say.unpackedAll(result, f) // what was answered by y before
		a.say.quit()
		a.exit.note(exitEntry)
	case ctx.Err() != nil:
		a.say.interrupted()
		a.exit.interrupted = true
	default:
		said := slices.ContainsFunc(result.Failed, func(f *extract.Error) bool { return errors.Is(f.Err, err) })
		a.say.stopped(err, said)
		a.exit.note(exitOutput)
	}
}

// reportUnpacked tells what was not unpacked, and in a dry run what would be, in the order of the entries. Of those
// whose place is taken some are named.
func (a *app) reportUnpacked(ar *archive, entries []zipfile.Entry, would map[zipfile.Entry]bool, result *extract.Result, f *unpackFlags, o *extract.Options) {
	failed, exist := result.Failed, 0
	tell := func() {
		one := failed[0]
		failed = failed[1:]
		a.exit.note(unpackExit(one))
		if stands(one) {
			if exist++; exist > shownExisting {
				return
			}
		}
		if f.dryRun {
			a.out.Flush() // messages come in the order of the entries
		}
		a.say.unpacked(ar.name, one, f.decided())
	}
	for _, e := range entries {
		if would[e] {
			a.printPath(f, o, e)
		}
		if len(failed) > 0 && failed[0].Entry == e {
			tell()
		}
	}
	for len(failed) > 0 { // none, as they have the order of the entries
		tell()
	}
	if exist > shownExisting {
		a.say.moreExist(ar.name, exist-shownExisting)
	}
}

// onUnpacked has o tell of each entry that is unpacked, or would be, one at a time.
func onUnpacked(o *extract.Options, unpacked func(zipfile.Entry)) {
	var mu sync.Mutex
	kept := make(map[zipfile.Entry]bool)
	decide, existing := o.Decide, o.Existing
	o.Decide = func(e zipfile.Entry, path string, there fs.FileInfo) extract.Existing {
		how := existing
		if decide != nil {
			how = decide(e, path, there)
		}
		if how == extract.Keep {
			mu.Lock()
			defer mu.Unlock()
			kept[e] = true
		}
		return how
	}
	o.Done = func(e zipfile.Entry, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil && !kept[e] {
			unpacked(e)
		}
	}
}

// printPath prints the path that an entry would be unpacked to.
func (a *app) printPath(f *unpackFlags, o *extract.Options, e zipfile.Entry) {
	name := e.Name()
	if o.Name != nil {
		name = o.Name(e)
	}
	name = path.Join(f.dir, name)
	if e.IsDir() {
		name += "/"
	}
	a.out.WriteString(printable(name))
	a.out.WriteByte('\n')
}

// conflict asks what is to become of existing files.
func (a *app) conflict(dir string) func(zipfile.Entry, string, fs.FileInfo) extract.Existing {
	all := extract.Refuse // the answer to all, once it was given
	gone := false         // who could answer
	ended := false        // by an interrupt, while other workers may still come with questions
	return func(_ zipfile.Entry, name string, _ fs.FileInfo) extract.Existing {
		if ended {
			return extract.Keep
		}
		for tries := 0; all == extract.Refuse && !gone && tries < 3; tries++ {
			answer, err := a.tty.ask("replace " + printable(path.Join(dir, name)) + "? [y]es, [n]o, [A]ll, [N]one, [q]uit: ")
			if err == errInterrupted {
				ended = true
				return extract.Keep
			}
			if err != nil {
				gone = true
				break
			}
			switch answer {
			case "y", "yes":
				return extract.Overwrite
			case "n", "no":
				return extract.Keep
			case "A", "all":
				all = extract.Overwrite
			case "N", "none":
				all = extract.Keep
			case "q", "quit":
				return extract.Stop
			}
		}
		return all
	}
}

// openTarget opens the directory to unpack into. In a dry run it is nil if it is not there.
func openTarget(f *unpackFlags) (*os.Root, error) {
	if f.dryRun {
		root, err := os.OpenRoot(f.dir)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return root, err
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return nil, err
	}
	return os.OpenRoot(f.dir)
}

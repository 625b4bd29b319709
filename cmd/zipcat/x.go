package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/extract"
)

// unpackFlags are the flags of x.
type unpackFlags struct {
	dir        string
	exclude    []string
	junk       bool
	never      bool
	force      bool
	symlinks   bool
	numWorkers int
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
Existing files are refused unless -f or -n says otherwise. Symbolic links are
made if their target stays inside; devices, sockets and FIFOs never are.`,
		Example: `  zipcat x -C out app.jar
  zipcat x -C out app.jar 'assets/**' -x '**/*.map'
  zipcat x -f -j fonts.zip '**/*.ttf'`,
		Args: needs("ARCHIVE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.numWorkers < 0 {
				return fmt.Errorf("invalid argument \"%d\" for \"--workers\" flag: a positive number is needed", f.numWorkers)
			}
			ar := a.open(args[0])
			if ar == nil {
				return nil
			}
			defer ar.Close()
			ctx, stop := signal.NotifyContext(context.Background(), interrupts()...)
			defer stop()
			// A second interrupt ends the command at once.
			context.AfterFunc(ctx, stop)
			a.unpack(ctx, ar, a.without(a.choose(ar, a.flags.patterns(args[1:])), ar, f.exclude), &f)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.dir, "directory", "C", ".", "unpack into `dir`")
	flags.StringArrayVarP(&f.exclude, "exclude", "x", nil, "leave out what `pattern` chooses: one pattern, -x is repeated for more")
	flags.BoolVarP(&f.junk, "junk-paths", "j", false, "drop directories")
	flags.BoolVarP(&f.never, "keep", "n", false, "keep existing files, never overwrite")
	flags.BoolVarP(&f.force, "force", "f", false, "overwrite existing files")
	flags.BoolVar(&f.symlinks, "symlinks", true, "make symbolic links whose target stays inside")
	flags.IntVar(&f.numWorkers, "workers", 0, "unpack `n` files at a time (default one for each processor)")
	cmd.MarkFlagsMutuallyExclusive("keep", "force")
	return cmd
}

// without returns the entries that no excluding pattern chooses.
func (a *app) without(entries []zipfile.Entry, ar *archive, exclude []string) []zipfile.Entry {
	if len(exclude) == 0 {
		return entries
	}
	return slices.DeleteFunc(entries, chosen(ar.ZipFile, a.flags.patterns(exclude), nil).has)
}

func (f *unpackFlags) options() *extract.Options {
	o := &extract.Options{NoSymlinks: !f.symlinks, Workers: f.numWorkers, Location: time.Local}
	switch {
	case f.force:
		o.Existing = extract.Overwrite
	case f.never:
		o.Existing = extract.Keep
	}
	if f.junk {
		o.Name = func(e zipfile.Entry) string {
			if e.IsDir() {
				return ""
			}
			return path.Base(e.Name()) // what is no path is refused all the same
		}
	}
	return o
}

func (a *app) unpack(ctx context.Context, ar *archive, entries []zipfile.Entry, f *unpackFlags) {
	if len(entries) == 0 && ar.Len() > 0 {
		return
	}
	root, err := openTarget(f.dir)
	if err != nil {
		a.say.target(f.dir, err)
		a.exit.note(exitOutput)
		return
	}
	defer root.Close()
	result, err := extract.Unpack(ctx, root, slices.Values(entries), f.options())
	for _, failed := range result.Failed {
		a.say.unpacked(ar.name, failed, f.force || f.never)
		a.exit.note(unpackExit(failed))
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		a.say.interrupted()
		a.exit.interrupted = true
	default:
		said := slices.ContainsFunc(result.Failed, func(f *extract.Error) bool { return errors.Is(f.Err, err) })
		a.say.stopped(err, said)
		a.exit.note(exitOutput)
	}
}

func openTarget(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

// unpackExit returns the exit code for an entry that was not unpacked.
func unpackExit(err *extract.Error) int {
	if _, ok := errors.AsType[*extract.WriteError](err.Err); ok {
		return exitOutput
	}
	if errors.Is(err.Err, extract.ErrRefused) || errors.Is(err.Err, fs.ErrExist) {
		return exitEntry
	}
	return entryExit(err.Err)
}

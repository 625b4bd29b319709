package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
)

type commandsOptions struct {
	classPath string
	runs      int
	seed      uint64
	entries   int
	dir       string
}

func parseCommands(args []string, stdout io.Writer) (commandsOptions, error) {
	var o commandsOptions
	flags := flag.NewFlagSet("bench commands", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // an error is printed by run, once
	flags.StringVar(&o.classPath, "cp", "", fmt.Sprintf("class `path`: jars separated by %q, measured one after the other (default: a generated jar)",
		os.PathListSeparator))
	flags.IntVar(&o.runs, "runs", 5, "`number` of counted turns of each contender")
	flags.Uint64Var(&o.seed, "seed", 1, "`number` that the order of the turns and a generated jar come from")
	flags.IntVar(&o.entries, "entries", defaultEntries, "`number` of classes in a generated jar")
	flags.StringVar(&o.dir, "dir", "", "unpack below `directory` (default: that for temporary files)")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stdout, "usage: bench commands [flags]")
			flags.SetOutput(stdout)
			flags.PrintDefaults()
			return o, err
		}
		return o, usageError{err}
	}
	switch {
	case flags.NArg() > 0:
		return o, usageError{fmt.Errorf("unexpected argument %q: jars go into -cp", flags.Arg(0))}
	case o.runs < 1:
		return o, usageError{errors.New("-runs: want at least 1")}
	case o.entries < 1:
		return o, usageError{errors.New("-entries: want at least 1")}
	}
	return o, nil
}

// runCommands times what people do with archives on a command line, by zipcat and by others, from
// the start of each process to its end.
func runCommands(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parseCommands(args, stdout)
	if err != nil {
		return err
	}
	var jars []string
	if o.classPath != "" {
		jars, err = splitClassPath(o.classPath)
	} else {
		var jar string
		jar, err = generatedJar(o.entries, o.seed, stderr)
		jars = []string{jar}
	}
	if err != nil {
		return err
	}
	w, err := newWorkshop()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	out, err := os.MkdirTemp(o.dir, "bench-commands-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(out)) }()

	fmt.Fprintf(stdout, "commands: whole processes, from start to end, output to nowhere\n%s%s; seed %d\n", platform(), goamd64(), o.seed)
	f := &field{}
	f.findCommands(ctx, w, stdout)
	fmt.Fprintf(stdout, "%s each, interleaved in random order, one more before, not counted;\n"+
		"columns /1, /2 ...: this minimum over that one's, below 1 is faster\n", plural(o.runs, "turn"))
	order := rand.New(rand.NewPCG(o.seed, 1))
	for _, jar := range jars {
		sections, err := f.commands(jar, out)
		if err != nil {
			return err
		}
		for _, s := range sections {
			fmt.Fprintf(stdout, "\n%s\n", s.title)
			if s.note != "" {
				fmt.Fprintf(stdout, "  %s\n", s.note)
			}
			if err := s.measure(ctx, o.runs, order, stdout, stderr); err != nil {
				return fmt.Errorf("%s: %w", s.title, err)
			}
			fmt.Fprintln(stdout)
			s.print(stdout)
		}
	}
	return nil
}

// commands are the tables for one jar.
func (f *field) commands(jar, out string) ([]*section, error) {
	entry, err := someEntry(jar)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(jar)
	list := &section{title: "names of all entries of " + name}
	list.program("zipcat ls", true, f.zipcat, "ls", jar)
	list.program("unzip -Z1", true, f.unzip, "-Z1", jar)
	list.program("7zz l", true, f.sevenZip, "l", jar)
	list.program("bsdtar -tf", true, f.bsdtar, "-tf", jar)

	cat := &section{title: "contents of one entry of " + name, note: "an entry in the middle of the archive"}
	cat.program("zipcat cat", true, f.zipcat, "cat", jar, entry)
	cat.program("unzip -p", true, f.unzip, "-p", jar, entry)
	cat.program("7zz x -so", true, f.sevenZip, "x", "-so", "-bso0", "-bsp0", jar, entry)
	cat.program("bsdtar -xOf", true, f.bsdtar, "-xOf", jar, entry)

	unpack := &section{
		title: "unpacking all entries of " + name,
		note:  "into an empty directory, which is emptied outside the clock; the last writes the same files from memory",
	}
	unpack.unpacker("zipcat x", out, f.zipcat, func(dir string) []string { return []string{"x", "--quiet", "-C", dir, jar} })
	unpack.unpacker("unzip -qo", out, f.unzip, func(dir string) []string { return []string{"-qo", jar, "-d", dir} })
	unpack.unpacker("7zz x", out, f.sevenZip, func(dir string) []string { return []string{"x", "-y", "-bso0", "-bsp0", "-o" + dir, jar} })
	unpack.unpacker("bsdtar -xf", out, f.bsdtar, func(dir string) []string { return []string{"-xf", jar, "-C", dir} })
	unpack.list = append(unpack.list, &contender{
		name: "writing the files",
		cmd: func(ctx context.Context) (*exec.Cmd, error) {
			dir, err := emptied(out)
			if err != nil {
				return nil, err
			}
			return childProcess(ctx, job{Experiment: "read", Reader: readWrite, Jars: []string{jar}, Passes: 1, Dir: dir, Backend: backend.Pread})
		},
	})
	return []*section{list, f.programs(jar), cat, unpack}, nil
}

// unpacker is program for one that unpacks into a directory.
func (s *section) unpacker(name, out, path string, args func(dir string) []string) {
	if path == "" {
		return
	}
	s.list = append(s.list, &contender{
		name:  name,
		whole: true,
		cmd: func(ctx context.Context) (*exec.Cmd, error) {
			dir, err := emptied(out)
			if err != nil {
				return nil, err
			}
			return exec.CommandContext(ctx, path, args(dir)...), nil
		},
	})
}

// emptied returns a directory below out that is empty.
func emptied(out string) (string, error) {
	dir := filepath.Join(out, "tree")
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return dir, os.Mkdir(dir, 0o777)
}

// someEntry returns the name of a file in the middle of a jar that no tool takes for a pattern.
func someEntry(jar string) (string, error) {
	z, err := zipfile.Open(jar, nil)
	if err != nil {
		return "", err
	}
	defer z.Close()
	for i := range z.Len() {
		e := z.At((z.Len()/2 + i) % z.Len())
		if !e.IsDir() && e.Size() > 0 && !strings.ContainsAny(e.Name(), `*?[]{}\$ `) {
			return e.Name(), nil
		}
	}
	return "", fmt.Errorf("%s: %w", filepath.Base(jar), errNothing)
}

// passWrite writes the files of a jar, which are in memory when the clock starts, as a program does
// that takes no care: under their names, into directories that are made first, within the clock.
func passWrite(j job) (t tally, err error) {
	type file struct {
		name string
		data []byte
	}
	var files []file
	dirs := make(map[string]bool)
	err = withZip(j, func(z *zipfile.ZipFile) error {
		for e := range z.Entries() {
			if e.IsDir() {
				continue
			}
			path, err := e.Path()
			if err != nil {
				return err
			}
			data, err := e.ReadAll()
			if err != nil {
				return err
			}
			name := filepath.Join(j.Dir, filepath.FromSlash(path))
			files = append(files, file{name, data})
			dirs[filepath.Dir(name)] = true
		}
		return nil
	})
	if err != nil {
		return t, err
	}
	workers := runtime.GOMAXPROCS(0)
	begun := time.Now()
	for dir := range dirs {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return t, err
		}
	}
	var g errgroup.Group
	for w := range workers {
		g.Go(func() error {
			for _, f := range files[len(files)*w/workers : len(files)*(w+1)/workers] {
				if err := os.WriteFile(f.name, f.data, 0o666); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return t, err
	}
	t.seconds = time.Since(begun).Seconds()
	for _, f := range files {
		t.entries++
		t.bytes += int64(len(f.data))
	}
	return t, nil
}

// findCommands builds zipcat and finds the commands of others, and says what is missing.
func (f *field) findCommands(ctx context.Context, w *workshop, stdout io.Writer) {
	missing := func(what string, err error) { fmt.Fprintf(stdout, "without %s: %v\n", what, err) }
	var err error
	if f.zipcat, err = w.zipcat(ctx); err != nil {
		missing("zipcat", err)
	}
	for _, c := range []struct {
		name string
		path *string
	}{{"unzip", &f.unzip}, {"7zz", &f.sevenZip}, {"bsdtar", &f.bsdtar}} {
		if *c.path, err = exec.LookPath(c.name); err != nil {
			missing(c.name, errSkip)
		}
	}
}

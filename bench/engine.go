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
	"runtime/debug"
	"strconv"
	"strings"

	"zipcat.dev/backend"
)

type engineOptions struct {
	classPath string
	suffix    string
	runs      int
	workers   []int
	seed      uint64
	entries   int
	large     bool
	largeMiB  int64
}

func parseEngine(args []string, stdout io.Writer) (engineOptions, error) {
	var o engineOptions
	fs := flag.NewFlagSet("bench engine", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // an error is printed by run, once
	fs.StringVar(&o.classPath, "cp", "", fmt.Sprintf("class `path`: jars separated by %q, measured one after the other (default: a generated jar)",
		os.PathListSeparator))
	fs.StringVar(&o.suffix, "suffix", ".class", "`end` of the names of the entries to load; empty: all files")
	fs.IntVar(&o.runs, "runs", 7, "`number` of counted turns of each contender")
	workers := fs.String("workers", "1,2", "`list` of numbers of goroutines that decode, separated by commas")
	fs.Uint64Var(&o.seed, "seed", 1, "`number` that the order of the turns and a generated jar come from")
	fs.IntVar(&o.entries, "entries", defaultEntries, "`number` of classes in a generated jar")
	fs.BoolVar(&o.large, "large", false, "measure entries of 1 GiB too: about 1.5 GiB in the cache directory, written once")
	fs.Int64Var(&o.largeMiB, "large-mib", 1024, "`size` of those entries in MiB")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stdout, "usage: bench engine [flags]")
			fs.SetOutput(stdout)
			fs.PrintDefaults()
			return o, err
		}
		return o, usageError{err}
	}
	for word := range strings.SplitSeq(*workers, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 {
			return o, usageError{fmt.Errorf("-workers: %q is no number of goroutines", word)}
		}
		o.workers = append(o.workers, n)
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	switch {
	case fs.NArg() > 0:
		return o, usageError{fmt.Errorf("unexpected argument %q: jars go into -cp", fs.Arg(0))}
	case o.runs < 1:
		return o, usageError{errors.New("-runs: want at least 1")}
	case given["cp"] && given["entries"]:
		return o, usageError{errors.New("-entries: is for a generated jar, without -cp")}
	case given["cp"] && o.classPath == "":
		return o, usageError{errors.New("-cp: is empty")}
	case o.entries < 1:
		return o, usageError{errors.New("-entries: want at least 1")}
	case given["large-mib"] && !o.large:
		return o, usageError{errors.New("-large-mib: is for -large")}
	case o.largeMiB < 1 || o.largeMiB > 1536:
		// The driver in C reads no Zip64, and two entries must stay below 4 GiB.
		return o, usageError{errors.New("-large-mib: want 1 to 1536")}
	}
	return o, nil
}

func runEngine(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parseEngine(args, stdout)
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
	var large string
	if o.large {
		if large, err = largeArchive(o.largeMiB, stderr); err != nil {
			return err
		}
	}
	w, err := newWorkshop()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()

	fmt.Fprintf(stdout, "engine: other readers beside ours\n%s%s; seed %d\n", platform(), goamd64(), o.seed)
	f := &field{o: o, mapped: maps(jars[0])}
	f.findPeers(ctx, w, stdout)
	fmt.Fprintf(stdout, "%s each, interleaved in random order, every one a fresh process, one more before, not counted;\n"+
		"columns /1, /2 ...: this minimum over that one's, below 1 is faster\n", plural(o.runs, "turn"))

	var sections []*section
	for _, jar := range jars {
		sections = append(sections, f.load(jar), f.programs(jar))
	}
	if large != "" {
		sections = append(sections, f.deflated(large), f.stored(large))
	}
	order := rand.New(rand.NewPCG(o.seed, 1))
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
	return nil
}

// goamd64 says for which level of amd64 this program is built, where it was told.
func goamd64() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" {
				return ", GOAMD64=" + s.Value
			}
		}
	}
	return ""
}

// maps says whether the file can be mapped here.
func maps(jar string) bool {
	b, err := backend.Open(jar, backend.Mapped)
	if err != nil {
		return false
	}
	b.Close()
	return true
}

// field is who can be compared on this machine. A program that was not found is empty.
type field struct {
	o      engineOptions
	mapped bool

	libdeflate, libdeflateName string
	java, javaName             string
	classes                    string // where the Java reader is
	zipcat                     string
	unzip, sevenZip, bsdtar    string
}

// findPeers builds and finds the programs of others, and says what is missing.
func (f *field) findPeers(ctx context.Context, w *workshop, stdout io.Writer) {
	missing := func(what string, err error) { fmt.Fprintf(stdout, "without %s: %v\n", what, err) }
	var version string
	var err error
	if f.libdeflate, version, err = w.libdeflate(ctx); err != nil {
		f.libdeflate = ""
		missing("libdeflate", err)
	}
	f.libdeflateName = "libdeflate " + version
	if f.java, version, err = w.java(ctx); err != nil {
		f.java = ""
		missing("Java", err)
	}
	f.classes = w.path("")
	f.javaName = "Java " + version + " ZipFile"
	f.findCommands(ctx, w, stdout)
	if !f.mapped {
		fmt.Fprintln(stdout, "without mapped: this platform or file system cannot map files")
	}
}

// How often a process does its work in one turn. Before the last passes of a JVM the code is
// compiled.
const (
	passes      = 3
	passesJVM   = 8
	passesLarge = 2
)

// reader is a contender that bench has itself.
func reader(name string, j job) *contender {
	j.Experiment = "read"
	return &contender{
		name: name,
		ours: j.Reader == readLoad || j.Reader == readOpen,
		cmd:  func(ctx context.Context) (*exec.Cmd, error) { return childProcess(ctx, j) },
	}
}

// program adds a contender that is another program, if it was found.
func (s *section) program(name string, whole bool, path string, args ...string) {
	if path == "" {
		return
	}
	s.list = append(s.list, &contender{
		name:  name,
		whole: whole,
		cmd: func(ctx context.Context) (*exec.Cmd, error) {
			return exec.CommandContext(ctx, path, args...), nil
		},
	})
}

// backends are those to read with, under the names of the package.
func (f *field) backends() []backend.Kind {
	if f.mapped {
		return []backend.Kind{backend.Mapped, backend.Pread}
	}
	return []backend.Kind{backend.Pread}
}

// load is the whole way from the file to checked contents.
func (f *field) load(jar string) *section {
	s := &section{
		title: fmt.Sprintf("load of every *%s of %s, CRC checked", f.o.suffix, filepath.Base(jar)),
		note:  fmt.Sprintf("a turn: %d passes in one process (Java %d), each opens and closes the jar; the fastest counts", passes, passesJVM),
	}
	s.program(f.libdeflateName+", mapped", false, f.libdeflate, "load", f.o.suffix, strconv.Itoa(passes), jar)
	base := job{Jars: []string{jar}, Suffix: f.o.suffix, Passes: passes}
	for _, n := range f.o.workers {
		for _, k := range f.backends() {
			j := base
			j.Reader, j.Backend, j.Workers = readLoad, k, n
			s.list = append(s.list, reader(fmt.Sprintf("zipfile %v, %s", k, plural(n, "worker")), j))
		}
	}
	for _, name := range []string{readGo, readKlauspostZip} {
		j := base
		j.Reader = name
		s.list = append(s.list, reader(name, j))
	}
	s.program(f.javaName+", no CRC check", false, f.java, "-cp", f.classes, "ZipLoad", f.o.suffix, strconv.Itoa(passesJVM), jar)
	return s
}

// programs are whole processes that test an archive.
func (f *field) programs(jar string) *section {
	s := &section{
		title: "whole process, every entry of " + filepath.Base(jar) + ", CRC checked",
		note:  "bsdtar decodes to standard output, which goes nowhere",
	}
	s.program("zipcat test --quiet", true, f.zipcat, "test", "--quiet", jar)
	s.program("unzip -tqq", true, f.unzip, "-tqq", jar)
	s.program("7zz t", true, f.sevenZip, "t", "-bso0", "-bsp0", jar)
	s.program("bsdtar -xOf", true, f.bsdtar, "-xOf", jar)
	return s
}

// deflated is one large entry that is decoded.
func (f *field) deflated(archive string) *section {
	s := &section{
		title: fmt.Sprintf("one deflated entry of %d MiB, CRC checked", f.o.largeMiB),
		note: fmt.Sprintf("a turn: %d passes in one process, the fastest counts; libdeflate decodes into one buffer of that size,\n"+
			"  touched before the clock starts or, \"with its buffer\", allocated within; the others stream", passesLarge),
	}
	n := strconv.Itoa(passesLarge)
	s.program(f.libdeflateName, false, f.libdeflate, "crc", largeDeflated, n, archive)
	s.program(f.libdeflateName+", with its buffer", false, f.libdeflate, "load", largeDeflated, n, archive)
	base := job{Jars: []string{archive}, Suffix: largeDeflated, Passes: passesLarge}
	for _, k := range f.backends() {
		j := base
		j.Reader, j.Backend = readOpen, k
		s.list = append(s.list, reader(fmt.Sprintf("zipfile %v", k), j))
	}
	base.Reader, base.Backend = readKlauspostFlate, backend.Pread
	s.list = append(s.list, reader(readKlauspostFlate, base))
	return s
}

// stored is one large entry that is copied.
func (f *field) stored(archive string) *section {
	s := &section{
		title: fmt.Sprintf("one stored entry of %d MiB, CRC checked", f.o.largeMiB),
		note:  fmt.Sprintf("a turn: %d passes in one process, the fastest counts; pieces of %d KiB", passesLarge, streamed>>10),
	}
	base := job{Jars: []string{archive}, Suffix: largeStored, Passes: passesLarge, Backend: backend.Pread}
	base.Reader = readCopy
	s.list = append(s.list, reader(readCopy+", memory to memory", base))
	for _, k := range f.backends() {
		j := base
		j.Backend, j.Reader = k, readRead
		s.list = append(s.list, reader(fmt.Sprintf("%s, %v", readRead, k), j))
		j.Reader = readOpen
		s.list = append(s.list, reader(fmt.Sprintf("zipfile %v", k), j))
	}
	return s
}

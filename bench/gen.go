package main

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"zipcat.dev/backend"
	"zipcat.dev/bench/internal/gen"
)

const genUsage = `usage: bench gen [-o FILE] [flags]
       bench gen -compare JAR [flags]

Writes a jar that depends on the flags alone, or compares generated classes with those of a real jar.

  bench gen -o classes.jar -entries 5000
  bench gen -o mixed.jar -methods deflate,store -depth 12 -seed 7
  bench gen -o texts.jar -entries 100 -sizes lognormal:20000,1.5 -level 9
  bench gen -compare app.jar

`

func runGen(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o gen.Options
	fs := flag.NewFlagSet("bench gen", flag.ContinueOnError)
	name := fs.String("o", "", "`file` to write (default: named for the flags, in the current directory)")
	fs.IntVar(&o.Entries, "entries", defaultEntries, "`number` of files, beside the manifest and directories; with -compare the most that are compared")
	fs.Uint64Var(&o.Seed, "seed", 1, "`number` that everything that is drawn comes from")
	methods := fs.String("methods", "deflate", "`list` of deflate and store, separated by commas, drawn for each file; one that comes twice is twice as likely")
	sizes := fs.String("sizes", "classes", "`sizes` in bytes: classes (class files), fixed:BYTES or lognormal:MEDIAN,SIGMA (text)")
	fs.IntVar(&o.Depth, "depth", 0, "`number` of directories above each file; 0: as many as packages have")
	fs.IntVar(&o.Level, "level", 6, "`level` of compression, 1 to 9")
	jar := fs.String("compare", "", "write nothing: compare ratio and decode speed with the classes of `jar`")
	runs := fs.Int("runs", 7, "`number` of counted runs of -compare, at least 2")
	if err := parseTool(fs, args, genUsage, stdout); err != nil {
		return err
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var err error
	if o.Sizes, err = gen.ParseSizes(*sizes); err != nil {
		return usageError{fmt.Errorf("-sizes: %w", err)}
	}
	if o.Methods, err = parseMethods(*methods); err != nil {
		return usageError{err}
	}
	if o.Level < 1 {
		return usageError{errors.New("-level: want 1 to 9")}
	}
	if err := o.Check(); err != nil {
		return usageError{err}
	}
	if given["compare"] {
		switch {
		case given["o"] || given["sizes"] || given["methods"] || given["depth"]:
			return usageError{errors.New("-compare: takes no flags but -entries, -seed, -level and -runs")}
		case o.Entries < 1:
			return usageError{errors.New("-entries: want at least 1")}
		case *runs < 2:
			return usageError{errors.New("-runs: want at least 2")}
		}
		return compareGenerated(ctx, *jar, o, *runs, stdout, stderr)
	}
	if given["runs"] {
		return usageError{errors.New("-runs: is for -compare")}
	}
	if *name == "" {
		*name = genName(o, *methods, *sizes)
	}
	if err := writeAtomic(*name, func(w io.Writer) error { return gen.Write(w, o) }); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s\n", jarLine(*name))
	return nil
}

// parseTool reads the flags of a command that takes no arguments beside them. Help goes to stdout.
func parseTool(fs *flag.FlagSet, args []string, usage string, stdout io.Writer) error {
	err := parseToolArgs(fs, args, usage, stdout)
	if err == nil && fs.NArg() > 0 {
		return usageError{fmt.Errorf("unexpected argument %q", fs.Arg(0))}
	}
	return err
}

// parseToolArgs is parseTool for a command with arguments.
func parseToolArgs(fs *flag.FlagSet, args []string, usage string, stdout io.Writer) error {
	fs.SetOutput(io.Discard) // an error is printed by run, once
	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		fs.SetOutput(stdout)
		fs.PrintDefaults()
		return err
	case err != nil:
		return usageError{err}
	}
	return nil
}

// parseMethods reads the value of -methods.
func parseMethods(list string) ([]uint16, error) {
	var methods []uint16
	for word := range strings.SplitSeq(list, ",") {
		switch strings.TrimSpace(word) {
		case "deflate":
			methods = append(methods, zip.Deflate)
		case "store":
			methods = append(methods, zip.Store)
		default:
			return nil, fmt.Errorf("-methods: %q is neither deflate nor store", word)
		}
	}
	return methods, nil
}

// genName is that of a file for these options, and no others.
func genName(o gen.Options, methods, sizes string) string {
	plain := strings.NewReplacer(":", "", ",", "-", " ", "").Replace
	name := fmt.Sprintf("%s-%d-seed%d", plain(sizes), o.Entries, o.Seed)
	if methods != "deflate" {
		name += "-" + plain(methods)
	}
	if o.Depth != 0 {
		name += "-depth" + strconv.Itoa(o.Depth)
	}
	if o.Level != 6 {
		name += "-level" + strconv.Itoa(o.Level)
	}
	return fmt.Sprintf("%s-v%d.jar", name, gen.Version)
}

// compareGenerated prints how well the classes of a jar and generated ones of the same sizes compress,
// and how fast they are decoded.
//
// The classes of the jar are copied into a jar of their own, as they are, and once more, packed as
// generated ones are: how a packer works changes both numbers too.
func compareGenerated(ctx context.Context, jar string, o gen.Options, runs int, stdout, stderr io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "zipcat-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	names := []string{"as it is", "packed like generated", "generated"}
	paths := make([]string, len(names))
	for i := range names {
		paths[i] = filepath.Join(dir, fmt.Sprintf("%d.jar", i))
	}
	sizes, err := sampleClasses(jar, o.Entries, o.Level, paths[0], paths[1])
	if err != nil {
		return err
	}
	o.Entries, o.Sizes = len(sizes), gen.ClassSizes(sizes)
	if err := writeAtomic(paths[2], func(w io.Writer) error { return gen.Write(w, o) }); err != nil {
		return err
	}

	b := &harness{stdout: stdout, stderr: stderr}
	defer func() { err = errors.Join(err, b.close()) }()
	shop, err := b.workshop()
	if err != nil {
		return err
	}
	driver, version, err := shop.driver(ctx, "libdeflate", "libdeflate")
	if err != nil {
		fmt.Fprintf(stdout, "without libdeflate: %v\n", err)
	}
	t := &table{title: "decode speed", unit: milliseconds, differ: true}
	for _, path := range paths {
		t.reader("zipfile.Load", true, job{
			Experiment: "read", Reader: readLoad, Backend: backend.Pread, Workers: 1, Jars: []string{path}, Suffix: ".class", Passes: passes,
		})
	}
	for _, path := range paths {
		t.program("libdeflate "+version, false, driver, "load", ".class", strconv.Itoa(passes), path)
	}
	p := newProgress(stderr, len(t.list)*(runs+1))
	defer p.clear()
	if err := t.measure(ctx, runs, rand.New(rand.NewPCG(o.Seed, 1)), p, stdout); err != nil {
		return err
	}
	p.clear()
	return printComparison(stdout, jarLine(jar), names, paths, t, runs)
}

// printComparison prints a line for each jar, and how the last differs from the others.
func printComparison(w io.Writer, title string, names, paths []string, t *table, runs int) error {
	rows := [][]string{{"  " + plural(runs, "run"), "classes", "MiB", "ratio", "zipfile MiB/s"}}
	if len(t.list) > len(names) {
		rows[0] = append(rows[0], "libdeflate MiB/s")
	}
	var numbers [][]float64
	for i, name := range names {
		count, size, packed, err := weighClasses(paths[i])
		if err != nil {
			return err
		}
		line := []float64{float64(packed) / float64(size)}
		for at := i; at < len(t.list); at += len(names) {
			s := t.summarize(t.list[at])
			line = append(line, float64(size)/(1<<20)/(s.min/t.unit.Scale))
		}
		numbers = append(numbers, line)
		row := []string{"  " + name, strconv.Itoa(count), digits(float64(size) / (1 << 20)), fmt.Sprintf("%.3f", line[0])}
		for _, v := range line[1:] {
			row = append(row, digits(v))
		}
		rows = append(rows, row)
	}
	last := numbers[len(numbers)-1]
	for i, name := range names[:len(names)-1] {
		row := []string{"  generated, over " + name, "", ""}
		for k, v := range last {
			row = append(row, fmt.Sprintf("%.2f", v/numbers[i][k]))
		}
		rows = append(rows, row)
	}
	fmt.Fprintf(w, "%s\n%s; the fastest of the runs counts\n", title, platform())
	printColumns(w, rows)
	return nil
}

// sampleClasses copies classes of jar, at most so many, evenly spread, to one archive as they are and
// to another packed anew, and returns their sizes.
func sampleClasses(jar string, most, level int, asIs, anew string) (sizes []int, err error) {
	z, err := zip.OpenReader(jar)
	switch {
	case errors.As(err, new(*os.PathError)): // says the name
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%s: %w", filepath.Base(jar), err)
	}
	defer z.Close()
	var classes []*zip.File
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, ".class") && f.UncompressedSize64 > 0 && f.UncompressedSize64 < 1<<24 {
			classes = append(classes, f)
		}
	}
	if len(classes) == 0 {
		return nil, fmt.Errorf("%s: no class to compare with", filepath.Base(jar))
	}
	n := min(most, len(classes))
	var sample []*zip.File
	for i := range n {
		f := classes[i*len(classes)/n]
		sample = append(sample, f)
		sizes = append(sizes, int(f.UncompressedSize64))
	}
	err = writeAtomic(asIs, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		zw := zip.NewWriter(out)
		for _, f := range sample {
			if err := zw.Copy(f); err != nil {
				return err
			}
		}
		return errors.Join(zw.Close(), out.Flush())
	})
	if err != nil {
		return nil, err
	}
	return sizes, writeAtomic(anew, func(w io.Writer) error { return gen.Pack(w, level, sample) })
}

// weighClasses returns what the classes of an archive take, unpacked and packed.
func weighClasses(jar string) (count int, size, packed uint64, err error) {
	z, err := zip.OpenReader(jar)
	if err != nil {
		return 0, 0, 0, err
	}
	defer z.Close()
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, ".class") {
			count++
			size += f.UncompressedSize64
			packed += f.CompressedSize64
		}
	}
	return count, size, packed, nil
}

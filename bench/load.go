package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"zipcat.dev/backend"
)

const (
	defaultBackends = "pread,mapped"
	defaultEntries  = 20_000
)

type loadOptions struct {
	classPath string
	backends  string
	runs      int
	seed      uint64
	entries   int
	shuffle   bool
	workers   int
	json      string
}

func parseLoad(args []string, stdout io.Writer) (loadOptions, error) {
	var o loadOptions
	fs := flag.NewFlagSet("bench load", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // an error is printed by run, once
	fs.StringVar(&o.classPath, "cp", "", fmt.Sprintf("class `path`: jars separated by %q (default: a generated jar)",
		os.PathListSeparator))
	fs.StringVar(&o.backends, "backends", defaultBackends,
		"`list` of pread, mapped and auto, separated by commas; one that comes twice is compared with itself")
	fs.IntVar(&o.runs, "runs", 10, "`number` of counted runs per backend, at least 2")
	fs.Uint64Var(&o.seed, "seed", 1, "`number` that the order of the runs, -shuffle and a generated jar come from")
	fs.IntVar(&o.entries, "entries", defaultEntries, "`number` of classes in a generated jar")
	fs.BoolVar(&o.shuffle, "shuffle", false, "load the classes one by one in random order, all jars open, instead of jar by jar")
	fs.IntVar(&o.workers, "workers", 1, "`number` of goroutines that decode")
	fs.StringVar(&o.json, "json", "", "write all runs to `file` as JSON")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stdout, "usage: bench load [flags]")
			fs.SetOutput(stdout)
			fs.PrintDefaults()
			return o, err
		}
		return o, usageError{err}
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	switch {
	case fs.NArg() > 0:
		return o, usageError{fmt.Errorf("unexpected argument %q: jars go into -cp", fs.Arg(0))}
	case o.runs < 2:
		return o, usageError{errors.New("-runs: want at least 2, one has no deviation")}
	case given["cp"] && given["entries"]:
		return o, usageError{errors.New("-entries: is for a generated jar, without -cp")}
	case given["cp"] && o.classPath == "":
		return o, usageError{errors.New("-cp: is empty")}
	case o.workers < 1:
		return o, usageError{errors.New("-workers: want at least 1")}
	case o.shuffle && o.workers > 1:
		return o, usageError{errors.New("-workers: -shuffle loads the classes one by one")}
	case o.entries < 1:
		return o, usageError{errors.New("-entries: want at least 1")}
	}
	return o, nil
}

// variant is one column of the comparison: a backend, under a name of its own.
type variant struct {
	Label   string       `json:"label"`
	Backend backend.Kind `json:"backend"`
}

// parseBackends reads the value of -backends.
func parseBackends(list string) ([]variant, error) {
	var variants []variant
	times := map[backend.Kind]int{}
	for word := range strings.SplitSeq(list, ",") {
		var k backend.Kind
		if err := k.UnmarshalText([]byte(strings.TrimSpace(word))); err != nil {
			return nil, usageError{fmt.Errorf("-backends: %w", err)}
		}
		times[k]++
		label := k.String()
		if n := times[k]; n > 1 {
			label = fmt.Sprintf("%s#%d", label, n)
		}
		variants = append(variants, variant{label, k})
	}
	return variants, nil
}

// supported leaves out what this platform or file cannot have, if nobody asked for it.
func supported(variants []variant, jar string, asked bool, stderr io.Writer) ([]variant, error) {
	var can []variant
	for _, v := range variants {
		b, err := backend.Open(jar, v.Backend)
		switch {
		case err == nil:
			b.Close()
			can = append(can, v)
		case errors.Is(err, errors.ErrUnsupported) && !asked:
			fmt.Fprintf(stderr, "without %s: %v\n", v.Label, err)
		default:
			return nil, err
		}
	}
	return can, nil
}

func runLoad(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseLoad(args, stdout)
	if err != nil {
		return err
	}
	variants, err := parseBackends(o.backends)
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
	if variants, err = supported(variants, jars[0], o.backends != defaultBackends, stderr); err != nil {
		return err
	}

	record := newRecord("load", o.seed, o.shuffle, jars, variants)
	record.Workers = o.workers
	record.printHead(stdout, o.runs)
	if err := record.measure(ctx, o.runs, stderr); err != nil {
		return err
	}
	if o.json != "" {
		if err := record.write(o.json); err != nil {
			return err
		}
	}
	printTable(stdout, record.summaries())
	return record.failures()
}

// measure does a run per variant that is not counted, then the rounds: a run of every variant
// each, in an order that is drawn anew, so that what the machine does meanwhile, or one run to
// the next, meets all alike.
func (r *record) measure(ctx context.Context, runs int, stderr io.Writer) error {
	order := rand.New(rand.NewPCG(r.Seed, 1))
	p := newProgress(stderr, (runs+1)*len(r.Variants))
	defer p.clear()
	for round := range runs + 1 {
		for _, i := range order.Perm(len(r.Variants)) {
			v := r.Variants[i]
			if round == 0 {
				p.begin(v.Label + ", warm-up")
			} else {
				p.begin(fmt.Sprintf("%s, round %d", v.Label, round))
			}
			s, err := spawn(ctx, job{
				Experiment: r.Experiment, Backend: v.Backend, Jars: r.jars, Shuffle: r.Shuffle, Seed: r.Seed, Workers: r.Workers,
			})
			if err != nil {
				return fmt.Errorf("%s: %w", v.Label, err)
			}
			r.Runs = append(r.Runs, oneRun{v.Label, round, s})
			if err := r.check(); err != nil {
				return err
			}
			p.end()
		}
	}
	return nil
}

// check compares the last run with the first: all must have read the same.
func (r *record) check() error {
	a, b := r.Runs[0], r.Runs[len(r.Runs)-1]
	if a.Classes+a.Failed == 0 {
		return errors.New("no classes in the class path")
	}
	if a.Classes != b.Classes || a.Bytes != b.Bytes || a.Digest != b.Digest || a.Failed != b.Failed {
		err := fmt.Errorf("runs differ in what they read: %s %d classes of %d bytes, checksum %016x, %d failed; "+
			"%s %d classes of %d bytes, checksum %016x, %d failed",
			a.Variant, a.Classes, a.Bytes, a.Digest, a.Failed, b.Variant, b.Classes, b.Bytes, b.Digest, b.Failed)
		for _, s := range append(a.Errors, b.Errors...) {
			err = fmt.Errorf("%w\n  %s", err, s)
		}
		return err
	}
	return nil
}

// failures is the error to end with when classes could not be read, the same ones in every run.
func (r *record) failures() error {
	s := r.Runs[0]
	if s.Failed == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d classes could not be read:", s.Failed, s.Failed+s.Classes)
	for _, e := range s.Errors {
		b.WriteString("\n  " + e)
	}
	if more := s.Failed - len(s.Errors); more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return errors.New(b.String())
}

// printHead says what is going to be measured, and how.
func (r *record) printHead(w io.Writer, runs int) {
	how := "jar by jar, in file order, " + plural(r.Workers, "worker")
	if r.Shuffle {
		how = "one by one in random order"
	}
	fmt.Fprintf(w, "load: every class of %s, %s\n", plural(len(r.Jars), "jar"), how)
	for i, j := range r.Jars {
		fmt.Fprintf(w, "  %s, %.1f MiB\n", filepath.Base(r.jars[i]), float64(j.Size)/(1<<20))
	}
	fmt.Fprintf(w, "%s; seed %d\n", platform(), r.Seed)
	fmt.Fprintf(w, "%s each, every one a fresh process, order of each round random;\n"+
		"one warm-up run each before, not counted: the files are in the system's cache\n\n", plural(runs, "run"))
}

// platform says what Go runs on what.
func platform() string {
	return fmt.Sprintf("%s, %s/%s, %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, plural(runtime.NumCPU(), "CPU"))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, ok := strings.CutSuffix(what, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

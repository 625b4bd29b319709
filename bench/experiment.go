package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// experiment is a command that measures.
type experiment struct {
	name    string
	summary string // a line of the usage
	defaults
	// tables says what is to be measured. What it needs of the machine it gets from the bench.
	tables func(ctx context.Context, b *harness, o *options) ([]*table, error)
}

// allExperiments lists the experiments in the order of the usage.
func allExperiments() []*experiment {
	return []*experiment{loadExperiment, openExperiment, lookupExperiment, listExperiment, streamExperiment,
		extractExperiment, concurrentExperiment, startupExperiment, memoryExperiment, peersExperiment, commandsExperiment}
}

// harness is one run of the command.
type harness struct {
	stdout, stderr io.Writer
	shop           *workshop
	scratches      []string // directories
}

// close takes away what was built.
func (b *harness) close() error {
	var errs []error
	for _, dir := range b.scratches {
		errs = append(errs, os.RemoveAll(dir))
	}
	if b.shop != nil {
		errs = append(errs, b.shop.close())
	}
	return errors.Join(errs...)
}

// workshop returns the place where peers are built.
func (b *harness) workshop() (*workshop, error) {
	var err error
	if b.shop == nil {
		b.shop, err = newWorkshop()
	}
	return b.shop, err
}

// run measures and prints what comes of it.
func (e *experiment) run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parse(e.name, e.defaults, args, stdout)
	if err != nil {
		return err
	}
	b := &harness{stdout: stdout, stderr: stderr}
	defer func() { err = errors.Join(err, b.close()) }()
	r, err := e.measure(ctx, b, o)
	if r != nil && o.json != "" {
		err = errors.Join(err, r.write(o.json))
	}
	return err
}

// measure is run without the command line.
func (e *experiment) measure(ctx context.Context, b *harness, o *options) (*record, error) {
	file, err := os.Executable() // some file: it tells as well as a jar what can be mapped
	if !e.noJars {
		if err = o.findJars(b.stderr); err == nil {
			file = o.jars[0]
		}
	}
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(b.stdout, "%s: %s\n", e.name, e.summary)
	for _, jar := range o.jars {
		fmt.Fprintf(b.stdout, "  %s\n", jarLine(jar))
	}
	fmt.Fprintf(b.stdout, "%s%s; seed %d\n", platform(), goamd64(), o.seed)
	if err := o.leaveOut(file, b.stdout); err != nil {
		return nil, err
	}
	tables, err := e.tables(ctx, b, o)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(b.stdout, "%s each, every one a fresh process, in an order that is drawn anew for each round;\n"+
		"one more before, not counted\n", plural(o.runs, "run"))
	r := newRecord(e.name, o)
	total := 0
	for _, t := range tables {
		total += len(t.list) * (o.runs + 1)
	}
	p := newProgress(b.stderr, total)
	defer p.clear()
	order := rand.New(rand.NewPCG(o.seed, 1))
	var failures error
	for _, t := range tables {
		if err := t.measure(ctx, o.runs, order, p, b.stdout); err != nil {
			return r, errors.Join(failures, fmt.Errorf("%s: %w", t.title, err)) // with what was measured before
		}
		p.clear()
		r.add(t)
		t.print(b.stdout)
		if err := t.failures(); err != nil && failures == nil {
			failures = err
		}
	}
	return r, failures
}

// withCache makes the tables for warm and cold caches as -cache says.
func (o *options) withCache(make func(title string) *table) []*table {
	var list []*table
	if o.cache != "cold" {
		list = append(list, make(", from the system's cache"))
	}
	if o.cache == "cold" || o.cache == "both" && canDropCaches {
		t := make(", from the disk")
		t.cold = o.jars
		list = append(list, t)
	}
	return list
}

// jarLine describes a jar, without its directory: what is printed may be shown to others.
func jarLine(jar string) string {
	return fmt.Sprintf("%s, %.1f MiB", filepath.Base(jar), float64(fileSize(jar))/(1<<20))
}

// platform says what Go runs on what.
func platform() string {
	return fmt.Sprintf("%s, %s/%s, %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, plural(runtime.NumCPU(), "CPU"))
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

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, ok := strings.CutSuffix(what, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

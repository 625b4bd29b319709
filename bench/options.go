package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"zipcat.dev/backend"
)

const (
	defaultBackends = "pread,mapped"
	defaultEntries  = 20_000
)

// options are what the flags of all experiments say. Each has those that mean something to it.
type options struct {
	classPath string
	jars      []string
	runs      int
	seed      uint64
	entries   int
	json      string

	backends string
	variants []variant
	cache    string // warm, cold or both
	suffix   string
	shuffle  bool
	workers  []int
	most     int // entries of the largest archive
	large    bool
	mib      int64
	dir      string
}

// variant is a backend, under a name of its own.
type variant struct {
	label   string
	backend backend.Kind
}

// Groups of flags beside -cp, -runs, -seed, -entries and -json, which all have.
type flags uint

const (
	flagBackends flags = 1 << iota
	flagCache
	flagSuffix
	flagShuffle
	flagWorkers
	flagMost
	flagLarge
	flagMiB
	flagDir
)

// defaults of an experiment.
type defaults struct {
	flags   flags
	runs    int
	workers string
	cache   string
	suffix  string
	mib     int64
	noJars  bool // it makes archives of its own
}

// parse reads the flags of an experiment.
func parse(name string, d defaults, args []string, stdout io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("bench "+name, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // an error is printed by run, once
	if !d.noJars {
		fs.StringVar(&o.classPath, "cp", "", fmt.Sprintf("class `path`: jars separated by %q (default: a generated jar)", os.PathListSeparator))
		fs.IntVar(&o.entries, "entries", defaultEntries, "`number` of classes in a generated jar")
	}
	fs.IntVar(&o.runs, "runs", d.runs, "`number` of counted runs of each contender, at least 2")
	fs.Uint64Var(&o.seed, "seed", 1, "`number` that the order of the runs, what is drawn and a generated jar come from")
	fs.StringVar(&o.json, "json", "", "write all runs to `file` as JSON, for bench report")
	workers := d.workers
	has := func(f flags) bool { return d.flags&f != 0 }
	if has(flagBackends) {
		fs.StringVar(&o.backends, "backends", defaultBackends,
			"`list` of pread, mapped and auto, separated by commas; one that comes twice is compared with itself")
	}
	if has(flagCache) {
		fs.StringVar(&o.cache, "cache", d.cache, "warm: the files are in the system's cache; cold: they come from the disk; `both`")
	}
	if has(flagSuffix) {
		fs.StringVar(&o.suffix, "suffix", d.suffix, "`end` of the names of the entries that are read; empty: all files")
	}
	if has(flagShuffle) {
		fs.BoolVar(&o.shuffle, "shuffle", false, "load the classes one by one in random order, all jars open, instead of jar by jar")
	}
	if has(flagWorkers) {
		fs.StringVar(&workers, "workers", d.workers, "`list` of numbers of goroutines, separated by commas")
	}
	if has(flagMost) {
		fs.IntVar(&o.most, "most", 1_000_000, "`number` of entries of the largest archive; smaller ones have 1000, 10000 and so on, up to half of it")
	}
	if has(flagLarge) {
		fs.BoolVar(&o.large, "large", false, "measure large entries too, in an archive that is written once to the cache directory")
	}
	if has(flagMiB) {
		fs.Int64Var(&o.mib, "mib", d.mib, "`size` of a large entry in MiB")
	}
	if has(flagDir) {
		fs.StringVar(&o.dir, "dir", "", "unpack below `directory` (default: that for temporary files)")
	}
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(stdout, "usage: bench %s [flags]\n", name)
			fs.SetOutput(stdout)
			fs.PrintDefaults()
			return nil, err
		}
		return nil, usageError{err}
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	switch {
	case fs.NArg() > 0:
		return nil, usageError{fmt.Errorf("unexpected argument %q: jars go into -cp", fs.Arg(0))}
	case o.runs < 2:
		return nil, usageError{errors.New("-runs: want at least 2, one has no deviation")}
	case given["cp"] && given["entries"]:
		return nil, usageError{errors.New("-entries: is for a generated jar, without -cp")}
	case given["cp"] && o.classPath == "":
		return nil, usageError{errors.New("-cp: is empty")}
	case !d.noJars && o.entries < 1:
		return nil, usageError{errors.New("-entries: want at least 1")}
	case has(flagMost) && o.most < 1:
		return nil, usageError{errors.New("-most: want at least 1")}
	case has(flagMiB) && (o.mib < 1 || o.mib > 1536):
		// The drivers in C read no Zip64, and two entries must stay below 4 GiB.
		return nil, usageError{errors.New("-mib: want 1 to 1536")}
	case has(flagLarge) && given["mib"] && !o.large:
		return nil, usageError{errors.New("-mib: is for -large")}
	case has(flagCache) && !slices.Contains([]string{"warm", "cold", "both"}, o.cache):
		return nil, usageError{fmt.Errorf("-cache: %q is none of warm, cold, both", o.cache)}
	}
	if workers != "" {
		for word := range strings.SplitSeq(workers, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil || n < 1 {
				return nil, usageError{fmt.Errorf("-workers: %q is no number of goroutines", word)}
			}
			o.workers = append(o.workers, n)
		}
	}
	if o.shuffle && !slices.Equal(o.workers, []int{1}) {
		return nil, usageError{errors.New("-workers: -shuffle loads the classes one by one")}
	}
	if has(flagBackends) {
		return o, o.parseBackends()
	}
	return o, nil
}

// parseBackends reads the value of -backends.
func (o *options) parseBackends() error {
	times := map[backend.Kind]int{}
	for word := range strings.SplitSeq(o.backends, ",") {
		var k backend.Kind
		if err := k.UnmarshalText([]byte(strings.TrimSpace(word))); err != nil {
			return usageError{fmt.Errorf("-backends: %w", err)}
		}
		times[k]++
		label := k.String()
		if n := times[k]; n > 1 {
			label = fmt.Sprintf("%s#%d", label, n)
		}
		o.variants = append(o.variants, variant{label, k})
	}
	return nil
}

// findJars makes or finds the jars.
func (o *options) findJars(stderr io.Writer) (err error) {
	if o.classPath != "" {
		o.jars, err = splitClassPath(o.classPath)
		return err
	}
	jar, err := generatedJar(o.entries, o.seed, stderr)
	o.jars = []string{jar}
	return err
}

// leaveOut leaves out backends that this platform or file cannot have, if nobody asked for them.
func (o *options) leaveOut(file string, stdout io.Writer) error {
	asked := o.backends != defaultBackends
	var can []variant
	for _, v := range o.variants {
		b, err := backend.Open(file, v.backend)
		switch {
		case err == nil:
			b.Close()
			can = append(can, v)
		case errors.Is(err, errors.ErrUnsupported) && !asked:
			fmt.Fprintf(stdout, "without %s: %v\n", v.label, err)
		default:
			return err
		}
	}
	o.variants = can
	return nil
}

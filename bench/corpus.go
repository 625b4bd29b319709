package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zipcat.dev/bench/internal/corpus"
)

const corpusUsage = `usage: bench corpus [-o DIR] [NAME...]
       bench corpus -list

Fetches fat jars from public registries of packages, with npm or with apt-get and dpkg-deb, compares them with
the checksums of its table and prints their class path on standard output.

  bench corpus vnu closure-compiler
  bench load -cp "$(bench corpus)"

`

func runCorpus(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("bench corpus", flag.ContinueOnError)
	dir := fs.String("o", "", "`directory` for the jars; it is made (default: one in the user's cache directory)")
	list := fs.Bool("list", false, "print the table of jars instead")
	if err := parseToolArgs(fs, args, corpusUsage, stdout); err != nil {
		return err
	}
	jars, err := chooseJars(fs.Args())
	if err != nil {
		return err
	}
	if *list {
		printCorpus(stdout, jars)
		return nil
	}
	if *dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("no place for the jars (give -o): %w", err)
		}
		*dir = filepath.Join(cache, "zipcat", "bench", "corpus")
	}
	if err := os.MkdirAll(*dir, 0o777); err != nil {
		return err
	}
	var paths []string
	var errs []error
	for _, j := range jars {
		path, err := j.Fetch(ctx, *dir)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, corpus.ErrMissing):
			fmt.Fprintf(stderr, "without %v\n", err)
		case err != nil:
			errs = append(errs, err)
		default:
			paths = append(paths, path)
			fmt.Fprintf(stderr, "%s: %s %s, %.1f MiB\n", j.Name, j.Package, j.Version, float64(j.Size)/(1<<20))
		}
	}
	if len(paths) > 0 {
		fmt.Fprintln(stdout, strings.Join(paths, string(os.PathListSeparator)))
	} else if len(errs) == 0 {
		errs = append(errs, errors.New("no jar was fetched: the tools are missing"))
	}
	return errors.Join(errs...)
}

// chooseJars returns the jars of these names, or all.
func chooseJars(names []string) ([]corpus.Jar, error) {
	if len(names) == 0 {
		return corpus.Jars, nil
	}
	var jars []corpus.Jar
	for _, name := range names {
		i := slices.IndexFunc(corpus.Jars, func(j corpus.Jar) bool { return j.Name == name })
		if i < 0 {
			return nil, usageError{fmt.Errorf("no jar %q in the table (bench corpus -list prints it)", name)}
		}
		jars = append(jars, corpus.Jars[i])
	}
	return jars, nil
}

func printCorpus(w io.Writer, jars []corpus.Jar) {
	rows := [][]string{{"name", "tool", "package", "version", "MiB", "SHA-256"}}
	for _, j := range jars {
		rows = append(rows, []string{j.Name, string(j.Tool), j.Package, j.Version, fmt.Sprintf("%.1f", float64(j.Size)/(1<<20)), j.SHA256})
	}
	printColumns(w, rows)
}

package main

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"

	kzip "github.com/klauspost/compress/zip"

	"zipcat.dev/zipfile"
)

var openExperiment = &experiment{
	name:     "open",
	summary:  "open an archive, with its whole directory, and close it",
	defaults: defaults{flags: flagBackends | flagCache, runs: 10, cache: "warm"},
	tables:   openTables,
}

// opensAgain is how often a process opens an archive for the mean of them.
const opensAgain = 20

func openTables(_ context.Context, _ *harness, o *options) ([]*table, error) {
	var list []*table
	for _, passes := range []int{1, opensAgain} {
		for _, jar := range o.jars {
			which := "the first open in a process of "
			if passes > 1 {
				which = "an open, of " + fmt.Sprint(passes) + " in a process, of "
			}
			cached := *o
			if passes > 1 {
				if o.cache == "cold" {
					continue
				}
				cached.cache = "warm" // only the first of them would come from the disk
			}
			list = append(list, cached.withCache(func(cache string) *table {
				t := &table{title: which + jarLine(jar) + cache, unit: milliseconds, compare: true}
				for _, v := range o.variants {
					t.reader("zipfile "+v.label, true, job{Experiment: "open", Reader: "zipfile", Backend: v.backend, Jars: []string{jar}, Passes: passes})
				}
				for _, name := range []string{readGo, readKlauspostZip} {
					t.reader(name, false, job{Experiment: "open", Reader: name, Jars: []string{jar}, Passes: passes})
				}
				return t
			})...)
		}
	}
	return list, nil
}

// openJar opens an archive several times. It counts its entries.
func openJar(j job) (s sample, err error) {
	open := map[string]func() (int, error){
		"zipfile": func() (n int, err error) {
			err = withZip(j, func(z *zipfile.ZipFile) error { n = z.Len(); return nil })
			return n, err
		},
		readGo: func() (int, error) {
			z, err := zip.OpenReader(j.Jars[0])
			if err != nil {
				return 0, err
			}
			return len(z.File), z.Close()
		},
		readKlauspostZip: func() (int, error) {
			z, err := kzip.OpenReader(j.Jars[0])
			if err != nil {
				return 0, err
			}
			return len(z.File), z.Close()
		},
	}[j.Reader]
	if open == nil {
		return s, errors.New("job: no such reader")
	}
	m := startMeter()
	for range j.Passes {
		n, err := open()
		if err != nil {
			return s, err
		}
		s.Entries = int64(n)
	}
	m.stop(&s)
	s.Ops = int64(j.Passes)
	return s, nil
}

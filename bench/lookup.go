package main

import (
	"archive/zip"
	"context"
	"errors"
	"math/rand/v2"
	"strings"

	"zipcat.dev/zipfile"
)

var lookupExperiment = &experiment{
	name:     "lookup",
	summary:  "find entries by name in an archive that is open",
	defaults: defaults{runs: 10},
	tables:   lookupTables,
}

// Ways to look a name up, as a program would that uses the package. The Open of archive/zip's fs.FS is none: it opens what
// it finds, for which it reads the file, and nothing else of that package finds a name.
const (
	lookupZipfile = "zipfile, Lookup"
	lookupMap     = "archive/zip, a map of its File by name"
)

func lookupTables(_ context.Context, _ *harness, o *options) ([]*table, error) {
	var list []*table
	for _, jar := range o.jars {
		for _, stage := range []string{"hit", "miss"} {
			t := &table{
				title:  "a lookup by name that " + map[string]string{"hit": "hits", "miss": "misses"}[stage] + ", " + jarLine(jar),
				note:   "in an open archive, nothing is opened or read; the index or map is made before the clock starts",
				unit:   nanoseconds,
				single: true, compare: true,
			}
			for _, name := range []string{lookupZipfile, lookupMap} {
				t.reader(name, name == lookupZipfile, job{Experiment: "lookup", Reader: name, Stage: stage, Jars: []string{jar}, Seed: o.seed})
			}
			list = append(list, t)
		}
	}
	return list, nil
}

// lookups is how many a run does at least.
const lookups = 500_000

// lookupNames looks up all names of a jar in random order, or names that are longer by a letter.
func lookupNames(j job) (s sample, err error) {
	z, err := zipfile.Open(j.Jars[0], nil)
	if err != nil {
		return s, err
	}
	defer z.Close()
	var names []string
	for e := range z.Entries() {
		name := strings.Clone(e.Name()) // who asks has strings of their own
		if j.Stage == "miss" {
			name += "$"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return s, errNothing
	}
	rand.New(rand.NewPCG(j.Seed, 2)).Shuffle(len(names), func(a, b int) { names[a], names[b] = names[b], names[a] })
	var find func(string) bool
	switch j.Reader {
	case lookupZipfile:
		find = func(name string) bool { _, ok := z.Lookup(name); return ok }
	case lookupMap:
		r, err := zip.OpenReader(j.Jars[0])
		if err != nil {
			return s, err
		}
		defer r.Close()
		files := make(map[string]*zip.File, len(r.File))
		for _, f := range r.File {
			files[f.Name] = f
		}
		find = func(name string) bool { _, ok := files[name]; return ok }
	default:
		return s, errors.New("job: no such reader")
	}
	find(names[0]) // zipfile builds its index at the second
	find(names[0])
	rounds := lookups/len(names) + 1
	m := startMeter()
	for range rounds {
		for _, name := range names {
			if find(name) {
				s.Entries++
			}
		}
	}
	m.stop(&s)
	s.Ops = int64(rounds * len(names))
	if want := map[string]int64{"hit": s.Ops}[j.Stage]; s.Entries != want {
		return s, errors.New("lookup: wrong number of hits")
	}
	s.Entries = int64(len(names))
	return s, nil
}

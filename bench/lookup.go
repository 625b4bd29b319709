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

func lookupTables(_ context.Context, _ *harness, o *options) ([]*table, error) {
	var list []*table
	for _, jar := range o.jars {
		for _, stage := range []string{"hit", "miss"} {
			t := &table{title: "a lookup by name that " + map[string]string{"hit": "hits", "miss": "misses"}[stage] + ", " + jarLine(jar), unit: nanoseconds, single: true, compare: true}
			for _, name := range []string{"zipfile", "map[string]int", "archive/zip, Open of fs.FS"} {
				t.reader(name, name == "zipfile", job{Experiment: "lookup", Reader: name, Stage: stage, Jars: []string{jar}, Seed: o.seed})
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
	var names []string
	index := make(map[string]int)
	z, err := zipfile.Open(j.Jars[0], nil)
	if err != nil {
		return s, err
	}
	defer z.Close()
	for e := range z.Entries() {
		if e.IsDir() {
			continue // an fs.FS knows them without their slash
		}
		index[strings.Clone(e.Name())] = e.Index()
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
	rounds := lookups/len(names) + 1
	var find func(string) bool
	switch j.Reader {
	case "zipfile":
		find = func(name string) bool { _, ok := z.Lookup(name); return ok }
	case "map[string]int":
		find = func(name string) bool { _, ok := index[name]; return ok }
	default:
		r, err := zip.OpenReader(j.Jars[0])
		if err != nil {
			return s, err
		}
		defer r.Close()
		rounds = 1 // it takes microseconds
		find = func(name string) bool {
			f, err := r.Open(name)
			if err == nil {
				f.Close()
			}
			return err == nil
		}
	}
	find(names[0]) // indexes are built at the first or second
	find(names[0])
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

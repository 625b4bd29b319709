package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"

	"zipcat.dev/zipfile"
)

var concurrentExperiment = &experiment{
	name:    "concurrent",
	summary: "read entries of one open archive from several goroutines of the program's own",
	defaults: defaults{
		flags: flagBackends | flagWorkers | flagSuffix, runs: 5, workers: "1,2,4,8", suffix: ".class",
	},
	tables: concurrentTables,
}

func concurrentTables(_ context.Context, _ *harness, o *options) ([]*table, error) {
	var list []*table
	for _, jar := range o.jars {
		for _, same := range []bool{false, true} {
			t := &table{
				title:  "reading each its part of the entries of " + jarLine(jar),
				note:   "time for one entry, over all goroutines: half of it with two is perfect",
				unit:   microseconds,
				axis:   "goroutines",
				differ: true,
			}
			if same {
				t.title = "reading all the same entries of " + jarLine(jar)
			}
			for _, workers := range o.workers {
				for _, v := range o.variants {
					c := t.reader("zipfile "+v.label+", "+plural(workers, "goroutine"), true, job{
						Experiment: "concurrent", Backend: v.backend, Workers: workers, Jars: []string{jar}, Suffix: o.suffix, Same: same, Seed: o.seed,
					})
					c.series, c.x = v.label, float64(workers)
				}
			}
			list = append(list, t)
		}
	}
	return list, nil
}

// readConcurrently reads entries of one archive, in random order, by Entry.AppendTo.
func readConcurrently(j job) (s sample, err error) {
	z, err := zipfile.Open(j.Jars[0], &zipfile.Options{Backend: j.Backend})
	if err != nil {
		return s, err
	}
	defer z.Close()
	if err := uses(z, j.Backend, j.Jars[0]); err != nil {
		return s, err
	}
	var entries []zipfile.Entry
	for e := range z.Entries() {
		if j.wants(e) {
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		return s, errNothing
	}
	rand.New(rand.NewPCG(j.Seed, 3)).Shuffle(len(entries), func(a, b int) { entries[a], entries[b] = entries[b], entries[a] })
	errs := make([]error, j.Workers)
	counts := make([]sample, j.Workers)
	var wg sync.WaitGroup
	m := startMeter()
	for w := range j.Workers {
		mine := entries[len(entries)*w/j.Workers : len(entries)*(w+1)/j.Workers]
		if j.Same {
			mine = entries
		}
		wg.Go(func() {
			var buf []byte
			var c sample
			for _, e := range mine {
				data, err := e.AppendTo(buf[:0])
				if err != nil {
					errs[w] = err
					break
				}
				buf = data
				c.Entries++
				c.Bytes += int64(len(data))
			}
			counts[w] = c
		})
	}
	wg.Wait()
	m.stop(&s)
	for _, c := range counts {
		s.Entries += c.Entries
		s.Bytes += c.Bytes
	}
	s.Ops = s.Entries
	return s, errors.Join(errs...)
}

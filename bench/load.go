package main

import "context"

var loadExperiment = &experiment{
	name:    "load",
	summary: "load every class of a class path through each backend",
	defaults: defaults{
		flags: flagBackends | flagCache | flagShuffle | flagWorkers, runs: 10, workers: "1", cache: "both",
	},
	tables: loadTables,
}

// loadTables are the classes of all jars, as a class loader that is asked for all of them reads them
// (JBR-7392 measured it so in a JVM).
func loadTables(_ context.Context, _ *harness, o *options) ([]*table, error) {
	var list []*table
	for _, workers := range o.workers {
		how := "jar by jar, in file order, " + plural(workers, "goroutine")
		if o.shuffle {
			how = "one by one in random order"
		}
		list = append(list, o.withCache(func(cache string) *table {
			t := &table{
				title:   "every class of " + plural(len(o.jars), "jar") + ", " + how + cache,
				unit:    milliseconds,
				compare: true,
				single:  workers == 1,
			}
			for _, v := range o.variants {
				t.reader(v.label, true, job{
					Experiment: "load", Backend: v.backend, Jars: o.jars, Shuffle: o.shuffle, Seed: o.seed, Workers: workers,
				})
			}
			return t
		})...)
	}
	return list, nil
}

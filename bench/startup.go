package main

import (
	"context"
	"errors"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
)

var startupExperiment = &experiment{
	name:     "startup",
	summary:  "open through plain reads while mapping is not allowed yet, then move to a mapping",
	defaults: defaults{flags: flagSuffix, runs: 10, suffix: ".class"},
	tables:   startupTables,
}

// Stages of a start-up, in their order.
var stages = []string{
	"open, gate shut", "first entry by plain reads", "second entry by plain reads", "switch to the mapping", "first entry mapped", "second entry mapped",
}

func startupTables(_ context.Context, _ *harness, o *options) ([]*table, error) {
	if !maps(o.jars[0]) {
		return nil, errors.New("this platform or file system cannot map files: there is nothing to move to")
	}
	var list []*table
	for _, jar := range o.jars {
		t := &table{title: "stages of a start-up with " + jarLine(jar), unit: microseconds, differ: true, single: true, stages: true}
		for _, stage := range stages {
			t.reader(stage, true, job{Experiment: "startup", Stage: stage, Jars: []string{jar}, Suffix: o.suffix})
		}
		t.reader("for comparison: open mapped", true, job{Experiment: "startup", Stage: "mapped", Jars: []string{jar}, Suffix: o.suffix})
		list = append(list, t)
	}
	return list, nil
}

// startUp goes through all stages and measures one of them.
func startUp(j job) (s sample, err error) {
	measured := func(stage string, do func() error) error {
		if j.Stage != stage {
			return do()
		}
		m := startMeter()
		err := do()
		m.stop(&s)
		return err
	}
	var z *zipfile.ZipFile
	open := func() (err error) {
		z, err = zipfile.Open(j.Jars[0], &zipfile.Options{Backend: backend.Mapped})
		return err
	}
	if j.Stage == "mapped" {
		if err := measured("mapped", open); err != nil {
			return s, err
		}
		return s, z.Close()
	}
	backend.AllowMapping(false)
	if err := measured(stages[0], open); err != nil {
		return s, err
	}
	defer z.Close()
	var wanted []zipfile.Entry
	for e := range z.Entries() {
		if j.wants(e) {
			wanted = append(wanted, e)
		}
	}
	if len(wanted) < 4 {
		return s, errNothing
	}
	n := 0
	read := func() error {
		_, err := wanted[len(wanted)/4*n].ReadAll()
		n++
		return err
	}
	toMapping := func() error {
		backend.AllowMapping(true)
		return z.SwitchBackend(backend.Mapped)
	}
	for i, do := range []func() error{read, read, toMapping, read, read} {
		if err := measured(stages[i+1], do); err != nil {
			return s, err
		}
	}
	return s, uses(z, backend.Mapped, j.Jars[0])
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// runShort measures a short form of everything that needs no program of others.
func runShort(ctx context.Context, stdout, stderr io.Writer) (err error) {
	b := &harness{stdout: io.Discard, stderr: stderr}
	defer func() { err = errors.Join(err, b.close()) }()
	fmt.Fprintf(stdout, "bench: a short form of everything on a generated jar; bench help lists what there is\n%s%s\n", platform(), goamd64())
	rows := [][]string{{"", "", "median of 3", "", "of the first"}}
	var dropped error
	for _, e := range []*experiment{loadExperiment, openExperiment, lookupExperiment, listExperiment, streamExperiment, extractExperiment, concurrentExperiment, startupExperiment, memoryExperiment} {
		o, err := parse(e.name, e.defaults, nil, io.Discard)
		if err != nil {
			return err
		}
		o.runs, o.entries, o.mib, o.cache, o.most, o.workers = 3, 2000, 16, "warm", 10_000, []int{1}
		r, err := e.measure(ctx, b, o)
		if err != nil && r == nil {
			if ctx.Err() != nil {
				return err
			}
			fmt.Fprintf(stdout, "  without %s: %v\n", e.name, err)
			continue
		}
		dropped = errors.Join(dropped, err)
		for _, t := range r.tables {
			first := t.summarize(t.list[0]).median
			for i, c := range t.list {
				title := ""
				if i == 0 {
					title, _, _ = strings.Cut(e.name+": "+t.title, ", from the system")
				}
				s := t.summarize(c)
				rows = append(rows, []string{title, c.name, digits(s.median), t.unit.Name, fmt.Sprintf("%.2f", s.median/first)})
			}
		}
	}
	printColumns(stdout, rows)
	return dropped
}

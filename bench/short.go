package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// runShort measures a short form of everything that needs no program of others.
func runShort(ctx context.Context, stdout, stderr io.Writer) (err error) {
	b := &harness{stdout: io.Discard, stderr: stderr}
	defer func() { err = errors.Join(err, b.close()) }()
	fmt.Fprintf(stdout, "bench: a short form of everything on a generated jar; bench help lists what there is\n%s%s\n", platform(), goamd64())
	fmt.Fprintln(stdout, "medians of 3 runs, and over that of the first line where lines do the same")
	var rows [][]string
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
			title, _, _ := strings.Cut(t.title, ", from the system")
			rows = append(rows, []string{e.name + ": " + title})
			first := t.summarize(t.list[0]).median
			for _, c := range t.list {
				s := t.summarize(c)
				over := fmt.Sprintf("%.2f", s.median/first)
				if t.axis != "" || t.stages {
					over = ""
				}
				rows = append(rows, []string{"  " + c.name, digits(s.median) + " " + t.unit.Name, over})
			}
		}
	}
	printShort(stdout, rows)
	return dropped
}

// printShort prints titles, which have no cells, by themselves and rows in columns.
func printShort(w io.Writer, rows [][]string) {
	width := 0
	for _, row := range rows {
		if len(row) > 1 {
			width = max(width, utf8.RuneCountInString(row[0]))
		}
	}
	for _, row := range rows {
		if len(row) == 1 {
			fmt.Fprintf(w, "\n%s\n", row[0])
			continue
		}
		fmt.Fprintf(w, "%s%s  %12s  %6s\n", row[0], strings.Repeat(" ", width-utf8.RuneCountInString(row[0])), row[1], row[2])
	}
}

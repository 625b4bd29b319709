package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// print prints a line for each contender and, where the table is a comparison, in words how each
// compares with the first.
func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n", t.title)
	for _, note := range []string{t.note, t.coldHow} {
		if note != "" {
			fmt.Fprintf(w, "  %s\n", note)
		}
	}
	if len(t.list) == 0 {
		fmt.Fprintln(w, "  nothing to measure")
		return
	}
	var list []summary
	for _, c := range t.list {
		list = append(list, t.summarize(c))
	}
	rows := t.results(list)
	for i := range rows {
		head := "  " + plural(list[0].runs, "run")
		if i > 0 {
			head = fmt.Sprintf("%*d %s", len(fmt.Sprint(len(list))), i, list[i-1].label)
		}
		rows[i] = slices.Insert(rows[i], 0, head)
	}
	printColumns(w, rows)
	if s := list[t.reference()]; s.entries > 0 && !t.differ {
		fmt.Fprintf(w, "  %s", plural(int(s.entries), "entry"))
		if s.bytes > 0 {
			fmt.Fprintf(w, ", %d bytes", s.bytes)
		}
		if !t.valued && s.bytes > 0 && t.unit == milliseconds {
			fmt.Fprintf(w, "; %s: %s MiB/s", s.label, digits(float64(s.bytes)/(1<<20)/(s.mean/1e3)))
		}
		fmt.Fprintln(w)
	}
	if t.compare {
		for _, s := range list[1:] {
			fmt.Fprintln(w, compare(list[0], s, t.unit.Name))
		}
	}
	t.doubts(w, list)
}

// reference is the contender that tells what was read.
func (t *table) reference() int {
	for i, c := range t.list {
		if c.ours && !c.whole {
			return i
		}
	}
	return 0
}

// doubts says what speaks against the numbers.
func (t *table) doubts(w io.Writer, list []summary) {
	for i, s := range list {
		for _, warning := range s.warnings {
			fmt.Fprintf(w, "%s: %v\n", s.label, warning)
		}
		// One thread is at work, so that its wall time is its CPU time as long as it gets a CPU.
		// Of several nobody knows how long each had nothing to do.
		c := t.list[i]
		if waited := 1 - s.cpu/s.wall; t.single && c.ours && t.cold == nil && s.cpu > 0 && waited > 0.1 {
			fmt.Fprintf(w, "%s waited for %.0f %% of its time, for the disk or for a CPU that others used: "+
				"the machine was not quiet.\n", s.label, 100*waited)
		}
	}
	if n := list[0].runs; n < 5 && t.compare {
		fmt.Fprintf(w, "%d runs are few: their intervals are wide and hide all but large differences.\n", n)
	}
}

// printColumns prints rows of cells, the first column flush left, the others flush right.
func printColumns(w io.Writer, rows [][]string) {
	width := 0
	for _, row := range rows {
		width = max(width, utf8.RuneCountInString(row[0]))
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		fmt.Fprintf(tw, "%s%s\t%s\t\n", row[0], strings.Repeat(" ", width-utf8.RuneCountInString(row[0])), strings.Join(row[1:], "\t"))
	}
	tw.Flush()
}

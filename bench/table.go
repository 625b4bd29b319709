package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// printTable prints a line for each variant and, below, how each compares with the first.
func printTable(w io.Writer, list []summary) {
	if len(list) == 0 {
		return
	}
	width := len("backend")
	for _, s := range list {
		width = max(width, len(s.label))
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	// All columns are flush right; the first is made flush left by its width.
	fmt.Fprintf(tw, "%-*s\truns\tmean ms\tstd dev\tmin\tmedian\t99.9 %% interval\tCPU ms\tpeak MiB\tclasses\tbytes\tMiB/s\t\n",
		width, "backend")
	for _, s := range list {
		fmt.Fprintf(tw, "%-*s\t%d\t%s\t%s\t%s\t%s\t%s - %s\t%s\t%s\t%d\t%d\t%.1f\t\n",
			width, s.label, s.runs, ms(s.mean), ms(s.stdDev), ms(s.min), ms(s.median), ms(s.lo), ms(s.hi),
			known(s.cpu > 0, ms(s.cpu)), known(s.peak > 0, strconv.FormatInt(s.peak>>20, 10)),
			s.classes, s.bytes, s.bytesPerSecond/(1<<20))
	}
	tw.Flush()
	fmt.Fprintln(w)

	for _, s := range list[1:] {
		fmt.Fprintln(w, compare(list[0], s))
	}
	for _, s := range list {
		for _, warning := range s.warnings {
			fmt.Fprintf(w, "%s: %v\n", s.label, warning)
		}
	}
	for _, s := range list {
		// One thread is at work, so that its wall time is its CPU time as long as it gets a CPU.
		// Of several nobody knows how long each had nothing to do.
		if waited := 1 - s.cpu/s.mean; s.workers <= 1 && s.cpu > 0 && waited > 0.1 {
			fmt.Fprintf(w, "%s waited for %.0f %% of its time, for the disk or for a CPU that others used: "+
				"the machine was not quiet.\n", s.label, 100*waited)
		}
	}
	if n := list[0].runs; n < 5 {
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
		fmt.Fprintf(tw, "%-*s\t%s\t\n", width, row[0], strings.Join(row[1:], "\t"))
	}
	tw.Flush()
}

// known returns text, or a dash where the platform does not tell.
func known(ok bool, text string) string {
	if !ok {
		return "-"
	}
	return text
}

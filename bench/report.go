package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

const reportUsage = `usage: bench report [-o DIR] FILE.json...

Makes DIR/report.md and plots, as PNG and SVG, of what -json wrote. The same files make the same
bytes.

  bench load -cp app.jar -json load.json
  bench report -o report load.json

`

func runReport(_ context.Context, args []string, stdout, _ io.Writer) error {
	fs := flag.NewFlagSet("bench report", flag.ContinueOnError)
	dir := fs.String("o", "report", "`directory` to write to; it is made")
	if err := parseToolArgs(fs, args, reportUsage, stdout); err != nil {
		return err
	}
	switch {
	case fs.NArg() == 0:
		return usageError{errors.New("report: which files? they are what -json wrote")}
	case *dir == "":
		return usageError{errors.New("-o: is empty")}
	}
	r := &report{dir: *dir, counts: map[string]int{}}
	// All are read before anything is written: a bad one leaves no half of a report.
	for _, name := range fs.Args() {
		rec, err := readRecord(name)
		if err != nil {
			return err
		}
		r.records = append(r.records, rec)
	}
	if err := os.MkdirAll(*dir, 0o777); err != nil {
		return err
	}
	if err := r.write(); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: %s, %s\n", filepath.Join(*dir, "report.md"), plural(len(r.records), "record"), plural(r.plots, "plot"))
	return nil
}

// maxRecord is the largest file that is read, in bytes: a thousand runs are a megabyte.
const maxRecord = 256 << 20

// readRecord reads what -json wrote.
func readRecord(name string) (*record, error) {
	fail := func(err error) (*record, error) { return nil, fmt.Errorf("%s: %w", name, err) }
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	switch {
	case err != nil:
		return fail(err)
	case len(b) > maxRecord:
		return fail(fmt.Errorf("more than %d MiB", maxRecord>>20))
	}
	var v struct {
		Version *int `json:"version"`
	}
	switch err := json.Unmarshal(b, &v); {
	case err != nil:
		return fail(fmt.Errorf("no record of bench: %w", err))
	case v.Version == nil:
		return fail(errors.New("no record of bench: it has no version"))
	case *v.Version != recordVersion:
		return fail(fmt.Errorf("a record of version %d; this bench reads version %d\n  measure again, or use the bench that wrote it", *v.Version, recordVersion))
	}
	r := &record{}
	if err := json.NewDecoder(bytes.NewReader(b)).Decode(r); err != nil {
		return fail(err)
	}
	for i, t := range r.Tables {
		if !(t.Unit.Scale > 0) || math.IsInf(t.Unit.Scale, 0) {
			return fail(fmt.Errorf("table %d, %q: its unit has the scale %v", i+1, t.Title, t.Unit.Scale))
		}
	}
	return r, nil
}

// report is Markdown in the making.
type report struct {
	dir     string
	records []*record
	md      strings.Builder
	counts  map[string]int // of plots with a name
	plots   int
}

func (r *report) write() error {
	fmt.Fprint(&r.md, "# What bench measured\n")
	for _, rec := range r.records {
		r.head(rec)
		for i := 0; i < len(rec.Tables); i++ {
			t := rec.Tables[i]
			// A table of warm caches is plotted with that of cold ones, which comes next.
			if i+1 < len(rec.Tables) && coldBeside(t, rec.Tables[i+1]) {
				if err := r.both(rec, t, rec.Tables[i+1]); err != nil {
					return err
				}
				i++
				continue
			}
			if err := r.one(rec, t); err != nil {
				return err
			}
		}
	}
	return writeAtomic(filepath.Join(r.dir, "report.md"), func(w io.Writer) error {
		_, err := io.WriteString(w, r.md.String())
		return err
	})
}

// head describes machine, versions and jars.
func (r *report) head(rec *record) {
	fmt.Fprintf(&r.md, "\n## %s\n\n", plain(rec.Experiment))
	fmt.Fprintf(&r.md, "- machine: %s/%s, %s\n", plain(rec.OS), plain(rec.Arch), plural(rec.CPUs, "CPU"))
	fmt.Fprintf(&r.md, "- version: %s, record %d\n", plain(rec.Go), rec.Version)
	fmt.Fprintf(&r.md, "- seed: %d\n", rec.Seed)
	for _, j := range rec.Jars {
		fmt.Fprintf(&r.md, "- jar: %s, %.1f MiB\n", plain(j.Name), float64(j.Size)/(1<<20))
	}
}

// one writes a table and its plot.
func (r *report) one(rec *record, tr tableRecord) error {
	t, rows := newReportTable(tr)
	r.title(tr)
	if d := drawing(tr, rows); d != nil {
		if err := r.plot(rec, tr.Title, d); err != nil {
			return err
		}
	}
	r.rows(t, tr, rows)
	return nil
}

// both writes two tables and one plot of them.
func (r *report) both(rec *record, warm, cold tableRecord) error {
	_, a := newReportTable(warm)
	_, b := newReportTable(cold)
	for i, tr := range []tableRecord{warm, cold} {
		t, rows := newReportTable(tr)
		r.title(tr)
		if i == 0 {
			if d := coldDrawing(warm, a, b); d != nil {
				if err := r.plot(rec, strings.TrimSuffix(warm.Title, warmEnd), d); err != nil {
					return err
				}
			}
		}
		r.rows(t, tr, rows)
	}
	return nil
}

func (r *report) title(tr tableRecord) {
	fmt.Fprintf(&r.md, "\n### %s\n\n", plain(tr.Title))
	for _, note := range []string{tr.Note, tr.Cold} {
		if note != "" {
			fmt.Fprintf(&r.md, "%s\n\n", plain(note))
		}
	}
}

// reportRow is a row with what its runs say together.
type reportRow struct {
	rowRecord
	summary
	usable bool // it has runs, and they say numbers
}

// newReportTable makes a table out of its record again.
func newReportTable(tr tableRecord) (*table, []reportRow) {
	t := &table{title: tr.Title, unit: tr.Unit, valued: tr.Valued, axis: tr.Axis, stages: tr.Stages}
	var rows []reportRow
	for _, row := range tr.Rows {
		c := &contender{name: row.Name, ours: row.Ours, runs: row.Runs}
		r := reportRow{rowRecord: row}
		if len(c.counted()) > 0 {
			r.summary = t.summarize(c)
			r.usable = isFinite(r.mean) && isFinite(r.min) && isFinite(r.median) && math.Abs(r.mean) < 1e15
		}
		rows = append(rows, r)
	}
	return t, rows
}

// rows writes the table and what it says in words.
func (r *report) rows(t *table, tr tableRecord, rows []reportRow) {
	if len(rows) == 0 {
		fmt.Fprint(&r.md, "Nothing was measured.\n")
		return
	}
	list := make([]summary, len(rows))
	for i, row := range rows {
		if row.usable {
			list[i] = row.summary
		}
	}
	for i, cells := range t.results(list) {
		line := "|  | runs |"
		if i > 0 {
			line = fmt.Sprintf("| %s | %d |", plain(rows[i-1].Name), rows[i-1].summary.runs)
		}
		for _, cell := range cells {
			line += " " + plain(cell) + " |"
		}
		fmt.Fprintln(&r.md, line)
		if i == 0 {
			fmt.Fprintln(&r.md, "| --- | ---: |"+strings.Repeat(" ---: |", len(cells)))
		}
	}
	for _, row := range rows {
		if !row.usable {
			fmt.Fprintf(&r.md, "\n%s: no run to count, or none that says a number.\n", plain(row.Name))
		}
	}
	r.sentences(tr, rows)
}

// sentences says how rows compare with the first or, where there is an axis, at its end.
func (r *report) sentences(tr tableRecord, rows []reportRow) {
	var list []reportRow
	last := math.Inf(-1)
	for _, row := range rows {
		if row.usable && row.summary.runs > 1 {
			last = max(last, row.X)
		}
	}
	for _, row := range rows {
		if row.usable && row.summary.runs > 1 && (tr.Axis == "" || row.X == last) {
			list = append(list, row)
		}
	}
	if len(list) < 2 || !tr.Compare {
		return
	}
	fmt.Fprintln(&r.md)
	for _, row := range list[1:] {
		if list[0].mean == 0 && row.mean == 0 {
			continue // compare tells the difference in parts of the larger
		}
		fmt.Fprintf(&r.md, "- %s\n", plain(compare(list[0].summary, row.summary, tr.Unit.Name)))
	}
	fewest := list[0].summary.runs
	for _, row := range list {
		fewest = min(fewest, row.summary.runs)
		for _, w := range row.warnings {
			fmt.Fprintf(&r.md, "- %s: %s\n", plain(row.Name), plain(w.Error()))
		}
	}
	if fewest < 5 {
		fmt.Fprintf(&r.md, "\n%d runs are few: their intervals are wide and hide all but large differences.\n", fewest)
	}
}

// plain makes text of a record harmless in Markdown, on one line.
func plain(s string) string {
	var b strings.Builder
	for _, c := range strings.Join(strings.Fields(strings.ToValidUTF8(s, "?")), " ") {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>#|~$!&", c):
			b.WriteByte('\\')
		case c < ' ' || c == 0x7f:
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

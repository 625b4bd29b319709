package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"zipcat.dev/bench/internal/plots"
)

// What titles of tables of warm and cold caches end with.
const (
	warmEnd = ", from the system's cache"
	coldEnd = ", from the disk"
)

// coldBeside reports whether b is a with cold caches.
func coldBeside(a, b tableRecord) bool {
	if a.Cold != "" || a.Unit != b.Unit || a.Axis != "" || b.Axis != "" || !slices.EqualFunc(a.Rows, b.Rows, func(x, y rowRecord) bool { return x.Name == y.Name }) {
		return false
	}
	titleA, warm := strings.CutSuffix(a.Title, warmEnd)
	titleB, cold := strings.CutSuffix(b.Title, coldEnd)
	return titleA == titleB && (warm && cold || b.Cold != "")
}

// mostRows is how many rows are drawn: more make no picture that anybody could read.
const mostRows = 200

// drawing draws a table, unless there is nothing to draw.
func drawing(tr tableRecord, rows []reportRow) *plots.Drawing {
	if len(rows) > mostRows || !slices.ContainsFunc(rows, func(r reportRow) bool { return r.usable }) {
		return nil
	}
	if tr.Axis == "" {
		b := newBars(tr, tr.Title)
		for i, r := range rows {
			b.Bars = append(b.Bars, newBar(r, i))
		}
		return b.Draw()
	}
	l := &plots.Lines{Title: tr.Title, X: tr.Axis, Y: measured(tr)}
	at := map[string]int{}
	for _, r := range rows {
		name := r.Series
		if name == "" {
			name = r.Name
		}
		if _, ok := at[name]; !ok {
			at[name] = len(l.Lines)
			l.Lines = append(l.Lines, plots.Line{Name: name, Ours: r.Ours})
		}
		if r.usable {
			line := &l.Lines[at[name]]
			lo, hi := r.whisker()
			line.Points = append(line.Points, plots.Point{X: r.X, Mean: r.mean, Lo: lo, Hi: hi})
		}
	}
	for _, line := range l.Lines {
		slices.SortStableFunc(line.Points, func(a, b plots.Point) int {
			switch {
			case a.X < b.X:
				return -1
			case a.X > b.X:
				return 1
			}
			return 0
		})
	}
	l.Lines = slices.DeleteFunc(l.Lines, func(line plots.Line) bool { return len(line.Points) == 0 })
	return l.Draw()
}

// coldDrawing draws two tables, each contender's bars together.
func coldDrawing(tr tableRecord, warm, cold []reportRow) *plots.Drawing {
	b := newBars(tr, strings.TrimSuffix(tr.Title, warmEnd))
	b.First, b.Other = strings.TrimPrefix(warmEnd, ", "), strings.TrimPrefix(coldEnd, ", ")
	any := false
	for i := range warm {
		for k, r := range []reportRow{warm[i], cold[i]} {
			bar := newBar(r, i)
			bar.Second = k == 1
			bar.Label += []string{", cache", ", disk"}[k]
			b.Bars = append(b.Bars, bar)
			any = any || r.usable
		}
	}
	if !any || len(b.Bars) > mostRows {
		return nil
	}
	return b.Draw()
}

func newBars(tr tableRecord, title string) *plots.Bars {
	return &plots.Bars{Title: title, Axis: measured(tr), Unit: tr.Unit.Name}
}

func newBar(r reportRow, group int) plots.Bar {
	bar := plots.Bar{Label: r.Name, Ours: r.Ours, Group: group, Mean: math.NaN()}
	if r.usable {
		bar.Mean = r.mean
		bar.Lo, bar.Hi = r.whisker()
	}
	return bar
}

// whisker is the interval to draw: none where it reaches down to zero, as that of two or three runs does, which
// says nothing and would hide the bars.
func (r reportRow) whisker() (lo, hi float64) {
	if r.lo <= 0 && r.mean > 0 {
		return r.mean, r.mean
	}
	return r.lo, r.hi
}

// measured is what a table's axis of values says.
func measured(tr tableRecord) string {
	if tr.Valued {
		return tr.Unit.Name + " (mean)"
	}
	return "time in " + tr.Unit.Name + " (mean)"
}

// plot writes a drawing in both formats and links it.
func (r *report) plot(rec *record, title string, d *plots.Drawing) error {
	name := r.plotName(rec)
	for end, write := range map[string]func(io.Writer) error{".png": d.PNG, ".svg": d.SVG} {
		if err := writeAtomic(filepath.Join(r.dir, name+end), write); err != nil {
			return fmt.Errorf("plot of %q: %w", title, err)
		}
	}
	r.plots++
	fmt.Fprintf(&r.md, "[![%s](%s.png)](%s.svg)\n\n", plain(title), name, name)
	return nil
}

// plotName is the experiment's, in letters, digits and hyphens, and a number.
func (r *report) plotName(rec *record) string {
	stem := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(rec.Experiment))
	if len(stem) > 40 || strings.Trim(stem, "-") == "" {
		stem = "plot"
	}
	r.counts[stem]++
	return fmt.Sprintf("%s-%d", stem, r.counts[stem])
}

package main

import (
	"fmt"
	"math"
)

// column is one of a table of results.
type column struct {
	title string                 // with the unit
	cell  func(s summary) string // empty: not known
}

// finite makes cells of a value in its format. One that is no number is not known.
func finite(value func(summary) float64, format func(float64) string) func(summary) string {
	return func(s summary) string {
		if v := value(s); isFinite(v) {
			return format(v)
		}
		return ""
	}
}

// told is finite for a value that is 0 where the platform does not tell it.
func told(value func(summary) float64, format func(float64) string) func(summary) string {
	cell := finite(value, format)
	return func(s summary) string {
		if value(s) == 0 {
			return ""
		}
		return cell(s)
	}
}

// columns describes the columns of t, whose first row is first, in the order in which they stand.
func (t *table) columns(first summary) []column {
	hundredths := func(v float64) string { return fmt.Sprintf("%.2f", v) }
	whole := func(v float64) string { return fmt.Sprintf("%.0f", v) }
	list := []column{
		{"mean " + t.unit.Name, finite(func(s summary) float64 { return s.mean }, digits)},
		{"std dev", finite(func(s summary) float64 { return s.stdDev }, digits)},
		{"99.9 % interval", summary.interval},
		{"median", finite(func(s summary) float64 { return s.median }, digits)},
		{"min", finite(func(s summary) float64 { return s.min }, digits)},
	}
	if t.axis == "" && !t.stages { // else what the first takes is no measure for others
		list = append(list,
			column{"median/1", finite(func(s summary) float64 { return s.median / first.median }, hundredths)},
			column{"min/1", finite(func(s summary) float64 { return s.min / first.min }, hundredths)})
	}
	return append(list,
		column{"CPU ms", told(func(s summary) float64 { return s.cpu * 1e3 }, digits)},
		column{"peak MiB", told(func(s summary) float64 { return float64(s.peak) / (1 << 20) }, whole)},
		column{"faults", told(func(s summary) float64 { return s.faults }, whole)},
		column{"reads", told(func(s summary) float64 { return s.reads }, whole)},
		column{"MiB read", told(func(s summary) float64 { return s.read / (1 << 20) }, digits)})
}

// results returns the titles of the columns of t that say anything and, below them, the cells of
// each summary. Of one without runs nothing is known.
func (t *table) results(list []summary) [][]string {
	rows := make([][]string, 1+len(list))
	for _, c := range t.columns(list[0]) {
		cells := []string{c.title}
		said := false
		for _, s := range list {
			cell := ""
			if s.runs > 0 {
				cell = c.cell(s)
			}
			if cell == "" {
				cell = "-"
			} else {
				said = true
			}
			cells = append(cells, cell)
		}
		if !said {
			continue
		}
		for i, cell := range cells {
			rows[i] = append(rows[i], cell)
		}
	}
	return rows
}

// isFinite reports whether v is one that can be printed.
func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

package main

import (
	"fmt"
	"math"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
)

// confidence is that of all intervals, and one minus it the error that a comparison may make.
const confidence = 0.999

// summary is what the counted runs of a contender say together, in the unit of their table.
type summary struct {
	label        string
	runs         int
	sample       *benchmath.Sample
	mean, lo, hi float64 // the mean and its confidence interval
	stdDev       float64
	min, median  float64
	warnings     []error

	// Means over the runs; 0: not known.
	cpu, wall      float64 // seconds
	faults, reads  float64
	read           float64 // bytes
	peak           int64   // the highest, bytes
	entries, bytes int64
}

func (t *table) summarize(c *contender) summary {
	runs := c.counted()
	s := summary{label: c.name, runs: len(runs), entries: runs[0].Entries, bytes: runs[0].Bytes}
	var values []float64
	for _, r := range runs {
		values = append(values, t.value(r))
		n := float64(len(runs)) * float64(max(r.Ops, 1)) // all is told of one operation
		s.cpu += float64(r.CPU) / 1e9 / n
		s.wall += float64(r.Wall) / 1e9 / n
		s.faults += float64(r.Faults) / n
		s.reads += float64(r.Reads) / n
		s.read += float64(r.Read) / n
		s.peak = max(s.peak, r.Peak)
	}
	thresholds := benchmath.DefaultThresholds
	s.sample = benchmath.NewSample(values, &thresholds)
	interval := benchmath.AssumeNormal.Summary(s.sample, confidence)
	s.mean, s.lo, s.hi = interval.Center, interval.Lo, interval.Hi
	s.warnings = interval.Warnings

	sorted := stats.Sample{Xs: s.sample.Values, Sorted: true}
	s.stdDev = sorted.StdDev()
	s.min, _ = sorted.Bounds()
	s.median = sorted.Quantile(0.5)
	return s
}

// interval prints the confidence interval, where it says anything: that of one run has no ends, and that of two
// or three often reaches down to zero.
func (s summary) interval() string {
	if !isFinite(s.hi - s.lo) {
		return ""
	}
	if s.lo <= 0 && s.mean > 0 {
		return "wide"
	}
	return digits(s.lo) + " to " + digits(s.hi)
}

// compare says in words whether b differs from a.
//
// Intervals of the means that do not overlap are the stricter test of the two: where they do
// not, Welch's t-test says the same, but not the other way round.
func compare(a, b summary, unit string) string {
	if a.stdDev == 0 && b.stdDev == 0 && a.mean == b.mean {
		return fmt.Sprintf("%s and %s are the same in every run: %s %s.", a.label, b.label, digits(a.mean), unit)
	}
	c := benchmath.AssumeNormal.Compare(a.sample, b.sample)
	apart := a.hi < b.lo || b.hi < a.lo
	p := fmt.Sprintf("p = %.3f", c.P)
	if c.P < 0.001 {
		p = "p < 0.001"
	}
	fast, slow := a, b
	if b.mean < a.mean {
		fast, slow = b, a
	}
	less := 100 * (1 - fast.mean/slow.mean)
	means := fmt.Sprintf("%s %s against %s %s", digits(fast.mean), unit, digits(slow.mean), unit)
	switch {
	case a.stdDev == 0 && b.stdDev == 0: // the t-test has nothing to go by
		return fmt.Sprintf("%s takes less than %s: %s, %.1f %% less; all runs of each are the same.", fast.label, slow.label, means, less)
	case apart:
		return fmt.Sprintf("%s takes less than %s: %s, %.1f %% less; the 99.9 %% intervals do not overlap, t-test %s.",
			fast.label, slow.label, means, less, p)
	case c.P < 1-confidence:
		return fmt.Sprintf("%s likely takes less than %s: %s, %.1f %% less; the 99.9 %% intervals overlap, but t-test %s.",
			fast.label, slow.label, means, less, p)
	}
	return fmt.Sprintf("No difference shown between %s and %s: the 99.9 %% intervals overlap, t-test %s; the means are %.1f %% apart.",
		a.label, b.label, p, less)
}

// digits prints a number with as many digits as tell anything.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case a < 10:
		return fmt.Sprintf("%.2f", v)
	case a < 1000:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.0f", v)
	}
}

package main

import (
	"fmt"
	"math"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"

	"zipcat.dev/backend"
)

// confidence is that of all intervals, and one minus it the error that a comparison may make.
const confidence = 0.999

// summary is what the counted runs of one variant say together. Times are seconds.
type summary struct {
	label          string
	runs           int
	workers        int // goroutines that decode
	wall           *benchmath.Sample
	mean, lo, hi   float64 // the mean and its confidence interval
	stdDev         float64
	min, median    float64
	cpu            float64 // mean; 0: not known
	peak           int64   // the highest, bytes; 0: not known
	classes        int
	bytes          int64
	bytesPerSecond float64
	warnings       []error
}

func summarize(v variant, runs []sample) summary {
	s := summary{label: v.Label, runs: len(runs), classes: runs[0].Classes, bytes: runs[0].Bytes}
	if v.Backend == backend.Auto {
		s.label += "=" + runs[0].Used
	}
	var wall []float64
	for _, r := range runs {
		wall = append(wall, float64(r.Wall)/1e9)
		s.cpu += float64(r.CPU) / 1e9 / float64(len(runs))
		s.peak = max(s.peak, r.Peak)
	}
	thresholds := benchmath.DefaultThresholds
	s.wall = benchmath.NewSample(wall, &thresholds)
	interval := benchmath.AssumeNormal.Summary(s.wall, confidence)
	s.mean, s.lo, s.hi = interval.Center, interval.Lo, interval.Hi
	s.warnings = interval.Warnings

	sorted := stats.Sample{Xs: s.wall.Values, Sorted: true}
	s.stdDev = sorted.StdDev()
	s.min, _ = sorted.Bounds()
	s.median = sorted.Quantile(0.5)
	s.bytesPerSecond = float64(s.bytes) / s.mean
	return s
}

// compare says in words whether b differs from a.
//
// Intervals of the means that do not overlap are the stricter test of the two: where they do
// not, Welch's t-test says the same, but not the other way round.
func compare(a, b summary) string {
	c := benchmath.AssumeNormal.Compare(a.wall, b.wall)
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
	means := fmt.Sprintf("%s ms against %s ms", ms(fast.mean), ms(slow.mean))
	switch {
	case apart:
		return fmt.Sprintf("%s is faster than %s: %s, %.1f %% less time; the 99.9 %% intervals do not overlap, t-test %s.",
			fast.label, slow.label, means, less, p)
	case c.P < 1-confidence:
		return fmt.Sprintf("%s is likely faster than %s: %s, %.1f %% less time; the 99.9 %% intervals overlap, but t-test %s.",
			fast.label, slow.label, means, less, p)
	}
	return fmt.Sprintf("No difference shown between %s and %s: the 99.9 %% intervals overlap, t-test %s; the means are %.1f %% apart.",
		a.label, b.label, p, less)
}

// ms prints seconds as milliseconds, with as many digits as tell anything.
func ms(s float64) string {
	switch v := s * 1000; {
	case math.Abs(v) < 10:
		return fmt.Sprintf("%.2f", v)
	case math.Abs(v) < 1000:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.0f", v)
	}
}

package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// tableOf is a table with one contender, whose runs took so many milliseconds.
func tableOf(names []string, walls ...[]int64) *table {
	t := &table{title: "test", unit: milliseconds, compare: true, single: true}
	for i, name := range names {
		c := &contender{name: name, ours: true, runs: []measurement{{0, sample{Wall: 1}}}}
		for _, w := range walls[i] {
			c.runs = append(c.runs, measurement{1, sample{Wall: w * 1e6, CPU: 2e9, Peak: w << 20, Entries: 10, Bytes: 1 << 20, Reads: 3}})
		}
		t.list = append(t.list, c)
	}
	return t
}

func summaryOf(label string, walls ...int64) summary {
	t := tableOf([]string{label}, walls)
	return t.summarize(t.list[0])
}

func TestSummarize(t *testing.T) {
	t.Parallel()
	s := summaryOf("pread", 1300, 1000, 1100, 1000, 1100)
	assert.InDelta(t, 1100, s.mean, 1e-9)
	assert.InDelta(t, 122.474, s.stdDev, 1e-3, "that of a sample: n-1")
	assert.InDelta(t, 1000, s.min, 1e-9)
	assert.InDelta(t, 1100, s.median, 1e-9)
	// Student's t for 4 degrees of freedom at 99.9 % is 8.6103.
	assert.InDelta(t, 1100-8.6103*122.474/2.236068, s.lo, 0.1)
	assert.InDelta(t, 1100+8.6103*122.474/2.236068, s.hi, 0.1)
	assert.InDelta(t, 2.0, s.cpu, 1e-9)
	assert.Equal(t, int64(1300<<20), s.peak)
	assert.InDelta(t, 3, s.reads, 1e-9)
	assert.Equal(t, 5, s.runs, "the warm-up does not count")
}

func TestCompare(t *testing.T) {
	t.Parallel()
	base := summaryOf("pread", 1000, 1010, 1020, 1010, 1000, 1010, 1000, 1020)
	for _, tt := range []struct {
		name  string
		other summary
		want  string
	}{
		{"apart", summaryOf("mapped", 900, 910, 920, 910, 900, 910, 900, 920), "mapped takes less than pread: "},
		{"slower", summaryOf("mapped", 1100, 1110, 1120, 1110, 1100, 1110, 1100, 1120), "pread takes less than mapped: "},
		{"near", summaryOf("mapped", 983, 993, 1003, 993, 983, 993, 983, 1003), "No difference shown between pread and mapped: "},
		{"overlap", summaryOf("mapped", 979, 989, 999, 989, 979, 989, 979, 999), "mapped likely takes less than pread: "},
		{"no scatter", summaryOf("mapped", 1005, 1005), "No difference shown between pread and mapped: "},
		{"same", summaryOf("mapped", 1000, 1010, 1020, 1010, 1000, 1010, 1000, 1020), "No difference shown between pread and mapped: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := compare(base, tt.other, "ms")
			assert.True(t, strings.HasPrefix(got, tt.want), got)
		})
	}
}

func TestPrintTable(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	tableOf([]string{"pread", "mapped"}, []int64{1000, 1010}, []int64{900, 910}).print(&b)
	lines := strings.Split(b.String(), "\n")
	assert.Equal(t, []string{"", "test"}, lines[:2])
	assert.Equal(t, len(lines[2]), len(lines[3]), "columns are aligned")
	assert.Equal(t, len(lines[2]), len(lines[4]), "columns are aligned")
	assert.Regexp(t, `^ +2 runs +mean ms +std dev +99.9 % interval +median +min +median/1 +min/1 +CPU ms +peak MiB +reads *$`, lines[2])
	assert.Regexp(t, `^ +2 mapped +905.0 .* 905.0 +900.0 +0.90 +0.90 +2000 +910 +3 *$`, lines[4])
	assert.Contains(t, b.String(), "  10 entries, 1048576 bytes; pread: 1.00 MiB/s\n")
	assert.Contains(t, b.String(), "2 runs are few")
	assert.NotContains(t, b.String(), "waited")

	b.Reset()
	tableOf([]string{"pread", "mapped"}, []int64{4000, 4010}, []int64{1900, 1910}).print(&b)
	assert.Contains(t, b.String(), "pread waited for 50 % of its time")
	assert.NotContains(t, b.String(), "mapped waited")

	b.Reset()
	(&table{title: "empty"}).print(&b)
	assert.Equal(t, "\nempty\n  nothing to measure\n", b.String())
}

// Where nothing scatters there is nothing to test.
func TestCompareSame(t *testing.T) {
	t.Parallel()
	a, b := summaryOf("a", 1000, 1000), summaryOf("b", 1500, 1500)
	assert.Equal(t, "a takes less than b: 1000 ms against 1500 ms, 33.3 % less; all runs of each are the same.", compare(a, b, "ms"))
	assert.Equal(t, "a and a are the same in every run: 1000 ms.", compare(a, a, "ms"))
	none := summaryOf("none", 0, 0)
	assert.NotContains(t, compare(none, none, "ms"), "NaN")
}

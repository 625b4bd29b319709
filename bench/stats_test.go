package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"zipcat.dev/backend"
)

// summaryOf summarizes runs of so many milliseconds.
func summaryOf(label string, walls ...int64) summary {
	var runs []sample
	for _, w := range walls {
		runs = append(runs, sample{Wall: w * 1e6, CPU: 2e9, Peak: w << 20, Classes: 10, Bytes: 1 << 20})
	}
	return summarize(variant{label, backend.Pread}, runs)
}

func TestSummarize(t *testing.T) {
	t.Parallel()
	s := summaryOf("pread", 1300, 1000, 1100, 1000, 1100)
	assert.InDelta(t, 1.1, s.mean, 1e-9)
	assert.InDelta(t, 0.122474, s.stdDev, 1e-6, "that of a sample: n-1")
	assert.InDelta(t, 1.0, s.min, 1e-9)
	assert.InDelta(t, 1.1, s.median, 1e-9)
	// Student's t for 4 degrees of freedom at 99.9 % is 8.6103.
	assert.InDelta(t, 1.1-8.6103*0.122474/2.236068, s.lo, 1e-4)
	assert.InDelta(t, 1.1+8.6103*0.122474/2.236068, s.hi, 1e-4)
	assert.InDelta(t, 2.0, s.cpu, 1e-9)
	assert.Equal(t, int64(1300<<20), s.peak)
	assert.InDelta(t, (1<<20)/1.1, s.bytesPerSecond, 1e-3)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	base := summaryOf("pread", 1000, 1010, 1020, 1010, 1000, 1010, 1000, 1020)
	for _, tt := range []struct {
		name  string
		other summary
		want  string
	}{
		{"apart", summaryOf("mapped", 900, 910, 920, 910, 900, 910, 900, 920), "mapped is faster than pread: "},
		{"slower", summaryOf("mapped", 1100, 1110, 1120, 1110, 1100, 1110, 1100, 1120), "pread is faster than mapped: "},
		{"near", summaryOf("mapped", 983, 993, 1003, 993, 983, 993, 983, 1003), "No difference shown between pread and mapped: "},
		{"overlap", summaryOf("mapped", 979, 989, 999, 989, 979, 989, 979, 999), "mapped is likely faster than pread: "},
		{"same", summaryOf("mapped", 1000, 1010, 1020, 1010, 1000, 1010, 1000, 1020), "No difference shown between pread and mapped: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := compare(base, tt.other)
			assert.True(t, strings.HasPrefix(got, tt.want), got)
		})
	}
}

func TestPrintTable(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	printTable(&b, []summary{summaryOf("pread", 1000, 1010), summaryOf("mapped", 900, 910)})
	lines := strings.Split(b.String(), "\n")
	assert.Equal(t, len(lines[0]), len(lines[1]), "columns are aligned")
	assert.Equal(t, len(lines[0]), len(lines[2]), "columns are aligned")
	assert.Contains(t, b.String(), "2 runs are few")
	assert.NotContains(t, b.String(), "waited")

	b.Reset()
	printTable(&b, []summary{summaryOf("pread", 4000, 4010), summaryOf("mapped", 1900, 1910)})
	assert.Contains(t, b.String(), "pread waited for 50 % of its time")
	assert.NotContains(t, b.String(), "mapped waited")

	b.Reset()
	printTable(&b, nil)
	assert.Empty(t, b.String())
}

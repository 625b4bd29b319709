package main

import (
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rowOf is a contender with a warm-up and runs of so many milliseconds.
func rowOf(name string, ours bool, walls ...int64) rowRecord {
	r := rowRecord{Name: name, Ours: ours, Runs: []measurement{{0, sample{Wall: 9e9}}}}
	for i, w := range walls {
		r.Runs = append(r.Runs, measurement{i + 1, sample{Wall: w * 1e6, CPU: w * 1e6, Peak: 20 << 20, Faults: 12}})
	}
	return r
}

// recordOf is a record as -json writes it.
func recordOf(tables ...tableRecord) *record {
	return &record{
		Version: recordVersion, Experiment: "load", Go: "go1.26", OS: "linux", Arch: "amd64", CPUs: 2, Seed: 7,
		Jars: []jarFile{{"a|b.jar", 3 << 20}}, Tables: tables,
	}
}

func writeRecord(t *testing.T, r *record) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "r.json")
	require.NoError(t, r.write(name))
	return name
}

// reported runs bench report and returns the Markdown and the names of the other files.
func reported(t *testing.T, files ...string) (md string, others []string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "new", "dir")
	code, stdout, stderr := bench(append([]string{"report", "-o", dir}, files...)...)
	require.Equal(t, exitDone, code, stderr)
	assert.Contains(t, stdout, "report.md")
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range list {
		if e.Name() != "report.md" {
			others = append(others, e.Name())
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "report.md"))
	require.NoError(t, err)
	for _, name := range others {
		assert.Contains(t, string(b), "("+name+")", "is linked")
		if strings.HasSuffix(name, ".png") {
			f, err := os.Open(filepath.Join(dir, name))
			require.NoError(t, err)
			_, err = png.DecodeConfig(f)
			assert.NoError(t, err, name)
			f.Close()
		}
	}
	return string(b), others
}

func TestReport(t *testing.T) {
	t.Parallel()
	r := recordOf(tableRecord{
		Compare: true,
		Title:   "every class", Note: "a note", Unit: milliseconds,
		Rows: []rowRecord{rowOf("pread", true, 100, 101, 102, 100, 101), rowOf("mapped", true, 90, 91, 92, 90, 91)},
	})
	md, others := reported(t, writeRecord(t, r))
	assert.Equal(t, []string{"load-1.png", "load-1.svg"}, others)
	for _, want := range []string{
		"## load", "linux/amd64, 2 CPUs", "go1.26, record 2", "seed: 7", `a\|b.jar, 3.0 MiB`, "### every class", "a note",
		"|  | runs | mean ms | std dev | 99.9 % interval | median | min | median/1 | min/1 | CPU ms | peak MiB | faults |\n| --- | ---: | ---: |",
		"| pread | 5 | 100.8 | 0.84 | ", "| 101.0 | 100.0 | 1.00 | 1.00 | 100.8 | 20 | 12 |", "| 0.90 | 0.90 |",
		"- mapped takes less than pread: ",
	} {
		assert.Contains(t, md, want)
	}
	assert.NotContains(t, md, "reads", "a column of which nothing is known")
}

// The same records make the same bytes.
func TestReportAgain(t *testing.T) {
	t.Parallel()
	name := writeRecord(t, recordOf(
		tableRecord{Compare: true, Title: "a", Unit: milliseconds, Rows: []rowRecord{rowOf("pread", true, 1, 2, 3), rowOf("other", false, 2, 3, 4)}},
		linesOf(),
	))
	dirs := []string{t.TempDir(), t.TempDir()}
	for _, dir := range dirs {
		code, _, stderr := bench("report", "-o", dir, name, name)
		require.Equal(t, exitDone, code, stderr)
	}
	list, err := os.ReadDir(dirs[0])
	require.NoError(t, err)
	require.Len(t, list, 1+2*2*2)
	for _, e := range list {
		a, err := os.ReadFile(filepath.Join(dirs[0], e.Name()))
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(dirs[1], e.Name()))
		require.NoError(t, err)
		assert.True(t, string(a) == string(b), e.Name())
	}
}

func linesOf() tableRecord {
	tr := tableRecord{Compare: true, Title: "heap", Unit: milliseconds, Axis: "entries"}
	for _, series := range []string{"zipfile", "archive/zip"} {
		for x := int64(1000); x <= 100_000; x *= 10 {
			row := rowOf(fmt.Sprintf("%s, %d", series, x), series == "zipfile", 3, 4, 5)
			row.Series, row.X = series, float64(x)
			tr.Rows = append(tr.Rows, row)
		}
	}
	return tr
}

// Where there is an axis, the last point of each line is compared.
func TestReportLines(t *testing.T) {
	t.Parallel()
	md, others := reported(t, writeRecord(t, recordOf(linesOf())))
	assert.Equal(t, []string{"load-1.png", "load-1.svg"}, others)
	assert.Contains(t, md, "No difference shown between zipfile, 100000 and archive/zip, 100000")
	assert.NotContains(t, md, "between zipfile, 1000 ")
	assert.NotContains(t, md, "median/1", "other points are no ways to do the same")
}

// Warm and cold caches stand side by side in one plot, whichever way the tables say so.
func TestReportCold(t *testing.T) {
	t.Parallel()
	rows := []rowRecord{rowOf("pread", true, 1, 2), rowOf("mapped", true, 2, 3)}
	for _, tt := range []struct {
		name       string
		warm, cold tableRecord
		plots      int
	}{
		{"titles", tableRecord{Compare: true, Title: "load" + warmEnd}, tableRecord{Compare: true, Title: "load" + coldEnd}, 1},
		{"cold", tableRecord{Compare: true, Title: "load"}, tableRecord{Compare: true, Title: "load", Cold: "dropped"}, 1},
		{"both", tableRecord{Compare: true, Title: "load" + warmEnd}, tableRecord{Compare: true, Title: "load" + coldEnd, Cold: "dropped"}, 1},
		{"other titles", tableRecord{Compare: true, Title: "load" + warmEnd}, tableRecord{Compare: true, Title: "list" + coldEnd}, 2},
		{"two warm", tableRecord{Compare: true, Title: "load"}, tableRecord{Compare: true, Title: "load"}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.warm.Unit, tt.cold.Unit, tt.warm.Rows, tt.cold.Rows = milliseconds, milliseconds, rows, rows
			md, others := reported(t, writeRecord(t, recordOf(tt.warm, tt.cold)))
			assert.Len(t, others, 2*tt.plots)
			assert.Equal(t, 2, strings.Count(md, "\n### "))
		})
	}
}

// Rows that say nothing are named, not drawn.
func TestReportOddRows(t *testing.T) {
	t.Parallel()
	huge := rowOf("huge", false)
	huge.Runs = []measurement{{1, sample{Wall: math.MaxInt64, Value: math.MaxFloat64}}, {2, sample{Wall: math.MaxInt64, Value: math.MaxFloat64}}}
	rows := []rowRecord{{Name: "none"}, rowOf("warm-up", true), rowOf("one", false, 5), rowOf("zero", false, 0, 0), huge,
		rowOf("<script> | *bold*\n# head", false, 3, 4)}
	valued := unit{Name: "bytes", Scale: 10}
	many := tableRecord{Compare: true, Title: "many", Unit: milliseconds}
	for i := range mostRows + 1 {
		many.Rows = append(many.Rows, rowOf(fmt.Sprint(i), false, 1, 2))
	}
	md, others := reported(t, writeRecord(t, recordOf(
		tableRecord{Compare: true, Title: "odd", Unit: milliseconds, Rows: rows},
		tableRecord{Compare: true, Title: "odd, valued", Unit: valued, Valued: true, Rows: rows},
		tableRecord{Compare: true, Title: "odd, axis", Unit: milliseconds, Axis: "x", Rows: rows},
		tableRecord{Compare: true, Title: "nothing", Unit: milliseconds, Rows: rows[:2]},
		tableRecord{Compare: true, Title: "empty", Unit: milliseconds},
		many,
	)))
	assert.Len(t, others, 3*2)
	assert.Contains(t, md, "| none | 0 | - |")
	assert.Contains(t, md, "none: no run to count")
	assert.Contains(t, md, `| \<script\> \| \*bold\* \# head | 2 | 3.50 |`)
	assert.Contains(t, md, "Nothing was measured.")
	assert.False(t, strings.Contains(md, "NaN"), "a number that is none")
	assert.False(t, strings.Contains(md, "Inf"), "a number that is none")
}

func TestReportRefuses(t *testing.T) {
	t.Parallel()
	good, err := json.Marshal(recordOf(tableRecord{Compare: true, Title: "a", Unit: milliseconds, Rows: []rowRecord{rowOf("pread", true, 1, 2)}}))
	require.NoError(t, err)
	for _, tt := range []struct{ name, data, want string }{
		{"empty", "", "no record of bench"},
		{"words", "version 2", "no record of bench"},
		{"cut off", string(good[:len(good)/2]), "no record of bench"},
		{"more behind", string(good) + "{}", "no record of bench"},
		{"array", "[]", "no record of bench"},
		{"null", "null", "it has no version"},
		{"no version", `{"experiment": "load"}`, "it has no version"},
		{"before", `{"version": 1}`, "a record of version 1; this bench reads version 2"},
		{"after", `{"version": 3}`, "a record of version 3"},
		{"other types", `{"version": 2, "tables": [{"rows": 3}]}`, "cannot unmarshal"},
		{"number too large", `{"version": 2, "tables": [{"unit": {"scale": 1e999}}]}`, "1e999"},
		{"no unit", `{"version": 2, "tables": [{"title": "a"}]}`, "its unit has the scale 0"},
		{"negative unit", `{"version": 2, "tables": [{"unit": {"scale": -1}}]}`, "its unit has the scale -1"},
		{"nested", strings.Repeat("[", 100_000), "no record of bench"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			name := filepath.Join(dir, "r.json")
			require.NoError(t, os.WriteFile(name, []byte(tt.data), 0o666))
			out := filepath.Join(dir, "out")
			code, stdout, stderr := bench("report", "-o", out, name)
			assert.Equal(t, exitFailed, code)
			assert.Contains(t, stderr, tt.want)
			assert.Contains(t, stderr, "r.json")
			assert.Empty(t, stdout)
			assert.NoDirExists(t, out)
		})
	}
}

// No record that JSON can say makes report panic.
func FuzzReport(f *testing.F) {
	for _, r := range []*record{recordOf(linesOf()), recordOf(tableRecord{Compare: true, Title: "a", Unit: milliseconds, Rows: []rowRecord{rowOf("pread", true, 1, 2)}})} {
		b, err := json.Marshal(r)
		require.NoError(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		name := filepath.Join(dir, "r.json")
		require.NoError(t, os.WriteFile(name, data, 0o666))
		bench("report", "-o", filepath.Join(dir, "out"), name)
	})
}

func TestToolsUsage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string // in stderr, or in stdout where the code is 0
	}{
		{"help of report", []string{"report", "-h"}, exitDone, "bench report -o report load.json"},
		{"no file", []string{"report"}, exitUsage, "which files?"},
		{"missing file", []string{"report", "no-such.json"}, exitFailed, "no-such.json"},
		{"flag of report", []string{"report", "-walks"}, exitUsage, "not defined: -walks"},
		{"empty directory", []string{"report", "-o", "", "a.json"}, exitUsage, "-o: is empty"},
		{"help of gen", []string{"gen", "-h"}, exitDone, "bench gen -compare app.jar"},
		{"argument of gen", []string{"gen", "a.jar"}, exitUsage, `unexpected argument "a.jar"`},
		{"sizes", []string{"gen", "-sizes", "wide"}, exitUsage, `-sizes: "wide"`},
		{"size", []string{"gen", "-sizes", "fixed:0"}, exitUsage, `-sizes: "0"`},
		{"methods", []string{"gen", "-methods", "deflate,bzip2"}, exitUsage, `-methods: "bzip2"`},
		{"level", []string{"gen", "-level", "10"}, exitUsage, "level 10"},
		{"level 0", []string{"gen", "-level", "0"}, exitUsage, "-level: want 1 to 9"},
		{"depth", []string{"gen", "-depth", "-1"}, exitUsage, "depth -1"},
		{"entries", []string{"gen", "-entries", "-1"}, exitUsage, "-1 entries"},
		{"entries to compare", []string{"gen", "-compare", "a.jar", "-entries", "0"}, exitUsage, "want at least 1"},
		{"runs", []string{"gen", "-runs", "3"}, exitUsage, "-runs: is for -compare"},
		{"one run", []string{"gen", "-compare", "a.jar", "-runs", "1"}, exitUsage, "want at least 2"},
		{"compare and write", []string{"gen", "-compare", "a.jar", "-o", "b.jar"}, exitUsage, "takes no flags but"},
		{"compare with nothing", []string{"gen", "-compare", "no-such.jar"}, exitFailed, "no-such.jar"},
		{"help of corpus", []string{"corpus", "-h"}, exitDone, "bench corpus vnu closure-compiler"},
		{"unknown jar", []string{"corpus", "nobody"}, exitUsage, `no jar "nobody"`},
		{"list", []string{"corpus", "-list"}, exitDone, "vnu-jar"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := bench(tt.args...)
			assert.Equal(t, tt.code, code)
			said, silent := stderr, stdout
			if code == exitDone {
				said, silent = stdout, stderr
			}
			assert.Equal(t, 1, strings.Count(said, tt.want), said)
			assert.Empty(t, silent)
		})
	}
}

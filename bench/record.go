package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
)

// recordVersion changes whenever what is written would be read wrongly.
const recordVersion = 2

// record is one experiment with all its runs, as -json writes it and report reads it.
type record struct {
	Version    int           `json:"version"`
	Experiment string        `json:"experiment"`
	Go         string        `json:"go"`
	OS         string        `json:"os"`
	Arch       string        `json:"arch"`
	CPUs       int           `json:"cpus"`
	Seed       uint64        `json:"seed"`
	Jars       []jarFile     `json:"jars"`
	Tables     []tableRecord `json:"tables"`

	tables []*table
}

// jarFile is a jar without its directory: a record may be shown to others.
type jarFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"` // bytes
}

// tableRecord is a table with its runs.
type tableRecord struct {
	Title   string      `json:"title"`
	Note    string      `json:"note,omitempty"`
	Unit    unit        `json:"unit"`
	Valued  bool        `json:"valued,omitempty"`  // the unit is that of value, not of wall_ns
	Axis    string      `json:"axis,omitempty"`    // what x is; then rows of a series are a line
	Cold    string      `json:"cold,omitempty"`    // how the caches were emptied
	Stages  bool        `json:"stages,omitempty"`  // rows are not ways to do the same: nothing is compared
	Compare bool        `json:"compare,omitempty"` // say in words how rows compare with the first
	Rows    []rowRecord `json:"rows"`
}

// rowRecord is a contender.
type rowRecord struct {
	Name   string        `json:"name"`
	Ours   bool          `json:"ours,omitempty"`
	Series string        `json:"series,omitempty"`
	X      float64       `json:"x,omitempty"`
	Runs   []measurement `json:"runs"` // in the order in which they ran
}

func newRecord(experiment string, o *options) *record {
	r := &record{
		Version:    recordVersion,
		Experiment: experiment,
		Go:         runtime.Version(),
		OS:         runtime.GOOS,
		Arch:       runtime.GOARCH,
		CPUs:       runtime.NumCPU(),
		Seed:       o.seed,
	}
	for _, name := range o.jars {
		r.Jars = append(r.Jars, jarFile{filepath.Base(name), fileSize(name)})
	}
	return r
}

// add takes a table that was measured.
func (r *record) add(t *table) {
	tr := tableRecord{Title: t.title, Note: t.note, Unit: t.unit, Valued: t.valued, Axis: t.axis, Cold: t.coldHow, Stages: t.stages, Compare: t.compare}
	for _, c := range t.list {
		tr.Rows = append(tr.Rows, rowRecord{c.name, c.ours, c.series, c.x, c.runs})
	}
	r.Tables, r.tables = append(r.Tables, tr), append(r.tables, t)
}

func (r *record) write(name string) error {
	b, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(b, '\n'), 0o666)
}

// fileSize is 0 for a file that is not there.
func fileSize(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}

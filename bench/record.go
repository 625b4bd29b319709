package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
)

// record is one experiment with all its runs, as -json writes it.
type record struct {
	Experiment string    `json:"experiment"`
	Go         string    `json:"go"`
	OS         string    `json:"os"`
	Arch       string    `json:"arch"`
	CPUs       int       `json:"cpus"`
	Seed       uint64    `json:"seed"`
	Shuffle    bool      `json:"shuffle"`
	Workers    int       `json:"workers"`
	Jars       []jarFile `json:"jars"`
	Variants   []variant `json:"variants"`
	Runs       []oneRun  `json:"runs"` // in the order in which they ran

	jars []string // paths of Jars
}

// jarFile is a jar without its directory: a record may be shown to others.
type jarFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// oneRun is a process that was measured.
type oneRun struct {
	Variant string `json:"variant"`
	Round   int    `json:"round"` // 0: warm-up, not counted
	sample
}

func newRecord(experiment string, seed uint64, shuffle bool, jars []string, variants []variant) *record {
	r := &record{
		Experiment: experiment,
		Go:         runtime.Version(),
		OS:         runtime.GOOS,
		Arch:       runtime.GOARCH,
		CPUs:       runtime.NumCPU(),
		Seed:       seed,
		Shuffle:    shuffle,
		Variants:   variants,
		jars:       jars,
	}
	for _, name := range jars {
		f := jarFile{Name: filepath.Base(name)}
		if info, err := os.Stat(name); err == nil {
			f.Size = info.Size()
		}
		r.Jars = append(r.Jars, f)
	}
	return r
}

func (r *record) write(name string) error {
	b, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(b, '\n'), 0o666)
}

// counted returns the runs of a variant without its warm-up.
func (r *record) counted(label string) []sample {
	var list []sample
	for _, run := range r.Runs {
		if run.Variant == label && run.Round > 0 {
			list = append(list, run.sample)
		}
	}
	return list
}

func (r *record) summaries() []summary {
	var list []summary
	for _, v := range r.Variants {
		s := summarize(v, r.counted(v.Label))
		s.workers = r.Workers
		list = append(list, s)
	}
	return list
}

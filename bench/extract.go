package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/extract"
)

var extractExperiment = &experiment{
	name:     "extract",
	summary:  "unpack an archive into an empty directory",
	defaults: defaults{flags: flagBackends | flagDir | flagWorkers, runs: 5, workers: "1,2"},
	tables:   extractTables,
}

func extractTables(_ context.Context, b *harness, o *options) ([]*table, error) {
	out, err := b.scratch(o.dir)
	if err != nil {
		return nil, err
	}
	var list []*table
	for _, jar := range o.jars {
		t := &table{
			title: "unpacking all entries of " + jarLine(jar),
			note:  "the directory is emptied outside the clock; the last writes the same files from memory",
			unit:  milliseconds,
		}
		add := func(name string, j job) {
			j.Jars = []string{jar}
			dir := ""
			c := t.reader(name, true, j)
			c.before = func() (err error) { dir, err = emptied(out); return err }
			c.cmd = func(ctx context.Context) (*exec.Cmd, error) {
				j.Dir = dir
				return childProcess(ctx, j)
			}
		}
		for _, workers := range o.workers {
			for _, v := range o.variants {
				add(fmt.Sprintf("zipfile/extract %s, %s", v.label, plural(workers, "goroutine")),
					job{Experiment: "extract", Backend: v.backend, Workers: workers})
			}
		}
		t.writer(out, jar)
		list = append(list, t)
	}
	return list, nil
}

// scratch returns a directory below dir that goes when the bench is closed.
func (b *harness) scratch(dir string) (string, error) {
	out, err := os.MkdirTemp(dir, "bench-unpacked-")
	if err == nil {
		b.scratches = append(b.scratches, out)
	}
	return out, err
}

// extractAll unpacks a jar.
func extractAll(j job) (s sample, err error) {
	m := startMeter()
	err = withZip(j, func(z *zipfile.ZipFile) error {
		root, err := os.OpenRoot(j.Dir)
		if err != nil {
			return err
		}
		defer root.Close()
		r, err := extract.Unpack(context.Background(), root, z.Entries(), &extract.Options{Workers: j.Workers})
		if err != nil {
			return err
		}
		for _, f := range r.Failed {
			return f
		}
		s.Entries, s.Bytes = int64(r.Files), r.Bytes
		return nil
	})
	m.stop(&s)
	return s, err
}

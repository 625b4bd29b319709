package main

import (
	"archive/zip"
	"context"
	"errors"
	"time"

	kzip "github.com/klauspost/compress/zip"

	"zipcat.dev/zipfile"
)

var listExperiment = &experiment{
	name:     "list",
	summary:  "open an archive and look at name, size and time of every entry",
	defaults: defaults{flags: flagBackends | flagCache, runs: 10, cache: "warm"},
	tables:   listTables,
}

func listTables(_ context.Context, _ *harness, o *options) ([]*table, error) {
	var list []*table
	for _, jar := range o.jars {
		list = append(list, o.withCache(func(cache string) *table {
			t := &table{title: "every entry of " + jarLine(jar) + cache, unit: milliseconds, compare: true, single: true}
			for _, v := range o.variants {
				t.reader("zipfile "+v.label, true, job{Experiment: "list", Reader: "zipfile", Backend: v.backend, Jars: []string{jar}})
			}
			for _, name := range []string{readGo, readKlauspostZip} {
				t.reader(name, false, job{Experiment: "list", Reader: name, Jars: []string{jar}})
			}
			return t
		})...)
	}
	return list, nil
}

// listEntries looks at all entries.
func listEntries(j job) (s sample, err error) {
	var letters int
	var newest time.Time
	look := func(name string, size int64, modified time.Time) {
		s.Entries++
		s.Digest += uint64(size) // of what they declare
		letters += len(name)
		if modified.After(newest) {
			newest = modified
		}
	}
	m := startMeter()
	switch j.Reader {
	case "zipfile":
		err = withZip(j, func(z *zipfile.ZipFile) error {
			for e := range z.Entries() {
				look(e.Name(), e.Size(), e.Modified())
			}
			return nil
		})
	case readGo:
		var z *zip.ReadCloser
		if z, err = zip.OpenReader(j.Jars[0]); err == nil {
			for _, f := range z.File {
				look(f.Name, int64(f.UncompressedSize64), f.Modified)
			}
			err = z.Close()
		}
	case readKlauspostZip:
		var z *kzip.ReadCloser
		if z, err = kzip.OpenReader(j.Jars[0]); err == nil {
			for _, f := range z.File {
				look(f.Name, int64(f.UncompressedSize64), f.Modified)
			}
			err = z.Close()
		}
	default:
		err = errors.New("job: no such reader")
	}
	m.stop(&s)
	return s, err
}

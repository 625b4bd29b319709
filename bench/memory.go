package main

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	kzip "github.com/klauspost/compress/zip"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

var memoryExperiment = &experiment{
	name:     "memory",
	summary:  "what an open archive holds of the heap, for one entry of its directory",
	defaults: defaults{flags: flagBackends | flagMost, runs: 3, noJars: true},
	tables:   memoryTables,
}

func memoryTables(ctx context.Context, b *harness, o *options) ([]*table, error) {
	w, err := b.workshop()
	if err != nil {
		return nil, err
	}
	javas, err := w.java(ctx)
	if err != nil {
		fmt.Fprintf(b.stdout, "without Java: %v\n", err)
	}
	t := &table{
		title: "heap that an open archive holds, for one entry",
		note: "names of 16 bytes, 62 bytes of the directory for each; the heap after a collection, before and after opening and lookups, so that indexes are built;\n" +
			"  the peak is that of the whole process",
		unit: bytesEach, valued: true, axis: "entries", differ: true, single: true,
	}
	for _, n := range memorySteps(o.most) {
		archive, err := cachedFile(fmt.Sprintf("many-%d-v1.zip", n), b.stderr, func(w io.Writer) error { return writeMany(w, n) })
		if err != nil {
			return nil, err
		}
		add := func(series string, c *contender) { c.series, c.x = series, float64(n) }
		for _, v := range o.variants {
			name := "zipfile " + v.label
			add(name, t.reader(fmt.Sprintf("%s, %d", name, n), true, job{Experiment: "memory", Reader: "zipfile", Backend: v.backend, Jars: []string{archive}}))
		}
		for _, name := range []string{readGo, readKlauspostZip} {
			add(name, t.reader(fmt.Sprintf("%s, %d", name, n), false, job{Experiment: "memory", Reader: name, Jars: []string{archive}}))
		}
		for _, j := range javas {
			t.program(fmt.Sprintf("%s ZipFile, %d", j.name, n), false, j.path, "-cp", w.path(""), "ZipHeld", archive)
			add(j.name+" ZipFile", t.list[len(t.list)-1])
		}
	}
	return []*table{t}, nil
}

// memorySteps returns the numbers of entries to measure, up to most and with it. Those below are
// round, so that runs with different ones share them, and end at half of it: what lies nearer
// would show the same.
func memorySteps(most int) []int {
	var steps []int
	for n := 1000; n <= most/2; n *= 10 {
		steps = append(steps, n)
	}
	return append(steps, most)
}

// writeMany writes an archive of n small entries.
func writeMany(w io.Writer, n int) error {
	image := ziptest.Archive{More: ziptest.Many(n)}.Build()
	_, err := io.Copy(w, io.NewSectionReader(image, 0, image.Size()))
	return err
}

// holdOpen opens an archive and looks a name up, so that indexes are built. Value is what that holds of the heap, in bytes
// for an entry.
func holdOpen(j job) (s sample, err error) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what pools hold goes with the second
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	var held any
	m := startMeter()
	switch j.Reader {
	case "zipfile":
		z, err := zipfile.Open(j.Jars[0], &zipfile.Options{Backend: j.Backend})
		if err != nil {
			return s, err
		}
		defer z.Close()
		if err := uses(z, j.Backend, j.Jars[0]); err != nil {
			return s, err
		}
		for range 2 { // the index is built at the second
			z.Lookup("none")
		}
		s.Entries, held = int64(z.Len()), z
	case readGo:
		z, err := zip.OpenReader(j.Jars[0])
		if err != nil {
			return s, err
		}
		defer z.Close()
		z.Open("none") // makes its list for lookups
		s.Entries, held = int64(len(z.File)), z
	case readKlauspostZip:
		z, err := kzip.OpenReader(j.Jars[0])
		if err != nil {
			return s, err
		}
		defer z.Close()
		z.Open("none")
		s.Entries, held = int64(len(z.File)), z
	default:
		return s, errors.New("job: no such reader")
	}
	m.stop(&s)
	if s.Entries == 0 {
		return s, errNothing
	}
	s.Value = float64(heap()-before) / float64(s.Entries)
	runtime.KeepAlive(held)
	return s, nil
}

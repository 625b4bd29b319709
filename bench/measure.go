package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
)

// maxErrors is how many errors of entries a sample quotes; all are counted.
const maxErrors = 5

// loadClasses opens the jars one after the other and reads each one's classes before it goes on
// to the next, or opens all and reads their classes in random order. All stay open to the end,
// as those of a class loader do.
func loadClasses(j job) (sample, error) {
	var open []*zipfile.ZipFile
	defer func() {
		for _, z := range open {
			z.Close()
		}
	}()

	l := loader{}
	startCPU := cpuTime()
	start := time.Now()
	type card struct {
		entry zipfile.Entry
		jar   string
	}
	var deck []card
	for _, name := range j.Jars {
		z, err := zipfile.Open(name, &zipfile.Options{Backend: j.Backend})
		if err != nil {
			return sample{}, err
		}
		open = append(open, z)
		for e := range z.Entries() {
			switch {
			case e.IsDir() || !strings.HasSuffix(e.Name(), ".class"):
			case j.Shuffle:
				deck = append(deck, card{e, name})
			default:
				l.load(e, name)
			}
		}
	}
	rand.New(rand.NewPCG(j.Seed, 0)).Shuffle(len(deck), func(a, b int) { deck[a], deck[b] = deck[b], deck[a] })
	for _, c := range deck {
		l.load(c.entry, c.jar)
	}
	l.Wall = time.Since(start).Nanoseconds()
	if startCPU >= 0 {
		l.CPU = (cpuTime() - startCPU).Nanoseconds()
	}
	l.Peak = peakMemory()

	for i, z := range open {
		used := z.Backend().Name
		// The number would stand under the wrong name.
		if j.Backend != backend.Auto && used != j.Backend.String() {
			return sample{}, fmt.Errorf("%s: asked for %v, got %s (%s)", j.Jars[i], j.Backend, used, z.Backend().Reason)
		}
		if i > 0 && used != l.Used {
			used = "mixed"
		}
		l.Used = used
	}
	return l.sample, nil
}

// loader reads classes into a buffer that it uses again and again.
type loader struct {
	sample
	buf []byte
}

// load reads one class.
func (l *loader) load(e zipfile.Entry, jar string) {
	data, err := e.AppendTo(l.buf[:0])
	if err != nil {
		l.Failed++
		if len(l.Errors) < maxErrors {
			l.Errors = append(l.Errors, filepath.Base(jar)+": "+err.Error())
		}
		return
	}
	l.buf = data
	l.Classes++
	l.Bytes += int64(len(data))
	// The library has compared the contents with this checksum.
	l.Digest += uint64(e.CRC32()) * uint64(len(data)+1)
}

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
)

// maxErrors is how many errors of entries a sample quotes; all are counted.
const maxErrors = 5

// loadClasses opens the jars one after the other and loads each one's classes before it goes on
// to the next, or opens all and reads their classes one by one in random order. All stay open to
// the end, as those of a class loader do.
func loadClasses(j job) (sample, error) {
	var open []*zipfile.ZipFile
	defer func() {
		for _, z := range open {
			z.Close()
		}
	}()

	l := loader{}
	m := startMeter()
	for _, name := range j.Jars {
		z, err := zipfile.Open(name, &zipfile.Options{Backend: j.Backend})
		if err != nil {
			return sample{}, err
		}
		open = append(open, z)
		if j.Shuffle {
			continue
		}
		if err := l.loadAll(z, name, j.Workers); err != nil {
			return sample{}, err
		}
	}
	m.stop(&l.sample)
	if j.Shuffle {
		order := shuffledClasses(open, j) // outside the clock: who asks a class loader knows what for
		m = startMeter()
		for _, c := range order {
			l.load(c.entry, c.jar)
		}
		m.stop(&l.sample)
	}

	for i, z := range open {
		if err := uses(z, j.Backend, j.Jars[i]); err != nil {
			return sample{}, err
		}
		used := z.Backend().Name
		if i > 0 && used != l.Used {
			used = "mixed"
		}
		l.Used = used
	}
	return l.sample, nil
}

// class is an entry and the path of its jar.
type class struct {
	entry zipfile.Entry
	jar   string
}

// shuffledClasses returns the classes of the jars of j, which are open, in random order.
func shuffledClasses(open []*zipfile.ZipFile, j job) []class {
	var list []class
	for i, z := range open {
		for e := range z.Entries() {
			if isClass(e) {
				list = append(list, class{e, j.Jars[i]})
			}
		}
	}
	rand.New(rand.NewPCG(j.Seed, 0)).Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
	return list
}

// uses is an error when z is not read through the backend that was asked for: the number would
// stand under the wrong name.
func uses(z *zipfile.ZipFile, k backend.Kind, jar string) error {
	if used := z.Backend(); k != backend.Auto && used.Name != k.String() {
		return fmt.Errorf("%s: asked for %v, got %s (%s)", jar, k, used.Name, used.Reason)
	}
	return nil
}

func isClass(e zipfile.Entry) bool { return !e.IsDir() && strings.HasSuffix(e.Name(), ".class") }

// loader counts the classes that were read.
type loader struct {
	mu sync.Mutex // for loadAll, whose callbacks run at the same time
	sample
	buf []byte // of load
}

// loadAll reads all classes of a jar.
func (l *loader) loadAll(z *zipfile.ZipFile, jar string, workers int) error {
	return z.Load(context.Background(), zipfile.LoadOptions{
		Workers: workers,
		Match:   isClass,
		OnError: func(e zipfile.Entry, err error) error {
			l.failed(jar, err)
			return nil
		},
		Large: func(e zipfile.Entry) error {
			n, err := e.WriteTo(io.Discard)
			if err != nil {
				l.failed(jar, err) // OnError is not for those that are streamed
				return nil
			}
			l.read(e, n)
			return nil
		},
	}, func(e zipfile.Entry, data []byte) error {
		l.read(e, int64(len(data)))
		return nil
	})
}

// load reads one class, into a buffer that is used again and again.
func (l *loader) load(e zipfile.Entry, jar string) {
	data, err := e.AppendTo(l.buf[:0])
	if err != nil {
		l.failed(jar, err)
		return
	}
	l.buf = data
	l.read(e, int64(len(data)))
}

// read counts a class of n bytes.
func (l *loader) read(e zipfile.Entry, n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Entries++
	l.Bytes += n
	// The library has compared the contents with this checksum.
	l.Digest += uint64(e.CRC32()) * uint64(n+1)
}

// failed counts a class that could not be read.
func (l *loader) failed(jar string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Failed++
	if len(l.Errors) < maxErrors {
		l.Errors = append(l.Errors, filepath.Base(jar)+": "+err.Error())
	}
}

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"runtime"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
)

func (a *app) test() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "test ARCHIVE...",
		Short: "Read every byte and report what is damaged",
		Long: `Read every entry of the archives, check it against size and CRC, and report in the
order of the directory. With --quiet only what fails is reported.`,
		Example: `  zipcat test *.jar
  zipcat test --json app.jar`,
		Args: needs("ARCHIVE"),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, name := range args {
				t := tester{app: a, json: asJSON}
				if len(args) > 1 {
					t.label = name
				}
				t.archive(name)
				if a.out.failed() {
					return nil
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per entry, with SHA-256, and a summary")
	return cmd
}

// tester tests one archive.
type tester struct {
	*app
	json  bool
	label string // the archive's name where there are several
}

// verdict is what reading an entry came to.
type verdict struct {
	entry  zipfile.Entry
	err    error
	sha256 string // with --json, of an entry that is whole
}

func (t *tester) archive(name string) {
	ar, err := t.tryOpen(name)
	if err != nil {
		if t.json {
			t.printJSON(openError{Archive: t.label, Kind: openErrorKind(err), Message: errorText(err)})
		}
		t.say.archive(name, err)
		t.exit.note(exitArchive)
		return
	}
	defer ar.Close()
	errors := 0
	verdicts(ar.ZipFile, t.json, func(v verdict) bool {
		if v.err != nil {
			errors++
			t.exit.note(entryExit(v.err))
		}
		t.report(ar, v)
		return !t.out.failed()
	})
	t.summary(ar, errors)
}

func (t *tester) report(ar *archive, v verdict) {
	name := v.entry.Name()
	switch {
	case t.json && v.err == nil:
		t.printJSON(testedEntry{Archive: t.label, Name: name, Status: "ok", SHA256: v.sha256})
	case t.json:
		t.printJSON(testedEntry{Archive: t.label, Name: name, Status: "error", Error: zipfile.ErrorKind(v.err), Message: errorText(v.err)})
	case v.err != nil:
		t.say.entry(ar.name, name, v.err)
	case !t.flags.quiet:
		fmt.Fprintf(t.out, "ok  %s\n", printable(name))
	}
}

func (t *tester) summary(ar *archive, errors int) {
	found := ar.Findings()
	if !t.json {
		if t.flags.quiet {
			return
		}
		for _, f := range found {
			fmt.Fprintf(t.out, "finding  %s\n", findingText(f))
		}
		fmt.Fprintf(t.out, "%s: %s, %s, %s\n", printable(archiveTitle(ar.name)), plural(int64(ar.Len()), "entry", "entries"),
			plural(int64(errors), "error", "errors"), plural(int64(len(found)), "finding", "findings"))
		return
	}
	s := summary{Entries: ar.Len(), OK: ar.Len() - errors, Errors: errors, Findings: make([]foundFinding, len(found)), Backend: ar.Backend().Name}
	for i, f := range found {
		s.Findings[i] = foundFinding{Kind: f.Kind, Entry: f.Entry, Offset: f.Offset, Text: f.Text}
	}
	t.printJSON(testedArchive{Archive: t.label, Summary: s})
}

// findingText is a finding in a line.
func findingText(f zipfile.Finding) string {
	text := f.Kind + ": "
	if f.Index >= 0 {
		text += printable(f.Entry) + ": "
	}
	return text + f.Text
}

// verdicts reads all entries on as many goroutines as there are processors, and hands out what
// that came to in the order of the directory, until yield returns false. Contents are not
// kept: those that are hashed or only checked stream through.
func verdicts(z *zipfile.ZipFile, hash bool, yield func(verdict) bool) {
	type job struct {
		entry zipfile.Entry
		*reading
	}
	workers := runtime.GOMAXPROCS(0)
	jobs := make(chan job)
	// The order of answers: as many entries may be ahead of the one that is waited for.
	order := make(chan job, 64*workers)
	stop := make(chan struct{})
	for range workers {
		go func() {
			for j := range jobs {
				j.verdict = read(j.entry, hash)
				close(j.done)
			}
		}()
	}
	go func() {
		defer close(order)
		defer close(jobs)
		same := newRepeats(z)
		for e := range z.Entries() {
			r, first := same.reading(e)
			select {
			case order <- job{e, r}:
			case <-stop:
				return
			}
			if first {
				jobs <- job{e, r}
			}
		}
	}()
	defer close(stop)
	for j := range order {
		<-j.done
		v := j.verdict
		v.entry = j.entry
		if !yield(v) {
			return
		}
	}
}

// reading is one reading of contents, which may be those of several entries.
type reading struct {
	done    chan struct{} // closed when the verdict is there
	verdict verdict
}

// repeats finds records that say the same of the same bytes: a thousand copies of the record of
// a large entry take no room in an archive, and what comes of reading it is the same each time.
type repeats struct {
	z    *zipfile.ZipFile
	seen map[record]*reading // nil if there are none
}

// record is what reading an entry depends on.
type record struct {
	header, size, compressed int64
	crc                      uint32
	method                   zipfile.Method
	flags                    uint16
	mode                     fs.FileMode
	name, extra              string
}

func recordOf(e zipfile.Entry) record {
	return record{
		e.HeaderOffset(), e.Size(), e.CompressedSize(), e.CRC32(), e.Method(), e.Flags(), e.Mode(), e.RawName(), string(e.Extra()),
	}
}

func newRepeats(z *zipfile.ZipFile) *repeats {
	r := &repeats{z: z}
	last := int64(-1)
	for e := range z.Entries() {
		// In nearly all archives the entries stand in the order of the directory.
		if h := e.HeaderOffset(); h > last {
			last = h
			continue
		}
		r.seen = make(map[record]*reading)
		break
	}
	return r
}

// reading returns the reading of an entry; first is set if it is that of no earlier one.
func (r *repeats) reading(e zipfile.Entry) (_ *reading, first bool) {
	if r.seen == nil {
		return newReading(), true
	}
	last, _ := r.z.Lookup(e.Name())
	if last == e && len(r.seen) == 0 {
		return newReading(), true
	}
	rec := recordOf(e)
	if before := r.seen[rec]; before != nil {
		return before, false
	}
	n := newReading()
	if last != e { // one of the same name follows
		r.seen[rec] = n
	}
	return n, true
}

func newReading() *reading { return &reading{done: make(chan struct{})} }

func read(e zipfile.Entry, hash bool) verdict {
	v := verdict{entry: e}
	if !hash {
		_, v.err = e.WriteTo(io.Discard)
		return v
	}
	h := sha256.New()
	if _, v.err = e.WriteTo(h); v.err == nil {
		v.sha256 = hex.EncodeToString(h.Sum(nil))
	}
	return v
}

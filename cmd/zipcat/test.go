package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
)

func (a *app) test() *cobra.Command {
	var asJSON, recursive bool
	var depth int
	cmd := &cobra.Command{
		Use:   "test ARCHIVE...",
		Short: "Read every byte and report what is damaged",
		Long: `Read every entry of the archives, check it against size and CRC, and report in the
order of the directory. With --quiet only what fails is reported. With -r an
ARCHIVE may be a directory: the files in it that have names of archives (see zipcat
help archive-names) are tested, links to files too. Archives within archives are read as entries; with --depth they
are tested as well, after the archive that they are in.`,
		Example: `  zipcat test *.jar
  zipcat test --depth 1 app.war
  zipcat test --quiet -r ~/.m2
  zipcat test --json app.jar`,
		Args: needs("ARCHIVE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if depth < 0 {
				return negative(depth, "depth")
			}
			for name, err := range a.archives(args, recursive) {
				t := tester{app: a, json: asJSON, depth: depth}
				if len(args) > 1 || name != args[0] || depth > 0 {
					t.label = name
				}
				if err != nil {
					t.unopened(name, err)
				} else {
					t.archive(name)
				}
				if a.out.failed() {
					return nil
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per entry, with SHA-256, and a summary")
	cmd.Flags().BoolVarP(&recursive, "recursive", "r", false, "test the archives in directories")
	cmd.Flags().IntVar(&depth, "depth", 0, "test archives up to `n` deep within others too")
	return cmd
}

// archives gives the archives that arguments name: those in a directory where it is one and that is
// asked for. With an error it is what cannot be looked at.
func (a *app) archives(args []string, recursive bool) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, name := range args {
			path := pathOfURL(name)
			st, err := os.Stat(path)
			switch {
			case err != nil || !st.IsDir():
				if !yield(name, nil) {
					return
				}
			case !recursive:
				a.say.directory(name)
				a.exit.note(exitArchive)
			default:
				any, enough := false, false
				walkArchives(path, func(path string, err error) error {
					any = true
					if enough = !yield(path, err); enough {
						return fs.SkipAll
					}
					return nil
				})
				if enough {
					return
				}
				if !any {
					a.say.noArchives(name)
					a.exit.note(exitNoMatch)
				}
			}
		}
	}
}

// tester tests one archive.
type tester struct {
	*app
	json  bool
	label string // the archive's name where there are several
	depth int    // archives within this one that are tested too
}

// verdict is what reading an entry came to.
type verdict struct {
	entry  zipfile.Entry
	err    error
	sha256 string // with --json, of an entry that is whole
}

func (t *tester) archive(name string) {
	t.budget = nil // one for each archive
	ar, err := t.tryOpen(name, nil)
	if err != nil {
		t.unopened(name, err)
		return
	}
	defer ar.Close()
	opened := 0
	t.tested(ar, 0, &opened)
}

func (t *tester) unopened(name string, err error) { t.notOpened(name, t.label, t.json, err) }

// tested tests ar, which is level archives deep in others, then those in it; opened counts these over the
// whole tree.
func (t *tester) tested(ar *archive, level int, opened *int) {
	failed := 0
	var inner []zipfile.Entry // whole, in the order of the directory
	bar := t.watch(ar)
	verdicts(ar.ZipFile, t.json, func(v verdict) bool {
		if v.err != nil {
			failed++
			t.exit.note(entryExit(v.err))
		} else if t.depth > 0 && isInner(ar, v.entry) {
			inner = append(inner, v.entry)
		}
		bar.add(int(v.entry.Size()))
		if v.err != nil {
			bar.pause()
			defer bar.resume()
		}
		t.report(ar, v)
		return !t.out.failed()
	})
	bar.stop()
	t.summary(ar, failed)
	for _, e := range inner {
		if t.out.failed() {
			return
		}
		one := tester{app: t.app, json: t.json, label: ar.name + innerSep + e.Name(), depth: t.depth - 1}
		in, err := (*archive)(nil), errTooMany
		switch *opened++; {
		case level == maxNesting:
			err = errNesting
		case *opened <= maxInner:
			in, err = t.enter(ar, e)
		}
		if err != nil {
			one.unopened(one.label, err)
			if err == errTooMany || err == errNesting || errors.Is(err, errBudget) {
				return
			}
			continue
		}
		one.tested(in, level+1, opened)
		in.ZipFile.Close() // the outer one is still tested
	}
}

// watch shows how far the test is, where that is not to be seen from the report.
func (t *tester) watch(ar *archive) *progress {
	if t.shown {
		return new(progress)
	}
	var total int64
	for e := range ar.Entries() {
		total = saturated(total, e.Size())
	}
	return t.progress("testing", total)
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
		if t.label != "" {
			name = t.label + innerSep + name
		}
		fmt.Fprintf(t.out, "ok  %s\n", printable(name))
	}
}

func (t *tester) summary(ar *archive, failed int) {
	found := foundFindings(ar.Findings())
	if !t.json {
		if t.flags.quiet {
			return
		}
		for _, f := range found {
			fmt.Fprintf(t.out, "finding  %s\n", f)
		}
		fmt.Fprintf(t.out, "%s: %s, %s, %s\n", printable(archiveTitle(ar.name)), plural(int64(ar.Len()), "entry", "entries"),
			plural(int64(failed), "error", "errors"), plural(int64(len(found)), "finding", "findings"))
		return
	}
	s := summary{Entries: ar.Len(), OK: ar.Len() - failed, Errors: failed, Findings: found, Backend: ar.Backend().Name}
	t.printJSON(testedArchive{Archive: t.label, Summary: s})
}

// verdicts reads all entries on as many goroutines as there are processors, and hands out what
// that came to in the order of the directory, until yield returns false.
func verdicts(z *zipfile.ZipFile, hash bool, yield func(verdict) bool) {
	same := newRepeats(z)
	o := ordered{z: z, same: same, yield: yield, ready: make(map[int]verdict)}
	// Failing entries are verdicts, so that what is left is that nobody wants to know more.
	z.Load(context.Background(), zipfile.LoadOptions{
		Match:   same.first,
		OnError: func(e zipfile.Entry, err error) error { return o.put(verdict{entry: e, err: err}) },
		Large:   func(e zipfile.Entry) error { return o.put(read(e, hash)) },
	}, func(e zipfile.Entry, data []byte) error {
		v := verdict{entry: e}
		if hash {
			sum := sha256.Sum256(data)
			v.sha256 = hex.EncodeToString(sum[:])
		}
		return o.put(v)
	})
}

// ordered puts verdicts into the order of the directory.
type ordered struct {
	z     *zipfile.ZipFile
	same  *repeats
	yield func(verdict) bool

	mu    sync.Mutex
	next  int             // the entry whose turn it is
	over  bool            // yield returned false
	ready map[int]verdict // of entries whose turn has not come, or that others repeat
}

var errEnough = errors.New("enough")

func (o *ordered) put(v verdict) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ready[v.entry.Index()] = v
	for !o.over && o.next < o.z.Len() {
		i, repeated := o.same.of(o.next)
		v, ok := o.ready[i]
		if !ok {
			break
		}
		if !repeated {
			delete(o.ready, i)
		}
		v.entry = o.z.At(o.next)
		o.next++
		o.over = !o.yield(v)
	}
	if o.over {
		return errEnough
	}
	return nil
}

// repeats finds records that say the same of the same bytes: a thousand copies of the record of
// a large entry take no room in an archive, and what comes of reading it is the same each time.
type repeats struct {
	z        *zipfile.ZipFile
	seen     map[record]int  // the first entry that said so; nil if there are no copies
	copies   map[int]int     // by entry, which one it is a copy of
	repeated map[int]bool    // entries that have copies
	several  map[string]bool // names of several entries
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
		r.seen, r.copies, r.repeated, r.several = make(map[record]int), make(map[int]int), make(map[int]bool), make(map[string]bool)
		break
	}
	return r
}

// first reports whether the entry is a copy of none that was asked about before.
func (r *repeats) first(e zipfile.Entry) bool {
	if r.seen == nil {
		return true
	}
	name := e.Name()
	if last, _ := r.z.Lookup(name); last != e {
		r.several[name] = true
	} else if !r.several[name] { // the only one, as the others come first
		return true
	}
	rec := recordOf(e)
	if i, ok := r.seen[rec]; ok {
		r.copies[e.Index()], r.repeated[i] = i, true
		return false
	}
	r.seen[rec] = e.Index()
	return true
}

// of returns the entry whose verdict is that of entry i, and whether others need it too.
func (r *repeats) of(i int) (first int, repeated bool) {
	first, ok := r.copies[i]
	if !ok {
		first = i
	}
	return first, r.repeated[first]
}

func read(e zipfile.Entry, hash bool) verdict {
	v := verdict{entry: e}
	defer decoded(e)
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

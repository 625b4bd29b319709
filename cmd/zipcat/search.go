package main

import (
	"context"
	"errors"
	"math"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
)

// search is a run over archives: those that the command line names, those in directories that it
// names, and those within them. Archives are searched in parallel; what comes of it is in the
// order of the command line, of the names in a directory, and of the directory of an archive.
type search struct {
	whole *app                                      // what is searched at the same time prints and says through apps of its own, see turn
	depth int                                       // archives within others that are searched
	first bool                                      // the first archive with a hit ends the search
	visit func(s *searched, ar *archive, depth int) // looks into one archive, not into those within it
	each  func(s *searched)                         // if not nil, called for each in order when it was searched

	ctx  context.Context
	stop context.CancelFunc
	hit  atomic.Int64 // with first, the first archive with a hit: none after it matters
}

// searched is an archive that is being searched, with those within it. The walker makes it and puts it into the
// order of what is printed (search.run takes it from there) and into the queue of the workers, one of which calls
// file. That looks into the archive and the ones within it, one after the other; see do for what then goes on
// beside.
type searched struct {
	*turn
	search *search
	name   string
	number int64
	opened int  // archives in it
	spent  bool // the budget for inner archives is used up
	queue  []queued
	holds  []holding // with --dup
}

// queued is work that was begun on a goroutine, or something to do after that which was begun before.
type queued struct {
	work *turn
	then func()
}

// run searches, and reports whether anything was found and how many entries were looked into.
func (s *search) run(names []string) (found bool, count int64) {
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.hit.Store(math.MaxInt64)
	workers := runtime.GOMAXPROCS(0)
	order := make(chan *searched, 2*workers)
	jobs := make(chan *searched)
	var all sync.WaitGroup
	defer all.Wait()
	defer s.stop()
	for range workers {
		all.Go(func() {
			for one := range jobs {
				one.file()
				one.end()
			}
		})
	}
	all.Go(func() {
		defer close(order)
		defer close(jobs)
		w := walker{search: s, order: order, jobs: jobs}
		for _, name := range names {
			if !w.path(name) {
				return
			}
		}
	})
	for one := range order {
		one.take()
		found = found || one.found
		count += one.count
		if s.each != nil {
			s.each(one)
		}
		if s.whole.out.failed() || s.first && found {
			break
		}
	}
	return found, count
}

// errNoArchives is what is wrong with a directory in which nothing has the name of an archive.
var errNoArchives = errors.New("no archives in it")

// walker finds the archives to search.
type walker struct {
	*search
	order, jobs chan<- *searched
	number      int64
}

// path puts an archive or those in a directory into the queue. It is false when no more are wanted.
func (w *walker) path(name string) bool {
	name = pathOfURL(name)
	if st, err := os.Stat(name); err != nil || !st.IsDir() {
		return w.put(name, nil)
	}
	any := false
	err := walkArchives(name, func(path string, err error) error {
		any = true
		if cause := w.ctx.Err(); cause != nil {
			return cause
		}
		if !w.put(path, err) {
			return context.Canceled
		}
		return nil
	})
	return err == nil && (any || w.put(name, errNoArchives))
}

// put puts an archive into the queue, or what the search of a directory failed with.
func (w *walker) put(name string, failed error) bool {
	one := &searched{turn: w.whole.turn(w.ctx), search: w.search, name: name, number: w.number}
	w.number++
	if outer, _ := splitPath(name); outer == stdinName {
		w.whole.stdinUsed = true // for those that follow
	}
	select {
	case w.order <- one:
	case <-w.ctx.Done():
		return false
	}
	if failed != nil {
		one.unsearched(name, failed)
		one.end()
		return true
	}
	select {
	case w.jobs <- one:
	case <-w.ctx.Done():
		one.end()
		return false
	}
	return one.number < w.hit.Load()
}

// over reports whether no more is wanted of this archive.
func (s *searched) over() bool {
	return s.out.failed() || s.ctx.Err() != nil || s.search.first && s.found || s.number > s.search.hit.Load()
}

// foundOne notes that something was found.
func (s *searched) foundOne() {
	s.found = true
	for s.search.first {
		if old := s.search.hit.Load(); old <= s.number || s.search.hit.CompareAndSwap(old, s.number) {
			break
		}
	}
}

func (s *searched) file() {
	defer s.finish()
	if s.over() {
		return
	}
	ar := s.open(s.name)
	if ar == nil {
		return
	}
	s.archive(ar, 0)
	s.later(func() { ar.Close() })
}

// archive searches an archive, and those within it.
func (s *searched) archive(ar *archive, depth int) {
	s.search.visit(s, ar, depth)
	// Deeper ones may not be asked for; that maxNesting leaves them out is an error.
	if !s.enters(depth) && s.search.depth < maxNesting {
		return
	}
	for e := range ar.seen() {
		if s.over() || s.spent {
			return
		}
		if isInner(ar, e) {
			if !s.enters(depth) {
				s.unsearched(ar.name+innerSep+e.Name(), errNesting)
				return
			}
			s.inner(ar, e, depth+1)
		}
	}
}

// enters reports whether archives in one of this depth are searched too.
func (s *searched) enters(depth int) bool { return depth < s.search.depth && depth < maxNesting }

// isInner reports an entry that is to be taken as an archive. Of several of one name the last is
// meant, and with --release the one that is seen.
func isInner(ar *archive, e zipfile.Entry) bool {
	if e.IsDir() || !jar.ArchiveName(e.Name()) {
		return false
	}
	meant, _ := ar.lookup(ar.title(e))
	return meant == e
}

func (s *searched) inner(ar *archive, e zipfile.Entry, depth int) {
	if s.flags.charset.guess || s.flags.recover || e.Encrypted() && ar.mayAsk() {
		s.finish() // what was guessed or rebuilt is said, and a password asked for, when the archive is opened
	}
	in, err := (*archive)(nil), errTooMany
	if s.opened++; s.opened <= maxInner {
		in, err = s.enter(ar, e)
	}
	if err != nil {
		s.spent = errors.Is(err, errBudget) || err == errTooMany
		if fe, ok := errors.AsType[*zipfile.FormatError](err); ok && fe.Entry == e.Name() {
			// The entry cannot be read; that it is an archive has nothing to do with it.
			s.later(func() { s.failed(ar, e, err) })
			return
		}
		s.unsearched(ar.name+innerSep+e.Name(), err)
		return
	}
	s.archive(in, depth)
	s.later(func() { in.ZipFile.Close() }) // the outer one is still searched
}

// unsearched tells of what could not be searched.
func (s *searched) unsearched(name string, err error) {
	s.later(func() {
		if err == errNoArchives {
			s.say.noArchives(name)
			s.exit.note(exitNoMatch)
			return
		}
		s.say.archive(name, err)
		s.exit.note(exitArchive)
	})
}

// maxQueued is how much of a search is begun or put off at a time, for each processor.
const maxQueued = 2

// do does a part of the search. Until this archive's turn has come that is here and now, as other archives keep
// the processors busy; from then on on another goroutine, beside other parts, each of which has a turn of its
// own within this one. What waits is bounded by maxQueued.
func (s *searched) do(part func(t *turn)) {
	if !s.hasCome() {
		part(s.turn)
		if s.found {
			s.foundOne()
		}
		return
	}
	s.out.Flush()
	for len(s.queue) > maxQueued*runtime.GOMAXPROCS(0) {
		s.takeFirst()
	}
	t := s.turn.app.turn(s.ctx)
	s.queue = append(s.queue, queued{work: t})
	go func() {
		defer t.end()
		part(t)
	}()
}

// unlock asks for the password of the archive, if somebody can be asked and the entry needs it, when all that
// comes before was printed. What is read on other goroutines then needs no question.
func (s *searched) unlock(e zipfile.Entry) {
	if s.finish(); s.over() {
		return
	}
	if r, err := e.Open(); err == nil {
		r.Close()
	}
}

// later does something after all that was begun.
func (s *searched) later(then func()) {
	if len(s.queue) == 0 {
		then()
		return
	}
	for len(s.queue) > maxQueued*runtime.GOMAXPROCS(0) { // what waits may hold much memory
		s.takeFirst()
	}
	if len(s.queue) == 0 {
		then()
		return
	}
	s.queue = append(s.queue, queued{then: then})
}

// finish waits for all that was begun.
func (s *searched) finish() {
	for len(s.queue) > 0 {
		s.takeFirst()
	}
}

func (s *searched) takeFirst() {
	q := s.queue[0]
	s.queue = slices.Delete(s.queue, 0, 1)
	if q.work == nil {
		q.then()
		return
	}
	q.work.take()
	s.count += q.work.count
	if q.work.found {
		s.foundOne()
	}
}

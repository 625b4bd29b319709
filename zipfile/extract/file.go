package extract

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"runtime"
	"sync"

	"zipcat.dev/zipfile"
)

const (
	// inMemory is the size up to which an entry is decoded before its file is made.
	inMemory = 1 << 20

	// A worker takes up to batchFiles that have up to batchBytes in the archive: enough to be
	// read and decoded together, few enough that all workers have some.
	batchFiles = 256
	batchBytes = 256 << 10
)

// writeFiles unpacks regular files, on several goroutines.
func (u *unpacking) writeFiles(ctx context.Context, p *plan) {
	files := p.pick(false)
	workers := u.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	work := make(chan []*item)
	var wg sync.WaitGroup
	for range min(workers, len(files)) {
		wg.Go(func() {
			w := worker{unpacking: u, ctx: ctx, cursor: cursor{root: u.root}, waiting: make(map[zipfile.Entry]*item)}
			defer w.close()
			for items := range work {
				w.files(items)
			}
		})
	}
	for len(files) > 0 {
		n := nextBatch(files)
		work <- files[:n]
		files = files[n:]
	}
	close(work)
	wg.Wait()
}

// nextBatch is how many of the files a worker takes. One that is not decoded in memory is alone.
func nextBatch(files []*item) int {
	most := min(len(files), batchFiles)
	var bytes int64
	for n, it := range files[:most] {
		large := it.entry.Size() > inMemory
		bytes += it.entry.CompressedSize()
		switch {
		case n > 0 && (large || bytes > batchBytes):
			return n
		case large:
			return 1
		}
	}
	return most
}

// worker unpacks files, one batch at a time.
type worker struct {
	*unpacking
	ctx     context.Context
	cursor  cursor
	folder  *folder // where the cursor is, once a file was made there
	entries []zipfile.Entry
	waiting map[zipfile.Entry]*item // files of the batch that are not finished
}

func (w *worker) files(items []*item) {
	for _, it := range items {
		if w.ctx.Err() != nil {
			return
		}
		if w.stopped.Load() {
			break // what waits is unpacked
		}
		switch wanted, err := w.wanted(it); {
		case err == ErrStopped:
		case err != nil || !wanted:
			it.err = err
			w.done(it)
		case w.DryRun:
			if it.err = w.foreseen(it); it.err == nil {
				w.written(it)
			}
			w.done(it)
		default:
			if w.waiting[it.entry] != nil { // one entry, two names
				w.load()
			}
			w.waiting[it.entry] = it
			w.entries = append(w.entries, it.entry)
		}
	}
	w.load()
}

// load unpacks the files that are waiting.
func (w *worker) load() {
	finish := func(e zipfile.Entry, err error) {
		it := w.waiting[e]
		if err != nil && w.ctx.Err() != nil && errors.Is(err, w.ctx.Err()) {
			return // cut short: no fault of the entry
		}
		delete(w.waiting, e)
		it.err = err
		w.done(it)
	}
	err := zipfile.LoadEntries(w.ctx, w.entries, zipfile.LoadOptions{
		Workers:   1, // this one
		MaxBuffer: inMemory,
		OnError: func(e zipfile.Entry, err error) error {
			finish(e, err)
			return nil
		},
		Large: func(e zipfile.Entry) error {
			release, err := w.memory(e)
			if err != nil {
				return err
			}
			defer release()
			finish(e, w.file(w.waiting[e], func(s *sink) error {
				_, err := e.WriteTo(s)
				return err
			}))
			return nil
		},
	}, func(e zipfile.Entry, data []byte) error {
		finish(e, w.file(w.waiting[e], func(s *sink) error {
			s.Write(data)
			return nil
		}))
		return nil
	})
	if err != nil && w.ctx.Err() == nil { // the archive is closed
		for e := range w.waiting {
			finish(e, err)
		}
	}
	w.entries = w.entries[:0]
	clear(w.waiting)
}

const (
	// lightDecoding is up to how many bytes of memory decoding an entry may take without being counted.
	lightDecoding = 16 << 20
	// heavyDecoding is how many bytes of memory the others take at a time: one that takes more is alone.
	heavyDecoding = 256 << 20
)

// memory waits until there is memory to decode an entry.
func (w *worker) memory(e zipfile.Entry) (release func(), err error) {
	n := min(e.DecodeMemory(), heavyDecoding)
	if n <= lightDecoding {
		return func() {}, nil
	}
	if err := w.heavy.Acquire(w.ctx, n); err != nil {
		return nil, err
	}
	return func() { w.heavy.Release(n) }, nil
}

// wanted reports whether a file is to be written, as far as is known before it is read.
func (w *worker) wanted(it *item) (bool, error) {
	if err := it.in.errFor(it.path); err != nil {
		return false, err
	}
	if old := w.before[it]; old != nil {
		keep, err := w.occupied(it, old)
		return !keep, err
	}
	return true, nil
}

// foreseen returns why a file that is wanted would not be made, in the order in which that would come out.
func (w *worker) foreseen(it *item) error {
	if err := it.entry.Check(); err != nil {
		return err
	}
	if w.tooLong(base(it.path)) {
		return nameTooLong()
	}
	return nil
}

// written counts a file.
func (w *worker) written(it *item) {
	size := it.entry.Size()
	w.count(func(r *Result) { r.Files++; r.Bytes = min(r.Bytes, math.MaxInt64-size) + size })
}

// file makes a file, with what contents writes.
func (w *worker) file(it *item, contents func(*sink) error) error {
	dir, err := w.folderAt(it.in.path)
	if err != nil {
		return w.writeError(it.path, err)
	}
	t, err := w.temps.create(dir)
	if err != nil {
		return w.writeError(it.path, err)
	}
	defer t.remove()
	sink := newSink(w.ctx, t.file, it.entry.Size(), w.Wrote)
	if err = contents(sink); err != nil && sink.err == nil {
		return err
	}
	sink.finish()
	if errors.Is(sink.err, context.Canceled) || errors.Is(sink.err, context.DeadlineExceeded) {
		return sink.err
	}
	if sink.err != nil {
		return w.writeError(it.path, sink.err)
	}
	if err := w.finish(t, it.entry); err != nil {
		return w.writeError(it.path, err)
	}
	old := w.before[it]
	if err = w.placer.place(t, base(it.path), old); err != nil {
		return w.placeError(dir.Root, it.path, err)
	}
	w.written(it)
	return nil
}

var errDirectory = occupied("refused: a directory is in its place")

// occupied decides about an item in whose place there is something. With ErrStopped it is left undone.
func (u *unpacking) occupied(it *item, there fs.FileInfo) (keep bool, err error) {
	if there.IsDir() {
		return false, errDirectory
	}
	switch u.existing(it, there) {
	case Stop:
		return false, ErrStopped
	case Overwrite:
		return false, nil
	case Keep:
		u.count(func(r *Result) { r.Kept++ })
		return true, nil
	}
	return false, exists()
}

// existing is what is to happen to what there is. Once the answer is Stop nobody is asked any more.
func (u *unpacking) existing(it *item, there fs.FileInfo) Existing {
	how := u.Existing
	if u.Decide != nil {
		u.asking.Lock()
		defer u.asking.Unlock()
		if u.stopped.Load() {
			return Stop
		}
		how = u.Decide(it.entry, it.path, there)
	}
	if how == Stop {
		u.stopped.Store(true)
	}
	return how
}

// placeError is writeError for what cannot be given its name, in dir.
func (u *unpacking) placeError(dir *os.Root, path string, err error) error {
	if st, serr := dir.Lstat(base(path)); serr == nil && st.IsDir() {
		return errDirectory
	}
	if errors.Is(err, fs.ErrExist) {
		return appeared()
	}
	return u.writeError(path, err)
}

// finish gives the file its mode and time and closes it.
func (w *worker) finish(t *temp, e zipfile.Entry) error {
	if err := t.file.Chmod(e.Mode().Perm()); err != nil && !errors.Is(err, errors.ErrUnsupported) && runtime.GOOS != "windows" {
		return err
	}
	if err := t.close(); err != nil {
		return err // a full disk may show here first
	}
	if when, ok := w.modified(e); ok {
		return t.dir.setTime(t.name, when)
	}
	return nil
}

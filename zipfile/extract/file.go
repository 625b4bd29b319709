package extract

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"zipcat.dev/zipfile"
)

const (
	// inMemory is the size up to which an entry is decoded before its file is made.
	inMemory = 1 << 20

	// batch is how many files of one directory a worker takes at a time.
	batch = 32
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
			w := worker{unpacking: u, ctx: ctx, cursor: cursor{root: u.root}}
			defer w.cursor.close()
			for items := range work {
				for _, it := range items {
					if ctx.Err() != nil {
						break
					}
					it.err = w.file(it)
					if it.err != nil && ctx.Err() != nil && errors.Is(it.err, ctx.Err()) {
						it.err = nil // cut short: no fault of the entry
						break
					}
					u.done(it)
				}
			}
		})
	}
	for len(files) > 0 {
		n := 1
		for n < len(files) && n < batch && files[n].in == files[0].in {
			n++
		}
		work <- files[:n]
		files = files[n:]
	}
	close(work)
	wg.Wait()
}

// worker unpacks files, one at a time.
type worker struct {
	*unpacking
	ctx    context.Context
	cursor cursor
	buf    []byte
}

func (w *worker) file(it *item) error {
	if err := it.in.errFor(it.path); err != nil {
		return err
	}
	old := w.before[it]
	if old != nil {
		if keep, err := w.occupied(old); err != nil || keep {
			return err
		}
	}
	dir, err := w.cursor.at(it.in.path)
	if err != nil {
		return w.writeError(it.path, err)
	}
	name := base(it.path)
	var data []byte
	small := it.entry.Size() <= inMemory
	if small {
		if data, err = it.entry.AppendTo(w.buf[:0]); err != nil {
			return err
		}
		w.buf = data
	}
	t, err := w.temps.create(dir)
	if err != nil {
		return w.writeError(it.path, err)
	}
	defer t.remove()
	sink := &sink{ctx: w.ctx, file: t.file}
	if small {
		sink.Write(data)
	} else if _, err = it.entry.WriteTo(sink); err != nil && sink.err == nil {
		return err
	}
	if errors.Is(sink.err, context.Canceled) || errors.Is(sink.err, context.DeadlineExceeded) {
		return sink.err
	}
	if sink.err != nil {
		return w.writeError(it.path, sink.err)
	}
	if err := w.finish(t, it.entry); err != nil {
		return w.writeError(it.path, err)
	}
	if err = w.placer.place(t, name, old); err != nil {
		return w.placeError(dir, it.path, err)
	}
	w.count(func(r *Result) { r.Files++; r.Bytes += it.entry.Size() })
	return nil
}

var errDirectory error = &refusal{"refused: a directory is in its place", fs.ErrExist}

// occupied decides about an entry in whose place st is.
func (u *unpacking) occupied(st fs.FileInfo) (keep bool, err error) {
	switch {
	case st.IsDir():
		return false, errDirectory
	case u.Existing == Keep:
		u.count(func(r *Result) { r.Kept++ })
		return true, nil
	case u.Existing == Refuse:
		return false, exists()
	}
	return false, nil
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
	return w.setTime(t.dir, t.name, e)
}

// sink writes to a file until the context is done, and tells its errors from those of what
// writes to it.
type sink struct {
	ctx  context.Context
	file output
	err  error
}

func (s *sink) Write(p []byte) (int, error) {
	if s.err = s.ctx.Err(); s.err != nil {
		return 0, s.err
	}
	var n int
	n, s.err = s.file.Write(p)
	return n, s.err
}

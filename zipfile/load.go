package zipfile

import (
	"context"
	"errors"
	"hash/crc32"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"time"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile/internal/inflate"
)

// LoadOptions for [ZipFile.Load]. The zero value loads every file.
type LoadOptions struct {
	Workers   int                      // decoding goroutines; 0: GOMAXPROCS
	Match     func(Entry) bool         // which entries; nil: all that are no directories
	OnError   func(Entry, error) error // an entry failed: nil goes on, an error ends the load; nil: the first ends it
	MaxBuffer int64                    // entries of more bytes than this go to Large; 0: 64 MiB
	Large     func(Entry) error        // streams one entry; nil: they fail with ErrLimit
}

const (
	// maxJoined is how many bytes of neighbouring entries are read in one piece. One entry by itself
	// may be longer.
	maxJoined = 1 << 20
	// maxGap is how many bytes between two entries are read for nothing to save a read.
	maxGap = 32 << 10

	defaultMaxBuffer = 64 << 20
)

// Load calls fn with the contents of every entry that matches, decoded on several goroutines and
// in no fixed order, about that of the file. data is valid until fn returns, must not be changed,
// and is checked: length and CRC-32 agree with the directory. fn may run on several goroutines at
// once; Match, OnError and Large run one at a time, Match before all others. Of a directory that
// matches the data are empty.
//
// The first error ends the load and is returned: that of an entry unless OnError takes it, of
// fn, of Large, fs.ErrClosed when the archive is closed meanwhile, or the cause of ctx. When
// Load returns no function of the caller's is running any more. A panic of one of them on the
// caller's goroutine goes on when the others have ended, at the latest after a second. The memory in use is bounded by
// Workers times about four times MaxBuffer.
//
// Neighbouring entries are read together, about 1 MiB at a time; of a backend that lends its
// bytes nothing is copied.
func (z *ZipFile) Load(ctx context.Context, o LoadOptions, fn func(e Entry, data []byte) error) error {
	return z.load(ctx, z.matching(o.Match), o, fn)
}

// LoadEntries is [ZipFile.Load] for the given entries, which are of one archive and in whatever
// order; one that is given twice is loaded twice. The others cost nothing. Match chooses among
// those given; nil: all, directories too.
func LoadEntries(ctx context.Context, entries []Entry, o LoadOptions, fn func(e Entry, data []byte) error) error {
	if len(entries) == 0 {
		return nil
	}
	z := entries[0].z
	list := make([]uint32, 0, len(entries))
	for _, e := range entries {
		if e.z != z {
			return errSeveral
		}
		if o.Match == nil || o.Match(e) {
			list = append(list, e.i)
		}
	}
	slices.SortFunc(list, z.byHeader)
	return z.load(ctx, list, o, fn)
}

var errSeveral = errors.New("entries of several archives")

// load loads the entries of list, which is in the order of the file.
func (z *ZipFile) load(ctx context.Context, list []uint32, o LoadOptions, fn func(e Entry, data []byte) error) error {
	if o.MaxBuffer <= 0 {
		o.MaxBuffer = defaultMaxBuffer
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l := &load{z: z, o: o, fn: fn, ctx: ctx, cancel: cancel, list: list}
	if v, ok := z.backend().(backend.Viewer); ok {
		err := v.View(0, int(v.Size()), func(b []byte) error {
			l.view = b
			l.run()
			return nil
		})
		if err != nil {
			return z.withPath("load", err)
		}
	} else {
		l.run()
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// matching lists the numbers of the entries to load, in the order of the file.
func (z *ZipFile) matching(match func(Entry) bool) []uint32 {
	list := make([]uint32, 0, len(z.pos))
	for j := range z.pos {
		e := Entry{z, z.inFileOrder(j)}
		if match == nil && !e.IsDir() || match != nil && match(e) {
			list = append(list, e.i)
		}
	}
	return list
}

// load is one call of Load.
type load struct {
	z      *ZipFile
	o      LoadOptions
	fn     func(e Entry, data []byte) error
	ctx    context.Context
	cancel context.CancelCauseFunc
	view   []byte // all bytes of the backend, where it lends them

	mu   sync.Mutex // list
	list []uint32   // what no worker has taken yet

	calls sync.Mutex // of OnError and Large
}

// run does the work and returns when it is done.
func (l *load) run() {
	var workers sync.WaitGroup
	for range min(l.o.Workers, len(l.list)/8+1) - 1 {
		workers.Go(l.work)
	}
	whole := false
	defer func() {
		if whole {
			workers.Wait()
			return
		}
		// A function of the caller's panicked. The others should end before what they read goes away,
		// yet may wait for a lock that it holds.
		ended := make(chan struct{})
		go func() { workers.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(time.Second):
		}
	}()
	l.work() // the caller's goroutine is one of them
	whole = true
}

// stretch is a row of entries that are read in one piece.
type stretch struct {
	entries []uint32
	off     int64 // of the first byte
	n       int   // bytes
}

// take gives a worker its next stretch.
func (l *load) take() (r stretch, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) == 0 || l.ctx.Err() != nil {
		return stretch{}, false
	}
	count := 0
	var end int64
	for _, i := range l.list {
		from, to := l.extent(i)
		if count > 0 && (from == to || from < end || from-end > maxGap || to-r.off > maxJoined) {
			break
		}
		if count == 0 {
			r.off = from
		}
		end = to
		count++
		if from == to {
			break
		}
	}
	r.entries, l.list = l.list[:count], l.list[count:]
	r.n = int(end - r.off)
	return r, true
}

// extent is what is read for entry i together with others: nothing where it will fail, or is
// decoded as it is read.
func (l *load) extent(i uint32) (from, to int64) {
	z := l.z
	r := z.recordAt(int(z.pos[i]))
	p, err := z.precheck(i, &r)
	if err != nil || r.csize > wholeLen || r.size > min(r.memoryAtOnce(), l.o.MaxBuffer) || !z.pairs(&r) {
		return r.header, r.header
	}
	return p.header, p.header + min(p.next-p.header, r.csize+beyondData)
}

// pairs reports an entry that is decoded together with another, or as it is.
func (z *ZipFile) pairs(r *record) bool {
	switch r.method {
	case Store:
		return !r.encrypted() && r.csize == r.size
	case Deflate:
		return !r.encrypted() && z.custom(Deflate) == nil
	}
	return false
}

// loader is the state of one goroutine of a Load.
type loader struct {
	*load
	pair *inflate.Pair
	row  stretch
	buf  []byte // the bytes of the stretch
	mem  *buffer
	big  []byte // contents of an entry that is decoded as it is read
}

func (l *load) work() {
	whole := false
	defer func() {
		if !whole { // a panic, or runtime.Goexit in a function of the caller's
			l.cancel(errGone)
		}
	}()
	w := &loader{load: l, pair: inflate.GetPair()}
	defer w.pair.Free()
	defer w.free()
	next, done := w.next, w.done
	for {
		row, ok := l.take()
		if !ok {
			whole = true
			return
		}
		w.row = row
		if w.read() != nil {
			w.row.n = 0 // each is read alone, and fails alone
		}
		w.pair.Decode(next, done)
	}
}

// errGone is the end of a load one of whose goroutines a function of the caller's has ended.
var errGone = errors.New("a function called by Load ended its goroutine")

func (w *loader) free() {
	if w.mem != nil {
		w.mem.free()
	}
}

// read gets the bytes of the stretch.
func (w *loader) read() error {
	if w.row.n == 0 {
		return nil
	}
	if w.view != nil {
		end := w.row.off + int64(w.row.n)
		w.buf = w.view[w.row.off:end] // with the capacity behind it, which the decoder may look at
		return nil
	}
	if need := w.row.n + inflate.InSlack; w.mem == nil || cap(w.mem.b) < need {
		w.free()
		w.mem = getBuffer(need + w.row.n/8)
	}
	w.buf = w.mem.b[:w.row.n]
	return w.z.readAt(w.buf, w.row.off)
}

// next gives the decoder the next deflated entry of the stretch. Others are done on the way.
func (w *loader) next() (inflate.Job, bool) {
	for len(w.row.entries) > 0 && w.ctx.Err() == nil {
		e := Entry{w.z, w.row.entries[0]}
		w.row.entries = w.row.entries[1:]
		r := e.record()
		src, err := w.source(e, &r)
		switch {
		case err == errAlone:
			w.alone(e, &r)
		case err != nil:
			w.fail(e.i, err)
		case r.method == Deflate && !r.isDir(w.z):
			return inflate.Job{Src: src, Size: int(r.size), Tag: int(e.i)}, true
		default:
			p := place{data: r.header}
			if err := r.checkCRC(crc32.ChecksumIEEE(src), &p); err != nil && !r.isDir(w.z) {
				w.damaged(e, err)
				continue
			}
			w.deliver(e, src)
		}
	}
	return inflate.Job{}, false
}

// errAlone says that an entry is not in the stretch's bytes.
var errAlone = errors.New("not joined")

// source checks an entry and gives its stored bytes.
func (w *loader) source(e Entry, r *record) ([]byte, error) {
	z := w.z
	if z.closed.Load() {
		return nil, fs.ErrClosed
	}
	if err := z.checkReadable(r); err != nil {
		return nil, err
	}
	if w.row.n == 0 {
		return nil, errAlone
	}
	p, err := z.precheck(e.i, r)
	if err != nil {
		return nil, err
	}
	b := w.buf[p.header-w.row.off:]
	b = b[:min(int64(len(b)), p.next-p.header, r.csize+beyondData)]
	if err := z.parseLocal(e.i, r, &p, b); err != nil {
		return nil, err
	}
	if r.isDir(z) {
		return b[:0], nil
	}
	end := p.data - p.header + r.csize
	if end > int64(len(b)) {
		return nil, errAlone // after a local extra field of nearly 64 KiB, or bytes of the next entry
	}
	z.checkDescriptor(e.i, r, p.data+r.csize, b[end:], p.next-p.data-r.csize)
	return b[p.data-p.header : end], nil
}

// alone loads an entry that is not read together with others: it is large, or odd.
func (w *loader) alone(e Entry, r *record) {
	if r.size <= w.o.MaxBuffer || r.isDir(w.z) {
		var err error
		if w.big, err = e.AppendTo(w.big[:0]); err != nil {
			w.failed(e, err)
			return
		}
		w.deliver(e, w.big)
		return
	}
	if w.o.Large == nil {
		w.fail(e.i, limitError(recCentral, w.z.headerOffset(r), "declares %d bytes, more than are loaded into memory (%d)", r.size, w.o.MaxBuffer))
		return
	}
	w.calls.Lock()
	defer w.calls.Unlock()
	if w.ctx.Err() != nil {
		return
	}
	if err := w.o.Large(e); err != nil {
		w.cancel(err)
	}
}

// done takes what the decoder made of an entry. It is false when the load is over.
func (w *loader) done(j inflate.Job, out []byte, used int, err error) bool {
	e := Entry{w.z, uint32(j.Tag)}
	r := e.record()
	p := place{data: r.header} // where the data begin is not worth a second look
	if err != nil {
		err = dataError(&p, &r, err)
	} else if err = r.checkCRC(crc32.ChecksumIEEE(out), &p); err == nil {
		err = w.z.checkLeft(e.i, &p, int64(len(j.Src)-used))
	}
	if err != nil {
		w.damaged(e, err)
	} else {
		w.deliver(e, out)
	}
	return w.ctx.Err() == nil
}

// deliver hands contents to the caller.
func (w *loader) deliver(e Entry, data []byte) {
	if w.ctx.Err() != nil {
		return
	}
	if err := w.fn(e, data[:len(data):len(data)]); err != nil {
		w.cancel(err)
	}
}

// damaged tells of an entry whose data are at fault, in the words that every way to read it has.
func (w *loader) damaged(e Entry, err error) {
	var again error
	if w.big, again = e.AppendTo(w.big[:0]); again != nil {
		w.failed(e, again)
		return
	}
	w.fail(e.i, err)
}

// fail tells of an entry that failed.
func (w *loader) fail(i uint32, err error) {
	e := Entry{w.z, i}
	r := e.record()
	w.failed(e, e.fail("load", &r, err))
}

// failed is fail with an error that has the names of entry and archive.
func (w *loader) failed(e Entry, err error) {
	if w.o.OnError == nil || w.z.closed.Load() {
		w.cancel(err)
		return
	}
	w.calls.Lock()
	defer w.calls.Unlock()
	if w.ctx.Err() != nil {
		return
	}
	if err := w.o.OnError(e, err); err != nil {
		w.cancel(err)
	}
}

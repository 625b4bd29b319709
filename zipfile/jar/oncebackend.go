package jar

import (
	"io/fs"
	"slices"
	"sort"
	"sync/atomic"

	"zipcat.dev/backend"
)

const (
	// onceLen is the longest read that is kept, in bytes: that of the tail of an archive, 64 KiB and the
	// end records. Longer ones are of directories, which are read once anyway.
	onceLen = 66 << 10
	// onceTotal is how many bytes are kept at most.
	onceTotal = 1 << 20
)

// onceBackend reads no byte of a file twice while archives in it are opened: the tail that is read of an
// archive, where its directory is sought, may hold all of a small archive in it, header and tail of which
// would be read again. Until done is called it is for one goroutine.
type onceBackend struct {
	backend.Backend
	learning bool
	total    int64
	pieces   []piece // in order, apart from one another; not changed once learning is over
	closed   atomic.Bool
}

// piece is what was read of a file.
type piece struct {
	off int64
	b   []byte
}

func (p piece) end() int64 { return p.off + int64(len(p.b)) }

// ReadAt implements io.ReaderAt: what is kept comes from there, what lies between from the file.
func (o *onceBackend) ReadAt(p []byte, off int64) (n int, err error) {
	if o.closed.Load() {
		return 0, fs.ErrClosed
	}
	if len(p) == 0 || off < 0 || off >= o.Size() {
		return o.Backend.ReadAt(p, off)
	}
	if o.learning && len(p) <= onceLen && o.total+int64(len(p)) <= onceTotal {
		defer func() { o.keep(p[:n], off) }()
	}
	i := sort.Search(len(o.pieces), func(i int) bool { return o.pieces[i].end() > off })
	for n < len(p) {
		at, rest := off+int64(n), p[n:]
		if i < len(o.pieces) && o.pieces[i].off <= at {
			n += copy(rest, o.pieces[i].b[at-o.pieces[i].off:])
			i++
			continue
		}
		if i < len(o.pieces) {
			rest = rest[:min(int64(len(rest)), o.pieces[i].off-at)]
		}
		m, err := o.Backend.ReadAt(rest, at)
		if n += m; m < len(rest) || err != nil && n < len(p) {
			return n, err
		}
	}
	return n, nil
}

// keep adds bytes at off to the pieces, joined with those that they touch.
func (o *onceBackend) keep(b []byte, off int64) {
	if len(b) == 0 {
		return
	}
	from := sort.Search(len(o.pieces), func(i int) bool { return o.pieces[i].end() >= off })
	to := from
	whole := piece{off: off, b: slices.Clone(b)}
	for ; to < len(o.pieces) && o.pieces[to].off <= whole.end(); to++ {
		p := o.pieces[to]
		if p.off <= whole.off && p.end() >= whole.end() {
			return // it is all there
		}
		if p.off < whole.off {
			whole = piece{p.off, slices.Concat(p.b[:whole.off-p.off], whole.b)}
		}
		if p.end() > whole.end() {
			whole.b = append(whole.b, p.b[whole.end()-p.off:]...)
		}
	}
	o.pieces = slices.Replace(o.pieces, from, to, whole)
	o.count()
}

func (o *onceBackend) count() {
	o.total = 0
	for _, p := range o.pieces {
		o.total += int64(len(p.b))
	}
}

// done ends the learning and lets go of all that is not from off to end.
func (o *onceBackend) done(off, end int64) {
	o.narrow(off, end)
	o.learning = false
}

// narrow lets go of all that is not from off to end.
func (o *onceBackend) narrow(off, end int64) {
	var list []piece
	for _, p := range o.pieces {
		from, to := max(p.off, off), min(p.end(), end)
		if from < to {
			list = append(list, piece{from, slices.Clone(p.b[from-p.off : to-p.off])})
		}
	}
	o.pieces = list
	o.count()
}

// Close closes the file.
func (o *onceBackend) Close() error {
	o.closed.Store(true)
	return o.Backend.Close()
}

// Unwrap returns the backend of the file.
func (o *onceBackend) Unwrap() backend.Backend { return o.Backend }

package backendtest

import (
	"io"
	"slices"
	"sync"
	"time"

	"zipcat.dev/backend"
)

// Read is one call of ReadAt: Len bytes asked for at Off.
type Read struct {
	Off int64
	Len int
}

// Faulty is a Backend around another that records the reads and makes chosen ones
// fail. Reads are numbered from 1 as they begin. It is no Viewer, whatever it is
// wrapped around, so that nothing escapes it.
//
// All methods are safe for concurrent use.
type Faulty struct {
	inner backend.Backend

	mu    sync.Mutex
	reads []Read
	bytes int64
	fail  map[int]error
	keep  map[int]int
	delay time.Duration
	hook  func(n int, r Read) error
}

var _ backend.Backend = (*Faulty)(nil)

// NewFaulty returns a Faulty around b that does nothing but record. Close closes
// b.
func NewFaulty(b backend.Backend) *Faulty {
	f := &Faulty{inner: b}
	f.Reset()
	return f
}

// Reset forgets all reads, so that the next one is number 1, and all that was set
// up.
func (f *Faulty) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads, f.bytes = nil, 0
	f.fail, f.keep = map[int]error{}, map[int]int{}
	f.delay, f.hook = 0, nil
}

// FailRead makes the n-th read return no bytes and err.
func (f *Faulty) FailRead(n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail[n] = err
}

// ShortenRead makes the n-th read return no more than keep bytes and, where that
// is less than it asked for, [io.ErrUnexpectedEOF], as from a file that was cut
// short.
func (f *Faulty) ShortenRead(n, keep int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keep[n] = max(keep, 0)
}

// SlowReads makes each read take d longer.
func (f *Faulty) SlowReads(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.delay = d
}

// OnRead makes each read call fn first, with its number; an error of fn becomes
// the read's. fn may block, which holds up that read alone, and may call any
// method. nil takes it away.
func (f *Faulty) OnRead(fn func(n int, r Read) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hook = fn
}

// Count returns the number of reads so far, failed ones included.
func (f *Faulty) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.reads)
}

// Bytes returns the number of bytes that reads have returned so far.
func (f *Faulty) Bytes() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.bytes
}

// Reads returns the reads so far, in the order in which they began, as a copy.
func (f *Faulty) Reads() []Read {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.reads)
}

// ReadAt reads from the Backend inside as far as it was not told otherwise.
func (f *Faulty) ReadAt(p []byte, off int64) (int, error) {
	r := Read{off, len(p)}
	f.mu.Lock()
	f.reads = append(f.reads, r)
	no := len(f.reads)
	failure := f.fail[no]
	keep, shorten := f.keep[no]
	delay, hook := f.delay, f.hook
	f.mu.Unlock()

	if delay > 0 {
		time.Sleep(delay)
	}
	if hook != nil {
		if err := hook(no, r); err != nil {
			return 0, err
		}
	}
	if failure != nil {
		return 0, failure
	}
	shorten = shorten && keep < len(p)
	if shorten {
		p = p[:keep]
	}
	n, err := f.inner.ReadAt(p, off)
	if shorten && (err == nil || err == io.EOF && n == len(p)) {
		err = io.ErrUnexpectedEOF
	}
	f.mu.Lock()
	f.bytes += int64(n)
	f.mu.Unlock()
	return n, err
}

// Size returns the size of the Backend inside.
func (f *Faulty) Size() int64 { return f.inner.Size() }

// Close closes the Backend inside.
func (f *Faulty) Close() error { return f.inner.Close() }

// Unwrap returns the Backend inside.
func (f *Faulty) Unwrap() backend.Backend { return f.inner }

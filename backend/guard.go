package backend

import (
	"sync"
	"sync/atomic"
)

// guard lets reads run side by side and makes Close wait for them, so that what
// they read from can be given back. The zero value is open.
type guard struct {
	closed atomic.Bool
	reads  sync.RWMutex
}

// enter begins a read, which leave ends. It is false once close was called.
func (g *guard) enter() bool {
	// The first look keeps new reads from queueing behind a close that waits for
	// a slow one; the second is the one that counts.
	if g.closed.Load() {
		return false
	}
	g.reads.RLock()
	if g.closed.Load() {
		g.reads.RUnlock()
		return false
	}
	return true
}

func (g *guard) leave() { g.reads.RUnlock() }

// close lets no new read in and returns after the last one has left. It is true
// for the first call, which has to release what was guarded.
func (g *guard) close() bool {
	first := g.closed.CompareAndSwap(false, true)
	g.reads.Lock()
	//lint:ignore SA2001 waiting for the reads is all that is wanted
	g.reads.Unlock()
	return first
}

package backend

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestGuardLateRead lets a read pass its first look before close begins and get
// to the lock only after it.
func TestGuardLateRead(t *testing.T) {
	t.Parallel()
	for range 500 {
		var g guard
		var read sync.WaitGroup
		g.reads.Lock() // as close does, but before closed is set
		started := make(chan struct{})
		read.Go(func() {
			close(started)
			assert.False(t, g.enter())
		})
		<-started
		runtime.Gosched()
		g.closed.Store(true)
		g.reads.Unlock()
		read.Wait()
		assert.True(t, g.reads.TryLock(), "a refused read leaves nothing locked")
	}
}

func TestGuardClosesOnce(t *testing.T) {
	t.Parallel()
	var g guard
	assert.True(t, g.enter())
	assert.True(t, g.enter(), "reads run side by side")
	g.leave()
	g.leave()
	assert.True(t, g.close())
	assert.False(t, g.close())
	assert.False(t, g.enter())
}

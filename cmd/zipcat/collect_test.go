package main

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAfterCollection(t *testing.T) {
	calls := make(chan uint64, 10)
	n := 0
	afterCollection(func() bool {
		n++
		calls <- liveHeap()
		return n < 2
	})
	for range 2 {
		runtime.GC()
		select {
		case live := <-calls:
			assert.NotZero(t, live)
		case <-time.After(time.Minute):
			require.Fail(t, "it is not called")
		}
	}
	runtime.GC()
	select {
	case <-calls:
		assert.Fail(t, "it is called again")
	case <-time.After(200 * time.Millisecond):
	}
}

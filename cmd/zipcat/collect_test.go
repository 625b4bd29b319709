package main

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestAfterCollection(t *testing.T) {
	calls := make(chan uint64, 10)
	n := 0
	afterCollection(func() bool {
		n++
		calls <- liveHeap()
		return n < 2
	})
	for i := range 3 {
		runtime.GC()
		select {
		case live := <-calls:
			assert.NotZero(t, live)
			assert.Less(t, i, 2, "it is not called again")
		case <-time.After(200 * time.Millisecond):
			assert.Equal(t, 2, i)
		}
	}
}

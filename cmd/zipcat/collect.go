package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// smallHeapPercent lets the first collection come at 16 MiB instead of 4: most runs end before one has
	// paid for itself.
	smallHeapPercent = 400
	// largeHeapPercent holds from a live heap of largeHeap bytes on, where five times of it would be much.
	largeHeapPercent = 100
	largeHeap        = 32 << 20
)

// collectLess makes garbage collections rare as long as the heap is small.
func collectLess() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(smallHeapPercent)
	afterCollection(func() (again bool) {
		if liveHeap() < largeHeap {
			return true
		}
		debug.SetGCPercent(largeHeapPercent)
		return false
	})
}

// afterCollection calls f after the next garbage collection, and after those that follow until it is
// false.
func afterCollection(f func() (again bool)) {
	// Unreachable at once. Smaller objects share blocks of memory, which others may keep alive.
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) {
		if f() {
			afterCollection(f)
		}
	})
}

// liveHeap returns how many bytes the last collection left, stacks and globals with them, while smallHeapPercent
// holds.
func liveHeap() uint64 {
	var m runtime.MemStats // runtime/metrics would tell it without a stop, and costs at each start
	runtime.ReadMemStats(&m)
	return m.NextGC / (1 + smallHeapPercent/100)
}

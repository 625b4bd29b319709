package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// eagerPercent lets the first collection come at 16 MiB instead of 4: most runs end before one has
	// paid for itself.
	eagerPercent = 400
	// usualPercent holds from a live heap of largeHeap bytes on, where five times of it would be much.
	usualPercent = 100
	largeHeap    = 32 << 20
)

// collectLess makes garbage collections rare as long as the heap is small.
func collectLess() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(eagerPercent)
	afterCollection(func() (again bool) {
		if liveHeap() < largeHeap {
			return true
		}
		debug.SetGCPercent(usualPercent)
		return false
	})
}

// afterCollection calls f after the next garbage collection, and after those that follow until it is
// false.
func afterCollection(f func() (again bool)) {
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) { // unreachable at once
		if f() {
			afterCollection(f)
		}
	})
}

// liveHeap returns how many bytes the last collection left.
func liveHeap() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return largeHeap
	}
	return s[0].Value.Uint64()
}

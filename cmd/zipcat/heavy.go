package main

import (
	"context"
	"runtime"

	"golang.org/x/sync/semaphore"

	"zipcat.dev/zipfile"
)

// A few KB of Zstandard or xz can want a window of half a GiB, and entries that are decoded in parallel would have
// one each. So entries that may take much memory wait for one another.
const (
	// lightDecoding is up to how many bytes of memory decoding an entry may take without being counted.
	lightDecoding = 16 << 20
	// heavyDecoding is how many bytes of memory the others take at a time in a server: one that takes more is alone.
	heavyDecoding = 256 << 20
)

// memoryFor waits until there is memory to decode an entry, or ctx is done. Release gives it back.
func memoryFor(ctx context.Context, e zipfile.Entry, memory *semaphore.Weighted) (release func(), err error) {
	n := min(e.DecodeMemory(), heavyDecoding)
	if n <= lightDecoding {
		return func() {}, nil
	}
	if err := memory.Acquire(ctx, n); err != nil {
		return nil, err
	}
	return func() { memory.Release(n) }, nil
}

// waitForMemory has an entry that takes much wait for the turn, which is that of one at a time. (To wait for memory
// that a later turn has would be to wait for each other.)
func (t *turn) waitForMemory(e zipfile.Entry) {
	if e.DecodeMemory() > lightDecoding {
		t.out.Flush()
		t.wait()
	}
}

// decoded ends the decoding of an entry: what it took much of is not to stand beside what the next one takes.
func decoded(e zipfile.Entry) {
	if e.DecodeMemory() > lightDecoding {
		runtime.GC()
	}
}

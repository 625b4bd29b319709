package main

import (
	"bytes"
	"context"

	"zipcat.dev/zipfile"
)

// wholeSize is the size in bytes up to which entries are in memory as a whole before anything is done with
// them, so that nothing is printed of one that fails.
const wholeSize = 1 << 20

// batchEntries is how many entries are decoded together.
const batchEntries = 1024

// batch is entries that are decoded together, on one goroutine: not more than one may be in memory
// as a whole.
type batch struct {
	entries  []zipfile.Entry
	size     int64 // that they declare
	contents map[zipfile.Entry]content
	data     []byte        // of all contents, as they are decoded: what an entry declares costs nothing
	done     chan struct{} // for who loads it on a goroutine: gets a value when it is loaded
}

// content is what came of reading an entry: bytes of batch.data, or an error.
type content struct {
	from, to int
	err      error
}

func newBatch() *batch {
	return &batch{contents: make(map[zipfile.Entry]content), done: make(chan struct{}, 1)}
}

// full reports whether the entry is too much.
func (b *batch) full(e zipfile.Entry) bool {
	return len(b.entries) == batchEntries || b.size+e.Size() > wholeSize
}

func (b *batch) add(e zipfile.Entry) {
	b.entries = append(b.entries, e)
	b.size += e.Size()
}

func (b *batch) clear() {
	b.entries, b.size, b.data = b.entries[:0], 0, b.data[:0]
	clear(b.contents)
}

// load reads the contents.
func (b *batch) load(ctx context.Context) {
	err := zipfile.LoadEntries(ctx, b.entries, zipfile.LoadOptions{
		Workers: 1,
		OnError: func(e zipfile.Entry, err error) error {
			b.contents[e] = content{err: err}
			return nil
		},
	}, func(e zipfile.Entry, data []byte) error {
		from := len(b.data)
		b.data = append(b.data, data...)
		b.contents[e] = content{from: from, to: len(b.data)}
		return nil
	})
	if err != nil {
		for _, e := range b.entries {
			if _, ok := b.contents[e]; !ok {
				b.contents[e] = content{err: err}
			}
		}
	}
}

// isBinary judges data by its first bytes, as grep does.
func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), 8<<10)], 0) >= 0
}

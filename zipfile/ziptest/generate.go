package ziptest

import (
	"fmt"
	"iter"
	"slices"
)

// Many gives n stored entries for Archive.More, a thousand to a directory, as
// 0012/0012345.txt. The contents of each are its name.
func Many(n int) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range n {
			name := fmt.Sprintf("%04d/%07d.txt", i/1000, i)
			if !yield(Entry{Name: name, Data: []byte(name)}) {
				return
			}
		}
	}
}

// QuotedOverlap returns an archive with one deflated entry for each name and the kernel, all
// of which end with the data of the kernel: the data of each begin with a stored block that
// quotes the local header of the next. Every entry is sound on its own, and n of them unpack
// to n times the kernel (David Fifield, "A better zip bomb", 2019).
func QuotedOverlap(kernel Entry, names ...string) Archive {
	kernel.Method = Deflate
	c := kernel.contents(new(deflater))
	entries := []Entry{kernel}
	data, compressed := kernel.Data, c.compressed
	for _, name := range slices.Backward(names) {
		next := &entries[0]
		nextHeader := next.localHeader(next.contents(new(deflater)))
		quoted := nextHeader.Bytes()
		n := uint16(len(quoted))
		quote := le.AppendUint16(le.AppendUint16([]byte{0}, n), ^n) // a stored block that is not the last

		data = slices.Concat(quoted, data)
		compressed += uint64(len(quote) + len(quoted))
		size := uint32(compressed)
		entries = slices.Insert(entries, 0, Entry{
			Name:   name,
			Method: Deflate,
			Data:   data,
			Zeros:  kernel.Zeros,
			Raw:    quote,
			Header: func(h *Header) { h.CompressedSize = size },
		})
	}
	return Archive{Entries: entries}
}

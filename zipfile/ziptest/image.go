package ziptest

import (
	"cmp"
	"errors"
	"io"
	"math"
	"os"
	"slices"
)

// Image is a built archive: an [io.ReaderAt] whose holes take no memory, and the places of
// its records. Its methods may be called at the same time.
type Image struct {
	Layout
	store
}

// Layout says where the records of an archive stand: positions in the file, prefix included.
// Those of records that are not there are -1.
type Layout struct {
	Start        int64         // end of the prefix
	Entries      []EntryLayout // of Archive.Entries, then More
	Directory    int64
	DirectoryEnd int64
	Records      []int64 // each record of the directory, in its order
	Zip64End     int64
	Zip64Locator int64
	End          int64 // end record
}

// EntryLayout says where an entry stands. One that shares another's header has its places.
type EntryLayout struct {
	Name       string
	Header     int64 // local header; where it would be, if omitted
	Data       int64
	Descriptor int64
	End        int64 // after data, descriptor and Entry.After
	Record     int64 // first central header
}

// Entry returns the place of the first entry of that name. It panics if there is none.
func (l *Layout) Entry(name string) EntryLayout {
	for _, e := range l.Entries {
		if e.Name == name {
			return e
		}
	}
	panic("ziptest: no entry " + name)
}

// Size returns the size in bytes, holes included.
func (m *Image) Size() int64 { return m.size }

// ReadAt implements [io.ReaderAt].
func (m *Image) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, errors.New("ziptest: negative offset")
	}
	if off >= m.size {
		return 0, io.EOF
	}
	var err error
	if rest := m.size - off; int64(len(p)) > rest {
		p, err = p[:rest], io.EOF
	}
	clear(p)
	end := off + int64(len(p))
	i, _ := slices.BinarySearchFunc(m.spans, off, func(s span, off int64) int {
		return cmp.Compare(s.end(), off+1)
	})
	for ; i < len(m.spans) && m.spans[i].off < end; i++ {
		s := m.spans[i]
		copy(p[max(0, s.off-off):], s.data[max(0, off-s.off):])
	}
	return len(p), err
}

// Bytes returns all of it in new memory.
func (m *Image) Bytes() []byte {
	if m.size > math.MaxInt {
		panic("ziptest: archive too large for memory")
	}
	b := make([]byte, m.size)
	for _, s := range m.spans {
		copy(b[s.off:], s.data)
	}
	return b
}

// WriteFile writes it to the named file, which it makes or overwrites. Holes are not written,
// so that they take no space where the file system can do without.
func (m *Image) WriteFile(name string) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for _, s := range m.spans {
		if _, err := f.WriteAt(s.data, s.off); err != nil {
			return err
		}
	}
	return f.Truncate(m.size)
}

// store holds bytes with holes between them.
type store struct {
	spans []span // ascending
	size  int64
}

type span struct {
	off  int64
	data []byte
}

func (s span) end() int64 { return s.off + int64(len(s.data)) }

// spanSize keeps spans of small writes small, so that growing them copies little.
const spanSize = 1 << 20

func (s *store) write(p []byte) {
	if len(p) == 0 {
		return
	}
	n := len(s.spans)
	if n == 0 || s.spans[n-1].end() != s.size || len(s.spans[n-1].data)+len(p) > spanSize {
		s.spans = append(s.spans, span{off: s.size})
		n++
	}
	last := &s.spans[n-1]
	last.data = append(last.data, p...)
	s.size += int64(len(p))
}

func (s *store) skip(n int64) {
	if n < 0 {
		panic("ziptest: a hole of negative size")
	}
	s.size += n
}

func (s *store) skipTo(pos int64, what string) {
	if pos < s.size {
		panic("ziptest: " + what + " is behind what stands before it")
	}
	s.size = pos
}

// join appends o, which must not be written to any more.
func (s *store) join(o *store) {
	for _, p := range o.spans {
		s.spans = append(s.spans, span{off: s.size + p.off, data: p.data})
	}
	s.size += o.size
}

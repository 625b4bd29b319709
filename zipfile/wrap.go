package zipfile

import (
	"math"
	"sort"

	"zipcat.dev/zipfile/internal/inflate"
)

// Archives over 4 GiB by macOS's Archive Utility have no zip64 records: sizes and offsets are what
// is left of them modulo 4 GiB. The directory ends at the end record and begins at its recorded
// offset plus a multiple of that, as if there were a prefix of so many bytes, yet the first local
// file header is where its record says.
const wrapAt = 1 << 32

// maxWrapMisses is in how many places headers may be looked for in vain until no more are.
const maxWrapMisses = 1000

// wrapped finds where the local file headers of such an archive are, each proved by its signature
// and name. It is nil for other archives.
func (o *opening) wrapped(e *endRecord) ([]int64, error) {
	z := o.z
	if e.wide || e.base == 0 || e.base%wrapAt != 0 || z.disks != nil || len(z.pos) == 0 {
		return nil, nil
	}
	if other, err := o.directoryAt(int64(e.offset), e); other || err != nil {
		return nil, err // a prefix that is an archive too
	}
	w := window{read: z.readOnce, size: o.size, buf: make([]byte, headerGuess)}
	at := make([]int64, len(z.pos))
	turns, misses := int64(0), int64(0)
	for i, pos := range z.pos {
		r := z.recordAt(int(pos)) // its header is base too far
		found := false
		last := e.base / wrapAt
		if i == 0 {
			last = 0 // else it is a prefix that happens to be as long
		}
		for k := turns; k <= last && misses < maxWrapMisses; k++ {
			off := r.header - e.base + k*wrapAt
			if ok, err := headerIs(&w, off, r.name, e.dirOffset); err != nil {
				return nil, err
			} else if ok {
				at[i], turns, found = off, k, true
				break
			}
		}
		if !found {
			if i == 0 {
				return nil, nil
			}
			at[i] = -1
			misses += last - turns + 1
		}
	}
	return at, nil
}

// turn lets an entry of a wrapped archive go on for another 4 GiB, within the limits and what deflate,
// the only method that macOS writes, can give.
func (s *stream) turn() error {
	r := &s.rec
	if r.method != Deflate || r.size > math.MaxInt64-wrapAt || int64(int(r.size+wrapAt)) != r.size+wrapAt {
		return dataError(&s.src.p, r, inflate.ErrLong)
	}
	r.size += wrapAt
	s.left = wrapAt
	return s.e.z.checkSizes(r)
}

// headerIs reports a local file header of a name at off.
func headerIs(w *window, off int64, name string, end int64) (bool, error) {
	n := int64(localLen + len(name))
	if off < 0 || off > end-n {
		return false, nil
	}
	b, err := w.bytes(off, localLen)
	if err != nil || le32(b, 0) != sigLocal || int(le16(b, locNameLen)) != len(name) {
		return false, err
	}
	if n > int64(len(w.buf)) {
		return true, nil
	}
	if b, err = w.bytes(off, int(n)); err != nil {
		return false, err
	}
	return string(b[localLen:]) == name, nil
}

// unwrap makes offset and sizes of the record what they are in a wrapped archive. The compressed
// size follows from where the next header is. Of the size the turns are not known: it is at least
// what the compressed size must give, and what the decoder gives beyond is accepted in turns of
// 4 GiB if the CRC-32 agrees in the end.
func (r *record) unwrap(z *ZipFile) {
	i := sort.Search(len(z.pos), func(i int) bool { return int(z.pos[i]) >= r.pos })
	r.header = z.wrap[i]
	if r.header < 0 {
		r.invalid = detailf(ErrFormat, "no local file header where the offset leads to, modulo 4 GiB")
		return
	}
	next := z.dirOffset
	if i+1 < len(z.wrap) && z.wrap[i+1] > r.header {
		next = z.wrap[i+1]
	}
	if room := next - r.header - localLen - int64(len(r.name)) - r.csize; room > 0 {
		r.csize += room / wrapAt * wrapAt
	}
	least := r.csize - r.overhead()
	if r.method != Store {
		least -= least/1000 + 1000 // no compressor makes it worse
	}
	if least > r.size {
		r.size += (least - r.size + wrapAt - 1) / wrapAt * wrapAt
	}
}

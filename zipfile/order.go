package zipfile

import (
	"cmp"
	"slices"
	"sort"
	"sync"
)

// order knows which local file header comes after which in the file. Where headers ascend
// from record to record, as in nearly every archive, it is the order of the directory and
// needs nothing; else entry numbers sorted by header offset, built at first need.
type order struct {
	once   sync.Once
	sorted []uint32 // entries whose offset is known
	shared []uint64 // set of bits: entries whose header another name has too; nil for none
}

func (z *ZipFile) buildOrder() {
	o := &z.order
	o.sorted = make([]uint32, 0, len(z.pos))
	for i, pos := range z.pos {
		if r := z.recordAt(int(pos)); r.invalid == nil {
			o.sorted = append(o.sorted, uint32(i))
		}
	}
	slices.SortFunc(o.sorted, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(z.headerAt(a), z.headerAt(b)), cmp.Compare(a, b))
	})
	for from := 0; from < len(o.sorted); {
		first := z.recordAt(int(z.pos[o.sorted[from]]))
		to, same := from+1, true
		for ; to < len(o.sorted); to++ {
			r := z.recordAt(int(z.pos[o.sorted[to]]))
			if r.header != first.header {
				break
			}
			same = same && r.name == first.name
		}
		if !same {
			if o.shared == nil {
				o.shared = make([]uint64, (len(z.pos)+63)/64)
			}
			for _, i := range o.sorted[from:to] {
				o.shared[i/64] |= 1 << (i % 64)
			}
		}
		from = to
	}
}

func (z *ZipFile) headerAt(i uint32) int64 {
	pos := int(z.pos[i])
	if h := le32(z.dir, pos+cenOffset); h != max32 {
		return z.base + int64(h)
	}
	r := z.recordAt(pos)
	return r.header
}

// next returns the offset of the first local file header behind that of entry i, at most the
// offset of the directory; shared reports that an entry of another name has the same header.
func (z *ZipFile) next(i uint32, header int64) (off int64, shared bool) {
	off = z.dirOffset
	if z.ascending {
		if int(i)+1 < len(z.pos) {
			off = min(off, z.headerAt(i+1))
		}
		return off, false
	}
	o := &z.order
	o.once.Do(z.buildOrder)
	after := sort.Search(len(o.sorted), func(j int) bool { return z.headerAt(o.sorted[j]) > header })
	if after < len(o.sorted) {
		off = min(off, z.headerAt(o.sorted[after]))
	}
	return off, o.shared != nil && o.shared[i/64]>>(i%64)&1 != 0
}

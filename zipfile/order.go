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
	sorted []uint32 // entries by header offset, those whose offset is not known at the end
	known  int      // how many have one
	shared []uint64 // set of bits: entries whose header another name has too; nil for none
}

func (z *ZipFile) buildOrder() {
	o := &z.order
	o.sorted = make([]uint32, len(z.pos))
	back := len(z.pos) // where the last one whose offset is not known was put
	for i, pos := range z.pos {
		if r := z.recordAt(int(pos)); r.invalid == nil {
			o.sorted[o.known] = uint32(i)
			o.known++
		} else {
			back--
			o.sorted[back] = uint32(i)
		}
	}
	sorted := o.sorted[:o.known]
	slices.SortFunc(sorted, z.byHeader)
	for from := 0; from < len(sorted); {
		header, name := z.headerAt(sorted[from]), z.nameAt(sorted[from])
		to, same := from+1, true
		for ; to < len(sorted) && z.headerAt(sorted[to]) == header; to++ {
			// The names as they are used: one name in the header can be many by Unicode Path fields.
			same = same && z.nameAt(sorted[to]) == name
		}
		if !same {
			if o.shared == nil {
				o.shared = make([]uint64, (len(z.pos)+63)/64)
			}
			for _, i := range sorted[from:to] {
				o.shared[i/64] |= 1 << (i % 64)
			}
		}
		from = to
	}
}

// byHeader compares two entries by where their local file headers are.
func (z *ZipFile) byHeader(a, b uint32) int {
	return cmp.Or(cmp.Compare(z.headerAt(a), z.headerAt(b)), cmp.Compare(a, b))
}

// headerAt is recordAt for the offset alone, which nearly always stands in the header as it is.
func (z *ZipFile) headerAt(i uint32) int64 {
	pos := int(z.pos[i])
	if h := le32(z.dir, pos+cenOffset); h != max32 && z.disks == nil && z.wrap == nil {
		return z.base + int64(h)
	}
	r := z.recordAt(pos)
	return r.header
}

// next returns the offset of the first local file header behind that of entry i, at most the
// offset of the directory; shared reports that an entry of another name has the same header.
func (z *ZipFile) next(i uint32, header int64) (off int64, shared bool) {
	off = z.dirOffset
	if z.only != nil {
		return min(off, z.only.headers[i].next), false
	}
	if z.ascending {
		if int(i)+1 < len(z.pos) {
			off = min(off, z.headerAt(i+1))
		}
		return off, false
	}
	o := &z.order
	o.once.Do(z.buildOrder)
	after := sort.Search(o.known, func(j int) bool { return z.headerAt(o.sorted[j]) > header })
	if after < o.known {
		off = min(off, z.headerAt(o.sorted[after]))
	}
	return off, o.shared != nil && o.shared[i/64]>>(i%64)&1 != 0
}

// inFileOrder returns the number of the entry that is the j-th in the file.
func (z *ZipFile) inFileOrder(j int) uint32 {
	if z.ascending {
		return uint32(j)
	}
	z.order.once.Do(z.buildOrder)
	return z.order.sorted[j]
}

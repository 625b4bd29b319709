package zipfile

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
)

// index finds entries by name: a hash table of 4-byte slots with open addressing. A slot
// holds the entry's number plus one and, in the bits above, part of its hash, so that hardly
// ever a name is compared that is another. The hash is seeded: nobody can make names that
// collide. It is built once, by the first that needs it.
type index struct {
	once  sync.Once
	asked atomic.Bool // a lookup went over all entries
	built atomic.Bool
	seed  maphash.Seed
	slots []uint32 // a power of two
	shift uint8    // bits of a slot that hold the number

	clean bool // every name is a path in which nothing is wrong
	// asStored: every name stands in the directory as it is. False until the index is built.
	asStored atomic.Bool

	// earlier lists entries whose name a later one has too, by hash of the name, then number.
	earlier []uint32
	hidden  []uint64 // the same as a set of bits, nil where there is none
}

func (z *ZipFile) buildIndex() {
	x := &z.index
	n := len(z.pos)
	x.seed = maphash.MakeSeed()
	x.shift = uint8(bits.Len(uint(n)))
	size := 1
	for size*3 < n*4 { // at most three quarters full
		size *= 2
	}
	x.slots = make([]uint32, size)
	asStored := true
	x.clean = true
	for i, pos := range z.pos {
		name, extra := z.nameAndExtra(int(pos))
		if s := shapeOf(name); s != clean || mayRename(extra) {
			r := z.recordAt(int(pos))
			name = z.decodeName(&r)
			asStored = asStored && name == r.name
			x.clean = false
		}
		x.insert(z, uint32(i), name)
	}
	x.asStored.Store(asStored)
	x.built.Store(true)
	// The same name again is rare; sorted by hash, LookupAll finds all of one name at once.
	if len(x.earlier) == 0 {
		return
	}
	x.hidden = make([]uint64, (n+63)/64)
	hashes := make(map[uint32]uint64, len(x.earlier))
	for _, i := range x.earlier {
		x.hidden[i/64] |= 1 << (i % 64)
		hashes[i] = maphash.String(x.seed, z.nameAt(i))
	}
	slices.SortFunc(x.earlier, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(hashes[a], hashes[b]), cmp.Compare(a, b))
	})
}

// tag is what a slot keeps of a hash: the upper bits, as the lower ones choose the slot.
func (x *index) tag(h uint64) uint32 { return uint32(h>>32) &^ (1<<x.shift - 1) }

func (x *index) insert(z *ZipFile, i uint32, name string) {
	h := maphash.String(x.seed, name)
	mask := uint32(len(x.slots) - 1)
	for s := uint32(h) & mask; ; s = (s + 1) & mask {
		slot := x.slots[s]
		if slot == 0 {
			x.slots[s] = x.tag(h) | (i + 1)
			return
		}
		other := slot&(1<<x.shift-1) - 1
		if slot&^(1<<x.shift-1) == x.tag(h) && z.nameAt(other) == name {
			x.earlier = append(x.earlier, other) // the last one wins
			x.slots[s] = x.tag(h) | (i + 1)
			return
		}
	}
}

// find returns the number of the last entry with the name, -1 if there is none.
func (x *index) find(z *ZipFile, name string) int {
	h := maphash.String(x.seed, name)
	slots, low := x.slots, uint32(1)<<x.shift-1
	tag := uint32(h>>32) &^ low
	mask := uint32(len(slots) - 1)
	asStored := x.asStored.Load()
	for s := uint32(h) & mask; ; s = (s + 1) & mask {
		slot := slots[s]
		if slot == 0 {
			return -1
		}
		if slot&^low != tag {
			continue
		}
		i := slot&low - 1
		if !asStored {
			if z.nameAt(i) == name {
				return int(i)
			}
			continue
		}
		d := z.dir[z.pos[i]:]
		if int(le16(d, cenNameLen)) == len(name) && d[centralLen:centralLen+len(name)] == name {
			return int(i)
		}
	}
}

// shadowed reports an entry whose name a later one has too.
func (x *index) shadowed(i uint32) bool {
	return x.hidden != nil && x.hidden[i/64]>>(i%64)&1 != 0
}

// Lookup returns the entry with exactly this name, the last where several have it. It allocates
// nothing but at the second call, which builds the index: who looks up one name needs none.
func (z *ZipFile) Lookup(name string) (Entry, bool) {
	var i int
	if x := &z.index; !x.built.Load() && !x.asked.Swap(true) {
		i = z.scanFor(name)
	} else {
		x.once.Do(z.buildIndex)
		i = x.find(z, name)
	}
	if i < 0 {
		return Entry{}, false
	}
	return Entry{z, uint32(i)}, true
}

// scanFor is find without an index. It takes a fraction of the time of building one.
func (z *ZipFile) scanFor(name string) int {
	for i := len(z.pos) - 1; i >= 0; i-- {
		stored, extra := z.nameAndExtra(int(z.pos[i]))
		if (stored == name || isOdd(stored) || mayRename(extra)) && z.nameAt(uint32(i)) == name {
			return i
		}
	}
	return -1
}

// LookupAll returns all entries with exactly this name in the order of the directory, nil if
// there is none.
func (z *ZipFile) LookupAll(name string) []Entry {
	x := &z.index
	x.once.Do(z.buildIndex)
	i := x.find(z, name)
	if i < 0 {
		return nil
	}
	last := Entry{z, uint32(i)}
	if len(x.earlier) == 0 {
		return []Entry{last}
	}
	h := maphash.String(x.seed, name)
	hash := func(i int) uint64 { return maphash.String(x.seed, z.nameAt(x.earlier[i])) }
	var all []Entry
	for i := sort.Search(len(x.earlier), func(i int) bool { return hash(i) >= h }); i < len(x.earlier) && hash(i) == h; i++ {
		if z.nameAt(x.earlier[i]) == name {
			all = append(all, Entry{z, x.earlier[i]})
		}
	}
	return append(all, last)
}

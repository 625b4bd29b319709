package jar

import (
	"cmp"
	"context"
	"hash/maphash"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"zipcat.dev/zipfile"
)

const (
	maxJars       = 1<<16 - 1
	maxJarEntries = 1 << 23
)

// slot is a name of an archive in the index, 0 for none: bits 0-22 the number of the entry, bit 23 set where
// the name is that of the file of which the entry is a version, 24-39 the number of the archive plus one,
// 40-63 part of the hash.
type slot uint64

const (
	slotVersion = slot(1) << 23
	slotTag     = ^slot(1<<40 - 1)
)

func (s slot) entry() int { return int(s & (maxJarEntries - 1)) }
func (s slot) jar() int   { return int(s>>24&maxJars) - 1 }

// classIndex finds names in many archives: one hash table over all of them, so that a lookup costs the same
// however many there are. A name is in the table once, for the first archive that has it; the others are
// in a list that only who asks for all looks at. Hashes are seeded: nobody can make names that collide.
type classIndex struct {
	seed  maphash.Seed
	slots []slot      // three fifths full
	later []laterSlot // of names that stand in several archives, sorted by the first
	// whole has the archives all of whose entries are found by their own names; nil for others. What a
	// lookup needs of them is close together.
	whole []*zipfile.ZipFile
}

type laterSlot struct{ first, slot slot }

// named tells whether s.name(jars) == name.
func (x *classIndex) named(jars []*element, s slot, name string) bool {
	if z := x.whole[s.jar()]; z != nil && s&slotVersion == 0 {
		return z.At(s.entry()).RawName() == name
	}
	return s.name(jars) == name
}

// name returns the name by which the entry of a slot is found.
func (s slot) name(jars []*element) string {
	j := jars[s.jar()]
	name, _ := j.nameIn(j.z.At(s.entry()).RawName())
	if s&slotVersion != 0 {
		_, name, _ = versioned(name)
	}
	return name
}

func (x *classIndex) build(ctx context.Context, jars []*element, release int) error {
	x.seed = maphash.MakeSeed()
	total := 0
	x.whole = make([]*zipfile.ZipFile, len(jars))
	for i, j := range jars {
		if j.prefix == "" {
			x.whole[i] = j.z
		}
		total += j.z.Len()
		if j.multi { // some entries stand under two names
			for e := range j.z.Entries() {
				if strings.Contains(e.RawName(), versionsDir) {
					total++
				}
			}
		}
	}
	x.slots = make([]slot, total*5/3+1)
	for i, j := range jars {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		x.add(jars, i, j, release)
	}
	slices.SortStableFunc(x.later, func(a, b laterSlot) int { return cmp.Compare(a.first, b.first) })
	// Of several entries of one name in an archive the last counts.
	kept := x.later[:0]
	for _, l := range x.later {
		if n := len(kept); n > 0 && kept[n-1].first == l.first && kept[n-1].slot.jar() == l.slot.jar() {
			kept[n-1] = l
		} else {
			kept = append(kept, l)
		}
	}
	x.later = slices.Clip(kept)
	return nil
}

func (x *classIndex) add(jars []*element, i int, j *element, release int) {
	number := slot(i+1) << 24
	for e := range j.z.Entries() {
		if name, ok := j.nameIn(e.RawName()); ok && name != "" {
			x.insert(jars, number|slot(e.Index()), name)
		}
	}
	if !j.multi {
		return
	}
	best := make(map[string]int) // release by name
	for e := range j.z.Entries() {
		name, _ := j.nameIn(e.RawName())
		n, base, ok := versioned(name)
		if ok && n <= release && n >= baseRelease && release > baseRelease && !strings.HasPrefix(base, metaDir) && n >= best[base] {
			best[base] = n
			x.insert(jars, number|slotVersion|slot(e.Index()), base)
		}
	}
}

// at is where to begin to look for a hash. Its upper bits choose, the lower ones are the tag.
func (x *classIndex) at(h uint64) int {
	i, _ := bits.Mul64(h, uint64(len(x.slots)))
	return int(i)
}

func (x *classIndex) insert(jars []*element, s slot, name string) {
	h := maphash.String(x.seed, name)
	s |= slot(h << 40)
	for i := x.at(h); ; {
		switch old := x.slots[i]; {
		case old == 0:
			x.slots[i] = s
			return
		case (old^s)&slotTag != 0 || !x.named(jars, old, name):
		case old.jar() == s.jar():
			x.slots[i] = s // the last, or a version
			return
		default:
			x.later = append(x.later, laterSlot{old, s})
			return
		}
		if i++; i == len(x.slots) {
			i = 0
		}
	}
}

// find returns the slot of a name, 0 if there is none.
func (x *classIndex) find(jars []*element, name string) slot {
	if len(x.slots) == 0 {
		return 0
	}
	h := maphash.String(x.seed, name)
	tag := slot(h << 40)
	for i := x.at(h); ; {
		s := x.slots[i]
		if s == 0 || s&slotTag == tag && x.named(jars, s, name) {
			return s
		}
		if i++; i == len(x.slots) {
			i = 0
		}
	}
}

// all gives the slots of a name in all archives that have it.
func (x *classIndex) all(jars []*element, name string) iter.Seq[slot] {
	return func(yield func(slot) bool) {
		first := x.find(jars, name)
		if first == 0 || !yield(first) {
			return
		}
		i, _ := slices.BinarySearchFunc(x.later, first, func(l laterSlot, s slot) int { return cmp.Compare(l.first, s) })
		for ; i < len(x.later) && x.later[i].first == first; i++ {
			if !yield(x.later[i].slot) {
				return
			}
		}
	}
}

// duplicates gives the names that several archives have, and the archives.
func (x *classIndex) duplicates(jars []*element) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for i := 0; i < len(x.later); {
			first := x.later[i].first
			elements := []string{jars[first.jar()].path}
			for ; i < len(x.later) && x.later[i].first == first; i++ {
				elements = append(elements, jars[x.later[i].slot.jar()].path)
			}
			if !yield(first.name(jars), elements) {
				return
			}
		}
	}
}

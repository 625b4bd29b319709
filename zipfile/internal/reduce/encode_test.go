package reduce

import (
	"cmp"
	"slices"
)

// bitWriter writes bits, the lowest first.
type bitWriter struct {
	b    []byte
	bits uint64
	n    uint
}

func (w *bitWriter) write(v uint64, n uint) {
	w.bits |= v << w.n
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.b = append(w.b, byte(w.bits))
		w.bits >>= 8
	}
}

func (w *bitWriter) bytes() []byte {
	if w.n > 0 {
		return append(slices.Clone(w.b), byte(w.bits))
	}
	return w.b
}

// encoder reduces.
type encoder struct {
	factor int
	size   func(last int) int // how many followers of a byte at most; nil: as many as are worth it
	zeros  bool               // copy zeros from before the start, too
	plain  bool               // no copies

	sizes    [maxFollowers + 1]int // bytes coded, by the size of the set
	listed   [maxFollowers + 1]int // those that were in it
	lengths  [2]int                // copies, without and with a second byte for the length
	escapes  int
	farthest int
	before   int // copies from before the start
}

// copies is the inner layer: LZ77 with a chain of the places where three bytes were.
func (e *encoder) copies(src []byte) []byte {
	lenBits := 8 - e.factor
	mask := 1<<lenBits - 1
	reach := (256 << e.factor) // bytes
	most := mask + 255 + 3
	start := 0
	if e.zeros {
		start = history
		src = append(make([]byte, history), src...)
	}
	var out []byte
	places := map[[3]byte][]int{}
	enter := func(i int) {
		if i+3 <= len(src) {
			k := [3]byte(src[i:])
			places[k] = append(places[k], i)
		}
	}
	for i := range start {
		enter(i)
	}
	for i := start; i < len(src); {
		size, at := 0, 0
		if i+3 <= len(src) && !e.plain {
			p := places[[3]byte(src[i:])]
			for tries := 0; tries < 30 && len(p) > 0 && i-p[len(p)-1] <= reach; tries++ {
				j := p[len(p)-1]
				p = p[:len(p)-1]
				n := 0
				for n < most && i+n < len(src) && src[j+n] == src[i+n] {
					n++
				}
				// Three bytes from nearby would start with 0, which is an escape.
				if n > size && (n > 3 || i-j > 256) {
					size, at = n, j
				}
			}
		}
		if size == 0 {
			if out = append(out, src[i]); src[i] == escape {
				out = append(out, 0)
				e.escapes++
			}
			enter(i)
			i++
			continue
		}
		distance := i - at
		e.farthest = max(e.farthest, distance)
		if at < start {
			e.before++
		}
		length := min(size-3, mask)
		out = append(out, escape, byte((distance-1)>>8<<lenBits|length))
		e.lengths[length/mask]++
		if length == mask {
			out = append(out, byte(size-3-mask))
		}
		out = append(out, byte(distance-1))
		for range size {
			enter(i)
			i++
		}
	}
	return out
}

func (e *encoder) encode(src []byte) []byte {
	inner := e.copies(src)
	var counts [256][256]int
	last := byte(0)
	for _, b := range inner {
		counts[last][b]++
		last = b
	}
	var sets [256][]byte
	for i := range sets {
		var all []byte
		for b := range 256 {
			if e.size != nil || counts[i][b] > 0 {
				all = append(all, byte(b))
			}
		}
		slices.SortStableFunc(all, func(a, b byte) int { return cmp.Compare(counts[i][b], counts[i][a]) })
		if e.size != nil {
			sets[i] = all[:e.size(i)]
			continue
		}
		total := 0
		for _, n := range counts[i] {
			total += n
		}
		best := 8 * total
		in := 0
		for n, b := range all[:min(len(all), maxFollowers)] {
			in += counts[i][b]
			if cost := in*int(1+width[n+1]) + (total-in)*9 + (n+1)*8; cost < best {
				best, sets[i] = cost, all[:n+1]
			}
		}
	}
	w := followersOf(sets)
	last = 0
	for _, b := range inner {
		set := sets[last]
		e.sizes[len(set)]++
		switch i := slices.Index(set, b); {
		case len(set) == 0:
			w.write(uint64(b), 8)
		case i < 0:
			w.write(1|uint64(b)<<1, 9)
		default:
			w.write(uint64(i)<<1, uint(1+width[len(set)]))
			e.listed[len(set)]++
		}
		last = b
	}
	return w.bytes()
}

// followersOf writes what stands at the start.
func followersOf(sets [256][]byte) *bitWriter {
	w := new(bitWriter)
	for i := 255; i >= 0; i-- {
		w.write(uint64(len(sets[i])), 6)
		for _, b := range sets[i] {
			w.write(uint64(b), 8)
		}
	}
	return w
}

// plainly writes bytes of the inner layer without followers.
func plainly(b ...byte) []byte {
	w := followersOf([256][]byte{})
	for _, c := range b {
		w.write(uint64(c), 8)
	}
	return w.bytes()
}

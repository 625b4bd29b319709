package implode

import (
	"container/heap"
	"math/bits"
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

// treeOf writes a tree of codes of these lengths, runs of up to 16 in a byte.
func (w *bitWriter) treeOf(lengths []int) {
	var pairs []byte
	for i := 0; i < len(lengths); {
		n := 1
		for n < 16 && i+n < len(lengths) && lengths[i+n] == lengths[i] {
			n++
		}
		pairs = append(pairs, byte(n-1)<<4|byte(lengths[i]-1))
		i += n
	}
	w.write(uint64(len(pairs)-1), 8)
	for _, b := range pairs {
		w.write(uint64(b), 8)
	}
}

// codesOf is the algorithm of APPNOTE 5.3 to the letter: from the last of the sorted values to the
// first, in the upper bits of 16. The codes are given as they are written.
func codesOf(lengths []int) []uint64 {
	sorted := make([]int, len(lengths))
	for i := range sorted {
		sorted[i] = i
	}
	slices.SortStableFunc(sorted, func(a, b int) int { return lengths[a] - lengths[b] })
	codes := make([]uint64, len(lengths))
	code, increment, last := 0, 0, 0
	for i := len(sorted) - 1; i >= 0; i-- {
		v := sorted[i]
		code += increment
		if lengths[v] != last {
			last = lengths[v]
			increment = 1 << (16 - last)
		}
		codes[v] = uint64(bits.Reverse16(uint16(code)))
	}
	return codes
}

// huffman returns lengths of codes, up to 16, that suit the counts.
func huffman(counts []int) []int {
	for shift := 0; ; shift++ {
		var h nodes
		for v, n := range counts {
			h = append(h, &node{count: n>>shift + 1, value: v})
		}
		heap.Init(&h)
		for len(h) > 1 {
			a, b := heap.Pop(&h).(*node), heap.Pop(&h).(*node)
			heap.Push(&h, &node{a.count + b.count, -1, a, b})
		}
		lengths := make([]int, len(counts))
		h[0].walk(lengths, 0)
		if slices.Max(lengths) <= maxCode {
			return lengths
		}
	}
}

type node struct {
	count, value int
	a, b         *node
}

func (n *node) walk(lengths []int, depth int) {
	if n.value >= 0 {
		lengths[n.value] = depth
		return
	}
	n.a.walk(lengths, depth+1)
	n.b.walk(lengths, depth+1)
}

type nodes []*node

func (h nodes) Len() int           { return len(h) }
func (h nodes) Less(i, j int) bool { return h[i].count < h[j].count }
func (h nodes) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *nodes) Push(x any)        { *h = append(*h, x.(*node)) }
func (h *nodes) Pop() any {
	x := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return x
}

// deep returns lengths from 1 to 16 for the first values; the others are where the code of 3 bits
// would be.
func deep(counts []int) []int {
	lengths := []int{1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16}
	n := len(counts) - len(lengths)
	long := bits.Len(uint(n - 1))
	lengths = append(lengths, slices.Repeat([]int{3 + long - 1}, 1<<long-n)...)
	return append(lengths, slices.Repeat([]int{3 + long}, 2*n-1<<long)...)
}

func flat(counts []int) []int {
	return slices.Repeat([]int{bits.Len(uint(len(counts) - 1))}, len(counts))
}

// encoder implodes.
type encoder struct {
	flags uint16
	trees func(counts []int) []int // lengths of codes; nil: huffman
	zeros bool                     // copy zeros from before the start, too

	lengths  [65]int          // copies, by their length less the shortest; 64 with a byte more
	codes    [maxCode + 1]int // by their length
	farthest int
	before   int // copies from before the start
}

type copied struct{ size, distance int } // a literal if size is 0

func (e *encoder) parse(src []byte) (out []copied) {
	reach, shortest := 4<<10, 2
	if e.flags&Dictionary8K != 0 {
		reach = 8 << 10
	}
	if e.flags&LiteralTree != 0 {
		shortest = 3
	}
	most := shortest + 63 + 255
	start := 0
	if e.zeros {
		start = reach
		src = append(make([]byte, reach), src...)
	}
	places := map[string][]int{}
	enter := func(i int) {
		if i+shortest <= len(src) {
			k := string(src[i : i+shortest])
			places[k] = append(places[k], i)
		}
	}
	for i := range start {
		enter(i)
	}
	for i := start; i < len(src); {
		c := copied{0, int(src[i])}
		if i+shortest <= len(src) {
			p := places[string(src[i:i+shortest])]
			for tries := 0; tries < 30 && len(p) > 0 && i-p[len(p)-1] <= reach; tries++ {
				j := p[len(p)-1]
				p = p[:len(p)-1]
				n := 0
				for n < most && i+n < len(src) && src[j+n] == src[i+n] {
					n++
				}
				if n > c.size {
					c = copied{n, i - j}
				}
			}
		}
		out = append(out, c)
		if c.size > 0 {
			e.farthest = max(e.farthest, c.distance)
			e.lengths[min(c.size-shortest, 64)]++
			if i-c.distance < start {
				e.before++
			}
		}
		for range max(c.size, 1) {
			enter(i)
			i++
		}
	}
	return out
}

func (e *encoder) encode(src []byte) []byte { return e.write(e.parse(src)) }

func (e *encoder) write(parsed []copied) []byte {
	lowBits, shortest := uint(6), 2
	if e.flags&Dictionary8K != 0 {
		lowBits = 7
	}
	if e.flags&LiteralTree != 0 {
		shortest = 3
	}
	var literals [256]int
	var lengths, distances [64]int
	for _, c := range parsed {
		if c.size == 0 {
			literals[c.distance]++
			continue
		}
		lengths[min(c.size-shortest, 63)]++
		distances[(c.distance-1)>>lowBits]++
	}
	var w bitWriter
	tree := func(counts []int) func(v int) {
		of := e.trees
		if of == nil {
			of = huffman
		}
		lengths := of(counts)
		w.treeOf(lengths)
		codes := codesOf(lengths)
		return func(v int) {
			w.write(codes[v], uint(lengths[v]))
			e.codes[lengths[v]]++
		}
	}
	literal := func(v int) { w.write(uint64(v), 8) }
	if e.flags&LiteralTree != 0 {
		literal = tree(literals[:])
	}
	length := tree(lengths[:])
	distance := tree(distances[:])
	for _, c := range parsed {
		if c.size == 0 {
			w.write(1, 1)
			literal(c.distance)
			continue
		}
		w.write(0, 1)
		w.write(uint64(c.distance-1)&(1<<lowBits-1), lowBits)
		distance((c.distance - 1) >> lowBits)
		n := c.size - shortest
		length(min(n, 63))
		if n >= 63 {
			w.write(uint64(n-63), 8)
		}
	}
	return w.bytes()
}

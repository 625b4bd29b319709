package shrink

import "slices"

// bitWriter writes codes, the low bit first.
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

// codesOf writes codes of 9 bits, wider by a bit behind each 256, 1.
func codesOf(codes ...int) []byte {
	var w bitWriter
	width := uint(minWidth)
	for i, c := range codes {
		w.write(uint64(c), width)
		if i > 0 && codes[i-1] == control && c == 1 {
			width++
		}
	}
	return w.bytes()
}

// encoder shrinks as PKZIP does, which clears the table when it is full, and otherwise as told.
type encoder struct {
	early bool // widen codes at the start, not when needed
	clear int  // clear after every so many codes, too

	bitWriter
	width  uint
	table  map[edge]int
	prefix [codes]int // free: -1
	parts  [codes]int // edge.last
	next   int
	widths map[uint]int // codes written by width
	clears int
	odd    int // codes written whose prefix had been cleared when they were made
	lost   int // codes that are their own prefix
	orphan map[int]bool
}

type edge struct {
	prefix int
	last   byte
}

func (e *encoder) code(c int) {
	for e.width < maxWidth && (c >= 1<<e.width || e.early) {
		e.write(control, e.width)
		e.write(1, e.width)
		e.width++
	}
	e.write(uint64(c), e.width)
	e.widths[e.width]++
	if e.orphan[c] {
		e.odd++
	}
}

func (e *encoder) partialClear() {
	e.write(control, e.width)
	e.write(2, e.width)
	var isPrefix [codes]bool
	for c := control + 1; c < codes; c++ {
		if p := e.prefix[c]; p >= 0 {
			isPrefix[p] = true
		}
	}
	for c := control + 1; c < codes; c++ {
		if e.prefix[c] >= 0 && !isPrefix[c] {
			delete(e.table, edge{e.prefix[c], byte(e.parts[c])})
			delete(e.orphan, c)
			e.prefix[c] = -1
		}
	}
	e.next = control + 1
	e.clears++
}

func (e *encoder) free() bool {
	for e.next < codes && e.prefix[e.next] >= 0 {
		e.next++
	}
	return e.next < codes
}

func (e *encoder) encode(src []byte) []byte {
	e.width, e.table, e.next = minWidth, map[edge]int{}, control+1
	e.widths, e.orphan = map[uint]int{}, map[int]bool{}
	for i := range e.prefix {
		e.prefix[i] = -1
	}
	if len(src) == 0 {
		return nil
	}
	cur, written := int(src[0]), 0
	for _, b := range src[1:] {
		if next, ok := e.table[edge{cur, b}]; ok {
			cur = next
			continue
		}
		e.code(cur)
		written++
		if !e.free() || e.clear > 0 && written%e.clear == 0 {
			e.partialClear()
		}
		if e.free() {
			switch {
			case e.next == cur:
				e.lost++
			case cur > control && e.prefix[cur] < 0:
				e.orphan[e.next] = true
			}
			e.table[edge{cur, b}] = e.next
			e.prefix[e.next], e.parts[e.next] = cur, int(b)
			e.next++
		}
		cur = int(b)
	}
	e.code(cur)
	return e.bytes()
}

func encode(src []byte) []byte { return new(encoder).encode(src) }

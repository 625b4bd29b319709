package lzma

import "math"

const (
	// base zero bytes stand before the output: the byte before the first is 0 for the literal
	// coder, and positions count modulo 16 from base.
	base = 16
	// slack is room behind the limit of the output, in bytes: a match that starts before the
	// limit has up to 273 bytes and is copied by 16. One more symbol fits in.
	slack = 304
	// chunk is how much is decoded before it is given out, in bytes.
	chunk = 64 << 10
	// minDict is the smallest dictionary, in bytes. Headers may name less.
	minDict = 4 << 10
	// keepRoom is the largest window that is kept for the next reader, in bytes.
	keepRoom = 2 << 20
	// mostWindow is where a window stops to grow on machines of 32 bits, in bytes.
	mostWindow = math.MaxInt / 4
)

// window is the output decoded last: out[base:o], of which out[given:o] is still to be given out.
// It grows with the output, never because of what a header says, until it holds the dictionary
// and room for more; from then on it slides.
type window struct {
	out   []byte
	o     int
	given int
	keep  int // how many bytes the dictionary has
	most  int // the length that out may get
	due   int // where the declared output ends, in out
}

// open sets the dictionary, in bytes, for output of which expect bytes are declared (negative:
// unknown). What out holds is history no more. max is what the window may take apart from a
// chunk and the slack, 0 for any.
func (w *window) open(dict uint32, expect, max int64) error {
	keep := int64(dict+15) &^ 15
	if dict > math.MaxUint32-15 {
		keep = 1 << 32
	}
	need := keep
	if expect >= 0 {
		need = min(need, expect)
	}
	room := keep + keep/4 + chunk + 16
	if max > 0 {
		if need > max {
			return tooLarge(need)
		}
		room = min(room, max+chunk+16)
	}
	w.o, w.given = base, base
	w.keep = int(min(keep, mostWindow))
	w.most = base + int(min(room, mostWindow)) + slack
	w.due = base
	if expect > 0 {
		w.due += int(min(expect, mostWindow))
	}
	return nil
}

// room makes room for output and returns where it ends. All output must be given out. Where the
// declared output ends that is room for one symbol, which should be the end marker: a window of
// the right length does not grow for it.
func (w *window) room() (limit int, err error) {
	if w.o == w.due && w.o+slack <= len(w.out) {
		return w.o + 1, nil
	}
	limit = w.limit()
	if limit+slack > len(w.out) {
		if w.grow(limit + slack); limit+slack > len(w.out) {
			w.forget((w.o - base - w.keep) &^ 15)
			if limit = w.limit(); limit+slack > len(w.out) {
				return 0, tooLarge(int64(limit))
			}
		}
	}
	return limit, nil
}

func (w *window) limit() int {
	if w.o < w.due {
		return min(w.o+chunk, w.due)
	}
	return w.o + chunk
}

// grow makes out longer, to n bytes or more, if it may be.
func (w *window) grow(n int) {
	most := w.most
	if w.o < w.due {
		most = min(most, w.due+slack)
	}
	if n = min(max(n, 2*len(w.out)), most); n > len(w.out) {
		out := make([]byte, n)
		copy(out, w.out[:min(w.o, len(w.out))])
		w.out = out
	}
}

// forget drops the first n bytes of history, a multiple of 16.
func (w *window) forget(n int) {
	if n <= 0 {
		return
	}
	copy(w.out[base:], w.out[base+n:w.o])
	w.o -= n
	w.given -= n
	w.due -= n
}

// reset drops all history.
func (w *window) reset() {
	w.due -= w.o - base
	w.o, w.given = base, base
}

// take gives out output.
func (w *window) take(p []byte) int {
	n := copy(p, w.out[w.given:w.o])
	w.given += n
	return n
}

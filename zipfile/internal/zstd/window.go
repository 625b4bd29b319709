package zstd

import "math"

const (
	// slack is room behind the output, in bytes: it is copied by 16 or 32.
	slack = 64
	// leastWindow is what a window takes at least, in bytes.
	leastWindow = 32 << 10
	// keepRoom is the largest window that is kept for the next reader, in bytes.
	keepRoom = 2 << 20
	// mostWindow is where a window stops to grow on machines of 32 bits, in bytes.
	mostWindow = math.MaxInt / 4
)

// window is the output of the frame decoded last: out[:o], of which out[given:o] is still to be given out.
//
// It grows with the output, by four at a time, never because of what a header says, until it holds what may be
// referred to and a block more. From then on a block that has no room at the end of it goes to its
// beginning, and what stands behind the output is that of the lap before, up to lap. Nothing is
// ever moved.
type window struct {
	out   []byte
	o     int
	given int
	lap   int // where the lap before ended; 0 in the first
	keep  int // how far back matches may reach: as far as the frame declares, or as memory allows
	most  int // where out stops to grow; a block may need a bit more
}

// open starts a frame whose window and blocks have so many bytes at most, when all output is given
// out. limit is what the window may take apart from a block and the slack, 0 for any.
func (w *window) open(size uint64, block int, limit int64) {
	keep := min(size, mostWindow)
	if limit > 0 {
		keep = min(keep, uint64(limit))
	}
	w.keep = int(keep)
	w.most = w.keep + block + 2*slack
	w.o, w.given, w.lap = 0, 0, 0
}

// room makes room for a block of n bytes, when all output is given out. left is how many bytes are
// expected still, negative where that is unknown.
func (w *window) room(n int, left int64) {
	need := w.o + n + slack
	if need <= len(w.out) {
		return
	}
	if len(w.out) >= w.most {
		w.lap = w.o
		w.o, w.given = 0, 0
		return
	}
	length := w.most
	if len(w.out) < w.most/4 {
		length = max(4*len(w.out), leastWindow)
	}
	if 0 <= left && left < int64(length) { // it may be any number
		length = min(length, w.o+int(left)+slack)
	}
	out := make([]byte, max(min(length, w.most), need))
	copy(out, w.out[:w.o])
	w.out = out
}

// Package lzma decodes what zip calls methods 14 and 95: LZMA with zip's own header (APPNOTE
// 5.8), and the .xz format (version 1.2.0) with LZMA2 and its filters. It follows the LZMA
// specification of Igor Pavlov, which is in the public domain.
//
// Memory of a reader: a window that doubles as the output grows, up to the dictionary and a quarter
// more, or to the declared size where that is less; 94 KiB for the decoder; for filters 64 KiB
// more; and for LZMA with unusual properties models of up to 6 MiB, which is the most that a
// number in a header makes it allocate.
//
//	r := lzma.NewReader(src, entry.Size, entry.Flags&2 != 0, 64<<20)
//	defer r.Free()
//	_, err := io.CopyN(dst, r, entry.Size)
//	if err == nil {
//		_, err = r.Read(one) // io.EOF, or there is more than was declared
//	}
package lzma

import (
	"encoding/binary"
	"io"
)

// Reader decodes LZMA as zip entries have it. It is for one goroutine at a time.
type Reader struct {
	d       *decoder
	left    int64 // declared bytes that are to come; below 0 when there were more
	max     int64
	err     error // what Read gives when all output is given out
	eos     bool
	started bool
	marker  bool
	unused  int // see Buffered, when the decoder is gone
}

// NewReader starts to decode from r, which is read in pieces of up to 64 KiB, at the first Read.
// size is how many bytes the entry declares, eos whether it declares an end marker (bit 1 of its
// general purpose flags). With eos the size may be unknown, which is any negative number.
// maxMemory is how many bytes the dictionary may take, or the declared size where that is less, and
// how many the models may where they take more than 24 KiB; 0 is no limit.
func NewReader(r io.Reader, size int64, eos bool, maxMemory int64) *Reader {
	return &Reader{d: getDecoder(r), left: max(size, -1), max: maxMemory, eos: eos || size < 0}
}

// Read gives decoded bytes, and io.EOF where the stream ends.
//
// With eos that is behind the end marker, however many bytes there are. Without eos it is after
// size bytes, where the coder must be in its final state, else the error is [ErrLong]; a marker
// before ends the stream too. A wrong flag is tolerated, as libarchive and Python do: with eos
// the input may end after size bytes instead, and without eos a marker may follow them, as in
// zip.js's lorem-lzma.zip. See Marker.
//
// Other errors are io.ErrUnexpectedEOF where the input ends too early, an error of the source
// as it is, one that wraps [ErrMemory] or [ErrUnsupported], or one that says what is wrong with
// the data. Bytes that were decoded before are given first.
func (r *Reader) Read(p []byte) (int, error) {
	if r.d == nil {
		return 0, errFreed
	}
	for r.d.given == r.d.o && r.err == nil {
		if len(p) == 0 {
			return 0, nil
		}
		r.err = r.more()
	}
	if n := r.d.take(p); n > 0 || len(p) == 0 {
		return n, nil
	}
	return 0, r.err
}

// Marker reports, after io.EOF, whether the stream ended with an end marker.
func (r *Reader) Marker() bool { return r.marker }

// Buffered returns how many bytes were read from the source and are not used.
func (r *Reader) Buffered() int {
	if r.d == nil {
		return r.unused
	}
	return r.d.unused()
}

// Free gives back the memory of the reader, which gives nothing but errors from then on. Freeing
// twice is fine.
func (r *Reader) Free() {
	if r.d != nil {
		r.unused = r.d.unused()
		r.d.free()
		r.d = nil
	}
}

// headerLen is the length of zip's header and the bytes that start the range coder.
const headerLen = 4 + 5 + 5

// start reads the header: version of the LZMA SDK (2 bytes), size of the properties (2),
// properties (1) and size of the dictionary (4).
func (r *Reader) start() error {
	r.started = true
	d := r.d
	if !d.need(headerLen) {
		return d.cut()
	}
	h := d.peek()[:headerLen]
	if n := binary.LittleEndian.Uint16(h[2:]); n != 5 {
		return unsupported("LZMA properties of %d bytes", n)
	}
	if h[4] > maxProperties {
		return errProperties
	}
	if need := int64(2*0x300) << sumLcLp(h[4]); need > max(r.max, 2*smallLits) && r.max > 0 {
		return tooLarge(need)
	}
	d.dict = max(binary.LittleEndian.Uint32(h[5:]), minDict)
	if err := d.window.open(d.dict, r.left, r.max); err != nil {
		return err
	}
	d.setProperties(h[4])
	d.resetState()
	d.pos += headerLen
	return d.startCoder(h[9:])
}

// more decodes more output when all is given out.
func (r *Reader) more() error {
	if !r.started {
		if err := r.start(); err != nil {
			return err
		}
	}
	d := r.d
	if r.left == 0 {
		if !r.eos {
			return r.finish()
		}
		if d.code == 0 && !d.need(1) && d.err == io.EOF {
			return io.EOF
		}
	}
	limit, err := d.room()
	if err != nil {
		return err
	}
	if r.left > 0 {
		limit = d.o + int(min(int64(limit-d.o), r.left))
	}
	from := d.o
	s := d.decode(limit, d.end, d.err != nil)
	for s == starved {
		d.fill()
		s = d.decode(limit, d.end, d.err != nil)
	}
	n := int64(d.o - from)
	if !r.eos && n > r.left {
		d.o -= int(n - r.left) // the end of a match
		return ErrLong
	}
	r.left -= n
	return r.judge(s)
}

// finish judges what follows the last byte of a stream that should have no marker.
func (r *Reader) finish() error {
	d := r.d
	if d.code == 0 {
		return io.EOF
	}
	d.need(lookahead)
	o := d.o
	s := d.decode(o+1, d.end, true)
	d.o = o
	if s == full || s == tooFar {
		return ErrLong
	}
	return r.judge(s)
}

func (r *Reader) judge(s status) error {
	switch s {
	case cut:
		return r.d.cut()
	case tooFar:
		return errTooFar
	case marker:
		if r.marker = true; r.d.code != 0 {
			return errFinal
		}
		return io.EOF
	}
	return nil
}

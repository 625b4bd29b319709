// Package ppmd decodes PPMd variant I, revision 1 (D. Shkarin, "PPM: one step to practicality",
// DCC 2002), as zip has it for method 98 (APPNOTE 5.10): every symbol is predicted from the up to
// 16 symbols before it by a tree of contexts, which lives in memory of a fixed size and is pruned
// or thrown away when that is full.
//
//	r := ppmd.NewReader(src, entry.Size, 64<<20)
//	defer r.Free()
//	_, err := io.CopyN(dst, r, entry.Size)
//	if err == nil {
//		_, err = r.Read(one) // io.EOF, or there is more than was declared
//	}
//
// Memory: 256 KiB for the model at first. It takes more as contexts come to be, four times as much
// each time, up to what the stream's parameters ask for (1 to 256 MiB), and a quarter more while
// it moves. Some 25 KB for the decoder. Pruning goes through the whole model, and a stream can be
// made such that this is often, so that the limit of memory is one of time, too.
package ppmd

import (
	"encoding/binary"
	"io"
	"sync"
)

// Reader decodes one stream. It is for one goroutine at a time; different ones share nothing.
type Reader struct {
	r       io.Reader
	left    int64 // declared bytes that are to come
	max     int64
	err     error // what Read gives from now on
	readErr error // what the source gave, io.EOF too
	d       *decoder
	unused  int // see Buffered, when the decoder is gone
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// NewReader starts to decode from r, which is read in pieces of up to 16 KiB, at the first Read.
// size is how many bytes the entry declares, and maxMemory how many bytes the stream's parameters
// may ask for, 0 for any.
func NewReader(r io.Reader, size, maxMemory int64) *Reader {
	return &Reader{r: r, left: size, max: maxMemory}
}

// Read gives decoded bytes, and io.EOF after size bytes or at the end mark, wherever that is.
// Writers need not make an end mark: without one the input ends with the last byte, else the
// error is [ErrLong].
//
// Other errors are io.ErrUnexpectedEOF where the input ends too early, an error of the source
// as it is, one that wraps [ErrMemory] or [ErrUnsupported], or one that says what is wrong with
// the data. Bytes that were decoded before are given first. An error stays.
func (z *Reader) Read(p []byte) (int, error) {
	if z.err != nil || len(p) == 0 {
		return 0, z.err
	}
	if z.d == nil {
		z.d = decoders.Get().(*decoder)
		if z.err = z.start(); z.err != nil {
			return 0, z.err
		}
	}
	if z.left <= 0 {
		z.err = z.finish()
		return 0, z.err
	}
	n, err := z.decode(p[:min(int64(len(p)), z.left)])
	z.left -= int64(n)
	if z.err = err; n > 0 {
		err = nil
	}
	return n, err
}

// Buffered returns how many bytes were read from the source and are not used. After io.EOF they
// are what is behind the stream.
func (z *Reader) Buffered() int {
	if z.d == nil {
		return z.unused
	}
	return max(z.d.end-z.d.pos, 0)
}

// Free gives back the memory of the reader, which gives nothing but errors from then on. Freeing
// twice is fine.
func (z *Reader) Free() {
	z.err = errFreed
	if z.d == nil {
		return
	}
	z.unused = z.Buffered()
	z.d.release()
	decoders.Put(z.d)
	z.d = nil
}

// The parameters are a 16-bit number before the data (APPNOTE 5.10.3): order-1 in 4 bits, MiB of
// memory-1 in 8, restoration method in 4. Then come the bytes that start the range coder.
const (
	parametersLen = 2
	orderBits     = 4
	memoryBits    = 8
	codeLen       = 4

	// Restoration methods. Variant I has a third, to leave the model as it is, which zip does not
	// allow.
	restart = 0
	cutOff  = 1
)

func (z *Reader) start() error {
	d := z.d
	d.pos, d.end = 0, 0
	z.fill()
	if d.end == 0 && z.left <= 0 {
		return z.readErr // nothing, and that is what was declared
	}
	if d.end < parametersLen+codeLen {
		return z.cut()
	}
	bits := int(binary.LittleEndian.Uint16(d.in[:]))
	order := bits%(1<<orderBits) + 1
	memory := int64(bits>>orderBits%(1<<memoryBits)+1) << 20
	method := bits >> (orderBits + memoryBits)
	switch {
	case order < minOrder:
		return errOrder
	case method > cutOff:
		return unsupported(method)
	case z.max > 0 && memory > z.max:
		return tooLarge(memory, z.max)
	}
	code := binary.BigEndian.Uint32(d.in[parametersLen:])
	d.coder = coder{code: code, rng: 1<<32 - 1, pos: parametersLen + codeLen}
	if d.code >= d.rng {
		return errCorrupt
	}
	d.init(order, uint32(memory), method == cutOff)
	return nil
}

// decode decodes to p what the input gives that was read, at least one byte if there is no error.
func (z *Reader) decode(p []byte) (int, error) {
	d := z.d
	for {
		n, s, err := d.guarded(p)
		switch {
		case err != nil:
			return 0, err
		case d.pos > d.end:
			if s == going && n > 0 {
				n-- // it was made of bytes that are not there
			}
			return n, z.cut()
		case s == ended:
			if d.coder = d.normalize(&d.in); d.pos > d.end {
				return n, z.cut()
			}
			return n, io.EOF
		case s == corrupt:
			return n, errCorrupt
		case n > 0:
			return n, nil
		}
		z.fill()
	}
}

// finish is for a stream that gave all its bytes.
func (z *Reader) finish() error {
	d := z.d
	if d.coder = d.normalize(&d.in); d.pos == d.end {
		return z.readErr
	}
	var one [1]byte
	if n, err := z.decode(one[:]); n == 0 {
		return err
	}
	return ErrLong
}

// cut tells why there is no more input.
func (z *Reader) cut() error {
	if z.readErr != io.EOF {
		return z.readErr
	}
	return io.ErrUnexpectedEOF
}

// fill reads more input, at least as much as a symbol takes, or up to the end of it.
func (z *Reader) fill() {
	d := z.d
	d.end = copy(d.in[:], d.in[d.pos:d.end])
	d.pos = 0
	for empty := 0; z.readErr == nil && d.end < lookAhead; {
		var n int
		n, z.readErr = z.r.Read(d.in[d.end:inputLen])
		d.end += n
		if empty++; n > 0 {
			empty = 0
		} else if empty == 100 && z.readErr == nil { // in a row, as bufio
			z.readErr = io.ErrNoProgress
		}
	}
	d.safe = d.end - lookAhead
	if z.readErr != nil {
		// The last symbols may look at what is behind the end, and are given if they did not.
		clear(d.in[d.end : d.end+lookAhead])
		d.safe = d.end
	}
}

// guarded is decode with a fence. Whatever the input, the symbols are such that an encoder could
// have had them, so that the model is always one that an encoder's could be, and no index is out
// of range. Should that be wrong in a case nobody knows of, the stream is what is at fault.
func (d *decoder) guarded(p []byte) (n int, s status, err error) {
	defer func() {
		if recover() != nil {
			n, err = 0, errCorrupt
		}
	}()
	n, s = d.decode(p)
	return n, s, nil
}

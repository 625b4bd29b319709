package zipfile

import (
	"bytes"
	"errors"
	"io"
	"math/bits"
	"sync"

	"github.com/klauspost/compress/zstd"

	"zipcat.dev/zipfile/internal/bzip2"
	"zipcat.dev/zipfile/internal/implode"
	"zipcat.dev/zipfile/internal/inflate"
	"zipcat.dev/zipfile/internal/lzma"
	"zipcat.dev/zipfile/internal/ppmd"
	"zipcat.dev/zipfile/internal/reduce"
	"zipcat.dev/zipfile/internal/shrink"
)

// decoder gives the contents of an entry out of its stored bytes, piece by piece. It ends with
// io.EOF where the compressed data end; io.ErrUnexpectedEOF and inflate.ErrCut say that they were
// cut off.
type decoder interface {
	io.Reader
	Buffered() int // bytes that were read from the source and are not used
	Free()         // gives back what it works with
}

// custom returns the user's decoder for a method.
func (z *ZipFile) custom(m Method) func(r io.Reader, size int64) (io.ReadCloser, error) {
	if z.methods == nil {
		return nil
	}
	return z.methods[uint16(m)]
}

// inMemory reports a method that is decoded from memory to memory.
func (z *ZipFile) inMemory(r *record) bool {
	switch r.method {
	case Store, Deflate:
	case Deflate64:
		if !inflate.Has64 {
			return false
		}
	default:
		return false
	}
	return z.custom(r.method) == nil
}

// readable reports a method that can be decoded.
func (z *ZipFile) readable(m Method) bool {
	switch m {
	case Store, Shrink, Reduce1, Reduce2, Reduce3, Reduce4, Implode, Deflate, BZip2, LZMA, Zstd, zstdOld, XZ, PPMd:
		return true
	case Deflate64:
		if inflate.Has64 {
			return true
		}
	}
	return z.custom(m) != nil
}

// newDecoder starts to decode the stored bytes that src gives, of an entry that is compressed.
func (z *ZipFile) newDecoder(r *record, src io.Reader) (decoder, error) {
	if fn := z.custom(r.method); fn != nil {
		rc, err := fn(src, r.size)
		if err != nil {
			return nil, err
		}
		return customDecoder{rc}, nil
	}
	switch r.method {
	case Shrink:
		return shrink.NewReader(src, r.size), nil
	case Reduce1, Reduce2, Reduce3, Reduce4:
		return reduce.NewReader(src, r.size, int(r.method)-1), nil
	case Implode:
		return implode.NewReader(src, r.size, r.flags), nil
	case Deflate:
		d := inflate.Get()
		d.Stream(src)
		return d, nil
	case Deflate64:
		d := inflate.Get()
		d.Stream64(src)
		return d, nil
	case BZip2:
		return bzip2.NewReader(src), nil
	case LZMA:
		return lzma.NewReader(src, r.size, r.flags&flagEndMarker != 0, maxMemory), nil
	case XZ:
		return lzma.NewXZReader(src, r.size, maxMemory), nil
	case Zstd, zstdOld:
		return newZstd(src, r.size, r.csize)
	case PPMd:
		return ppmd.NewReader(src, r.size, maxMemory), nil
	}
	return nil, detailf(ErrAlgorithm, "method %s is not supported", r.method.inWords())
}

// maxMemory is what the window or the model of a decoder may take, in bytes. Most take the memory
// as they need it, so that what a header asks for costs nothing.
const maxMemory = 512 << 20

// sortError tells apart what decoders say that is not about damaged data. The others come as
// they are.
func sortError(err error) error {
	switch {
	case errors.Is(err, lzma.ErrLong), errors.Is(err, ppmd.ErrLong):
		return inflate.ErrLong
	case errors.Is(err, lzma.ErrMemory), errors.Is(err, ppmd.ErrMemory), errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return detailf(ErrLimit, "%v", err)
	case errors.Is(err, lzma.ErrUnsupported), errors.Is(err, ppmd.ErrUnsupported):
		return detailf(ErrAlgorithm, "%v", err)
	}
	return err
}

// customDecoder is one of Options.Methods. What it reads ahead is its own affair.
type customDecoder struct{ io.ReadCloser }

func (d customDecoder) Buffered() int { return 0 }
func (d customDecoder) Free()         { d.Close() }

// zstdDecoder decodes Zstandard (RFC 8878), all frames one after the other.
type zstdDecoder struct {
	*zstd.Decoder
	keep bool // its memory is small
}

// zstdDecoders keeps decoders of small entries.
var zstdDecoders sync.Pool

// newZstd starts to decode an entry of size bytes out of csize. A window takes its memory at once, so
// that it is never more than the size, nor than what so few bytes of data seldom make use of.
func newZstd(src io.Reader, size, csize int64) (decoder, error) {
	most := min(size, max(8<<20, 64*min(csize, maxMemory)), maxMemory)
	window := int64(128 << 10) // a block has up to that
	for window < most {
		window *= 2
	}
	src = shrinkWindow(src, window)
	keep := window <= atOnce
	window = max(window, 8<<20) // of other frames: RFC 8878 (3.1.1.1.2) wants that to be accepted
	opts := [...]zstd.DOption{
		zstd.WithDecoderMaxWindow(uint64(window)),
		zstd.WithDecoderMaxMemory(uint64(window)), // of a window, as this is a stream
		zstd.WithDecoderConcurrency(1),            // no goroutines
		zstd.WithDecoderLowmem(true),
	}
	d, _ := zstdDecoders.Get().(*zstdDecoder)
	if d != nil {
		if err := d.ResetWithOptions(src, opts[:2]...); err != nil {
			return nil, err
		}
	} else {
		dec, err := zstd.NewReader(src, opts[:]...)
		if err != nil {
			return nil, err
		}
		d = &zstdDecoder{Decoder: dec}
	}
	d.keep = keep
	return d, nil
}

// shrinkWindow puts a window of n bytes, a power of two, into the header of the first frame
// (3.1.1.1) if it asks for more, by a descriptor or by being a single segment. What refers back
// farther than that is told as an error.
func shrinkWindow(src io.Reader, n int64) io.Reader {
	head := make([]byte, 6) // magic number, descriptor, window
	m, err := io.ReadFull(src, head)
	if err != nil {
		return io.MultiReader(bytes.NewReader(head[:m]), src)
	}
	const singleSegment = 1 << 5 // no window, the contents are one
	if le32(head, 0) == 0xfd2fb528 {
		window := byte(bits.Len64(uint64(n-1))-10) << 3
		switch {
		case head[4]&singleSegment == 0:
			head[5] = min(head[5], window)
		case head[4]>>6 != 0: // with a size of one byte it is small
			head = []byte{head[0], head[1], head[2], head[3], head[4] &^ singleSegment, window, head[5]}
		}
	}
	return io.MultiReader(bytes.NewReader(head), src)
}

func (d *zstdDecoder) Buffered() int { return 0 } // what follows a frame is one too, or an error

func (d *zstdDecoder) Free() {
	if d.keep && d.Reset(nil) == nil {
		zstdDecoders.Put(d)
		return
	}
	d.Close()
}

package zipfile

import (
	"errors"
	"io"

	"zipcat.dev/zipfile/internal/bzip2"
	"zipcat.dev/zipfile/internal/implode"
	"zipcat.dev/zipfile/internal/inflate"
	"zipcat.dev/zipfile/internal/lzma"
	"zipcat.dev/zipfile/internal/ppmd"
	"zipcat.dev/zipfile/internal/reduce"
	"zipcat.dev/zipfile/internal/shrink"
	"zipcat.dev/zipfile/internal/zstd"
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
		return zstd.NewReader(src, r.size, maxMemory), nil
	case PPMd:
		return ppmd.NewReader(src, r.size, maxMemory), nil
	}
	return nil, detailf(ErrAlgorithm, "method %s is not supported", r.method.inWords())
}

// maxMemory is what the window or the model of a decoder may take, in bytes. Most take the memory
// as they need it, so that what a header asks for costs nothing.
const maxMemory = 512 << 20

// DecodeMemory returns how many bytes of memory decoding the contents as a stream may take, at most and not
// at once: it is taken as the contents come. With some methods a few KB of data can want as much as their size,
// up to some 700 MiB; whoever decodes several entries at a time may want to count. What decoders of
// Options.Methods take is not known.
func (e Entry) DecodeMemory() int64 {
	const small = 1 << 20
	r := e.record()
	switch r.method {
	case BZip2:
		return 8 << 20
	case LZMA, XZ, Zstd, zstdOld, PPMd:
		window := min(max(r.size, 0), maxMemory)
		if r.method == PPMd { // its model is no window, but takes a few bytes for each of them
			window = min(8*window, maxMemory)
		}
		return small + window + window/4 // a window that grows is there twice
	}
	return small
}

// sortError tells apart what decoders say that is not about damaged data. The others come as
// they are.
func sortError(err error) error {
	switch {
	case errors.Is(err, lzma.ErrLong), errors.Is(err, ppmd.ErrLong):
		return inflate.ErrLong
	case errors.Is(err, lzma.ErrMemory), errors.Is(err, ppmd.ErrMemory), errors.Is(err, zstd.ErrMemory):
		return detailf(ErrLimit, "%v", err)
	case errors.Is(err, lzma.ErrUnsupported), errors.Is(err, ppmd.ErrUnsupported), errors.Is(err, zstd.ErrUnsupported):
		return detailf(ErrAlgorithm, "%v", err)
	}
	return err
}

// customDecoder is one of Options.Methods. What it reads ahead is its own affair.
type customDecoder struct{ io.ReadCloser }

func (d customDecoder) Buffered() int { return 0 }
func (d customDecoder) Free()         { d.Close() }

package zipfile

import (
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"slices"
	"sync"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile/internal/crypt"
	"zipcat.dev/zipfile/internal/inflate"
)

const (
	// wholeLen is the most compressed data, in bytes, that is read in one piece. Beyond that
	// an entry is decoded as it is read, and its compressed data are never in memory as a whole.
	wholeLen = 4 << 20

	// beyondData is how much is read behind the compressed size, in bytes, so that local file
	// header, data and descriptor come in one read.
	beyondData = 64 << 10

	// An entry gets its memory at once up to the larger of atOnce bytes and atOnceRatio times
	// its compressed size; beyond that memory doubles as bytes come, so that a size that is
	// only claimed costs none.
	atOnce      = 1 << 20
	atOnceRatio = 16
)

// ReadAll returns the contents, once length and CRC-32 agree with the directory.
func (e Entry) ReadAll() ([]byte, error) { return e.AppendTo(nil) }

// AppendTo appends the contents to dst, once length and CRC-32 agree with the directory, and
// returns the longer slice. It allocates nothing when dst has room for Size bytes and the entry is
// one that is decoded at once: stored or deflated, not encrypted, not unusually large. On an error
// it returns dst as it was; bytes beyond its length may have been overwritten.
func (e Entry) AppendTo(dst []byte) ([]byte, error) {
	rd := readers.Get().(*reader)
	rd.z, rd.i, rd.rec, rd.dst = e.z, e.i, e.record(), dst
	err := rd.run()
	out := rd.dst
	rd.z, rd.rec, rd.dst = nil, record{}, nil
	if err != nil {
		r := e.record()
		readers.Put(rd)
		return dst, e.fail("read", &r, err)
	}
	readers.Put(rd)
	if out == nil {
		out = []byte{} // nil would look like a failure
	}
	return out, nil
}

// reader is the state of reading one entry into memory, used again so that reading allocates
// nothing.
type reader struct {
	z     *ZipFile
	i     uint32
	rec   record
	place place
	dst   []byte
	whole func(b []byte) error // rd.fromWhole, bound once
}

var readers = sync.Pool{New: func() any {
	rd := new(reader)
	rd.whole = rd.fromWhole
	return rd
}}

// memoryAtOnce is how much memory the entry gets before it has given a byte. Only for entries
// whose compressed size is known to fit in the file.
func (r *record) memoryAtOnce() int64 { return max(atOnce, atOnceRatio*r.csize) }

// run reads and checks the entry and appends it to rd.dst.
func (rd *reader) run() error {
	z, r := rd.z, &rd.rec
	if z.closed.Load() {
		return fs.ErrClosed
	}
	if err := z.checkReadable(r); err != nil {
		return err
	}
	p, err := z.precheck(rd.i, r)
	if err != nil {
		return err
	}
	if r.isDir(z) {
		_, err := z.locate(rd.i, r)
		return err
	}
	if r.csize > wholeLen || r.size > r.memoryAtOnce() || r.encrypted() || !z.inMemory(r) || r.method == Store && r.csize != r.size {
		return rd.stream()
	}
	rd.place = p
	return z.view(p.header, int(min(p.next-p.header, r.csize+beyondData)), rd.whole)
}

// fromWhole decodes the entry from b, which begins with its local file header.
func (rd *reader) fromWhole(b []byte) error {
	z, r, p := rd.z, &rd.rec, &rd.place
	if err := z.parseLocal(rd.i, r, p, b); err != nil {
		return err
	}
	src, end := b, p.data-p.header+r.csize
	if r.size == 0 && p.data+r.csize > p.next {
		src = nil // two bytes that belong to the next entry
	} else if end <= int64(len(b)) {
		z.checkDescriptor(rd.i, r, p.data+r.csize, b[end:], p.next-p.data-r.csize)
		src = b[p.data-p.header : end]
	} else { // after a local extra field of nearly 64 KiB
		buf := getBuffer(int(r.csize))
		defer buf.free()
		if err := z.readAt(buf.b, p.data); err != nil {
			return err
		}
		src = buf.b
		if err := z.descriptorAt(rd.i, r, p); err != nil {
			return err
		}
	}
	n := len(rd.dst)
	out := slices.Grow(rd.dst, int(r.size))[:n+int(r.size)]
	if r.method == Store || src == nil {
		copy(out[n:], src)
	} else if used, err := inflateWhole(out[n:], src, r.method); err != nil {
		return rd.sameFault(err)
	} else if err := z.checkLeft(rd.i, p, int64(len(src)-used)); err != nil {
		return err
	}
	if err := r.checkCRC(crc32.ChecksumIEEE(out[n:]), p); err != nil {
		return err
	}
	rd.dst = out
	return nil
}

// inflateWhole decodes src into dst, which has the declared size.
func inflateWhole(dst, src []byte, m Method) (used int, err error) {
	d := inflate.Get()
	defer d.Free()
	if m == Deflate64 {
		return d.Decode64(dst, src)
	}
	return d.Decode(dst, src)
}

// sameFault decodes a damaged entry again as it is read, so that every way to read it tells the
// same: where a stream is both too long and cut off, it depends on how far a decoder looks ahead.
func (rd *reader) sameFault(err error) error {
	dst := rd.dst
	again := rd.stream()
	rd.dst = dst
	if again != nil {
		return again
	}
	return dataError(&rd.place, &rd.rec, err)
}

// descriptorAt reads what follows the data of an entry with bit 3 and checks it.
func (z *ZipFile) descriptorAt(i uint32, r *record, p *place) error {
	end := p.data + r.csize
	gap := p.next - end
	if r.flags&flagDescriptor == 0 || gap < 12 {
		return nil
	}
	buf := getBuffer(int(min(gap, descriptorLen)))
	defer buf.free()
	if err := z.readAt(buf.b, end); err != nil {
		return err
	}
	z.checkDescriptor(i, r, end, buf.b, gap)
	return nil
}

// checkLeft judges bytes of data that the decoder did not need. Some writers count the
// descriptor in or pad; for Strict they are a place to hide something.
func (z *ZipFile) checkLeft(i uint32, p *place, left int64) error {
	if left == 0 {
		return nil
	}
	if z.checks == Strict {
		return &FormatError{Offset: p.data, Record: recData, Kind: kindData, Err: detailf(ErrFormat, "%d bytes are left after the final block", left)}
	}
	z.noteRead(kindTrailingData, i, p.data, "%d bytes are left after the final block", left)
	return nil
}

// checkCRC compares with the directory. 0 is a value like any other: archive/zip takes it for
// "not known" where there is no descriptor, so that damage passes for contents.
func (r *record) checkCRC(crc uint32, p *place) error {
	if crc == r.crc {
		return nil
	}
	return &FormatError{Offset: p.data, Record: recData, Kind: kindChecksum,
		Err: detailf(ErrChecksum, "contents have CRC-32 %08x, expected %08x%s", crc, r.crc, r.doubt())}
}

// doubt says what else may be wrong: one wrong password in 256 passes the check of traditional
// encryption.
func (r *record) doubt() string {
	if r.flags&flagEncrypted != 0 && r.aes.Strength == 0 {
		return ", or the password is wrong"
	}
	return ""
}

const recData = "data"

// dataError sorts what a decoder says. More or less than declared is an error even where the CRC
// would fit what was declared: unzip and Java give out what is there, archive/zip cuts it.
func dataError(p *place, r *record, err error) error {
	if pe, ok := errors.AsType[*passwordError](err); ok {
		return &FormatError{Offset: p.data, Record: recData, Kind: kindPassword, Err: pe}
	}
	kind := kindData
	err = sortError(err)
	text := err.Error()
	switch {
	case errors.Is(err, ErrAlgorithm):
		return &FormatError{Offset: p.data, Record: recData, Kind: kindMethod, Err: err}
	case errors.Is(err, crypt.ErrPassword):
		return &FormatError{Offset: p.data, Record: recData, Kind: kindPassword, Err: detailf(ErrPassword, "wrong password")}
	case errors.Is(err, crypt.ErrAuth):
		return &FormatError{Offset: p.data, Record: recData, Kind: kindChecksum, Err: detailf(ErrChecksum, "%v", err)}
	case errors.Is(err, ErrLimit):
		return &FormatError{Offset: p.data, Record: recData, Kind: kindLimit, Err: err}
	case err == inflate.ErrLong, err == inflate.ErrShort:
		kind = kindSize
		text = text + ", expected " + itoa(r.size) + " bytes"
	case isCutOff(err):
		text = r.method.String() + " stream is cut off after " + itoa(r.csize) + " bytes"
	}
	return &FormatError{Offset: p.data, Record: recData, Kind: kind, Err: detailf(ErrFormat, "%s%s", text, r.doubt())}
}

// stream reads piece by piece into rd.dst an entry that is large, encrypted, of another method, or damaged.
func (rd *reader) stream() error {
	s, err := openStream(Entry{rd.z, rd.i}, &rd.rec)
	if err != nil {
		return err
	}
	defer s.release()
	n := len(rd.dst)
	if rd.rec.size > int64(math.MaxInt-n) {
		return limitError(recCentral, rd.z.headerOffset(&rd.rec), "declares %d bytes, more than this machine has addresses", rd.rec.size)
	}
	out := slices.Grow(rd.dst, int(min(rd.rec.size, rd.rec.memoryAtOnce())))
	for {
		if len(out) == cap(out) {
			have := int64(len(out) - n)
			out = slices.Grow(out, int(min(max(have, 1), s.rec.size-have)))
		}
		m, err := s.read(out[len(out):min(cap(out), n+int(s.rec.size))])
		out = out[:len(out)+m]
		if err == io.EOF {
			rd.dst = out
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// WriteTo writes the contents to w and returns how many bytes that were. Entries of up to
// 1 MiB are written only after length and CRC-32 agree with the directory; of larger ones an
// error may come after bytes were written.
func (e Entry) WriteTo(w io.Writer) (int64, error) {
	r := e.record()
	if r.size <= atOnce && e.z.wrap == nil {
		buf := getBuffer(int(r.size))
		defer buf.free()
		out, err := e.AppendTo(buf.b[:0])
		if err != nil || len(out) == 0 {
			return 0, err
		}
		n, err := w.Write(out)
		if err == nil && n < len(out) {
			err = io.ErrShortWrite
		}
		return int64(n), err
	}
	s, err := openStream(e, &r)
	if err != nil {
		return 0, e.fail("read", &r, err)
	}
	defer s.release()
	return s.WriteTo(w)
}

// fail adds to err the entry and the archive.
func (e Entry) fail(op string, r *record, err error) error {
	return e.z.withPath(op, e.z.entryError(r, err))
}

// entryError adds the entry's name to err.
func (z *ZipFile) entryError(r *record, err error) error {
	if err == nil || err == io.EOF || errors.Is(err, fs.ErrClosed) {
		return err
	}
	name := z.entryName(r)
	if fe, ok := err.(*FormatError); ok {
		named := *fe
		named.Entry = name
		return &named
	}
	kind := kindIO
	if errors.Is(err, backend.ErrChanged) {
		kind = kindChanged
	}
	if pe, ok := err.(*fs.PathError); ok && pe.Path == z.name {
		err = pe.Err // the path is put in front of it all
	}
	return &FormatError{Offset: -1, Entry: name, Kind: kind, Err: err}
}

package zipfile

import (
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"strconv"

	"zipcat.dev/zipfile/internal/crypt"
	"zipcat.dev/zipfile/internal/inflate"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// headLen is what Open reads at first, in bytes: all of most entries.
const headLen = 64 << 10

// stream gives the contents of an entry piece by piece and checks them at the end.
type stream struct {
	e    Entry
	rec  record
	src  source
	in   io.Reader // the contents
	open *unsealed // nil for entries that are not encrypted
	dec  decoder   // nil for stored entries
	left int64     // declared bytes that are still to come
	crc  uint32    // of the bytes so far
	want uint32    // what it must be in the end
	more bool      // one holds a byte that was read already
	one  [1]byte
	told bool  // the descriptor has been looked at, or there is none to look at
	err  error // what the next read gives
}

// source gives the stored bytes of an entry.
type source struct {
	z    *ZipFile
	p    place
	off  int64   // of the next byte
	end  int64   // of the data
	head *buffer // read by Open, nil when used up
	rest []byte  // of head
	err  error   // what the backend said
}

// Read reads stored bytes. Its own error is kept apart from what a decoder makes of it.
func (s *source) Read(p []byte) (int, error) {
	if len(s.rest) > 0 {
		n := copy(p, s.rest)
		s.rest = s.rest[n:]
		s.off += int64(n)
		return n, nil
	}
	s.free()
	if s.off >= s.end {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), s.end-s.off)]
	if s.err = s.z.readAt(p, s.off); s.err != nil {
		return 0, s.err
	}
	s.off += int64(len(p))
	return len(p), nil
}

func (s *source) free() {
	if s.head != nil {
		s.head.free()
		s.head, s.rest = nil, nil
	}
}

// Open returns a reader of the contents, an io.WriterTo too. It ends with io.EOF only after length and CRC-32
// agree with the directory; bytes that it gives before are not verified. The reader is for one
// goroutine at a time and must be closed. After the archive was closed it gives fs.ErrClosed.
func (e Entry) Open() (io.ReadCloser, error) {
	r := e.record()
	s, err := openStream(e, &r)
	if err != nil {
		return nil, e.fail("open", &r, err)
	}
	return s, nil
}

// Check tells what stands against reading the contents, as far as that is known before any are decoded:
// sizes and limits, method, password, local file header. Contents that it finds nothing against may be
// damaged. Its errors are those of [Entry.Open]. It reads the local file header and, of an encrypted entry,
// what a password is checked against; then Options.PasswordFunc is asked, and a key may be derived, which takes
// milliseconds. It may be called from several goroutines at once.
func (e Entry) Check() error {
	r := e.record()
	return e.fail("read", &r, e.check(&r))
}

func (e Entry) check(r *record) error {
	if e.z.closed.Load() {
		return fs.ErrClosed
	}
	if err := e.z.checkReadable(r); err != nil {
		return err
	}
	if r.encrypted() && !r.isDir(e.z) {
		s, err := openStream(e, r) // which tries the password
		if err == nil {
			s.Close()
		}
		return err
	}
	_, err := e.z.locate(e.i, r)
	return err
}

func openStream(e Entry, r *record) (*stream, error) {
	z := e.z
	if z.closed.Load() {
		return nil, fs.ErrClosed
	}
	if err := z.checkReadable(r); err != nil {
		return nil, err
	}
	p, err := z.precheck(e.i, r)
	if err != nil {
		return nil, err
	}
	s := &stream{e: e, rec: *r, left: r.size, want: r.crc}
	head := getBuffer(int(min(p.next-p.header, headLen)))
	if err = z.readAt(head.b, p.header); err == nil {
		err = z.parseLocal(e.i, r, &p, head.b)
	}
	if err != nil {
		head.free()
		return nil, err
	}
	s.src = source{z: z, p: p, off: p.data, end: p.data + r.csize, head: head}
	have := int64(len(head.b))
	if from, to := p.data-p.header, p.data-p.header+r.csize; from < have {
		s.src.rest = head.b[from:min(to, have)]
		if to+descriptorLen <= have || p.next == p.header+have && to <= have {
			z.checkDescriptor(e.i, r, p.data+r.csize, head.b[to:], p.next-p.data-r.csize)
			s.told = true
		}
	}
	switch {
	case r.isDir(z), r.size == 0 && s.src.end > p.next: // nothing to read, or bytes of the next entry
		s.left, s.src.end, s.src.rest = 0, p.data, nil
		s.told = true
		if r.isDir(z) {
			s.want = 0
		}
	default:
		if err := s.decode(); err != nil {
			s.release()
			return nil, err
		}
	}
	return s, nil
}

// decode puts together what gives the contents: the bytes as stored, decrypted, decompressed.
func (s *stream) decode() (err error) {
	z, r := s.e.z, &s.rec
	s.in = &s.src
	if r.encrypted() {
		if s.open, err = z.unseal(s.e, r, &s.src); err == nil {
			s.in = s.open
		}
	}
	if err == nil && r.method != Store {
		if s.dec, err = z.newDecoder(r, s.in); err == nil {
			s.in = s.dec
		}
	}
	switch {
	case err == nil:
		return nil
	case s.src.err != nil:
		return s.src.err
	}
	return dataError(&s.src.p, r, err)
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.read(p)
	return n, s.named(err)
}

func (s *stream) named(err error) error {
	if err != nil && err != io.EOF {
		err = s.e.fail("read", &s.rec, err)
	}
	return err
}

// read is Read with errors that lack the names of entry and archive.
func (s *stream) read(p []byte) (int, error) {
	if err := s.ready(); err != nil {
		return 0, err
	}
	if len(p) == 0 && s.left > 0 {
		return 0, nil
	}
	b, err := s.fetch(p, nil)
	if err = s.settle(err); err == io.EOF && len(b) > 0 {
		err = nil
	}
	return len(b), err
}

// shower is a decoder that shows up to so many of the next bytes, valid until its next call.
type shower interface {
	Next(most int) ([]byte, error)
}

// WriteTo implements io.WriterTo, for io.Copy: where the decoder shows its output, that is
// written and not a copy of it.
func (s *stream) WriteTo(w io.Writer) (written int64, err error) {
	const piece = 256 << 10
	var buf buffer
	shows, _ := s.dec.(shower)
	if shows == nil {
		b := getBuffer(piece)
		defer b.free()
		buf = *b
	}
	for {
		if err := s.ready(); err != nil {
			if err == io.EOF {
				return written, nil
			}
			return written, s.named(err)
		}
		b, err := s.fetch(buf.b, shows)
		if len(b) > 0 {
			n, err := w.Write(b)
			written += int64(n)
			if err == nil && n < len(b) {
				err = io.ErrShortWrite
			}
			if err != nil {
				return written, err
			}
		}
		if s.err == nil { // else w has closed the stream
			s.settle(err)
		}
	}
}

// ready says why there is nothing more to read, if so.
func (s *stream) ready() error {
	if s.err == nil && s.e.z.closed.Load() {
		s.err = fs.ErrClosed
	}
	return s.err
}

// fetch takes the next bytes from below: as shows gives them, or into p.
func (s *stream) fetch(p []byte, shows shower) (b []byte, err error) {
	switch {
	case s.left == 0:
		return nil, nil
	case s.more:
		b = s.one[:]
		if shows == nil {
			b = p[:copy(p, b)]
		}
		s.more = false
	case shows != nil:
		b, err = shows.Next(int(min(s.left, 1<<30)))
	default:
		var n int
		p = p[:min(int64(len(p)), s.left)]
		n, err = s.in.Read(p)
		b = p[:n]
	}
	s.crc = crc32.Update(s.crc, crc32.IEEETable, b)
	s.left -= int64(len(b))
	return b, err
}

// settle decides how it goes on after fetch, whose bytes are used: it may decode further.
func (s *stream) settle(err error) error {
	switch {
	case s.src.err != nil:
		err = s.src.err
	case s.left == 0:
		if err = s.finish(); err == nil && s.left == 0 {
			err = io.EOF
		}
	case err != nil:
		err = s.fault(err)
	}
	if s.err = err; err != nil {
		s.release()
	}
	return err
}

// fault judges an error from below. Where the authentication code says that the data are damaged,
// that is what is wrong.
func (s *stream) fault(err error) error {
	if err == io.EOF {
		err = inflate.ErrShort
	}
	if s.open != nil && !errors.Is(err, crypt.ErrAuth) {
		if bad := s.open.verify(); errors.Is(bad, crypt.ErrAuth) {
			err = bad
		}
	}
	return dataError(&s.src.p, &s.rec, err)
}

// finish checks a stream that gave its last declared byte.
func (s *stream) finish() error {
	r, p := &s.rec, &s.src.p
	if s.dec != nil {
		for empty := 0; ; empty++ {
			if empty == 100 { // in a row, as bufio
				return s.fault(io.ErrNoProgress)
			}
			n, err := s.dec.Read(s.one[:])
			if s.src.err != nil {
				return s.src.err
			}
			if n > 0 && s.e.z.wrap != nil {
				s.more = true
				return s.turn()
			}
			if n > 0 {
				return s.fault(inflate.ErrLong)
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				return s.fault(err)
			}
		}
	}
	if err := s.finishData(); err != nil {
		return err
	}
	// AE-2 has no CRC; the authentication code was checked.
	if s.crc != s.want && !(s.open != nil && s.open.aes != nil && r.aes.Version == crypt.AE2) {
		return r.checkCRC(s.crc, p)
	}
	if s.told {
		return nil
	}
	return s.e.z.descriptorAt(s.e.i, r, p)
}

// finishData checks the data behind what the decoder needed.
func (s *stream) finishData() error {
	left := s.src.end - s.src.off
	if s.open != nil {
		left = s.open.left
		if err := s.open.verify(); s.src.err != nil {
			return s.src.err
		} else if err != nil {
			return dataError(&s.src.p, &s.rec, err)
		}
	}
	if s.dec == nil {
		return nil
	}
	return s.e.z.checkLeft(s.e.i, &s.src.p, left+int64(s.dec.Buffered()))
}

// release gives back what the stream works with.
func (s *stream) release() {
	s.src.free()
	if s.dec != nil {
		s.dec.Free()
		s.dec = nil
	}
}

// Close implements io.Closer. Closing twice is fine.
func (s *stream) Close() error {
	s.release()
	if s.err == nil || s.err == io.EOF {
		s.err = fs.ErrClosed
	}
	return nil
}

// OpenRaw returns a reader of the data as they are stored: compressed, encrypted, unverified.
// It is an *io.SectionReader, so that it seeks, and may be read from several goroutines
// through ReadAt.
func (e Entry) OpenRaw() (io.Reader, error) {
	r := e.record()
	p, err := e.z.locate(e.i, &r)
	if err != nil {
		return nil, e.fail("open", &r, err)
	}
	return io.NewSectionReader(rawReader{e}, p.data, r.csize), nil
}

// rawReader reads the file of an entry's archive.
type rawReader struct{ e Entry }

func (r rawReader) ReadAt(p []byte, off int64) (int, error) {
	if err := r.e.z.readAt(p, off); err != nil {
		if !errors.Is(err, fs.ErrClosed) {
			rec := r.e.record()
			err = r.e.z.entryError(&rec, err)
		}
		return 0, r.e.z.withPath("read", err)
	}
	return len(p), nil
}

package zipfile

import (
	"errors"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
)

// openFile is an open file of the file system. The entry is opened by the first Read.
type openFile struct {
	name   string // as it was opened
	info   *node
	stream *stream
	at     int64       // of the next byte the stream gives
	pos    int64       // of the next byte that Read gives
	closed atomic.Bool // ReadAt may run beside Close
}

var _ io.ReadSeeker = (*openFile)(nil)

func (f *openFile) fail(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &fs.PathError{Op: op, Path: f.name, Err: err}
}

func (f *openFile) Stat() (fs.FileInfo, error) {
	if f.closed.Load() {
		return nil, f.fail("stat", fs.ErrClosed)
	}
	return f.info, nil
}

// Read decodes forward to where the last Seek went and reads there.
func (f *openFile) Read(p []byte) (int, error) {
	if f.closed.Load() {
		return 0, f.fail("read", fs.ErrClosed)
	}
	if f.stream == nil || f.at > f.pos {
		f.release()
		r := f.info.entry.record()
		s, err := openStream(f.info.entry, &r)
		if err != nil {
			return 0, f.fail("read", f.info.entry.fail("open", &r, err))
		}
		f.stream, f.at = s, 0
	}
	if f.at < f.pos {
		if f.pos >= f.info.Size() {
			return 0, io.EOF
		}
		n, err := io.CopyN(io.Discard, f.stream, f.pos-f.at)
		f.at += n
		if err != nil {
			return 0, f.fail("read", err)
		}
	}
	n, err := f.stream.Read(p)
	f.at += int64(n)
	f.pos = f.at
	return n, f.fail("read", err)
}

// Seek implements io.Seeker. It reads nothing.
func (f *openFile) Seek(offset int64, whence int) (int64, error) {
	if f.closed.Load() {
		return 0, f.fail("seek", fs.ErrClosed)
	}
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.pos
	case io.SeekEnd:
		offset += f.info.Size()
	default:
		return 0, f.fail("seek", fs.ErrInvalid)
	}
	if offset < 0 {
		return 0, f.fail("seek", fs.ErrInvalid)
	}
	f.pos = offset
	return offset, nil
}

func (f *openFile) release() {
	if f.stream != nil {
		f.stream.Close()
		f.stream = nil
	}
}

func (f *openFile) Close() error {
	if f.closed.Swap(true) {
		return f.fail("close", fs.ErrClosed)
	}
	f.release()
	return nil
}

// storedFile is an open file whose bytes stand in the archive as they are.
type storedFile struct {
	openFile
	once sync.Once
	raw  io.ReaderAt
	err  error
}

var _ io.ReaderAt = (*storedFile)(nil)

// Read reads straight through the checked stream until the first Seek elsewhere, then
// wherever that went.
func (f *storedFile) Read(p []byte) (int, error) {
	if f.closed.Load() || f.at == f.pos || f.pos == 0 {
		return f.openFile.Read(p)
	}
	n, err := f.ReadAt(p, f.pos)
	f.pos += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

func (f *storedFile) openRaw() {
	e := f.info.entry
	r := e.record()
	if err := e.z.checkReadable(&r); err != nil {
		f.err = e.fail("open", &r, err)
		return
	}
	raw, err := e.OpenRaw()
	if err != nil {
		f.err = err
		return
	}
	f.raw = raw.(io.ReaderAt)
}

// ReadAt implements io.ReaderAt. The bytes are unverified.
func (f *storedFile) ReadAt(p []byte, off int64) (int, error) {
	if f.closed.Load() {
		return 0, f.fail("read", fs.ErrClosed)
	}
	if off < 0 {
		return 0, f.fail("read", fs.ErrInvalid)
	}
	f.once.Do(f.openRaw)
	if f.err != nil {
		return 0, f.fail("read", f.err)
	}
	n, err := f.raw.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		err = f.fail("read", err)
	}
	return n, err
}

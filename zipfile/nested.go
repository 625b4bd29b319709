package zipfile

import (
	"errors"
	"io"
	"io/fs"
	"sync/atomic"

	"zipcat.dev/backend"
)

// Backend gives the stored bytes of the entry as a [backend.Backend], for an archive that is stored
// in the archive: nothing is copied and nothing is opened, reads go through the archive, and follow
// it through SwitchBackend. Closing it leaves the archive open, which must stay open while it
// is used. The bytes are not verified; of an entry that was cut off they are those that are there.
// It fails with errors.ErrUnsupported where they are compressed or encrypted, and of directories,
// and else as Open does, by Limits too.
func (e Entry) Backend() (backend.Backend, error) {
	r := e.record()
	if r.method != Store || r.encrypted() || r.isDir(e.z) {
		return nil, e.fail("open", &r, &FormatError{Offset: -1, Kind: kindMethod, Err: errCompressed})
	}
	if err := e.z.checkReadable(&r); err != nil {
		return nil, e.fail("open", &r, err)
	}
	p, err := e.z.locate(e.i, &r)
	if err != nil {
		return nil, e.fail("open", &r, err)
	}
	return &storedBackend{e: e, off: p.data, n: min(r.size, r.csize)}, nil
}

var errCompressed error = &detail{errors.ErrUnsupported, "not stored as it is"}

// storedBackend is the data of a stored entry.
type storedBackend struct {
	e      Entry
	off, n int64
	closed atomic.Bool
}

// ReadAt implements io.ReaderAt.
func (b *storedBackend) ReadAt(p []byte, off int64) (int, error) {
	if b.closed.Load() {
		return 0, fs.ErrClosed
	}
	if off < 0 {
		return 0, errNegative
	}
	q := p[:min(int64(len(p)), max(0, b.n-off))]
	if len(q) > 0 {
		if err := b.e.z.readAt(q, b.off+off); err != nil {
			return 0, err
		}
	} else if b.e.z.closed.Load() {
		return 0, fs.ErrClosed
	}
	if len(q) < len(p) || off > b.n {
		return len(q), io.EOF
	}
	return len(q), nil
}

var errNegative = errors.New("negative offset")

func (b *storedBackend) Size() int64 { return b.n }

func (b *storedBackend) Close() error {
	b.closed.Store(true)
	return nil
}

// Unwrap returns the backend of the archive.
func (b *storedBackend) Unwrap() backend.Backend { return b.e.z.backend() }

package zipfile_test

import (
	"bytes"
	"io"
	"io/fs"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// fsMethods are the two ways in which a file stands in an archive.
var fsMethods = map[string]uint16{"stored": ziptest.Store, "deflated": ziptest.Deflate}

func fsSeekable(t *testing.T, fsys fs.FS, name string) (fs.File, io.ReadSeeker) {
	t.Helper()
	f, err := fsys.Open(name)
	require.NoError(t, err)
	s, ok := f.(io.ReadSeeker)
	require.True(t, ok, "every file seeks")
	return f, s
}

// fsSizes are around what is read at once.
var fsSizes = []int{0, 1, 2, 511, 4096, 64<<10 - 1, 64 << 10, 64<<10 + 1, 200_001}

func fsNoise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b)
	return b
}

// TestFSFileReader: files keep the contract of io.Reader, io.Seeker and io.ReaderAt.
func TestFSFileReader(t *testing.T) {
	t.Parallel()
	for method, m := range fsMethods {
		for _, size := range fsSizes {
			for kind, content := range map[string][]byte{"lines": fsLines(size/20 + 1)[:size], "noise": fsNoise(size)} {
				if size > 64<<10+1 && kind == "lines" && m == ziptest.Store {
					continue
				}
				for backend, z := range fsOpenAll(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "f", Data: content, Method: m}}, Comment: "c"}) {
					f, _ := fsSeekable(t, z.FS(), "f")
					if size < 100<<10 || backend == "memory" {
						assert.NoError(t, iotest.TestReader(f, content), "%s %s %d %s", method, kind, size, backend)
					}
					_, at := f.(io.ReaderAt)
					assert.Equal(t, m == ziptest.Store, at)
					require.NoError(t, f.Close())
				}
			}
		}
	}
}

// TestFSSeekWalk seeks at random and compares with bytes.Reader.
func TestFSSeekWalk(t *testing.T) {
	t.Parallel()
	content := fsLines(10_000)
	for method, m := range fsMethods {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			z := fsOpen(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "f", Data: content, Method: m}}})
			f, s := fsSeekable(t, z.FS(), "f")
			defer f.Close()
			model := bytes.NewReader(content)
			r := rand.New(rand.NewPCG(1, 2))
			size := int64(len(content))
			for i := range 400 {
				var off int64
				whence := r.IntN(3)
				switch whence {
				case io.SeekStart:
					off = r.Int64N(size+100) - 10
				case io.SeekCurrent:
					off = r.Int64N(2*size) - size
				case io.SeekEnd:
					off = -r.Int64N(size+10) + 10
				}
				want, wantErr := model.Seek(off, whence)
				got, err := s.Seek(off, whence)
				require.Equal(t, wantErr != nil, err != nil, "%d: seek %d from %d", i, off, whence)
				if err == nil {
					require.Equal(t, want, got)
				}
				n := r.IntN(3000)
				if r.IntN(20) == 0 {
					n = int(size)
				}
				a, b := make([]byte, n), make([]byte, n)
				wantN, wantErr := io.ReadFull(model, a)
				gotN, err := io.ReadFull(s, b)
				require.Equal(t, wantErr, err, "%d: %d bytes at %d", i, n, got)
				require.Equal(t, wantN, gotN)
				require.True(t, bytes.Equal(a[:n], b[:n]), "%d: %d bytes at %d", i, n, got)
			}
			_, err := s.Seek(0, 3)
			assert.ErrorIs(t, err, fs.ErrInvalid)
			at, err := s.Seek(0, io.SeekCurrent)
			assert.NoError(t, err)
			_, err = s.Seek(-at-1, io.SeekCurrent)
			assert.ErrorIs(t, err, fs.ErrInvalid)
			_, err = s.Seek(1<<62, io.SeekStart)
			require.NoError(t, err)
			if got, err := s.Seek(1<<62, io.SeekCurrent); assert.Error(t, err, "the sum overflows") {
				assert.Zero(t, got)
			}
			n, err := s.Read(make([]byte, 1))
			assert.Zero(t, n)
			assert.Equal(t, io.EOF, err)
		})
	}
}

func TestFSReadAtConcurrent(t *testing.T) {
	t.Parallel()
	content := fsLines(20_000)
	for kind, z := range fsOpenAll(t, ziptest.Archive{Prefix: []byte("prefix"), Entries: []ziptest.Entry{{Name: "a"}, {Name: "f", Data: content}, {Name: "z"}}}) {
		f, _ := fsSeekable(t, z.FS(), "f")
		at := f.(io.ReaderAt)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(i), 2))
				for range 200 {
					off := r.IntN(len(content))
					b := make([]byte, r.IntN(5000))
					n, err := at.ReadAt(b, int64(off))
					want := content[off:min(len(content), off+len(b))]
					if !assert.True(t, bytes.Equal(want, b[:n]), "%s: %d at %d: %v", kind, len(b), off, err) {
						return
					}
					if n < len(b) {
						assert.Equal(t, io.EOF, err)
					} else if err != io.EOF {
						assert.NoError(t, err)
					}
				}
			})
		}
		wg.Wait()
		_, err := at.ReadAt(make([]byte, 1), -1)
		assert.Error(t, err)
		n, err := at.ReadAt(make([]byte, 1), int64(len(content))+5)
		assert.Zero(t, n)
		assert.Equal(t, io.EOF, err)
		// ReadAt moves nothing.
		b, err := io.ReadAll(f)
		assert.NoError(t, err)
		assert.True(t, bytes.Equal(content, b))
		require.NoError(t, f.Close())
		_, err = at.ReadAt(make([]byte, 1), 0)
		assert.ErrorIs(t, err, fs.ErrClosed)
	}
}

// TestFSDamaged: a bad entry fails alone, at the latest where a straight read ends.
func TestFSDamaged(t *testing.T) {
	t.Parallel()
	content := fsLines(15_000) // more than is buffered
	wrongCRC := func(h *ziptest.CentralHeader) { h.CRC32++ }
	z := fsOpen(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "good/1", Data: content, Method: ziptest.Deflate},
		{Name: "bad/stored", Data: content, Central: wrongCRC},
		{Name: "bad/deflated", Data: content, Method: ziptest.Deflate, Central: wrongCRC},
		{Name: "bad/empty", Central: wrongCRC},
		{Name: "bad/garbage", Raw: []byte("garbage"), Data: []byte("text"), Method: ziptest.Deflate},
		{Name: "bad/method", Raw: []byte("x"), Data: []byte("x"), Method: 99},
		{Name: "bad/locked", Data: []byte("x"), Flags: ziptest.FlagEncrypted},
		{Name: "bad/header", Data: []byte("x"), Local: func(h *ziptest.LocalHeader) { h.Signature++ }},
		{Name: "bad/place", Data: []byte("x"), Central: func(h *ziptest.CentralHeader) { h.Offset = 1 << 30 }},
		{Name: "bad/sizes", Data: []byte("x"), Central: func(h *ziptest.CentralHeader) { h.Size++ }},
		{Name: "good/2", Data: content},
	}})
	fsys := z.FS()
	kinds := map[string]string{"stored": "checksum", "deflated": "checksum", "empty": "checksum", "garbage": "data", "method": "method",
		"locked": "password", "header": "format", "place": "format", "sizes": "size"}
	list, err := fs.ReadDir(fsys, "bad")
	require.NoError(t, err)
	require.Len(t, list, len(kinds))
	for _, d := range list {
		name := "bad/" + d.Name()
		_, err := fs.Stat(fsys, name)
		assert.NoError(t, err, name)
		_, err = fs.ReadFile(fsys, name)
		assert.Equal(t, kinds[d.Name()], zipfile.ErrorKind(err), "%s: %v", name, err)
		f, s := fsSeekable(t, fsys, name)
		for range 2 { // from the start again it is the same
			b, err := io.ReadAll(f)
			assert.Equal(t, kinds[d.Name()], zipfile.ErrorKind(err), "%s: %v", name, err)
			_, again := f.Read(make([]byte, 1))
			assert.Equal(t, err, again, "%s: an error stays", name)
			var pe *fs.PathError
			assert.ErrorAs(t, err, &pe, name)
			assert.LessOrEqual(t, int64(len(b)), z.At(1).Size())
			_, err = s.Seek(0, io.SeekStart)
			require.NoError(t, err)
		}
		require.NoError(t, f.Close())
	}
	for _, name := range []string{"good/1", "good/2"} {
		b, err := fs.ReadFile(fsys, name)
		assert.NoError(t, err, name)
		assert.True(t, bytes.Equal(content, b))
	}
	// To the size and back, as http.ServeContent does before it reads: still a straight read.
	for _, name := range []string{"bad/stored", "bad/deflated"} {
		f, s := fsSeekable(t, fsys, name)
		_, err := s.Seek(0, io.SeekEnd)
		require.NoError(t, err)
		_, err = s.Seek(0, io.SeekStart)
		require.NoError(t, err)
		_, err = io.ReadAll(f)
		assert.ErrorIs(t, err, zipfile.ErrChecksum, name)
		require.NoError(t, f.Close())
	}
	// After a Seek in a stored file bytes are unverified.
	f, s := fsSeekable(t, fsys, "bad/stored")
	_, err = s.Seek(1, io.SeekStart)
	require.NoError(t, err)
	b, err := io.ReadAll(f)
	assert.NoError(t, err)
	assert.True(t, bytes.Equal(content[1:], b))
	require.NoError(t, f.Close())
}

// TestFSClose: what is closed, and what is open when the archive is closed, gives fs.ErrClosed.
func TestFSClose(t *testing.T) {
	t.Parallel()
	content := fsLines(15_000)
	all := ziptest.Archive{Entries: []ziptest.Entry{{Name: "d/stored", Data: content}, {Name: "d/deflated", Data: content, Method: ziptest.Deflate}}}
	for kind, z := range fsOpenAll(t, all) {
		fsys := z.FS()
		names := []string{"d/stored", "d/deflated"}
		for _, name := range names {
			f, s := fsSeekable(t, fsys, name)
			_, err := f.Read(make([]byte, 10))
			require.NoError(t, err)
			require.NoError(t, f.Close())
			_, err = f.Read(make([]byte, 10))
			assert.ErrorIs(t, err, fs.ErrClosed)
			_, err = s.Seek(0, io.SeekStart)
			assert.ErrorIs(t, err, fs.ErrClosed)
			_, err = f.Stat()
			assert.ErrorIs(t, err, fs.ErrClosed)
			if err := f.Close(); err != nil {
				assert.ErrorIs(t, err, fs.ErrClosed)
			}
		}
		var begun, fresh []fs.File
		for _, name := range names {
			f, _ := fsSeekable(t, fsys, name)
			_, err := f.Read(make([]byte, 10))
			require.NoError(t, err)
			begun = append(begun, f)
			f, _ = fsSeekable(t, fsys, name)
			fresh = append(fresh, f)
			f, s := fsSeekable(t, fsys, name)
			_, err = s.Seek(1000, io.SeekStart)
			require.NoError(t, err)
			fresh = append(fresh, f)
		}
		dir, err := fsys.Open("d")
		require.NoError(t, err)
		require.NoError(t, z.Close())
		for _, f := range append(begun, fresh...) {
			_, err := io.ReadAll(f)
			assert.ErrorIs(t, err, fs.ErrClosed, kind)
			if at, ok := f.(io.ReaderAt); ok {
				_, err := at.ReadAt(make([]byte, 10), 5)
				assert.ErrorIs(t, err, fs.ErrClosed, kind)
			}
			assert.NoError(t, f.Close())
		}
		_, err = dir.(fs.ReadDirFile).ReadDir(-1)
		assert.ErrorIs(t, err, fs.ErrClosed, kind)
		for _, p := range []string{".", "d", "d/stored", "nothing"} {
			_, err := fsys.Open(p)
			assert.ErrorIs(t, err, fs.ErrClosed, p)
			_, err = fs.Stat(fsys, p)
			assert.ErrorIs(t, err, fs.ErrClosed, p)
			_, err = fs.ReadFile(fsys, p)
			assert.ErrorIs(t, err, fs.ErrClosed, p)
			_, err = fs.ReadDir(fsys, p)
			assert.ErrorIs(t, err, fs.ErrClosed, p)
		}
	}
}

package zipfile

import (
	"errors"
	"io"
	"io/fs"
	"path"
)

// FS returns the archive as a file system, which also implements fs.ReadDirFS, fs.ReadFileFS,
// fs.StatFS, fs.ReadLinkFS and fs.SubFS. It passes testing/fstest.
//
// Entries whose names are no paths (absolute, with "..", NUL and the like, see
// [ZipFile.Findings]) are not in it; they do not block the others. Directories that no entry
// names exist, with mode 0755 and the zero time. Of several entries of one name the last
// counts; a file that is also a directory is a directory.
//
// Open and Stat follow symbolic links within the archive, at most 40; a link that dangles,
// loops or leads out stands for itself, as all do in Lstat and ReadDir.
//
// Files implement io.Seeker, those of stored entries io.ReaderAt too. Seeking back in a
// compressed file decodes it again from the start. The CRC-32 is checked when a file is read
// straight to its end; after a Seek in a stored file, and by ReadAt, bytes are unverified.
func (z *ZipFile) FS() fs.FS { return archiveFS{z, "."} }

type archiveFS struct {
	z   *ZipFile
	dir string
}

var (
	_ fs.ReadDirFS  = archiveFS{}
	_ fs.ReadFileFS = archiveFS{}
	_ fs.StatFS     = archiveFS{}
	_ fs.ReadLinkFS = archiveFS{}
	_ fs.SubFS      = archiveFS{}
)

// find returns the node of a name, links followed in the last element if last is set.
func (f archiveFS) find(op, name string, last bool) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	if f.z.closed.Load() {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrClosed}
	}
	n, err := f.z.resolve(path.Join(f.dir, name), last)
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	if n == nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	n.name = path.Base(name) // as asked for: a link's target keeps the link's name
	return n, nil
}

func (f archiveFS) Open(name string) (fs.File, error) {
	n, err := f.find("open", name, true)
	if err != nil {
		return nil, err
	}
	if n.dir {
		return &openDir{z: f.z, name: name, info: n}, nil
	}
	if n.entry.Method() == Store && !n.entry.Encrypted() {
		return &storedFile{openFile: openFile{name: name, info: n}}, nil
	}
	return &openFile{name: name, info: n}, nil
}

func (f archiveFS) Stat(name string) (fs.FileInfo, error)  { return f.stat("stat", name, true) }
func (f archiveFS) Lstat(name string) (fs.FileInfo, error) { return f.stat("lstat", name, false) }

func (f archiveFS) stat(op, name string, last bool) (fs.FileInfo, error) {
	n, err := f.find(op, name, last)
	if err != nil {
		return nil, err // not n: a nil *node is no nil FileInfo
	}
	return n, nil
}

func (f archiveFS) ReadLink(name string) (string, error) {
	n, err := f.find("readlink", name, false)
	if err != nil {
		return "", err
	}
	if !n.isLink() {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	to, err := n.target()
	if err != nil {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: err}
	}
	return to, nil
}

func (f archiveFS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := f.find("readdir", name, true)
	if err != nil {
		return nil, err
	}
	if !n.dir {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errNotDir}
	}
	nodes, _ := f.z.children(n.path, f.z.firstChild(n.path), 0)
	return dirEntries(nodes), nil
}

func (f archiveFS) ReadFile(name string) ([]byte, error) {
	n, err := f.find("open", name, true)
	if err != nil {
		return nil, err
	}
	if n.dir {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errIsDir}
	}
	b, err := n.entry.ReadAll()
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return b, nil
}

func (f archiveFS) Sub(dir string) (fs.FS, error) {
	if !fs.ValidPath(dir) {
		return nil, &fs.PathError{Op: "sub", Path: dir, Err: fs.ErrInvalid}
	}
	return archiveFS{f.z, path.Join(f.dir, dir)}, nil
}

var (
	errIsDir  = errors.New("is a directory")
	errNotDir = errors.New("not a directory")
)

func dirEntries(nodes []*node) []fs.DirEntry {
	list := make([]fs.DirEntry, len(nodes))
	for i, n := range nodes {
		list[i] = n
	}
	return list
}

// openDir is an open directory.
type openDir struct {
	z      *ZipFile
	name   string // as it was opened
	info   *node
	at     int // place in the sorted view of what ReadDir gives next, once begun
	begun  bool
	closed bool
}

var _ fs.ReadDirFile = (*openDir)(nil)

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, d.check("stat") }

func (d *openDir) Read([]byte) (int, error) {
	if err := d.check("read"); err != nil {
		return 0, err
	}
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: errIsDir}
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if err := d.check("readdir"); err != nil {
		return nil, err
	}
	if !d.begun {
		d.at, d.begun = d.z.firstChild(d.info.path), true
	}
	nodes, at := d.z.children(d.info.path, d.at, n)
	d.at = at
	if len(nodes) == 0 && n > 0 {
		return nil, io.EOF
	}
	return dirEntries(nodes), nil
}

func (d *openDir) Close() error {
	d.closed = true
	return nil
}

func (d *openDir) check(op string) error {
	if d.closed || d.z.closed.Load() {
		return &fs.PathError{Op: op, Path: d.name, Err: fs.ErrClosed}
	}
	return nil
}

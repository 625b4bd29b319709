package jar

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"zipcat.dev/zipfile"
)

// FS returns the view as a file system with the names of [View.Entries], an fs.ReadDirFS, fs.ReadFileFS
// and fs.StatFS too. Of an archive that is no multi-release one it is that of [zipfile.ZipFile.FS], with the
// names of [zipfile.Entry.Name]; else
// it passes testing/fstest, files are opened by that, and what it says of names that are no paths, of
// implicit directories and of duplicates holds. The first call reads the directory.
func (v *View) FS() fs.FS {
	v.fsOnce.Do(func() {
		if v.fs = v.z.FS(); v.multi {
			v.fs = newViewFS(v)
		}
	})
	return v.fs
}

// viewFS is the file system of a multi-release archive.
type viewFS struct {
	base  fs.FS // of the archive
	nodes map[string]*viewNode
}

// viewNode is a file or a directory, and what fs.FS tells about it.
type viewNode struct {
	name     string
	real     string // path in the archive; empty of directories that no entry names
	dir      bool
	fs       *viewFS
	children []*viewNode // sorted by name
}

func newViewFS(v *View) *viewFS {
	f := &viewFS{base: v.z.FS(), nodes: make(map[string]*viewNode)}
	f.nodes["."] = &viewNode{name: ".", dir: true, fs: f}
	for name, e := range v.Entries() {
		p, real := strings.TrimSuffix(name, "/"), strings.TrimSuffix(e.Name(), "/")
		if zipfile.CheckPath(p) != nil || zipfile.CheckPath(real) != nil {
			continue
		}
		if n := f.add(p, strings.HasSuffix(name, "/") || e.IsDir()); n.real == "" {
			n.real = real
		}
	}
	for _, n := range f.nodes {
		slices.SortFunc(n.children, func(a, b *viewNode) int { return strings.Compare(a.name, b.name) })
	}
	return f
}

// add returns the node of a path, a new one if there was none. What has children is a directory.
func (f *viewFS) add(p string, dir bool) *viewNode {
	n := f.nodes[p]
	if n == nil {
		n = &viewNode{name: path.Base(p), fs: f}
		f.nodes[p] = n
		parent := f.add(path.Dir(p), true)
		parent.children = append(parent.children, n)
	}
	if dir && !n.dir {
		n.dir, n.real = true, ""
	}
	return n
}

func (f *viewFS) find(op, name string) (*viewNode, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	n := f.nodes[name]
	if n == nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return n, nil
}

func (f *viewFS) Open(name string) (fs.File, error) {
	n, err := f.find("open", name)
	if err != nil {
		return nil, err
	}
	if n.dir {
		return &viewDir{node: n, path: name}, nil
	}
	file, err := f.base.Open(n.real)
	if err != nil {
		return nil, f.renamed(err, name)
	}
	return &viewFile{file, n}, nil
}

// renamed puts the name of the view into an error.
func (f *viewFS) renamed(err error, name string) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: pe.Op, Path: name, Err: pe.Err}
	}
	return err
}

func (f *viewFS) Stat(name string) (fs.FileInfo, error) {
	n, err := f.find("stat", name)
	if err != nil {
		return nil, err
	}
	info, err := n.stat()
	return info, f.renamed(err, name)
}

func (f *viewFS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := f.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if !n.dir {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("not a directory")}
	}
	return n.list(0, len(n.children)), nil
}

func (f *viewFS) ReadFile(name string) ([]byte, error) {
	n, err := f.find("read", name)
	if err != nil {
		return nil, err
	}
	if n.dir {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("is a directory")}
	}
	b, err := fs.ReadFile(f.base, n.real)
	return b, f.renamed(err, name)
}

func (n *viewNode) list(from, to int) []fs.DirEntry {
	list := make([]fs.DirEntry, 0, to-from)
	for _, child := range n.children[from:to] {
		list = append(list, child)
	}
	return list
}

// stat follows links, as files are opened.
func (n *viewNode) stat() (fs.FileInfo, error) {
	if n.dir && n.real == "" {
		return viewInfo{node: n}, nil
	}
	info, err := fs.Stat(n.fs.base, n.real)
	if err != nil {
		return nil, err
	}
	return viewInfo{info, n}, nil
}

func (n *viewNode) Name() string { return n.name }
func (n *viewNode) IsDir() bool  { return n.dir }

func (n *viewNode) Type() fs.FileMode {
	if n.dir {
		return fs.ModeDir
	}
	if info, err := n.stat(); err == nil {
		return info.Mode().Type()
	}
	return 0
}

func (n *viewNode) Info() (fs.FileInfo, error) { return n.stat() }
func (n *viewNode) String() string             { return fs.FormatDirEntry(n) }

// viewInfo is what the archive says about a file under the name that it has in the view.
type viewInfo struct {
	fs.FileInfo // nil of a directory that no entry names
	node        *viewNode
}

func (i viewInfo) Name() string { return i.node.name }
func (i viewInfo) IsDir() bool  { return i.node.dir }

func (i viewInfo) Mode() fs.FileMode {
	if i.FileInfo == nil {
		return fs.ModeDir | 0o755
	}
	return i.FileInfo.Mode()
}

func (i viewInfo) Size() int64 {
	if i.FileInfo == nil {
		return 0
	}
	return i.FileInfo.Size()
}

func (i viewInfo) ModTime() time.Time {
	if i.FileInfo == nil {
		return time.Time{}
	}
	return i.FileInfo.ModTime()
}

func (i viewInfo) Sys() any {
	if i.FileInfo == nil {
		return nil
	}
	return i.FileInfo.Sys()
}

func (i viewInfo) String() string { return fs.FormatFileInfo(i) }

// viewFile is an open file. It seeks and reads at places as far as that of the archive does.
type viewFile struct {
	fs.File
	node *viewNode
}

func (f *viewFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	if err != nil {
		return nil, err
	}
	return viewInfo{info, f.node}, nil
}

func (f *viewFile) Seek(offset int64, whence int) (int64, error) {
	if s, ok := f.File.(io.Seeker); ok {
		return s.Seek(offset, whence)
	}
	return 0, &fs.PathError{Op: "seek", Path: f.node.name, Err: errors.ErrUnsupported}
}

// viewDir is an open directory.
type viewDir struct {
	node   *viewNode
	path   string
	at     int
	closed bool
}

func (d *viewDir) check(op string) error {
	if d.closed {
		return &fs.PathError{Op: op, Path: d.path, Err: fs.ErrClosed}
	}
	return nil
}

func (d *viewDir) Stat() (fs.FileInfo, error) {
	if err := d.check("stat"); err != nil {
		return nil, err
	}
	return d.node.stat()
}

func (d *viewDir) Read([]byte) (int, error) {
	if err := d.check("read"); err != nil {
		return 0, err
	}
	return 0, &fs.PathError{Op: "read", Path: d.path, Err: errors.New("is a directory")}
}

func (d *viewDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if err := d.check("readdir"); err != nil {
		return nil, err
	}
	left := len(d.node.children) - d.at
	if n > 0 && left == 0 {
		return nil, io.EOF
	}
	if n > 0 {
		left = min(n, left)
	}
	list := d.node.list(d.at, d.at+left)
	d.at += left
	return list, nil
}

func (d *viewDir) Close() error {
	if err := d.check("close"); err != nil {
		return err
	}
	d.closed = true
	return nil
}

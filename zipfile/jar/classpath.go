package jar

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"zipcat.dev/zipfile"
)

// nestedSep separates an archive from what is in it, in a path.
const nestedSep = "!/"

// ClassPathOptions say how a class path is opened. The zero value is that of a JVM of the newest
// release.
type ClassPathOptions struct {
	Release      int              // of the JVM, for multi-release archives; 0: the newest, above all that they name, as for NewView
	Zip          *zipfile.Options // of all archives; nil: the defaults. With Only the others are not found
	NoManifests  bool             // do not follow Class-Path attributes
	Workers      int              // archives that are opened at a time; 0: GOMAXPROCS
	MaxNested    int64            // bytes that are unpacked of nested archives that are compressed, altogether; 0: 1 GiB
	MaxArchives  int              // and elements that are Problems, altogether; 0: 65,535, which is the most
	OnlyExisting bool             // what cannot be opened is an error of OpenClassPath, not a Problem
}

// ClassPath finds classes and resources in archives and directories as the application class loader of
// a JVM does (java, "-cp"; jdk.internal.loader.URLClassPath): in the first element of the path that has
// them. All methods may be called from several goroutines at once, but Close only when no other is
// being called. Directories are looked into at each lookup, archives only when they are opened.
//
// Names are those that a JVM knows: of an entry of an archive the bytes in its header, which a JVM takes for
// UTF-8 ([zipfile.Entry.RawName]), and not what an Info-ZIP Unicode Path field says, nor with backslashes made
// slashes, as in [zipfile.Entry.Name]. A JVM does not open an archive with a name that is not UTF-8; here it is
// found by its bytes. In directories names are found that are clean (see [zipfile.CheckPath]), as in archives, where a
// JVM also finds a/../b and a//b. Links in directories are followed as long as they lead to what is below
// the directory, where a JVM follows all of them.
type ClassPath struct {
	elements []*element
	jars     []*element // those that are archives, in order
	dirs     []*element // those that are directories
	problems []Problem
	index    classIndex
	closers  []io.Closer
}

// element is an archive or a directory of a class path.
type element struct {
	z      *zipfile.ZipFile
	prefix string // of names in the archive that count, ends in a slash
	order  int    // in the class path
	path   string // as it was given or resolved
	outer  string // path of the archive, without the prefix
	multi  bool   // a multi-release archive
	root   *os.Root
	dir    string // canonical path of the directory
}

// Problem is an element of a class path that is not used, or used without its manifest where that is damaged.
// A JVM says nothing about it.
type Problem struct {
	Path string // of the element
	From string // the archive whose Class-Path names it, empty for one that was given
	Err  error
}

func (p Problem) Error() string {
	if p.From != "" {
		return quoted(p.Path) + ", named by " + quoted(p.From) + ": " + p.Err.Error()
	}
	return quoted(p.Path) + ": " + p.Err.Error()
}

func (p Problem) Unwrap() error { return p.Err }

// Resource is a class or a file of a class path.
type Resource struct {
	Name    string        // by which it is found, as com/example/Foo.class
	Element string        // the archive or directory
	Entry   zipfile.Entry // of an archive; the zero Entry in a directory
	archive string        // its path
	file    string        // in a directory, links to absolute paths resolved
	root    *os.Root
}

// IsFile reports a resource in a directory, which has no Entry.
func (r Resource) IsFile() bool { return r.root != nil }

// Path is where the resource is: the path of a file, or ARCHIVE!/ENTRY with the [zipfile.Entry.Name] of the
// entry, as [OpenPath] takes it.
func (r Resource) Path() string {
	if r.IsFile() {
		return filepath.Join(r.Element, filepath.FromSlash(r.Name))
	}
	return r.archive + nestedSep + r.Entry.Name()
}

// ReadAll reads the contents, verified where they are in an archive.
func (r Resource) ReadAll() ([]byte, error) {
	if r.IsFile() {
		return r.root.ReadFile(r.file)
	}
	return r.Entry.ReadAll()
}

// Open returns a reader of the contents; see [zipfile.Entry.Open].
func (r Resource) Open() (io.ReadCloser, error) {
	if !r.IsFile() {
		return r.Entry.Open()
	}
	f, err := r.root.Open(r.file)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// NewClassPath opens a class path of a JVM of the newest release; see [OpenClassPath].
func NewClassPath(paths ...string) (*ClassPath, error) {
	return OpenClassPath(context.Background(), paths, nil)
}

// OpenClassPath opens the elements of a class path: archives, directories, all archives of a directory
// (dir/*, in the order of their names; a JVM promises none), archives in archives
// (app.jar!/lib/x.jar, app.jar!/lib/*), and directories of archives (app.jar!/BOOT-INF/classes/). Where an archive has an
// entry of just that name, as lib/* or a!/b.jar, it is meant; archives in archives have their [zipfile.Entry.Name], and
// one that is no path is a Problem. Of elements that are the same file by links in their
// paths the first counts.
//
// An archive that is a file is followed by what its Class-Path names, unless that stood before, as OpenJDK does
// it: URLs are relative to where the archive is once links are resolved; those of directories end in a slash, those of archives
// do not; a query is part of the name; links in them are not resolved. URLs of other schemes are
// left out, and an archive that names one of a scheme that OpenJDK does not know, which is any word with a colon behind
// it, is not used at all, nor is one with a Class-Path in a manifest that is damaged.
//
// What is not there, is no archive, or is left out is a Problem, with OnlyExisting an error. Other errors are
// the cause of ctx and too many archives. An archive that others are in is opened once. Close gives everything back.
func OpenClassPath(ctx context.Context, paths []string, o *ClassPathOptions) (*ClassPath, error) {
	if o == nil {
		o = &ClassPathOptions{}
	}
	b := &pathBuilder{o: *o, cp: new(ClassPath), seen: make(map[string]bool), opened: make(map[string]*opened), inside: make(map[zipfile.Entry]*opened)}
	if b.o.Workers <= 0 {
		b.o.Workers = runtime.GOMAXPROCS(0)
	}
	if b.o.MaxArchives <= 0 || b.o.MaxArchives > maxJars {
		b.o.MaxArchives = maxJars
	}
	if b.o.MaxNested <= 0 {
		b.o.MaxNested = 1 << 30
	}
	if b.o.Release <= 0 {
		b.o.Release = newestRelease
	}
	err := b.build(ctx, paths)
	if err == nil {
		err = b.cp.index.build(ctx, b.cp.jars, b.o.Release)
	}
	if err != nil {
		return nil, errors.Join(err, b.cp.Close())
	}
	return b.cp, nil
}

// Close closes all archives and directories.
func (cp *ClassPath) Close() error {
	var errs []error
	for _, c := range slices.Backward(cp.closers) { // the inner before the outer
		errs = append(errs, c.Close())
	}
	cp.closers = nil
	return errors.Join(errs...)
}

// Elements returns the archives and directories in the order in which they are searched.
func (cp *ClassPath) Elements() []string {
	list := make([]string, len(cp.elements))
	for i, e := range cp.elements {
		list[i] = e.path
	}
	return list
}

// Problems returns what is named by the class path, or by archives in it, and not used.
func (cp *ClassPath) Problems() []Problem { return slices.Clone(cp.problems) }

// Lookup finds a class by its binary name, as com.example.Outer$Inner (JLS 13.1).
func (cp *ClassPath) Lookup(class string) (Resource, bool) { return cp.Resource(classFile(class)) }

// FindAll returns the class of that name in every element that has it, in the order of the class path.
func (cp *ClassPath) FindAll(class string) []Resource { return cp.Resources(classFile(class)) }

func classFile(class string) string { return strings.ReplaceAll(class, ".", "/") + ".class" }

// Resource finds a file by its name, as META-INF/services/x, in the first element that has it.
func (cp *ClassPath) Resource(name string) (Resource, bool) {
	slot := cp.index.find(cp.jars, name)
	for _, d := range cp.dirs {
		if slot != 0 && d.order > cp.jars[slot.jar()].order {
			break
		}
		if r, ok := d.file(name); ok {
			return r, true
		}
	}
	if slot == 0 {
		return Resource{}, false
	}
	return cp.resource(slot, name), true
}

// Resources returns the file of that name of every element that has it, in the order of the class path.
func (cp *ClassPath) Resources(name string) []Resource {
	type found struct {
		order int
		r     Resource
	}
	var all []found
	for slot := range cp.index.all(cp.jars, name) {
		all = append(all, found{cp.jars[slot.jar()].order, cp.resource(slot, name)})
	}
	for _, d := range cp.dirs {
		if r, ok := d.file(name); ok {
			all = append(all, found{d.order, r})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return a.order - b.order })
	var list []Resource
	for _, f := range all {
		list = append(list, f.r)
	}
	return list
}

func (cp *ClassPath) resource(s slot, name string) Resource {
	j := cp.jars[s.jar()]
	return Resource{Name: name, Element: j.path, archive: j.outer, Entry: j.z.At(s.entry())}
}

// file finds a file below a directory. What leads out of it is not found.
func (d *element) file(name string) (Resource, bool) {
	if zipfile.CheckPath(name) != nil {
		return Resource{}, false
	}
	st, err := d.root.Stat(name)
	file := name
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		// os.Root refuses absolute links.
		if file, err = d.resolve(name); err == nil {
			st, err = d.root.Stat(file)
		}
	}
	if err != nil || st.IsDir() {
		return Resource{}, false
	}
	return Resource{Name: name, Element: d.path, file: file, root: d.root}, true
}

// resolve returns the path below a directory of a file that is reached by links.
func (d *element) resolve(name string) (string, error) {
	real, err := filepath.EvalSymlinks(filepath.Join(d.dir, filepath.FromSlash(name)))
	if err != nil {
		return "", err
	}
	return filepath.Rel(d.dir, real) // the root refuses what leads out
}

// Duplicate is a name that several archives of a class path have.
type Duplicate struct {
	Name     string
	Elements []string // in the order of the class path; the first is the one that counts
}

// Duplicates returns the classes that several archives have, in the order of their names. Descriptors of
// modules and packages are none.
func (cp *ClassPath) Duplicates() []Duplicate {
	var list []Duplicate
	for name, elements := range cp.index.duplicates(cp.jars) {
		base := path.Base(name)
		if strings.HasSuffix(name, ".class") && base != "module-info.class" && base != "package-info.class" {
			list = append(list, Duplicate{name, elements})
		}
	}
	slices.SortFunc(list, func(a, b Duplicate) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// SplitPackages returns the packages that have classes in several archives, as com.example, in the order
// of their names. On a module path they are an error.
func (cp *ClassPath) SplitPackages() []Duplicate {
	holders := make(map[string][]int)
	for i, j := range cp.jars {
		last := ""
		for e := range j.z.Entries() {
			name, ok := j.nameIn(e.RawName())
			dir := path.Dir(name)
			if !ok || dir == last || dir == "." || !strings.HasSuffix(name, ".class") || strings.HasPrefix(name, metaDir) {
				continue
			}
			last = dir
			if h := holders[dir]; len(h) == 0 || h[len(h)-1] != i {
				holders[dir] = append(h, i)
			}
		}
	}
	var list []Duplicate
	for dir, h := range holders {
		if len(h) > 1 {
			d := Duplicate{Name: strings.ReplaceAll(dir, "/", ".")}
			for _, i := range h {
				d.Elements = append(d.Elements, cp.jars[i].path)
			}
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b Duplicate) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// nameIn returns the name by which an entry is found, below the prefix of the element.
func (e *element) nameIn(stored string) (string, bool) { return strings.CutPrefix(stored, e.prefix) }

// quoted quotes a path that a terminal could take for commands.
func quoted(path string) string {
	if !utf8.ValidString(path) || strings.ContainsFunc(path, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(path)
	}
	return path
}

package jar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"iter"
	"math/bits"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
)

// nestedSep separates an archive from what is in it, in a path.
const nestedSep = "!/"

// ClassPathOptions say how a class path is opened. The zero value is that of a JVM of the newest
// release.
type ClassPathOptions struct {
	Release      int              // of the JVM, for multi-release archives; 0: above all
	Zip          *zipfile.Options // of all archives; nil: the defaults
	NoManifests  bool             // do not follow Class-Path attributes
	Workers      int              // archives that are opened at a time; 0: GOMAXPROCS
	MaxNested    int64            // bytes that nested archives may take in memory where they are compressed, altogether; 0: 1 GiB
	MaxArchives  int              // 0: 65,535, which is the most
	OnlyExisting bool             // what cannot be opened is an error of OpenClassPath, not a Problem
}

// ClassPath finds classes and resources in archives and directories as the application class loader of
// a JVM does (java, "-cp"; jdk.internal.loader.URLClassPath): in the first element of the path that has
// them. All methods may be called from several goroutines at once, but Close only when no other is
// being called. Directories are looked into at each lookup, archives only when they are opened.
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
	path   string // as it was given or resolved
	order  int    // in the class path
	jar    int    // in ClassPath.jars
	z      *zipfile.ZipFile
	prefix string // of names in the archive that count, ends in a slash
	outer  string // path of the archive, without the prefix
	multi  bool   // a multi-release archive
	root   *os.Root
}

// Problem is an element of a class path that is not used. A JVM says nothing about it.
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
	file    string        // in a directory
	root    *os.Root
}

// IsFile reports a resource in a directory, which has no Entry.
func (r Resource) IsFile() bool { return r.root != nil }

// Path is where the resource is: the path of a file, or ARCHIVE!/ENTRY.
func (r Resource) Path() string {
	if r.IsFile() {
		return filepath.Join(r.Element, filepath.FromSlash(r.file))
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
// (app.jar!/lib/x.jar, app.jar!/lib/*), and directories of archives (app.jar!/BOOT-INF/classes/). An
// archive that is a file is followed by what its Class-Path names, unless that stood before. What is not
// there or is no archive is a Problem and left out, with OnlyExisting an error. Other errors are that of ctx
// and too many archives. Close gives everything back.
func OpenClassPath(ctx context.Context, paths []string, o *ClassPathOptions) (*ClassPath, error) {
	if o == nil {
		o = &ClassPathOptions{}
	}
	b := &pathBuilder{o: *o, cp: new(ClassPath), seen: make(map[string]bool), opened: make(map[string]*opened)}
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
		b.o.Release = 1 << 30
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
	before := len(cp.elements)
	slot := cp.index.find(cp.jars, name)
	if slot != 0 {
		before = cp.jars[slot.jar()].order
	}
	for _, d := range cp.dirs {
		if d.order > before {
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
	if err != nil || st.IsDir() {
		return Resource{}, false
	}
	return Resource{Name: name, Element: d.path, file: name, root: d.root}, true
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
			name, ok := j.nameIn(e.Name())
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
	if strings.ContainsFunc(path, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(path)
	}
	return path
}

// pathBuilder opens a class path.
type pathBuilder struct {
	o      ClassPathOptions
	cp     *ClassPath
	seen   map[string]bool // elements, by absolute path
	opened map[string]*opened
	nested int64 // bytes in memory
}

// opened is what came of opening the archive of a file.
type opened struct {
	z   *zipfile.ZipFile
	err error
}

// todo is an element that is to be opened.
type todo struct{ path, from string }

func (b *pathBuilder) build(ctx context.Context, paths []string) error {
	var list []todo
	for _, p := range paths {
		list = append(list, b.expand(p)...)
	}
	if len(b.cp.problems) > 0 && b.o.OnlyExisting {
		return b.cp.problems[0]
	}
	if err := b.openAhead(ctx, list); err != nil {
		return err
	}
	slices.Reverse(list) // a stack: what a manifest names comes next
	for len(list) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := list[len(list)-1]
		list = list[:len(list)-1]
		named, err := b.add(t)
		if errors.Is(err, errTooManyJars) || err != nil && b.o.OnlyExisting {
			return Problem{t.path, t.from, err}
		}
		if err != nil {
			b.cp.problems = append(b.cp.problems, Problem{t.path, t.from, err})
		}
		slices.Reverse(named)
		list = append(list, named...)
	}
	return nil
}

// expand replaces dir/* by the archives in dir.
func (b *pathBuilder) expand(p string) []todo {
	if p == "" {
		p = "." // as a JVM does
	}
	dir, base := filepath.Split(p)
	if base != "*" || strings.Contains(p, nestedSep) {
		return []todo{{path: p}}
	}
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		b.cp.problems = append(b.cp.problems, Problem{Path: p, Err: plainError(err)})
		return nil
	}
	var list []todo
	for _, e := range entries { // ReadDir sorts them
		if ext := filepath.Ext(e.Name()); ext == ".jar" || ext == ".JAR" {
			list = append(list, todo{path: filepath.Join(dir, e.Name())})
		}
	}
	return list
}

// openAhead opens the archives of files on several goroutines.
func (b *pathBuilder) openAhead(ctx context.Context, list []todo) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(b.o.Workers)
	for _, t := range list {
		file, _, _ := strings.Cut(t.path, nestedSep)
		if st, err := os.Stat(file); err != nil || st.IsDir() || b.opened[file] != nil || len(b.opened) >= b.o.MaxArchives {
			continue
		}
		o := new(opened)
		b.opened[file] = o
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			o.z, o.err = zipfile.Open(file, b.o.Zip)
			return nil
		})
	}
	err := g.Wait()
	for _, o := range b.opened {
		if o.z != nil {
			b.cp.closers = append(b.cp.closers, o.z)
		}
	}
	return err
}

// open opens the archive of a file, once.
func (b *pathBuilder) open(file string) (*zipfile.ZipFile, error) {
	if o := b.opened[file]; o != nil && (o.z != nil || o.err != nil) {
		return o.z, o.err
	}
	o := new(opened)
	if o.z, o.err = zipfile.Open(file, b.o.Zip); o.z != nil {
		b.cp.closers = append(b.cp.closers, o.z)
	}
	b.opened[file] = o
	return o.z, o.err
}

var (
	errTooManyJars = errors.New("too many archives in a class path")
	errTooManyDirs = fmt.Errorf("more than %d directories in a class path", maxDirs)
	errNoEntry     = errors.New("no such entry")
)

// maxDirs is how many directories are used, as each is kept open.
const maxDirs = 1000

// add opens an element and returns what its manifest names.
func (b *pathBuilder) add(t todo) ([]todo, error) {
	file, inner, isInner := splitNested(t.path)
	key := file
	if abs, err := filepath.Abs(file); err == nil {
		key = filepath.Clean(abs)
	}
	if isInner {
		key += nestedSep + inner
	}
	if b.seen[key] {
		return nil, nil // a JVM searches it once
	}
	b.seen[key] = true
	st, err := os.Stat(file)
	if err != nil {
		return nil, plainError(err)
	}
	if st.IsDir() {
		if len(b.cp.dirs) == maxDirs {
			return nil, errTooManyDirs
		}
		root, err := os.OpenRoot(file)
		if err != nil {
			return nil, plainError(err)
		}
		b.cp.closers = append(b.cp.closers, root)
		e := &element{path: t.path, order: len(b.cp.elements), root: root}
		b.cp.elements, b.cp.dirs = append(b.cp.elements, e), append(b.cp.dirs, e)
		return nil, nil
	}
	z, err := b.open(file)
	if err != nil {
		return nil, plainError(err)
	}
	if !isInner {
		return b.addJar(&element{path: t.path, z: z}, file)
	}
	return b.addInner(z, t, inner)
}

// addInner adds what is in an archive.
func (b *pathBuilder) addInner(z *zipfile.ZipFile, t todo, inner string) ([]todo, error) {
	for {
		switch {
		case inner == "" || strings.HasSuffix(inner, "/") && !strings.Contains(inner, nestedSep):
			return b.addJar(&element{path: t.path, z: z, prefix: inner}, "")
		case path.Base(inner) == "*" && !strings.Contains(inner, nestedSep):
			dir := strings.TrimSuffix(inner, "*")
			base := strings.TrimSuffix(t.path, inner)
			var list []todo
			for e := range z.Entries() {
				name, ok := strings.CutPrefix(e.Name(), dir)
				if ok && !strings.Contains(name, "/") && strings.EqualFold(path.Ext(name), ".jar") {
					list = append(list, todo{base + e.Name(), t.from})
				}
			}
			return list, nil
		}
		name, rest, _ := strings.Cut(inner, nestedSep)
		e, ok := z.Lookup(name)
		if !ok {
			return nil, fmt.Errorf("%w: %s", errNoEntry, quoted(name))
		}
		next, err := b.nest(e)
		if err != nil {
			return nil, err
		}
		z, inner = next, rest
	}
}

// nest opens an archive that is an entry of another: where it is stored through that, else in memory.
func (b *pathBuilder) nest(e zipfile.Entry) (*zipfile.ZipFile, error) {
	bytes, err := e.Backend()
	if errors.Is(err, errors.ErrUnsupported) {
		if e.Size() > b.o.MaxNested-b.nested {
			return nil, fmt.Errorf("nested archives of more than %d bytes", b.o.MaxNested)
		}
		b.nested += e.Size()
		var data []byte
		if data, err = e.ReadAll(); err == nil {
			bytes = backend.Bytes(data)
		}
	}
	if err != nil {
		return nil, err
	}
	z, err := zipfile.New(bytes, b.o.Zip)
	if err != nil {
		bytes.Close()
		return nil, err
	}
	b.cp.closers = append(b.cp.closers, z)
	return z, nil
}

// addJar adds an archive, of which file is the path if it is one, and returns what its manifest names.
func (b *pathBuilder) addJar(e *element, file string) ([]todo, error) {
	if len(b.cp.jars) == b.o.MaxArchives {
		return nil, errTooManyJars
	}
	if e.z.Len() > maxJarEntries {
		return nil, fmt.Errorf("%d entries, the most in an archive of a class path is %d", e.z.Len(), maxJarEntries)
	}
	e.order, e.jar = len(b.cp.elements), len(b.cp.jars)
	e.outer = strings.TrimSuffix(strings.TrimSuffix(e.path, e.prefix), nestedSep)
	b.cp.elements, b.cp.jars = append(b.cp.elements, e), append(b.cp.jars, e)
	m, err := ReadManifest(e.z)
	if m == nil {
		if err != nil && !errors.Is(err, ErrNoManifest) {
			b.cp.problems = append(b.cp.problems, Problem{Path: e.path, Err: err})
		}
		return nil, nil
	}
	e.multi = m.MultiRelease()
	if file == "" || b.o.NoManifests {
		return nil, nil
	}
	var named []todo
	for _, ref := range m.ClassPath() {
		p, err := resolveClassPath(file, ref)
		if err != nil {
			b.cp.problems = append(b.cp.problems, Problem{ref, e.path, err})
			continue
		}
		named = append(named, todo{p, e.path})
	}
	return named, nil
}

// resolveClassPath returns the file that a URL of a Class-Path attribute names: one that is relative to
// the archive, or of scheme file (JAR File Specification, "Class-Path Attribute"; OpenJDK's
// URLClassPath.tryResolve, which leaves out all others).
func resolveClassPath(file, ref string) (string, error) {
	u, err := url.Parse(ref)
	if err != nil {
		return "", err
	}
	if u.Scheme != "" && !strings.EqualFold(u.Scheme, "file") || u.Host != "" && u.Host != "localhost" {
		return "", fmt.Errorf("not a URL of a file")
	}
	p := u.Path
	if u.Opaque != "" { // file:x.jar
		if p, err = url.PathUnescape(u.Opaque); err != nil {
			return "", err
		}
	}
	if strings.ContainsRune(p, 0) {
		return "", errors.New("NUL byte")
	}
	local := filepath.FromSlash(p)
	if filepath.IsAbs(local) || strings.HasPrefix(p, "/") {
		return local, nil
	}
	return filepath.Join(filepath.Dir(file), local), nil
}

// splitNested splits a path at the first separator whose left side is a file.
func splitNested(p string) (file, inner string, ok bool) {
	for i := 0; ; {
		j := strings.Index(p[i:], nestedSep)
		if j < 0 {
			return p, "", false
		}
		i += j
		if st, err := os.Stat(p[:i]); err == nil && !st.IsDir() {
			return p[:i], p[i+len(nestedSep):], true
		}
		i += len(nestedSep)
	}
}

// plainError leaves out the path, which a Problem has.
func plainError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

const (
	maxJars       = 1<<16 - 1
	maxJarEntries = 1 << 23
)

// slot is a name of an archive in the index, 0 for none: bits 0-22 the number of the entry, bit 23 set where
// the name is that of the file of which the entry is a version, 24-39 the number of the archive plus one,
// 40-63 part of the hash.
type slot uint64

const (
	slotVersion = slot(1) << 23
	slotTag     = ^slot(1<<40 - 1)
)

func (s slot) entry() int { return int(s & (maxJarEntries - 1)) }
func (s slot) jar() int   { return int(s>>24&maxJars) - 1 }

// classIndex finds names in many archives: one hash table over all of them, so that a lookup costs the same
// however many there are. A name is in the table once, for the first archive that has it; the others are
// in a list that only who asks for all looks at. Hashes are seeded: nobody can make names that collide.
type classIndex struct {
	seed  maphash.Seed
	slots []slot      // three fifths full
	later []laterSlot // of names that stand in several archives, sorted by the first
}

type laterSlot struct{ first, slot slot }

// named is s.name(jars) == name.
func (s slot) named(jars []*element, name string) bool {
	if j := jars[s.jar()]; j.prefix == "" && s&slotVersion == 0 {
		return j.z.At(s.entry()).Named(name)
	}
	return s.name(jars) == name
}

// name returns the name by which the entry of a slot is found.
func (s slot) name(jars []*element) string {
	j := jars[s.jar()]
	name, _ := j.nameIn(j.z.At(s.entry()).Name())
	if s&slotVersion != 0 {
		_, name, _ = versioned(name)
	}
	return name
}

func (x *classIndex) build(ctx context.Context, jars []*element, release int) error {
	x.seed = maphash.MakeSeed()
	total := 0
	for _, j := range jars {
		total += j.z.Len()
		if j.multi { // some entries stand under two names
			for e := range j.z.Entries() {
				if strings.Contains(e.Name(), versionsDir) {
					total++
				}
			}
		}
	}
	x.slots = make([]slot, total*5/3+1)
	for i, j := range jars {
		if err := ctx.Err(); err != nil {
			return err
		}
		x.add(jars, i, j, release)
	}
	slices.SortStableFunc(x.later, func(a, b laterSlot) int { return cmp.Compare(a.first, b.first) })
	// Of several entries of one name in an archive the last counts.
	kept := x.later[:0]
	for _, l := range x.later {
		if n := len(kept); n > 0 && kept[n-1].first == l.first && kept[n-1].slot.jar() == l.slot.jar() {
			kept[n-1] = l
		} else {
			kept = append(kept, l)
		}
	}
	x.later = slices.Clip(kept)
	return nil
}

func (x *classIndex) add(jars []*element, i int, j *element, release int) {
	number := slot(i+1) << 24
	for e := range j.z.Entries() {
		if name, ok := j.nameIn(e.Name()); ok && name != "" {
			x.insert(jars, number|slot(e.Index()), name)
		}
	}
	if !j.multi {
		return
	}
	best := make(map[string]int) // release by name
	for e := range j.z.Entries() {
		name, _ := j.nameIn(e.Name())
		n, base, ok := versioned(name)
		if ok && n <= release && n >= baseRelease && release > baseRelease && !strings.HasPrefix(base, metaDir) && n >= best[base] {
			best[base] = n
			x.insert(jars, number|slotVersion|slot(e.Index()), base)
		}
	}
}

// at is where to begin to look for a hash. Its upper bits choose, the lower ones are the tag.
func (x *classIndex) at(h uint64) int {
	i, _ := bits.Mul64(h, uint64(len(x.slots)))
	return int(i)
}

func (x *classIndex) insert(jars []*element, s slot, name string) {
	h := maphash.String(x.seed, name)
	s |= slot(h << 40)
	for i := x.at(h); ; {
		switch old := x.slots[i]; {
		case old == 0:
			x.slots[i] = s
			return
		case (old^s)&slotTag != 0 || !old.named(jars, name):
		case old.jar() == s.jar():
			x.slots[i] = s // the last, or a version
			return
		default:
			x.later = append(x.later, laterSlot{old, s})
			return
		}
		if i++; i == len(x.slots) {
			i = 0
		}
	}
}

// find returns the slot of a name, 0 if there is none.
func (x *classIndex) find(jars []*element, name string) slot {
	if len(x.slots) == 0 {
		return 0
	}
	h := maphash.String(x.seed, name)
	tag := slot(h << 40)
	for i := x.at(h); ; {
		s := x.slots[i]
		if s == 0 || s&slotTag == tag && s.named(jars, name) {
			return s
		}
		if i++; i == len(x.slots) {
			i = 0
		}
	}
}

// all gives the slots of a name in all archives that have it.
func (x *classIndex) all(jars []*element, name string) iter.Seq[slot] {
	return func(yield func(slot) bool) {
		first := x.find(jars, name)
		if first == 0 || !yield(first) {
			return
		}
		i, _ := slices.BinarySearchFunc(x.later, first, func(l laterSlot, s slot) int { return cmp.Compare(l.first, s) })
		for ; i < len(x.later) && x.later[i].first == first; i++ {
			if !yield(x.later[i].slot) {
				return
			}
		}
	}
}

// duplicates gives the names that several archives have, and the archives.
func (x *classIndex) duplicates(jars []*element) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for i := 0; i < len(x.later); {
			first := x.later[i].first
			elements := []string{jars[first.jar()].path}
			for ; i < len(x.later) && x.later[i].first == first; i++ {
				elements = append(elements, jars[x.later[i].slot.jar()].path)
			}
			if !yield(first.name(jars), elements) {
				return
			}
		}
	}
}

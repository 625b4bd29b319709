package jar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"zipcat.dev/zipfile"
)

// pathBuilder opens a class path.
type pathBuilder struct {
	o       ClassPathOptions
	cp      *ClassPath
	seen    map[string]bool           // elements, by canonical path
	opened  map[string]*opened        // by canonical path
	inside  map[zipfile.Entry]*opened // archives in archives, by the entries that they are
	nested  NestedOptions
	failed  int // elements that could not be opened
	pending int // bytes of Class-Path attributes that are kept
}

// opened is what came of opening an archive, which is tried once: many libraries may be in it.
type opened struct {
	z   *zipfile.ZipFile
	err error
}

// nextElement is an element that is to be opened.
type nextElement struct {
	path, from string // as in a Problem
	file       string // to open
	canonical  string // its canonical path; of one that a manifest names the path of the URL
	inner      string // what is meant in it
	isInner    bool
	named      bool // by a manifest
	dir        bool // the URL that names it ends in a slash
}

// todo are elements that are to be opened: a list, or the rest of a Class-Path attribute, which may be long.
type todo struct {
	list []nextElement
	from string
	base fileURL // of the archive that has the attribute
	rest string
	size int // of the attribute
}

// next takes the first element away. It is not ok where there is none left. With an error the element is no
// more than the text in its path.
func (t *todo) next() (e nextElement, ok bool, err error) {
	if len(t.list) > 0 {
		e, t.list = t.list[0], t.list[1:]
		return e, true, nil
	}
	ref, rest := nextField(t.rest)
	if t.rest = rest; ref == "" {
		return e, false, nil
	}
	e = nextElement{path: ref, from: t.from, named: true}
	s, err := parseSpec(ref)
	if err != nil {
		return e, true, err
	}
	u, err := t.base.resolve(s)
	if err != nil {
		return e, true, err
	}
	file, dir, err := u.file()
	if err != nil {
		return e, true, err
	}
	e.path, e.file, e.canonical, e.dir = file, file, file, dir
	return e, true, nil
}

// nextField cuts off the first word, as [Manifest.ClassPath] does.
func nextField(text string) (field, rest string) {
	const space = " \t\n\r\f"
	text = strings.TrimLeft(text, space)
	if i := strings.IndexAny(text, space); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

func (b *pathBuilder) build(ctx context.Context, paths []string) error {
	b.nested = NestedOptions{Zip: b.o.Zip, Budget: &Budget{Total: b.o.MaxNested}}
	var list []nextElement
	for _, p := range paths {
		more, err := b.expand(p)
		if err != nil {
			if err := b.problem(Problem{Path: p, Err: err}); err != nil {
				return err
			}
		}
		list = append(list, more...)
	}
	if err := b.openAhead(ctx, list); err != nil {
		return err
	}
	stack := []*todo{{list: list}} // what a manifest names comes next
	for len(stack) > 0 {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		top := stack[len(stack)-1]
		t, ok, err := top.next()
		if !ok {
			b.pending -= top.size
			stack = stack[:len(stack)-1]
			continue
		}
		var named *todo
		if err == nil {
			named, err = b.add(ctx, t)
		}
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := b.problem(Problem{t.path, t.from, err}); err != nil {
				return err
			}
		}
		if named != nil {
			stack = append(stack, named)
		}
	}
	return nil
}

// problem notes that an element is not used. The error is one to stop with.
func (b *pathBuilder) problem(p Problem) error {
	if errors.Is(p.Err, errTooManyJars) || b.o.OnlyExisting {
		return p
	}
	if b.failed++; b.failed+len(b.cp.jars) > b.o.MaxArchives {
		p.Err = errTooManyJars
		return p
	}
	p.Path = strings.Clone(p.Path) // it may be a piece of a large manifest
	b.cp.problems = append(b.cp.problems, p)
	return nil
}

// expand replaces dir/* by the archives in dir.
func (b *pathBuilder) expand(p string) ([]nextElement, error) {
	if p == "" {
		p = "." // as a JVM does
	}
	dir, base := filepath.Split(p)
	if base != "*" || strings.Contains(p, nestedSep) {
		return []nextElement{given(p)}, nil
	}
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, plainError(err)
	}
	var list []nextElement
	for _, e := range entries { // ReadDir sorts them
		if ext := filepath.Ext(e.Name()); ext == ".jar" || ext == ".JAR" {
			list = append(list, given(filepath.Join(dir, e.Name())))
		}
	}
	return list, nil
}

// given is an element that no manifest names.
func given(p string) nextElement {
	e := nextElement{path: p}
	if file, inner, err := splitAtFile(p, nestedSep, filePath); err == nil {
		e.file, e.inner, e.isInner = file, inner, file != p
	} else {
		e.file = p // there is no such file, as add finds
	}
	e.file = trimSlashes(e.file)
	e.canonical = canonical(e.file)
	return e
}

// openAhead opens the archives of files on several goroutines.
func (b *pathBuilder) openAhead(ctx context.Context, list []nextElement) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(b.o.Workers)
	for _, t := range list {
		if st, err := os.Stat(t.file); err != nil || st.IsDir() || b.opened[t.canonical] != nil || len(b.opened) >= b.o.MaxArchives {
			continue
		}
		o := new(opened)
		b.opened[t.canonical] = o
		g.Go(func() error {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			o.z, o.err = zipfile.Open(t.file, b.o.Zip)
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
func (b *pathBuilder) open(t nextElement) (*zipfile.ZipFile, error) {
	if o := b.opened[t.canonical]; o != nil && (o.z != nil || o.err != nil) {
		return o.z, o.err
	}
	o := new(opened)
	if o.z, o.err = zipfile.Open(t.file, b.o.Zip); o.z != nil {
		b.cp.closers = append(b.cp.closers, o.z)
	}
	b.opened[t.canonical] = o
	return o.z, o.err
}

var (
	errTooManyJars = fmt.Errorf("%w: too many archives in a class path, or too long Class-Path attributes", zipfile.ErrLimit)
	errTooManyDirs = fmt.Errorf("more than %d directories in a class path", maxDirs)
)

// maxDirs is how many directories are used, as each is kept open.
const maxDirs = 1000

// maxPending is how many bytes of Class-Path attributes may wait for being followed.
var maxPending = 1 << 26

var (
	errNotDir     = errors.New("no directory, though the URL ends in a slash")
	errDirAsJar   = errors.New("a directory, though the URL does not end in a slash")
	errNoPathName = errors.New("name of an entry that is no path")
)

// add opens an element and returns what is to be opened next.
func (b *pathBuilder) add(ctx context.Context, t nextElement) (*todo, error) {
	st, err := os.Stat(t.file)
	key := t.canonical
	if inner := strings.TrimSuffix(t.inner, nestedSep); inner != "" {
		key += nestedSep + inner
	}
	if t.named && t.dir || !t.named && err == nil && st.IsDir() {
		key += "/"
	}
	if b.seen[key] {
		return nil, nil // a JVM searches it once
	}
	b.seen[key] = true
	switch {
	case err != nil:
		return nil, plainError(err)
	case t.named && t.dir && !st.IsDir():
		return nil, errNotDir
	case t.named && !t.dir && st.IsDir():
		return nil, errDirAsJar
	case st.IsDir():
		return nil, b.addDir(t)
	}
	z, err := b.open(t)
	if err != nil {
		return nil, plainError(err)
	}
	if !t.isInner {
		return b.addJar(&element{path: t.path, z: z}, t)
	}
	return b.addInner(ctx, z, t)
}

func (b *pathBuilder) addDir(t nextElement) error {
	if len(b.cp.dirs) == maxDirs {
		return errTooManyDirs
	}
	root, err := os.OpenRoot(t.file)
	if err != nil {
		return plainError(err)
	}
	b.cp.closers = append(b.cp.closers, root)
	e := &element{path: t.path, order: len(b.cp.elements), root: root, dir: canonical(t.file)}
	b.cp.elements, b.cp.dirs = append(b.cp.elements, e), append(b.cp.dirs, e)
	return nil
}

// addJar adds an archive and returns what its manifest names, if it is a file.
func (b *pathBuilder) addJar(e *element, t nextElement) (*todo, error) {
	if len(b.cp.jars)+b.failed >= b.o.MaxArchives {
		return nil, errTooManyJars
	}
	if e.z.Len() > maxJarEntries {
		return nil, fmt.Errorf("%d entries, the most in an archive of a class path is %d", e.z.Len(), maxJarEntries)
	}
	m, merr := ReadManifest(e.z)
	var named *todo
	if !t.isInner && !b.o.NoManifests {
		value, err := classPathOf(e.z, m, merr)
		if err != nil {
			return nil, err
		}
		if named, err = b.follow(value, e, t); err != nil {
			return nil, err
		}
	}
	e.order = len(b.cp.elements)
	e.outer = strings.TrimSuffix(strings.TrimSuffix(e.path, e.prefix), nestedSep)
	e.multi = m != nil && m.MultiRelease()
	b.cp.elements, b.cp.jars = append(b.cp.elements, e), append(b.cp.jars, e)
	if m == nil && merr != nil && !errors.Is(merr, ErrNoManifest) {
		b.cp.problems = append(b.cp.problems, Problem{Path: e.path, Err: merr})
	}
	return named, nil
}

// classPathOf returns the Class-Path attribute that a JVM sees: none in a last line without a line end. Only an archive
// whose manifest has "Class-Path: " somewhere is not used if the manifest is damaged.
func classPathOf(z *zipfile.ZipFile, m *Manifest, err error) (string, error) {
	if _, damaged := errors.AsType[*ManifestError](err); damaged {
		entries := ManifestEntries(z)
		if raw, rerr := readMeta(entries[len(entries)-1], "manifest"); rerr == nil && containsFold(string(raw), classPath+": ") {
			return "", fmt.Errorf("%w; a JVM does not use an archive with such a Class-Path", err)
		}
		return "", nil
	}
	if m != nil && m.Unterminated() {
		if m, err = ParseManifest([]byte(terminated(m.raw))); err != nil {
			return "", nil
		}
	}
	if m == nil {
		return "", nil
	}
	return m.Main.Value(classPath), nil
}

// terminated cuts a last line without a line end off, and the lines that it continues.
func terminated(raw string) string {
	for {
		start := strings.LastIndexAny(raw, "\r\n") + 1
		continuation := start < len(raw) && raw[start] == ' '
		if raw = raw[:start]; !continuation {
			return raw
		}
		raw = strings.TrimSuffix(raw, "\n")
		raw = strings.TrimSuffix(raw, "\r")
	}
}

// follow returns what a Class-Path attribute names. With an error the archive is not used
// (jdk.internal.loader.URLClassPath.getLoader).
func (b *pathBuilder) follow(value string, e *element, t nextElement) (*todo, error) {
	if value == "" {
		return nil, nil
	}
	for ref, rest := nextField(value); ref != ""; ref, rest = nextField(rest) {
		if _, err := parseSpec(ref); err != nil {
			return nil, fmt.Errorf("Class-Path has %s: %w", quoted(clip(ref)), err)
		}
	}
	if b.pending += len(value); b.pending > maxPending {
		return nil, errTooManyJars
	}
	return &todo{from: e.path, base: urlOf(t.canonical), rest: strings.Clone(value), size: len(value)}, nil
}

// plainError leaves out the path, which a Problem has.
func plainError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

package jar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"zipcat.dev/zipfile"
)

// pathBuilder opens a class path.
type pathBuilder struct {
	o      ClassPathOptions
	cp     *ClassPath
	seen   map[string]bool // elements, by absolute path
	opened map[string]*opened
	nested NestedOptions
}

// opened is what came of opening the archive of a file.
type opened struct {
	z   *zipfile.ZipFile
	err error
}

// nextElement is an element that is to be opened.
type nextElement struct{ path, from string }

func (b *pathBuilder) build(ctx context.Context, paths []string) error {
	b.nested = NestedOptions{Zip: b.o.Zip, Budget: &Budget{Total: b.o.MaxNested}, Context: ctx}
	var list []nextElement
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
func (b *pathBuilder) expand(p string) []nextElement {
	if p == "" {
		p = "." // as a JVM does
	}
	dir, base := filepath.Split(p)
	if base != "*" || strings.Contains(p, nestedSep) {
		return []nextElement{{path: p}}
	}
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		b.cp.problems = append(b.cp.problems, Problem{Path: p, Err: plainError(err)})
		return nil
	}
	var list []nextElement
	for _, e := range entries { // ReadDir sorts them
		if ext := filepath.Ext(e.Name()); ext == ".jar" || ext == ".JAR" {
			list = append(list, nextElement{path: filepath.Join(dir, e.Name())})
		}
	}
	return list
}

// openAhead opens the archives of files on several goroutines.
func (b *pathBuilder) openAhead(ctx context.Context, list []nextElement) error {
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
)

// maxDirs is how many directories are used, as each is kept open.
const maxDirs = 1000

// add opens an element and returns what its manifest names.
func (b *pathBuilder) add(t nextElement) ([]nextElement, error) {
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
func (b *pathBuilder) addInner(z *zipfile.ZipFile, t nextElement, inner string) ([]nextElement, error) {
	for depth := 0; ; depth++ {
		switch {
		case inner == "" || strings.HasSuffix(inner, "/") && !strings.Contains(inner, nestedSep):
			return b.addJar(&element{path: t.path, z: z, prefix: inner}, "")
		case path.Base(inner) == "*" && !strings.Contains(inner, nestedSep):
			dir := strings.TrimSuffix(inner, "*")
			base := strings.TrimSuffix(t.path, inner)
			var list []nextElement
			for e := range z.Entries() {
				name, ok := strings.CutPrefix(e.Name(), dir)
				if ok && !strings.Contains(name, "/") && strings.EqualFold(path.Ext(name), ".jar") {
					list = append(list, nextElement{base + e.Name(), t.from})
				}
			}
			return list, nil
		}
		name, rest, _ := strings.Cut(inner, nestedSep)
		e, ok := z.Lookup(name)
		if !ok {
			return nil, fmt.Errorf("%w: %s", errNoEntry, quoted(name))
		}
		next, err := b.nest(e, depth)
		if err != nil {
			return nil, err
		}
		z, inner = next, rest
	}
}

// nest opens an archive that is an entry of one that is depth archives deep.
func (b *pathBuilder) nest(e zipfile.Entry, depth int) (*zipfile.ZipFile, error) {
	o := b.nested
	o.Depth = depth
	z, err := OpenNested(e, &o)
	if err != nil {
		return nil, err
	}
	b.cp.closers = append(b.cp.closers, z)
	return z, nil
}

// addJar adds an archive, of which file is the path if it is one, and returns what its manifest names.
func (b *pathBuilder) addJar(e *element, file string) ([]nextElement, error) {
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
	var named []nextElement
	for _, ref := range m.ClassPath() {
		p, err := resolveClassPath(file, ref)
		if err != nil {
			b.cp.problems = append(b.cp.problems, Problem{ref, e.path, err})
			continue
		}
		named = append(named, nextElement{p, e.path})
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

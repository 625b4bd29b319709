package jar

import (
	"context"
	"fmt"
	"path"
	"strings"

	"zipcat.dev/zipfile"
)

// addInner adds what is in an archive. A name that an entry has is that entry, be there a star or a separator
// in it.
//
// The file of a path is the same as for [OpenPath] (splitAtFile), and the longest entry counts as there; the
// rest is not what descent.follow does, as the last part is what is searched for classes, and not an entry to be
// shown:
//
//   - app.jar!/dir/ is a prefix of the names as they are stored, be there an entry of that name or not, and
//     app.jar!/dir/* all jars of a directory; app.jar!/dir/!/x.jar, with a directory in the middle, is an error.
//   - What else it ends in must be an archive, whatever its name.
//   - Names that are no paths (see [zipfile.CheckPath]) are refused.
func (b *pathBuilder) addInner(ctx context.Context, z *zipfile.ZipFile, t nextElement) (*todo, error) {
	inner := t.inner
	for depth := 0; ; depth++ {
		if inner == "" || strings.HasSuffix(inner, "/") && isDirIn(z, inner) {
			if inner != "" && zipfile.CheckPath(inner) != nil {
				return nil, errNoPathName
			}
			return b.addJar(&element{path: t.path, z: z, prefix: inner}, t)
		}
		e, rest, ok := longestEntry(z, inner)
		switch {
		case ok:
		case path.Base(inner) == "*" && !strings.Contains(inner, nestedSep):
			return &todo{list: jarsBelow(z, t, inner)}, nil
		default:
			name, _, _ := strings.Cut(inner, nestedSep)
			return nil, fmt.Errorf("%w: %s", errNoEntry, quoted(clip(name)))
		}
		if zipfile.CheckPath(e.Name()) != nil {
			return nil, errNoPathName
		}
		next, err := b.nest(ctx, e, depth)
		if err != nil {
			return nil, err
		}
		z, inner = next, rest
	}
}

// isDirIn tells whether a name that ends in a slash is that of a directory, even if there is nothing in it: one
// with a separator in it is one if there is something.
func isDirIn(z *zipfile.ZipFile, name string) bool {
	if !strings.Contains(name, nestedSep) {
		return true
	}
	for e := range z.Entries() {
		if strings.HasPrefix(e.RawName(), name) {
			return true
		}
	}
	return false
}

// longestEntry finds the longest part of a path that is an entry.
func longestEntry(z *zipfile.ZipFile, inner string) (e zipfile.Entry, rest string, ok bool) {
	for name := inner; ; {
		if e, ok = z.Lookup(name); ok {
			return e, strings.TrimPrefix(inner[len(name):], nestedSep), true
		}
		i := strings.LastIndex(name, nestedSep)
		if i < 0 {
			return e, "", false
		}
		name = name[:i]
	}
}

// jarsBelow are the jars that lib/* in an archive stands for.
func jarsBelow(z *zipfile.ZipFile, t nextElement, inner string) []nextElement {
	dir := strings.TrimSuffix(inner, "*")
	var list []nextElement
	for e := range z.Entries() {
		name, ok := strings.CutPrefix(e.Name(), dir)
		if ok && !strings.Contains(name, "/") && strings.EqualFold(path.Ext(name), ".jar") {
			jar := t
			jar.path = strings.TrimSuffix(t.path, inner) + e.Name()
			jar.inner = strings.TrimSuffix(t.inner, inner) + e.Name()
			list = append(list, jar)
		}
	}
	return list
}

// nest opens an archive that is an entry of one that is depth archives deep, once.
func (b *pathBuilder) nest(ctx context.Context, e zipfile.Entry, depth int) (*zipfile.ZipFile, error) {
	if o := b.inside[e]; o != nil {
		return o.z, o.err
	}
	options := b.nested
	options.Depth = depth
	o := new(opened)
	if o.z, o.err = OpenNested(ctx, e, &options); o.z != nil {
		b.cp.closers = append(b.cp.closers, o.z)
	}
	b.inside[e] = o
	return o.z, o.err
}

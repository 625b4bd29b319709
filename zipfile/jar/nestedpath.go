package jar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
)

// OpenPath opens the archive that a path or a URL leads to, through archives in archives:
//
//	app.jar!/BOOT-INF/lib/x.jar
//	app.jar!/BOOT-INF/lib/x.jar!/com/example/A.class
//	jar:file:/srv/app.jar!/BOOT-INF/lib/x.jar!/
//	jar:nested:/srv/app.jar/!BOOT-INF/lib/x.jar!/
//	nested:/srv/app.jar/!BOOT-INF/lib/x.jar
//	file:///srv/app.jar
//
// A path is split at the first !/ whose left side is a file; each further part is the name of an entry
// as it is, the longest that there is. The path of a file whose name begins as a URL does is written as
// ./jar:x. URLs are percent-decoded; what is behind the file is taken as it stands where that, decoded,
// leads to no entry, as Spring Boot does not encode it; ? and # stand for themselves. A
// directory of an archive followed by !/ is that directory: app.jar!/BOOT-INF/classes/!/com/example/A.class.
//
// Where the path ends in an entry that is a directory, or that is no archive by its name
// ([ArchiveName]) and without !/ behind it, entry is its name, and z the archive that has it; a directory
// need not have an entry of its own, and its name ends in a slash. Else entry is empty.
//
// Closing z closes all that was opened for it. However deep it is, one file is open where all the
// archives in it are stored (see [OpenNested]), and no byte of it is read twice on the way to an entry:
// up to about 64 KiB that were read and may be asked for again are kept until Close. SwitchBackend of z gives
// errors.ErrUnsupported where z is in another archive.
//
// Errors are *fs.PathError: fs.ErrNotExist for a file or an entry that is not there, others as those
// of [zipfile.Open] and [OpenNested]; of ctx they are its cause. In them a long
// path is cut, and one that a terminal could take for commands is quoted.
func OpenPath(ctx context.Context, path string, o *NestedOptions) (z *zipfile.ZipFile, entry string, err error) {
	z, entry, err = o.openPath(ctx, path)
	if pe, ok := err.(*fs.PathError); ok {
		err = &fs.PathError{Op: pe.Op, Path: quoted(clip(pe.Path)), Err: pe.Err}
	}
	return z, entry, err
}

func (o *NestedOptions) openPath(ctx context.Context, path string) (z *zipfile.ZipFile, entry string, err error) {
	v := o.withDefaults()
	if v.Budget == nil {
		v.Budget = new(Budget)
	}
	if ctx.Err() != nil {
		return nil, "", context.Cause(ctx)
	}
	l, err := locate(path)
	if err != nil {
		return nil, "", err
	}
	if l.inner == "" {
		z, err = zipfile.Open(l.file, v.zip())
		return z, "", err
	}
	if !strings.Contains(l.inner, nestedSep) && !ArchiveName(l.inner) {
		if z, err = zipfile.Open(l.file, v.zip()); err != nil {
			return nil, "", err
		}
		return v.descend(ctx, &descent{z: z, path: l.file}, l)
	}
	var kind backend.Kind
	if v.Zip != nil {
		kind = v.Zip.Backend
	}
	b, err := backend.Open(l.file, kind)
	if err != nil {
		return nil, "", err
	}
	return v.openIn(ctx, b, l)
}

// openIn opens what l leads to in the file whose backend is b.
func (o *NestedOptions) openIn(ctx context.Context, b backend.Backend, l location) (z *zipfile.ZipFile, entry string, err error) {
	once := &onceBackend{Backend: b, learning: true}
	z, err = zipfile.New(once, o.zip())
	if err != nil {
		b.Close()
		// This one has the path in its errors, and finds the other parts of a split archive.
		if z, err = zipfile.Open(l.file, o.zip()); err != nil {
			return nil, "", err
		}
		once = nil
	}
	return o.descend(ctx, &descent{z: z, path: l.file, once: once}, l)
}

func (o *NestedOptions) descend(ctx context.Context, d *descent, l location) (z *zipfile.ZipFile, entry string, err error) {
	d.o = *o
	entry, err = d.follow(ctx, l)
	if err != nil {
		d.z.Close()
		return nil, "", err
	}
	if d.once != nil {
		// What is read from now on are the entries of the innermost archive.
		d.once.done(d.base, d.base+d.z.Structure().Directory)
	}
	return d.z, entry, nil
}

// descent is on its way into archives.
type descent struct {
	o    NestedOptions
	z    *zipfile.ZipFile // closes those around it
	path string           // of z
	once *onceBackend     // that z and those around it are read through; nil: they are not
	base int64            // of z in the file of once, bytes
}

// follow goes down to where l leads and returns the name of the entry that it ends in.
func (d *descent) follow(ctx context.Context, l location) (entry string, err error) {
	inner := l.inner
	for steps := 0; ; steps++ {
		if inner == "" {
			return "", nil
		}
		if steps > d.o.MaxDepth {
			return "", d.fail(ctx, &limitText{fmt.Sprintf("more than %d parts in the path, which is the limit", d.o.MaxDepth)})
		}
		p, err := d.part(ctx, inner)
		if errors.Is(err, errNoEntry) && steps == 0 && l.raw != inner {
			if raw, rawErr := d.part(ctx, l.raw); rawErr == nil {
				p, err = raw, nil
			}
		}
		if err != nil {
			return "", err
		}
		switch {
		case p.dir != "" && p.rest == "":
			return p.dir, nil
		case p.dir != "":
			inner = p.dir + p.rest
			continue
		case !p.more && !ArchiveName(p.entry.Name()):
			return p.entry.Name(), nil
		}
		if err := d.towards(p.entry); err != nil {
			return "", d.fail(ctx, err)
		}
		z, err := d.o.open(ctx, p.entry, d.z)
		if err != nil {
			return "", d.fail(ctx, err)
		}
		d.z, d.path, inner = z, d.path+nestedSep+p.entry.Name(), p.rest
		d.o.Depth++
	}
}

// towards notes where the archive is that an entry is, which is opened next.
func (d *descent) towards(e zipfile.Entry) error {
	if d.once == nil {
		return nil
	}
	if e.IsDir() || e.Method() != zipfile.Store || e.Encrypted() { // it is unpacked, and read from there
		d.once.done(0, 0)
		d.once = nil
		return nil
	}
	data, err := e.DataOffset()
	if err != nil {
		return err
	}
	d.once.narrow(d.base+e.HeaderOffset(), d.base+data+e.CompressedSize())
	d.base += data
	return nil
}

// part is the first part of a path in an archive.
type part struct {
	entry zipfile.Entry // an entry that is no directory
	dir   string        // or the name of a directory, with its slash
	more  bool          // a separator follows
	rest  string        // behind it
}

// part finds the longest part of inner that is an entry or a directory. It passes over the entries once,
// so that it costs the same whatever is in the path. What is different in a class path stands at
// pathBuilder.addInner.
func (d *descent) part(ctx context.Context, inner string) (part, error) {
	var found zipfile.Entry
	best, common, bare := 0, 0, false
	for e := range d.z.Entries() {
		if i := e.Index(); i%4096 == 4095 && ctx.Err() != nil {
			return part{}, context.Cause(ctx)
		}
		name := e.Name()
		n := commonLen(name, inner)
		if n == len(name) && n >= best && n > 0 && endsPart(inner, n) {
			best, found = n, e // of entries of the same name the last
		}
		common = max(common, n)
		bare = bare || n == len(inner) && n < len(name) && name[n] == '/'
	}
	// Directories without an entry of their own end where a name has them in common with the path.
	for n := common; n > best; n = strings.LastIndexByte(inner[:n-1], '/') + 1 {
		if inner[n-1] == '/' && endsPart(inner, n) {
			return dirPart(inner, n), nil
		}
	}
	switch {
	case best == 0 && bare:
		return part{dir: inner + "/"}, nil
	case best == 0:
		return part{}, d.fail(ctx, &noEntryError{inner})
	case found.IsDir():
		return dirPart(inner, best), nil
	}
	p := part{entry: found}
	p.rest, p.more = strings.CutPrefix(inner[best:], nestedSep)
	return p, nil
}

func dirPart(inner string, n int) part {
	p := part{dir: inner[:n]}
	p.rest, p.more = strings.CutPrefix(inner[n:], nestedSep)
	if !strings.HasSuffix(p.dir, "/") { // a directory by its mode
		p.dir += "/"
	}
	return p
}

// endsPart reports whether a part of a path may end at n.
func endsPart(inner string, n int) bool {
	return n == len(inner) || strings.HasPrefix(inner[n:], nestedSep)
}

// commonLen returns how many bytes a and b have in common at their beginning.
func commonLen(a, b string) int {
	n := min(len(a), len(b))
	if a[:n] == b[:n] {
		return n
	}
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// noEntryError says which entry is not there.
type noEntryError struct{ name string }

func (e *noEntryError) Error() string { return errNoEntry.Error() + ": " + quoted(clip(e.name)) }
func (e *noEntryError) Unwrap() error { return errNoEntry }

// fail adds to err the path of the archive.
func (d *descent) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, ok := err.(*fs.PathError); ok {
		return err
	}
	return &fs.PathError{Op: "open", Path: d.path, Err: err}
}

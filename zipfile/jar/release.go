package jar

import (
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"zipcat.dev/zipfile"
)

const (
	metaDir     = "META-INF/"
	versionsDir = metaDir + "versions/"

	// baseRelease is the release before the first that knows multi-release archives. OpenJDK looks in
	// META-INF/versions/8 too, though the specification begins at 9.
	baseRelease = 8
)

// View is an archive as a JVM of some release sees it (JAR File Specification, "Multi-release JAR files";
// java.util.jar.JarFile): if it is a multi-release archive, META-INF/versions/N/x stands for x, with the
// highest N that is not above the release. Directories and what is in META-INF have no versions. Names
// are those that a JVM knows: the bytes in the header of an entry, which it takes for UTF-8
// ([zipfile.Entry.RawName]), and not what an Info-ZIP Unicode Path field says, nor with backslashes made slashes. Where
// they are not UTF-8, so that a JVM does not open the archive, the name is that of [zipfile.Entry.Name]. All methods may be called from several goroutines at once.
type View struct {
	z        *zipfile.ZipFile
	release  int
	multi    bool
	releases []int                    // of all files in META-INF/versions, ascending
	renamed  map[string]zipfile.Entry // all entries, by what a JVM calls them; nil where those are their names

	fsOnce sync.Once
	fs     fs.FS
}

// newestRelease is above all that META-INF/versions can name.
const newestRelease = 1 << 30

// NewView returns the view of a JVM of a release, as 17, on an archive, which must stay open while the
// view is used. 0, and what is less, stands for the newest release, above all that the archive names, as in
// [ClassPathOptions]. From 1 to 8 no name stands for another; Entries leaves META-INF/versions out as it
// does for other releases, as JarFile.versionedStream does. The error is that of [ReadManifest] where the
// manifest cannot be read; one that the JVM cannot parse, or none, makes no multi-release archive.
func NewView(z *zipfile.ZipFile, release int) (*View, error) {
	m, err := ReadManifest(z)
	if _, parsed := errors.AsType[*ManifestError](err); err != nil && !parsed && !errors.Is(err, ErrNoManifest) {
		return nil, err
	}
	if release <= 0 {
		release = newestRelease
	}
	v := &View{z: z, release: release, multi: m != nil && m.MultiRelease()}
	seen := make(map[int]bool)
	renamed := false
	for e := range z.Entries() {
		name := nameInJVM(e)
		renamed = renamed || name != e.Name()
		if n, _, ok := versioned(name); ok && !seen[n] {
			seen[n] = true
			v.releases = append(v.releases, n)
		}
	}
	slices.Sort(v.releases)
	if renamed {
		v.renamed = make(map[string]zipfile.Entry, z.Len())
		for e := range z.Entries() {
			v.renamed[nameInJVM(e)] = e // the last counts
		}
	}
	return v, nil
}

// nameInJVM is the name by which a JVM knows an entry.
func nameInJVM(e zipfile.Entry) string {
	if raw := e.RawName(); utf8.ValidString(raw) {
		return raw
	}
	return e.Name()
}

// entry finds an entry by the name by which a JVM knows it.
func (v *View) entry(name string) (zipfile.Entry, bool) {
	if v.renamed == nil {
		return v.z.Lookup(name)
	}
	e, ok := v.renamed[name]
	return e, ok
}

// versioned splits the name of a file META-INF/versions/N/base. N has no leading zeros, and at most
// nine digits.
func versioned(name string) (n int, base string, ok bool) {
	rest, ok := strings.CutPrefix(name, versionsDir)
	if !ok {
		return 0, "", false
	}
	digits, base, ok := strings.Cut(rest, "/")
	if !ok || base == "" || strings.HasSuffix(base, "/") || len(digits) == 0 || len(digits) > 9 || digits[0] == '0' {
		return 0, "", false
	}
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0, "", false
		}
		n = n*10 + int(c-'0')
	}
	return n, base, true
}

// Release returns the release that the view was made for, 0 for the newest.
func (v *View) Release() int {
	if v.release == newestRelease {
		return 0
	}
	return v.release
}

// MultiRelease reports whether the archive is a multi-release one, see [Manifest.MultiRelease].
func (v *View) MultiRelease() bool { return v.multi }

// Releases returns the releases that META-INF/versions has files for, ascending, be the archive a
// multi-release one or not. What is below 9 has no meaning by the specification.
func (v *View) Releases() []int { return slices.Clone(v.releases) }

// Lookup returns the entry that a name stands for, as JarFile.getEntry does: that of the highest
// release, else the entry of the name itself, which may also be one in META-INF/versions. Unlike
// JarFile it finds directories by their names with the slash only.
func (v *View) Lookup(name string) (zipfile.Entry, bool) {
	if e, n := v.find(name, v.release); n > 0 {
		return e, true
	}
	return v.entry(name)
}

// NameOf returns the name for which Lookup gives an entry of the archive: of one in META-INF/versions that
// stands for another name that name, else its own.
func (v *View) NameOf(e zipfile.Entry) string {
	name := nameInJVM(e)
	if !v.multi {
		return name
	}
	if _, base, ok := versioned(name); ok {
		if seen, n := v.find(base, v.release); n > 0 && seen == e {
			return base
		}
	}
	return name
}

// find returns the entry of the highest release up to some for a name, and that release; 0 if there
// is none.
func (v *View) find(name string, up int) (e zipfile.Entry, release int) {
	if !v.multi || v.release <= baseRelease || name == "" || strings.HasSuffix(name, "/") || strings.HasPrefix(name, metaDir) {
		return e, 0
	}
	for i := len(v.releases) - 1; i >= 0 && v.releases[i] >= baseRelease; i-- {
		if n := v.releases[i]; n <= up {
			if e, ok := v.entry(versionsDir + strconv.Itoa(n) + "/" + name); ok {
				return e, n
			}
		}
	}
	return e, 0
}

// Version is one of the entries that a name can stand for.
type Version struct {
	Release int // from which on it does; 0: the entry of the name itself
	Entry   zipfile.Entry
}

// Versions returns all entries that a name can stand for in a JVM of whatever release, ascending; of an
// archive that is no multi-release one at most that of the name itself.
func (v *View) Versions(name string) []Version {
	var list []Version
	if e, ok := v.entry(name); ok {
		list = append(list, Version{0, e})
	}
	if !v.multi || strings.HasPrefix(name, metaDir) || strings.HasSuffix(name, "/") || name == "" {
		return list
	}
	for _, n := range v.releases {
		if n < baseRelease {
			continue
		}
		if e, ok := v.entry(versionsDir + strconv.Itoa(n) + "/" + name); ok {
			list = append(list, Version{n, e})
		}
	}
	return list
}

// Entries returns names and the entries that they stand for, as JarFile.versionedStream does: of a
// multi-release archive each name once, in the order of the directory in which it or a version of it
// comes first, and no names in META-INF/versions; of others all entries.
func (v *View) Entries() iter.Seq2[string, zipfile.Entry] {
	return func(yield func(string, zipfile.Entry) bool) {
		if !v.multi {
			for e := range v.z.Entries() {
				if !yield(nameInJVM(e), e) {
					return
				}
			}
			return
		}
		seen := make(map[string]bool, v.z.Len())
		for e := range v.z.Entries() {
			name := nameInJVM(e)
			if strings.HasPrefix(name, versionsDir) {
				n, base, ok := versioned(name)
				if !ok || n > v.release {
					continue
				}
				name = base
			}
			if seen[name] {
				continue
			}
			seen[name] = true
			if e, ok := v.Lookup(name); ok && !yield(name, e) {
				return
			}
		}
	}
}

package jar

import (
	"io/fs"
	"maps"
	"slices"
	"strings"

	"zipcat.dev/zipfile"
)

const (
	indexName    = metaDir + "INDEX.LIST"
	indexVersion = "JarIndex-Version: "
)

// Kinds of findings about an index.
const (
	kindIndexMissing  = "index-missing"
	kindIndexUnlisted = "index-unlisted"
	kindIndexItself   = "index-itself"
)

// ErrNoIndex is the error for an archive without an index; errors.Is finds fs.ErrNotExist in it.
var ErrNoIndex error = &noIndex{}

type noIndex struct{}

func (*noIndex) Error() string { return "no " + indexName }
func (*noIndex) Unwrap() error { return fs.ErrNotExist }

// Index is META-INF/INDEX.LIST: which packages are in which archive of a class path (JAR File Specification
// up to Java SE 21, "JAR Index"). JVMs before 18 do not look into archives for what it does not list, later
// ones ignore it (JDK-8273401, JDK-8302819). It is the caller's to change.
type Index struct {
	Version  string // as 1.0
	Jars     []IndexedJar
	Findings []Finding // of [ReadIndex] and of [ParseIndex], which finds encoding only
}

// IndexedJar is a section of an index.
type IndexedJar struct {
	Name  string // path of the archive, relative to that of the index, as lib/x.jar
	Line  int    // from 1
	Names []IndexedName
}

// IndexedName is a line of a section: a package, or a file in the root, as com/example or about.html.
type IndexedName struct {
	Name string
	Line int // from 1
}

// ParseIndex parses an index. Like OpenJDK it takes a line that ends in .jar for the first of a section, and
// does not ask for blank lines between them. The error is a [*LineError].
func ParseIndex(b []byte) (*Index, error) {
	x := new(Index)
	if _, valid := decode(string(b)); !valid {
		x.Findings = append(x.Findings, Finding{Kind: kindEncoding, Text: "not UTF-8"})
	}
	for line, text := range textLines(b) {
		switch version, ok := strings.CutPrefix(text, indexVersion); {
		case line == 1 && ok && isIndexVersion(version):
			x.Version = version
		case line == 1:
			return nil, &LineError{line, shown(text) + " where JarIndex-Version and a number should stand"}
		case text == "":
		case strings.HasSuffix(text, ".jar"):
			x.Jars = append(x.Jars, IndexedJar{Name: text, Line: line})
		case len(x.Jars) == 0:
			return nil, &LineError{line, shown(text) + " before the first .jar"}
		default:
			j := &x.Jars[len(x.Jars)-1]
			j.Names = append(j.Names, IndexedName{text, line})
		}
	}
	if x.Version == "" {
		return nil, &LineError{1, "empty, JarIndex-Version and a number should stand there"}
	}
	return x, nil
}

// isIndexVersion reports numbers with dots between them.
func isIndexVersion(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return true
}

// ReadIndex reads the index of an archive and compares what it says of the archive with what is there. The
// section of the archive is that of the name of its file, a path; without a name, the first. Findings, with
// lines of the index, are of the kinds
//
//   - index-missing: a package or file is listed for the archive that it does not have;
//   - index-unlisted: the archive has files in a package that is not listed for it;
//   - index-itself: no section is for the archive;
//   - encoding: the index is not UTF-8.
//
// The error is [ErrNoIndex], which is an fs.ErrNotExist, where there is none; a [*zipfile.FormatError] where it
// cannot be parsed, which wraps a [*LineError], or is larger than 16,000,000 bytes, which wraps
// [zipfile.ErrLimit]; or that of [zipfile.Entry.ReadAll]. It may be called from several goroutines at once.
func ReadIndex(z *zipfile.ZipFile, file string) (*Index, error) {
	e, ok := z.Lookup(indexName)
	if !ok {
		return nil, ErrNoIndex
	}
	b, err := readMeta(e, "index")
	if err != nil {
		return nil, err
	}
	x, err := ParseIndex(b)
	if err != nil {
		return nil, inEntry(e.Name(), err)
	}
	x.compare(z, file[strings.LastIndexAny(file, `/\`)+1:])
	return x, nil
}

// compare finds what differs between the index and its archive, of which base is the file's name.
func (x *Index) compare(z *zipfile.ZipFile, base string) {
	var own []IndexedName
	sections := 0
	for _, j := range x.Jars { // several of one name are one
		if sections == 0 && base == "" || base != "" && j.Name[strings.LastIndexByte(j.Name, '/')+1:] == base {
			own = append(own, j.Names...)
			sections++
		}
	}
	var found findings
	if sections == 0 {
		found.add(kindIndexItself, 0, "no section is for %s", quoted(base))
		x.Findings = append(x.Findings, found.all()...)
		return
	}
	listed := make(map[string]bool, len(own))
	for _, n := range own {
		listed[n.Name] = true
	}
	names := make([]string, 0, z.Len())
	seen := make(map[string]bool) // directories that are not listed
	for e := range z.Entries() {
		name := e.Name()
		names = append(names, name)
		i := strings.LastIndexByte(name, '/')
		if i <= 0 || i == len(name)-1 || listed[name[:i]] || seen[name[:i]] || strings.HasPrefix(name, metaDir) {
			continue // JVMs look into META-INF without an index
		}
		seen[name[:i]] = true
	}
	slices.Sort(names)
	for _, n := range own {
		if !holds(names, n.Name) {
			found.add(kindIndexMissing, n.Line, "%s is listed, and not in the archive", shown(n.Name))
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(seen)) {
		found.add(kindIndexUnlisted, 0, "%s is in the archive, and not listed", shown(dir))
	}
	x.Findings = append(x.Findings, found.all()...)
}

// holds reports whether a sorted list of names has one, or names in a directory of that name.
func holds(names []string, name string) bool {
	if _, ok := slices.BinarySearch(names, name); ok {
		return true
	}
	i, _ := slices.BinarySearch(names, name+"/")
	return i < len(names) && strings.HasPrefix(names[i], name+"/")
}

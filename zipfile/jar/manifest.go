package jar

import (
	"fmt"
	"iter"
	"slices"

	"zipcat.dev/zipfile"
)

const manifestName = "META-INF/MANIFEST.MF"

// maxManifest is the largest manifest that is read, in bytes: what the JDK takes unless the
// property jdk.jar.maxSignatureFileSize says otherwise (JDK-8312489).
const maxManifest = 16_000_000

// Manifest is what a manifest says (JAR File Specification, "JAR Manifest"). It does not change;
// everything may be called from several goroutines at once.
type Manifest struct {
	Main Attributes // of the main section

	raw      string
	main     Part
	sections []Section
	byName   map[string]int // places in sections
	findings []Finding

	multiRelease bool
	unterminated bool
}

// Section is an individual section: the attributes of one entry of the archive, or of one package.
// Sections of the same name are one, as in java.util.jar.Manifest, with what each of them says.
type Section struct {
	Name string
	Attributes
	part Part
	more []Part // of further sections of this name
}

// Part is a section as it stands in the manifest, which is what signatures digest (JAR File
// Specification, "Signature Validation"): from its first line through the blank line that ends it.
type Part struct {
	Offset int // in the manifest, bytes
	Length int // bytes, without the blank line
	Blank  int // bytes of the blank line: 0 if there is none, 1, 2 for CR LF
}

// Finding is something about a manifest, or about signatures (see [Verify] for their kinds), that is odd
// but accepted. Of a manifest its kind is one of:
//
//   - unterminated: the last line has no line end. The specification reads it, the JVM does not.
//   - duplicate-attribute: an attribute has two values in a section, or in two sections of the same
//     name; the last one is used.
//   - encoding: a value or the name of a section is not UTF-8.
//   - long-line: a line is so long that the JVM sees a blank line behind it, which ends the section.
//   - several-manifests: the archive has more than one manifest, and the last one is used. (The JVM
//     takes nothing in such an archive for signed.)
type Finding struct {
	Kind string
	Line int // of the manifest, from 1; 0 where the archive is meant
	Text string
}

// maxFindings of one kind are kept.
const maxFindings = 1000

// ManifestEntries returns the entries that hold a manifest: those named META-INF/MANIFEST.MF in
// any letter case and wherever they stand, in the order of the directory. As in java.util.jar.JarFile
// the last of them counts, and it is the name in the header that counts, its bytes as they are.
func ManifestEntries(z *zipfile.ZipFile) []zipfile.Entry {
	var list []zipfile.Entry
	for e := range z.Entries() {
		if equalFold(e.RawName(), manifestName) {
			list = append(list, e)
		}
	}
	return list
}

// ReadManifest reads the manifest of an archive. The error is [ErrNoManifest], which is an
// fs.ErrNotExist, where there is none; a [*zipfile.FormatError] where it is damaged, which wraps a
// [*ManifestError], or larger than 16,000,000 bytes, which the JVM does not read, and which wraps
// [zipfile.ErrLimit]; or that of [zipfile.Entry.ReadAll]. Where the fault lies behind the main
// section there is a manifest beside the error, see [ParseManifest].
func ReadManifest(z *zipfile.ZipFile) (*Manifest, error) {
	entries := ManifestEntries(z)
	if len(entries) == 0 {
		return nil, ErrNoManifest
	}
	e := entries[len(entries)-1]
	b, err := readMeta(e, "manifest")
	if err != nil {
		return nil, err
	}
	m, err := ParseManifest(b)
	if err != nil {
		err = &zipfile.FormatError{Offset: -1, Entry: e.Name(), Kind: "format", Err: err}
	}
	if n := len(entries); n > 1 && m != nil {
		m.findings = slices.Insert(m.findings, 0, Finding{Kind: kindSeveral,
			Text: fmt.Sprintf("%d manifests in the archive: the last in its directory is used", n)})
	}
	return m, err
}

// readMeta reads a manifest or a file of signatures, if it is not too large.
func readMeta(e zipfile.Entry, what string) ([]byte, error) {
	if e.Size() > maxManifest {
		return nil, &zipfile.FormatError{Offset: -1, Entry: e.Name(), Kind: "limit",
			Err: fmt.Errorf("%w: %s of %d bytes, at most %d are read", zipfile.ErrLimit, what, e.Size(), maxManifest)}
	}
	return e.ReadAll()
}

// Sections returns the individual sections in the order of their first lines.
func (m *Manifest) Sections() iter.Seq[Section] { return slices.Values(m.sections) }

// Section returns the section of a name, and whether there is one. Names are compared as they are.
func (m *Manifest) Section(name string) (Section, bool) {
	if i, ok := m.byName[name]; ok {
		return m.sections[i], true
	}
	return Section{}, false
}

// MainPart returns where the main section stands.
func (m *Manifest) MainPart() Part { return m.main }

// Parts returns where the section stands: once for each section of its name, in the order of the
// manifest.
func (s *Section) Parts() iter.Seq[Part] {
	return func(yield func(Part) bool) {
		if !yield(s.part) {
			return
		}
		slices.Values(s.more)(yield)
	}
}

// AppendRaw appends the bytes of a part to dst, its blank line included.
func (m *Manifest) AppendRaw(dst []byte, p Part) []byte {
	return append(dst, m.raw[p.Offset:p.Offset+p.Length+p.Blank]...)
}

// Size returns the size of the manifest in bytes.
func (m *Manifest) Size() int { return len(m.raw) }

// Unterminated reports whether the last line has no line end, which the JVM therefore drops; if it
// continues another line, that one too. The JDK finds no section to digest that ends so.
func (m *Manifest) Unterminated() bool { return m.unterminated }

// Findings tells what is odd about the manifest. Of one kind at most 1,000 are kept; the last of
// them says how many more there are.
func (m *Manifest) Findings() []Finding { return slices.Clone(m.findings) }

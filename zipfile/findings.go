package zipfile

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"
)

// Finding is something about an archive that is odd but accepted.
//
// Kind is one of: trailing-bytes, several-end-records, gap, prefix, entry-count (of the archive);
// zip64, recovered (of either); extra-field, duplicate-name, name, directory-data, unicode-path (of an
// entry's header in the directory); local-header, data-descriptor, trailing-data (of an entry,
// when it is read).
type Finding struct {
	Kind   string
	Entry  string // the entry's name, empty where the archive as a whole is meant
	Index  int    // of the entry in the directory, -1 for the archive
	Offset int64  // bytes from the start of the file, of what is odd
	Text   string // a sentence for people
}

// Kinds of findings. Those marked "read" join as entries are read.
const (
	kindTrailingBytes = "trailing-bytes"
	kindSeveralEnds   = "several-end-records"
	kindGap           = "gap"
	kindPrefix        = "prefix"
	kindEntryCount    = "entry-count"
	kindZip64         = "zip64"
	kindExtra         = "extra-field"
	kindLocal         = "local-header"
	kindDescriptor    = "data-descriptor"
	kindTrailingData  = "trailing-data"
	kindDuplicate     = "duplicate-name"
	kindName          = "name"
	kindDirData       = "directory-data"
	kindUnicodePath   = "unicode-path"
	kindRecovered     = "recovered"
)

// maxFindings of one kind are kept.
const maxFindings = 1000

// findings collects what is odd: about the archive when it is opened, about the directory at
// first demand, about an entry when it is read.
type findings struct {
	once sync.Once
	mu   sync.Mutex
	list []Finding
	seen map[string]int      // by kind, how many there were
	read map[string][]uint64 // by kind, the set of entries for which reading has found it
}

// add is for while no other goroutine knows the archive, and for those who hold mu.
func (f *findings) add(n Finding) {
	if f.seen == nil {
		f.seen = make(map[string]int)
	}
	if f.seen[n.Kind]++; f.seen[n.Kind] <= maxFindings {
		f.list = append(f.list, n)
	}
}

// noteRead adds a finding about an entry that is being read, once however often it is read.
func (z *ZipFile) noteRead(kind string, i uint32, off int64, format string, args ...any) {
	f := &z.findings
	f.mu.Lock()
	defer f.mu.Unlock()
	set := f.read[kind]
	if set == nil {
		set = make([]uint64, (len(z.pos)+63)/64)
		if f.read == nil {
			f.read = make(map[string][]uint64)
		}
		f.read[kind] = set
	}
	if set[i/64]>>(i%64)&1 != 0 {
		return
	}
	set[i/64] |= 1 << (i % 64)
	f.add(Finding{Kind: kind, Entry: z.At(int(i)).Name(), Index: int(i), Offset: off, Text: fmt.Sprintf(format, args...)})
}

// Findings tells what is odd about the archive but accepted: where it lies in its file, its
// directory (computed at the first call), and the entries read so far. The archive's come
// first, then those of entries in the order of the directory. Of one kind at most 1,000 are
// kept; the last of them says how many more there are.
func (z *ZipFile) Findings() []Finding {
	f := &z.findings
	f.once.Do(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		z.checkDirectory(func(n Finding, _ bool) error { f.add(n); return nil })
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	out := slices.Clone(f.list)
	slices.SortStableFunc(out, func(a, b Finding) int { return cmp.Compare(a.Index, b.Index) })
	last := make(map[string]int)
	for i, n := range out {
		last[n.Kind] = i
	}
	for kind, i := range last {
		if more := f.seen[kind] - maxFindings; more > 0 {
			out[i].Text += fmt.Sprintf(" (and %d more of this kind)", more)
		}
	}
	return out
}

// checkDirectory calls note for everything odd that the directory alone shows. harmless
// findings leave no doubt about the contents and are accepted in Strict too. An error of note
// ends the check.
func (z *ZipFile) checkDirectory(note func(f Finding, harmless bool) error) error {
	z.index.once.Do(z.buildIndex)
	for i, pos := range z.pos {
		name, extra := z.nameAndExtra(int(pos))
		if len(extra) == 0 && !z.index.shadowed(uint32(i)) && (z.index.clean || shapeOf(name) == clean) && !z.mayHaveDirectoryData(int(pos), name) {
			continue // nothing below applies
		}
		r := z.recordAt(int(pos))
		name = z.entryName(&r)
		report := func(kind string, harmless bool, text string) error {
			return note(Finding{Kind: kind, Entry: name, Index: i, Offset: z.headerOffset(&r), Text: text}, harmless)
		}
		if err := z.checkHeader(uint32(i), &r, name, report); err != nil {
			return err
		}
	}
	return nil
}

// mayHaveDirectoryData is a quick look at what hasDirectoryData and isDir say together.
func (z *ZipFile) mayHaveDirectoryData(pos int, name string) bool {
	size, csize := le32(z.dir, pos+cenSize), le32(z.dir, pos+cenCompSize)
	return size == 0 && csize != 0 || size != 0 && name[len(name)-1] == '/'
}

func (z *ZipFile) checkHeader(i uint32, r *record, name string, report func(kind string, harmless bool, text string) error) error {
	// Names that mean a different file to different programs, or none: zip slip (CVE-2018-1000544
	// and its kin), terminal escapes, NUL truncation (ZipDiff, classes B2 and B3).
	fault := r.pathFault(name)
	if _, ok := r.unicodePath(); fault == "" && !ok && !utf8.ValidString(r.name) {
		fault = "not UTF-8, read by the charset"
	}
	if fault != "" {
		if err := report(kindName, false, fault); err != nil {
			return err
		}
	}
	if u, ok := r.unicodePath(); ok && u != r.name {
		// Honouring the block is what makes readers differ (ZipDiff, class A3).
		if err := report(kindUnicodePath, false, fmt.Sprintf("the Unicode Path field is used, the header says %s", printable(r.name))); err != nil {
			return err
		}
	}
	if z.index.shadowed(i) {
		last := z.index.find(z, name)
		other := z.recordAt(int(z.pos[last]))
		// dozens of real jars hold a name twice (junit-framework#761, temurin-build#1938)
		if err := report(kindDuplicate, other.header == r.header && r.invalid == nil, fmt.Sprintf("the name stands again at index %d, which is used", last)); err != nil {
			return err
		}
	}
	if off := walkExtra(r.extra, func(uint16, string) bool { return true }); off >= 0 {
		// BND, GlassFish and 0xCAFE padding write such fields (JDK-8313765).
		if err := report(kindExtra, false, fmt.Sprintf("extra field overruns at byte %d of %d", off, len(r.extra))); err != nil {
			return err
		}
	}
	if text := z.zip64Oddity(r); text != "" {
		if err := report(kindZip64, false, text); err != nil {
			return err
		}
	}
	if r.isDir(z) && r.hasDirectoryData() {
		// some tools give directories the size of a disk block (yauzl#53)
		return report(kindDirData, true, r.dirDataText())
	}
	return nil
}

package main

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"zipcat.dev/zipfile"
)

// holding is an entry of an archive, for find --dup.
type holding struct {
	container string // the archive
	name      string // of the entry
	below     string // its name below the root of a class path
	size      int64
	crc       uint32
	unknown   bool // what the contents are cannot be told from size and CRC
}

// findDuplicates lists names that stand in more than one archive.
func (a *app) findDuplicates(f *finder, names []string) {
	var all []holding // in the order of the search
	f.visit = f.collect
	f.each = func(s *searched) {
		all = append(all, s.holds...)
		s.holds = nil
	}
	f.run(names)
	slices.SortStableFunc(all, func(x, y holding) int { return strings.Compare(x.below, y.below) })
	any := false
	for len(all) > 0 {
		name, n := all[0].below, 1
		for n < len(all) && all[n].below == name {
			n++
		}
		list := all[:n]
		all = all[n:]
		if n := countContainers(list); n > 1 {
			any = true
			if f.json {
				a.printJSON(duplicateOf(name, list))
			} else {
				a.duplicate(name, n, list)
			}
		}
		if a.out.failed() {
			return
		}
	}
	if any {
		a.exit = outcome{} // what else went wrong was said
		return
	}
	a.say.noDuplicates(f.pattern)
	a.exit.note(exitNoMatch)
}

// collect notes the entries of an archive that the pattern chooses.
func (f *finder) collect(s *searched, ar *archive, _ int) {
	f.choose(ar, func(e zipfile.Entry) bool {
		if !e.IsDir() {
			h := holding{container: ar.name, name: strings.Clone(e.Name()), size: e.Size(), crc: e.CRC32(), unknown: !crcTells(e)}
			_, h.below, _ = classPath(h.name)
			// Every jar has one of its own.
			if path.Base(h.below) != "module-info.class" && !strings.EqualFold(h.below, "META-INF/MANIFEST.MF") {
				s.holds = append(s.holds, h)
			}
		}
		return !s.over()
	})
}

// crcTells reports whether size and CRC-32 of an entry stand for its contents. AE-2 has no CRC.
func crcTells(e zipfile.Entry) bool { return !e.Encrypted() || e.CRC32() != 0 }

// countContainers counts archives. One may have been named twice.
func countContainers(list []holding) int {
	if len(list) == 1 {
		return 1
	}
	seen := make(map[string]bool)
	for _, h := range list {
		seen[h.container] = true
	}
	return len(seen)
}

func (a *app) duplicate(name string, n int, list []holding) {
	contents := compareHoldings(list)
	if contents == notCompared {
		contents = "contents " + contents
	} else {
		contents += " contents"
	}
	fmt.Fprintf(a.out, "%s: in %d archives, %s\n", printable(name), n, contents)
	for _, h := range list {
		a.out.WriteString("  ")
		a.out.WriteString(printable(h.container + innerSep + h.name))
		a.out.WriteByte('\n')
	}
}

// duplicated is a line of find --dup --json.
type duplicated struct {
	Name     string      `json:"name"` // below the root of a class path
	Contents string      `json:"contents"`
	Entries  []heldEntry `json:"entries"`
}

type heldEntry struct {
	Archive string `json:"archive"`
	Name    string `json:"name"`
}

func duplicateOf(name string, list []holding) *duplicated {
	d := &duplicated{Name: name, Contents: compareHoldings(list)}
	for _, h := range list {
		d.Entries = append(d.Entries, heldEntry{h.container, h.name})
	}
	return d
}

// notCompared stands for contents of which size and CRC-32 do not tell.
const notCompared = "not compared"

// compareHoldings tells whether all archives hold the same, for each release.
func compareHoldings(list []holding) string {
	type content struct {
		release string
		size    int64
		crc     uint32
	}
	var first, these []content
	for i := 0; i < len(list); {
		these = nil
		container := list[i].container
		for ; i < len(list) && list[i].container == container; i++ {
			if list[i].unknown {
				return notCompared
			}
			_, _, release := classPath(list[i].name)
			these = append(these, content{release, list[i].size, list[i].crc})
		}
		slices.SortFunc(these, func(a, b content) int {
			return cmp.Or(cmp.Compare(a.release, b.release), cmp.Compare(a.size, b.size), cmp.Compare(a.crc, b.crc))
		})
		if first == nil {
			first = these
		}
		if !slices.Equal(first, these) {
			return "different"
		}
	}
	return "same"
}

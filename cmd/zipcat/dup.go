package main

import (
	"cmp"
	"fmt"
	"maps"
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
	release   string
	size      int64
	crc       uint32
	unknown   bool // what the contents are cannot be told from size and CRC
}

// findDuplicates lists names that stand in more than one archive.
func (a *app) findDuplicates(f *finder, names []string) {
	holders := make(map[string][]holding)
	f.visit = f.collect
	f.after = func(s *searched) {
		for _, h := range s.holds {
			holders[h.below] = append(holders[h.below], h)
		}
	}
	f.run(names)
	any := false
	for _, name := range slices.Sorted(maps.Keys(holders)) {
		list := holders[name]
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
			h := holding{container: ar.name, name: strings.Clone(e.Name()), size: e.Size(), crc: e.CRC32(), unknown: !comparable(e)}
			_, h.below, h.release = classPath(h.name)
			// Every jar has one of its own.
			if path.Base(h.below) != "module-info.class" && !strings.EqualFold(h.below, "META-INF/MANIFEST.MF") {
				s.holds = append(s.holds, h)
			}
		}
		return !s.over()
	})
}

// comparable reports whether size and CRC-32 of an entry stand for its contents. AE-2 has no CRC.
func comparable(e zipfile.Entry) bool { return !e.Encrypted() || e.CRC32() != 0 }

// countContainers counts archives; what one holds stands together.
func countContainers(list []holding) int {
	n := 0
	for i := range list {
		if i == 0 || list[i].container != list[i-1].container {
			n++
		}
	}
	return n
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
			these = append(these, content{list[i].release, list[i].size, list[i].crc})
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

package jar

import (
	"cmp"
	"slices"
)

// outside tells which bytes belong to no entry.
func (v *verifier) outside() {
	for _, f := range v.z.Findings() {
		if f.Index < 0 && (f.Kind == "prefix" || f.Kind == "trailing-bytes" || f.Kind == "gap" || f.Kind == "several-end-records") {
			v.found.add(kindOutside, 0, "%s", f.Text)
		}
	}
	if n := len(v.z.Comment()); n > 0 {
		v.found.add(kindOutside, 0, "comment of the archive, %d bytes", n)
	}
	type span struct{ start, end int64 }
	var spans []span
	for e := range v.z.Entries() {
		data, err := e.DataOffset()
		if err != nil {
			continue
		}
		s := span{e.HeaderOffset(), data + e.CompressedSize()}
		if e.Flags()&flagDescriptor != 0 {
			s.end += maxDescriptor
		}
		spans = append(spans, s)
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	end := v.z.Prefix()
	gap := func(next int64) {
		if next > end {
			v.found.add(kindOutside, 0, "%d bytes between entries, at byte %d", next-end, end)
		}
	}
	for _, s := range spans {
		gap(s.start)
		end = max(end, s.end)
	}
	if v.z.Len() > 0 {
		gap(v.z.Structure().Directory)
	}
}

const (
	flagDescriptor = 1 << 3 // general purpose bit (APPNOTE 4.4.4)

	// maxDescriptor is the size in bytes of the largest data descriptor (APPNOTE 4.3.9). Descriptors
	// are not read: up to 12 bytes behind a smaller one go unnoticed.
	maxDescriptor = 24
)

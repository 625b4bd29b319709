package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
)

func (a *app) diff() *cobra.Command {
	d := differ{app: a}
	cmd := &cobra.Command{
		Use:   "diff ARCHIVE ARCHIVE",
		Short: "Compare the contents of two archives",
		Long: `Compare two archives, A and B, entry by entry, and print a line for each that
differs, in the order of the names:

  + NAME        only in B
  - NAME        only in A
  ~ NAME (...)  different contents, or a link in one of them only
  * NAME (...)  with --metadata: same contents, something else differs

How the contents are compressed does not matter. They are compared by the sizes
and CRC-32 that the directories declare, nothing is read; with --verify, and where
encryption leaves no CRC, byte by byte. Archives in them that differ are
opened and compared in the same way: lib/x.jar!/a/B.class. Of several entries of
one name the last counts. Directories differ where one archive has nothing there.

The exit code is 0 when the contents are the same, 1 when they differ or an entry
cannot be read, 3 when an archive cannot be opened. With --quiet nothing is
printed and the first difference ends the comparison.`,
		Example: `  zipcat diff app-1.0.jar app-1.1.jar
  zipcat diff --verify --metadata built.jar rebuilt.jar
  zipcat diff 'old.war!/WEB-INF/lib/x.jar' x.jar
  zipcat diff --json a.jar b.jar | jq -r 'select(.change == "added").name'`,
		Args: needs("ARCHIVE", "second ARCHIVE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if d.depth < 0 {
				return negative(d.depth, "depth")
			}
			if len(args) > 2 {
				return fmt.Errorf("unexpected argument %q: two archives are compared", args[2])
			}
			old := a.open(args[0])
			if old != nil {
				defer old.Close()
			}
			// Both are opened, so that it is told about both.
			if new := a.open(args[1]); new != nil {
				defer new.Close()
				if old != nil {
					d.archives("", old, new, 0)
				}
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&d.verify, "verify", false, "read and compare all contents")
	flags.BoolVar(&d.metadata, "metadata", false, "compare times, modes, methods and comments of entries and their order too")
	flags.BoolVar(&d.json, "json", false, "print one JSON object a line")
	flags.IntVar(&d.depth, "depth", maxNesting, "go `n` archives deep, 0 for none within others")
	return cmd
}

// differ is one run of diff.
type differ struct {
	*app
	verify, metadata, json bool
	depth                  int
	differs                bool
	opened                 int       // inner archives
	bufs                   [2][]byte // for contents
}

// change is what is different about a name: one of the words of --json.
type change string

const (
	added           change = "added"
	removed         change = "removed"
	changed         change = "changed"
	metadataChanged change = "metadata"
	orderChanged    change = "order"
)

// over reports whether no further difference matters.
func (d *differ) over() bool { return d.out.failed() || d.differs && d.flags.quiet }

// archives compares two archives. In front of names comes the path of the inner ones.
func (d *differ) archives(front string, old, new *archive, depth int) {
	in, out := entriesByName(old), entriesByName(new)
	for i, j := 0, 0; (i < len(in) || j < len(out)) && !d.over(); {
		c := 0
		switch {
		case i == len(in):
			c = 1
		case j == len(out):
			c = -1
		default:
			c = cmp.Compare(old.title(in[i]), new.title(out[j]))
		}
		switch {
		case c < 0:
			if e := in[i]; !hasBelow(new, out, e, old.title(e)) {
				d.tell(removed, front+old.title(e), &e, nil, "")
			}
			i++
		case c > 0:
			if e := out[j]; !hasBelow(old, in, e, new.title(e)) {
				d.tell(added, front+new.title(e), nil, &e, "")
			}
			j++
		default:
			d.entries(front, pair{old, in[i]}, pair{new, out[j]}, depth)
			i++
			j++
		}
	}
	if d.metadata && !d.over() && !sameOrder(old, new, in, out) {
		d.tell(orderChanged, strings.TrimSuffix(front, innerSep), nil, nil, "order of entries")
	}
}

// pair is an entry and the archive that it is in.
type pair struct {
	ar *archive
	e  zipfile.Entry
}

// entriesByName returns the entries that count, sorted.
func entriesByName(ar *archive) []zipfile.Entry {
	sel := newSelector(ar, nil, true)
	list := make([]zipfile.Entry, 0, ar.Len())
	for e := range ar.seen() {
		if sel.meant(e) {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b zipfile.Entry) int { return strings.Compare(ar.title(a), ar.title(b)) })
	return list
}

// hasBelow reports a directory, e of some name, that an archive does not list but has something in.
func hasBelow(ar *archive, list []zipfile.Entry, e zipfile.Entry, name string) bool {
	if !e.IsDir() {
		return false
	}
	name = strings.TrimSuffix(name, "/") + "/"
	i, _ := slices.BinarySearchFunc(list, name, func(e zipfile.Entry, name string) int { return strings.Compare(ar.title(e), name) })
	return i < len(list) && strings.HasPrefix(ar.title(list[i]), name)
}

// sameOrder reports whether the names that both have stand in the same order.
func sameOrder(old, new *archive, in, out []zipfile.Entry) bool {
	return slices.Equal(commonNames(old, in, new, out), commonNames(new, out, old, in))
}

// commonNames returns the names of the entries of an archive that another has too, in the order of the
// directory. Both lists are sorted by name.
func commonNames(ar *archive, list []zipfile.Entry, other *archive, others []zipfile.Entry) []string {
	var common []zipfile.Entry
	for _, e := range list {
		if _, ok := slices.BinarySearchFunc(others, ar.title(e), func(o zipfile.Entry, name string) int { return strings.Compare(other.title(o), name) }); ok {
			common = append(common, e)
		}
	}
	slices.SortFunc(common, func(x, y zipfile.Entry) int { return cmp.Compare(x.Index(), y.Index()) })
	names := make([]string, len(common))
	for i, e := range common {
		names[i] = ar.title(e)
	}
	return names
}

// entries compares two entries of one name.
func (d *differ) entries(front string, old, new pair, depth int) {
	name := front + old.ar.title(old.e)
	if a, b := fileType(old.e), fileType(new.e); a != b {
		d.tell(changed, name, &old.e, &new.e, a+" -> "+b)
		return
	}
	if !old.e.IsDir() {
		same, ok := d.same(old, new)
		if !ok {
			return
		}
		if !same && !d.inside(name, old, new, depth) {
			d.tell(changed, name, &old.e, &new.e, contentsText(old.e, new.e))
			return
		}
	}
	if d.metadata && !d.over() {
		if text := metadataText(old.e, new.e); text != "" {
			d.tell(metadataChanged, name, &old.e, &new.e, text)
		}
	}
}

// same compares contents. It is not ok when they cannot be read, which it tells.
func (d *differ) same(old, new pair) (same, ok bool) {
	known := crcTells(old.e) && crcTells(new.e)
	if old.e.Size() != new.e.Size() || known && old.e.CRC32() != new.e.CRC32() {
		if d.verify {
			// That they differ is certain only of what is whole.
			return false, d.reads(old) && d.reads(new)
		}
		return false, true
	}
	if known && !d.verify {
		return true, true
	}
	return d.sameBytes(old, new)
}

// reads reports whether an entry can be read, and else tells.
func (d *differ) reads(p pair) bool {
	_, err := p.e.WriteTo(io.Discard)
	if err != nil {
		d.unreadable(p, err)
	}
	return err == nil
}

func (d *differ) unreadable(p pair, err error) {
	d.say.entry(p.ar.name, p.e.Name(), err)
	d.exit.note(entryExit(err))
}

// sameBytes compares contents byte by byte.
func (d *differ) sameBytes(old, new pair) (same, ok bool) {
	var in [2]io.ReadCloser
	for i, p := range []pair{old, new} {
		var err error
		if p.e.Size() <= wholeSize {
			d.bufs[i], err = p.e.AppendTo(d.bufs[i][:0])
		} else if in[i], err = p.e.Open(); err == nil {
			defer in[i].Close()
		}
		if err != nil {
			d.unreadable(p, err)
			return false, false
		}
	}
	if in[0] == nil {
		return bytes.Equal(d.bufs[0], d.bufs[1]), true
	}
	same = true
	for {
		ended := false
		for i, p := range []pair{old, new} {
			buf := slices.Grow(d.bufs[i][:0], wholeSize)[:wholeSize]
			n, err := io.ReadFull(in[i], buf)
			d.bufs[i] = buf[:n]
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				ended = true
			} else if err != nil {
				d.unreadable(p, err)
				return false, false
			}
		}
		// To the end, where it turns out whether they are whole.
		same = same && bytes.Equal(d.bufs[0], d.bufs[1])
		if ended {
			return same, true
		}
	}
}

// inside compares two archives that are entries. It is false when that cannot be done.
func (d *differ) inside(name string, old, new pair, depth int) bool {
	if depth >= d.depth || depth == maxNesting || !jar.ArchiveName(old.e.Name()) {
		return false
	}
	var in [2]*archive
	for i, p := range []pair{old, new} {
		ar, err := (*archive)(nil), errTooMany
		if d.opened++; d.opened <= maxInner {
			ar, err = d.enter(p.ar, p.e)
		}
		if err != nil {
			if !errors.Is(err, zipfile.ErrNoArchive) {
				d.say.archive(p.ar.name+innerSep+p.e.Name(), err)
			}
			return false
		}
		defer ar.ZipFile.Close() // the outer one is still compared
		in[i] = ar
	}
	d.archives(name+innerSep, in[0], in[1], depth+1)
	return true
}

// tell tells of a difference.
func (d *differ) tell(c change, name string, old, new *zipfile.Entry, text string) {
	d.differs = true
	d.exit.note(exitDiffers)
	switch {
	case d.flags.quiet:
	case d.json:
		d.printJSON(difference{Change: c, Name: name, Old: newDiffEntry(old), New: newDiffEntry(new)})
	default:
		d.out.WriteByte(map[change]byte{added: '+', removed: '-', changed: '~', metadataChanged: '*', orderChanged: '*'}[c])
		if name != "" {
			d.out.WriteByte(' ')
			d.out.WriteString(printable(name))
		}
		if text != "" {
			d.out.WriteString(" (" + text + ")")
		}
		d.out.WriteByte('\n')
	}
}

// fileType names the kinds of files that matter to what an entry is.
func fileType(e zipfile.Entry) string {
	switch {
	case e.IsDir():
		return "directory"
	case e.Mode()&fs.ModeSymlink != 0:
		return "link"
	case e.Mode()&fs.ModeType&^fs.ModeDir != 0:
		return "special file"
	}
	return "file"
}

func contentsText(old, new zipfile.Entry) string {
	switch {
	case old.Size() != new.Size():
		return fmt.Sprintf("size %d -> %d", old.Size(), new.Size())
	case crcTells(old) && crcTells(new) && old.CRC32() != new.CRC32():
		return fmt.Sprintf("size %d, CRC-32 %08x -> %08x", old.Size(), old.CRC32(), new.CRC32())
	}
	return fmt.Sprintf("size %d, other bytes", old.Size())
}

// metadataText tells what differs besides the contents, nothing if nothing does.
func metadataText(old, new zipfile.Entry) string {
	var list []string
	add := func(what, a, b string) {
		if a != b {
			list = append(list, what+" "+a+" -> "+b)
		}
	}
	const format = "2006-01-02T15:04:05.999999999Z07:00"
	if a, b := old.Modified(), new.Modified(); !sameTime(a, b) {
		add("time", timeText(a, format), timeText(b, format))
	}
	add("mode", modeString(old.Mode()), modeString(new.Mode()))
	add("method", old.Method().String(), new.Method().String())
	if old.Comment() != new.Comment() {
		list = append(list, "comment")
	}
	if old.Encrypted() != new.Encrypted() {
		list = append(list, "encryption")
	}
	return strings.Join(list, ", ")
}

// sameTime compares times as far as both are known: that of one tool has whole seconds, of another ten
// millionths.
func sameTime(a, b time.Time) bool {
	if a.Nanosecond() == 0 || b.Nanosecond() == 0 {
		a, b = a.Truncate(time.Second), b.Truncate(time.Second)
	}
	return a.Equal(b)
}

func timeText(t time.Time, format string) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.UTC().Format(format)
}

// difference is a line of diff --json.
type difference struct {
	Change change     `json:"change"`
	Name   string     `json:"name"`          // of the archive where its order is meant, "" for the outermost
	Old    *diffEntry `json:"old,omitempty"` // absent when added
	New    *diffEntry `json:"new,omitempty"` // absent when removed
}

type diffEntry struct {
	Size     int64  `json:"size"`
	CRC32    string `json:"crc32"`
	Method   string `json:"method"`
	Mode     string `json:"mode"`
	Modified string `json:"modified,omitempty"`
	Comment  string `json:"comment,omitempty"`
}

func newDiffEntry(e *zipfile.Entry) *diffEntry {
	if e == nil {
		return nil
	}
	return &diffEntry{Size: e.Size(), CRC32: fmt.Sprintf("%08x", e.CRC32()), Method: e.Method().String(), Mode: modeString(e.Mode()),
		Modified: jsonTime(e.Modified()), Comment: e.Comment()}
}

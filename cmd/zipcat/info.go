package main

import (
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
)

func (a *app) info() *cobra.Command {
	return &cobra.Command{
		Use:   "info ARCHIVE [NAME...]",
		Short: "Tell what an archive or an entry is made of",
		Long: `Tell what kind of archive a file is and how it is built: its size, what stands
before, in and behind it, methods, the largest entries, the backend in use and why,
and findings: what is odd but accepted. Of jars the manifest, the module and the
services are told, else no contents are read.

With a NAME, which may be a pattern, tell all there is about the entries that it
chooses: the fields of both headers side by side, extra fields, places.`,
		Example: `  zipcat info app.jar
  zipcat info app.jar META-INF/MANIFEST.MF`,
		Args: needs("ARCHIVE"),
		RunE: func(_ *cobra.Command, args []string) error {
			ar := a.open(args[0])
			if ar == nil {
				return nil
			}
			defer ar.Close()
			if len(args) == 1 {
				a.describe(ar)
				return nil
			}
			for _, e := range a.choose(ar, a.flags.patterns(args[1:])) {
				a.describeEntry(ar, e)
				if a.out.failed() {
					break
				}
			}
			return nil
		},
	}
}

// count adds up entries.
type count struct{ entries, size, compressed int64 }

func (c *count) add(e zipfile.Entry) {
	c.entries++
	c.size = saturated(c.size, e.Size())
	c.compressed = saturated(c.compressed, e.CompressedSize())
}

// saturated adds sizes, of which an archive may declare more than there is.
func saturated(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func (c *count) String() string {
	return fmt.Sprintf("%s, %d bytes from %d (%s)", plural(c.entries, "entry", "entries"), c.size, c.compressed, ratio(c.size, c.compressed))
}

// largestShown is how many of the largest entries are named.
const largestShown = 10

func (a *app) describe(ar *archive) {
	var all count
	var dirs, links, encrypted, nested int64
	methods := make(map[zipfile.Method]*count)
	for e := range ar.Entries() {
		all.add(e)
		m := methods[e.Method()]
		if m == nil {
			m = new(count)
			methods[e.Method()] = m
		}
		m.add(e)
		switch {
		case e.IsDir():
			dirs++
		case e.Mode()&fs.ModeSymlink != 0:
			links++
		case jar.ArchiveName(e.Name()):
			nested++
		}
		if e.Encrypted() {
			encrypted++
		}
	}
	line := func(label, format string, args ...any) {
		fmt.Fprintf(a.out, "%-12s %s\n", label, fmt.Sprintf(format, args...))
	}
	st := ar.Structure()
	line("archive", "%s", printable(archiveTitle(ar.name)))
	line("kind", "%s", kindOf(ar.ZipFile))
	a.describeJar(ar, line)
	line("size", "%s", plural(st.Size, "byte", "bytes"))
	if st.Parts > 1 {
		line("parts", "%d files", st.Parts)
	}
	if b := ar.Backend(); b.Reason != "" {
		line("backend", "%s: %s", b.Name, b.Reason)
	} else {
		line("backend", "%s", b.Name)
	}
	if ar.charset != "" {
		line("charset", "%s, guessed from all names", ar.charset)
	}
	if st.Prefix > 0 {
		line("prefix", "%s before the archive", plural(st.Prefix, "byte", "bytes"))
	}
	if block, err := jar.ReadAPKSigningBlock(ar, ar.ZipFile); err == nil {
		line("signing", "APK signing block, %s", plural(block.Size, "byte", "bytes"))
	}
	if st.Rebuilt {
		line("directory", "lost or damaged, rebuilt from the entries")
	} else {
		line("directory", "%s at offset %d", plural(st.DirectorySize, "byte", "bytes"), st.Directory)
		zip64 := ""
		if st.Zip64 {
			zip64 = ", with zip64 records"
		}
		line("end record", "at offset %d%s", st.End, zip64)
	}
	if st.Tail > 0 {
		line("tail", "%s behind the archive", plural(st.Tail, "byte", "bytes"))
	}
	if c := ar.Comment(); c != "" {
		for text := range strings.Lines(c) {
			line("comment", "%s", printable(strings.TrimRight(text, "\r\n")))
		}
	}
	line("contents", "%s", &all)
	for _, k := range []struct {
		label string
		n     int64
	}{{"directories", dirs}, {"links", links}, {"archives", nested}, {"encrypted", encrypted}} {
		if k.n > 0 {
			line(k.label, "%d", k.n)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(methods)) {
		line("method", "%s: %s", m, methods[m])
	}
	for _, e := range largest(ar.ZipFile) {
		line("large", "%d bytes from %d: %s", e.Size(), e.CompressedSize(), printable(e.Name()))
	}
	line("limits", "%s", a.limitsText())
	for _, f := range ar.Findings() {
		line("finding", "%s", findingText(f))
		if a.out.failed() {
			return
		}
	}
}

// largest returns the largest entries, if there are more than those.
func largest(z *zipfile.ZipFile) []zipfile.Entry {
	var top []zipfile.Entry // largest first
	if z.Len() <= largestShown {
		return nil
	}
	for e := range z.Entries() {
		if len(top) == largestShown && e.Size() <= top[len(top)-1].Size() || e.Size() == 0 {
			continue
		}
		i, _ := slices.BinarySearchFunc(top, e, func(x, e zipfile.Entry) int {
			if x.Size() >= e.Size() {
				return -1
			}
			return 1
		})
		top = slices.Insert(top, i, e)
		top = top[:min(len(top), largestShown)]
	}
	return top
}

func (a *app) limitsText() string {
	text := fmt.Sprintf("directory %d MiB", maxDirectory>>20)
	if n := a.flags.maxSize; n > 0 {
		text += fmt.Sprintf(", entry %d bytes", n)
	}
	if n := a.flags.maxRatio; n > 0 {
		text += fmt.Sprintf(", ratio %d", n)
	}
	return text
}

// kinds are formats built on zip, by an entry that each of their archives has, first come first.
var kinds = []struct{ entry, kind string }{
	{"AndroidManifest.xml", "Android package"},
	{"classes.jar", "Android library"},
	{"BundleConfig.pb", "Android app bundle"},
	{"META-INF/application.xml", "enterprise archive (ear)"},
	{"WEB-INF/", "web archive (war)"},
	{"BOOT-INF/", "Spring Boot jar"},
	{"[Content_Types].xml", "Office Open XML or NuGet package"},
	{"META-INF/container.xml", "EPUB"},
	{"META-INF/manifest.xml", "OpenDocument"},
	{"extension.vsixmanifest", "Visual Studio extension"},
	{"classes/module-info.class", "JDK module (jmod)"},
	{"META-INF/MANIFEST.MF", "jar"},
	{"manifest.json", "browser extension"},
}

// kindOf tells what an archive is, by the names in it.
func kindOf(z *zipfile.ZipFile) string {
	kind := "zip"
	for _, k := range kinds {
		if hasName(z, k.entry) {
			kind = k.kind
			break
		}
	}
	signed, versions, wheel := false, false, false
	for e := range z.Entries() {
		name := e.Name()
		dir, base := path.Split(name)
		switch {
		case strings.EqualFold(dir, "META-INF/") && strings.EqualFold(path.Ext(base), ".SF"):
			signed = true
		case strings.HasPrefix(name, "META-INF/versions/"):
			versions = true
		case base == "WHEEL" && strings.HasSuffix(dir, ".dist-info/"):
			wheel = true
		}
	}
	if wheel && kind == "zip" {
		kind = "Python wheel"
	}
	if signed {
		kind += ", signed"
	}
	if versions {
		if m, err := jar.ReadManifest(z); err == nil && m.MultiRelease() {
			kind += ", with classes for several Java releases"
		} else {
			kind += ", with META-INF/versions, which no JVM looks into: Multi-Release is not true"
		}
	}
	return kind
}

// hasName reports an entry, or with a slash at the end of the name one in that directory.
func hasName(z *zipfile.ZipFile, name string) bool {
	if _, ok := z.Lookup(name); ok || !strings.HasSuffix(name, "/") {
		return ok
	}
	st, err := fs.Stat(z.FS(), strings.TrimSuffix(name, "/"))
	return err == nil && st.IsDir()
}

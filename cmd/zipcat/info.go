package main

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
)

func (a *app) info() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info ARCHIVE [NAME...]",
		Short: "Tell what an archive or an entry is made of",
		Long: `Tell what kind of archive a file is and how it is built: its size, what stands
before, in and behind it, methods, the largest entries, the backend in use and why,
and findings: what is odd but accepted. Of jars the manifest, the module and the
services are told, else no contents are read.

With a NAME, which may be a pattern, tell all there is about the entries that it
chooses: the fields of both headers side by side, extra fields, places.`,
		Example: `  zipcat info app.jar
  zipcat info app.jar META-INF/MANIFEST.MF
  zipcat info --json app.jar`,
		Args: needs("ARCHIVE"),
		RunE: func(_ *cobra.Command, args []string) error {
			ar := a.open(args[0])
			if ar == nil {
				return nil
			}
			defer ar.Close()
			if len(args) == 1 {
				if facts := a.factsOf(ar); asJSON {
					a.printJSON(facts)
				} else {
					a.describe(facts)
				}
				return nil
			}
			findings := make(map[int][]foundFinding)
			for _, f := range ar.Findings() {
				findings[f.Index] = append(findings[f.Index], foundFindingOf(f))
			}
			for _, e := range a.choose(ar, a.flags.patterns(args[1:])) {
				if facts := a.factsOfEntry(ar, e, findings[e.Index()]); asJSON {
					a.printJSON(facts)
				} else {
					a.describeEntry(facts)
				}
				if a.out.failed() {
					break
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object, or one for each entry")
	return cmd
}

// count adds up entries.
type count struct {
	Entries    int64 `json:"entries"`
	Size       int64 `json:"size"`
	Compressed int64 `json:"compressed_size"`
}

func (c *count) add(e zipfile.Entry) {
	c.Entries++
	c.Size = saturated(c.Size, e.Size())
	c.Compressed = saturated(c.Compressed, e.CompressedSize())
}

func (c *count) String() string {
	return fmt.Sprintf("%s, %s from %d (%s)", plural(c.Entries, "entry", "entries"), plural(c.Size, "byte", "bytes"), c.Compressed, ratio(c.Size, c.Compressed))
}

// describe prints the facts in lines.
func (a *app) describe(f *archiveFacts) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(a.out, "%-12s %s\n", label, fmt.Sprintf(format, args...))
	}
	line("archive", "%s", printable(archiveTitle(f.Archive)))
	line("kind", "%s", f.Kind)
	f.Jar.describe(line)
	line("size", "%s", plural(f.Size, "byte", "bytes"))
	if f.Parts > 1 {
		line("parts", "%d files", f.Parts)
	}
	if f.BackendReason != "" {
		line("backend", "%s: %s", f.Backend, f.BackendReason)
	} else {
		line("backend", "%s", f.Backend)
	}
	if f.Charset != "" {
		line("charset", "%s, guessed from all names", f.Charset)
	}
	if f.Prefix > 0 {
		line("prefix", "%s before the archive", plural(f.Prefix, "byte", "bytes"))
	}
	if f.SigningBlock > 0 {
		line("signing", "APK signing block, %s", plural(f.SigningBlock, "byte", "bytes"))
	}
	if f.Rebuilt {
		line("directory", "lost or damaged, rebuilt from the entries")
	} else {
		line("directory", "%s at offset %d", plural(f.Directory.Size, "byte", "bytes"), f.Directory.Offset)
		zip64 := ""
		if f.Zip64 {
			zip64 = ", with zip64 records"
		}
		line("end record", "at offset %d%s", *f.EndRecord, zip64)
	}
	if f.Tail > 0 {
		line("tail", "%s behind the archive", plural(f.Tail, "byte", "bytes"))
	}
	for text := range strings.Lines(f.Comment) {
		line("comment", "%s", printable(strings.TrimRight(text, "\r\n")))
	}
	line("contents", "%s", &f.Contents)
	for _, k := range []struct {
		label string
		n     int64
	}{{"directories", f.Directories}, {"links", f.Links}, {"archives", f.Archives}, {"encrypted", f.Encrypted}} {
		if k.n > 0 {
			line(k.label, "%d", k.n)
		}
	}
	for _, m := range f.Methods {
		line("method", "%s: %s", m.Method, &m.count)
	}
	for _, e := range f.Largest {
		line("large", "%d bytes from %d: %s", e.Size, e.CompressedSize, printable(e.Name))
	}
	line("limits", "%s", f.Limits)
	for _, found := range f.Findings {
		line("finding", "%s", found)
		if a.out.failed() {
			return
		}
	}
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

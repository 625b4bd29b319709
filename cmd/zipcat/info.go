package main

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
)

func (a *app) info() *cobra.Command {
	return &cobra.Command{
		Use:   "info ARCHIVE [NAME...]",
		Short: "Tell what an archive or an entry is made of",
		Long: `Tell how an archive is built: its size, what stands before and in it, methods, the
backend in use and why, and findings: what is odd but accepted. No contents are
read.

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
	c.size += e.Size()
	c.compressed += e.CompressedSize()
}

func (c *count) String() string {
	return fmt.Sprintf("%s, %d bytes from %d (%s)", plural(c.entries, "entry", "entries"), c.size, c.compressed, ratio(c.size, c.compressed))
}

func (a *app) describe(ar *archive) {
	var all count
	var dirs, links, encrypted int64
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
		}
		if e.Encrypted() {
			encrypted++
		}
	}
	line := func(label, format string, args ...any) {
		fmt.Fprintf(a.out, "%-12s %s\n", label, fmt.Sprintf(format, args...))
	}
	line("archive", "%s", printable(archiveTitle(ar.name)))
	if ar.size >= 0 {
		line("size", "%s", plural(ar.size, "byte", "bytes"))
	}
	if b := ar.Backend(); b.Reason != "" {
		line("backend", "%s: %s", b.Name, b.Reason)
	} else {
		line("backend", "%s", b.Name)
	}
	if ar.charset != "" {
		line("charset", "%s, guessed from all names", ar.charset)
	}
	if ar.Prefix() > 0 {
		line("prefix", "%s before the archive", plural(ar.Prefix(), "byte", "bytes"))
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
	}{{"directories", dirs}, {"links", links}, {"encrypted", encrypted}} {
		if k.n > 0 {
			line(k.label, "%d", k.n)
		}
	}
	var used []zipfile.Method
	for m := range methods {
		used = append(used, m)
	}
	slices.Sort(used)
	for _, m := range used {
		line("method", "%s: %s", m, methods[m])
	}
	for _, f := range ar.Findings() {
		line("finding", "%s", findingText(f))
		if a.out.failed() {
			return
		}
	}
}

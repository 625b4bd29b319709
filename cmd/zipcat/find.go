package main

import (
	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
)

func (a *app) find() *cobra.Command {
	f := finder{search: search{whole: a}}
	f.visit = f.look
	var dup bool
	cmd := &cobra.Command{
		Use:   "find PATTERN ARCHIVE...",
		Short: "Find entries in archives, nested ones too",
		Long: `Find the entries that a pattern chooses, in archives and in the archives within
them, and print a line for each: the archive, the inner ones, the entry, with
!/ between them. Such a path without its last part is an ARCHIVE for all commands. Of
an ARCHIVE that is a directory all archives in it are searched: what has the name of
one (see zipcat help archive-names). Archives are searched in parallel; the lines are
in the order of the arguments.

A PATTERN that is the name of a Java class, com.example.Foo or
com.example.Foo$Bar, finds its file too: com/example/Foo.class, where a class
path has it, in BOOT-INF/classes/, WEB-INF/classes/ or the classes/ of a jmod,
and in META-INF/versions/N/ of these.

With --dup the names are listed that stand in more than one archive, as classes
do that hide one another on a class path, each with the archives that hold it,
in the order of the arguments, and whether the contents are the same: by size
and CRC-32. The directories above count as the root of a class path, versions as
the class that they are one of; module-info.class, META-INF/MANIFEST.MF and
directories are left out.

With --json each line is an object: archive, and what ls --json has; with --dup name,
contents (same, different or not compared) and entries.

The exit code is 0 when something was found, whatever else could not be read.`,
		Example: `  zipcat find com.example.Main lib/*.jar
  zipcat find '**/log4j*.xml' app.war
  zipcat find --first com/example/Main.class ~/.m2
  zipcat find --dup '**/*.class' lib/*.jar`,
		Args: needs("PATTERN", "ARCHIVE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if f.depth < 0 {
				return negative(f.depth, "depth")
			}
			f.pattern = a.flags.patterns(args[:1])[0]
			f.class = newClassName(f.pattern)
			if dup {
				a.findDuplicates(&f, args[1:])
				return nil
			}
			if found, _ := f.run(args[1:]); found {
				a.exit = outcome{} // what else went wrong was said
			} else {
				a.say.notFound(f.pattern)
				a.exit.note(exitNoMatch)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.depth, "depth", maxNesting, "go `n` archives deep, 0 for none within others")
	flags.BoolVar(&f.first, "first", false, "stop at the first entry that is found")
	flags.BoolVar(&f.json, "json", false, "print one JSON object a line")
	flags.BoolVar(&dup, "dup", false, "list names that stand in more than one archive")
	anyway(flags, "recursive", "r")
	cmd.MarkFlagsMutuallyExclusive("first", "dup")
	return cmd
}

// finder is one run of find.
type finder struct {
	search
	pattern *pattern
	class   *className // that the pattern may be too; or nil
	json    bool
}

// look prints the entries of an archive that the pattern chooses.
func (f *finder) look(s *searched, ar *archive, _ int) {
	f.choose(ar, func(e zipfile.Entry) bool {
		s.foundOne()
		if f.json {
			s.printJSON(foundEntry{ar.name, listed(ar.title(e), e, nil)})
		} else {
			s.out.WriteString(printable(ar.name + innerSep + ar.title(e)))
			s.out.WriteByte('\n')
		}
		return !s.over()
	})
}

// foundEntry is a line of find --json.
type foundEntry struct {
	Archive string `json:"archive"`
	*listedEntry
}

// choose yields the entries of an archive that the pattern chooses.
func (f *finder) choose(ar *archive, yield func(zipfile.Entry) bool) {
	sel := newSelector(ar, []*pattern{f.pattern}, true)
	for e := range sel.choose(f.pattern) {
		if !yield(e) {
			return
		}
	}
	if f.class == nil {
		return
	}
	for e := range ar.seen() {
		if f.class.matches(f.pattern.fold(ar.title(e))) && sel.meant(e) && !yield(e) {
			return
		}
	}
}

package main

import (
	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
)

func (a *app) cat() *cobra.Command {
	return &cobra.Command{
		Use:   "cat ARCHIVE PATTERN...",
		Short: "Print the contents of entries",
		Long: `Print the contents of entries to standard output, pattern by pattern; those that
one pattern chooses in the order of the archive's directory. Of several entries
of one name the last is meant.

Of an entry that fails nothing is printed if it is up to 1 MiB; of a larger one
some bytes may have been.`,
		Example: `  zipcat cat app.jar META-INF/MANIFEST.MF
  zipcat cat logs.zip '2024/**/*.log'`,
		Args: needs("ARCHIVE", "PATTERN"),
		RunE: func(_ *cobra.Command, args []string) error {
			ar := a.open(args[0])
			if ar == nil {
				return nil
			}
			defer ar.Close()
			patterns := a.flags.patterns(args[1:])
			sel := newSelector(ar.ZipFile, patterns, true)
			for _, p := range patterns {
				any := false
				for e := range sel.choose(p) {
					any = true
					a.print(ar, e)
					if a.out.failed() {
						return nil
					}
				}
				if !any {
					a.nothing(ar, p)
				}
			}
			return nil
		},
	}
}

func (a *app) print(ar *archive, e zipfile.Entry) {
	if _, err := e.WriteTo(a.out); err != nil && !a.out.failed() {
		a.say.entry(ar.name, e.Name(), err)
		a.exit.note(entryExit(err))
	}
}

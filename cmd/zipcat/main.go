// Zipcat lists, prints, tests and unpacks zip and jar archives.
//
// The command is the function run. Each subcommand stands in a file of its name; what they
// share is in flags.go (options), archive.go (opening), match.go (patterns), json.go,
// messages.go (everything that is said to a person) and exit.go (how it ends).
package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	ignoreBrokenPipe()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// app is one run of the command.
type app struct {
	stdin io.Reader
	out   *output
	say   messages
	flags commonFlags
	exit  outcome

	stdinUsed bool // standard input was read as an archive
}

// run is the whole command: it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, out: newOutput(stdout), say: messages{w: stderr}}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(stderr)
	if err := root.Execute(); err != nil {
		// Commands note what goes wrong with archives and entries themselves: an error that
		// comes up here is one of the command line.
		a.say.usage(err, root)
		a.exit.note(exitUsage)
	}
	if err := a.out.Flush(); err != nil {
		a.say.output(err)
		a.exit.note(exitOutput)
	}
	return a.exit.code()
}

func (a *app) root() *cobra.Command {
	cobra.MousetrapHelpText = ""
	root := &cobra.Command{
		Use:   "zipcat",
		Short: "List, print, test and unpack zip and jar archives",
		Long: `Zipcat lists, prints, tests and unpacks zip and jar archives.

An ARCHIVE is a path, or - for standard input. A PATTERN is the exact name of an
entry or else a glob over full names, in which * stays within a directory and **
crosses directories. Data goes to standard output, everything else to standard
error.`,
		Example: `  zipcat ls -l app.jar
  zipcat cat app.jar META-INF/MANIFEST.MF
  zipcat x -C out app.jar 'assets/**'
  zipcat test *.zip`,
		Args:              cobra.NoArgs,
		RunE:              func(*cobra.Command, []string) error { return errNoCommand },
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	a.flags.register(root.PersistentFlags())
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		a.say.quiet = a.flags.quiet
		return a.flags.check()
	}
	root.AddCommand(a.ls(), a.cat(), a.x(), a.test(), a.info(), exitCodes())
	return root
}

// Zipcat lists, prints, tests and unpacks zip and jar archives.
//
// The command is the function run. Each subcommand stands in a file of its name (find with dup.go and
// classname.go, grep with grepentry.go, grepmatch.go and linereader.go, info with facts.go, infojar.go and inspect.go, serve with
// its files and indexes). What they share:
//
//	archive.go, nested.go, url.go       opening, by paths into archives and by URLs
//	flags.go, match.go, release.go      options, patterns, multi-release jars
//	batch.go, heavy.go                  entries decoded together, or by themselves as they take much memory
//	search.go, walk.go, turn.go         many archives; work in parallel, output in order
//	messages.go, habits.go, format.go   what is said to a person, and names, sizes and times in it
//	json.go, output.go                  what programs read
//	terminal.go, password.go, progress.go, color.go, tree.go   what people see
//	complete.go, topics.go, man.go      what shells offer, help
//	signals*.go, pipe_*.go, collect.go  signals and pipes by system, memory
//	exit.go                             how it ends
package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile/jar"
)

func main() {
	collectLess()
	ignoreBrokenPipe()
	cobra.MousetrapHelpText = ""
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// app is one run of the command.
type app struct {
	stdin io.Reader
	out   *output
	shown bool // the output goes to a terminal
	color bool // and is to have colours
	say   messages
	flags commonFlags
	exit  outcome

	// Of the whole run: turns have none.
	tty          terminal
	asking       sync.Mutex // for a password; guards the next field and what askers know
	lastPassword string     // that opened an entry, when it was asked for

	// Each turn has its own.
	nears     int         // patterns for which a hint was looked for, see maxNear
	stdinUsed bool        // standard input was read as an archive
	budget    *jar.Budget // for inner archives that are unpacked to look into them; nil before the first

	part *turn // that this is the app of; nil for the whole
}

// run is the whole command: it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, out: newOutput(stdout), shown: isTerminal(stdout), color: wantsColor(stdout), say: messages{w: stderr}}
	a.say.before = func() { a.out.Flush() } // lines come in their order where both outputs are one
	root := a.root(args)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		a.completeAll(root)
	}
	root.SetArgs(args)
	root.SetErr(stderr)
	if cmd, err := root.ExecuteC(); err != nil {
		// Commands note what goes wrong with archives and entries themselves: an error that
		// comes up here is one of the command line.
		a.say.usage(err, cmd)
		a.exit.note(exitUsage)
	}
	if err := a.out.Flush(); err != nil {
		a.say.output(err)
		a.exit.note(exitOutput)
	}
	return a.exit.code()
}

// refuseOtherShells has the command for completions, which is made when the output is known, refuse the names
// of other shells.
func refuseOtherShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args, cmd.RunE = cobra.ArbitraryArgs, func(cmd *cobra.Command, args []string) error {
				if len(args) > 0 {
					return fmt.Errorf("no completion for %q, only for bash, zsh, fish and powershell", args[0])
				}
				return cmd.Help()
			}
		}
	}
}

// version is that of the module, with what else the build noted.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := cmp.Or(info.Main.Version, "(devel)")
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && !strings.Contains(v, s.Value[:min(12, len(s.Value))]) {
			v += " " + s.Value
		}
	}
	return v + " " + info.GoVersion
}

// needs demands that a command has its arguments, which words name as its help does.
func needs(words ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < len(words) {
			return fmt.Errorf("%s is missing", words[len(args)])
		}
		return nil
	}
}

// commands are all commands and help topics, or (alone) the one that the arguments begin with: with their flags
// the others would cost a tenth of the time that a start takes.
func (a *app) commands(args []string) (list []*cobra.Command, alone bool) {
	all := []struct {
		name string
		make func() *cobra.Command
	}{
		{"ls", a.ls}, {"cat", a.cat}, {"x", a.x}, {"test", a.test}, {"info", a.info}, {"find", a.find}, {"grep", a.grep}, {"diff", a.diff},
		{"manifest", a.manifest}, {"verify", a.verify}, {"serve", a.serve}, {"man", a.man},
	}
	list = topics()
	for _, c := range all {
		if len(args) > 0 && args[0] == c.name && c.name != "man" { // which is about all of them
			return []*cobra.Command{c.make()}, true
		}
		list = append(list, c.make())
	}
	return list, false
}

// root is the command line, as far as the arguments need it.
func (a *app) root(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "zipcat",
		Short: "List, print, test and unpack zip and jar archives",
		Long: `Zipcat lists, prints, tests and unpacks zip and jar archives.

An ARCHIVE is a path, or - for standard input, or a path into nested archives,
app.jar!/BOOT-INF/lib/x.jar, or a URL that means such a path, as a JVM prints
them, jar:file:/app.jar!/lib/x.jar; shells want quotes around a !. A PATTERN is
the exact name of an entry or else a glob over full names, in which * stays
within a directory and ** crosses directories. Data goes to standard output,
everything else to standard error.`,
		Example: `  zipcat ls -l app.jar
  zipcat cat app.jar META-INF/MANIFEST.MF
  zipcat x -C out app.jar 'assets/**'
  zipcat test *.zip`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(a.out)
	printVersion := root.Flags().Bool("version", false, "print the version")
	root.RunE = func(*cobra.Command, []string) error {
		if !*printVersion { // not by cobra's way, which takes -v too and links text/template
			return errNoCommand
		}
		fmt.Fprintln(a.out, "zipcat", version())
		return nil
	}
	a.flags.register(root.PersistentFlags())
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		a.say.quiet = a.flags.quiet
		return a.flags.check()
	}
	list, alone := a.commands(args)
	root.AddCommand(list...)
	if root.CompletionOptions.DisableDefaultCmd = alone; alone {
		return root
	}
	refuseOtherShells(root)
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "help" {
			cmd.Run, cmd.RunE = nil, func(_ *cobra.Command, args []string) error {
				topic, _, err := root.Find(args)
				if err != nil || topic == root && len(args) > 0 {
					return fmt.Errorf("no help topic %q", strings.Join(args, " "))
				}
				return topic.Help()
			}
		}
	}
	return root
}

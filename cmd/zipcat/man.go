package main

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) man() *cobra.Command {
	return &cobra.Command{
		Use:   "man",
		Short: "Print the manual page",
		Long:  "Print the manual page of zipcat with all its commands, in roff.",
		Example: `  zipcat man | man -l -
  zipcat man > /usr/local/share/man/man1/zipcat.1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.out.WriteString(manualPage(cmd.Root()))
			return nil
		},
	}
}

// manual is a manual page that is being written, in the macros of man(7).
type manual struct{ bytes.Buffer }

// manualPage makes the manual page of a command from its tree.
func manualPage(root *cobra.Command) string {
	var m manual
	name := root.Name()
	m.macro("TH", strings.ToUpper(name), "1", "", name+" "+strings.TrimPrefix(version(), "v"), "User Commands")
	m.WriteString(".nr HY 0\n.nh\n.ad l\n") // what is typed is not to be broken or stretched
	m.macro("SH", "NAME")
	m.text(name + " - " + strings.ToLower(root.Short[:1]) + root.Short[1:])
	m.macro("SH", "SYNOPSIS")
	for _, cmd := range manualCommands(root) {
		m.macro("SY", name+" "+cmd.Name())
		if hasManualFlags(cmd.NonInheritedFlags()) {
			m.text("[flags]")
		}
		m.text(manualArgs(cmd))
		m.macro("YS")
	}
	m.macro("SH", "DESCRIPTION")
	m.paragraphs(root.Long)
	m.macro("SH", "COMMANDS")
	for _, cmd := range manualCommands(root) {
		m.macro("SS", strings.TrimSpace(name+" "+cmd.Name()+" "+manualArgs(cmd)))
		m.paragraphs(cmd.Long)
		m.flags(cmd.NonInheritedFlags())
		m.example(cmd)
	}
	m.macro("SH", "COMMON FLAGS")
	m.flags(root.PersistentFlags())
	m.macro("SH", "EXIT STATUS")
	m.topic(exitCodes())
	m.macro("SH", "JSON")
	m.topic(jsonFields())
	m.macro("SH", "NAMES OF ARCHIVES")
	m.topic(archiveNames())
	m.macro("SH", "ENVIRONMENT")
	m.item("ZIPFILE_BACKEND", "How archives are read where --backend is auto: pread or mapped.")
	m.item("TZ", "The zone of local times: those that archives give without a zone are taken as such.")
	m.item("TMPDIR", "Where standard input and inner archives go that are too large for memory.")
	m.item("NO_COLOR", "If set and not empty, nothing is printed in colours. TERM=dumb does that too, and leaves out progress.")
	m.macro("SH", "EXAMPLES")
	m.example(root)
	return m.String()
}

// topic prints a help topic without its title.
func (m *manual) topic(cmd *cobra.Command) {
	_, text, _ := strings.Cut(cmd.Long, "\n\n")
	m.paragraphs(text)
}

// manualArgs are the arguments of a command, or the commands below it.
func manualArgs(cmd *cobra.Command) string {
	args := strings.Fields(cmd.Use)[1:]
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			args = append(args, sub.Name())
		}
	}
	if cmd.HasAvailableSubCommands() {
		return strings.Join(args, " | ")
	}
	return strings.Join(args, " ")
}

// manualCommands are the commands that the page has a section for.
func manualCommands(root *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() && cmd.Name() != "help" {
			list = append(list, cmd)
		}
	}
	return list
}

// macro writes a request with its arguments.
func (m *manual) macro(name string, args ...string) {
	m.WriteString("." + name)
	for _, arg := range args {
		m.WriteString(` "` + strings.ReplaceAll(roff(arg), `"`, `\(dq`) + `"`)
	}
	m.WriteByte('\n')
}

// text writes lines of text, none of which is taken for a request.
func (m *manual) text(s string) {
	for line := range strings.Lines(s) {
		line = roff(strings.TrimRight(line, "\n"))
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, `\(aq`) {
			line = `\&` + line
		}
		m.WriteString(line + "\n")
	}
}

var roffEscapes = strings.NewReplacer(`\`, `\(rs`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)

// roff gives text in which every character stands for itself: roff would set quotes and dashes.
func roff(s string) string { return roffEscapes.Replace(s) }

func (m *manual) item(term, text string) {
	m.WriteString(".TP\n.B " + roff(term) + "\n")
	m.text(text)
}

// manualItem is a line of a list of words with their meanings.
var manualItem = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^  (\S+)  +(\S.*)$`) })

// paragraphs writes help text: paragraphs with blank lines between them, lists, and indented lines that
// stay as they are.
func (m *manual) paragraphs(s string) {
	for p := range strings.SplitSeq(strings.Trim(s, "\n"), "\n\n") {
		lines := strings.Split(p, "\n")
		switch {
		case all(lines, manualItem().MatchString):
			for _, line := range lines {
				parts := manualItem().FindStringSubmatch(line)
				m.item(parts[1], parts[2])
			}
		case all(lines, func(line string) bool { return strings.HasPrefix(line, " ") }):
			m.verbatim(p)
		default:
			m.macro("PP")
			for _, line := range lines {
				m.text(strings.TrimSpace(line)) // a space in front would break the line
			}
		}
	}
}

func all(lines []string, ok func(string) bool) bool {
	for _, line := range lines {
		if !ok(line) {
			return false
		}
	}
	return true
}

func (m *manual) verbatim(s string) {
	m.WriteString(".PP\n.EX\n")
	m.text(s)
	m.WriteString(".EE\n")
}

func (m *manual) example(cmd *cobra.Command) {
	if cmd.Example != "" {
		m.verbatim(cmd.Example)
	}
}

// flags writes a list of flags as their help has them.
func (m *manual) flags(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !isManualFlag(f) {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		term := `\fB` + roff("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			term = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + term
		}
		if value != "" {
			term += ` \fI` + roff(value) + `\fR`
		}
		m.WriteString(".TP\n" + term + "\n")
		m.text(usage)
		switch f.DefValue {
		case "", "0", "0s", "false", "[]":
		default:
			m.text("(default " + f.DefValue + ")")
		}
	})
}

// isManualFlag leaves out --help, which all commands have.
func isManualFlag(f *pflag.Flag) bool { return !f.Hidden && f.Name != "help" }

func hasManualFlags(flags *pflag.FlagSet) bool {
	any := false
	flags.VisitAll(func(f *pflag.Flag) { any = any || isManualFlag(f) })
	return any
}

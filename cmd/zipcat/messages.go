package main

// Everything that the command says to a person goes through this file. The rules:
//
//   - To standard error, one line, "zipcat: " in front; lower case, no full stop.
//   - From the outside in: archive, entry, place, what was found and what was expected.
//   - A hint stands on a line of its own, "zipcat: hint: " in front; --quiet leaves hints out,
//     never errors.
//   - Names that a terminal could take for commands are quoted.
//   - Who reads our output and stopped gets no message.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/extract"
	"zipcat.dev/zipfile/jar"
)

var errNoCommand = errors.New("no command given")

type messages struct {
	w      io.Writer
	quiet  bool
	hinted map[string]bool
	hold   func(message) // if not nil, takes what is said
	before func()        // if not nil, is called before a line is said
}

// message is a line for a person.
type message struct {
	text string
	hint bool
}

// tell says a line; a hint once in a run.
func (m *messages) tell(line message) {
	switch {
	case m.hold != nil:
		m.hold(line)
	case !line.hint:
		m.first()
		fmt.Fprintf(m.w, "zipcat: %s\n", line.text)
	case !m.quiet && !m.hinted[line.text]:
		if m.hinted == nil {
			m.hinted = make(map[string]bool)
		}
		m.hinted[line.text] = true
		m.first()
		fmt.Fprintf(m.w, "zipcat: hint: %s\n", line.text)
	}
}

func (m *messages) first() {
	if m.before != nil {
		m.before()
	}
}

func (m *messages) errorf(format string, args ...any) {
	m.tell(message{text: safeText(fmt.Sprintf(format, args...))})
}

// hint says a thing once in a run.
func (m *messages) hint(text string) { m.tell(message{text: text, hint: true}) }

// usage tells of a wrong command line, of cmd as far as it says which.
func (m *messages) usage(err error, cmd *cobra.Command) {
	if err == errNoCommand {
		m.errorf("%v", err)
		m.hint("commands are " + commandNames(cmd) + "; see zipcat --help")
		return
	}
	// cobra appends suggestions on lines of their own
	text, _, _ := strings.Cut(err.Error(), "\n")
	m.errorf("%s", numberText(exclusiveText(text)))
	if err == errNoPattern {
		m.hint("'**' is all entries")
	}
	if h := habit(text, cmd.Name()); h != "" {
		m.hint(h)
	}
	if _, arg, ok := strings.Cut(text, " in -"); ok && strings.HasPrefix(text, "unknown shorthand flag") && strings.ContainsAny(arg, "./") {
		m.hint("names that begin with - come after --, which ends the flags")
	}
	m.hint("see " + cmd.CommandPath() + " --help")
}

// exclusiveText words anew what cobra says of flags that exclude one another; other texts stay.
func exclusiveText(text string) string {
	if !strings.HasPrefix(text, "if any flags in the group [") {
		return text
	}
	_, set, ok := strings.Cut(text, "; [")
	set, _, ok2 := strings.Cut(set, "] were all set")
	if !ok || !ok2 {
		return text
	}
	return "--" + strings.ReplaceAll(set, " ", " and --") + " exclude each other"
}

// numberText words anew what strconv says of a flag that wants a number; other texts stay.
func numberText(text string) string {
	if before, _, ok := strings.Cut(text, ": strconv."); ok && strings.HasPrefix(text, "invalid argument ") {
		return before + ": a number is needed"
	}
	return text
}

func commandNames(root *cobra.Command) string {
	var names []string
	for _, c := range root.Commands() {
		if c.Runnable() && c.Name() != "help" {
			names = append(names, c.Name())
		}
	}
	return strings.Join(names, ", ")
}

// output tells that standard output cannot be written.
func (m *messages) output(err error) {
	if isBrokenPipe(err) {
		return
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	m.errorf("standard output: %v", err)
}

// archive tells that an archive cannot be opened.
func (m *messages) archive(name string, err error) {
	m.errorf("%s: %s", printable(archiveTitle(name)), openErrorText(err))
	switch zipfile.ErrorKind(err) {
	case "truncated":
		m.hint("the directory of an archive stands at its end: the rest of the file is needed, or the other parts")
	case "none":
		if i := strings.LastIndex(name, innerSep); i > 0 && !jar.ArchiveName(name) {
			m.hint(printable(name[i+len(innerSep):]) + " is an entry, as it seems: " + printable(name[:i]) + " is the ARCHIVE that it is in")
		} else if what := otherFormat(name); what != "" {
			m.hint("it is " + what)
		}
	}
	if st, err := os.Stat(name); err == nil && st.Mode()&fs.ModeNamedPipe != 0 {
		m.hint("what comes from a pipe is read from standard input: -")
	}
}

// otherFormat says what a file is that is no archive of this kind, as far as its first bytes tell.
func otherFormat(name string) string {
	if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	for _, c := range []struct {
		at          int
		magic, what string
	}{
		{0, "\x1f\x8b", "compressed by gzip"}, {0, "BZh", "compressed by bzip2"}, {0, "\xfd7zXZ\x00", "compressed by xz"}, {0, "\x28\xb5\x2f\xfd", "compressed by zstd"},
		{0, "7z\xbc\xaf\x27\x1c", "a 7z archive"}, {0, "Rar!\x1a\x07", "a RAR archive"}, {257, "ustar", "a tar archive"}, {0, "\xca\xfe\xba\xbe", "a class file"},
		{0, "!<arch>\n", "an ar archive, as .deb and .a are"},
	} {
		if c.at < n && strings.HasPrefix(string(head[c.at:n]), c.magic) {
			return c.what
		}
	}
	return ""
}

// directory tells of a directory where an archive is wanted.
func (m *messages) directory(name string) {
	m.errorf("%s: is a directory", printable(name))
	m.hint("-r takes the archives in it")
}

// unchecked tells that it is not known who the signers are.
func (m *messages) unchecked(archive string) {
	if !m.quiet {
		m.errorf("%s: who the signers are was not checked: --roots FILE names the certificates to trust", printable(archiveTitle(archive)))
	}
}

// noArchives tells of a directory in which nothing has the name of an archive.
func (m *messages) noArchives(name string) {
	m.errorf("%s: no archives in it", printable(name))
}

// notFound says that find found nothing.
func (m *messages) notFound(p *pattern) {
	m.errorf("%s: not found", printable(p.text))
	if st, err := os.Stat(p.text); err == nil {
		m.hint("the PATTERN comes first, then archives: " + printable(p.text) + " is a " + map[bool]string{false: "file", true: "directory"}[st.IsDir()])
		return
	}
	if !p.literal && !p.glob && strings.Contains(p.text, "/") && path.Ext(p.text) == "" {
		m.hint("names are matched as a whole: a class is " + printable(p.text+".class"))
		return
	}
	if !p.literal && !strings.HasPrefix(p.text, "**/") {
		wanted := p.text
		if !p.glob && path.Ext(wanted) == "" {
			wanted += "*"
		} else if strings.Count(wanted, ".") > 1 && !strings.Contains(wanted, "/") { // as com.example.*
			wanted = strings.ReplaceAll(wanted, ".", "/")
		}
		m.hint("names are matched as a whole: try " + printable("**/"+wanted))
	}
}

// noDuplicates says that find --dup found no name that stands in several archives.
func (m *messages) noDuplicates(p *pattern) {
	m.errorf("%s: nothing stands in more than one archive", printable(p.text))
	if !p.literal && !strings.Contains(p.text, "*") {
		m.hint("all classes are " + printable("**/*.class"))
	}
}

// noLine says that grep found nothing, and why where it had nothing to search.
func (m *messages) noLine(text string, include []*pattern, searched int64) {
	if m.quiet {
		return
	}
	if searched > 0 || len(include) == 0 {
		m.errorf("%s: not found", printable(text))
		if strings.Contains(text, `\|`) {
			m.hint("in regular expressions as Go has them | divides alternatives, and \\| is the character")
		}
		return
	}
	m.errorf("nothing to search: no entry matches --include")
	for _, p := range include {
		m.globHint(p)
	}
}

// guessed tells which charset --charset auto has chosen.
func (m *messages) guessed(name, label string) {
	m.errorf("%s: names that are not UTF-8 are read as %s", printable(archiveTitle(name)), label)
}

// openErrorText is errorText for an archive that cannot be opened, with what may help.
func openErrorText(err error) string {
	text := errorText(err)
	switch zipfile.ErrorKind(err) {
	case "truncated", "format":
		if strings.HasSuffix(text, "(refused by strict checks)") {
			break
		}
		text += " (--recover may find entries)"
	}
	return text
}

// entry tells that an entry failed.
func (m *messages) entry(archive, entry string, err error) {
	m.errorf("%s: %s: %s", printable(archiveTitle(archive)), printable(entry), entryErrorText(err))
	if zipfile.ErrorKind(err) == "password" && strings.Contains(err.Error(), "required") {
		m.hint("--password WORD or --password-file FILE decrypts")
	}
}

// unpacked tells that an entry was not unpacked. asked is set where the command line says what
// is to become of existing files.
func (m *messages) unpacked(archive string, err *extract.Error, asked bool) {
	if we, ok := errors.AsType[*extract.WriteError](err.Err); ok {
		m.unwritten(we)
		return
	}
	m.entry(archive, err.Entry.Name(), err.Err)
	if _, perr := err.Entry.Path(); perr != nil && errors.Is(err.Err, extract.ErrRefused) {
		if rel := extract.RelativePath(err.Entry.Name()); rel != err.Entry.Name() && (rel == "" || zipfile.CheckPath(rel) == nil) {
			m.hint("--relative unpacks ./a, /a and a//b as a, a and a/b")
		} else {
			m.hint("zipcat cat prints entries that have no place on the disk")
		}
	}
	if stands(err) && !asked {
		m.hint(existingHint)
	}
}

// unpackedAll says what was unpacked, at the end.
func (m *messages) unpackedAll(r *extract.Result, f *unpackFlags) {
	if m.quiet {
		return
	}
	verb := "unpacked"
	if f.dryRun {
		verb = "would unpack"
	}
	text := plural(int64(r.Files), "file", "files") + ", " + plural(r.Bytes, "byte", "bytes")
	for _, k := range []struct {
		n         int
		one, many string
	}{{r.Directories, "directory", "directories"}, {r.Links, "link", "links"}} {
		if k.n > 0 {
			text += ", " + plural(int64(k.n), k.one, k.many)
		}
	}
	if r.Kept > 0 {
		text += "; kept " + plural(int64(r.Kept), "existing file", "existing files")
	}
	m.errorf("%s %s", verb, text)
}

const existingHint = "-f overwrites existing files, -n keeps them, --newer overwrites older ones"

// stands reports an entry that was refused for a file that could be overwritten.
func stands(err *extract.Error) bool {
	return errors.Is(err.Err, fs.ErrExist) && !errors.Is(err.Err, extract.ErrOccupied)
}

// nothingLeft tells that --strip left nothing of any name.
func (m *messages) nothingLeft(strip int) {
	m.hint("no name has more than " + plural(int64(strip), "element", "elements") + ", which --strip drops")
}

// shownExisting is how many existing files are named, of which an archive that is unpacked twice
// has as many as entries.
const shownExisting = 10

// moreExist tells of existing files that were not named.
func (m *messages) moreExist(archive string, n int) {
	m.errorf("%s: refused: %s", printable(archiveTitle(archive)), plural(int64(n), "more existing file", "more existing files"))
}

func (m *messages) unwritten(err *extract.WriteError) {
	m.errorf("%s: cannot be written: %v", printable(err.Path), err.Err)
}

// target tells that the directory to unpack into cannot be used.
func (m *messages) target(dir string, err error) {
	m.errorf("%s: %s", printable(dir), errorText(err))
}

// stopped tells that unpacking ended early because nothing more can be written. said is set
// where the messages about entries gave the reason.
func (m *messages) stopped(err error, said bool) {
	if we, ok := errors.AsType[*extract.WriteError](err); ok && !said {
		m.unwritten(we)
	} else if !said {
		m.errorf("%v", err)
	}
	m.hint("the rest was not unpacked")
}

// quit tells that unpacking ended because somebody wanted that.
func (m *messages) quit() { m.errorf("the rest was not unpacked") }

func (m *messages) interrupted() { m.errorf("interrupted") }

// noMatch tells that a pattern chose nothing.
func (m *messages) noMatch(archive string, p *pattern, near string) {
	m.errorf("%s: nothing matches %s", printable(archiveTitle(archive)), printable(p.text))
	if near != "" && !p.literal {
		m.hint("a name is matched as a whole: " + printable(near))
		return
	}
	if st, err := os.Stat(p.text); err == nil && st.Mode().IsRegular() && jar.ArchiveName(p.text) {
		m.hint(printable(p.text) + " is a file: one ARCHIVE comes first, then patterns for what is in it")
		return
	}
	m.globHint(p)
}

// foreignNames tells how names of another charset are read.
func (m *messages) foreignNames() {
	m.hint("the archive has names that are not UTF-8 and are read as IBM437: --charset auto guesses, --charset LABEL says what they are")
}

// empty tells that a pattern chose nothing of an archive that has nothing.
func (m *messages) empty(archive string, p *pattern) {
	m.errorf("%s: nothing matches %s: there are no entries", printable(archiveTitle(archive)), printable(p.text))
}

// onlyDirectory tells that a pattern chose a directory and nothing that is in it.
func (m *messages) onlyDirectory(p *pattern, near string) {
	m.hint(printable(p.text) + " is the directory alone, " + printable(near) + " what is in it")
}

// noExclude says that a pattern of -x leaves nothing out.
func (m *messages) noExclude(archive string, p *pattern, near string) {
	m.errorf("%s: -x %s leaves out nothing", printable(archiveTitle(archive)), printable(p.text))
	if near != "" && !p.literal {
		m.hint("a name is matched as a whole: " + printable(near))
		return
	}
	m.globHint(p)
}

// rebuilt tells that an archive is not read as it was written.
func (m *messages) rebuilt(archive string, entries, findings int) {
	if !m.quiet {
		m.errorf("%s: the directory is lost or damaged and was rebuilt: %s, %s (zipcat info --recover tells)", printable(archiveTitle(archive)),
			plural(int64(entries), "entry", "entries"), plural(int64(findings), "finding", "findings"))
	}
}

// globHint tells what may be wrong with a pattern that chose nothing.
func (m *messages) globHint(p *pattern) {
	if !p.literal && !p.valid() {
		m.hint("this is no valid glob, and no entry has exactly that name")
	}
	if p.staysInDirectory() {
		m.hint("* stays within a directory, **/ crosses directories: " + printable("**/"+p.text))
	}
}

// archiveTitle is what an archive is called in messages.
func archiveTitle(name string) string {
	if name == stdinName {
		return "standard input"
	}
	return name
}

// errorText gives the words of err without the path of the archive, which messages and JSON
// say themselves.
func errorText(err error) string {
	if pe, ok := err.(*fs.PathError); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

// entryErrorText is errorText for an error about an entry, without the entry's name: the
// library quotes other names than printable does, and a name must look the same throughout.
func entryErrorText(err error) string {
	text := errorText(err)
	if fe, ok := errors.AsType[*zipfile.FormatError](err); ok && fe.Entry != "" {
		nameless := *fe
		nameless.Entry = ""
		text = strings.Replace(text, fe.Error(), nameless.Error(), 1)
	}
	return text
}

// noListen tells that an archive cannot be served at an address.
func (m *messages) noListen(addr string, err error) {
	if oe, ok := errors.AsType[*net.OpError](err); ok {
		err = oe.Err
	}
	m.errorf("%s: cannot listen: %v", printable(addr), err)
}

// reachable warns that an archive is served to more than this machine.
func (m *messages) reachable() {
	m.hint("whoever reaches this machine at that address can read the archive")
}

// request tells of a request that was answered.
func (m *messages) request(method, uri string, status int, bytes int64, took time.Duration) {
	m.errorf("%s %s: %d, %s, %v", method, printable(uri), status, plural(bytes, "byte", "bytes"), took.Round(time.Microsecond))
}

// verifyFinding tells what is odd about the signatures of an archive.
func (m *messages) verifyFinding(archive string, f jar.Finding) {
	if !m.quiet {
		m.errorf("%s: %s: %s", printable(archiveTitle(archive)), f.Kind, f.Text)
	}
}

// noManifest tells that an archive has no manifest.
func (m *messages) noManifest(archive string, err error) {
	m.errorf("%s: %v", printable(archiveTitle(archive)), err)
}

// manifestFinding tells what is odd about a manifest.
func (m *messages) manifestFinding(archive, entry string, f jar.Finding) {
	place := ""
	if f.Line > 0 {
		place = fmt.Sprintf("line %d: ", f.Line)
	}
	m.errorf("%s: %s: %s%s", printable(archiveTitle(archive)), printable(entry), place, f.Text)
}

package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"zipcat.dev/zipfile/jar"
)

const (
	// maxCompletions is how many names are offered, maxCompleted how many entries are looked at for
	// them, and maxCompletedNested how many bytes are unpacked to look into an inner archive.
	maxCompletions     = 2000
	maxCompleted       = 1 << 18
	maxCompletedNested = 64 << 20
)

// charsetLabels are those that are offered: what tools without UTF-8 wrote where many people use them.
var charsetLabels = []cobra.Completion{"auto\tguess from all names", "IBM437", "IBM850", "IBM852", "IBM866", "windows-1250", "windows-1251", "windows-1252",
	"iso-8859-1", "iso-8859-2", "iso-8859-15", "koi8-r", "macintosh", "shift_jis", "euc-jp", "gbk", "gb18030", "big5", "euc-kr", "utf-8"}

// offeredOrders are those of ls --sort.
var offeredOrders = []cobra.Completion{"name", "size", "ratio", "time", "offset"}

// completeAll gives every command what completes its arguments, going by the words of its usage line,
// and its flags, going by their names.
func (a *app) completeAll(root *cobra.Command) {
	a.completeFlags(root, root.PersistentFlags())
	for _, cmd := range root.Commands() {
		if cmd.ValidArgsFunction == nil && cmd.Runnable() {
			cmd.ValidArgsFunction = a.completeArgs
		}
		a.completeFlags(cmd, cmd.Flags())
	}
}

func (a *app) completeFlags(cmd *cobra.Command, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		_, text := pflag.UnquoteUsage(f)
		f.Usage = strings.ReplaceAll(text, "\n", " ") // cobra offers it as it is, up to the first line break
		var fn cobra.CompletionFunc
		switch f.Name {
		case "backend":
			fn = cobra.FixedCompletions([]cobra.Completion{"auto", "pread", "mapped"}, cobra.ShellCompDirectiveNoFileComp)
		case "charset":
			fn = cobra.FixedCompletions(charsetLabels, cobra.ShellCompDirectiveNoFileComp)
		case "sort":
			fn = cobra.FixedCompletions(offeredOrders, cobra.ShellCompDirectiveNoFileComp)
		case "directory":
			fn = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
		case "exclude":
			fn = func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
				if len(args) == 0 {
					return nil, cobra.ShellCompDirectiveNoFileComp
				}
				return a.completeEntries(args[0], typed)
			}
		case "addr", "password", "regexp", "max-count", "max-size", "max-ratio":
			fn = cobra.NoFileCompletions
		default:
			if f.Value.Type() == "int" {
				fn = cobra.NoFileCompletions
			}
		}
		if _, has := cmd.GetFlagCompletionFunc(f.Name); fn != nil && !has {
			if err := cmd.RegisterFlagCompletionFunc(f.Name, fn); err != nil {
				panic(err) // there is no such flag
			}
		}
	})
}

// completeArgs completes the argument that comes after args, which the usage line names: "x ARCHIVE
// [PATTERN...]".
func (a *app) completeArgs(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	words := strings.Fields(cmd.Use)[1:]
	if len(words) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	at := len(args)
	if last := words[len(words)-1]; at >= len(words) && strings.Contains(last, "...") {
		at = len(words) - 1
	}
	if at >= len(words) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	switch strings.Trim(words[at], "[].") {
	case "ARCHIVE":
		return a.completeArchive(typed)
	case "PATTERN", "NAME":
		if at > 0 && words[0] == "ARCHIVE" {
			return a.completeEntries(args[0], typed)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// completeArchive completes an ARCHIVE: a file or, behind !/, an archive in one.
func (a *app) completeArchive(typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	last := strings.LastIndex(typed, innerSep)
	if last < 0 {
		return jar.ArchiveExtensions(), cobra.ShellCompDirectiveFilterFileExt
	}
	within := typed[:last]
	return a.completeNames(within, typed[last+len(innerSep):], within+innerSep, jar.ArchiveName)
}

// completeEntries completes the name of an entry of an archive.
func (a *app) completeEntries(archive, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return a.completeNames(archive, typed, "", nil)
}

// completeNames completes the name of an entry up to its next slash, as shells do for files. An
// archive that does not open has none.
func (a *app) completeNames(name, typed, prefix string, match func(string) bool) ([]cobra.Completion, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	if outer, _ := splitPath(name); outer == stdinName {
		return nil, none
	} else if st, err := os.Stat(outer); err != nil || !st.Mode().IsRegular() {
		return nil, none
	}
	// Nobody looks, and nobody can be asked.
	a.flags.quiet, a.flags.strict, a.flags.recover, a.tty.tried = true, false, false, true
	a.budget = &jar.Budget{Total: maxCompletedNested, Memory: maxNestedMemory}
	ar, err := a.tryOpen(name, nil)
	if err != nil {
		return nil, none
	}
	defer ar.Close()
	var names []cobra.Completion
	seen := make(map[string]bool)
	directive, looked := none, 0
	for e := range ar.Entries() {
		if looked++; looked > maxCompleted || len(names) == maxCompletions {
			break
		}
		full := e.Name()
		rest, ok := strings.CutPrefix(full, typed)
		if !ok || rest == "" && e.IsDir() || strings.HasPrefix(full, "-") && prefix == "" || match != nil && !match(full) ||
			strings.ContainsFunc(full, unsafeRune) {
			continue // -x would be a flag; control characters are none that a shell could be told
		}
		if slash := strings.IndexByte(rest, '/'); slash >= 0 {
			full = full[:len(typed)+slash+1]
			directive = none | cobra.ShellCompDirectiveNoSpace
		}
		if !seen[full] {
			seen[full] = true
			names = append(names, prefix+full)
		}
	}
	return names, directive
}

package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"zipcat.dev/zipfile"
)

// listFlags are the flags of ls.
type listFlags struct {
	long, zero, tree, asJSON bool
	summary, reverse, human  bool
	sort                     string
}

func (a *app) ls() *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:   "ls ARCHIVE [PATTERN...]",
		Short: "List entries",
		Long: `List the names of entries, one a line, in the order of the archive's directory.

With -l a line has mode, size, compressed size, ratio, method, time and name, of
links their target too. An encrypted entry has a + behind its method. Times that
the archive gives without a zone are taken as local ones.

Here -h stands for --human-readable, as in ls; alone it prints this help.`,
		Example: `  zipcat ls app.jar
  zipcat ls -lh app.jar '**/*.class'
  zipcat ls -l --sort size --summary app.jar
  zipcat ls -0 app.jar | xargs -0 -n1 echo`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.human && len(args) == 0 {
				return pflag.ErrHelp
			}
			return needs("ARCHIVE")(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			order, err := f.order()
			if err != nil {
				return err
			}
			ar := a.open(args[0])
			if ar == nil {
				return nil
			}
			defer ar.Close()
			chosen := a.selection(ar, a.flags.patterns(args[1:]))
			if order != nil {
				chosen = slices.Values(slices.SortedStableFunc(chosen, order))
			}
			switch {
			case f.asJSON:
				a.listJSON(ar, chosen)
			case f.long:
				a.listLong(ar, chosen, f.sizeText())
			case f.tree:
				a.listTree(ar, chosen)
			case !f.summary:
				a.listNames(ar, chosen, f.zero)
			}
			if f.summary {
				a.summarize(chosen, f.sizeText())
			}
			if a.shown && a.flags.charset.label == "" && ar.hasForeignNames() {
				a.say.foreignNames()
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&f.long, "long", "l", false, "list mode, sizes, ratio, method and time too")
	flags.BoolVarP(&f.human, "human-readable", "h", false, "print sizes of -l and --summary with K, M, G: powers of 1024")
	flags.Bool("help", false, "help for ls") // cobra's own takes -h
	flags.BoolVarP(&f.zero, "null", "0", false, "end names with NUL and quote none")
	flags.BoolVar(&f.tree, "tree", false, "list names as a tree; a directory with one thing in it is on the line of that")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object a line")
	flags.StringVar(&f.sort, "sort", "", "list by `key`: name, size (largest first), ratio (best first), time (newest\nfirst) or offset")
	flags.BoolVar(&f.reverse, "reverse", false, "list in the opposite order")
	flags.BoolVar(&f.summary, "summary", false, "print the number of entries and their sizes: alone, or after the lines of -l")
	cmd.MarkFlagsMutuallyExclusive("long", "null", "tree", "json")
	for _, other := range []string{"null", "tree", "json"} {
		cmd.MarkFlagsMutuallyExclusive("summary", other)
		cmd.MarkFlagsMutuallyExclusive("human-readable", other)
	}
	cmd.MarkFlagsMutuallyExclusive("sort", "tree")
	cmd.MarkFlagsMutuallyExclusive("reverse", "tree")
	return cmd
}

// sortKeys are the values of --sort.
func sortKeys() map[string]func(x, y zipfile.Entry) int {
	return map[string]func(x, y zipfile.Entry) int{
		"name":   func(x, y zipfile.Entry) int { return strings.Compare(x.Name(), y.Name()) },
		"size":   func(x, y zipfile.Entry) int { return cmp.Compare(y.Size(), x.Size()) },
		"ratio":  func(x, y zipfile.Entry) int { return cmp.Compare(saved(y), saved(x)) },
		"time":   func(x, y zipfile.Entry) int { return y.ModifiedIn(time.Local).Compare(x.ModifiedIn(time.Local)) },
		"offset": func(x, y zipfile.Entry) int { return cmp.Compare(x.HeaderOffset(), y.HeaderOffset()) },
	}
}

// saved is the share of an entry's size that compression saved.
func saved(e zipfile.Entry) float64 {
	if e.Size() == 0 {
		return math.Inf(-1)
	}
	return 1 - float64(e.CompressedSize())/float64(e.Size())
}

// order returns how entries are compared, nil for the order of the directory.
func (f *listFlags) order() (func(x, y zipfile.Entry) int, error) {
	order := sortKeys()[f.sort]
	if order == nil && f.sort != "" {
		return nil, fmt.Errorf("invalid argument %q for \"--sort\" flag: want name, size, ratio, time or offset", f.sort)
	}
	if !f.reverse {
		return order, nil
	}
	if order == nil {
		order = func(x, y zipfile.Entry) int { return cmp.Compare(x.Index(), y.Index()) }
	}
	return func(x, y zipfile.Entry) int { return order(y, x) }, nil
}

func (a *app) listNames(ar *archive, chosen iter.Seq[zipfile.Entry], zero bool) {
	for e := range chosen {
		if zero {
			a.out.WriteString(ar.title(e))
			a.out.WriteByte(0)
		} else {
			a.out.WriteString(a.painted(e, printable(ar.title(e))))
			a.out.WriteByte('\n')
		}
		if a.out.failed() {
			return
		}
	}
}

// summarize prints what the entries are together.
func (a *app) summarize(chosen iter.Seq[zipfile.Entry], size func(int64) string) {
	var all count
	for e := range chosen {
		all.add(e)
	}
	total := size(all.Size)
	if total == strconv.FormatInt(all.Size, 10) { // without a unit
		total = plural(all.Size, "byte", "bytes")
	}
	fmt.Fprintf(a.out, "%s, %s from %s (%s)\n", plural(all.Entries, "entry", "entries"), total,
		size(all.Compressed), ratio(all.Size, all.Compressed))
}

// sizeText is how sizes are printed.
func (f *listFlags) sizeText() func(int64) string {
	if f.human {
		return humanSize
	}
	return func(n int64) string { return strconv.FormatInt(n, 10) }
}

func (a *app) listJSON(ar *archive, chosen iter.Seq[zipfile.Entry]) {
	findings := make(map[int][]string)
	for _, f := range ar.Findings() {
		if f.Index >= 0 && !slices.Contains(findings[f.Index], f.Kind) {
			findings[f.Index] = append(findings[f.Index], f.Kind)
		}
	}
	for e := range chosen {
		a.printJSON(listed(ar.title(e), e, findings[e.Index()]))
		if a.out.failed() {
			return
		}
	}
}

func (a *app) listLong(ar *archive, chosen iter.Seq[zipfile.Entry], sizeText func(int64) string) {
	var size, compressed, method int
	for e := range chosen {
		size = max(size, len(sizeText(e.Size())))
		compressed = max(compressed, len(sizeText(e.CompressedSize())))
		method = max(method, len(methodMark(e)))
	}
	for e := range chosen {
		name := a.painted(e, printable(ar.title(e)))
		if e.Mode()&fs.ModeSymlink != 0 {
			name += " -> " + a.linkTarget(ar, e)
		}
		fmt.Fprintf(a.out, "%s  %*s  %*s  %4s  %-*s  %-16s  %s\n", modeString(e.Mode()), size, sizeText(e.Size()),
			compressed, sizeText(e.CompressedSize()), ratio(e.Size(), e.CompressedSize()), method, methodMark(e),
			localTime(e.ModifiedIn(time.Local)), name)
		if a.out.failed() {
			return
		}
	}
}

// methodMark is the method, with a mark where the data are encrypted.
func methodMark(e zipfile.Entry) string {
	if e.Encrypted() {
		return e.Method().String() + "+"
	}
	return e.Method().String()
}

// maxTarget is the longest target of a link that is listed, in bytes.
const maxTarget = 4096

// linkTarget reads where a link leads. One that cannot be read is told, and a ? stands for it.
func (a *app) linkTarget(ar *archive, e zipfile.Entry) string {
	if e.Size() > maxTarget {
		return "?"
	}
	b, err := e.ReadAll()
	if err != nil {
		a.say.entry(ar.name, e.Name(), err)
		a.exit.note(entryExit(err))
		return "?"
	}
	return printable(string(b))
}

package main

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
)

func (a *app) ls() *cobra.Command {
	var long, zero, tree, asJSON bool
	cmd := &cobra.Command{
		Use:   "ls ARCHIVE [PATTERN...]",
		Short: "List entries",
		Long: `List the names of entries, one a line, in the order of the archive's directory.

With -l a line has mode, size, compressed size, ratio, method, time and name.
Times that the archive gives without a zone are taken as local ones.`,
		Example: `  zipcat ls app.jar
  zipcat ls -l app.jar '**/*.class'
  zipcat ls -0 app.jar | xargs -0 -n1 echo`,
		Args: needs("ARCHIVE"),
		RunE: func(_ *cobra.Command, args []string) error {
			ar := a.open(args[0])
			if ar == nil {
				return nil
			}
			defer ar.Close()
			chosen := a.selection(ar, a.flags.patterns(args[1:]))
			switch {
			case asJSON:
				a.listJSON(ar, chosen)
			case long:
				a.listLong(chosen)
			case tree:
				a.listTree(chosen)
			default:
				a.listNames(chosen, zero)
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&long, "long", "l", false, "list mode, sizes, ratio, method and time too")
	cmd.Flags().BoolVarP(&zero, "null", "0", false, "end names with NUL and quote none")
	cmd.Flags().BoolVar(&tree, "tree", false, "list names as a tree")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	cmd.MarkFlagsMutuallyExclusive("long", "null", "tree", "json")
	return cmd
}

func (a *app) listNames(chosen iter.Seq[zipfile.Entry], zero bool) {
	for e := range chosen {
		if zero {
			a.out.WriteString(e.Name())
			a.out.WriteByte(0)
		} else {
			a.out.WriteString(printable(e.Name()))
			a.out.WriteByte('\n')
		}
		if a.out.failed() {
			return
		}
	}
}

func (a *app) listJSON(ar *archive, chosen iter.Seq[zipfile.Entry]) {
	findings := make(map[int][]string)
	for _, f := range ar.Findings() {
		if f.Index >= 0 && !slices.Contains(findings[f.Index], f.Kind) {
			findings[f.Index] = append(findings[f.Index], f.Kind)
		}
	}
	for e := range chosen {
		a.printJSON(listed(e, findings[e.Index()]))
		if a.out.failed() {
			return
		}
	}
}

func (a *app) listLong(chosen iter.Seq[zipfile.Entry]) {
	var size, compressed, method int
	for e := range chosen {
		size = max(size, digits(e.Size()))
		compressed = max(compressed, digits(e.CompressedSize()))
		method = max(method, len(e.Method().String()))
	}
	for e := range chosen {
		fmt.Fprintf(a.out, "%s  %*d  %*d  %4s  %-*s  %-16s  %s\n", modeString(e.Mode()), size, e.Size(),
			compressed, e.CompressedSize(), ratio(e.Size(), e.CompressedSize()), method, e.Method(),
			localTime(e.ModifiedIn(time.Local)), printable(e.Name()))
		if a.out.failed() {
			return
		}
	}
}

func digits(n int64) int { return len(strconv.FormatInt(n, 10)) }

// ratio is the share of the size that compression saved, negative where it added.
func ratio(size, compressed int64) string {
	if size == 0 {
		return "-"
	}
	return strconv.FormatFloat(100-100*float64(compressed)/float64(size), 'f', 0, 64) + "%"
}

func localTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}

package main

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile"
)

func (a *app) cat() *cobra.Command {
	var raw, force bool
	cmd := &cobra.Command{
		Use:   "cat ARCHIVE PATTERN...",
		Short: "Print the contents of entries",
		Long: `Print the contents of entries to standard output, pattern by pattern; those that
one pattern chooses in the order of the archive's directory. Of several entries
of one name the last is meant. A single path ARCHIVE!/ENTRY, as find prints it,
does as well.

Of an entry that fails nothing is printed if it is up to 1 MiB; of a larger one
some bytes may have been, and with --recover what there is of it, whatever its size.
With --raw the bytes are printed as they are stored,
compressed and encrypted, and nothing is checked. Binary data is not printed to
a terminal without --force.`,
		Example: `  zipcat cat app.jar META-INF/MANIFEST.MF
  zipcat cat 'app.war!/WEB-INF/lib/x.jar!/META-INF/MANIFEST.MF'
  zipcat cat logs.zip '2024/**/*.log'`,
		Args: needs("ARCHIVE"),
		RunE: func(_ *cobra.Command, args []string) error {
			var ar *archive
			patterns := a.flags.patterns(args[1:])
			if len(args) > 1 {
				ar = a.openOnly(args[0], names(patterns))
			} else {
				i := strings.LastIndex(args[0], innerSep)
				if i <= 0 || i+len(innerSep) == len(args[0]) {
					return errNoPattern
				}
				var name string
				ar, name = a.openAround(args[0])
				patterns = a.flags.patterns([]string{name})
			}
			if ar == nil {
				return nil
			}
			defer ar.Close()
			sel := newSelector(ar, patterns, true)
			p := newPrinter(a, ar)
			p.raw, p.guarded = raw, a.shown && !force
			defer p.close()
			for _, pattern := range patterns {
				any, file := false, false
				for e := range sel.choose(pattern) {
					any, file = true, file || !e.IsDir()
					p.print(e)
					if a.out.failed() {
						return nil
					}
				}
				if any && !file {
					a.onlyDirectory(ar, pattern)
				}
				if any {
					continue
				}
				p.flush() // messages come in the order of the contents
				if a.out.failed() {
					return nil
				}
				a.nothing(ar, pattern)
			}
			p.flush()
			return nil
		},
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "print the bytes as they are stored, unverified")
	cmd.Flags().BoolVar(&force, "force", false, "print binary data to a terminal too")
	return cmd
}

// printer prints entries in the order in which they come. Those that are in memory as a whole
// before they are printed are decoded in batches, of which some are ahead of what is printed.
type printer struct {
	*app
	ar      *archive
	raw     bool // the stored bytes
	guarded bool // no binary data

	ctx    context.Context
	cancel context.CancelFunc
	batch  *batch   // that takes the next entry
	ahead  []*batch // that are being decoded
	spare  []*batch
}

func newPrinter(a *app, ar *archive) *printer {
	p := &printer{app: a, ar: ar, batch: newBatch()}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// close ends what is still being done.
func (p *printer) close() {
	p.cancel()
	for _, b := range p.ahead {
		<-b.done
	}
}

// print prints the entry, at the latest with the next flush.
func (p *printer) print(e zipfile.Entry) {
	if p.raw || p.flags.recover || e.Size() > wholeSize {
		p.flush()
		p.stream(e)
		return
	}
	if p.batch.full(e) {
		p.decode()
		if len(p.ahead) > runtime.GOMAXPROCS(0) {
			p.printFirst()
		}
	}
	p.batch.add(e)
}

// flush prints what has come.
func (p *printer) flush() {
	if len(p.ahead) == 0 && len(p.batch.entries) == 1 {
		p.stream(p.batch.entries[0])
		p.batch.clear()
		return
	}
	if len(p.batch.entries) > 0 {
		p.decode()
	}
	for len(p.ahead) > 0 {
		p.printFirst()
	}
}

// decode begins to decode the batch.
func (p *printer) decode() {
	b := p.batch
	p.ahead = append(p.ahead, b)
	go func() {
		b.load(p.ctx)
		b.done <- struct{}{}
	}()
	if n := len(p.spare); n > 0 {
		p.batch, p.spare = p.spare[n-1], p.spare[:n-1]
	} else {
		p.batch = newBatch()
	}
}

// printFirst prints the batch that was first to be decoded.
func (p *printer) printFirst() {
	b := p.ahead[0]
	p.ahead = slices.Delete(p.ahead, 0, 1)
	<-b.done
	for _, e := range b.entries {
		if p.out.failed() {
			break
		}
		if c := b.contents[e]; c.err != nil {
			p.failed(e, c.err)
		} else if data := b.data[c.from:c.to]; p.guarded && isBinary(data) {
			p.failed(e, errBinary)
		} else {
			p.out.Write(data)
		}
	}
	b.clear()
	p.spare = append(p.spare, b)
}

// stream prints an entry by itself.
func (p *printer) stream(e zipfile.Entry) {
	if p.out.failed() {
		return
	}
	var w io.Writer = p.out
	if p.guarded {
		w = &guard{w: w}
	}
	var err error
	if p.raw {
		err = copyTo(w, e.OpenRaw)
	} else if p.flags.recover {
		err = copyTo(w, func() (io.Reader, error) { return e.Open() }) // what there is of one that is cut off
	} else {
		_, err = e.WriteTo(w)
	}
	if err != nil && !p.out.failed() {
		p.failed(e, err)
	}
}

// copyTo writes what a reader gives, and closes it.
func copyTo(w io.Writer, open func() (io.Reader, error)) error {
	r, err := open()
	if err != nil {
		return err
	}
	if c, ok := r.(io.Closer); ok {
		defer c.Close()
	}
	_, err = io.Copy(w, r)
	return err
}

var errNoPattern = errors.New("PATTERN is missing")

var errBinary = errors.New("binary data, not printed to a terminal without --force")

// guard is a writer that takes no binary data. The first piece tells.
type guard struct {
	w    io.Writer
	seen bool
}

func (g *guard) Write(p []byte) (int, error) {
	if !g.seen && isBinary(p) {
		return 0, errBinary
	}
	g.seen = true
	return g.w.Write(p)
}

func (p *printer) failed(e zipfile.Entry, err error) {
	p.say.entry(p.ar.name, e.Name(), err)
	p.exit.note(entryExit(err))
}

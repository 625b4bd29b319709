package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// progress is a line on a terminal that says what is running and how long the rest will take.
// Written elsewhere it is nothing.
type progress struct {
	w     io.Writer // nil: not a terminal
	total int
	done  int
	start time.Time
}

func newProgress(w io.Writer, total int) *progress {
	p := &progress{total: total, start: time.Now()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.w = w
	}
	return p
}

// begin says what is about to run.
func (p *progress) begin(what string) {
	if p.w == nil {
		return
	}
	left := ""
	if p.done > 0 {
		each := time.Since(p.start) / time.Duration(p.done)
		left = fmt.Sprintf(", about %v left", (each * time.Duration(p.total-p.done)).Round(time.Second))
	}
	// Back to the first column; erase to the end of the line (ECMA-48, CR and EL).
	fmt.Fprintf(p.w, "\r\x1b[K[%d/%d] %s%s", p.done+1, p.total, what, left)
}

func (p *progress) end() { p.done++ }

// clear takes the line away.
func (p *progress) clear() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

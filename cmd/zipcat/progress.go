package main

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
)

const (
	// progressAfter is how long a command works before it shows how far it is.
	progressAfter = 500 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

// progress shows on a terminal how many of the bytes are done. What works only counts.
type progress struct {
	count atomic.Int64
	end   chan struct{}
	gone  chan struct{}

	mu     sync.Mutex // for the bar
	bar    *progressbar.ProgressBar
	gate   gate
	paused bool // something else is on the screen

	tty *terminal // that pauses it
}

// progress begins to show how far work on so many bytes is, if somebody sees it.
func (a *app) progress(what string, total int64) *progress {
	p := new(progress)
	if a.flags.quiet || total == 0 || !isTerminal(a.say.w) || os.Getenv("TERM") == "dumb" {
		return p
	}
	// The bar begins at once, so that the rate is right, and comes to be seen later.
	p.gate.w = io.Discard
	p.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(&p.gate), progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(true), progressbar.OptionFullWidth(), progressbar.OptionSetPredictTime(true))
	p.end, p.gone = make(chan struct{}), make(chan struct{})
	p.tty = &a.tty
	p.tty.before, p.tty.after = p.pause, p.resume
	go p.show(a.say.w, total)
	return p
}

func (p *progress) add(n int) { p.count.Add(int64(n)) }

func (p *progress) show(w io.Writer, total int64) {
	defer close(p.gone)
	begun := time.Now()
	for tick := time.Tick(progressEvery); ; {
		select {
		case <-p.end:
			p.pause()
			return
		case <-tick:
		}
		p.mu.Lock()
		if time.Since(begun) > progressAfter {
			p.gate.w = w
		}
		if !p.paused {
			p.bar.Set64(min(p.count.Load(), total-1)) // the end is told by another line
		}
		p.mu.Unlock()
	}
}

// gate is a writer that changes.
type gate struct{ w io.Writer }

func (g *gate) Write(p []byte) (int, error) { return g.w.Write(p) }

// pause takes the bar off the screen until resume.
func (p *progress) pause() { p.setPaused(true) }

func (p *progress) resume() { p.setPaused(false) }

func (p *progress) setPaused(paused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused = paused; paused && p.bar != nil {
		p.bar.Clear()
	}
}

// stop ends it. Nothing of it stays on the screen.
func (p *progress) stop() {
	if p.end != nil {
		close(p.end)
		<-p.gone
		p.tty.before, p.tty.after = nil, nil
	}
}

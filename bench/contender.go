package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// contender does the work of a section its way, in a fresh process each turn.
type contender struct {
	name  string
	ours  bool // must work; another that fails is left out
	whole bool // timed from the start of the process to its end; the others print a tally for each pass
	cmd   func(context.Context) (*exec.Cmd, error)

	seconds []float64 // of the counted turns
	tally   tally     // of the first turn
}

// section is a table of contenders that do the same.
type section struct {
	title string
	note  string
	list  []*contender // ratios are to the first
}

// turn runs c once. Of several passes the fastest is its time.
func (c *contender) turn(ctx context.Context) (tally, error) {
	cmd, err := c.cmd(ctx)
	if err != nil {
		return tally{}, err
	}
	start := time.Now()
	out, err := output(ctx, cmd)
	wall := time.Since(start)
	if err != nil || c.whole {
		return tally{seconds: wall.Seconds()}, err
	}
	var best tally
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		t, err := parseTally(line)
		switch {
		case err != nil:
			return tally{}, err
		case i == 0:
			best = t
		case t.entries != best.entries || t.bytes != best.bytes:
			return tally{}, fmt.Errorf("passes differ: %q", out)
		}
		best.seconds = min(best.seconds, t.seconds)
	}
	return best, nil
}

// measure does a turn of every contender that is not counted and leaves out those that cannot do
// the work, then the rounds: a turn of each, in an order that is drawn anew, so that what the
// machine does meanwhile meets all alike.
func (s *section) measure(ctx context.Context, runs int, order *rand.Rand, stdout, stderr io.Writer) error {
	p := newProgress(stderr, (runs+1)*len(s.list))
	defer p.clear()
	var can []*contender
	var ours *contender
	for _, c := range s.list {
		p.begin(s.title + ": " + c.name + ", warm-up")
		t, err := c.turn(ctx)
		p.end()
		switch {
		case err != nil && (c.ours || ctx.Err() != nil):
			return fmt.Errorf("%s: %w", c.name, err)
		case err != nil:
			p.clear()
			fmt.Fprintf(stdout, "  without %s: %v\n", c.name, err)
			continue
		}
		c.tally = t
		if c.ours && !c.whole && ours == nil {
			ours = c
		}
		can = append(can, c)
	}
	s.list = can
	for _, c := range s.list {
		if ours != nil && !c.whole && (c.tally.entries != ours.tally.entries || c.tally.bytes != ours.tally.bytes) {
			return fmt.Errorf("%s read %d entries of %d bytes, %s %d of %d", c.name, c.tally.entries, c.tally.bytes,
				ours.name, ours.tally.entries, ours.tally.bytes)
		}
	}
	if ours != nil && ours.tally.entries == 0 {
		return errNothing
	}
	for round := range runs {
		for _, i := range order.Perm(len(s.list)) {
			c := s.list[i]
			p.begin(fmt.Sprintf("%s: %s, round %d", s.title, c.name, round+1))
			t, err := c.turn(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			c.seconds = append(c.seconds, t.seconds)
			p.end()
		}
	}
	return nil
}

// errNothing is about a jar that has nothing of what is to be measured.
var errNothing = errors.New("no entry has that suffix")

// print prints times, and the ratio of each contender's to each other's.
func (s *section) print(w io.Writer) {
	if len(s.list) == 0 {
		fmt.Fprintln(w, "  nothing to measure")
		return
	}
	rows := [][]string{{"", "min ms", "median ms", "median/1"}}
	for i := range s.list {
		rows[0] = append(rows[0], fmt.Sprintf("/%d", i+1))
	}
	first := s.list[0]
	for i, c := range s.list {
		row := []string{
			fmt.Sprintf("%d %s", i+1, c.name),
			ms(slices.Min(c.seconds)), ms(median(c.seconds)),
			fmt.Sprintf("%.2f", median(c.seconds)/median(first.seconds)),
		}
		for _, d := range s.list {
			row = append(row, fmt.Sprintf("%.2f", slices.Min(c.seconds)/slices.Min(d.seconds)))
		}
		rows = append(rows, row)
	}
	printColumns(w, rows)
	if t := first.tally; !first.whole {
		fmt.Fprintf(w, "  %s, %d bytes\n", plural(int(t.entries), "entry"), t.bytes)
	}
}

func median(list []float64) float64 {
	s := slices.Sorted(slices.Values(list))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"time"
)

// contender does the work of a table its way, in a fresh process each turn.
type contender struct {
	name   string
	ours   bool // must work; another that fails is left out
	whole  bool // timed from the start of the process to its end; the others print a line for each pass
	cmd    func(context.Context) (*exec.Cmd, error)
	before func() error // every turn, outside the clock; may be nil

	// What the rows of one table differ in beside their names, for plots: of a series one line.
	series string
	x      float64

	runs []measurement
}

// measurement is a turn of a contender.
type measurement struct {
	Round int `json:"round"` // 0: warm-up, not counted
	sample
}

// counted returns the runs without the warm-up.
func (c *contender) counted() []sample {
	var list []sample
	for _, r := range c.runs {
		if r.Round > 0 {
			list = append(list, r.sample)
		}
	}
	return list
}

// unit is what a table's values are in.
type unit struct {
	Name  string  `json:"name"`  // as it is printed
	Scale float64 `json:"scale"` // of a second, or of a Value
}

var (
	milliseconds = unit{Name: "ms", Scale: 1e3}
	microseconds = unit{Name: "µs", Scale: 1e6}
	nanoseconds  = unit{Name: "ns", Scale: 1e9}
	bytesEach    = unit{Name: "bytes", Scale: 1}
)

// table is contenders that do the same.
type table struct {
	title   string
	note    string
	unit    unit
	valued  bool   // the unit is of Value, not of time
	axis    string // what x of the contenders is, for a plot of lines; empty: bars
	cold    []string
	single  bool // one goroutine is at work
	compare bool // say in words whether the contenders differ from the first
	stages  bool // contenders are not ways to do the same
	differ  bool // contenders need not read the same
	list    []*contender
	coldHow string
}

// value is what a run measured, in the table's unit.
func (t *table) value(s sample) float64 {
	if t.valued {
		return s.Value * t.unit.Scale
	}
	return s.seconds() * t.unit.Scale
}

// turn runs c once. Of several passes the fastest is its time.
func (c *contender) turn(ctx context.Context) (sample, error) {
	if c.before != nil {
		if err := c.before(); err != nil {
			return sample{}, err
		}
	}
	cmd, err := c.cmd(ctx)
	if err != nil {
		return sample{}, err
	}
	if c.whole {
		start := time.Now()
		if err := runQuietly(ctx, cmd); err != nil {
			return sample{}, err
		}
		return sample{
			Wall:   time.Since(start).Nanoseconds(),
			CPU:    int64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()),
			Faults: processFaults(cmd.ProcessState),
		}, nil
	}
	out, err := output(ctx, cmd)
	if err != nil {
		return sample{}, err
	}
	var best sample
	peak := int64(0)
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		s, err := parseSample(line)
		peak = max(peak, s.Peak)
		switch {
		case err != nil:
			return sample{}, err
		case i == 0:
			best = s
		case s.Entries != best.Entries || s.Bytes != best.Bytes:
			return sample{}, fmt.Errorf("passes differ: %q", out)
		case s.seconds() < best.seconds():
			best = s
		}
	}
	best.Peak = peak
	return best, nil
}

// measure does a turn of every contender that is not counted and leaves out those that cannot do
// the work, then the rounds: a turn of each, in an order that is drawn anew, so that what the
// machine does meanwhile meets all alike.
func (t *table) measure(ctx context.Context, runs int, order *rand.Rand, p *progress, stdout io.Writer) error {
	var can []*contender
	for _, c := range t.list {
		p.begin(t.title + ": " + c.name + ", warm-up")
		s, err := c.turn(ctx)
		p.end()
		switch {
		case err != nil && (c.ours || ctx.Err() != nil):
			return fmt.Errorf("%s: %w", c.name, err)
		case err != nil:
			p.clear()
			p.total -= runs
			fmt.Fprintf(stdout, "  without %s: %v\n", c.name, err)
			continue
		}
		c.runs = append(c.runs, measurement{0, s})
		can = append(can, c)
	}
	t.list = can
	if err := t.agree(); err != nil {
		return err
	}
	for round := range runs {
		for _, i := range order.Perm(len(t.list)) {
			c := t.list[i]
			if t.cold != nil {
				p.begin("dropping caches")
				how, err := dropCaches(t.cold)
				if err != nil {
					return err
				}
				t.coldHow = how
			}
			p.begin(fmt.Sprintf("%s: %s, round %d", t.title, c.name, round+1))
			s, err := c.turn(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			c.runs = append(c.runs, measurement{round + 1, s})
			p.end()
		}
		if err := t.agree(); err != nil {
			return err
		}
	}
	return nil
}

// errNothing is about a jar that has nothing of what is to be measured.
var errNothing = errors.New("has no such entry")

// agree compares what the last runs have read with the first: all must have read the same.
func (t *table) agree() error {
	if t.differ {
		return nil
	}
	var first *contender
	for _, c := range t.list {
		if c.whole || len(c.runs) == 0 {
			continue
		}
		if first == nil || c.ours && !first.ours {
			first = c
		}
	}
	if first == nil {
		return nil
	}
	a := first.runs[0]
	if a.Entries+int64(a.Failed) == 0 {
		return errNothing
	}
	for _, c := range t.list {
		if c.whole || len(c.runs) == 0 {
			continue
		}
		b := c.runs[len(c.runs)-1]
		if a.Entries == b.Entries && a.Bytes == b.Bytes && a.Failed == b.Failed && (a.Digest == b.Digest || b.Digest == 0 || a.Digest == 0) {
			continue
		}
		err := fmt.Errorf("runs differ in what they read: %s %d entries of %d bytes, checksum %016x, %d failed; "+
			"%s %d entries of %d bytes, checksum %016x, %d failed",
			first.name, a.Entries, a.Bytes, a.Digest, a.Failed, c.name, b.Entries, b.Bytes, b.Digest, b.Failed)
		for _, s := range append(a.Errors, b.Errors...) {
			err = fmt.Errorf("%w\n  %s", err, s)
		}
		return err
	}
	return nil
}

// failures is the error to end with when entries could not be read, the same ones in every run.
func (t *table) failures() error {
	for _, c := range t.list {
		if len(c.runs) == 0 || c.runs[0].Failed == 0 {
			continue
		}
		s := c.runs[0]
		var b strings.Builder
		fmt.Fprintf(&b, "%d of %d entries could not be read:", s.Failed, int64(s.Failed)+s.Entries)
		for _, e := range s.Errors {
			b.WriteString("\n  " + e)
		}
		if more := s.Failed - len(s.Errors); more > 0 {
			fmt.Fprintf(&b, "\n  and %d more", more)
		}
		return errors.New(b.String())
	}
	return nil
}

// reader adds a contender that is bench itself.
func (t *table) reader(name string, ours bool, j job) *contender {
	c := &contender{
		name: name,
		ours: ours,
		cmd:  func(ctx context.Context) (*exec.Cmd, error) { return childProcess(ctx, j) },
	}
	t.list = append(t.list, c)
	return c
}

// program adds a contender that is another program, if it was found.
func (t *table) program(name string, whole bool, path string, args ...string) {
	if path == "" {
		return
	}
	t.list = append(t.list, &contender{
		name:  name,
		ours:  strings.HasPrefix(name, "zipcat "),
		whole: whole,
		cmd: func(ctx context.Context) (*exec.Cmd, error) {
			return exec.CommandContext(ctx, path, args...), nil
		},
	})
}

// encode prints a sample as a child does.
func encode(w io.Writer, s sample) error { return json.NewEncoder(w).Encode(s) }

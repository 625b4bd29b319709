package main

import (
	"context"

	"zipcat.dev/zipfile"
)

// maxHeld is how many bytes of output a turn holds back before it waits.
const maxHeld = 256 << 10

// turn is work that goes on beside other work of its kind: what it prints and says is held back
// until all that comes before has ended, and goes through from then on. A question waits until then.
type turn struct {
	*app        // of its own
	whole *app  // that it is part of
	found bool  // it has found what is looked for
	count int64 // of entries that it looked into

	ctx     context.Context
	come    chan struct{} // closed when it is its turn
	ended   chan struct{} // closed when the work is done
	printed []byte        // held back
	among   []among       // what comes between pieces of that
	size    int           // bytes of messages in it
}

// among is what comes when so many bytes were printed: a message or a line between groups.
type among struct {
	at     int
	said   message
	groups string // in place of a message
}

// turn makes one that prints and says through a. Its app has the same flags and colours; its exit code, hints and
// budget are its own, and go into those of a when the turn is taken; the terminal, and the passwords that were
// asked for there, are those of the whole run, see askPassword.
func (a *app) turn(ctx context.Context) *turn {
	t := &turn{whole: a, ctx: ctx, come: make(chan struct{}), ended: make(chan struct{})}
	t.app = &app{
		stdin:     a.stdin,
		out:       newOutput(writerFunc(t.print)),
		say:       messages{w: a.say.w, quiet: a.say.quiet, hold: t.tell},
		color:     a.color,
		flags:     a.flags,
		stdinUsed: a.stdinUsed,
		part:      t,
	}
	t.out.hold = t.divide
	return t
}

// hasCome reports whether the turn has come; it stays so.
func (t *turn) hasCome() bool {
	select {
	case <-t.come:
		return true
	default:
		return false
	}
}

// wait waits for the turn, and writes out what was held back. It is false when nobody wants that
// any more.
func (t *turn) wait() bool {
	select {
	case <-t.come:
	case <-t.ctx.Done():
		return false
	}
	t.release()
	return true
}

func (t *turn) release() {
	from := 0
	for _, m := range t.among {
		t.whole.out.Write(t.printed[from:m.at])
		from = m.at
		if m.groups != "" {
			t.whole.out.divide(m.groups)
		} else {
			t.whole.say.tell(m.said)
		}
	}
	t.whole.out.Write(t.printed[from:])
	t.printed, t.among, t.size = nil, nil, 0
}

func (t *turn) print(p []byte) (int, error) {
	if !t.hasCome() && len(t.printed)+len(p) <= maxHeld {
		t.printed = append(t.printed, p...)
		return len(p), nil
	}
	if !t.wait() {
		return 0, context.Cause(t.ctx)
	}
	return t.whole.out.Write(p)
}

func (t *turn) tell(m message) { t.hold(among{said: m}) }

// divide is given the first line between groups: whether there is a group before it is known when the turn
// has come.
func (t *turn) divide(line string) { t.hold(among{groups: line}) }

func (t *turn) hold(m among) {
	t.out.Flush() // what was printed before it
	m.at = len(t.printed)
	t.among = append(t.among, m)
	if t.size += len(m.said.text); t.hasCome() || t.size > maxHeld {
		t.wait()
	}
}

// front waits for the turn, and writes out all that was printed and said before, so that a question comes
// after it. It is false when nobody wants that any more.
func (t *turn) front() bool {
	t.out.Flush()
	if !t.wait() {
		return false
	}
	t.whole.out.Flush()
	return true
}

// end ends the work, on the goroutine that did it.
func (t *turn) end() {
	t.out.Flush()
	close(t.ended)
}

// take lets the turn come, waits for the end of the work, and adds what came of it to the whole.
func (t *turn) take() {
	close(t.come)
	<-t.ended
	t.release()
	t.whole.exit.add(t.exit)
}

// failed tells of an entry that cannot be read.
func (t *turn) failed(ar *archive, e zipfile.Entry, err error) {
	t.say.entry(ar.name, e.Name(), err)
	t.exit.note(entryExit(err))
}

package main

import "context"

// maxHeld is how many bytes of output a turn holds back before it waits.
const maxHeld = 256 << 10

// turn is work that goes on beside other work of its kind: what it prints and says is held back
// until all that comes before has ended, and goes through from then on.
type turn struct {
	*app        // of its own
	whole *app  // that it is part of
	found bool  // it has found what is looked for
	count int64 // of entries that it looked into

	ctx     context.Context
	come    chan struct{} // closed when it is its turn
	ended   chan struct{} // closed when the work is done
	printed []byte        // held back
	said    []message     // held back
	size    int           // bytes of said
}

// turn makes one that prints and says through a.
func (a *app) turn(ctx context.Context) *turn {
	t := &turn{whole: a, ctx: ctx, come: make(chan struct{}), ended: make(chan struct{})}
	t.app = &app{
		stdin:     a.stdin,
		out:       newOutput(writerFunc(t.print)),
		say:       messages{w: a.say.w, quiet: a.say.quiet, hold: t.tell},
		flags:     a.flags,
		stdinUsed: a.stdinUsed,
		ctx:       ctx,
	}
	t.app.tty.tried = true // nobody is asked for passwords from several goroutines
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
	t.whole.out.Write(t.printed)
	for _, m := range t.said {
		t.whole.say.tell(m)
	}
	t.printed, t.said, t.size = nil, nil, 0
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

func (t *turn) tell(m message) {
	t.said = append(t.said, m)
	if t.size += len(m.text); t.hasCome() || t.size > maxHeld {
		t.out.Flush()
		t.wait()
	}
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

package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
)

// interrupts are the signals that end the command in order. Those that it is started to ignore,
// as by nohup, are not among them: to ask for one would end that.
func interrupts() []os.Signal {
	return slices.DeleteFunc(slices.Clone(interruptSignals), signal.Ignored)
}

// interruptible gives a context that ends with the first interrupt, so that what was begun is ended in order.
// A second one ends the command at once.
func interruptible() (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(context.Background(), interrupts()...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

package main

import (
	"os"
	"os/signal"
	"slices"
)

// interrupts are the signals that end the command in order. Those that it is started to ignore,
// as by nohup, are not among them: to ask for one would end that.
func interrupts() []os.Signal {
	return slices.DeleteFunc(slices.Clone(interruptSignals), signal.Ignored)
}

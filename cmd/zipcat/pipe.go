//go:build !plan9

package main

import (
	"errors"
	"os/signal"
	"syscall"
)

// ignoreBrokenPipe makes a write to a closed pipe an error, which ends the command in order
// (exit code 6, no message, temporary files removed), instead of the signal's end.
func ignoreBrokenPipe() { signal.Ignore(syscall.SIGPIPE) }

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

//go:build unix

package main

import (
	"errors"
	"os/signal"
	"syscall"
)

// ignoreBrokenPipe makes a write to a closed pipe an error, which ends the command in order
// (exit code 6, no message, temporary files removed), instead of the end by a signal.
func ignoreBrokenPipe() { signal.Ignore(syscall.SIGPIPE) }

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

//go:build unix

package main

import (
	"os"
	"syscall"
)

// SIGHUP is what a terminal sends that is closed.
var interruptSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

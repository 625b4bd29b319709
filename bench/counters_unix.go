//go:build unix && !aix && !solaris

package main

import (
	"syscall"
	"time"
)

// cpuTime returns the user and system time that this process has used, or -1.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return -1
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

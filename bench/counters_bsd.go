//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package main

import (
	"runtime"
	"syscall"
)

// peakMemory returns the most memory that was resident in this process, in bytes, or 0.
func peakMemory() int64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	// getrusage(2): bytes on Darwin, kibibytes on the others.
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(r.Maxrss)
	}
	return int64(r.Maxrss) << 10
}

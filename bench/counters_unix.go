//go:build unix && !aix && !solaris

package main

import (
	"os"
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

// pageFaults returns how often this process touched a page that was not in its memory.
func pageFaults() int64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return int64(r.Minflt) + int64(r.Majflt)
}

// processFaults is pageFaults of a process that has ended.
func processFaults(p *os.ProcessState) int64 {
	if r, ok := p.SysUsage().(*syscall.Rusage); ok {
		return int64(r.Minflt) + int64(r.Majflt)
	}
	return 0
}

package main

import (
	"os"
	"syscall"
	"time"
)

// cpuTime returns the user and kernel time that this process has used, or -1.
func cpuTime() time.Duration {
	p, err := syscall.GetCurrentProcess()
	if err != nil {
		return -1
	}
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(p, &created, &exited, &kernel, &user); err != nil {
		return -1
	}
	// Filetime.Nanoseconds counts from 1970; these are spans, in units of 100 ns.
	span := func(f syscall.Filetime) time.Duration {
		return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100
	}
	return span(kernel) + span(user)
}

// peakMemory is not known: neither the standard library nor golang.org/x/sys has
// GetProcessMemoryInfo.
func peakMemory() int64 { return 0 }

// pageFaults is not known, for the same reason.
func pageFaults() int64 { return 0 }

func processFaults(*os.ProcessState) int64 { return 0 }

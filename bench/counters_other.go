//go:build !windows && (!unix || aix || solaris)

package main

import (
	"os"
	"time"
)

// cpuTime is not known here.
func cpuTime() time.Duration { return -1 }

// peakMemory is not known here.
func peakMemory() int64 { return 0 }

// pageFaults is not known here.
func pageFaults() int64 { return 0 }

func processFaults(*os.ProcessState) int64 { return 0 }

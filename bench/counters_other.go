//go:build !windows && (!unix || aix || solaris)

package main

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return -1 }

// peakMemory is not known here.
func peakMemory() int64 { return 0 }

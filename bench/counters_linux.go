package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// peakMemory returns the most memory that was resident in this process, in bytes, or 0. It is
// not what getrusage gives: ru_maxrss of a process begins at that of the one which started it
// (exec_mmap in the kernel carries it over).
func peakMemory() int64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if v, ok := strings.CutPrefix(s.Text(), "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(v), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}

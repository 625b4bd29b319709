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

// readCounts returns how often this process read by system calls, and how many bytes.
func readCounts() ioCounts {
	b, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return ioCounts{}
	}
	c := ioCounts{own: int64(len(b))}
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		n, _ := strconv.ParseInt(value, 10, 64)
		switch name {
		case "rchar":
			c.bytes = n
		case "syscr":
			c.calls = n
		}
	}
	return c
}

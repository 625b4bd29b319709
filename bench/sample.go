package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// sample is what one run measured. Counts that the platform does not tell are 0.
type sample struct {
	Wall    int64    `json:"wall_ns"`                // of the measured part, for Ops of what is measured
	Ops     int64    `json:"ops,omitempty"`          // 0: one
	Value   float64  `json:"value,omitempty"`        // where it is not time that is measured
	CPU     int64    `json:"cpu_ns,omitempty"`       // user and system
	Peak    int64    `json:"peak_bytes,omitempty"`   // resident, of the whole process
	Faults  int64    `json:"page_faults,omitempty"`  // that needed no disk, and those that did
	Reads   int64    `json:"read_calls,omitempty"`   // system calls that read; a mapping needs none
	Read    int64    `json:"read_bytes,omitempty"`   // by them
	Entries int64    `json:"entries,omitempty"`      // that were read
	Bytes   int64    `json:"bytes,omitempty"`        // of their contents
	Digest  uint64   `json:"digest,string,omitzero"` // of the checksums of all, whatever their order; 0: not told
	Failed  int      `json:"failed,omitempty"`       // entries that could not be read
	Errors  []string `json:"errors,omitempty"`       // of the first of them
	Used    string   `json:"used,omitempty"`         // the backend in use, of all jars if they agree, else "mixed"
}

// seconds of one operation.
func (s *sample) seconds() float64 { return float64(s.Wall) / 1e9 / float64(max(s.Ops, 1)) }

// meter measures what a part of this process takes.
type meter struct {
	cpu     time.Duration
	faults  int64
	io      ioCounts
	started time.Time
}

func startMeter() meter {
	m := meter{io: readCounts(), faults: pageFaults(), cpu: cpuTime()}
	m.started = time.Now()
	return m
}

// stop adds what was measured to s, so that a part of the work can be left out between two meters.
func (m meter) stop(s *sample) {
	s.Wall += time.Since(m.started).Nanoseconds()
	if m.cpu >= 0 {
		s.CPU += (cpuTime() - m.cpu).Nanoseconds()
	}
	s.Faults += pageFaults() - m.faults
	io := readCounts()
	// The counters were read by two calls, the second at their end.
	s.Reads += max(0, io.calls-m.io.calls-2)
	s.Read += max(0, io.bytes-m.io.bytes-m.io.own)
	s.Peak = peakMemory()
}

// ioCounts are what the system counts of this process.
type ioCounts struct {
	calls, bytes int64 // of system calls that read
	own          int64 // bytes that it took to read the counters
}

// parseSample reads a line that a process printed about a pass: a sample as JSON, as bench itself
// prints it, or "seconds entries bytes", as peers do.
func parseSample(line string) (sample, error) {
	var s sample
	if strings.HasPrefix(line, "{") {
		err := json.Unmarshal([]byte(line), &s)
		return s, err
	}
	f := strings.Fields(line)
	if len(f) != 3 {
		return s, fmt.Errorf("printed %q: want seconds, entries, bytes", line)
	}
	var errs [3]error
	var seconds float64
	seconds, errs[0] = strconv.ParseFloat(f[0], 64)
	s.Entries, errs[1] = strconv.ParseInt(f[1], 10, 64)
	s.Bytes, errs[2] = strconv.ParseInt(f[2], 10, 64)
	s.Wall = int64(seconds * 1e9)
	if err := errors.Join(errs[:]...); err != nil {
		return s, fmt.Errorf("printed %q: %w", line, err)
	}
	return s, nil
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"zipcat.dev/backend"
)

// childCommand is the command by which bench starts itself to measure one run. It takes a job
// from standard input and prints the sample on standard output, as one line of JSON each.
const childCommand = "child"

// job is what a child is to measure. It comes through standard input because a class path can
// be longer than a command line.
type job struct {
	Experiment string       `json:"experiment"`
	Backend    backend.Kind `json:"backend"`
	Jars       []string     `json:"jars"`
	Shuffle    bool         `json:"shuffle,omitempty"`
	Seed       uint64       `json:"seed"`
}

// sample is what one run measured. Times are nanoseconds, memory is bytes.
type sample struct {
	Used    string   `json:"used"` // the backend in use, of all jars if they agree, else "mixed"
	Wall    int64    `json:"wall"`
	CPU     int64    `json:"cpu,omitempty"`         // user and system; 0: not known here
	Peak    int64    `json:"peak_memory,omitempty"` // resident, of the whole process; 0: not known here
	Classes int      `json:"classes"`
	Bytes   int64    `json:"bytes"`
	Digest  uint64   `json:"digest,string"` // of the checksums of all classes, whatever their order
	Failed  int      `json:"failed"`        // classes that could not be read
	Errors  []string `json:"errors,omitempty"`
}

func runChild(stdin io.Reader, stdout io.Writer) error {
	var j job
	if err := json.NewDecoder(stdin).Decode(&j); err != nil {
		return fmt.Errorf("job: %w", err)
	}
	if j.Experiment != "load" {
		return fmt.Errorf("job: unknown experiment %q", j.Experiment)
	}
	s, err := loadClasses(j)
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(s)
}

// spawn measures j in a fresh process.
func spawn(ctx context.Context, j job) (sample, error) {
	self, err := os.Executable()
	if err != nil {
		return sample{}, fmt.Errorf("cannot start itself: %w", err)
	}
	in, err := json.Marshal(j)
	if err != nil {
		return sample{}, err
	}
	cmd := exec.CommandContext(ctx, self, childCommand)
	cmd.Stdin = bytes.NewReader(in)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return sample{}, ctx.Err()
	case errors.As(err, new(*exec.ExitError)):
		// What the child says is its whole story; "exit status 1" adds nothing to it.
		if said := strings.TrimPrefix(strings.TrimSpace(stderr.String()), "bench: "); said != "" {
			return sample{}, errors.New(said)
		}
		return sample{}, fmt.Errorf("child: %w", err)
	case err != nil:
		return sample{}, fmt.Errorf("cannot start a process: %w", err)
	}
	var s sample
	if err := json.Unmarshal(out, &s); err != nil {
		return sample{}, fmt.Errorf("child printed %q: %w", out, err)
	}
	return s, nil
}

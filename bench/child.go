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
// from standard input as one line of JSON. Of the experiment "load" it prints the sample on
// standard output, as a line of JSON too; of "read" what peers print, see [tally].
const childCommand = "child"

// job is what a child is to measure. It comes through standard input because a class path can
// be longer than a command line.
type job struct {
	Experiment string       `json:"experiment"`
	Backend    backend.Kind `json:"backend"`
	Jars       []string     `json:"jars"`
	Shuffle    bool         `json:"shuffle,omitempty"`
	Seed       uint64       `json:"seed"`
	Workers    int          `json:"workers"`

	// Of the experiment "read":
	Reader string `json:"reader,omitempty"` // one of readers
	Suffix string `json:"suffix,omitempty"` // of the names of entries to read
	Passes int    `json:"passes,omitempty"`
	Dir    string `json:"dir,omitempty"` // to write to
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
	switch j.Experiment {
	case "load":
	case "read":
		return readPasses(j, stdout)
	default:
		return fmt.Errorf("job: unknown experiment %q", j.Experiment)
	}
	s, err := loadClasses(j)
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(s)
}

// childProcess is a process that will measure j.
func childProcess(ctx context.Context, j job) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot start itself: %w", err)
	}
	in, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, childCommand)
	cmd.Stdin = bytes.NewReader(in)
	return cmd, nil
}

// output runs cmd and returns what it printed. What it prints on standard error when it fails is
// the error.
func output(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	var stdout bytes.Buffer
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, new(*exec.ExitError)):
		// What the child says is its whole story; "exit status 1" adds nothing to it.
		if said := strings.TrimPrefix(strings.TrimSpace(stderr.String()), "bench: "); said != "" {
			return nil, errors.New(said)
		}
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("cannot start a process: %w", err)
	}
	return stdout.Bytes(), nil
}

// spawn measures j, of the experiment "load", in a fresh process.
func spawn(ctx context.Context, j job) (sample, error) {
	cmd, err := childProcess(ctx, j)
	if err != nil {
		return sample{}, err
	}
	out, err := output(ctx, cmd)
	if err != nil {
		return sample{}, err
	}
	var s sample
	if err := json.Unmarshal(out, &s); err != nil {
		return sample{}, fmt.Errorf("child printed %q: %w", out, err)
	}
	return s, nil
}

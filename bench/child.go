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
// from standard input as one line of JSON and prints samples on standard output, each a line of
// JSON too, one for each pass.
const childCommand = "child"

// job is what a child is to measure. It comes through standard input because a class path can
// be longer than a command line.
type job struct {
	Experiment string       `json:"experiment"` // one of experiments
	Backend    backend.Kind `json:"backend"`
	Jars       []string     `json:"jars"`
	Shuffle    bool         `json:"shuffle,omitempty"`
	Seed       uint64       `json:"seed"`
	Workers    int          `json:"workers,omitempty"`
	Reader     string       `json:"reader,omitempty"` // whose way it is done
	Suffix     string       `json:"suffix,omitempty"` // of the names of entries to read
	Passes     int          `json:"passes,omitempty"`
	Dir        string       `json:"dir,omitempty"` // to write to
	Stage      string       `json:"stage,omitempty"`
	Same       bool         `json:"same,omitempty"`
}

// experiments are what a child can do, in one pass or, the one that is called so, in several.
var experiments = map[string]func(job) (sample, error){
	"load":       loadClasses,
	"open":       openJar,
	"lookup":     lookupNames,
	"list":       listEntries,
	"extract":    extractAll,
	"concurrent": readConcurrently,
	"startup":    startUp,
	"memory":     holdOpen,
}

func runChild(stdin io.Reader, stdout io.Writer) error {
	var j job
	if err := json.NewDecoder(stdin).Decode(&j); err != nil {
		return fmt.Errorf("job: %w", err)
	}
	if j.Experiment == "read" {
		return readPasses(j, stdout)
	}
	measure := experiments[j.Experiment]
	if measure == nil {
		return fmt.Errorf("job: unknown experiment %q", j.Experiment)
	}
	s, err := measure(j)
	if err != nil {
		return err
	}
	return encode(stdout, s)
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

// output is runQuietly with what cmd printed on standard output.
func output(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	err := runQuietly(ctx, cmd)
	return stdout.Bytes(), err
}

// runQuietly runs cmd. What it prints on standard error when it fails is the error; what it prints on standard
// output goes nowhere unless cmd says so.
func runQuietly(ctx context.Context, cmd *exec.Cmd) error {
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, new(*exec.ExitError)):
		// What the child says is its whole story; "exit status 1" adds nothing to it.
		if said := strings.TrimPrefix(strings.TrimSpace(stderr.String()), "bench: "); said != "" {
			return errors.New(said)
		}
		return err
	case err != nil:
		return fmt.Errorf("cannot start a process: %w", err)
	}
	return nil
}

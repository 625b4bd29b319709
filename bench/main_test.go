package main

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The children that tests start are the test binary itself, which then is bench.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childCommand {
		os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	// A program built with -race waits a second before it exits unless told not to, and there
	// are many children.
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	os.Exit(m.Run())
}

// bench runs the command and returns its exit code and what it printed.
func bench(args ...string) (code int, stdout, stderr string) {
	var out, errs strings.Builder
	code = run(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func needsProcesses(t *testing.T) {
	t.Helper()
	if runtime.GOARCH == "wasm" {
		t.Skip("no processes on ", runtime.GOOS)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string // in stderr, or in stdout where the code is 0
	}{
		{"help", []string{"help"}, exitDone, "usage: bench [COMMAND"},
		{"unknown command", []string{"lode"}, exitUsage, `unknown command "lode"`},
		{"help of load", []string{"load", "-h"}, exitDone, "-backends"},
		{"unknown flag", []string{"load", "-walks", "3"}, exitUsage, "not defined: -walks"},
		{"flag of another", []string{"list", "-shuffle"}, exitUsage, "not defined: -shuffle"},
		{"argument", []string{"load", "a.jar"}, exitUsage, `unexpected argument "a.jar"`},
		{"one run", []string{"load", "-runs", "1"}, exitUsage, "want at least 2"},
		{"no entries", []string{"load", "-entries", "0"}, exitUsage, "want at least 1"},
		{"entries of a given jar", []string{"load", "-cp", "a.jar", "-entries", "3"}, exitUsage, "without -cp"},
		{"empty class path", []string{"open", "-cp", ""}, exitUsage, "is empty"},
		{"no workers", []string{"load", "-workers", "0"}, exitUsage, `"0"`},
		{"workers shuffled", []string{"load", "-workers", "2", "-shuffle"}, exitUsage, "one by one"},
		{"unknown cache", []string{"load", "-cache", "tepid"}, exitUsage, `"tepid"`},
		{"help of peers", []string{"peers", "-h"}, exitDone, "-large"},
		{"workers that are no number", []string{"peers", "-workers", "1,many"}, exitUsage, `"many"`},
		{"size without -large", []string{"peers", "-mib", "3"}, exitUsage, "is for -large"},
		{"too large", []string{"stream", "-mib", "9000"}, exitUsage, "want 1 to 1536"},
		{"no entries in the largest", []string{"memory", "-most", "0"}, exitUsage, "-most: want at least 1"},
		{"missing jar of peers", []string{"peers", "-cp", "no/such.jar"}, exitUsage, "such.jar"},
		{"unknown backend", []string{"load", "-backends", "pread,tape"}, exitUsage, `"tape"`},
		{"missing jar", []string{"load", "-cp", "no/such.jar"}, exitUsage, "such.jar"},
		{"directory", []string{"load", "-cp", "."}, exitFailed, "only jars are measured"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := bench(tt.args...)
			assert.Equal(t, tt.code, code)
			said, silent := stderr, stdout
			if code == exitDone {
				said, silent = stdout, stderr
			}
			assert.Equal(t, 1, strings.Count(said, tt.want), said)
			assert.Empty(t, silent)
		})
	}
}

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
		{"none", nil, exitUsage, "usage: bench COMMAND"},
		{"help", []string{"help"}, exitDone, "usage: bench COMMAND"},
		{"unknown command", []string{"lode"}, exitUsage, `unknown command "lode"`},
		{"help of load", []string{"load", "-h"}, exitDone, "-backends"},
		{"unknown flag", []string{"load", "-walks", "3"}, exitUsage, "not defined: -walks"},
		{"argument", []string{"load", "a.jar"}, exitUsage, `unexpected argument "a.jar"`},
		{"one run", []string{"load", "-runs", "1"}, exitUsage, "want at least 2"},
		{"no entries", []string{"load", "-entries", "0"}, exitUsage, "want at least 1"},
		{"entries of a given jar", []string{"load", "-cp", "a.jar", "-entries", "3"}, exitUsage, "without -cp"},
		{"empty class path", []string{"load", "-cp", ""}, exitUsage, "is empty"},
		{"no workers", []string{"load", "-workers", "0"}, exitUsage, "want at least 1"},
		{"workers shuffled", []string{"load", "-workers", "2", "-shuffle"}, exitUsage, "one by one"},
		{"help of engine", []string{"engine", "-h"}, exitDone, "-large-mib"},
		{"no turns", []string{"engine", "-runs", "0"}, exitUsage, "want at least 1"},
		{"workers that are no number", []string{"engine", "-workers", "1,many"}, exitUsage, `"many"`},
		{"workers of engine", []string{"engine", "-workers", "1,0"}, exitUsage, `"0"`},
		{"size without -large", []string{"engine", "-large-mib", "3"}, exitUsage, "is for -large"},
		{"too large", []string{"engine", "-large", "-large-mib", "9000"}, exitUsage, "want 1 to 1536"},
		{"argument of engine", []string{"engine", "a.jar"}, exitUsage, `unexpected argument "a.jar"`},
		{"empty class path of engine", []string{"engine", "-cp", ""}, exitUsage, "is empty"},
		{"missing jar of engine", []string{"engine", "-cp", "no/such.jar"}, exitFailed, "such.jar"},
		{"unknown backend", []string{"load", "-backends", "pread,tape"}, exitUsage, `"tape"`},
		{"missing jar", []string{"load", "-cp", "no/such.jar"}, exitFailed, "such.jar"},
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

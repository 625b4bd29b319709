//go:build (unix || windows) && !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

// tty is for Linux alone: other systems make pseudo-terminals in other ways.
func tty(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("no pseudo-terminals here") }

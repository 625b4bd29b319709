//go:build !unix

package main

import "strings"

// ignoreBrokenPipe does nothing: only Unix has a signal for it.
func ignoreBrokenPipe() {}

// isBrokenPipe goes by the words: Windows has three errors for it, Plan 9 has nothing else.
func isBrokenPipe(err error) bool { return strings.Contains(err.Error(), "pipe") }

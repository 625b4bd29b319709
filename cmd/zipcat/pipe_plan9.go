package main

import "strings"

// ignoreBrokenPipe does nothing: Plan 9 sends a note that the Go runtime turns into an error.
func ignoreBrokenPipe() {}

func isBrokenPipe(err error) bool { return strings.Contains(err.Error(), "closed pipe") }

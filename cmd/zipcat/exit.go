package main

import (
	"errors"
	"io/fs"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/extract"
)

// Exit codes.
const (
	exitDone     = 0
	exitEntry    = 1 // an entry is damaged or refused
	exitDiffers  = 1 // diff found a difference
	exitUsage    = 2
	exitArchive  = 3 // the archive cannot be opened
	exitNoMatch  = 4
	exitPassword = 5
	exitOutput   = 6

	// exitInterrupted is what a shell makes of a command that died of an interrupt.
	exitInterrupted = 130
)

// outcome collects what went wrong in a run.
type outcome struct {
	seen        [exitOutput + 1]bool
	interrupted bool
}

func (o *outcome) note(code int) {
	if code != exitDone {
		o.seen[code] = true
	}
}

// add notes all that another noted.
func (o *outcome) add(other outcome) {
	for code, seen := range other.seen {
		o.seen[code] = o.seen[code] || seen
	}
	o.interrupted = o.interrupted || other.interrupted
}

// code returns the exit code, the first that applies: a script that gets it knows that none
// of those before it happened.
func (o *outcome) code() int {
	if o.interrupted {
		return exitInterrupted
	}
	for _, c := range [...]int{exitUsage, exitOutput, exitArchive, exitEntry, exitPassword, exitNoMatch} {
		if o.seen[c] {
			return c
		}
	}
	return exitDone
}

// entryExit returns the exit code for an entry that cannot be read.
func entryExit(err error) int {
	switch zipfile.ErrorKind(err) {
	case "":
		return exitDone
	case "password":
		return exitPassword
	}
	return exitEntry
}

// openExit returns the exit code for an archive that could not be opened.
func openExit(err error) int {
	if _, ok := errors.AsType[*noInnerError](err); ok {
		return exitNoMatch
	}
	return exitArchive
}

// unpackExit returns the exit code for an entry that was not unpacked.
func unpackExit(err *extract.Error) int {
	if _, ok := errors.AsType[*extract.WriteError](err.Err); ok {
		return exitOutput
	}
	if errors.Is(err.Err, extract.ErrRefused) || errors.Is(err.Err, fs.ErrExist) {
		return exitEntry
	}
	return entryExit(err.Err)
}

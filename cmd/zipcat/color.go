package main

import (
	"io"
	"io/fs"
	"os"

	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
)

// Colours of names on a terminal, as those of ls: parameters of SGR (ECMA-48, 8.3.117).
const (
	colorDirectory = "1;34"
	colorLink      = "1;36"
	colorArchive   = "1;31"
	colorRun       = "1;32"
)

// wantsColor reports whether a person sees what is written and wants it in colours
// (https://no-color.org).
func wantsColor(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// painted gives text, an entry's name, the colour of what the entry is.
func (a *app) painted(e zipfile.Entry, text string) string {
	if !a.color {
		return text
	}
	color := ""
	switch mode := e.Mode(); {
	case e.IsDir():
		color = colorDirectory
	case mode&fs.ModeSymlink != 0:
		color = colorLink
	case jar.ArchiveName(e.Name()):
		color = colorArchive
	case mode&0o111 != 0:
		color = colorRun
	default:
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

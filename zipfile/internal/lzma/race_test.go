//go:build race

package lzma

const (
	raceEnabled = true
	stride      = 13 // of what there is very much of
)

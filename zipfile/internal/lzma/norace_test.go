//go:build !race

package lzma

const (
	raceEnabled = false
	stride      = 1
)

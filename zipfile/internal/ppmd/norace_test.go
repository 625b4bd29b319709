//go:build !race

package ppmd

const raceEnabled = false

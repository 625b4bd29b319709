//go:build race

package shrink

const raceEnabled = true

//go:build race

package implode

const raceEnabled = true

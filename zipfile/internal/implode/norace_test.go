//go:build !race

package implode

const raceEnabled = false

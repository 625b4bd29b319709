//go:build !purego && race

package inflate

const raceEnabled = true

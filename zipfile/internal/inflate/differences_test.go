//go:build !purego

package inflate

var differences map[error]difference

//go:build !linux

package main

import "errors"

const canDropCaches = false

// dropCaches has no way here.
func dropCaches([]string) (how string, err error) {
	return "", errors.New("there is no way here to make the system forget a file")
}

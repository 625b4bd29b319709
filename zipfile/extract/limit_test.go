//go:build unix && !freebsd && !dragonfly

package extract

import "syscall"

func setFileSizeLimit(n uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n})
}

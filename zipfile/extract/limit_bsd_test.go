//go:build freebsd || dragonfly

package extract

import "syscall"

// Limits are signed there.
func setFileSizeLimit(n uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: int64(n), Max: int64(n)})
}

//go:build !plan9 && !windows

package extract

import (
	"errors"
	"syscall"
)

// isFull reports an error after which no other file can be written either.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS)
}

// isNameTooLong reports a name, or an element of it, that the file system cannot hold.
func isNameTooLong(err error) bool {
	return errors.Is(err, syscall.ENAMETOOLONG)
}

// isSystemError tells errors of the system from those of os.Root.
func isSystemError(err error) bool {
	_, ok := errors.AsType[syscall.Errno](err)
	return ok
}

package extract

import (
	"errors"
	"syscall"
)

// Windows system error codes.
const (
	errorWriteProtect   = syscall.Errno(19)
	errorHandleDiskFull = syscall.Errno(39)
	errorDiskFull       = syscall.Errno(112)
	errorInvalidName    = syscall.Errno(123)
	errorFilenameExced  = syscall.Errno(206)
	errorDiskQuota      = syscall.Errno(1295)
)

func isFull(err error) bool {
	return errors.Is(err, errorDiskFull) || errors.Is(err, errorHandleDiskFull) ||
		errors.Is(err, errorDiskQuota) || errors.Is(err, errorWriteProtect)
}

func isNameTooLong(err error) bool {
	return errors.Is(err, errorFilenameExced) || errors.Is(err, errorInvalidName)
}

func isSystemError(err error) bool {
	_, ok := errors.AsType[syscall.Errno](err)
	return ok
}

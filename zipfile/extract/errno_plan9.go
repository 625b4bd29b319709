package extract

import (
	"errors"
	"strings"
	"syscall"
)

// Plan 9 has errors in words, which its file servers choose.

func isFull(err error) bool { return strings.Contains(err.Error(), "full") }

func isNameTooLong(err error) bool { return strings.Contains(err.Error(), "name too long") }

func isSystemError(err error) bool {
	_, ok := errors.AsType[syscall.ErrorString](err)
	return ok
}

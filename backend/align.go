package backend

import (
	"reflect"
	"runtime"
)

// head says how many bytes, to be copied from offset off of memory that begins at
// a page, are best copied before the rest of p: 8 or none.
//
// Go's copy on amd64 takes REP MOVSQ for 2 KiB and more to an address that 16
// divides. From a source that 8 does not divide, as data in an archive mostly is,
// that takes half as long again as its AVX loop, which it takes for other
// addresses (runtime/memmove_amd64.s).
func head(p []byte, off int64) int {
	if runtime.GOARCH != "amd64" || len(p) < 2048 || off&7 == 0 {
		return 0
	}
	if reflect.ValueOf(&p[0]).Pointer()&15 != 0 {
		return 0
	}
	return 8
}

package backend

import (
	"reflect"
	"runtime"
)

// head says how many bytes are best copied to p before the rest: 8 or none. src is the address
// that they come from, modulo 8.
//
// For 2 KiB and more to an address that 16 divides Go's copy takes REP MOVSQ, on amd64 processors
// with fast string moves (ERMS and FSRM). From a source that 8 does not divide, as data in an
// archive mostly is, that takes half as long again as the AVX loop that it takes for other
// addresses (runtime/memmove_amd64.s).
func head(p []byte, src uintptr) int {
	if runtime.GOARCH != "amd64" || len(p) < 2048 || src&7 == 0 || address(p)&15 != 0 {
		return 0
	}
	return 8
}

func address(p []byte) uintptr { return reflect.ValueOf(&p[0]).Pointer() }

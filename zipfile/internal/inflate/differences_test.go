//go:build !purego

package inflate

var differences map[error]difference

// errorsOfCut are what a stream that is cut off may give instead of ErrCut: what is left may be the
// start of a code that is not there.
var errorsOfCut = []error{errSymbol}

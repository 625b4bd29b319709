//go:build !purego

package inflate

var differences map[error]difference

// heldBack is how much of the input in front of the end may give nothing, in bytes.
const heldBack = 0

// errorsOfCut are what a buffer that is cut off may give instead of ErrCut: what is left may be the
// start of a code that is not there.
var errorsOfCut = []error{errSymbol}

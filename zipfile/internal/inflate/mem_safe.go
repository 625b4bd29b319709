//go:build !purego && (safe || !(386 || amd64 || arm64 || loong64 || ppc64le || riscv64 || wasm))

package inflate

import "encoding/binary"

// mem is a buffer whose accesses the compiler checks: for machines that are big-endian or load
// words only from their multiples, and for the build tag safe, which shows a wrong bound as a
// panic.
type mem struct{ b []byte }

func memOf(b []byte) mem { return mem{b} }

func (m mem) u64(i int) uint64      { return binary.LittleEndian.Uint64(m.b[i : i+8]) }
func (m mem) put64(i int, v uint64) { binary.LittleEndian.PutUint64(m.b[i:i+8], v) }
func (m mem) u8(i int) byte         { return m.b[i] }
func (m mem) put8(i int, v byte)    { m.b[i] = v }

func litlenAt(t *[litlenEntries]uint32, i uint64) uint32 { return t[i] }
func distAt(t *[distEntries]uint32, i uint64) uint32     { return t[i] }

// input is a place in the input that moves forward.
type input struct {
	b []byte
	i int
}

func inputAt(b []byte, i int) input { return input{b, i} }

func (in input) u64() uint64      { return binary.LittleEndian.Uint64(in.b[in.i : in.i+8]) }
func (in input) skip(n int) input { return input{in.b, in.i + n} }
func (in input) pos([]byte) int   { return in.i }

// fence is where an input must stop.
type fence int

func fenceAt(_ []byte, i int) fence { return fence(i) }

// until is how many bytes are left before f, negative behind it.
func (in input) until(f fence) int { return int(f) - in.i }

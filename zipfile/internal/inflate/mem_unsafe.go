//go:build !purego && !safe && (386 || amd64 || arm64 || loong64 || ppc64le || riscv64 || wasm)

package inflate

import "unsafe"

// mem is a buffer whose accesses are not checked by the compiler. These machines are
// little-endian and load and store words at any address. Who uses it says, at the head of the
// loop, why no access can be outside the buffer.
type mem struct{ p unsafe.Pointer }

// memOf gives the memory of b, which must stay reachable through something else.
func memOf(b []byte) mem { return mem{unsafe.Pointer(unsafe.SliceData(b))} }

// In bounds: 0 <= i <= len-8, by the caller's argument.
func (m mem) u64(i int) uint64 { return *(*uint64)(unsafe.Add(m.p, i)) }

// In bounds: 0 <= i <= len-8, by the caller's argument.
func (m mem) put64(i int, v uint64) { *(*uint64)(unsafe.Add(m.p, i)) = v }

// In bounds: 0 <= i < len, by the caller's argument.
func (m mem) u8(i int) byte { return *(*byte)(unsafe.Add(m.p, i)) }

// In bounds: 0 <= i < len, by the caller's argument.
func (m mem) put8(i int, v byte) { *(*byte)(unsafe.Add(m.p, i)) = v }

// litlenAt looks into a subtable. In bounds: i is the start of a subtable that build made plus
// less than its length, and build, whose accesses are checked, filled all of it.
func litlenAt(t *[litlenEntries]uint32, i uint64) uint32 {
	return *(*uint32)(unsafe.Add(unsafe.Pointer(t), i*4))
}

// distAt is litlenAt for distances.
func distAt(t *[distEntries]uint32, i uint64) uint32 {
	return *(*uint32)(unsafe.Add(unsafe.Pointer(t), i*4))
}

// input is a place in the input that moves forward, as one word.
type input struct{ p unsafe.Pointer }

// inputAt is the place of b[i]. It stays within b and the room behind it, which is part of the
// same allocation.
func inputAt(b []byte, i int) input { return input{unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)} }

// In bounds: at most len-8 bytes into the buffer, by the caller's argument.
func (in input) u64() uint64 { return *(*uint64)(in.p) }

func (in input) skip(n int) input { return input{unsafe.Add(in.p, n)} }

func (in input) pos(b []byte) int {
	return int(uintptr(in.p) - uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// fence is where an input must stop.
type fence uintptr

func fenceAt(b []byte, i int) fence {
	return fence(uintptr(unsafe.Pointer(unsafe.SliceData(b))) + uintptr(i))
}

// until is how many bytes are left before f, negative behind it.
func (in input) until(f fence) int { return int(uintptr(f) - uintptr(in.p)) }

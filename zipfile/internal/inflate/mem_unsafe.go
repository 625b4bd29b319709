//go:build !purego && !safe && (386 || amd64 || arm64 || loong64 || ppc64le || riscv64 || wasm)

package inflate

import "unsafe"

// litlenAt looks into a subtable. In bounds: i is the start of a subtable that build made plus
// less than its length, and build, whose accesses are checked, filled all of it.
func litlenAt(t *[litlenEntries]uint32, i uint64) uint32 {
	return *(*uint32)(unsafe.Add(unsafe.Pointer(t), i*4))
}

// distAt is litlenAt for distances.
func distAt(t *[distEntries]uint32, i uint64) uint32 {
	return *(*uint32)(unsafe.Add(unsafe.Pointer(t), i*4))
}

// belowAt looks up a mask. In bounds: i is a number of bits of an entry that build made, at most 31.
func belowAt(t *[32]uint64, i uint32) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(t), uint64(i)*8))
}

// pointer is a place in a buffer, as one word. Its accesses are not checked by the compiler. These
// machines are little-endian and load and store words at any address. Who uses it says, at the
// head of the loop, why no access can be outside the buffer. All places stay within the buffer
// and the room behind it, which is part of the same allocation.
type pointer struct{ p unsafe.Pointer }

// pointerTo is the place of b[i].
func pointerTo(b []byte, i int) pointer {
	return pointer{unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i)}
}

// In bounds: i bytes from here are in the buffer, and so are 8 from there, by the caller's argument.
func (at pointer) u64(i int) uint64 { return *(*uint64)(unsafe.Add(at.p, i)) }

// In bounds: as u64.
func (at pointer) put64(i int, v uint64) { *(*uint64)(unsafe.Add(at.p, i)) = v }

// In bounds: i bytes from here is a byte of the buffer, by the caller's argument.
func (at pointer) u8(i int) byte { return *(*byte)(unsafe.Add(at.p, i)) }

// In bounds: as u8.
func (at pointer) put8(i int, v byte) { *(*byte)(unsafe.Add(at.p, i)) = v }

// copy40 copies five words, the first before the second is read. In bounds: as u64 and put64.
// (Written out, as each call that is inlined leaves an instruction that does nothing.)
func (at pointer) copy40(from pointer) {
	*(*uint64)(at.p) = *(*uint64)(from.p)
	*(*uint64)(unsafe.Add(at.p, 8)) = *(*uint64)(unsafe.Add(from.p, 8))
	*(*uint64)(unsafe.Add(at.p, 16)) = *(*uint64)(unsafe.Add(from.p, 16))
	*(*uint64)(unsafe.Add(at.p, 24)) = *(*uint64)(unsafe.Add(from.p, 24))
	*(*uint64)(unsafe.Add(at.p, 32)) = *(*uint64)(unsafe.Add(from.p, 32))
}

// move goes n bytes on, or back.
func (at pointer) move(n int) pointer { return pointer{unsafe.Add(at.p, n)} }

// index is i of pointerTo.
func (at pointer) index(b []byte) int {
	return int(uintptr(at.p) - uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// mark is a place that is compared only. It may be outside the buffer.
type mark uintptr

func markOf(b []byte, i int) mark {
	return mark(uintptr(unsafe.Pointer(unsafe.SliceData(b))) + uintptr(i))
}

// until is how many bytes m is ahead, negative behind it.
func (at pointer) until(m mark) int { return int(uintptr(m) - uintptr(at.p)) }

// since is how many bytes m is behind, negative in front of it.
func (at pointer) since(m mark) int { return int(uintptr(at.p) - uintptr(m)) }

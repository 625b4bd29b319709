//go:build !purego && (safe || !(386 || amd64 || arm64 || loong64 || ppc64le || riscv64 || wasm))

package inflate

import "encoding/binary"

func litlenAt(t *[litlenEntries]uint32, i uint64) uint32 { return t[i] }
func distAt(t *[distEntries]uint32, i uint64) uint32     { return t[i] }

func belowAt(t *[32]uint64, i uint32) uint64 { return t[i] }

// pointer is a place in a buffer. Its accesses are checked: for machines that are big-endian or
// load words only from their multiples, and for the build tag safe, which shows a wrong bound as
// a panic.
type pointer struct {
	b  []byte
	at int
}

func pointerTo(b []byte, i int) pointer { return pointer{b, i} }

func (p pointer) u64(i int) uint64 {
	i += p.at
	return binary.LittleEndian.Uint64(p.b[i : i+8])
}

func (p pointer) put64(i int, v uint64) {
	i += p.at
	binary.LittleEndian.PutUint64(p.b[i:i+8], v)
}

func (p pointer) copy40(from pointer) {
	for i := 0; i < 40; i += 8 {
		p.put64(i, from.u64(i))
	}
}

func (p pointer) u8(i int) byte      { return p.b[p.at+i] }
func (p pointer) put8(i int, v byte) { p.b[p.at+i] = v }
func (p pointer) move(n int) pointer { return pointer{p.b, p.at + n} }
func (p pointer) index(_ []byte) int { return p.at }
func (p pointer) until(m mark) int   { return int(m) - p.at }
func (p pointer) since(m mark) int   { return p.at - int(m) }

// mark is a place that is compared only.
type mark int

func markOf(_ []byte, i int) mark { return mark(i) }

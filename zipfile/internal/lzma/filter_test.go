package lzma

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// undelta undoes a delta filter.
func undelta(distance int, p []byte) []byte {
	p = bytes.Clone(p)
	for i := distance; i < len(p); i++ {
		p[i] += p[i-distance]
	}
	return p
}

// applyDelta is the filter itself.
func applyDelta(distance int, p []byte) []byte {
	q := bytes.Clone(p)
	for i := distance; i < len(p); i++ {
		q[i] -= p[i-distance]
	}
	return q
}

// The filters, as an encoder has them: bit by bit, for all of a stream.

func putBits(v uint32, from, n int, bits uint32) uint32 {
	mask := uint32(1<<n-1) << from
	return v&^mask | bits<<from&mask
}

func getBits(v uint32, from, n int) uint32 { return v >> from & (1<<n - 1) }

func applyBranch(id uint64, at uint32, p []byte) []byte {
	b := bytes.Clone(p)
	le, be := binary.LittleEndian, binary.BigEndian
	words := func(f func(p []byte, here uint32)) {
		for i := 0; i+4 <= len(b); i += 4 {
			f(b[i:], at+uint32(i))
		}
	}
	switch id {
	case filterARM:
		words(func(p []byte, here uint32) {
			if v := le.Uint32(p); p[3] == 0xeb {
				le.PutUint32(p, putBits(v, 0, 24, (getBits(v, 0, 24)<<2+here+8)>>2))
			}
		})
	case filterARM64:
		words(func(p []byte, here uint32) {
			v := le.Uint32(p)
			if getBits(v, 26, 6) == 0x25 {
				v = putBits(v, 0, 26, getBits(v, 0, 26)+here>>2)
			} else if getBits(v, 31, 1) == 1 && getBits(v, 24, 5) == 0x10 {
				page := getBits(v, 5, 19)<<2 | getBits(v, 29, 2)
				if high := getBits(page, 17, 4); high != 0 && high != 15 {
					return
				}
				page += here >> 12
				v = putBits(v, 29, 2, page)
				v = putBits(v, 5, 16, page>>2)
				v = putBits(v, 21, 3, -getBits(page, 17, 1))
			}
			le.PutUint32(p, v)
		})
	case filterPowerPC:
		words(func(p []byte, here uint32) {
			if v := be.Uint32(p); v>>26 == 18 && v&3 == 1 {
				be.PutUint32(p, putBits(v, 2, 24, getBits(v, 2, 24)+here>>2))
			}
		})
	case filterSPARC:
		words(func(p []byte, here uint32) {
			v := be.Uint32(p)
			if v>>22 == 0x100 || v>>22 == 0x1ff {
				v += here >> 2
				v = putBits(v, 30, 2, 1)
				v = putBits(v, 22, 8, -getBits(v, 22, 1))
				be.PutUint32(p, v)
			}
		})
	case filterARMThumb:
		for i := 0; i+4 <= len(b); i += 2 {
			v, w := uint32(le.Uint16(b[i:])), uint32(le.Uint16(b[i+2:]))
			if v>>11 == 0x1e && w>>11 == 0x1f {
				to := getBits(v, 0, 11)<<11 | getBits(w, 0, 11)
				to += (at + uint32(i) + 4) >> 1
				le.PutUint16(b[i:], uint16(putBits(v, 0, 11, to>>11)))
				le.PutUint16(b[i+2:], uint16(putBits(w, 0, 11, to)))
				i += 2
			}
		}
	case filterIA64:
		for i := 0; i+16 <= len(b); i += 16 {
			applyIA64(b[i:i+16], at+uint32(i))
		}
	case filterRISCV:
		applyRISCV(b, at)
	case filterX86:
		applyX86(b, at)
	}
	return b
}

func applyIA64(b []byte, here uint32) {
	branch := map[byte][]int{
		0x10: {2}, 0x11: {2}, 0x12: {1, 2}, 0x13: {1, 2}, 0x16: {0, 1, 2}, 0x17: {0, 1, 2},
		0x18: {2}, 0x19: {2}, 0x1c: {2}, 0x1d: {2},
	}
	bit := func(i int) uint32 { return uint32(b[i/8] >> (i % 8) & 1) }
	field := func(from, n int) (v uint32) {
		for i := range n {
			v |= bit(from+i) << i
		}
		return v
	}
	for _, s := range branch[b[0]&31] {
		in := 5 + 41*s
		if field(in+37, 4) != 5 || field(in+9, 3) != 0 {
			continue
		}
		to := field(in+13, 20) | field(in+36, 1)<<20
		to += here >> 4
		for i := range 21 {
			k := in + 13 + i
			if i == 20 {
				k = in + 36
			}
			b[k/8] = b[k/8]&^(1<<(k%8)) | byte(to>>i&1)<<(k%8)
		}
	}
}

func applyRISCV(b []byte, at uint32) {
	le := binary.LittleEndian
	for i := 0; i+8 <= len(b); {
		here := at + uint32(i)
		v := le.Uint32(b[i:])
		register := getBits(v, 7, 5)
		if getBits(v, 0, 7) == 0x6f && (register == 1 || register == 5) {
			to := getBits(v, 21, 10)<<1 | getBits(v, 20, 1)<<11 | getBits(v, 12, 8)<<12 | getBits(v, 31, 1)<<20
			to += here
			b[i+1] = b[i+1]&15 | byte(to>>13)&0xf0
			b[i+2], b[i+3] = byte(to>>9), byte(to>>1)
			i += 4
			continue
		}
		if getBits(v, 0, 7) != 0x17 {
			i += 2
			continue
		}
		if register != 0 && register != 2 {
			w := le.Uint32(b[i+4:])
			if getBits(w, 0, 2) != 3 || getBits(w, 15, 5) != register {
				i += 6
				continue
			}
			to := v&^0xfff + uint32(int32(w)>>20) + here
			le.PutUint32(b[i:], 0x117|w<<12)
			binary.BigEndian.PutUint32(b[i+4:], to)
			i += 8
			continue
		}
		if fake := v >> 27; getBits(v, 0, 14) != 0x3117 || fake == 0 || fake == 2 {
			i += 4
			continue
		}
		w := le.Uint32(b[i+4:])
		le.PutUint32(b[i:], 0x17|v>>27<<7|w&^0xfff)
		le.PutUint32(b[i+4:], v>>12|w<<20)
		i += 8
	}
}

// applyX86 keeps the positions of the opcodes that it left alone.
func applyX86(b []byte, at uint32) {
	extreme := func(c byte) bool { return c == 0 || c == 0xff }
	left := map[int]bool{} // whether the highest byte is 00 or FF
	for i := 0; i+5 <= len(b); i++ {
		if b[i] != 0xe8 && b[i] != 0xe9 {
			continue
		}
		near, spoilt := 0, false
		before := 0
		for k := 1; k <= 3; k++ {
			if e, ok := left[i-k]; ok {
				near++
				before = k
				spoilt = spoilt || e
			}
		}
		top := extreme(b[i+4])
		if !top || near > 1 || spoilt {
			left[i] = top
			continue
		}
		v := binary.LittleEndian.Uint32(b[i+1:])
		for {
			v += at + uint32(i) + 5
			if before == 0 || !extreme(byte(v>>(24-8*before))) {
				break
			}
			v ^= 1<<(32-8*before) - 1
		}
		v = putBits(v, 25, 7, -getBits(v, 24, 1))
		binary.LittleEndian.PutUint32(b[i+1:], v)
		clear(left)
		i += 4
	}
}

// code is bytes that are dense with what the filter looks for.
func code(id uint64, n int) []byte {
	r := rand.New(rand.NewPCG(id, 20))
	var b []byte
	le := func(v uint32) { b = binary.LittleEndian.AppendUint32(b, v) }
	be := func(v uint32) { b = binary.BigEndian.AppendUint32(b, v) }
	for len(b) < n {
		v := r.Uint32()
		switch id {
		case filterX86:
			choice := []byte{0xe8, 0xe9, 0, 0xff, 0xe8, byte(v)}
			b = append(b, choice[v>>8%6], choice[v>>16%6])
			if v>>28 < 8 {
				b = append(b, 0xe8, byte(v>>8), byte(v>>16), byte(v>>24), -byte(v>>1&1))
			}
		case filterARM:
			le(putBits(v, 24, 8, 0xe0|v%12))
		case filterARM64:
			switch v >> 30 {
			case 0:
				le(putBits(v, 26, 6, 0x25))
			default:
				le(putBits(putBits(v, 24, 8, 0x90|v>>3&0x60), 21, 3, -(v >> 29 & 1)))
			}
		case filterPowerPC:
			be(putBits(putBits(v, 26, 6, 18), 0, 2, v>>4&1))
		case filterSPARC:
			be(putBits(v, 22, 10, []uint32{0x100, 0x1ff, 0x101, v}[v>>20&3]))
		case filterARMThumb:
			b = append(b, byte(v), byte(0xf0|v>>8&15), byte(v>>16))
			if v>>29 > 0 {
				b = append(b, byte(0xf8|v>>24&7))
			}
		case filterIA64:
			w := make([]byte, 16)
			for i := range w {
				w[i] = byte(r.Uint32())
			}
			for s := range 3 {
				if r.IntN(4) == 0 {
					continue
				}
				for i, want := range map[int]byte{9: 0, 10: 0, 11: 0, 37: 1, 38: 0, 39: 1, 40: 0} {
					k := 5 + 41*s + i
					w[k/8] = w[k/8]&^(1<<(k%8)) | want<<(k%8)
				}
			}
			b = append(b, w...)
		case filterRISCV:
			register := []uint32{1, 5, 2, 0, 10, 7}[v%6]
			switch r.IntN(4) {
			case 0:
				le(putBits(putBits(v, 0, 7, 0x6f), 7, 5, register))
			case 1:
				le(putBits(putBits(v, 0, 7, 0x17), 7, 5, register))
				le(putBits(putBits(r.Uint32(), 0, 2, 3), 15, 5, register))
			case 2:
				le(putBits(putBits(v, 0, 14, 0x3117), 27, 5, v>>14%6))
				le(r.Uint32())
			default:
				b = append(b, byte(v), byte(v>>8))
			}
		default:
			b = append(b, byte(v), byte(v>>8))
		}
	}
	return b
}

var branchFilters = []struct {
	name string
	id   uint64
}{
	{"x86", filterX86}, {"PowerPC", filterPowerPC}, {"IA-64", filterIA64}, {"ARM", filterARM},
	{"ARM Thumb", filterARMThumb}, {"SPARC", filterSPARC}, {"ARM64", filterARM64}, {"RISC-V", filterRISCV},
}

// filterSamples are files with filters.
func filterSamples() (all []sample) {
	add := func(name string, want, filtered []byte, filters ...xzFilter) {
		x := xzStream{check: 1, blocks: []xzBlock{{dict: 12, filters: filters, data: storedLZMA2(filtered), want: want}}}
		all = append(all, sample{name: name, src: x.bytes(), want: want})
	}
	for _, f := range branchFilters {
		// Lengths with all remainders, at the end of the buffer too.
		for i, n := range []int{0, 1, 4, 5, 7, 8, 9, 15, 16, 17, 1000, 65536, 65537, 140003} {
			p := code(f.id, n)[:n]
			at := uint32(i) * 0x7ffff0
			properties := binary.LittleEndian.AppendUint32(nil, at)
			if i%2 == 0 {
				at, properties = 0, nil
			}
			add(fmt.Sprint(f.name, " ", n), p, applyBranch(f.id, at, p), xzFilter{f.id, properties})
		}
	}
	for _, distance := range []int{1, 2, 3, 255, 256} {
		p := words(140000)
		add(fmt.Sprint("delta ", distance), p, applyDelta(distance, p), xzFilter{filterDelta, []byte{byte(distance - 1)}})
	}
	for i, n := range []int{0, 3, 20, 100000, 150007} {
		p := code(filterX86, n)[:n]
		a, b := filterIA64, filterRISCV
		if i%2 == 0 {
			a, b = b, a
		}
		filtered := applyBranch(uint64(b), 0, applyBranch(uint64(a), 0, applyBranch(filterX86, 0, p)))
		add(fmt.Sprint("three ", n), p, filtered, xzFilter{filterX86, nil}, xzFilter{uint64(a), nil}, xzFilter{uint64(b), nil})
	}
	p := code(filterARM64, 100000)
	add("delta and ARM64", p, applyBranch(filterARM64, 0, applyDelta(4, p)), xzFilter{filterDelta, []byte{3}}, xzFilter{filterARM64, nil})
	return all
}

// TestBranchFilters: the samples hold what the filters change, and each filter is undone however the
// bytes come.
func TestBranchFilters(t *testing.T) {
	t.Parallel()
	for _, f := range branchFilters {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			want := code(f.id, 20000)
			filtered := applyBranch(f.id, 4096, want)
			changed := 0
			for i := range want {
				if want[i] != filtered[i] {
					changed++
				}
			}
			assert.Greater(t, changed, len(want)/40)
			r := rand.New(rand.NewPCG(f.id, 3))
			for _, most := range []int{1, 5, 100, 20000} {
				undo, err := newFilter(f.id, []byte{0, 16, 0, 0})
				require.NoError(t, err)
				got := bytes.Clone(filtered)
				for from, to := 0, 0; to < len(got); {
					to = min(to+1+r.IntN(most), len(got))
					from += undo.decode(got[from:to])
				}
				require.True(t, bytes.Equal(want, got), most)
			}
		})
	}
}

// TestX86Extremes: addresses whose bytes are 00 and FF next to each other, at positions where the
// change of an address carries.
func TestX86Extremes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, at := range []uint32{0, 1, 250, 0xfffffb, 0xfffffff0, 1 << 24, 0xfefefefe} {
		for range 3000 {
			p := make([]byte, 24)
			for i := range p {
				p[i] = []byte{0, 0xff, 0xe8, 0xe9, 1, 0xfe}[r.IntN(6)]
			}
			undo := &x86{at: at}
			got := applyBranch(filterX86, at, p)
			undo.decode(got)
			require.Equal(t, p, got)
		}
	}
}

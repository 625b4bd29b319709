package lzma

import (
	"encoding/binary"
	"math/bits"
)

// Filters for machine code. Compilers write where a call leads as a distance from the
// instruction; a filter makes an absolute address of it, which is the same in each call of the
// same function. These make it a distance again.

// branches is a filter without a state.
type branches struct {
	at      uint32                        // the address of the next byte
	convert func(b []byte, at uint32) int // see filter.decode
}

func (f *branches) decode(b []byte) int {
	n := f.convert(b, f.at)
	f.at += uint32(n)
	return n
}

// arm: BL in all conditions, 24 bits of words, counted from 8 behind.
func arm(b []byte, at uint32) (i int) {
	for ; i+4 <= len(b); i += 4 {
		if v := binary.LittleEndian.Uint32(b[i:]); v>>24 == 0xeb {
			to := v - (at+uint32(i)+8)>>2
			binary.LittleEndian.PutUint32(b[i:], v&^0xffffff|to&0xffffff)
		}
	}
	return i
}

// armThumb: BL in two halves with 11 bits each, counted in half-words from 4 behind.
func armThumb(b []byte, at uint32) (i int) {
	for ; i+4 <= len(b); i += 2 {
		v := binary.LittleEndian.Uint32(b[i:])
		if v&0xf800f800 != 0xf800f000 {
			continue
		}
		to := v&0x7ff<<11 | v>>16&0x7ff
		to -= (at + uint32(i) + 4) >> 1
		v = 0xf800f000 | to>>11&0x7ff | to&0x7ff<<16
		binary.LittleEndian.PutUint32(b[i:], v)
		i += 2
	}
	return i
}

// arm64: BL with 26 bits of words, and ADRP with 21 bits of pages where it leads 512 MiB far at
// most: the filter leaves others alone, so that data are rarely taken for it.
func arm64(b []byte, at uint32) (i int) {
	for ; i+4 <= len(b); i += 4 {
		v := binary.LittleEndian.Uint32(b[i:])
		here := at + uint32(i)
		if v>>26 == 0x94>>2 {
			v = v&^0x3ffffff | (v-here>>2)&0x3ffffff
		} else if v&0x9f000000 == 0x90000000 {
			page := v>>29&3 | v>>3&0x1ffffc
			if (page+0x20000)&0x1c0000 != 0 {
				continue
			}
			page = uint32(int32((page-here>>12)<<14) >> 14) // 18 bits and a sign
			v = v&0x9000001f | page&3<<29 | page&0x1ffffc<<3
		} else {
			continue
		}
		binary.LittleEndian.PutUint32(b[i:], v)
	}
	return i
}

// powerPC: bl with 24 bits of words.
func powerPC(b []byte, at uint32) (i int) {
	for ; i+4 <= len(b); i += 4 {
		if v := binary.BigEndian.Uint32(b[i:]); v&0xfc000003 == 0x48000001 {
			binary.BigEndian.PutUint32(b[i:], 0x48000001|(v-at-uint32(i))&0x3fffffc)
		}
	}
	return i
}

// sparc: call with 30 bits of words, of which the filter takes those with 22 bits and a sign.
func sparc(b []byte, at uint32) (i int) {
	for ; i+4 <= len(b); i += 4 {
		v := binary.BigEndian.Uint32(b[i:])
		if top := v >> 22; top != 0x100 && top != 0x1ff {
			continue
		}
		to := v - (at+uint32(i))>>2
		to = uint32(int32(to<<9)>>9) & 0x3fffffff
		binary.BigEndian.PutUint32(b[i:], 0x40000000|to)
	}
	return i
}

// ia64: br.call with 21 bits of bundles, in bundles of 16 bytes: 5 bits that say of which kinds
// the three instructions are, and 41 bits for each.
func ia64(b []byte, at uint32) (i int) {
	// Which of the instructions can be branches, for each of the 32 bundles.
	const slots = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x04\x04\x06\x06\x00\x00\x07\x07\x04\x04\x00\x00\x04\x04\x00\x00"
	for ; i+16 <= len(b); i += 16 {
		can := slots[b[i]&31]
		for s := range 3 {
			if can>>s&1 == 0 {
				continue
			}
			bit := 5 + 41*s
			// The 8 bytes that end with the instruction's last, or begin with its first.
			p := b[i+min(bit>>3, 8):][:8]
			shift := bit - 8*min(bit>>3, 8)
			v := binary.LittleEndian.Uint64(p)
			in := v >> shift
			if in>>37&15 != 5 || in>>9&7 != 0 {
				continue
			}
			to := uint32(in>>13&0xfffff | in>>36&1<<20)
			to -= (at + uint32(i)) >> 4
			const field = 0xfffff<<13 | 1<<36
			in = uint64(to)&0xfffff<<13 | uint64(to)>>20&1<<36
			v = v&^(field<<shift) | in<<shift
			binary.LittleEndian.PutUint64(p, v)
		}
	}
	return i
}

// riscV: JAL that sets x1 or x5, with 20 bits of half-words; and AUIPC with the instruction
// behind it that adds the low bits of the address. Of such a pair the filter makes an AUIPC of x2,
// which does not occur, with the second instruction in its upper bits, and the address,
// big-endian. A real AUIPC of x2 that looks like that is made to look like another pair.
func riscV(b []byte, at uint32) (i int) {
	const auipc, x2 = 0x17, 2 << 7
	for i+8 <= len(b) {
		v := binary.LittleEndian.Uint32(b[i:])
		here := at + uint32(i)
		if v&0xdff == 0xef {
			to := (v>>12&15<<17 | v>>16&0xff<<9 | v>>24<<1) - here
			v = v&0xfff | to&0xff000 | to>>11&1<<20 | to>>1&0x3ff<<21 | to>>20&1<<31
			binary.LittleEndian.PutUint32(b[i:], v)
			i += 4
			continue
		}
		if v&0x7f != auipc {
			i += 2
			continue
		}
		var w uint32
		if v&0xe80 != 0 { // of another register than x0 and x2
			w = binary.LittleEndian.Uint32(b[i+4:])
			if (v<<8^w)&0xf8003 != 3 { // the second does not use it
				i += 6
				continue
			}
			v, w = auipc|x2|w<<12, v&^0xfff+w>>20
		} else {
			base := v >> 27
			if v&0x3fff != auipc|x2|3<<12 || base&0x1d == 0 {
				i += 4
				continue
			}
			to := binary.BigEndian.Uint32(b[i+4:]) - here
			v, w = auipc|base<<7|(to+0x800)&^0xfff, v>>12|to<<20
		}
		binary.LittleEndian.PutUint32(b[i:], v)
		binary.LittleEndian.PutUint32(b[i+4:], w)
		i += 8
	}
	return i
}

// x86: CALL and JMP with 32 bits, counted from behind them, whose highest byte is 00 or FF. A
// byte that is their opcode may also be part of another instruction; so the filter looks at
// those up to 3 bytes before which it left alone.
type x86 struct {
	at uint32
	// Bit k of left is an opcode k bytes before the next byte, and of signed whether it has a
	// highest byte 00 or FF.
	left, signed uint32
}

func (f *x86) decode(b []byte) int {
	i, last := 0, 0 // left and signed are those of last
	for i+5 <= len(b) {
		if b[i]&0xfe != 0xe8 {
			i++
			continue
		}
		f.move(i - last)
		last = i
		if top := b[i+4]; top != 0 && top != 0xff {
			f.left |= 1
			i++
			continue
		}
		if f.signed != 0 || f.left&(f.left-1) != 0 {
			f.left |= 1
			f.signed |= 1
			i++
			continue
		}
		here := f.at + uint32(i) + 5
		to := binary.LittleEndian.Uint32(b[i+1:]) - here
		if f.left != 0 {
			// The highest byte of the opcode before lies in this address. The filter took care that
			// it does not become 00 or FF, which it was not.
			n := 32 - 8*bits.TrailingZeros32(f.left)
			if top := byte(to >> (n - 8)); top == 0 || top == 0xff {
				to = to ^ (1<<n - 1) - here
			}
		}
		binary.LittleEndian.PutUint32(b[i+1:], uint32(int32(to<<7)>>7))
		f.left, f.signed = 0, 0
		i += 5
		last = i
	}
	f.move(i - last)
	f.at += uint32(i)
	return i
}

// move goes n bytes on.
func (f *x86) move(n int) {
	f.left = f.left << min(n, 4) & 0xe
	f.signed = f.signed << min(n, 4) & 0xe
}

package lzma

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestXZReaderMalformed: files with one thing wrong.
func TestXZReaderMalformed(t *testing.T) {
	t.Parallel()
	text := words(300)
	valid := textBlock(text)
	file := func(edit func(x *xzStream)) []byte {
		x := xzStream{check: 1, blocks: []xzBlock{valid, valid}}
		edit(&x)
		return x.bytes()
	}
	// block edits the second of two blocks.
	block := func(edit func(b *xzBlock)) []byte {
		return file(func(x *xzStream) { edit(&x.blocks[1]) })
	}
	raw := func(edit func(h []byte) []byte) []byte {
		return block(func(b *xzBlock) { b.raw = edit(b.header()) })
	}
	told := func(packed, size int64) []byte {
		return block(func(b *xzBlock) { b.sizes, b.packed, b.size = true, packed, size })
	}
	filters := func(f ...xzFilter) []byte { return block(func(b *xzBlock) { b.filters = f }) }
	flip := func(src []byte, at int) []byte {
		if at < 0 {
			at += len(src)
		}
		src[at] ^= 0x10
		return src
	}
	same := func(*xzStream) {}
	header := func(b ...byte) []byte { return padded(append([]byte{byte((len(b) + 4) / 4)}, b...)) }
	first := streamHeaderLen + len(sealed(valid.header())) + len(padded(valid.data)) + 4
	sizes := func() []byte {
		b := appendNumber(nil, uint64(len(valid.header())+4+len(valid.data)+4))
		return appendNumber(b, uint64(len(valid.want)))
	}()
	for _, c := range []struct {
		name string
		src  []byte
		want error
		out  int // bytes given before
	}{
		{"nothing", nil, io.ErrUnexpectedEOF, 0},
		{"no magic", []byte("\xfd7zXY"), errMagic, 0},
		{"no magic at all", words(40), errMagic, 0},
		{"zeros before", append(make([]byte, 4), file(same)...), errMagic, 0},
		{"stream flags", file(func(x *xzStream) { x.flags = []byte{1, 1} }), ErrUnsupported, 0},
		{"check 16", file(func(x *xzStream) { x.flags = []byte{0, 16} }), ErrUnsupported, 0},
		{"stream header CRC", flip(file(same), 8), errHeaderCRC, 0},
		{"block header CRC", flip(file(same), first+1), errHeaderCRC, 300},

		{"block flags", raw(func(h []byte) []byte { h[1] |= 4; return h }), ErrUnsupported, 300},
		{"block header with more fields", raw(func(h []byte) []byte { h[len(h)-1] = 1; return h }), ErrUnsupported, 300},
		{"more filters than there are", raw(func(h []byte) []byte { h[1] |= 3; return h }), ErrUnsupported, 300},
		{"filters beyond the header", raw(func([]byte) []byte { return header(3, 3, 1, 0, 3, 1, 0) }), errNumber, 300},
		{"properties beyond the header", raw(func([]byte) []byte { return header(0, 0x21, 5, 0) }), errHeader, 300},
		{"number that is too long", raw(func([]byte) []byte {
			return header(0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1)
		}), errNumber, 300},
		{"number in a longer form", raw(func([]byte) []byte { return header(0, 0xa1, 0, 1, 0) }), errNumber, 300},
		{"number without end", raw(func([]byte) []byte { return header(0x40, 0xff, 0xff) }), errNumber, 300},
		{"size without end", raw(func([]byte) []byte { return header(0x80, 0xff, 0xff) }), errNumber, 300},
		{"filter without end", raw(func([]byte) []byte { return header(0, 0xff, 0xff) }), errNumber, 300},
		{"properties without end", raw(func([]byte) []byte { return header(0, 0x21, 0xff) }), errNumber, 300},
		{"header of 4 words, all zero", raw(func([]byte) []byte { return append([]byte{4}, make([]byte, 15)...) }), ErrUnsupported, 300},
		{"compressed size 0", raw(func([]byte) []byte { return header(0x40, 0, 0x21, 1, 20) }), errHeader, 300},
		{"compressed size less", told(int64(len(valid.data)-1), 300), errSizes, 600},
		{"compressed size more", told(int64(len(valid.data)+1), 300), errSizes, 600},
		{"compressed size far more", told(1<<62, 300), errSizes, 600},
		{"size less", told(0, 299), errSizes, 599},
		{"size more", told(0, 301), errSizes, 600},
		{"size far more", told(0, 1<<62), errSizes, 600},

		{"no LZMA2", raw(func([]byte) []byte { return header(0, 3, 1, 0) }), ErrUnsupported, 300},
		{"LZMA2 not at the end", filters(xzFilter{filterLZMA2, []byte{20}}), ErrUnsupported, 300},
		{"LZMA", filters(xzFilter{0x4000000000000001, make([]byte, 5)}), ErrUnsupported, 300},
		{"unknown filter", filters(xzFilter{0x0c, nil}), ErrUnsupported, 300},
		{"filter number 2 to the 62", filters(xzFilter{1 << 62, nil}), ErrUnsupported, 300},
		{"LZMA2 without properties", raw(func([]byte) []byte { return header(0, 0x21, 0) }), ErrUnsupported, 300},
		{"dictionary 41", block(func(b *xzBlock) { b.dict = 41 }), ErrUnsupported, 300},
		{"dictionary with reserved bits", block(func(b *xzBlock) { b.dict = 0x54 }), ErrUnsupported, 300},
		{"delta without properties", filters(xzFilter{filterDelta, nil}), ErrUnsupported, 300},
		{"x86 with 1 byte", filters(xzFilter{filterX86, []byte{1}}), ErrUnsupported, 300},
		{"PowerPC from 2", filters(xzFilter{filterPowerPC, []byte{2, 0, 0, 0}}), ErrUnsupported, 300},
		{"IA-64 from 8", filters(xzFilter{filterIA64, []byte{8, 0, 0, 0}}), ErrUnsupported, 300},
		{"ARM Thumb from 1", filters(xzFilter{filterARMThumb, []byte{1, 0, 0, 0}}), ErrUnsupported, 300},

		{"padding of a block", block(func(b *xzBlock) {
			*b = textBlock(text[:299])
			b.pad = bytes.Repeat([]byte{1}, -len(b.data)&3)
			if len(b.pad) == 0 {
				panic("no padding")
			}
		}), errPadding, 599},
		{"check", block(func(b *xzBlock) { b.check = make([]byte, 4) }), errCheckFailed, 600},
		{"CRC-64", file(func(x *xzStream) { x.check, x.blocks[1].check = 4, make([]byte, 8) }), errCheckFailed, 600},
		{"SHA-256", file(func(x *xzStream) { x.check, x.blocks[1].check = 10, make([]byte, 32) }), errCheckFailed, 600},
		{"check of unknown kind", file(func(x *xzStream) { x.check, x.blocks[1].check = 5, words(8) }), nil, 600},

		{"index of fewer blocks", file(func(x *xzStream) { x.index = append([]byte{0, 1}, sizes...) }), errIndex, 600},
		{"index of more blocks", file(func(x *xzStream) {
			x.index = append(append(append([]byte{0, 3}, sizes...), sizes...), sizes...)
		}), errIndex, 600},
		{"index of other sizes", file(func(x *xzStream) {
			x.index = append(append([]byte{0, 2}, sizes...), sizes...)
			x.index[len(x.index)-1]++
		}), errIndex, 600},
		{"index of very many blocks", file(func(x *xzStream) {
			x.index = appendNumber([]byte{0}, 1<<63-1)
		}), errIndex, 600},
		{"number of blocks in a longer form", file(func(x *xzStream) { x.index = append([]byte{0, 0x82, 0}, sizes...) }), errNumber, 600},
		{"size in a longer form", file(func(x *xzStream) { x.index = []byte{0, 2, 0x82, 0} }), errNumber, 600},
		{"index CRC", flip(file(same), -streamFooterLen-1), errHeaderCRC, 600},
		{"index padding", file(func(x *xzStream) {
			x.index = append(append([]byte{0, 2}, sizes...), sizes...)
			if len(x.index)%4 == 0 {
				panic("no padding")
			}
			x.index = append(x.index, 1)
		}), errPadding, 600},
		{"footer CRC", flip(file(same), -streamFooterLen), errFooter, 600},
		{"footer magic", file(func(x *xzStream) { x.end = "ZY" }), errFooter, 600},
		{"footer flags", file(func(x *xzStream) { x.footer = []byte{4, 0, 0, 0, 0, 4} }), errFooter, 600},
		{"footer of another index", file(func(x *xzStream) { x.footer = []byte{40, 0, 0, 0, 0, 1} }), errFooter, 600},
		{"footer of a huge index", file(func(x *xzStream) { x.footer = []byte{255, 255, 255, 255, 0, 1} }), errFooter, 600},
		{"second stream", append(file(same), []byte(headerMagic+"123456")...), errHeaderCRC, 600},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := decodeXZ(bytes.NewReader(c.src), 600, 0)
			assert.ErrorIs(t, got.err, c.want)
			assert.Len(t, got.out, c.out)
			again := decodeXZ(iotest.OneByteReader(bytes.NewReader(c.src)), 600, 0)
			assert.Equal(t, got.err, again.err)
			assert.Equal(t, got.out, again.out)
		})
	}
}

// TestLZMA2Malformed: chunks with one thing wrong.
func TestLZMA2Malformed(t *testing.T) {
	t.Parallel()
	text := words(300)
	// chunk is an LZMA chunk of text with its header, of 6 bytes.
	chunk := func(reset int) []byte {
		c := newChunkEncoder()
		c.encoder.text(text)
		c.coded(reset)
		return c.all
	}
	edit := func(at int, b byte) []byte {
		p := chunk(resetDict)
		if at < 0 {
			at += len(p)
		}
		p[at] = b
		return p
	}
	symbols := func(write func(c *chunkEncoder)) []byte {
		c := newChunkEncoder()
		write(c)
		return c.all
	}
	full := chunk(resetDict)
	length := len(full) - 6
	stored := []byte{1, 0, 2, 'a', 'b', 'c'}
	join := func(p ...[]byte) []byte { return append(bytes.Join(p, nil), 0) }
	for _, c := range []struct {
		name string
		data []byte
		want error
		out  int
	}{
		{"valid", join(full), nil, 300},
		{"nothing", []byte{0}, nil, 0},
		{"control 3", join(stored, []byte{3, 0, 0, 1}), errControl, 3},
		{"control 0x7f", join(stored, []byte{0x7f, 0, 0, 1}), errControl, 3},
		{"stored without a dictionary", join([]byte{2, 0, 0, 1}), errReset, 0},
		{"LZMA without a dictionary", join(chunk(resetProperties)), errReset, 0},
		{"LZMA without properties", join(stored, chunk(resetNothing)), errReset, 3},
		{"LZMA without properties, but a reset", join(stored, chunk(resetModels)), errReset, 3},
		{"LZMA without properties behind a dropped dictionary", join(full, stored, chunk(resetModels)), errReset, 303},
		{"LZMA behind a stored chunk", join(symbols(func(c *chunkEncoder) {
			c.stored([]byte("abc"), true)
			c.encoder.text(text)
			c.coded(resetProperties)
		})), nil, 303},
		{"properties 225", join(edit(5, 225)), errProperties, 0},
		{"lc+lp of 5", join(edit(5, (0*5+1)*9+4)), errProperties, 0},
		{"coder starts with 1", join(edit(6, 1)), errCoder, 0},
		{"4 compressed bytes", join([]byte{0xe0, 0, 0, 0, 3, 0x5d}, make([]byte, 4)), errChunk, 0},
		{"5 compressed bytes, of zero", join([]byte{0xe0, 0, 0, 0, 4, 0x5d}, make([]byte, 5)), errChunk, 0},
		{"6 compressed bytes, of zero", join([]byte{0xe0, 0, 0, 0, 5, 0x5d}, make([]byte, 6)), nil, 1},
		{"compressed size less", join(edit(4, byte(length-2))), errChunk, 293},
		{"compressed size more", join(edit(4, byte(length)), []byte{0}), errChunk, 300},
		{"size less", join(edit(2, 280&0xff)), errChunk, 281},
		{"size more", join(edit(2, 310&0xff)), errChunk, 300},
		{"coder in another state", join(edit(-1, full[len(full)-1]+1)), errChunk, 300},
		{"end marker", join(symbols(func(c *chunkEncoder) {
			c.literal(1)
			c.endMarker()
			c.data = append(c.data, 1) // declared
			c.coded(resetDict)
		})), errEndMarker, 1},
		{"match before the beginning", join(full, symbols(func(c *chunkEncoder) {
			c.match(1, 2)
			c.coded(resetDict)
		})), errTooFar, 300},
		{"match into the last chunk", join(full, symbols(func(c *chunkEncoder) {
			c.match(300, 2)
			c.coded(resetProperties)
		})), nil, 302},
		{"match beyond the last chunk", join(full, symbols(func(c *chunkEncoder) {
			c.match(301, 2)
			c.coded(resetProperties)
		})), errTooFar, 300},
		{"match before a dropped dictionary", join(full, stored, symbols(func(c *chunkEncoder) {
			c.match(4, 2)
			c.coded(resetProperties)
		})), errTooFar, 303},
		{"match beyond the dictionary", join(stored, []byte{2, 0x0f, 0xff}, make([]byte, 4096), symbols(func(c *chunkEncoder) {
			c.match(4097, 2)
			c.coded(resetProperties)
		})), errTooFar, 4099},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := make([]byte, c.out)
			if c.want == nil {
				got := decodeXZ(bytes.NewReader(xzFile(c.data, want)), -1, 0)
				want = got.out
			}
			got := decodeXZ(bytes.NewReader(xzFile(c.data, want)), -1, 0)
			require.Equal(t, c.want, got.err)
			assert.Len(t, got.out, c.out)
			again := decodeXZ(iotest.OneByteReader(bytes.NewReader(xzFile(c.data, want))), -1, 0)
			assert.Equal(t, got.err, again.err)
			assert.True(t, bytes.Equal(got.out, again.out))
		})
	}
}

// xzFile is a file with one block.
func xzFile(lzma2, want []byte) []byte {
	x := xzStream{check: 1, blocks: []xzBlock{{data: lzma2, want: want}}}
	return x.bytes()
}

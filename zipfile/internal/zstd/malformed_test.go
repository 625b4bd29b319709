package zstd

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// le is n in so many bytes.
func le(n uint64, size int) []byte { return binary.LittleEndian.AppendUint64(nil, n)[:size] }

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// frameOf is a frame with a window of 1 KB and more for each unit of the descriptor, without size and checksum.
func frameOf(window byte, blocks ...[]byte) []byte {
	return join(le(magic, 4), []byte{0, window}, join(blocks...))
}

// singleOf is a frame of a single segment of n bytes, below 256.
func singleOf(n byte, blocks ...[]byte) []byte {
	return join(le(magic, 4), []byte{singleSegment, n}, join(blocks...))
}

// blockOf is a block that declares n bytes.
func blockOf(kind, n int, last bool, data ...[]byte) []byte {
	h := uint64(n<<3 | kind<<1)
	if last {
		h |= 1
	}
	return join(le(h, blockHeader), join(data...))
}

// compressedOf is the last block.
func compressedOf(parts ...[]byte) []byte {
	data := join(parts...)
	return blockOf(blockCompressed, len(data), true, data)
}

// rawLiterals are literals as they are, below 32.
func rawLiterals(s string) []byte { return append([]byte{byte(len(s)) << 3}, s...) }

// bitsOf writes fields of a value and a number of bits, to be read in that order from the end.
func bitsOf(fields ...[2]uint64) []byte {
	var b []bool
	for _, f := range slices.Backward(fields) {
		for i := range f[1] {
			b = append(b, f[0]>>i&1 == 1)
		}
	}
	b = append(b, true)
	p := make([]byte, (len(b)+7)/8)
	for i, set := range b {
		if set {
			p[i/8] |= 1 << (i % 8)
		}
	}
	return p
}

// rleSequences are count sequences of one symbol of each kind.
func rleSequences(count, ll, of, ml byte, fields ...[2]uint64) []byte {
	return join([]byte{count, modeRLE<<6 | modeRLE<<4 | modeRLE<<2, ll, of, ml}, bitsOf(fields...))
}

var noSequences = []byte{0}

// TestBuilt: what the tests below build is right where nothing is wrong with it.
func TestBuilt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		src  []byte
		want string
	}{
		{"nothing", nil, ""},
		{"no contents", frameOf(0, blockOf(blockRaw, 0, true)), ""},
		{"no contents, single", singleOf(0, blockOf(blockRaw, 0, true)), ""},
		{"raw", frameOf(0, blockOf(blockRaw, 3, true, []byte("abc"))), "abc"},
		{"RLE", singleOf(5, blockOf(blockRLE, 5, true, []byte("a"))), "aaaaa"},
		{"RLE of none", frameOf(0, blockOf(blockRLE, 0, true, []byte("a"))), ""},
		{"literals", frameOf(0, compressedOf(rawLiterals("abc"), noSequences)), "abc"},
		{"RLE literals", frameOf(0, compressedOf([]byte{3<<3 | literalsRLE, 'a'}, noSequences)), "aaa"},
		{"a match", frameOf(0, compressedOf(rawLiterals("abcd"), rleSequences(1, 3, 2, 1, [2]uint64{2, 2}))), "abcabcad"},
		{"offset 4", frameOf(0, compressedOf(rawLiterals("abcd"), rleSequences(1, 4, 1, 0, [2]uint64{0, 1}))), "abcdabc"},
		{"offset 1", frameOf(0, compressedOf(rawLiterals("ab"), rleSequences(2, 1, 0, 0))), "aaaabbbb"},
		{"offset 8 without literals", frameOf(0, blockOf(blockRaw, 8, false, []byte("abcdefgh")), compressedOf(rawLiterals(""), rleSequences(1, 0, 1, 0, [2]uint64{0, 1}))), "abcdefghabc"},
		{"a skippable frame", join(le(skippable+7, 4), le(3, 4), []byte("...")), ""},
		{"dictionary 0", join(le(magic, 4), []byte{3, 0}, le(0, 4), blockOf(blockRLE, 1, true, []byte("a"))), "a"},
		{"the unused bit", join(le(magic, 4), []byte{1 << 4, 0}, blockOf(blockRLE, 1, true, []byte("a"))), "a"},
		{"a large window", frameOf(0xff, blockOf(blockRLE, 1, true, []byte("a"))), "a"},
		{"checksum", join(le(magic, 4), []byte{hasChecksum, 0}, blockOf(blockRaw, 0, true), le(0x51d8e999, 4)), ""},
		{"long extra bits", frameOf(10<<3, blockOf(blockRLE, 1000, false, []byte("x")), compressedOf(rawLiterals(""),
			rleSequences(1, 0, 9, 52, [2]uint64{100, 9}, [2]uint64{0, 16}))), string(bytes.Repeat([]byte("x"), 1000+65539))},
	} {
		got, err := decodeBytes(c.src)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, string(got), c.name)
		agree(t, c.src)
	}
}

// TestMalformed: frames with one thing wrong.
func TestMalformed(t *testing.T) {
	t.Parallel()
	const window = 1 << 10
	zeros := bytes.Repeat([]byte{0}, 300)
	match := func(fields ...[2]uint64) []byte { return rleSequences(1, 0, 2, 0, fields...) }
	huffman := func(n, stored int, data ...[]byte) []byte {
		return compressedOf(le(uint64(literalsHuffman|n<<4|stored<<14), 3), join(data...), noSequences)
	}
	four := func(n, stored int, data ...[]byte) []byte {
		return compressedOf(le(uint64(literalsHuffman|1<<2|n<<4|stored<<14), 3), join(data...), noSequences)
	}
	modes := func(modes byte, tables ...byte) []byte {
		return frameOf(0, compressedOf(rawLiterals("a"), []byte{1, modes}, tables))
	}
	for _, c := range []struct {
		name string
		src  []byte
		want error
		text string
	}{
		{"no magic", []byte("hello"), errMagic, "it begins with 68 65 6c 6c, expected 28 b5 2f fd"},
		{"a byte", []byte("h"), errMagic, "it begins with 68"},
		{"junk behind", join(singleOf(0, blockOf(blockRaw, 0, true)), zeros), errMagic, "it begins with 00 00 00 00"},
		{"a byte behind", join(singleOf(0, blockOf(blockRaw, 0, true)), []byte{0}), errMagic, "it begins with 00"},
		{"version 0.7", join(le(0xfd2fb527, 4), zeros), ErrUnsupported, "zstd format of a version before 0.8"},
		{"version 0.1", join(le(0x1eb52ffd, 4), zeros), ErrUnsupported, "zstd format of a version before 0.8"},
		{"reserved bit", join(le(magic, 4), []byte{reservedBit, 0}, blockOf(blockRaw, 0, true)), errReserved, "descriptor 0x08"},
		{"dictionary", join(le(magic, 4), []byte{2, 0}, le(513, 2), blockOf(blockRaw, 0, true)), ErrUnsupported, "zstd dictionary 513 is not supported"},
		{"too few bytes", singleOf(3, blockOf(blockRaw, 2, true, zeros[:2])), errSize, "2 bytes, expected 3"},
		{"too many bytes", join(le(magic, 4), []byte{1 << 6, 0}, le(10, 2), blockOf(blockRLE, 266, false, zeros[:1]), blockOf(blockRaw, 1, true, zeros[:1])), errSize, "267 bytes, expected 266"},
		{"too many compressed", join(le(magic, 4), []byte{1 << 6, 0}, le(10, 2), blockOf(blockRLE, 260, false, zeros[:1]), compressedOf(rawLiterals("abcd"), match([2]uint64{0, 2}))), errSize, "it goes on after 266 bytes"},
		{"checksum", join(le(magic, 4), []byte{hasChecksum, 0}, blockOf(blockRaw, 0, true), le(1, 4)), errChecksum, "contents have 51d8e999, expected 00000001"},

		{"reserved block type", frameOf(0, blockOf(3, 0, true)), errBlockType, ""},
		{"long raw block", frameOf(0, blockOf(blockRaw, window+1, true, make([]byte, window+1))), errBlockSize, "1025 bytes, expected 1024 at most"},
		{"long RLE block", frameOf(0, blockOf(blockRLE, window+1, true, zeros[:1])), errBlockSize, "1025 bytes, expected 1024 at most"},
		{"long compressed block", frameOf(0, blockOf(blockCompressed, window+1, true, make([]byte, window+1))), errBlockSize, "1025 bytes"},
		{"block that gets long", frameOf(0, compressedOf(rawLiterals("ab"), rleSequences(1, 1, 0, 45, [2]uint64{510, 9}))), errBlockSize, "it goes on after 1024 bytes"},
		{"empty block", frameOf(0, compressedOf()), errBlock, ""},
		{"no sequences section", frameOf(0, compressedOf(rawLiterals("abc"))), errBlock, ""},
		{"no second byte of their number", frameOf(0, compressedOf(rawLiterals("abc"), []byte{200})), errBlock, ""},
		{"no third byte of their number", frameOf(0, compressedOf(rawLiterals("abc"), []byte{255, 1})), errBlock, ""},
		{"no modes", frameOf(0, compressedOf(rawLiterals("abc"), []byte{1})), errBlock, ""},

		{"literals cut", frameOf(0, compressedOf([]byte{31 << 3}, zeros[:3])), errBlock, ""},
		{"literals' header cut", frameOf(0, compressedOf([]byte{1 << 2})), errBlock, ""},
		{"literals' Huffman header cut", frameOf(0, compressedOf([]byte{literalsHuffman, 0})), errBlock, ""},
		{"too many literals", frameOf(0, compressedOf(le(3<<2|literalsRLE|(window+1)<<4, 3), zeros[:2])), errLiterals, "1025 bytes, expected 1024 at most"},
		{"too few literals", frameOf(0, compressedOf(rawLiterals("abc"), rleSequences(1, 4, 0, 0))), errLiterals, "3 bytes, expected 4 or more"},
		{"treeless", frameOf(0, compressedOf(le(literalsTreeless|4<<4|1<<14, 3), []byte{1}, noSequences)), errTreeless, ""},

		{"no weights", frameOf(0, huffman(4, 0)), errBlock, ""},
		{"weights cut", frameOf(0, huffman(4, 1, []byte{130})), errBlock, ""},
		{"weights of 0", frameOf(0, huffman(4, 2, []byte{128, 0})), errWeights, "no symbol has a code"},
		{"weight 12", frameOf(0, huffman(4, 2, []byte{128, 0xc0})), errWeights, "12, expected 11 at most"},
		{"weight 11", frameOf(0, huffman(4, 2, []byte{128, 0xb0})), errWeights, "no codes have"},
		{"12 bits", frameOf(0, huffman(4, 3, []byte{129, 0xbb, 0})), errWeights, "codes of 12 bits, expected 11 at most"},
		{"no last weight", frameOf(0, huffman(4, 3, []byte{130, 0x43, 0x10})), errWeights, "no last one"},
		{"no long code", frameOf(0, huffman(4, 2, []byte{128, 0x20})), errWeights, "no codes have the length"},
		{"no bits of weights", frameOf(0, huffman(4, 2, []byte{1, 0x10})), nil, ""},
		{"a Huffman stream", frameOf(0, huffman(4, 3, []byte{128, 0x10, 0x1a})), nil, "none"},
		{"no Huffman stream", frameOf(0, huffman(4, 2, []byte{128, 0x10})), errHuffman, ""},
		{"Huffman stream without end", frameOf(0, huffman(4, 3, []byte{128, 0x10, 0})), errHuffman, ""},
		{"Huffman stream too long", frameOf(0, huffman(4, 3, []byte{128, 0x10, 0x2a})), errHuffman, ""},
		{"Huffman stream too short", frameOf(0, huffman(4, 3, []byte{128, 0x10, 0xa})), errHuffman, ""},
		{"Huffman stream much too short", frameOf(0, huffman(1000, 3, []byte{128, 0x10, 0xa})), errHuffman, ""},
		{"four streams of 5", frameOf(0, four(5, 12, []byte{128, 0x10}, zeros[:10])), errStreams, "5 literals, expected 6 or more"},
		{"four streams without sizes", frameOf(0, four(8, 7, []byte{128, 0x10}, zeros[:5])), errBlock, ""},
		{"four streams with wrong sizes", frameOf(0, four(8, 12, []byte{128, 0x10, 1, 0, 1, 0, 3, 0}, zeros[:4])), errStreams, ""},
		{"an empty one of four streams", frameOf(0, four(8, 12, []byte{128, 0x10, 1, 0, 1, 0, 2, 0}, []byte{4, 4, 4, 4})), errHuffman, ""},
		{"four streams", frameOf(0, four(8, 12, []byte{128, 0x10, 1, 0, 1, 0, 1, 0}, []byte{4, 5, 6, 7})), nil, "none"},
		{"the third of four streams", frameOf(0, four(8, 12, []byte{128, 0x10, 1, 0, 1, 0, 1, 0}, []byte{4, 5, 9, 7})), errHuffman, ""},
		{"the first of four streams", frameOf(0, four(400, 12, []byte{128, 0x10, 1, 0, 1, 0, 1, 0}, []byte{4, 5, 9, 7})), errHuffman, ""},

		{"bytes behind no sequences", frameOf(0, compressedOf(rawLiterals("abc"), []byte{0, 1})), errSequences, "none, and 1 bytes"},
		{"reserved modes", modes(1), errModes, "0x01"},
		{"repeat", modes(modeRepeat << 6), errRepeat, ""},
		{"RLE cut", modes(modeRLE << 6), errBlock, ""},
		{"literal length 36", modes(modeRLE<<6, 36), errSymbol, "36, expected 35 at most"},
		{"offset 32", modes(modeRLE<<4, 32), errSymbol, "32, expected 31 at most"},
		{"match length 53", modes(modeRLE<<2, 53), errSymbol, "53, expected 52 at most"},
		{"FSE cut", modes(modeFSE << 6), errBlock, ""},
		{"FSE cut within", modes(modeFSE<<6, 0x10), errBlock, ""},
		{"FSE of 10 bits", modes(modeFSE<<6, 5, 0, 0), errAccuracy, "10 bits, expected 9 at most"},
		{"FSE of 9 bits for offsets", modes(modeFSE<<4, 4, 0, 0), errAccuracy, "9 bits, expected 8 at most"},
		{"FSE of too many symbols", modes(modeFSE<<4, 0x10, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), errSymbol, ""},
		{"no bits", modes(0), errSequences, "no end of their bits"},
		{"bits without end", modes(0, 1, 0), errSequences, "no end of their bits"},
		{"too few bits for the states", modes(0, 1), errTooFew, ""},
		{"too few bits", frameOf(0, compressedOf(rawLiterals("abcd"), []byte{1, 0x54, 4, 9, 0, 1})), errTooFew, ""},
		{"too few bits by much", frameOf(0, compressedOf(rawLiterals("abcd"), []byte{100, 0x54, 0, 31, 0, 1})), errTooFew, ""},
		{"too many bits", frameOf(0, compressedOf(rawLiterals("abcd"), rleSequences(1, 4, 0, 0, [2]uint64{0, 3}))), errSequences, "3 bits are left"},
		{"offset 0", frameOf(0, compressedOf(rawLiterals("abcd"), rleSequences(1, 0, 1, 0, [2]uint64{1, 1}))), errOffset, ""},
		{"offset before the beginning", frameOf(0, compressedOf(rawLiterals("abcd"), rleSequences(1, 4, 3, 0, [2]uint64{0, 3}))), errTooFar, "5 bytes back after 4"},
		{"offset beyond the window", frameOf(0, blockOf(blockRLE, window, false, zeros[:1]), blockOf(blockRLE, window, false, zeros[:1]),
			compressedOf(rawLiterals(""), rleSequences(1, 0, 10, 0, [2]uint64{4, 10}))), errTooFar, "1025 bytes back in a window of 1024"},
		{"offset beyond the frame", join(frameOf(0, blockOf(blockRLE, window, true, zeros[:1])),
			frameOf(0, blockOf(blockRaw, 1, false, zeros[:1]), compressedOf(rawLiterals(""), rleSequences(1, 0, 2, 0, [2]uint64{2, 2})))), errTooFar, "3 bytes back after 1"},
		{"treeless in the next frame", join(frameOf(0, huffman(4, 3, []byte{128, 0x10, 0x1a})),
			frameOf(0, compressedOf(le(literalsTreeless|4<<4|1<<14, 3), []byte{0x1a}, noSequences))), errTreeless, ""},
		{"repeat in the next frame", join(frameOf(0, compressedOf(rawLiterals("abcd"), rleSequences(1, 4, 0, 0))),
			frameOf(0, compressedOf(rawLiterals("abcd"), []byte{1, 0xfc, 1}))), errRepeat, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := decodeBytes(c.src)
			switch {
			case c.want != nil:
				require.ErrorIs(t, err, c.want)
				assert.Contains(t, err.Error(), c.text)
			case c.text == "none":
				require.NoError(t, err)
			default:
				require.Error(t, err)
				require.NotEqual(t, io.ErrUnexpectedEOF, err)
			}
			_, peerErr := decodePeer(c.src)
			if !refusesWindow(peerErr) {
				require.Equal(t, err == nil, peerErr == nil, "%v, the other %v, %q", err, peerErr, got)
			}
		})
	}
}

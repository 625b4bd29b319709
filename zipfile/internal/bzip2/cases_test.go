package bzip2

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
)

// oddCase is a stream that shows one thing.
type oddCase struct {
	name string
	src  []byte
	want []byte
	err  error  // nil when it is good
	left int    // bytes behind the end
	std  string // why compress/bzip2 judges it differently
}

// Why compress/bzip2 judges differently.
const (
	stdRandomised = "it knows no randomised blocks"
	stdTrailing   = "it takes what follows for another stream"
	stdIncomplete = "it gives the symbols of incomplete codes other codes than bzip2 does"
	stdZeroCount  = "a count of 0 does not end a run for it"
	stdCountless  = "it takes a run at the end of a block without a count; so does 7-Zip, but not bzip2"
)

// prose is text of n bytes, the same each time.
func prose(n int) (p []byte) {
	for i := 0; len(p) < n; i++ {
		p = fmt.Appendf(p, "%d sheep went over the hill, %d stayed; ", i*i, i%7)
	}
	return p[:n]
}

func noise(n int) []byte {
	p := make([]byte, n)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}

func repeated(n int, s string) []byte { return bytes.Repeat([]byte(s), n) }

func join(p ...[]byte) []byte { return slices.Concat(p...) }

func allValues() (v []byte) {
	for i := range 256 {
		v = append(v, byte(i))
	}
	return v
}

func oneBlock(b blockSpec) []byte { return streamSpec{blocks: []blockSpec{b}}.write() }

var oddCases = sync.OnceValue(func() (all []oddCase) {
	text := prose(300)
	symbols := len(slices.Compact(slices.Sorted(slices.Values(text)))) + 2
	full := even(symbols)
	plain := oneBlock(blockSpec{plain: text})

	add := func(name string, src, want []byte) {
		all = append(all, oddCase{name: name, src: src, want: want})
	}
	bad := func(name string, src []byte, err error) {
		all = append(all, oddCase{name: name, src: src, err: err})
	}
	differs := func(why string) { all[len(all)-1].std = why }
	left := func(n int) { all[len(all)-1].left = n }
	gave := func(p []byte) { all[len(all)-1].want = p }

	// Streams.
	add("text", plain, text)
	add("no blocks", streamSpec{}.write(), nil)
	add("level 1", streamSpec{level: '1', blocks: []blockSpec{{plain: text}}}.write(), text)
	add("bits of the last byte set", streamSpec{blocks: []blockSpec{{plain: text[1:]}}, pad: 0xff}.write(), text[1:])
	add("three blocks", streamSpec{blocks: []blockSpec{{plain: text}, {plain: text[:7]}, {plain: text[20:]}}}.write(),
		join(text, text[:7], text[20:]))
	add("two streams", join(plain, streamSpec{level: '2', blocks: []blockSpec{{plain: text[9:]}}}.write()), join(text, text[9:]))
	add("streams without blocks around one", join(streamSpec{}.write(), plain, streamSpec{}.write()), text)
	for _, s := range []string{"garbage behind", "\x00", "B", "BZ", "BZh", "BZh0 that is too small", "BZh: that is too large", "bzh9"} {
		add(fmt.Sprintf("followed by %q", s), join(plain, []byte(s)), text)
		left(len(s))
		differs(stdTrailing)
	}
	bad("another stream's header and no more", join(plain, []byte("BZh9")), io.ErrUnexpectedEOF)
	gave(text)
	bad("another stream's header and garbage", join(plain, []byte("BZh9 garbage behind")), errBlock)
	gave(text)
	bad("nothing", nil, io.ErrUnexpectedEOF)
	bad("a header cut off", []byte("BZ"), io.ErrUnexpectedEOF)
	bad("bzip, not bzip2", join([]byte("BZ0"), plain[3:]), errMagic)
	bad("level 0", streamSpec{level: '0', blocks: []blockSpec{{plain: text}}}.write(), errMagic)
	bad("level above 9", streamSpec{level: ':', blocks: []blockSpec{{plain: text}}}.write(), errMagic)
	bad("magic number of the end", streamSpec{blocks: []blockSpec{{plain: text}}, magic: 5}.write(), errBlock)
	gave(text)
	bad("checksum of a stream", streamSpec{blocks: []blockSpec{{plain: text}}, sum: 1}.write(), errStreamCRC)
	gave(text)
	bad("checksum of no blocks", streamSpec{sum: 1}.write(), errStreamCRC)

	// Blocks.
	bad("magic number of a block", oneBlock(blockSpec{plain: text, magic: 5}), errBlock)
	bad("checksum of a block", oneBlock(blockSpec{plain: text, sum: 1 << 31}), errBlockCRC)
	gave(text)
	add("randomised", oneBlock(blockSpec{plain: prose(3000), random: true}), prose(3000))
	differs(stdRandomised)
	add("randomised, shorter than the first distance", oneBlock(blockSpec{plain: text, random: true}), text)
	differs(stdRandomised)
	add("one byte", oneBlock(blockSpec{plain: []byte("x")}), []byte("x"))
	add("one symbol", oneBlock(blockSpec{raw: repeated(3, "x")}), repeated(3, "x"))
	add("periodic", oneBlock(blockSpec{raw: repeated(100, "ab")}), repeated(100, "ab"))
	add("not the first of equal rotations", oneBlock(blockSpec{raw: repeated(100, "ab"), origin: 7}), repeated(100, "ab"))
	bad("empty", oneBlock(blockSpec{raw: []byte{}, values: []byte{5}, symbols: []int{2}}), errOrigin)
	bad("first byte behind the end", oneBlock(blockSpec{raw: []byte{5}, origin: 1}), errOrigin)
	bad("first byte far out", oneBlock(blockSpec{raw: []byte{5}, origin: 1<<24 - 1}), errOrigin)
	add("all values, most not used", oneBlock(blockSpec{plain: text, values: allValues()}), text)
	add("all values used", oneBlock(blockSpec{plain: noise(5000)}), noise(5000))
	bad("no values", oneBlock(blockSpec{raw: []byte{}, values: []byte{}, symbols: []int{1}}), errUnused)
	add("as long as may be", streamSpec{level: '1', blocks: []blockSpec{{raw: repeated(50000, "no")}}}.write(), repeated(50000, "no"))
	bad("a byte too long", streamSpec{level: '1', blocks: []blockSpec{{raw: join(repeated(50000, "no"), []byte{'n'})}}}.write(), errLong)
	bad("a run too long", streamSpec{level: '1', blocks: []blockSpec{{raw: []byte{7},
		symbols: append(slices.Repeat([]int{0}, 17), 2)}}}.write(), errLong)
	bad("a run much too long", streamSpec{level: '9', blocks: []blockSpec{{raw: []byte{7},
		symbols: append(slices.Repeat([]int{1}, 70), 2)}}}.write(), errLong)
	add("two bytes more than a run of four is", oneBlock(blockSpec{raw: []byte("aaaa\x02")}), repeated(6, "a"))
	add("a run whose count is its byte", oneBlock(blockSpec{raw: []byte("\x04\x04\x04\x04\x04\x04\x04\x04")}), repeated(11, "\x04"))
	add("a run that goes on after a count of 0", oneBlock(blockSpec{raw: []byte("aaaa\x00aaaa\x02b")}), []byte("aaaaaaaaaab"))
	differs(stdZeroCount)
	add("a run that goes on after a count of 1", oneBlock(blockSpec{raw: []byte("aaaa\x01aaaa\x02b")}), []byte("aaaaaaaaaaab"))
	bad("a run without its count", oneBlock(blockSpec{raw: []byte("bcaaaa")}), errNoCount)
	gave([]byte("bcaaaa"))
	differs(stdCountless)
	add("a run over two blocks", streamSpec{blocks: []blockSpec{{raw: []byte("baa")}, {raw: []byte("aaab")}}}.write(), []byte("baaaaab"))

	// Selectors.
	bad("no selectors", oneBlock(blockSpec{raw: []byte{5}, selectors: []int{}, cut: 2}), errSelectors)
	bad("too few selectors", oneBlock(blockSpec{plain: noise(200), selectors: []int{0, 1}}), errNoEnd)
	add("too many selectors", oneBlock(blockSpec{plain: text, selectors: make([]int, 300)}), text)
	for _, n := range []int{maxSelectors, maxSelectors + 1, 1<<15 - 1} {
		add(fmt.Sprint(n, " selectors"), oneBlock(blockSpec{plain: text, selectors: make([]int, n)}), text)
	}
	for n := minTables; n <= maxTables; n++ {
		add(fmt.Sprint(n, " tables"), oneBlock(blockSpec{plain: prose(3000), tables: n}), prose(3000))
		bad(fmt.Sprint("selector of table ", n, " of ", n), oneBlock(blockSpec{plain: text, tables: n, selectors: append(make([]int, 10), n)}), errSelector)
	}
	for _, n := range []int{1, 7} {
		bad(fmt.Sprint(n, " tables"), oneBlock(blockSpec{plain: text, tables: n}), errTables)
	}
	bad("no tables", oneBlock(blockSpec{plain: text, tableBits: 8}), errTables)

	// Codes. The second table is not used where the selectors are all 0.
	with := func(n int, first ...uint8) []uint8 {
		for len(first) < n {
			first = append(first, first[len(first)-1])
		}
		return first
	}
	unused := func(lengths []uint8) []byte {
		return oneBlock(blockSpec{plain: text, selectors: make([]int, 10), lengths: [][]uint8{full, lengths}})
	}
	add("stairs of codes", oneBlock(blockSpec{plain: text, lengths: [][]uint8{full, stairs(symbols)}}), text)
	add("codes of 20 bits", oneBlock(blockSpec{plain: noise(3000), lengths: [][]uint8{stairs(258), stairs(258)}}), noise(3000))
	add("steps up and down", oneBlock(blockSpec{plain: text, steps: 10}), text)
	bad("length 0 at first", unused(with(symbols, 0, 5)), errLength)
	bad("length 0", unused(with(symbols, 5, 0, 5)), errLength)
	bad("length 21 at first", unused(with(symbols, 21, 20)), errLength)
	bad("length 21", unused(with(symbols, 5, 21, 5)), errLength)
	longer := slices.Clone(full)
	for i := range longer {
		longer[i]++
	}
	add("a code that is half used", oneBlock(blockSpec{plain: text, lengths: [][]uint8{longer, longer}}), text)
	differs(stdIncomplete)
	add("all codes of 20 bits", oneBlock(blockSpec{plain: text, lengths: [][]uint8{with(symbols, 20), with(symbols, 20)}}), text)
	differs(stdIncomplete)
	add("an incomplete code that no group uses", unused(longer), text)
	bad("too many codes in a table that no group uses", unused(with(symbols, 1)), errOver)
	bad("too many codes", oneBlock(blockSpec{raw: []byte{7, 7, 7, 8}, lengths: [][]uint8{{1, 2, 2, 2}, {1, 2, 2, 2}}}), errOver)
	// The magic number behind begins with 0001 0111: symbol 0 and a code that none has.
	bad("invalid code", oneBlock(blockSpec{raw: []byte{7, 8, 8}, lengths: [][]uint8{{3, 3, 3, 3}, {3, 3, 3, 3}}, cut: 1}), errCode)
	differs(stdIncomplete)
	long := []uint8{20, 20, 20, 20}
	bad("invalid long code", oneBlock(blockSpec{raw: []byte{7, 8, 8}, lengths: [][]uint8{long, long}, cut: 1}), errCode)
	differs(stdIncomplete)
	bad("no end", oneBlock(blockSpec{raw: []byte{7}, symbols: append(slices.Repeat([]int{2, 0}, 25), 3), values: []byte{7, 8}, cut: 1,
		selectors: []int{0}}), errNoEnd)
	return all
})

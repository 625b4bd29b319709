package inflate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// codeCase is a stream with odd codes. What is good was tried with zlib 1.2.13.
type codeCase struct {
	name string
	good bool
	src  []byte
}

// set gives n lengths, those of the symbols given and 0 for others.
func set(n int, lens map[int]uint8) []uint8 {
	b := make([]uint8, n)
	for s, l := range lens {
		b[s] = l
	}
	return b
}

type (
	lensFunc = func(lens ...uint8)
	repFunc  = func(sym, v int)
)

func codeCases() (all []codeCase) {
	build := func(name string, good bool, f func(w *bitWriter)) {
		var w bitWriter
		f(&w)
		w.bits(0, 8) // room for codes that are not there
		all = append(all, codeCase{name, good, w.b})
	}
	// blocks of these lengths and tokens
	codes := func(name string, good bool, lit, dist []uint8, ts ...token) {
		build(name, good, func(w *bitWriter) { w.dynamic(true, false, lit, dist, ts...) })
	}
	// lengths with the usual precode, and end bits of code behind them
	repeat := func(name string, good bool, nlit, ndist int, end int, f func(l lensFunc, rep repFunc)) {
		build("repetition: "+name, good, func(w *bitWriter) {
			w.header(true, nlit, ndist, usualPrecode)
			f(func(lens ...uint8) { w.lens(usualPrecode, lens...) }, func(sym, v int) {
				w.lens(usualPrecode, uint8(sym))
				w.bits(v, []int{2, 3, 7}[sym-16])
			})
			w.bits(0, end)
		})
	}
	// The lengths below are for a literal, the end and two lengths of matches.
	lit := set(259, map[int]uint8{'a': 2, 256: 2, 257: 2, 258: 2})
	a := literals("aaaaaaaa")
	m := func(length, dist int) token { return token{length: length, dist: dist} }
	with := func(ts ...token) []token { return append(slices.Clone(a), ts...) }

	codes("one distance code of one bit", true, lit, set(1, map[int]uint8{0: 1}), with(m(3, 1))...)
	codes("one distance code of one bit, not the first", true, lit, set(5, map[int]uint8{4: 1}), with(m(3, 5), m(4, 6))...)
	codes("one distance code of one bit, not used", true, lit, set(30, map[int]uint8{29: 1}), a...)
	codes("one distance code of two bits", false, lit, set(1, map[int]uint8{0: 2}), a...)
	codes("one distance code of 15 bits", false, lit, set(1, map[int]uint8{0: 15}), a...)
	codes("no distance codes", true, lit, set(1, nil), a...)
	codes("no distance codes, of 30", true, lit, set(30, nil), a...)
	codes("two distance codes of two bits", false, lit, set(2, map[int]uint8{0: 2, 1: 2}), a...)
	codes("distance codes of 1 and 3 bits", false, lit, set(2, map[int]uint8{0: 1, 1: 3}), a...)
	codes("three distance codes of one bit", false, lit, set(3, map[int]uint8{0: 1, 1: 1, 2: 1}), a...)
	codes("distance codes of 1, 1 and 15 bits", false, lit, set(3, map[int]uint8{0: 1, 1: 1, 2: 15}), a...)
	codes("distance codes of 1 to 15 bits", true, lit, []uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15}, with(m(3, 1), m(4, 2), m(3, 5))...)
	codes("distance codes of 1 to 15 bits, one less", false, lit, []uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, a...)
	codes("30 distance codes", true, lit, append(bytes.Repeat([]uint8{4}, 2), bytes.Repeat([]uint8{5}, 28)...), with(m(3, 1), m(4, 5))...)
	build("the code that one distance code leaves", false, func(w *bitWriter) {
		dist := set(1, map[int]uint8{0: 1})
		w.header(true, 259, 1, usualPrecode)
		w.lens(usualPrecode, append(bytes.Clone(lit), dist...)...)
		c := newCoder(lit, dist)
		w.symbol(c.lit, 'a')
		w.symbol(c.lit, 257)
		w.bits(1, 1)
		w.symbol(c.lit, 256)
	})
	build("a match without distance codes", false, func(w *bitWriter) {
		w.header(true, 259, 1, usualPrecode)
		w.lens(usualPrecode, append(bytes.Clone(lit), 0)...)
		c := newCoder(lit, []uint8{0})
		w.symbol(c.lit, 'a')
		w.symbol(c.lit, 257)
		w.bits(0, 16)
	})
	build("a match without distance codes, behind a block that has some", false, func(w *bitWriter) {
		dist := []uint8{1, 1}
		w.dynamic(false, false, lit, dist, with(m(3, 1))...)
		w.header(true, 259, 1, usualPrecode)
		w.lens(usualPrecode, append(bytes.Clone(lit), 0)...)
		c := newCoder(lit, dist) // as if they were the same
		w.symbol(c.lit, 'a')
		w.symbol(c.lit, 257)
		w.symbol(c.dist, 0)
		w.symbol(c.lit, 256)
	})

	one := set(1, nil)
	codes("only the end, one bit", true, set(257, map[int]uint8{256: 1}), one)
	codes("only the end, one bit, of 286", true, set(286, map[int]uint8{256: 1}), one)
	codes("only the end, two bits", false, set(257, map[int]uint8{256: 2}), one)
	codes("only the end, 15 bits", false, set(257, map[int]uint8{256: 15}), one)
	codes("a literal and the end of two bits", false, set(257, map[int]uint8{'a': 2, 256: 2}), one, literals("a")...)
	codes("a literal and the end of one bit", true, set(257, map[int]uint8{'a': 1, 256: 1}), one, literals("aaaa")...)
	codes("a literal of one bit, the end of two", false, set(257, map[int]uint8{'a': 1, 256: 2}), one, literals("a")...)
	codes("three codes of one bit", false, set(257, map[int]uint8{'a': 1, 'b': 1, 256: 1}), one)
	codes("one code of 15 bits too many", false, set(257, map[int]uint8{'a': 1, 'b': 15, 256: 1}), one)
	codes("codes of 1 to 15 bits", true, set(257, map[int]uint8{'a': 1, 'b': 2, 'c': 3, 'd': 4, 'e': 5, 'f': 6, 'g': 7, 'h': 8, 'i': 9, 'j': 10, 'k': 11, 'l': 12, 'm': 13, 'n': 14, 'o': 15, 256: 15}), one, literals("abcdefghijklmno")...)
	codes("codes of 1 to 15 bits, one less", false, set(257, map[int]uint8{'a': 1, 'b': 2, 'c': 3, 'd': 4, 'e': 5, 'f': 6, 'g': 7, 'h': 8, 'i': 9, 'j': 10, 'k': 11, 'l': 12, 'm': 13, 'n': 14, 256: 15}), one, literals("a")...)
	codes("286 codes", true, append(bytes.Repeat([]uint8{8}, 226), bytes.Repeat([]uint8{9}, 60)...), bytes.Repeat([]uint8{1}, 2), append(literals("text"), m(258, 1), m(257, 2))...)
	build("the code that the end alone leaves", false, func(w *bitWriter) {
		w.header(true, 257, 1, usualPrecode)
		w.lens(usualPrecode, append(set(257, map[int]uint8{256: 1}), 0)...)
		w.bits(1, 1).bits(0, 8)
	})
	build("no end of block", false, func(w *bitWriter) {
		w.header(true, 257, 1, usualPrecode)
		w.lens(usualPrecode, append(set(257, map[int]uint8{'a': 1, 'b': 1}), 0)...)
		w.bits(0, 8)
	})
	build("no codes at all", false, func(w *bitWriter) {
		w.header(true, 257, 1, usualPrecode)
		w.lens(usualPrecode, make([]uint8, 258)...)
	})
	build("the end among the distances only", false, func(w *bitWriter) {
		w.header(true, 257, 2, usualPrecode)
		w.lens(usualPrecode, append(set(257, map[int]uint8{'a': 1, 'b': 1}), 1, 1)...)
		w.bits(0, 8)
	})
	for n := 285; n <= 288; n++ {
		codes(fmt.Sprintf("%d lengths of literals and lengths", n), n <= 286, set(n, map[int]uint8{'a': 1, 256: 1}), one, literals("aaa")...)
	}
	for n := 29; n <= 32; n++ {
		codes(fmt.Sprintf("%d lengths of distances", n), n <= 30, lit, set(n, map[int]uint8{0: 1, 1: 1}), a...)
	}

	precode := func(name string, good bool, f func(w *bitWriter)) { build("precode: "+name, good, f) }
	pre := func(lens map[int]uint8) (p [19]uint8) {
		for s, l := range lens {
			p[s] = l
		}
		return p
	}
	// Lengths for the end and one distance, of one bit each, behind 256 zeros by two 18s.
	endOnly := func(w *bitWriter, p [19]uint8) {
		w.header(true, 257, 1, p)
		for _, n := range []int{138, 118} {
			w.lens(p, 18)
			w.bits(n-11, 7)
		}
		w.lens(p, 1, 1)
		w.bits(0, 8)
	}
	precode("two codes", true, func(w *bitWriter) { endOnly(w, pre(map[int]uint8{18: 1, 1: 1})) })
	precode("codes of 7 bits", true, func(w *bitWriter) {
		endOnly(w, pre(map[int]uint8{18: 7, 1: 7, 0: 6, 2: 5, 3: 4, 4: 3, 5: 2, 6: 1}))
	})
	precode("incomplete", false, func(w *bitWriter) { endOnly(w, pre(map[int]uint8{18: 1, 1: 2})) })
	precode("over-subscribed", false, func(w *bitWriter) { endOnly(w, pre(map[int]uint8{18: 1, 1: 1, 2: 7})) })
	precode("one code of one bit", false, func(w *bitWriter) {
		w.header(true, 257, 1, pre(map[int]uint8{9: 1}))
		w.bits(0, 258).bits(0, 40)
	})
	precode("no codes", false, func(w *bitWriter) {
		w.header(true, 257, 1, pre(nil))
		w.bits(0, 258).bits(0, 40)
	})
	precode("no codes, behind a block that has some", false, func(w *bitWriter) {
		before := set(257, map[int]uint8{0: 2, 1: 2, 18: 2, 256: 2})
		w.dynamic(false, false, before, one, literals("\x00\x01\x12")...)
		w.header(true, 257, 1, pre(nil))
		c := newCoder(before, one) // as if they were the same
		for _, n := range []int{138, 118} {
			w.symbol(c.lit, 18)
			w.bits(n-11, 7)
		}
		w.symbol(c.lit, 1)
		w.symbol(c.lit, 0)
		w.bits(0, 1)
	})
	precode("four lengths", false, func(w *bitWriter) { // 16, 17, 18 and 0 only: nothing can have a code
		w.bits(1, 1).bits(2, 2).bits(0, 5).bits(0, 5).bits(0, 4)
		w.bits(0, 3).bits(0, 3).bits(1, 3).bits(1, 3)
		w.bits(0, 300)
	})

	repeat("of nothing", false, 257, 1, 8, func(l lensFunc, rep repFunc) {
		rep(16, 0)
		rep(18, 127)
		rep(18, 103)
		l(1, 0)
	})
	repeat("of a zero", true, 257, 1, 1, func(l lensFunc, rep repFunc) {
		l(0)
		rep(16, 3)
		rep(18, 127)
		rep(18, 100)
		l(1, 0)
	})
	repeat("of a run of zeros", true, 257, 1, 1, func(l lensFunc, rep repFunc) {
		rep(18, 127)
		rep(18, 101)
		rep(16, 3)
		l(1, 0)
	})
	repeat("of a length, the end among them", true, 260, 1, 2, func(l lensFunc, rep repFunc) {
		rep(18, 127)
		rep(18, 107)
		l(2)
		rep(16, 0)
		l(0)
	})
	repeat("across the boundary", true, 258, 2, 1, func(l lensFunc, rep repFunc) { // 1 1 | 1 1
		rep(18, 127)
		rep(18, 107)
		l(1)
		rep(16, 0)
	})
	repeat("across the boundary, over-subscribed distances", false, 258, 3, 1, func(l lensFunc, rep repFunc) { // 1 1 | 1 1 1
		rep(18, 127)
		rep(18, 107)
		l(1)
		rep(16, 1)
	})
	repeat("across the boundary, more to come", true, 258, 4, 1, func(l lensFunc, rep repFunc) { // 1 1 | 1 1 0 0
		rep(18, 127)
		rep(18, 107)
		l(1)
		rep(16, 0)
		l(0, 0)
	})
	repeat("goes on at the boundary", true, 257, 4, 1, func(l lensFunc, rep repFunc) { // 1 | 0 0 0 0
		rep(18, 127)
		rep(18, 107)
		l(1, 0)
		rep(16, 0)
	})
	repeat("at the start of the distances, of the last length", false, 257, 3, 1, func(l lensFunc, rep repFunc) { // 1 | 1 1 1
		rep(18, 127)
		rep(18, 107)
		l(1)
		rep(16, 0)
	})
	repeat("at the start of the distances, complete", true, 260, 4, 2, func(l lensFunc, rep repFunc) { // 2 2 2 2 | 2 2 2 2
		rep(18, 127)
		rep(18, 107)
		l(2)
		rep(16, 0)
		rep(16, 1)
	})
	repeat("zeros across the boundary", true, 270, 20, 1, func(l lensFunc, rep repFunc) {
		rep(18, 127)
		rep(18, 107)
		l(1)
		rep(18, 32-11)
		l(1)
	})
	repeat("zeros across the boundary, then a repetition of them", true, 270, 22, 1, func(l lensFunc, rep repFunc) {
		rep(18, 127)
		rep(18, 107)
		l(1)
		rep(18, 28-11)
		rep(16, 3)
		l(1)
	})
	repeat("zeros to the very end", true, 270, 20, 1, func(l lensFunc, rep repFunc) {
		rep(18, 127)
		rep(18, 107)
		l(1)
		rep(18, 33-11)
	})
	repeat("zeros one beyond the end", false, 270, 20, 1, func(l lensFunc, rep repFunc) {
		rep(18, 127)
		rep(18, 107)
		l(1)
		rep(18, 34-11)
	})
	repeat("zeros far beyond the end", false, 257, 1, 1, func(l lensFunc, rep repFunc) {
		rep(18, 127)
		rep(18, 107)
		l(1)
		rep(18, 127)
	})
	repeat("short zeros one beyond the end", false, 257, 9, 1, func(l lensFunc, rep repFunc) {
		rep(18, 127)
		rep(18, 107)
		l(1)
		rep(17, 7)
	})
	repeat("of a length, one beyond the end", false, 258, 1, 1, func(l lensFunc, rep repFunc) { // 1 1 | 1 1
		rep(18, 127)
		rep(18, 107)
		l(1)
		rep(16, 0)
	})
	repeat("of a length, beyond the end within the literals", false, 286, 1, 1, func(l lensFunc, rep repFunc) {
		rep(18, 127)
		rep(18, 127)
		rep(17, 7)
		rep(16, 3)
	})
	repeat("of a length from the last but one, beyond all", false, 286, 1, 5, func(l lensFunc, rep repFunc) {
		rep(18, 127)
		rep(18, 107)
		for range 29 {
			l(5)
		}
		rep(16, 3)
	})
	repeat("zeros over everything from the start", false, 257, 1, 8, func(l lensFunc, rep repFunc) {
		rep(18, 127)
		rep(18, 127)
	})

	for s := 284; s < 288; s++ {
		build(fmt.Sprintf("fixed block, symbol %d", s), s < 286, func(w *bitWriter) {
			w.bits(1, 1).bits(1, 2)
			c := fixedCoder()
			w.symbol(c.lit, 'a')
			w.symbol(c.lit, s)
			if s == 284 {
				w.bits(0, 5)
			}
			w.symbol(c.dist, 0)
			w.symbol(c.lit, 256)
		})
	}
	for s := 30; s < 32; s++ {
		build(fmt.Sprintf("fixed block, distance symbol %d", s), false, func(w *bitWriter) {
			w.stored(false, noise(32768))
			w.bits(1, 1).bits(1, 2)
			c := fixedCoder()
			w.symbol(c.lit, 'a')
			w.symbol(c.lit, 257)
			w.symbol(c.dist, s)
			w.bits(0, 14).bits(0, 20)
			w.symbol(c.lit, 256)
		})
	}
	build("length 258 by code 284", true, func(w *bitWriter) {
		w.bits(1, 1).bits(1, 2)
		c := fixedCoder()
		w.symbol(c.lit, 'a')
		w.symbol(c.lit, 284)
		w.bits(31, 5)
		w.symbol(c.dist, 0)
		w.symbol(c.lit, 256)
	})
	build("block type 3", false, func(w *bitWriter) { w.bits(1, 1).bits(3, 2).bits(0, 60) })
	build("stored block, wrong complement", false, func(w *bitWriter) {
		w.bits(1, 8).bits(3, 16).bits(^3&0xffff^0x8000, 16).bits(0, 24)
	})
	build("stored block, other bits before the length", true, func(w *bitWriter) {
		w.bits(0xf9, 8).bits(3, 16).bits(^3&0xffff, 16).bits(0, 24)
	})
	return all
}

// TestCodes: what zlib accepts is accepted, with the same output, and nothing else.
func TestCodes(t *testing.T) {
	t.Parallel()
	for _, c := range codeCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := reference(c.src, false, 1<<17)
			require.Equal(t, c.good, err == nil, "the reference: %v", err)
			judge(t, c.src, 1<<17, c.name)
			if differs, odd := differences[err]; odd {
				t.Skip(differs.why)
			}
			got := single(c.src, 0)
			assert.NotErrorIs(t, got.err, ErrCut, "all of it is there")
		})
	}
}

// TestEndRightBehindTheHeader cuts away what is behind the stream: its last codes are in the
// byte that the last length is in.
func TestEndRightBehindTheHeader(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	short := [19]uint8{0: 1, 1: 2, 17: 4, 18: 4, 16: 3}
	for i := range sparse(3000) {
		var w bitWriter
		for range r.IntN(8) {
			w.fixed(false)
		}
		for range r.IntN(4) {
			w.stored(false, nil)
		}
		nlit, ndist := 257+r.IntN(30), 1+r.IntN(30)
		lens := make([]uint8, nlit+ndist)
		lens[256] = 1
		if r.IntN(2) == 0 {
			lens['a'] = 1
		}
		pre := short
		if r.IntN(2) == 0 {
			pre = usualPrecode
		}
		w.header(true, nlit, ndist, pre)
		for at := 0; at < len(lens); {
			run := 0
			for at+run < len(lens) && lens[at+run] == 0 && run < 138 {
				run++
			}
			if run >= 11 && r.IntN(4) > 0 {
				w.lens(pre, 18)
				w.bits(run-11, 7)
				at += run
				continue
			}
			w.lens(pre, lens[at])
			at++
		}
		c := newCoder(lens[:nlit], lens[nlit:])
		if lens['a'] != 0 {
			for range r.IntN(3) {
				w.symbol(c.lit, 'a')
			}
		}
		w.symbol(c.lit, 256)
		judge(t, w.b, 1<<17, fmt.Sprint(i))
		_, _, err := reference(w.b, false, 1<<17)
		require.NoError(t, err)
	}
}

// TestRandomCodes tries lengths at random, most of them wrong.
func TestRandomCodes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	for i := range sparse(3000) {
		nlit, ndist := 257+r.IntN(32), 1+r.IntN(32)
		lit := randomLens(r, nlit, 2+r.IntN(200), i%2 == 0, 256, 'a')
		dist := make([]uint8, ndist)
		if ndist > 1 {
			dist = randomLens(r, ndist, 2+r.IntN(ndist-1), i%2 == 0)
		}
		for range r.IntN(2) {
			lit[r.IntN(nlit)] = uint8(r.IntN(16))
		}
		for range r.IntN(2) {
			dist[r.IntN(ndist)] = uint8(r.IntN(16))
		}
		var w bitWriter
		w.header(true, nlit, ndist, usualPrecode)
		w.lens(usualPrecode, lit...)
		w.lens(usualPrecode, dist...)
		w.b = append(w.b, noise(r.IntN(300))...)
		judge(t, w.b, 1<<17, fmt.Sprint(i))
	}
}

package inflate

import (
	"bytes"
	"compress/flate"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
)

// sample is a stream and what it gives.
type sample struct {
	name string
	src  []byte
	want []byte
}

// words is text of n bytes, always the same.
func words(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	vocabulary := make([][]byte, 400)
	for i := range vocabulary {
		for range 2 + r.IntN(9) {
			vocabulary[i] = append(vocabulary[i], "etaoinshrdlucmfwypvbgkjqxz"[min(r.IntN(26), r.IntN(26))])
		}
	}
	var b []byte
	for len(b) < n {
		b = append(b, vocabulary[min(r.IntN(400), r.IntN(400))]...)
		b = append(b, " \n"[flag(r.IntN(12) == 0)])
	}
	return b[:n]
}

func noise(n int) []byte {
	r := rand.New(rand.NewPCG(2, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func deflate(level int, p []byte) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, level)
	if err != nil {
		panic(err)
	}
	w.Write(p)
	w.Close()
	return b.Bytes()
}

// randomLens gives the lengths of a complete code for some of n symbols, symbols always among
// them: a random leaf of a tree is split until there are enough, a deep one when deep is set.
func randomLens(r *rand.Rand, n, codes int, deep bool, always ...int) []uint8 {
	leaves := []uint8{1, 1}
	for len(leaves) < codes {
		i := r.IntN(len(leaves))
		if deep {
			for range 8 {
				if j := r.IntN(len(leaves)); leaves[j] > leaves[i] && leaves[j] < 15 {
					i = j
				}
			}
		}
		if leaves[i] < 15 {
			leaves[i]++
			leaves = append(leaves, leaves[i])
		}
	}
	r.Shuffle(len(leaves), func(i, j int) { leaves[i], leaves[j] = leaves[j], leaves[i] })
	lens := make([]uint8, n)
	for _, s := range always {
		lens[s], leaves = leaves[0], leaves[1:]
	}
	for _, s := range r.Perm(n) {
		if len(leaves) > 0 && lens[s] == 0 {
			lens[s], leaves = leaves[0], leaves[1:]
		}
	}
	return lens
}

// randomTokens gives tokens that codes of these lengths can say, behind at bytes of output.
func randomTokens(r *rand.Rand, lit, dist []uint8, n, at int, wide bool) (ts []token) {
	var lits, lens, dists []int
	for s, l := range lit {
		switch {
		case l == 0 || s == 256:
		case s < 256:
			lits = append(lits, s)
		default:
			lens = append(lens, s-257)
		}
	}
	for s, l := range dist {
		if l > 0 {
			dists = append(dists, s)
		}
	}
	for len(ts) < n {
		if len(lits) > 0 && (len(lens) == 0 || len(dists) == 0 || r.IntN(3) > 0) {
			ts = append(ts, token{literal: byte(lits[r.IntN(len(lits))])})
			at++
			continue
		}
		s, d := lens[r.IntN(len(lens))], dists[r.IntN(len(dists))]
		t := token{length: lengthBase[s] + r.IntN(1<<lengthExtra[s]), dist: distBase[d] + r.IntN(1<<distExtra[d])}
		switch {
		case s == 27 && t.length == 258: // code 284 says it too, but not here
			t.length--
		case s == 28 && wide:
			t.length = 258 + r.IntN(1<<r.IntN(15))
		}
		if t.dist > at {
			if len(lits) == 0 {
				return ts
			}
			t = token{literal: byte(lits[0])}
		}
		ts = append(ts, t)
		at += max(t.length, 1)
	}
	return ts
}

// randomStream makes blocks of all kinds.
func randomStream(seed uint64, blocks, tokens int, wide bool) (src, want []byte) {
	r := rand.New(rand.NewPCG(3, seed))
	var w bitWriter
	ndist := 30 + 2*flag(wide)
	for i := range blocks {
		final := i == blocks-1
		switch kind := r.IntN(8); kind {
		case 0:
			p := noise(r.IntN(1 + r.IntN(300)))
			w.stored(final, p)
			want = append(want, p...)
		case 1:
			lit, dist := fixedLitlen(), bytes.Repeat([]byte{5}, ndist)
			ts := randomTokens(r, lit[:286], dist, r.IntN(tokens), len(want), wide)
			w.bits(flag(final), 1).bits(1, 2)
			w.tokens(fixedCoder(), wide, ts...)
			want = expand(want, ts...)
		default:
			lit := randomLens(r, 257+r.IntN(30), 2+r.IntN(255), kind < 5, 256, r.IntN(256))
			dist := randomLens(r, 2+r.IntN(ndist-1), 2, false)
			if n := len(dist); n > 3 {
				dist = randomLens(r, n, 2+r.IntN(n-2), kind > 3)
			}
			ts := randomTokens(r, lit, dist, r.IntN(tokens), len(want), wide)
			w.dynamic(final, wide, lit, dist, ts...)
			want = expand(want, ts...)
		}
	}
	return w.b, want
}

func literals(p string) (ts []token) {
	for i := range len(p) {
		ts = append(ts, token{literal: p[i]})
	}
	return ts
}

// smallSamples are streams of some hundred bytes at most.
var smallSamples = sync.OnceValue(func() (all []sample) {
	add := func(name string, src, want []byte) { all = append(all, sample{name, src, want}) }
	for level := flate.HuffmanOnly; level <= 9; level++ {
		add(fmt.Sprintf("flate level %d, text", level), deflate(level, words(180)), words(180))
	}
	add("flate, nothing", deflate(6, nil), nil)
	add("flate, a byte", deflate(6, []byte("x")), []byte("x"))
	add("flate, zeros", deflate(9, make([]byte, 3000)), make([]byte, 3000))
	add("flate, noise", deflate(6, noise(60)), noise(60))
	build := func(name string, f func(w *bitWriter) []byte) {
		var w bitWriter
		want := f(&w)
		add(name, w.b, want)
	}
	build("empty fixed block", func(w *bitWriter) []byte { w.fixed(true); return nil })
	build("empty stored block", func(w *bitWriter) []byte { w.stored(true, nil); return nil })
	build("empty dynamic block", func(w *bitWriter) []byte {
		lit := make([]uint8, 257)
		lit[256] = 1
		w.dynamic(true, false, lit, []uint8{0})
		return nil
	})
	build("many empty blocks", func(w *bitWriter) []byte {
		for range 20 {
			w.stored(false, nil)
			w.fixed(false)
		}
		w.fixed(true, literals("end")...)
		return []byte("end")
	})
	build("fixed, literals and matches", func(w *bitWriter) []byte {
		ts := append(literals("\x00\x8f\x90\xff abc"), token{length: 258, dist: 1}, token{length: 3, dist: 9}, token{length: 10, dist: 7}, token{length: 257, dist: 2})
		w.fixed(true, ts...)
		return expand(nil, ts...)
	})
	build("stored, fixed, dynamic, stored", func(w *bitWriter) []byte {
		w.stored(false, []byte("first "))
		w.fixed(false, append(literals("second "), token{length: 6, dist: 13})...)
		lit, dist := make([]uint8, 260), make([]uint8, 4)
		lit['x'], lit[256], lit[258] = 1, 2, 2
		dist[3] = 1
		w.dynamic(false, false, lit, dist, append(literals("xxxx"), token{length: 4, dist: 4})...)
		w.stored(true, []byte("last"))
		return []byte("first second first xxxxxxxxlast")
	})
	for seed := range uint64(12) {
		src, want := randomStream(seed, 1+int(seed%4), 24, false)
		add(fmt.Sprintf("random blocks %d", seed), src, want)
	}
	return slices.Clip(all) // whoever appends to it gets another
})

// samples are the small ones and larger ones.
var samples = sync.OnceValue(func() []sample {
	all := smallSamples()
	add := func(name string, src, want []byte) { all = append(all, sample{name, src, want}) }
	for level := flate.HuffmanOnly; level <= 9; level++ {
		add(fmt.Sprintf("flate level %d, long text", level), deflate(level, words(40000)), words(40000))
	}
	add("flate, long noise", deflate(6, noise(70000)), noise(70000))
	add("flate, many zeros", deflate(6, make([]byte, 300000)), make([]byte, 300000))
	for seed := range uint64(8) {
		src, want := randomStream(100+seed, 1+int(seed), 3000, false)
		add(fmt.Sprintf("long random blocks %d", seed), src, want)
	}
	return slices.Clip(all) // whoever appends to it gets another
})

// hugeSamples are larger than the buffers of a stream.
var hugeSamples = sync.OnceValue(func() (all []sample) {
	add := func(name string, src, want []byte) { all = append(all, sample{name, src, want}) }
	add("text", deflate(6, words(700000)), words(700000))
	add("stored", deflate(0, noise(500000)), noise(500000))
	add("noise", deflate(1, noise(300000)), noise(300000))
	for seed := range uint64(3) {
		src, want := randomStream(200+seed, 900, 300, false)
		add(fmt.Sprintf("many blocks %d", seed), src, want)
	}
	var w bitWriter
	for range 40000 {
		w.fixed(false)
		w.stored(false, nil)
	}
	w.fixed(true)
	add("empty blocks", w.b, nil)
	return slices.Clip(all) // whoever appends to it gets another
})

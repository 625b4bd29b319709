//go:build !purego

package inflate

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// guarded is memory between two pages that nothing may touch.
type guarded []byte

func newGuarded(t testing.TB, size int) guarded {
	page := unix.Getpagesize()
	size = (size + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { unix.Munmap(m) })
	require.NoError(t, unix.Mprotect(m[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(m[page+size:], unix.PROT_NONE))
	return m[page : page+size : page+size]
}

// place is where a buffer lies in guarded memory.
type place int

const (
	atEnd   place = iota // its last byte is in front of a page that faults
	atStart              // its first byte is behind one
)

func (g guarded) take(p place, n int) []byte {
	if p == atEnd {
		return g[len(g)-n:]
	}
	return g[:n:n]
}

// guards are the memory of a decoder, or of a lane, and of its caller.
type guards struct{ src, dst, own, padded, input, slide guarded }

const guardedMost = 1 << 18 // the largest stream or output here

func newGuards(t testing.TB) *guards {
	return &guards{
		newGuarded(t, guardedMost), newGuarded(t, guardedMost), newGuarded(t, identity+guardedMost+outSlack+longMatch),
		newGuarded(t, guardedMost+InSlack), newGuarded(t, inputLen+InSlack), newGuarded(t, identity+maxDistance64+chunk+outSlack+longMatch),
	}
}

// arm gives d buffers of exactly the size that it needs.
func (g *guards) arm(d *Decoder, p place, src, size int, wide bool) {
	d.own = g.own.take(p, identity+size+outRoom(wide))
	fillIdentity(d.own)
	d.padded = g.padded.take(p, src+InSlack)
	d.input = g.input.take(p, inputLen+InSlack)
	d.slide = g.slide.take(p, identity+history(wide)+chunk+outRoom(wide))
	fillIdentity(d.slide)
}

// requireArmed: d took no other buffers than those that arm gave it.
func (g *guards) requireArmed(t testing.TB, d *Decoder, p place, name string) {
	require.True(t, same(d.own, g.own.take(p, len(d.own))), "%s: output", name)
	require.True(t, same(d.padded, g.padded.take(p, len(d.padded))), "%s: copy of the input", name)
	require.True(t, same(d.input, g.input.take(p, len(d.input))), "%s: input of a stream", name)
	require.True(t, same(d.slide, g.slide.take(p, len(d.slide))), "%s: output of a stream", name)
}

// kinds is in how many ways src can lie at a place.
func kinds(p place) int { return 2 - int(p) }

// source places src: without room behind it, where the decoder copies it, or (kind 1) with just
// enough, in the memory of padded, which is not needed then.
func (g *guards) source(p place, kind int, src []byte) []byte {
	b := g.src.take(p, len(src))
	if kind == 1 {
		b = g.padded.take(p, len(src)+InSlack)
	}
	copy(b, src)
	return b[:len(src)]
}

func same(a, b []byte) bool { return unsafe.SliceData(a) == unsafe.SliceData(b) }

// faulting runs f and says which stream it was when memory is touched that must not be.
func faulting(t testing.TB, name string, src []byte, f func()) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("%s: %v\n%s\n%#v", name, r, debug.Stack(), src)
		}
	}()
	f()
}

// loops are the inner loops that a decoder runs.
type loops struct {
	name  string
	pair  pairedLoop
	block blockLoop
}

var loopsInGo = loops{"Go", pairGo, (*Decoder).blockGo}

// run decodes src in all ways within guarded memory and gives the verdict of Decode.
func (g *guards) run(t testing.TB, name string, src []byte, size int, wide bool) (first verdict) {
	n := 0
	for _, l := range allLoops() {
		name := name + ", loops in " + l.name
		for _, p := range []place{atEnd, atStart} {
			for kind := range kinds(p) {
				d := new(Decoder)
				d.init()
				g.arm(d, p, len(src), size, wide)
				in := g.source(p, kind, src)
				dst := g.dst.take(p, size)
				var v verdict
				faulting(t, name, src, func() { v.used, v.err = d.decode(dst, in, wide, l.block) })
				if v.err == nil {
					v.out = bytes.Clone(dst)
				}
				g.requireArmed(t, d, p, name)
				if n == 0 {
					first = v
				}
				require.Equal(t, first.err == nil, v.err == nil, "%s: %v, %v", name, first.err, v.err)
				require.True(t, bytes.Equal(first.out, v.out), name)
				n++
			}
			got := g.stream(t, name, l, p, src, guardedMost, wide)
			if first.err == nil {
				require.NoError(t, got.err, name)
				require.True(t, bytes.Equal(first.out, got.out), name)
			}
		}
	}
	return first
}

// stream decodes src as a stream, up to most bytes, whose buffers are in guarded memory.
func (g *guards) stream(t testing.TB, name string, l loops, p place, src []byte, most int, wide bool) (v verdict) {
	d := new(Decoder)
	d.init()
	g.arm(d, p, 0, 0, wide)
	faulting(t, name, src, func() {
		d.open(bytes.NewReader(src), wide)
		for v.err == nil && len(v.out) < most {
			var b []byte
			b, v.err = d.next(most-len(v.out), l.block)
			v.out = append(v.out, b...)
		}
	})
	g.requireArmed(t, d, p, name)
	if v.err == io.EOF {
		v.err = nil
	}
	return v
}

// guardedPair decodes two streams side by side within guarded memory.
func guardedPair(t testing.TB, name string, g *[2]*guards, src [2][]byte, size [2]int) (all [2]verdict) {
	n := 0
	for _, l := range allLoops() {
		name := name + ", loops in " + l.name
		for _, p := range []place{atEnd, atStart} {
			for kind := range kinds(p) {
				pair := new(Pair)
				pair.lanes[0].init()
				pair.lanes[1].init()
				var got [2]verdict
				begun, ended, armed := 0, 0, [2]bool{}
				faulting(t, name, slices.Concat(src[0], src[1]), func() {
					pair.decode(func() (Job, bool) {
						if begun == 2 {
							return Job{}, false
						}
						i, lane := begun, begun-ended // the second is for the first lane if that is done already
						begun++
						armed[lane] = true
						g[lane].arm(&pair.lanes[lane], p, len(src[i]), size[i], false)
						return Job{Src: g[lane].source(p, kind, src[i]), Size: size[i], Tag: i}, true
					}, func(j Job, out []byte, used int, err error) bool {
						ended++
						if err != nil {
							got[j.Tag].err = err
						} else {
							got[j.Tag] = verdict{bytes.Clone(out), used, nil}
						}
						return true
					}, l.pair, l.block)
				})
				require.Equal(t, 2, ended, name)
				for i := range 2 {
					if armed[i] {
						g[i].requireArmed(t, &pair.lanes[i], p, name)
					}
				}
				if n++; n == 1 {
					all = got
				}
				for i := range 2 {
					require.Equal(t, all[i].err == nil, got[i].err == nil, "%s: %v, %v", name, all[i].err, got[i].err)
					require.True(t, bytes.Equal(all[i].out, got[i].out), name)
				}
			}
		}
	}
	return all
}

func guardedSamples() []sample {
	return slices.DeleteFunc(slices.Clone(samples()), func(s sample) bool { return max(len(s.src), len(s.want)) > guardedMost })
}

// mutate breaks a stream in one of many ways.
func mutate(r *rand.Rand, src []byte) []byte {
	src = bytes.Clone(src)
	for range 1 + r.IntN(3) {
		if len(src) == 0 {
			return src
		}
		// The first bytes, where a header is, more often than others.
		i := r.IntN(len(src))
		if r.IntN(2) == 0 {
			i = r.IntN(min(len(src), 80))
		}
		switch r.IntN(7) {
		case 0:
			src[i] = byte(r.Uint32())
		case 1:
			src = src[:i]
		case 2:
			src = slices.Delete(src, i, min(i+1+r.IntN(4), len(src)))
		case 3:
			src = slices.Insert(src, i, noise(1+r.IntN(4))...)
		case 4:
			src[i] = 0xff * byte(r.IntN(2))
		default:
			src[i] ^= 1 << r.IntN(8)
		}
	}
	return src
}

func TestGuardedSamples(t *testing.T) {
	t.Parallel()
	g := newGuards(t)
	two := [2]*guards{g, newGuards(t)}
	c := companion()
	for _, s := range guardedSamples() {
		got := g.run(t, s.name, s.src, len(s.want), false)
		require.NoError(t, got.err, s.name)
		require.True(t, bytes.Equal(s.want, got.out), s.name)
		for _, size := range []int{0, len(s.want) / 2, len(s.want) - 1, len(s.want) + 1} {
			if size >= 0 && size != len(s.want) {
				require.Error(t, g.run(t, s.name, s.src, size, false).err, s.name)
			}
		}
		both := guardedPair(t, s.name, &two, [2][]byte{s.src, c.src}, [2]int{len(s.want), len(c.want)})
		require.NoError(t, both[0].err, s.name)
		require.NoError(t, both[1].err, s.name)
		require.True(t, bytes.Equal(s.want, both[0].out), s.name)
		require.True(t, bytes.Equal(c.want, both[1].out), s.name)
	}
	for _, s := range samples64() {
		if max(len(s.want), len(s.src)) < guardedMost {
			got := g.run(t, s.name, s.src, len(s.want), true)
			require.NoError(t, got.err, s.name)
			require.True(t, bytes.Equal(s.want, got.out), s.name)
			if len(s.want) > 0 {
				require.Error(t, g.run(t, s.name, s.src, len(s.want)-1, true).err, s.name)
			}
		}
	}
	for _, c := range codeCases() {
		g.run(t, c.name, c.src, 100, false)
		g.run(t, c.name, c.src, 100, true)
	}
}

// mutations is how many of a stream are tried, one of so many where a try takes longer.
func mutations(s sample, of int) int {
	n := 120
	if len(s.src) > 2000 {
		n = 25
	}
	return max(1, sparse(n)/of)
}

// TestGuardedStreams decodes streams which are longer than the window of a stream, so that it is
// filled up to its end.
func TestGuardedStreams(t *testing.T) {
	t.Parallel()
	g := newGuards(t)
	run := func(s sample, wide bool) {
		for _, l := range allLoops() {
			for _, p := range []place{atEnd, atStart} {
				got := g.stream(t, s.name, l, p, s.src, len(s.want)+1, wide)
				require.NoError(t, got.err, s.name)
				require.True(t, bytes.Equal(s.want, got.out), s.name)
			}
		}
	}
	for _, s := range hugeSamples() {
		run(s, false)
	}
	// Matches across the end of the window, at another place each time.
	long := func(length, dist int, wide bool) sample {
		first := noise(dist)
		var ts []token
		for i := range 2000000/length + 1 {
			for range i % 5 {
				ts = append(ts, token{literal: byte(i)})
			}
			ts = append(ts, token{length: length, dist: dist})
		}
		var w bitWriter
		for piece := range slices.Chunk(first, 65535) {
			w.stored(false, piece)
		}
		w.bits(1, 1).bits(1, 2)
		w.tokens(fixedCoder(), wide, ts...)
		return sample{fmt.Sprintf("length %d, distance %d, wide %t", length, dist, wide), w.b, expand(first, ts...)}
	}
	for _, dist := range []int{1, 7, 8, 32768} {
		run(long(258, dist, false), false)
		run(long(65538, dist, true), true)
	}
	run(long(65538, 65536, true), true)
	src, want := randomStream(400, 200, 600, true)
	require.Greater(t, len(want), 500000)
	run(sample{"random", src, want}, true)
}

// sizeFor gives the size that a broken stream gives, if it gives any, or about that of the whole one.
func sizeFor(r *rand.Rand, src []byte, wide bool, size int) int {
	if out, _, err := reference(src, wide, guardedMost-1); err == nil || r.IntN(2) == 0 {
		size = len(out)
	}
	return max(0, min(size+max(0, r.IntN(6)-3)*(1-2*r.IntN(2)), guardedMost-1))
}

func TestGuardedMutations(t *testing.T) {
	t.Parallel()
	all := guardedSamples()
	for part := range 4 {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			g := newGuards(t)
			r := rand.New(rand.NewPCG(9, uint64(part)))
			for i := part; i < len(all); i += 4 {
				for range mutations(all[i], 1) {
					src := mutate(r, all[i].src)
					if len(src) > guardedMost {
						continue
					}
					size := sizeFor(r, src, false, len(all[i].want))
					want, _, err := reference(src, false, guardedMost)
					got := g.run(t, all[i].name, src, size, false)
					require.Equal(t, err == nil && len(want) == size, got.err == nil, "%s: %v, %v\n%#v", all[i].name, err, got.err, src)
					if got.err == nil {
						require.True(t, bytes.Equal(want, got.out), "%s\n%#v", all[i].name, src)
					}
				}
			}
		})
	}
}

func TestGuardedMutations64(t *testing.T) {
	t.Parallel()
	g := newGuards(t)
	r := rand.New(rand.NewPCG(10, 10))
	for _, s := range samples64() {
		if max(len(s.src), len(s.want)) > guardedMost-100 {
			continue
		}
		for range mutations(s, 4) {
			src := mutate(r, s.src)
			size := sizeFor(r, src, true, len(s.want))
			want, _, err := reference(src, true, guardedMost)
			got := g.run(t, s.name, src, size, true)
			require.Equal(t, err == nil && len(want) == size, got.err == nil, "%s: %v, %v\n%#v", s.name, err, got.err, src)
			if got.err == nil {
				require.True(t, bytes.Equal(want, got.out), "%s\n%#v", s.name, src)
			}
		}
	}
}

func TestGuardedPairs(t *testing.T) {
	t.Parallel()
	all := guardedSamples()
	for part := range 4 {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			two := [2]*guards{newGuards(t), newGuards(t)}
			r := rand.New(rand.NewPCG(11, uint64(part)))
			for i := part; i < len(all); i += 4 {
				for range mutations(all[i], 2) {
					other := all[r.IntN(len(all))]
					src := [2][]byte{mutate(r, all[i].src), other.src}
					size := [2]int{sizeFor(r, src[0], false, len(all[i].want)), len(other.want)}
					bad := 0
					if r.IntN(2) == 0 {
						src[0], src[1], size[0], size[1], bad = src[1], src[0], size[1], size[0], 1
					}
					want, _, err := reference(src[bad], false, guardedMost)
					got := guardedPair(t, all[i].name+" and "+other.name, &two, src, size)
					require.NoError(t, got[1-bad].err, "the good one")
					require.True(t, bytes.Equal(other.want, got[1-bad].out), "the good one")
					require.Equal(t, err == nil && len(want) == size[bad], got[bad].err == nil, "%s: %v, %v\n%#v", all[i].name, err, got[bad].err, src[bad])
					if got[bad].err == nil {
						require.True(t, bytes.Equal(want, got[bad].out), "%s\n%#v", all[i].name, src[bad])
					}
				}
			}
		})
	}
}

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
		newGuarded(t, guardedMost+inSlack), newGuarded(t, inputLen+inSlack), newGuarded(t, history64+chunk+outSlack+longMatch),
	}
}

// arm gives d buffers of exactly the size that it needs.
func (g *guards) arm(d *Decoder, p place, src, size int, wide bool) {
	d.own = g.own.take(p, identity+size+outRoom(wide))
	for i := range identity {
		d.own[i] = byte(i)
	}
	d.padded = g.padded.take(p, src+inSlack)
	d.input = g.input.take(p, inputLen+inSlack)
	d.slide = g.slide.take(p, d.history(wide)+chunk+outRoom(wide))
}

// kinds is in how many ways src can lie at a place.
func kinds(p place) int { return 2 - int(p) }

// source places src: without room behind it, where the decoder copies it, or (kind 1) with just
// enough, in the memory of padded, which is not needed then.
func (g *guards) source(p place, kind int, src []byte) []byte {
	b := g.src.take(p, len(src))
	if kind == 1 {
		b = g.padded.take(p, len(src)+inSlack)
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

// run decodes src in all ways within guarded memory and gives the verdict of Decode.
func (g *guards) run(t testing.TB, name string, src []byte, size int, wide bool) (first verdict) {
	n := 0
	for _, p := range []place{atEnd, atStart} {
		for kind := range kinds(p) {
			d := new(Decoder)
			d.init()
			g.arm(d, p, len(src), size, wide)
			in := g.source(p, kind, src)
			dst := g.dst.take(p, size)
			var v verdict
			faulting(t, name, src, func() { v.used, v.err = d.decode(dst, in, wide) })
			if v.err == nil {
				v.out = bytes.Clone(dst)
			}
			require.True(t, d.own == nil || same(d.own, g.own.take(p, len(d.own))), "the buffer is the guarded one")
			if n == 0 {
				first = v
			}
			require.Equal(t, first.err == nil, v.err == nil, "%s: %v, %v", name, first.err, v.err)
			require.True(t, bytes.Equal(first.out, v.out), name)
			n++
		}
		d := new(Decoder)
		d.init()
		g.arm(d, p, 0, 0, wide)
		faulting(t, name, src, func() {
			d.open(bytes.NewReader(src), wide)
			got, err := io.ReadAll(io.LimitReader(d, guardedMost))
			if first.err == nil {
				require.NoError(t, err, name)
				require.True(t, bytes.Equal(first.out, got), name)
			}
		})
	}
	return first
}

// guardedPair decodes two streams side by side within guarded memory.
func guardedPair(t testing.TB, name string, g *[2]*guards, src [2][]byte, size [2]int) (all [2]verdict) {
	n := 0
	for _, p := range []place{atEnd, atStart} {
		for kind := range kinds(p) {
			pair := new(Pair)
			var jobs [2]Job
			for i := range 2 {
				d := &pair.lanes[i]
				d.init()
				g[i].arm(d, p, len(src[i]), max(size[0], size[1]), false)
				in := g[i].source(p, kind, src[i])
				jobs[i] = Job{Src: in, Size: size[i], Tag: i}
			}
			var got [2]verdict
			next := 0
			faulting(t, name, slices.Concat(src[0], src[1]), func() {
				pair.Decode(func() (Job, bool) {
					if next == 2 {
						return Job{}, false
					}
					next++
					return jobs[next-1], true
				}, func(j Job, out []byte, used int, err error) bool {
					if err != nil {
						got[j.Tag].err = err
					} else {
						got[j.Tag] = verdict{bytes.Clone(out), used, nil}
					}
					return true
				})
			})
			if n++; n == 1 {
				all = got
			}
			for i := range 2 {
				require.Equal(t, all[i].err == nil, got[i].err == nil, "%s: %v, %v", name, all[i].err, got[i].err)
				require.True(t, bytes.Equal(all[i].out, got[i].out), name)
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

// mutations is how many of each stream are tried.
func mutations(s sample) int {
	n := 120
	if len(s.src) > 2000 {
		n = 25
	}
	return sparse(n)
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
				for range mutations(all[i]) {
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
		for range mutations(s) / 4 {
			src := mutate(r, s.src)
			g.run(t, s.name, src, sizeFor(r, src, true, len(s.want)), true)
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
				for range mutations(all[i]) / 2 {
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

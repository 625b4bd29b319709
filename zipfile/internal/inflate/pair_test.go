package inflate

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPairOfMany decodes all samples, good and broken, in one go and in some orders.
func TestPairOfMany(t *testing.T) {
	t.Parallel()
	all := append(samples(), hugeSamples()...)
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(12, seed))
		var jobs []Job
		good := map[int]sample{}
		for _, i := range r.Perm(len(all)) {
			s := all[i]
			j := Job{Src: s.src, Size: len(s.want), Tag: len(jobs)}
			switch r.IntN(5) {
			case 0:
				j.Src = s.src[:r.IntN(len(s.src))]
			case 1:
				j.Size += 1 - 2*r.IntN(2)
			default:
				good[j.Tag] = s
			}
			jobs = append(jobs, j)
		}
		for i, got := range paired(jobs...) {
			s, ok := good[i]
			if !ok {
				assert.Error(t, got.err)
				continue
			}
			require.NoError(t, got.err, s.name)
			require.True(t, bytes.Equal(s.want, got.out), s.name)
			require.Equal(t, len(s.src), got.used, s.name)
		}
	}
}

// TestPairStops: once done is false no more jobs begin, and each that was begun is done.
func TestPairStops(t *testing.T) {
	t.Parallel()
	all := samples()
	for after := range len(all) {
		p := GetPair()
		begun, ended, stopped := 0, 0, false
		tags := map[int]bool{}
		p.Decode(func() (Job, bool) {
			assert.False(t, stopped, "a job is begun after done was false")
			if begun == len(all) {
				return Job{}, false
			}
			begun++
			return Job{Src: all[begun-1].src, Size: len(all[begun-1].want), Tag: begun - 1}, true
		}, func(j Job, out []byte, _ int, err error) bool {
			assert.NoError(t, err)
			assert.True(t, bytes.Equal(all[j.Tag].want, out))
			assert.False(t, tags[j.Tag], "done twice")
			tags[j.Tag] = true
			ended++
			if ended > after {
				stopped = true
			}
			return !stopped
		})
		assert.Equal(t, begun, ended)
		assert.LessOrEqual(t, ended, after+2)
		p.Free()
	}
}

// TestPairAsksOnce: next is not called again when it gave none.
func TestPairAsksOnce(t *testing.T) {
	t.Parallel()
	all := samples()
	for n := range 4 {
		p := GetPair()
		asked, none := 0, 0
		p.Decode(func() (Job, bool) {
			if asked == n {
				none++
				return Job{}, false
			}
			asked++
			return Job{Src: all[asked].src, Size: len(all[asked].want)}, true
		}, func(_ Job, _ []byte, _ int, err error) bool { assert.NoError(t, err); return true })
		assert.Equal(t, 1, none)
		p.Free()
	}
}

// TestPairAfterPanic: a Pair whose caller panicked in the middle starts anew.
func TestPairAfterPanic(t *testing.T) {
	t.Parallel()
	p := GetPair()
	defer p.Free()
	c := companion()
	sentinel := errors.New("of the caller")
	assert.PanicsWithValue(t, sentinel, func() {
		p.Decode(func() (Job, bool) { return Job{Src: c.src, Size: len(c.want)}, true }, func(Job, []byte, int, error) bool { panic(sentinel) })
	})
	asked := 0
	p.Decode(func() (Job, bool) { asked++; return Job{Src: c.src, Size: len(c.want)}, asked == 1 }, func(_ Job, out []byte, _ int, err error) bool {
		assert.NoError(t, err)
		assert.Equal(t, c.want, out)
		return true
	})
	assert.Equal(t, 2, asked)
}

// requireSame compares verdicts. Which error a broken stream gives is not the same in a pair, as
// that looks at its limits less often.
func requireSame(t require.TestingT, want, got verdict, msg string, args ...any) {
	args = append([]any{msg}, args...)
	require.Equal(t, want.err == nil, got.err == nil, args...)
	require.True(t, bytes.Equal(want.out, got.out), args...)
	require.Equal(t, want.used, got.used, args...)
}

// TestLanesDoNotMix puts each small stream, with one bit flipped, one in 20 of them at random,
// beside any sample.
func TestLanesDoNotMix(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(13, 13))
	all := samples()
	for _, s := range smallSamples() {
		for i := range 8 * len(s.src) {
			if r.IntN(20) > 0 || raceEnabled && i%8 > 0 {
				continue
			}
			other := all[r.IntN(len(all))]
			src := bytes.Clone(s.src)
			src[i/8] ^= 1 << (i % 8)
			alone := single(src, len(s.want))
			jobs := []Job{{Src: src, Size: len(s.want), Tag: 0}, {Src: other.src, Size: len(other.want), Tag: 1}}
			for range 2 {
				both := paired(jobs...) // by tag
				got, beside := both[0], both[1]
				requireSame(t, alone, got, "%s, bit %d, beside %s", s.name, i, other.name)
				require.NoError(t, beside.err, "beside %s, bit %d", s.name, i)
				require.True(t, bytes.Equal(other.want, beside.out), "beside %s, bit %d", s.name, i)
				jobs[0], jobs[1] = jobs[1], jobs[0]
			}
			comparePairLoops(t, src, other.src, len(s.want), len(other.want), 1+r.IntN(40))
		}
	}
}

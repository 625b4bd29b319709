package inflate

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The tests that count allocations run alone, and not under the race detector.
func skipUnderRace(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
}

func TestAllocsOfDecode(t *testing.T) {
	skipUnderRace(t)
	d := Get()
	defer d.Free()
	for _, s := range samples() {
		dst, tight, roomy := make([]byte, len(s.want)), s.src[:len(s.src):len(s.src)], behind(s.src, 0)
		for _, src := range [][]byte{tight, roomy} {
			_, err := d.Decode(dst, src)
			require.NoError(t, err)
			assert.Zero(t, testing.AllocsPerRun(20, func() { d.Decode(dst, src) }), s.name)
		}
	}
}

func TestAllocsOfPair(t *testing.T) {
	skipUnderRace(t)
	p := GetPair()
	defer p.Free()
	all := samples()
	i, bad := 0, 0
	next := func() (Job, bool) {
		if i == len(all) {
			return Job{}, false
		}
		i++
		return Job{Src: all[i-1].src, Size: len(all[i-1].want)}, true
	}
	done := func(_ Job, _ []byte, _ int, err error) bool {
		bad += flag(err != nil)
		return true
	}
	// Each entry comes to each lane.
	for range 3 {
		i = 0
		p.Decode(next, done)
		i = 1
		p.Decode(next, done)
	}
	assert.Zero(t, testing.AllocsPerRun(20, func() { i = 0; p.Decode(next, done) }))
	assert.Zero(t, bad)
}

func TestAllocsOfStream(t *testing.T) {
	skipUnderRace(t)
	d := Get()
	defer d.Free()
	s := hugeSamples()[0]
	r := bytes.NewReader(nil)
	buf := make([]byte, 32<<10)
	all := func() (n int, err error) {
		r.Reset(s.src)
		d.Stream(r)
		for err == nil {
			var m int
			m, err = d.Read(buf)
			n += m
		}
		return n, err
	}
	bad := 0
	assert.Zero(t, testing.AllocsPerRun(20, func() {
		if n, err := all(); n != len(s.want) || err != io.EOF {
			bad++
		}
	}))
	assert.Zero(t, bad)
}

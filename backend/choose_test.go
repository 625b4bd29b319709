package backend

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// usual are the facts about an ordinary file on an ordinary machine.
func usual(change func(*facts)) facts {
	f := facts{maps: true, size: 1000, largest: math.MaxInt64}
	change(&f)
	return f
}

func TestChoose(t *testing.T) {
	t.Parallel()
	is32bit := func(f *facts) { f.largest = math.MaxInt32 }
	tests := []struct {
		name   string
		facts  facts
		want   Kind // Auto: an error
		reason string
		err    error // what the error wraps, if that matters
	}{
		{"auto", usual(func(f *facts) {}), Mapped, "regular file, mapping allowed", nil},
		{"auto, gate shut", usual(func(f *facts) { f.gateShut = true }), Pread, "mapping is not allowed yet", nil},
		{"auto, no mappings", usual(func(f *facts) { f.maps = false }), Pread, "no mapping on this platform", nil},
		{"auto, empty", usual(func(f *facts) { f.size = 0 }), Pread, "empty file", nil},
		{"auto, block device", usual(func(f *facts) { f.block = true }), Pread, "block device", nil},
		{"auto, nfs", usual(func(f *facts) { f.network = "nfs" }), Pread, "on a network or FUSE file system (nfs)", nil},
		{"auto, 2 GiB - 1 in 32 bits", usual(func(f *facts) { is32bit(f); f.size = math.MaxInt32 }), Mapped, "regular file, mapping allowed", nil},
		{"auto, 2 GiB in 32 bits", usual(func(f *facts) { is32bit(f); f.size = math.MaxInt32 + 1 }), Pread, "too large for the address space", nil},
		{"auto, 4 GiB + 1 in 32 bits", usual(func(f *facts) { is32bit(f); f.size = 1<<32 + 1 }), Pread, "too large for the address space", nil},

		{"environment pread", usual(func(f *facts) { f.env = "pread" }), Pread, "ZIPFILE_BACKEND=pread", nil},
		{"environment mapped", usual(func(f *facts) { f.env = "mapped" }), Mapped, "ZIPFILE_BACKEND=mapped", nil},
		{"environment mapped, nfs", usual(func(f *facts) { f.env = "mapped"; f.network = "nfs" }), Mapped, "ZIPFILE_BACKEND=mapped", nil},
		{"environment mapped, no mappings", usual(func(f *facts) { f.env = "mapped"; f.maps = false }), Pread, "no mapping on this platform", nil},
		{"environment mapped, gate shut", usual(func(f *facts) { f.env = "mapped"; f.gateShut = true }), Pread, "mapping is not allowed yet", nil},
		{"environment auto", usual(func(f *facts) { f.env = "auto" }), Mapped, "regular file, mapping allowed", nil},
		{"environment unknown, gate shut", usual(func(f *facts) { f.env = "x"; f.gateShut = true }), Auto, `ZIPFILE_BACKEND is "x": want auto, pread or mapped`, nil},
		{"environment unknown, not consulted", usual(func(f *facts) { f.env = "x"; f.asked = Pread }), Pread, "asked for", nil},

		{"pread", usual(func(f *facts) { f.asked = Pread }), Pread, "asked for", nil},
		{"pread, environment mapped", usual(func(f *facts) { f.asked = Pread; f.env = "mapped" }), Pread, "asked for", nil},
		{"pread, gate shut", usual(func(f *facts) { f.asked = Pread; f.gateShut = true }), Pread, "asked for", nil},

		{"mapped", usual(func(f *facts) { f.asked = Mapped }), Mapped, "asked for", nil},
		{"mapped, environment pread", usual(func(f *facts) { f.asked = Mapped; f.env = "pread" }), Mapped, "asked for", nil},
		{"mapped, nfs", usual(func(f *facts) { f.asked = Mapped; f.network = "nfs" }), Mapped, "asked for", nil},
		{"mapped, empty", usual(func(f *facts) { f.asked = Mapped; f.size = 0 }), Mapped, "asked for", nil},
		{"mapped, gate shut", usual(func(f *facts) { f.asked = Mapped; f.gateShut = true }), Pread, "mapping is not allowed yet", nil},
		{"mapped, gate shut, no mappings", usual(func(f *facts) { f.asked = Mapped; f.gateShut = true; f.maps = false }), Pread, "mapping is not allowed yet", nil},
		{"mapped, no mappings", usual(func(f *facts) { f.asked = Mapped; f.maps = false }), Auto, "cannot be mapped, no mapping on this platform", errors.ErrUnsupported},
		{"mapped, block device", usual(func(f *facts) { f.asked = Mapped; f.block = true }), Auto, "cannot be mapped, block device", errors.ErrUnsupported},
		{"mapped, 2 GiB in 32 bits", usual(func(f *facts) { is32bit(f); f.asked = Mapped; f.size = 1 << 31 }), Auto, "cannot be mapped, too large for the address space", errors.ErrUnsupported},

		{"no kind", usual(func(f *facts) { f.asked = 3 }), Auto, "unknown backend Kind(3)", fs.ErrInvalid},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := choose(test.facts)
			if test.want == Auto {
				require.Error(t, err)
				assert.Contains(t, err.Error(), test.reason)
				if test.err != nil {
					assert.ErrorIs(t, err, test.err)
				}
				return
			}
			require.NoError(t, err)
			assert.Equal(t, choice{
				kind:     test.want,
				reason:   test.reason,
				fallback: test.facts.asked == Auto && test.want == Mapped,
			}, c)
		})
	}
}

// TestChooseAll goes through every combination of facts and holds the choice
// against each rule by itself.
func TestChooseAll(t *testing.T) {
	t.Parallel()
	seen := 0
	for f := range allFacts {
		seen++
		c, err := choose(f)
		say := fmt.Sprintf("%+v gives %+v, %v", f, c, err)
		cannot := !f.maps || f.block || f.size > f.largest
		badEnv := f.asked == Auto && f.env == "x"

		wantErr := badEnv || f.asked == Mapped && cannot && !f.gateShut
		require.Equal(t, wantErr, err != nil, say)
		if err != nil {
			require.Equal(t, !badEnv, errors.Is(err, errors.ErrUnsupported), say)
			continue
		}
		require.NotEmpty(t, c.reason, say)
		require.NotEqual(t, Auto, c.kind, say)
		if f.gateShut || f.asked == Pread || cannot {
			require.Equal(t, Pread, c.kind, say)
			continue
		}
		switch {
		case f.asked == Mapped:
			require.Equal(t, choice{Mapped, "asked for", false}, c, say)
		case f.env == "pread" || f.size == 0 || f.network != "" && f.env == "":
			require.Equal(t, Pread, c.kind, say)
		default:
			require.Equal(t, Mapped, c.kind, say)
			require.True(t, c.fallback, say)
		}
	}
	assert.Equal(t, 3*2*4*2*5*2*2*2, seen)
}

func allFacts(yield func(facts) bool) {
	bools := []bool{false, true}
	for _, asked := range []Kind{Auto, Pread, Mapped} {
		for _, gateShut := range bools {
			for _, env := range []string{"", "pread", "mapped", "x"} {
				for _, maps := range bools {
					for _, size := range []int64{0, 1, math.MaxInt32, math.MaxInt32 + 1, math.MaxInt64} {
						for _, largest := range []int64{math.MaxInt32, math.MaxInt64} {
							for _, block := range bools {
								for _, network := range []string{"", "fuse"} {
									if !yield(facts{asked, gateShut, env, maps, size, largest, block, network}) {
										return
									}
								}
							}
						}
					}
				}
			}
		}
	}
}

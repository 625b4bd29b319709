package lzma

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sample is a stream and what it gives.
type sample struct {
	name string
	src  []byte
	want []byte
	eos  bool
}

// words is text of n bytes.
func words(n int) []byte {
	r := rand.New(rand.NewPCG(7, 9))
	b := make([]byte, 0, n+20)
	for len(b) < n {
		b = fmt.Appendf(b, "%s %d, ", []string{"archive", "entry", "zip", "section", "read", "the", "a"}[r.IntN(7)], r.IntN(90))
	}
	return b[:n]
}

// samples are streams for method 14.
func samples() (all []sample) {
	add := func(name string, e *encoder, dict uint32) {
		for _, eos := range []bool{false, true} {
			one := *e // each ends the coder in its own way
			one.out = bytes.Clone(e.out)
			one.models = map[string][]uint16{}
			for k, v := range e.models {
				one.models[k] = append([]uint16(nil), v...)
			}
			all = append(all, sample{fmt.Sprintf("%s eos=%t", name, eos), one.stream(dict, eos), e.data, eos})
		}
	}
	add("nothing", newEncoder(3, 0, 2), 1<<16)
	e := newEncoder(3, 0, 2)
	e.literal('x')
	add("a byte", e, 0)
	e = newEncoder(3, 0, 2)
	e.text(words(100000))
	add("text", e, 1<<24)
	e = newEncoder(3, 0, 2)
	e.literal(0)
	for range 1000 {
		e.rep(0, 273)
	}
	add("zeros", e, 1<<12)
	// Distances that are those of the dictionary, while it slides.
	e = newEncoder(0, 0, 0)
	e.random(rand.New(rand.NewPCG(1, 2)), 250000, minDict)
	add("small dictionary", e, 1)
	e = newEncoder(4, 0, 4)
	e.random(rand.New(rand.NewPCG(3, 4)), 400000, 100000)
	add("dictionary of odd size", e, 100000)
	for lc := range 9 {
		for lp := range 5 {
			for pb := range 5 {
				if raceEnabled && pb != (lc+lp)%5 {
					continue
				}
				e := newEncoder(lc, lp, pb)
				e.random(rand.New(rand.NewPCG(uint64(lc*5+lp), uint64(pb))), 3000, 1<<20)
				add(fmt.Sprintf("lc=%d lp=%d pb=%d", lc, lp, pb), e, 1<<20)
			}
		}
	}
	return all
}

// outcome is what a reader gave in all.
type outcome struct {
	out      []byte
	err      error // nil for io.EOF
	buffered int
	marker   bool
}

const outMost = 4 << 20 // what is read of a stream that should be smaller

func drain(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, outMost)) }

func decode(r io.Reader, size int64, eos bool, max int64) (o outcome) {
	d := NewReader(r, size, eos, max)
	defer d.Free()
	o.out, o.err = drain(d)
	o.buffered, o.marker = d.Buffered(), d.Marker()
	return o
}

// oddReader gives pieces of odd sizes, now and then nothing, and err behind the last.
type oddReader struct {
	p    []byte
	r    *rand.Rand
	most int
	err  error
}

func (o *oddReader) Read(p []byte) (int, error) {
	if len(o.p) == 0 {
		return 0, o.err
	}
	n := copy(p, o.p[:min(len(o.p), o.r.IntN(o.most+1))])
	o.p = o.p[n:]
	if len(o.p) == 0 && o.r.IntN(2) == 0 {
		return n, o.err
	}
	return n, nil
}

func readers(src []byte) map[string]io.Reader {
	odd := func(most int) io.Reader {
		return &oddReader{src, rand.New(rand.NewPCG(14, uint64(most))), most, io.EOF}
	}
	return map[string]io.Reader{
		"one byte":      iotest.OneByteReader(bytes.NewReader(src)),
		"half":          iotest.HalfReader(bytes.NewReader(src)),
		"data with EOF": iotest.DataErrReader(bytes.NewReader(src)),
		"up to 7":       odd(7),
		"up to 1000":    odd(1000),
		"up to 70000":   odd(70000),
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			got := decode(bytes.NewReader(s.src), int64(len(s.want)), s.eos, 0)
			require.NoError(t, got.err)
			require.True(t, bytes.Equal(s.want, got.out))
			assert.Equal(t, s.eos, got.marker)
			assert.Zero(t, got.buffered)
			for name, r := range readers(s.src) {
				if raceEnabled && len(s.src) > 2000 && name != "up to 1000" {
					continue
				}
				got := decode(r, int64(len(s.want)), s.eos, 0)
				require.NoError(t, got.err, name)
				require.True(t, bytes.Equal(s.want, got.out), name)
			}
			if len(s.want) > 10000 {
				return
			}
			d := NewReader(bytes.NewReader(s.src), int64(len(s.want)), s.eos, 0)
			defer d.Free()
			require.NoError(t, iotest.TestReader(d, s.want))
			n, err := d.Read(make([]byte, 1))
			assert.Zero(t, n)
			assert.Equal(t, io.EOF, err, "again")
		})
	}
}

// small are samples whose streams are short, and one that is not quite.
func small() (all []sample) {
	for _, text := range []string{"", "x", "ab", "an archive, an archive, an archive and another one"} {
		for _, eos := range []bool{false, true} {
			e := newEncoder(3, 0, 2)
			e.text([]byte(text))
			all = append(all, sample{text, e.stream(1<<16, eos), []byte(text), eos})
		}
	}
	for _, eos := range []bool{false, true} {
		e := newEncoder(1, 1, 1)
		e.random(rand.New(rand.NewPCG(5, 6)), 2000, 1<<16)
		all = append(all, sample{"random", e.stream(1<<16, eos), e.data, eos})
	}
	return all
}

// TestReaderFlag: what becomes of a flag that is wrong, and of a size that is. 7-Zip reports the
// flag as an error of the headers, Python and libarchive do not mind.
func TestReaderFlag(t *testing.T) {
	t.Parallel()
	for _, s := range small() {
		n := int64(len(s.want))
		got := decode(bytes.NewReader(s.src), n, !s.eos, 0)
		require.NoError(t, got.err, s.name)
		assert.True(t, bytes.Equal(s.want, got.out), s.name)
		assert.Equal(t, s.eos, got.marker)

		// An entry that declares more.
		got = decode(bytes.NewReader(s.src), n+1, s.eos, 0)
		assert.True(t, bytes.Equal(s.want, got.out), s.name)
		if s.eos {
			assert.NoError(t, got.err, "the caller sees that it is less")
			got = decode(bytes.NewReader(s.src), -1, true, 0)
			assert.NoError(t, got.err)
			assert.True(t, bytes.Equal(s.want, got.out), s.name)
			got = decode(bytes.NewReader(s.src), n+1, false, 0)
			assert.NoError(t, got.err)
			assert.True(t, got.marker)
		} else {
			assert.Equal(t, io.ErrUnexpectedEOF, got.err, s.name)
		}

		// An entry that declares less.
		for less := range min(n, 40) {
			got = decode(bytes.NewReader(s.src), less, false, 0)
			assert.Equal(t, ErrLong, got.err, "%s: %d", s.name, less)
			assert.Equal(t, less, int64(len(got.out)))
			got = decode(bytes.NewReader(s.src), less, true, 0)
			assert.Equal(t, n, int64(len(got.out)), "the caller sees that it is more")
			if s.eos {
				assert.NoError(t, got.err)
			} else {
				assert.Equal(t, io.ErrUnexpectedEOF, got.err)
			}
		}
	}
}

// TestReaderCut: each beginning of a stream gives a beginning of the contents, and says so.
func TestReaderCut(t *testing.T) {
	t.Parallel()
	for _, s := range small() {
		for n := range s.src {
			for name, r := range map[string]io.Reader{
				"whole":    bytes.NewReader(s.src[:n]),
				"one byte": iotest.OneByteReader(bytes.NewReader(s.src[:n])),
			} {
				got := decode(r, int64(len(s.want)), s.eos, 0)
				require.Equal(t, io.ErrUnexpectedEOF, got.err, "%s: %d %s", s.name, n, name)
				require.True(t, bytes.HasPrefix(s.want, got.out), "%s: %d %s", s.name, n, name)
				require.Zero(t, got.buffered&^31)
			}
		}
	}
}

// TestReaderBuffered: what is read from the source and not used is told.
func TestReaderBuffered(t *testing.T) {
	t.Parallel()
	for _, s := range small() {
		for _, tail := range []int{1, 8, 40, 1000, 100000} {
			r := bytes.NewReader(append(bytes.Clone(s.src), words(tail)...))
			got := decode(r, int64(len(s.want)), s.eos, 0)
			require.NoError(t, got.err)
			require.True(t, bytes.Equal(s.want, got.out))
			assert.Equal(t, tail, r.Len()+got.buffered)
		}
	}
}

// TestReaderFault: an error of the source comes as it is, behind what could be decoded before;
// an error behind the end is not seen.
func TestReaderFault(t *testing.T) {
	t.Parallel()
	fault := errors.New("unplugged")
	for _, s := range small() {
		for n := range s.src {
			with := &oddReader{s.src[:n], rand.New(rand.NewPCG(1, uint64(n))), 100, fault}
			got := decode(with, int64(len(s.want)), s.eos, 0)
			require.Equal(t, fault, got.err, "%s: %d", s.name, n)
			want := decode(bytes.NewReader(s.src[:n]), int64(len(s.want)), s.eos, 0)
			require.True(t, bytes.Equal(want.out, got.out), "%s: %d", s.name, n)
		}
		got := decode(&oddReader{s.src, rand.New(rand.NewPCG(1, 1)), 1000, fault}, int64(len(s.want)), s.eos, 0)
		assert.NoError(t, got.err)
	}
	stuck := struct{ io.Reader }{&oddReader{nil, nil, 0, nil}}
	assert.Equal(t, io.ErrNoProgress, decode(stuck, 1, false, 0).err)
}

func TestReaderFree(t *testing.T) {
	t.Parallel()
	s := small()[0]
	d := NewReader(bytes.NewReader(append(s.src, 1, 2)), 0, false, 0)
	_, err := io.ReadAll(d)
	require.NoError(t, err)
	d.Free()
	d.Free()
	_, err = d.Read(make([]byte, 1))
	assert.Equal(t, errFreed, err)
	assert.Equal(t, 2, d.Buffered())
}

// TestReaderMalformed: streams with one thing wrong.
func TestReaderMalformed(t *testing.T) {
	t.Parallel()
	text := words(3000)
	whole := func(eos bool) []byte {
		e := newEncoder(3, 0, 2)
		e.text(text)
		return e.stream(1<<16, eos)
	}
	edit := func(at int, b ...byte) []byte {
		src := whole(false)
		copy(src[at:], b)
		return src
	}
	symbols := func(dict uint32, write func(e *encoder)) []byte {
		e := newEncoder(3, 0, 2)
		write(e)
		return e.stream(dict, true)
	}
	for _, c := range []struct {
		name string
		src  []byte
		want error
		out  int // bytes given before
	}{
		{"properties of 4 bytes", edit(2, 4), ErrUnsupported, 0},
		{"properties of 261 bytes", edit(3, 1), ErrUnsupported, 0},
		{"properties 225", edit(4, 225), errProperties, 0},
		{"properties 255", edit(4, 255), errProperties, 0},
		{"coder starts with 1", edit(9, 1), errCoder, 0},
		{"coder starts beyond its range", edit(10, 255, 255, 255, 255), errCoder, 0},
		{"match at the beginning", symbols(1<<16, func(e *encoder) { e.match(1, 2) }), errTooFar, 0},
		{"short rep at the beginning", symbols(1<<16, func(e *encoder) { e.shortRep() }), errTooFar, 0},
		{"rep 0 at the beginning", symbols(1<<16, func(e *encoder) { e.rep(0, 2) }), errTooFar, 0},
		{"rep 3 at the beginning", symbols(1<<16, func(e *encoder) { e.rep(3, 2) }), errTooFar, 0},
		{"match before the beginning", symbols(1<<16, func(e *encoder) {
			e.literal(1)
			e.literal(2)
			e.match(3, 2)
		}), errTooFar, 2},
		{"match far before the beginning", symbols(1<<16, func(e *encoder) {
			e.literal(1)
			e.match(1<<31-1, 2)
		}), errTooFar, 1},
		{"match beyond the dictionary", symbols(5000, func(e *encoder) {
			e.text(text)
			e.text(text)
			e.match(5001, 2)
		}), errTooFar, 6000},
		{"match beyond the smallest dictionary", symbols(0, func(e *encoder) {
			e.text(text)
			e.text(text)
			e.match(minDict+1, 2)
		}), errTooFar, 6000},
		{"match within the smallest dictionary", symbols(0, func(e *encoder) {
			e.text(text)
			e.text(text)
			e.match(minDict, 2)
		}), nil, 6002},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := decode(bytes.NewReader(c.src), 6000, true, 0)
			assert.ErrorIs(t, got.err, c.want)
			assert.Len(t, got.out, c.out)
			assert.Equal(t, got.out, decode(iotest.OneByteReader(bytes.NewReader(c.src)), 6000, true, 0).out)
		})
	}
	// The coder in another state than the final one behind the marker.
	src := whole(true)
	src[len(src)-1]++
	assert.Equal(t, errFinal, decode(bytes.NewReader(src), int64(len(text)), true, 0).err)
	src = whole(false)
	src[len(src)-1]++
	assert.Equal(t, ErrLong, decode(bytes.NewReader(append(src, 1, 2, 3, 4, 5)), int64(len(text)), false, 0).err)
	// A match that is longer than the entry.
	e := newEncoder(3, 0, 2)
	e.literal(1)
	e.rep(0, 10)
	got := decode(bytes.NewReader(e.stream(1<<16, false)), 5, false, 0)
	assert.Equal(t, ErrLong, got.err)
	assert.Equal(t, []byte{1, 1, 1, 1, 1}, got.out)
}

// TestReaderFlips: whatever a bit does, there is an end, and the same for all readers.
func TestReaderFlips(t *testing.T) {
	t.Parallel()
	for _, s := range small() {
		for i := 0; i < min(len(s.src), 400)*8; i += stride {
			src := bytes.Clone(s.src)
			src[i/8] ^= 1 << (i % 8)
			same(t, func(r io.Reader) outcome { return decode(r, int64(len(s.want)), s.eos, 1<<20) }, src)
		}
	}
}

// same requires the same outcome for different ways to read src.
func same(t *testing.T, run func(io.Reader) outcome, src []byte) outcome {
	want := run(bytes.NewReader(src))
	for name, r := range map[string]io.Reader{
		"one byte":      iotest.OneByteReader(bytes.NewReader(src)),
		"data with EOF": iotest.DataErrReader(bytes.NewReader(src)),
		"up to 50":      &oddReader{src, rand.New(rand.NewPCG(9, uint64(len(src)))), 50, io.EOF},
	} {
		got := run(r)
		require.Equal(t, want.err, got.err, "%s: %x", name, src)
		require.True(t, bytes.Equal(want.out, got.out), "%s: %x", name, src)
		require.Equal(t, want.marker, got.marker)
	}
	return want
}

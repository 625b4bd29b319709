package inflate

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

const fuzzMost = 1 << 16 // a stream that gives more is not tried

// FuzzDecode holds each way to decode against the reference and compress/flate: the same
// output, or both refuse. Only this package knows sizes.
func FuzzDecode(f *testing.F) {
	for _, s := range smallSamples() {
		f.Add(s.src)
	}
	for _, c := range codeCases() {
		f.Add(c.src)
	}
	f.Fuzz(func(t *testing.T, src []byte) { judge(t, src, fuzzMost, "fuzzed") })
}

// FuzzPair: two streams side by side give what each gives alone, in both orders, and the
// assembly does what the Go code does.
func FuzzPair(f *testing.F) {
	all := smallSamples()
	for i, s := range all {
		other := all[(i*7+3)%len(all)]
		f.Add(s.src, other.src, int8(0), int8(0), uint8(i))
		f.Add(s.src, other.src, int8(1), int8(-1), uint8(3*i))
	}
	for i, c := range codeCases() {
		f.Add(c.src, all[i%len(all)].src, int8(0), int8(0), uint8(i))
	}
	f.Fuzz(func(t *testing.T, a, b []byte, more, less int8, ahead uint8) {
		size := func(src []byte, delta int8) int {
			out, _, _ := reference(src, false, fuzzMost)
			return max(0, len(out)+int(delta))
		}
		x, y := Job{Src: a, Size: size(a, more), Tag: 0}, Job{Src: b, Size: size(b, less), Tag: 1}
		wantA, wantB := single(a, x.Size), single(b, y.Size)
		for _, jobs := range [][]Job{{x, y}, {y, x}} { // verdicts come by tag
			both := paired(jobs...)
			requireSame(t, wantA, both[0], "a")
			requireSame(t, wantB, both[1], "b")
		}
		want := []verdict{wantA, wantB, wantB, wantA, wantA}
		for i, got := range paired(x, y, Job{Src: b, Size: y.Size, Tag: 2}, Job{Src: a, Size: x.Size, Tag: 3}, Job{Src: a, Size: x.Size, Tag: 4}) {
			requireSame(t, want[i], got, "job %d", i)
		}
		comparePairLoops(t, a, b, x.Size, y.Size, 1+int(ahead))
		comparePairLoops(t, b, a, y.Size, x.Size, 1+int(ahead))
	})
}

// FuzzStream: a stream read in pieces, from a source that gives pieces, is what Decode gives.
// Repeated after a stored block of some length, it lies anywhere around the end of a buffer.
func FuzzStream(f *testing.F) {
	for i, s := range smallSamples() {
		f.Add(s.src, uint16(i*31), uint16(i*1009), uint64(i))
	}
	for i, c := range codeCases() {
		f.Add(c.src, uint16(1000), uint16(32768-20-i), uint64(i))
	}
	f.Fuzz(func(t *testing.T, body []byte, piece, before uint16, seed uint64) {
		var w bitWriter
		if before > 0 {
			w.stored(false, noise(int(before)))
		}
		src := append(w.b, body...)
		most := fuzzMost + int(before)
		want, used, wantErr := reference(src, false, most)
		if errors.Is(wantErr, errReferenceBig) {
			return
		}
		differs, odd := differences[wantErr]
		if odd {
			t.Log(differs.why)
		}
		broken := errors.New("of the source")
		for _, r := range []io.Reader{
			&oddReader{src, rand.New(rand.NewPCG(seed, 1)), 1 + int(piece), io.EOF},
			iotest.OneByteReader(bytes.NewReader(src)),
			&oddReader{src, rand.New(rand.NewPCG(seed, 2)), 1 + int(piece), broken},
		} {
			d := Get()
			d.Stream(r)
			var out []byte
			var err error
			for p := make([]byte, 1+int(seed%5000)); err == nil && len(out) <= most; {
				var n int
				n, err = d.Read(p)
				out = append(out, p[:n]...)
			}
			left := d.Buffered()
			if o, ok := r.(*oddReader); ok {
				left += len(o.p)
			}
			d.Free()
			require.LessOrEqual(t, len(out), most)
			switch {
			case err == broken:
				require.True(t, odd || bytes.HasPrefix(want, out))
			case wantErr != nil:
				require.True(t, differs.accepts || err != io.EOF)
				require.True(t, odd || bytes.HasPrefix(want, out))
			default:
				require.Equal(t, io.EOF, err)
				require.True(t, bytes.Equal(want, out))
				if _, ok := r.(*oddReader); ok {
					require.Equal(t, len(src)-used, left)
				}
			}
		}
		if got := single(src, len(want)); wantErr == nil {
			require.Equal(t, used, got.used)
			require.True(t, bytes.Equal(want, got.out))
		} else if !differs.accepts {
			require.Error(t, got.err)
		}
	})
}

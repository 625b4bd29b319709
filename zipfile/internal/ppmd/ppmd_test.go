package ppmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// decode decodes a stream that declares size bytes.
func decode(src []byte, size int) ([]byte, error) {
	z := NewReader(bytes.NewReader(src), int64(size), 0)
	defer z.Free()
	return io.ReadAll(z)
}

func requireDecodes(t *testing.T, want, src []byte) {
	t.Helper()
	got, err := decode(src, len(want))
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got))
}

func noise(n int) []byte {
	rnd := rand.New(rand.NewPCG(98, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return b
}

// samples are what streams are made of.
func samples() map[string][]byte {
	machine := make([]byte, 0, 30000) // like code for a machine: fields that repeat at odds
	for i := range 5000 {
		machine = append(machine, 0x48, 0x8B, byte(i%7)<<3|5, byte(i*i), byte(i>>6), 0)
	}
	ladder := make([]byte, 0, 30000) // frequencies that grow until they are halved
	for i := range 30000 {
		ladder = append(ladder, byte(i%(i/1000+1)))
	}
	return map[string][]byte{
		"empty":    {},
		"one byte": {'x'},
		"two":      {0, 255},
		"text":     []byte(strings.Repeat("sixteen saltines, seventeen satsumas; ", 40)),
		"babble":   babble(3, 30000),
		"run":      make([]byte, 70000),
		"run, end": append(bytes.Repeat([]byte{255}, 30000), 'x'),
		"noise":    noise(20000),
		"machine":  machine,
		"ladder":   ladder,
	}
}

// small are streams with and without end mark.
func smallStreams() map[string][]byte {
	streams := map[string][]byte{}
	for name, data := range samples() {
		data = data[:min(len(data), 500)]
		streams[name], _ = compressTo(data, parameters{5, 1, restart}, true)
		streams[name+", no mark"], _ = compressTo(data, parameters{5, 1, cutOff}, false)
	}
	return streams
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for name, data := range samples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for order := minOrder; order <= maxOrder; order++ {
				p := parameters{order, 1 + order*order%256, order % 2}
				mark := order%3 > 0
				src, e := compressTo(data, p, mark)
				requireDecodes(t, data, src)
				if !mark {
					require.NoError(t, e.verify())
				}
			}
		})
	}
}

func TestReaders(t *testing.T) {
	t.Parallel()
	for name, data := range samples() {
		for _, mark := range []bool{true, false} {
			src, _ := compressTo(data, parameters{6, 1, restart}, mark)
			for kind, r := range map[string]io.Reader{
				"whole":         bytes.NewReader(src),
				"one byte":      iotest.OneByteReader(bytes.NewReader(src)),
				"half":          iotest.HalfReader(bytes.NewReader(src)),
				"data with EOF": iotest.DataErrReader(bytes.NewReader(src)),
			} {
				z := NewReader(r, int64(len(data)), 1<<20)
				require.NoError(t, iotest.TestReader(z, data), "%s %s", name, kind)
				n, err := z.Read(make([]byte, 1))
				assert.Zero(t, n)
				assert.Equal(t, io.EOF, err, "again")
				z.Free()
			}
		}
	}
}

// TestBuffered: what is read from the source and not used is told, before Free and after.
func TestBuffered(t *testing.T) {
	t.Parallel()
	for name, data := range samples() {
		for _, tail := range []int{0, 1, 100, 20000} {
			r := bytes.NewReader(append(compress(data, parameters{4, 1, restart}), noise(tail)...))
			z := NewReader(r, int64(len(data)), 0)
			assert.Zero(t, z.Buffered())
			got, err := io.ReadAll(z)
			require.NoError(t, err, name)
			require.True(t, bytes.Equal(data, got), name)
			assert.Equal(t, tail, z.Buffered()+r.Len(), name)
			z.Free()
			assert.Equal(t, tail, z.Buffered()+r.Len(), name)
			z.Free()
			_, err = z.Read(make([]byte, 1))
			assert.Equal(t, errFreed, err)
		}
	}
	z := NewReader(nil, 1, 0)
	z.Free()
	_, err := z.Read(make([]byte, 1))
	assert.Equal(t, errFreed, err)
}

// TestSizes: sizes that are not those of the stream.
func TestSizes(t *testing.T) {
	t.Parallel()
	for name, data := range samples() {
		p := parameters{7, 1, restart}
		src := compress(data, p)
		if len(data) > 0 {
			got, err := decode(src, len(data)-1)
			assert.Equal(t, ErrLong, err, name)
			assert.True(t, bytes.Equal(data[:len(data)-1], got), name)
		}
		got, err := decode(src, len(data)+1)
		assert.NoError(t, err, name)
		assert.True(t, bytes.Equal(data, got), name)

		src, _ = compressTo(data, p, false)
		_, err = decode(append(src, "behind"...), len(data))
		assert.Error(t, err, name)
	}
	got, err := decode(nil, 0)
	assert.NoError(t, err)
	assert.Empty(t, got)
}

func TestParameters(t *testing.T) {
	t.Parallel()
	body := compress([]byte("x"), parameters{2, 1, restart})[2:]
	for _, c := range []struct {
		parameters
		max  int64
		is   error
		text string
	}{
		{parameters{1, 1, restart}, 0, errOrder, "invalid PPMd order 1"},
		{parameters{8, 1, 2}, 0, ErrUnsupported, "PPMd restoration method 2 is not supported"},
		{parameters{8, 1, 15}, 0, ErrUnsupported, "PPMd restoration method 15 is not supported"},
		{parameters{16, 256, cutOff}, 1<<28 - 1, ErrMemory, "more memory needed than allowed: the PPMd model asks for 268435456 bytes, the limit is 268435455"},
		{parameters{8, 1, restart}, 1, ErrMemory, "more memory needed than allowed: the PPMd model asks for 1048576 bytes, the limit is 1"},
		{parameters{16, 256, restart}, 1 << 28, nil, ""},
		{parameters{2, 1, cutOff}, 1 << 20, nil, ""},
		{parameters{2, 256, cutOff}, 0, nil, ""},
	} {
		z := NewReader(bytes.NewReader(append(c.bytes(), body...)), 1, c.max)
		_, err := io.ReadAll(z)
		require.ErrorIs(t, err, c.is)
		if err != nil {
			assert.Equal(t, c.text, err.Error())
		}
		z.Free()
	}
	_, err := decode([]byte{0x17, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0}, 1)
	assert.Equal(t, errCorrupt, err, "a code that is out of the range at once")
}

// TestCut: an input that ends too early gives what is sure, and an error.
func TestCut(t *testing.T) {
	t.Parallel()
	for name, src := range smallStreams() {
		size := min(len(samples()[strings.TrimSuffix(name, ", no mark")]), 500)
		want, err := decode(src, size)
		require.NoError(t, err)
		for n := range src {
			got, err := decode(src[:n], size)
			require.True(t, bytes.HasPrefix(want, got), "%s, %d bytes", name, n)
			if n == 0 && size == 0 {
				continue
			}
			// Without the mark all can be there.
			if err == nil {
				require.Equal(t, want, got, "%s, %d bytes", name, n)
				require.False(t, strings.HasSuffix(name, "no mark"))
			} else {
				require.Equal(t, io.ErrUnexpectedEOF, err, "%s, %d bytes", name, n)
			}
		}
	}
}

// TestSourceError: what the source gives before an error comes out, and then that error.
func TestSourceError(t *testing.T) {
	t.Parallel()
	broken := errors.New("of the source")
	for name, src := range smallStreams() {
		size := min(len(samples()[strings.TrimSuffix(name, ", no mark")]), 500)
		want, _ := decode(src, size)
		for n := range len(src) + 1 {
			z := NewReader(io.MultiReader(bytes.NewReader(src[:n]), iotest.ErrReader(broken)), int64(size), 0)
			got, err := io.ReadAll(z)
			require.True(t, bytes.HasPrefix(want, got), "%s, %d bytes", name, n)
			if n < len(src) || err != nil {
				require.Equal(t, broken, err, "%s, %d bytes", name, n)
			}
			z.Free()
		}
	}
	z := NewReader(iotest.ErrReader(io.ErrUnexpectedEOF), 1, 0)
	_, err := io.ReadAll(z)
	assert.Equal(t, io.ErrUnexpectedEOF, err)
	z = NewReader(&stuck{}, 1, 0)
	_, err = io.ReadAll(z)
	assert.Equal(t, io.ErrNoProgress, err)
}

type stuck struct{}

func (*stuck) Read([]byte) (int, error) { return 0, nil }

// TestFlips: damage gives other bytes or an error.
func TestFlips(t *testing.T) {
	t.Parallel()
	for name, src := range smallStreams() {
		bad := bytes.Clone(src)
		for i := range bad {
			for _, bit := range []byte{1, 8, 128} {
				bad[i] ^= bit
				got, err := decodeBare(bad, 3000)
				bad[i] ^= bit
				require.LessOrEqual(t, len(got), 3000)
				if len(got) < 3000 && err == nil && i < len(bad)-8 {
					require.NoError(t, err, "%s at %d", name, i)
				}
			}
		}
	}
}

// decodeBare is decode without the fence around the model.
func decodeBare(src []byte, size int) (out []byte, err error) {
	z := NewReader(bytes.NewReader(src), int64(size), 0)
	defer z.Free()
	z.d = new(decoder)
	if err := z.start(); err != nil {
		return nil, err
	}
	out = make([]byte, size)
	n, d := 0, z.d
	for n < size {
		more, s := d.decode(out[n:])
		n += more
		switch {
		case d.pos > d.end:
			return out[:n], io.ErrUnexpectedEOF
		case s == ended:
			return out[:n], nil
		case s == corrupt:
			return out[:n], errCorrupt
		case n < size:
			z.fill()
		}
	}
	return out[:n], d.verify()
}

// TestMemory: a header does not make the decoder take memory, and what is large is not kept.
func TestMemory(t *testing.T) {
	src := compress([]byte("little"), parameters{16, 256, cutOff})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const streams = 100
	for range streams {
		requireDecodes(t, []byte("little"), src)
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(streams*(firstRoom+100<<10)))

	data := babble(8, 400000)
	z := NewReader(bytes.NewReader(compress(data, parameters{16, 16, restart})), int64(len(data)), 0)
	_, err := io.Copy(io.Discard, z)
	require.NoError(t, err)
	d := z.d
	require.Greater(t, d.room, uint32(keepRoom))
	z.Free()
	require.Nil(t, d.arena)
}

func BenchmarkDecode(b *testing.B) {
	for _, order := range []int{4, 8, 16} {
		b.Run(fmt.Sprintf("order=%d", order), func(b *testing.B) {
			data := babble(1, 1<<20)
			src := compress(data, parameters{order, 16, restart})
			out := make([]byte, len(data))
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				z := NewReader(bytes.NewReader(src), int64(len(data)), 0)
				if _, err := io.ReadFull(z, out); err != nil {
					b.Fatal(err)
				}
				z.Free()
			}
			require.True(b, bytes.Equal(data, out))
		})
	}
	b.Run("size=1000", func(b *testing.B) {
		data := babble(1, 1000)
		src := compress(data, parameters{8, 16, restart})
		out := make([]byte, len(data))
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			z := NewReader(bytes.NewReader(src), int64(len(data)), 0)
			if _, err := io.ReadFull(z, out); err != nil {
				b.Fatal(err)
			}
			z.Free()
		}
		require.True(b, bytes.Equal(data, out))
	})
}

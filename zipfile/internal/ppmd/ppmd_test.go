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
	var machine []byte // like code for a machine: fields that repeat at odds
	for i := range 1000 {
		machine = append(machine, 0x48, 0x8B, byte(i%7)<<3|5, byte(i*i), byte(i>>6), 0)
	}
	var ladder []byte // frequencies that grow until they are halved
	for i := range 6000 {
		ladder = append(ladder, byte(i%(i/200+1)))
	}
	return map[string][]byte{
		"empty":    {},
		"one byte": {'x'},
		"two":      {0, 255},
		"text":     []byte(strings.Repeat("sixteen saltines, seventeen satsumas; ", 40)),
		"babble":   babble(3, 6000),
		"run":      make([]byte, 20000),
		"run, end": append(bytes.Repeat([]byte{255}, 3000), 'x'),
		"noise":    noise(2000),
		"machine":  machine,
		"ladder":   ladder,
	}
}

// stream is a small one.
type stream struct {
	name      string
	data, src []byte
	mark      bool
}

func streams() (all []stream) {
	for name, data := range samples() {
		data = data[:min(len(data), 200)]
		for _, mark := range []bool{true, false} {
			src, _ := compressTo(data, parameters{5, 1, restart}, mark)
			all = append(all, stream{fmt.Sprintf("%s, mark %v", name, mark), data, src, mark})
		}
	}
	return all
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
	for _, s := range streams() {
		for n := range s.src {
			got, err := decode(s.src[:n], len(s.data))
			require.True(t, bytes.HasPrefix(s.data, got), "%s, %d bytes", s.name, n)
			switch {
			case err != nil:
				require.Equal(t, io.ErrUnexpectedEOF, err, "%s, %d bytes", s.name, n)
			case n > 0: // all may be there without the mark
				require.Equal(t, s.data, got, "%s, %d bytes", s.name, n)
				require.True(t, s.mark, "%s, %d bytes", s.name, n)
			}
		}
	}
}

// TestSourceError: what the source gives before an error comes out, and then that error.
func TestSourceError(t *testing.T) {
	t.Parallel()
	broken := errors.New("of the source")
	for _, s := range streams() {
		for n := 0; n <= len(s.src); n += 1 + n/20 {
			z := NewReader(io.MultiReader(bytes.NewReader(s.src[:n]), iotest.ErrReader(broken)), int64(len(s.data)), 0)
			got, err := io.ReadAll(z)
			require.True(t, bytes.HasPrefix(s.data, got), "%s, %d bytes", s.name, n)
			if n < len(s.src) || err != nil {
				require.Equal(t, broken, err, "%s, %d bytes", s.name, n)
			}
			z.Free()
		}
	}
	z := NewReader(iotest.ErrReader(io.ErrUnexpectedEOF), 1, 0)
	_, err := io.ReadAll(z)
	assert.Equal(t, io.ErrUnexpectedEOF, err)
	z = NewReader(stuck{}, 1, 0)
	_, err = io.ReadAll(z)
	assert.Equal(t, io.ErrNoProgress, err)
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// TestFlips: whatever damage gives, the model is sound.
func TestFlips(t *testing.T) {
	t.Parallel()
	d := new(decoder)
	for _, s := range streams() {
		bad := bytes.Clone(s.src)
		for i := range bad {
			bit := byte(1) << (i * 5 % 8)
			bad[i] ^= bit
			got, err := decodeIn(d, bad, 2*len(s.data), i%16 == 0)
			bad[i] ^= bit
			require.LessOrEqual(t, len(got), 2*len(s.data))
			require.NoError(t, err, "%s at %d", s.name, i)
		}
	}
}

// decodeIn decodes up to size bytes without the fence around the model, which it can check
// afterwards. All errors but those of the model are fine.
func decodeIn(d *decoder, src []byte, size int, verify bool) ([]byte, error) {
	z := NewReader(bytes.NewReader(src), int64(size), 0)
	z.d = d
	if z.start() != nil {
		return nil, nil
	}
	out, n := make([]byte, size), 0
	for n < size {
		more, s := d.decode(out[n:])
		n += more
		if s != going || d.pos > d.end {
			return out[:n], nil
		}
		z.fill()
	}
	if verify {
		return out, d.verify()
	}
	return out, nil
}

// TestCorrupt: a range does not divide evenly, and what is left over stands for no symbol.
func TestCorrupt(t *testing.T) {
	t.Parallel()
	data := samples()["babble"]
	for n := range 200 {
		_, e := compressTo(data[:n+1], parameters{5, 1, restart}, false)
		e.out = e.out[:len(e.out)-4]
		e.low += e.rng - 1
		e.flush()
		got, err := decode(append(e.out, make([]byte, 4)...), len(data))
		require.True(t, bytes.HasPrefix(got, data[:n+1]))
		if err == errCorrupt {
			return
		}
	}
	t.Error("no corrupt stream")
}

// TestFence: a model as no stream makes one.
func TestFence(t *testing.T) {
	t.Parallel()
	data := samples()["babble"]
	src := compress(data, parameters{8, 1, restart})
	for name, spoil := range map[string]func(m *model){
		"context":    func(m *model) { m.context = textBit },
		"no states":  func(m *model) { m.arena[m.context+1].setRef(0) },
		"arena":      func(m *model) { m.arena = m.arena[:m.hi] },
		"free block": func(m *model) { m.free[0], m.lo = 1<<30, m.hi },
	} {
		z := NewReader(bytes.NewReader(src), int64(len(data)), 0)
		_, err := io.ReadFull(z, make([]byte, 1000))
		require.NoError(t, err)
		spoil(&z.d.model)
		_, err = io.ReadAll(z)
		assert.Equal(t, errCorrupt, err, name)
	}
}

// TestMemory: a header does not make the decoder take memory, and what is large is not kept.
func TestMemory(t *testing.T) {
	src := compress([]byte("little"), parameters{16, 256, cutOff})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const n = 100
	for range n {
		requireDecodes(t, []byte("little"), src)
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(n*(firstRoom+100<<10)))

	data := babble(8, 100000)
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

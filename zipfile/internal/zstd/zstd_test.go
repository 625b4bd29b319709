package zstd

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"testing/iotest"

	peer "github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// sizes are those of contents.
func sizes() (list []int) {
	for n := range 70 {
		list = append(list, n)
	}
	return append(list, 127, 128, 255, 256, 257, 511, 1000, 1023, 1024, 1025, 4095, 5000, 16383, 16384, 20000,
		65535, 65536, 65537, 65536+256, 100_000, 131_071, 131_072, 131_073, 200_000, 262_144, 300_000)
}

// TestReader: what an encoder makes is decoded.
func TestReader(t *testing.T) {
	t.Parallel()
	for l, level := range levels {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			options := [][]peer.EOption{
				{peer.WithEncoderLevel(level)},
				{peer.WithEncoderLevel(level), peer.WithEncoderCRC(false), peer.WithSingleSegment(true)},
				{peer.WithEncoderLevel(level), peer.WithWindowSize(16 << 10), peer.WithZeroFrames(true)},
			}
			var whole []*peer.Encoder
			for _, o := range options {
				w, err := peer.NewWriter(nil, append(o, peer.WithEncoderConcurrency(1))...)
				require.NoError(t, err)
				whole = append(whole, w)
			}
			for k, kind := range inputKinds {
				for s, n := range sizes() {
					if s%2 != (k+l)%2 || raceEnabled && s%23 != 0 { // making an encoder takes long
						continue
					}
					p := kind.make(uint64(n), n)
					for i, o := range options {
						if i != s/2%len(options) && n < 60000 {
							continue
						}
						src := encode(t, p, o...)
						got, err := decode(bytes.NewReader(src), int64(n), 0)
						require.NoError(t, err, "%s %d %d", kind.name, n, i)
						require.True(t, bytes.Equal(p, got), "%s %d %d", kind.name, n, i)
						// One that is made at once has its size in the header.
						src = whole[i].EncodeAll(p, nil)
						got, err = decodeBytes(src)
						require.NoError(t, err, "%s %d %d", kind.name, n, i)
						require.True(t, bytes.Equal(p, got), "%s %d %d", kind.name, n, i)
					}
				}
			}
		})
	}
}

// TestReaderWays: the ways to read and to be read make no difference.
func TestReaderWays(t *testing.T) {
	t.Parallel()
	for k, kind := range inputKinds {
		if raceEnabled && k%3 != 0 {
			continue
		}
		want := kind.make(1, 70_000)
		src := encode(t, want, peer.WithWindowSize(32<<10))
		for name, source := range map[string]func() io.Reader{
			"one byte":   func() io.Reader { return iotest.OneByteReader(bytes.NewReader(src)) },
			"half":       func() io.Reader { return iotest.HalfReader(bytes.NewReader(src)) },
			"data error": func() io.Reader { return iotest.DataErrReader(bytes.NewReader(src)) },
			"all":        func() io.Reader { return bytes.NewReader(src) },
		} {
			for _, size := range []int{1, 7, 4096, 1 << 20} {
				z := NewReader(source(), int64(len(want)), 0)
				var got []byte
				p := make([]byte, size)
				for {
					n, err := z.Read(p)
					got = append(got, p[:n]...)
					if err == io.EOF {
						break
					}
					require.NoError(t, err)
					require.NotZero(t, n)
				}
				require.Zero(t, z.Buffered())
				z.Free()
				require.True(t, bytes.Equal(want, got), "%s %s %d", kind.name, name, size)
			}
		}
	}
}

// TestLaps: a window that is much smaller than the contents, with matches from all of it.
func TestLaps(t *testing.T) {
	t.Parallel()
	for _, window := range []int{1 << 10, 8 << 10, 64 << 10, 128 << 10, 512 << 10} {
		for _, level := range levels {
			var want []byte
			length := 3 << 20
			if raceEnabled {
				length = 700 << 10
			}
			for seed := uint64(0); len(want) < length; seed++ {
				kind := inputKinds[1+seed%6]
				want = append(want, kind.make(seed, window/3+int(seed*997)%window)...)
				back := want[len(want)-min(len(want), window-1):]
				want = append(want, back[:len(back)/2]...)
			}
			src := encode(t, want, peer.WithEncoderLevel(level), peer.WithWindowSize(window))
			got, err := decodeBytes(src)
			require.NoError(t, err, "%d %v", window, level)
			require.True(t, bytes.Equal(want, got), "%d %v", window, level)
		}
	}
}

// TestFrames: frames that follow each other, some of them skippable.
func TestFrames(t *testing.T) {
	t.Parallel()
	var src, want []byte
	for i := range 40 {
		p := inputKinds[i%len(inputKinds)].make(uint64(i), i*i*10)
		src = append(src, encode(t, p, peer.WithEncoderLevel(levels[i%4]), peer.WithZeroFrames(true))...)
		want = append(want, p...)
		if i%3 == 0 {
			n := i * i * 60
			src = append(src, byte(0x50+i%16), 0x2a, 0x4d, 0x18, byte(n), byte(n>>8), byte(n>>16), 0)
			src = append(src, make([]byte, n)...)
		}
	}
	got, err := decodeBytes(src)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got))
	got, err = decode(iotest.OneByteReader(bytes.NewReader(src)), 5, 0)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got))
}

// samples are small frames with all that encoders make.
func samples(t testing.TB) (list []sample) {
	for i, kind := range inputKinds {
		for _, n := range []int{0, 1, 20, 300, 2000} {
			for l, level := range levels {
				if (i+n+l)%3 != 0 && n > 20 {
					continue
				}
				p := kind.make(uint64(n), n)
				list = append(list, sample{fmt.Sprintf("%s %d %v", kind.name, n, level), encode(t, p, peer.WithEncoderLevel(level), peer.WithZeroFrames(true)), p})
			}
		}
	}
	return list
}

type sample struct {
	name string
	src  []byte
	want []byte
}

// TestCut: every cut is told.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t) {
		for n := range len(s.src) {
			if raceEnabled && n%13 != 0 {
				continue
			}
			got, err := decodeBytes(s.src[:n])
			if n == 0 {
				require.NoError(t, err)
				continue
			}
			require.Equal(t, io.ErrUnexpectedEOF, err, "%s %d", s.name, n)
			require.True(t, bytes.HasPrefix(s.want, got))
			fault := fmt.Errorf("a fault")
			_, err = decode(io.MultiReader(bytes.NewReader(s.src[:n]), iotest.ErrReader(fault)), -1, 0)
			require.Equal(t, fault, err)
		}
	}
}

// TestFlips: with any bit inverted both decoders say the same.
func TestFlips(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t) {
		src := bytes.Clone(s.src)
		for i := range len(src) * 8 {
			if raceEnabled && i%13 != 0 {
				continue
			}
			src[i/8] ^= 1 << (i % 8)
			agree(t, src)
			src[i/8] ^= 1 << (i % 8)
		}
	}
}

// agree has both decoders decode src.
func agree(t testing.TB, src []byte) {
	t.Helper()
	got, err := decodeBytes(src)
	want, peerErr := decodePeer(src)
	if refusesWindow(peerErr) {
		return
	}
	require.Equal(t, peerErr == nil, err == nil, "%x: %v, the other %v", src, err, peerErr)
	if err == nil {
		require.True(t, bytes.Equal(want, got), "%x", src)
	}
}

package crypt

import (
	"bytes"
	"crypto/aes"
	"errors"
	"io"
	"math/bits"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sizes lie around the ends of blocks, of batches, and of a counter's bytes: block 65536 is the
// first to have a third byte in its counter.
var sizes = []int{0, 1, 15, 16, 17, batch - 1, batch, batch + 1, 255 * 16, 256*16 - 1, 256 * 16, 256*16 + 1, 65536 * 16, 65536*16 + 3}

func TestAESSizes(t *testing.T) {
	t.Parallel()
	for _, size := range sizes {
		data := noise(size)
		for strength := byte(1); strength <= 3; strength++ {
			stored := sealAES(data, strength, secret)
			require.EqualValues(t, size, int64(len(stored))-Overhead(strength))

			dst := make([]byte, size+5)
			got, err := DecryptAES(dst, stored, strength, secret)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, got), size)
			assert.Equal(t, make([]byte, 5), dst[size:])
			assert.Equal(t, size, cap(got))

			a, err := NewAES(bytes.NewReader(stored), int64(len(stored)), strength, secret)
			require.NoError(t, err)
			got, err = io.ReadAll(a)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, got), size)

			a, err = NewAES(bytes.NewReader(stored), int64(len(stored)), strength, secret)
			require.NoError(t, err)
			for range 2 { // pieces that begin within a block
				n, err := io.ReadFull(a, dst[:size/2+1])
				if err != io.EOF && err != io.ErrUnexpectedEOF {
					require.NoError(t, err)
				}
				require.True(t, bytes.Equal(data[:n], dst[:n]), size)
				data = data[n:]
			}
			require.Empty(t, data)
			require.NoError(t, a.Finish())

			data = noise(size)
			got, err = DecryptAES(nil, stored, strength, secret)
			require.NoError(t, err)
			require.True(t, bytes.Equal(data, got), size)
		}
	}
}

// TestAESReaders reads in pieces of many sizes, from sources that give pieces. What is behind the
// entry stays in the source.
func TestAESReaders(t *testing.T) {
	t.Parallel()
	data := noise(3*batch + 7)
	stored := sealAES(data, 3, secret)
	for name, source := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r },
		"bytes": iotest.OneByteReader, "halves": iotest.HalfReader, "EOF with data": iotest.DataErrReader,
	} {
		for _, piece := range []int{1, 2, 15, 16, 17, 1000, batch, batch + 1, 1 << 20} {
			behind := bytes.NewReader(append(bytes.Clone(stored), "behind"...))
			a, err := NewAES(source(behind), int64(len(stored)), 3, secret)
			require.NoError(t, err)
			var got []byte
			p := make([]byte, piece)
			for err == nil {
				var n int
				n, err = a.Read(p)
				got = append(got, p[:n]...)
			}
			require.Equal(t, io.EOF, err)
			require.True(t, bytes.Equal(data, got), "%s, %d", name, piece)
			assert.NoError(t, a.Finish())
			_, err = a.Read(p)
			assert.Equal(t, io.EOF, err)
			if name != "EOF with data" { // which reads ahead
				assert.Equal(t, len("behind"), behind.Len(), name)
			}
		}
	}
}

// TestAESVerified: the last bytes come only with a code that matches.
func TestAESVerified(t *testing.T) {
	t.Parallel()
	stored := sealAES(noise(100), 1, secret)
	p := make([]byte, 100)

	a, err := NewAES(bytes.NewReader(stored), int64(len(stored)), 1, secret)
	require.NoError(t, err)
	_, err = io.ReadFull(a, p)
	require.NoError(t, err)
	assert.Equal(t, noise(100), p)
	assert.NoError(t, a.Finish())

	stored[len(stored)-1] ^= 1
	a, err = NewAES(bytes.NewReader(stored), int64(len(stored)), 1, secret)
	require.NoError(t, err)
	n, err := a.Read(p[:60])
	assert.Equal(t, 60, n)
	require.NoError(t, err)
	n, err = a.Read(p)
	assert.Zero(t, n)
	assert.Equal(t, ErrAuth, err)
	assert.Equal(t, make([]byte, 40), p[:40])
	_, err = a.Read(p)
	assert.Equal(t, ErrAuth, err)
	assert.Equal(t, ErrAuth, a.Finish())

	dst := bytes.Repeat([]byte{7}, 101)
	got, err := DecryptAES(dst, stored, 1, secret)
	assert.Nil(t, got)
	assert.Equal(t, ErrAuth, err)
	assert.Equal(t, append(make([]byte, 100), 7), dst)
	_, err = DecryptAES(nil, stored, 1, secret)
	assert.Equal(t, ErrAuth, err)
	assert.Equal(t, make([]byte, 100), stored[10:110])
}

func TestAESFinish(t *testing.T) {
	t.Parallel()
	data := noise(100 << 10)
	stored := sealAES(data, 2, secret)
	broken := errors.New("of the source")
	for _, read := range []int{0, 1, 1000, len(data) - 1, len(data)} {
		open := func(stored []byte, end error) *AES {
			r := io.MultiReader(bytes.NewReader(stored), iotest.ErrReader(end))
			a, err := NewAES(r, Overhead(2)+int64(len(data)), 2, secret)
			require.NoError(t, err)
			_, err = io.ReadFull(a, make([]byte, min(read, len(stored)-14)))
			require.NoError(t, err)
			return a
		}
		a := open(stored, broken)
		assert.NoError(t, a.Finish())
		assert.NoError(t, a.Finish())
		_, err := a.Read(make([]byte, 1))
		assert.Equal(t, io.EOF, err)

		if read == len(data) {
			continue // the code was looked at
		}
		for _, cut := range []int{len(stored) - 1, len(stored) - 10, max(14+read, 50<<10)} {
			a = open(stored[:cut], io.EOF)
			assert.Equal(t, io.ErrUnexpectedEOF, a.Finish())
			_, err = a.Read(make([]byte, 1))
			assert.Equal(t, io.ErrUnexpectedEOF, err)
			assert.Equal(t, broken, open(stored[:cut], broken).Finish())
		}
		damaged := bytes.Clone(stored)
		damaged[len(stored)-11] ^= 0x80
		assert.Equal(t, ErrAuth, open(damaged, io.EOF).Finish())
	}
}

// TestAESFlipped flips each bit.
func TestAESFlipped(t *testing.T) {
	t.Parallel()
	v := vectors()[0]
	for i := range v.bytes() {
		for bit := range 8 {
			stored := v.bytes()
			stored[i] ^= 1 << bit
			want := ErrAuth
			if i < 8+verifyLen {
				want = ErrPassword
			}
			if bit == i%8 {
				_, err := v.streamed(bytes.NewReader(stored), len(stored), secret)
				require.ErrorIs(t, err, want, "byte %d", i)
			}
			_, err := v.apart(nil, stored, secret)
			require.ErrorIs(t, err, want, "byte %d", i)
		}
	}
}

func TestAESCut(t *testing.T) {
	t.Parallel()
	for _, v := range vectors()[:3] {
		stored, over := v.bytes(), int(Overhead(v.strength))
		for cut := range stored {
			want := ErrAuth
			if cut < over {
				want = ErrShort
			}
			_, err := v.whole(stored[:cut], secret)
			require.ErrorIs(t, err, want, cut)
			_, err = v.streamed(bytes.NewReader(stored), cut, secret)
			require.ErrorIs(t, err, want, cut)
			_, err = v.streamed(bytes.NewReader(stored[:cut]), len(stored), secret)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, cut)
			_, err = v.streamed(iotest.DataErrReader(bytes.NewReader(stored[:cut])), len(stored), secret)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, cut)
		}
		_, err := v.streamed(strings.NewReader(""), -1, secret)
		assert.ErrorIs(t, err, ErrShort)
		_, err = v.apart(make([]byte, len(vectorText)-1), stored, secret)
		assert.ErrorIs(t, err, io.ErrShortBuffer)
	}
}

func TestAESStrength(t *testing.T) {
	t.Parallel()
	stored := vectors()[0].bytes()
	for _, strength := range []byte{0, 4, 255} {
		_, err := DecryptAES(nil, stored, strength, secret)
		assert.Equal(t, ErrStrength, err)
		_, err = NewAES(bytes.NewReader(stored), int64(len(stored)), strength, secret)
		assert.Equal(t, ErrStrength, err)
	}
}

// TestKeyStream looks at positions that are too far for a test of a whole entry: where a carry
// goes into each byte of the counter.
func TestKeyStream(t *testing.T) {
	t.Parallel()
	key := noise(32)
	block, err := aes.NewCipher(key)
	require.NoError(t, err)
	for shift := 8; shift < 59; shift++ {
		first := int64(1)<<shift - 3
		data := noise(100)
		want := counterMode(data, key, uint64(first)+1)
		for _, skip := range []int{0, 1, 15, 16, 31} {
			var k keyStream
			got := bytes.Clone(data)
			k.xor(block, got[skip:], got[skip:], first*16+int64(skip))
			require.Equal(t, want[skip:], got[skip:], "%d, %d", bits.Len64(uint64(first)), skip)
			k.xor(block, got[:skip], got[:skip], first*16) // back
			require.Equal(t, want, got)
		}
	}
}

// TestFIPS: where SHA-1 is not allowed, the error of the standard library comes back, and
// nothing panics.
func TestFIPS(t *testing.T) {
	const env = "GODEBUG"
	if !strings.Contains(os.Getenv(env), "fips140=only") {
		t.Parallel()
		cmd := exec.Command(os.Args[0], "-test.run=^TestFIPS$", "-test.v")
		cmd.Env = append(os.Environ(), env+"=fips140=only")
		out, err := cmd.CombinedOutput()
		if err != nil && !bytes.Contains(out, []byte("TestFIPS")) {
			t.Skipf("no FIPS 140-only mode here: %s", out)
		}
		require.NoError(t, err, "%s", out)
		return
	}
	for _, v := range vectors() {
		stored := v.bytes()
		_, whole := v.whole(stored, secret)
		_, streamed := v.streamed(bytes.NewReader(stored), len(stored), secret)
		if v.strength == 0 {
			assert.NoError(t, whole)
			assert.NoError(t, streamed)
			continue
		}
		assert.ErrorContains(t, whole, "FIPS")
		assert.ErrorContains(t, streamed, "FIPS")
	}
}

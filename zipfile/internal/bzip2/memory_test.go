package bzip2

import (
	"bytes"
	"io"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fresh reads all with a Reader that was never used, and returns the bytes that it needed.
func fresh(t *testing.T, src []byte) (out int64, bytesOf int) {
	z := new(Reader)
	z.open(bytes.NewReader(src))
	out, err := io.Copy(io.Discard, z)
	require.NoError(t, err)
	return out, int(reflect.TypeOf(*z).Size()) + cap(z.data) + 4*cap(z.next)
}

// TestMemory: a block costs what it holds, not what its stream's header allows.
func TestMemory(t *testing.T) {
	t.Parallel()
	src := packed([]byte("little"))
	require.Less(t, len(src), 60)
	out, need := fresh(t, src)
	assert.Equal(t, int64(6), out)
	assert.Less(t, need, 160<<10)

	_, need = fresh(t, oneBlock(blockSpec{plain: prose(20000)}))
	assert.Less(t, need, 400<<10)

	// All that a block of level 9 can hold: 900,000 bytes, here in 20 digits of a run, and counts
	// that are runs too. It is 4 MB of the transform for as many bytes in 45 of input.
	zeros := blockSpec{raw: []byte{0}, symbols: digits(9 * levelSize)}
	zeros.sum = crcOfBlock(bytes.Repeat([]byte{0}, 9*levelSize)) - crcOf([]byte{0})
	src = oneBlock(zeros)
	require.Less(t, len(src), 60)
	out, need = fresh(t, src)
	assert.Equal(t, int64(9*levelSize/5*4), out)
	assert.Less(t, need, 5<<20)
}

// digits are the symbols of a block that is a run of n.
func digits(n int) (symbols []int) {
	for ; n > 0; n = (n - 1) / 2 {
		symbols = append(symbols, (n-1)&1)
	}
	return append(symbols, 2)
}

func crcOfBlock(raw []byte) uint32 { return crcOf(fromRuns(raw)) }

// These count allocations, so they run alone.
func TestAllocs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	src := packed(join(prose(30000), make([]byte, 100000)))
	r := bytes.NewReader(nil)
	buf := make([]byte, 32<<10)
	z := new(Reader)
	all := func() {
		r.Reset(src)
		z.open(r)
		for {
			if _, err := z.Read(buf); err != nil {
				require.Equal(t, io.EOF, err)
				return
			}
		}
	}
	all()
	assert.Zero(t, testing.AllocsPerRun(5, all))
}

// TestBomb: 50 bytes that stand for 46 MB make what is asked for, and no more memory.
func TestBomb(t *testing.T) {
	t.Parallel()
	src := oneBlock(blockSpec{raw: []byte{0xff}, symbols: digits(9 * levelSize)})
	require.Less(t, len(src), 60)
	z := new(Reader)
	z.open(bytes.NewReader(src))
	p := make([]byte, 1<<20)
	n, err := io.ReadFull(z, p)
	require.NoError(t, err)
	require.Equal(t, len(p), n)
	require.Equal(t, repeated(len(p), "\xff"), p)
	assert.Less(t, cap(z.data)+4*cap(z.next), 5<<20)
}

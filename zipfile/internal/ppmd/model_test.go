package ppmd

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// babble returns n bytes in which much comes again, by words and by whole passages.
func babble(seed uint64, n int) []byte {
	rnd := rand.New(rand.NewPCG(seed, 98))
	words := make([][]byte, 600)
	for i := range words {
		w := make([]byte, 1+rnd.IntN(9))
		for j := range w {
			w[j] = "etaoinshrdlucmfwypvbgkjqxzETAO\x00\xff"[min(rnd.IntN(32), rnd.IntN(32))]
		}
		words[i] = w
	}
	b := make([]byte, 0, n+600)
	for len(b) < n {
		switch rnd.IntN(40) {
		case 0:
			if len(b) > 0 {
				from := rnd.IntN(len(b))
				b = append(b, b[from:min(len(b), from+rnd.IntN(400))]...)
			}
		case 1:
			for range rnd.IntN(30) {
				b = append(b, byte(rnd.Uint32()))
			}
		case 2:
			c := byte(rnd.Uint32())
			for range rnd.IntN(100) {
				b = append(b, c)
			}
		default:
			b = append(append(b, words[min(rnd.IntN(600), rnd.IntN(600))]...), ' ')
		}
	}
	return b[:n]
}

// initIn makes a model in an arena of its own that has room bytes and is not empty: what was
// there before must not matter.
func (m *model) initIn(order int, size uint32, cutOff bool, room uint32) {
	m.init(order, size, cutOff)
	m.setRoom(room)
	top, _ := m.layout(m.room)
	m.arena = make([]slot, top)
	rnd := rand.New(rand.NewPCG(uint64(room), 0))
	for i := range m.arena {
		for j := range slotBytes {
			m.arena[i][j] = byte(rnd.Uint32())
		}
	}
	m.restart()
}

func newEncoder(order int, size uint32, cutOff bool, room uint32) *encoder {
	e := &encoder{rng: 1<<32 - 1}
	e.initIn(order, size, cutOff, room)
	return e
}

// newDecoder is for what newEncoder's gives.
func newDecoder(src []byte, order int, size uint32, cutOff bool) *Reader {
	z := NewReader(bytes.NewReader(append(parameters{minOrder, 1, 0}.bytes(), src...)), 0, 0)
	z.d = new(decoder)
	if z.err = z.start(); z.err == nil {
		z.d.initIn(order, size, cutOff, size)
	}
	return z
}

func requireDecodesSmall(t *testing.T, data, src []byte, order int, size uint32, cut bool) {
	t.Helper()
	z := newDecoder(src, order, size, cut)
	require.NoError(t, z.err)
	got := make([]byte, len(data))
	n, s := z.d.decode(got)
	for n < len(got) && s == going {
		var more int
		z.fill()
		more, s = z.d.decode(got[n:])
		n += more
	}
	require.True(t, bytes.Equal(data, got))
	require.NoError(t, z.d.verify())
}

// TestSmallMemory: memory that is far smaller than a stream can ask for is full every few
// symbols.
func TestSmallMemory(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 1))
			order, size := minOrder+rnd.IntN(maxOrder-minOrder+1), uint32(8<<10+rnd.IntN(30<<10))
			data := babble(seed, 8000)
			e := newEncoder(order, size, seed%4 != 0, size)
			restored := 0
			for i, sym := range data {
				text := e.text
				e.encode(int(sym))
				if e.text+2 < text {
					restored++
					require.NoError(t, e.verify(), "order %d, %d bytes, symbol %d", order, size, i)
				}
			}
			e.flush()
			require.NoError(t, e.verify())
			assert.NotZero(t, restored)

			requireDecodesSmall(t, data, e.out, order, size, seed%4 != 0)
		})
	}
}

// TestGrow: a model that moves into larger arenas is one that had the largest at once.
func TestGrow(t *testing.T) {
	t.Parallel()
	data := babble(7, 8000)
	for i, order := range []int{minOrder, 9, maxOrder} {
		size := uint32(1<<20 + 4*i) // each pad
		whole := newEncoder(order, size, false, size)
		for _, sym := range data {
			whole.encode(int(sym))
		}
		for room := uint32(20 << 10); room < size/8; room = room*3 + 1 {
			e := newEncoder(order, size, false, room)
			for _, sym := range data {
				before := e.room
				if e.encode(int(sym)); e.room != before {
					require.NoError(t, e.verify())
				}
			}
			require.True(t, bytes.Equal(whole.out, e.out))
			require.Equal(t, whole.used(), e.used()-(e.size-e.room))
		}
	}
}

// TestTables holds the tables against how Shkarin makes them.
func TestTables(t *testing.T) {
	t.Parallel()
	units := 0
	for class := range classes {
		for range min(class/4+1, 4) {
			assert.EqualValues(t, class, unitClass[units])
			units++
		}
		assert.EqualValues(t, units, classUnits[class])
	}
	assert.Equal(t, maxUnits, units)

	row, left := 0, 1
	for i := range 258 {
		if i < len(binRow) {
			assert.EqualValues(t, row, binRow[i])
		}
		if i >= 3 && i-2 < orderZero {
			assert.EqualValues(t, row-3, seeRow[i-2])
		}
		if left--; left == 0 {
			row++
			left = max(row-4, 1)
		}
	}
	for n, bin := range suffixBin {
		switch {
		case n < 3:
			assert.EqualValues(t, 2*n, bin)
		case n < 11:
			assert.EqualValues(t, 4, bin)
		default:
			assert.EqualValues(t, 6, bin)
		}
	}
}

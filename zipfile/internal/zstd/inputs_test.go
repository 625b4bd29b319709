package zstd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	peer "github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// decode decodes src.
func decode(src io.Reader, size, maxMemory int64) ([]byte, error) {
	z := NewReader(src, size, maxMemory)
	defer z.Free()
	return io.ReadAll(z)
}

// decodeBytes decodes src, whose contents have no declared size.
func decodeBytes(src []byte) ([]byte, error) { return decode(bytes.NewReader(src), -1, 0) }

// peerWindow is the largest window that the other decoder takes, in bytes: it allocates that because
// of a header.
const peerWindow = 1 << 20

var peers = sync.Pool{New: func() any {
	d, err := peer.NewReader(nil, peer.WithDecoderConcurrency(1), peer.WithDecoderLowmem(true),
		peer.WithDecoderMaxWindow(peerWindow), peer.WithDecoderMaxMemory(peerWindow))
	if err != nil {
		panic(err)
	}
	return d
}}

// decodePeer decodes src with the other decoder.
func decodePeer(src []byte) ([]byte, error) {
	d := peers.Get().(*peer.Decoder)
	defer peers.Put(d)
	if err := d.Reset(bytes.NewReader(src)); err != nil {
		return nil, err
	}
	return io.ReadAll(d)
}

// refusesWindow reports an error that is about the size of a window only.
func refusesWindow(err error) bool {
	return errors.Is(err, peer.ErrWindowSizeExceeded) || errors.Is(err, peer.ErrDecoderSizeExceeded) || errors.Is(err, peer.ErrWindowSizeTooSmall)
}

var levels = []peer.EncoderLevel{peer.SpeedFastest, peer.SpeedDefault, peer.SpeedBetterCompression, peer.SpeedBestCompression}

// encode makes a frame.
func encode(t testing.TB, p []byte, o ...peer.EOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := peer.NewWriter(&b, append([]peer.EOption{peer.WithEncoderConcurrency(1)}, o...)...)
	require.NoError(t, err)
	_, err = w.Write(p)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// random is n bytes that cannot be compressed.
func random(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}

// words is n bytes of text.
func words(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 2))
	var vocabulary [500]string
	for i := range vocabulary {
		w := make([]byte, 1+r.IntN(9))
		for j := range w {
			w[j] = "eeeetttaaaoooiinnsshhrrddllucmfwygpbvk"[r.IntN(38)]
		}
		vocabulary[i] = string(w)
	}
	var b bytes.Buffer
	for b.Len() < n {
		i := int(float64(len(vocabulary)) * r.Float64() * r.Float64())
		b.WriteString(vocabulary[i])
		b.WriteByte(" \n"[r.IntN(12)/11])
		if r.IntN(20) == 0 {
			fmt.Fprint(&b, r.IntN(100000))
		}
	}
	return b.Bytes()[:n]
}

// records is n bytes of equal parts with something different in each.
func records(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 3))
	part := random(seed, 1+r.IntN(300))
	var b bytes.Buffer
	for b.Len() < n {
		part[r.IntN(len(part))]++
		b.Write(part)
	}
	return b.Bytes()[:n]
}

// runs is n bytes of runs of all lengths.
func runs(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 4))
	var p []byte
	for len(p) < n {
		unit := random(r.Uint64(), 1+r.IntN(20))
		for range 1 << r.IntN(9) {
			p = append(p, unit...)
		}
	}
	return p[:n]
}

// inputKind is contents of a kind.
type inputKind struct {
	name string
	make func(seed uint64, n int) []byte
}

var inputKinds = []inputKind{
	{"random", random},
	{"words", words},
	{"records", records},
	{"runs", runs},
	{"zeros", func(_ uint64, n int) []byte { return make([]byte, n) }},
	{"few values", func(seed uint64, n int) []byte {
		p := random(seed, n)
		for i, c := range p {
			p[i] = "aaaaaaaaaaaaabbc"[c&15]
		}
		return p
	}},
	{"mixture", func(seed uint64, n int) []byte {
		p := words(seed, n/4)
		p = append(p, random(seed, n/4)...)
		p = append(p, runs(seed, n/4)...)
		return append(p, words(seed, n-len(p))...)
	}},
}

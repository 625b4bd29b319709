package shrink

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing/iotest"
)

// text is like English in the frequencies of its words.
func text(n int) []byte {
	words := strings.Fields("the of and to in is that it was for on are as with they be at one have this from by hot word but what some " +
		"archive dictionary compression directory central header shrink reduce implode Katz 1989 (partial clearing) -- \"prefix\"")
	r := rand.New(rand.NewPCG(1, 1989))
	var b []byte
	for len(b) < n {
		b = append(b, words[min(r.IntN(len(words)), r.IntN(len(words)))]...)
		if b = append(b, ' '); r.IntN(12) == 0 {
			b = append(b, '\n')
		}
	}
	return b[:n]
}

func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// binaries is records with fields that change at different rates.
func binaries(n int) []byte {
	r := rand.New(rand.NewPCG(2, 2))
	var b []byte
	for i := 0; len(b) < n; i++ {
		b = append(b, 0, 0, byte(i>>8), byte(i), byte(r.IntN(4)), 0xff, byte(r.IntN(256)), 0x90)
	}
	return b[:n]
}

// coins is noise of two bytes, in which codes whose prefix was cleared come to be used.
func coins(n int) []byte {
	b := noise(n)
	for i := range b {
		b[i] = 'a' + b[i]&1
	}
	return b
}

type sample struct {
	name string
	want []byte
}

func samples() []sample {
	var every []byte
	for i := range 256 {
		every = append(every, byte(i), byte(255-i))
	}
	all := []sample{
		{"one byte", []byte{0}},
		{"another byte", []byte{255}},
		{"two bytes", []byte("aa")},
		{"all bytes", every},
		{"short text", text(300)},
		{"text", text(100_000)},
		{"short run", make([]byte, 1024)},
		{"run", make([]byte, 100_000)},
		{"noise", noise(100_000)},
		{"binary", binaries(100_000)},
		{"short coins", coins(10_000)},
		{"coins", coins(200_000)},
		{"1 MB", append(append(text(600_000), binaries(300_000)...), noise(100_000)...)},
		{"text between runs", append(append(make([]byte, 70_000), text(50_000)...), make([]byte, 70_000)...)},
	}
	if raceEnabled { // which takes its time
		all = slices.DeleteFunc(all, func(s sample) bool { return len(s.want) > 20_000 })
	}
	return all
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

func readers(src []byte, err error) map[string]io.Reader {
	odd := func(most int) io.Reader {
		return &oddReader{src, rand.New(rand.NewPCG(14, uint64(most))), most, err}
	}
	whole := func() io.Reader { return io.MultiReader(bytes.NewReader(src), iotest.ErrReader(err)) }
	return map[string]io.Reader{
		"whole":           whole(),
		"one byte":        iotest.OneByteReader(whole()),
		"half":            iotest.HalfReader(whole()),
		"data with error": iotest.DataErrReader(whole()),
		"up to 7":         odd(7),
		"up to 1000":      odd(1000),
		"up to 70000":     odd(70000),
	}
}

// decoded reads r to its end, into pieces of the given size.
func decoded(r io.Reader, piece int) ([]byte, error) {
	var out []byte
	for p := make([]byte, piece); ; {
		n, err := r.Read(p)
		out = append(out, p[:n]...)
		switch {
		case err == io.EOF:
			return out, nil
		case err != nil:
			return out, err
		case n == 0:
			return out, io.ErrNoProgress
		}
	}
}

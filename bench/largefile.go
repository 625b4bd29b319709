package main

import (
	"archive/zip"
	"fmt"
	"io"
	"math/rand/v2"
)

// Entries of the archive for -large.
const (
	largeDeflated = "large.deflated"
	largeStored   = "large.stored"
)

// largeVersion changes whenever writeLarge writes something else.
const largeVersion = 1

// largeArchive returns an archive of two entries of so many MiB of the same text, one deflated by
// compress/flate and one stored.
func largeArchive(mib int64, stderr io.Writer) (string, error) {
	return cachedFile(fmt.Sprintf("large-%dMiB-v%d.zip", mib, largeVersion), stderr,
		func(w io.Writer) error { return writeLarge(w, mib<<20) })
}

func writeLarge(w io.Writer, size int64) error {
	text := newText()
	z := zip.NewWriter(w)
	for _, h := range []zip.FileHeader{
		{Name: largeDeflated, Method: zip.Deflate},
		{Name: largeStored, Method: zip.Store},
	} {
		e, err := z.CreateHeader(&h)
		if err != nil {
			return err
		}
		for left := size; left > 0; {
			n, err := e.Write(text[:min(left, int64(len(text)))])
			if err != nil {
				return err
			}
			left -= int64(n)
		}
	}
	return z.Close()
}

// newText returns 16 MiB of lines of made-up words, a few of which are frequent, the same every
// time. A compressor that looks back 32 KiB does not see that it begins again behind that.
func newText() []byte {
	const size, words, perLine = 16 << 20, 4096, 12
	r := rand.New(rand.NewPCG(1, 2))
	syllables := []string{
		"ba", "con", "de", "er", "fi", "ga", "hin", "in", "jo", "ka", "le", "ment", "no", "o", "per", "qua",
		"re", "sta", "tion", "un", "ver", "wa", "ex", "y", "ze", "th", "ing", "al", "ro", "ti", "sh", "mu",
	}
	vocabulary := make([]string, words)
	for i := range vocabulary {
		for range 1 + r.IntN(4) {
			vocabulary[i] += syllables[r.IntN(len(syllables))]
		}
	}
	pick := rand.NewZipf(r, 1.1, 4, words-1)
	text := make([]byte, 0, size+perLine*32)
	for n := 1; len(text) < size; n++ {
		text = append(text, vocabulary[pick.Uint64()]...)
		switch {
		case n%perLine == 0:
			text = append(text, ".\n"...)
		case r.IntN(9) == 0:
			text = append(text, ", "...)
		default:
			text = append(text, ' ')
		}
	}
	return text[:size]
}

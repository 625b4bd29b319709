// Package gen writes jars of classes that do not exist but look like real ones: valid class
// files, sized and packed like those of large programs, the same for the same arguments on
// every machine.
//
//	f, err := os.Create("classes.jar")
//	if err != nil {
//		return err
//	}
//	if err := gen.Jar(f, 20_000, 1); err != nil {
//		return err
//	}
//	return f.Close()
package gen

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"strings"
	"time"
)

// Version changes whenever Jar writes other classes for the same arguments, so that a jar kept
// from before is not taken for a new one.
const Version = 1

// modified is the time of every entry. Its zone is UTC: archive/zip writes local times otherwise.
var modified = time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)

// Jar writes a jar of that many classes to w: the manifest first, the directories of packages
// before what is in them, all files deflated. Names and contents depend on the arguments and
// Version alone; the compressed bytes also on the Go version, whose compress/flate makes them.
func Jar(w io.Writer, classes int, seed uint64) error {
	if classes < 0 {
		return fmt.Errorf("%d classes", classes)
	}
	out := bufio.NewWriterSize(w, 1<<20)
	zw := zip.NewWriter(out)
	if err := add(zw, "META-INF/MANIFEST.MF", []byte(manifest)); err != nil {
		return err
	}
	u := newUniverse(classes, seed)
	dirs := map[string]bool{}
	for i, name := range u.names {
		for at, c := range name {
			if dir := name[:at+1]; c == '/' && !dirs[dir] {
				dirs[dir] = true
				if err := add(zw, dir, nil); err != nil {
					return err
				}
			}
		}
		if err := add(zw, name+".class", u.class(i)); err != nil {
			return err
		}
	}
	if err := zw.Close(); err != nil {
		return err
	}
	return out.Flush()
}

const manifest = "Manifest-Version: 1.0\r\nCreated-By: zipcat.dev/bench\r\n\r\n"

func add(zw *zip.Writer, name string, data []byte) error {
	h := zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified}
	if strings.HasSuffix(name, "/") {
		h.Method = zip.Store
	}
	w, err := zw.CreateHeader(&h)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// random is a source of numbers that are the same everywhere: integers alone, for the last bit
// of a floating-point result depends on the processor, and only the part of math/rand/v2 that
// is bound to stay as it is.
type random struct{ pcg *rand.PCG }

func newRandom(seed, stream uint64) random { return random{rand.NewPCG(seed, stream)} }

// n returns a number from 0 to n-1, n > 0.
func (r random) n(n int) int {
	hi, _ := bits.Mul64(r.pcg.Uint64(), uint64(n))
	return int(hi)
}

// between returns a number from lo to hi, both included.
func (r random) between(lo, hi int) int { return lo + r.n(hi-lo+1) }

func (r random) percent(p int) bool { return r.n(100) < p }

// low returns a number from 0 to n-1, the lower the likelier: programs use few names often.
func (r random) low(n int) int { return min(r.n(n), r.n(n), r.n(n)) }

func (r random) word(list []string) string { return list[r.n(len(list))] }

// sizes are those of the class files in three fat jars of 15,986 to 31,184 classes, 69,668
// together (mean 4,569 bytes, median 2,199): so many thousandths are no larger than so many bytes.
// The tail is cut off at 150,000 bytes; above that were five classes.
var sizes = []struct{ thousandth, bytes int }{
	{0, 110}, {10, 221}, {20, 266}, {50, 423}, {100, 641}, {150, 840}, {200, 1010}, {250, 1150},
	{300, 1305}, {400, 1650}, {500, 2199}, {600, 2653}, {700, 3626}, {750, 4635}, {800, 6163},
	{850, 9942}, {900, 13045}, {950, 16940}, {980, 23086}, {990, 28857}, {995, 36013}, {999, 59726},
	{1000, 150_000},
}

// size draws the size of a class file.
func (r random) size() int {
	const unit = 1000 // parts of a thousandth
	at := r.n(1000 * unit)
	i := 1
	for sizes[i].thousandth*unit <= at {
		i++
	}
	lo, hi := sizes[i-1], sizes[i]
	return lo.bytes + (hi.bytes-lo.bytes)*(at-lo.thousandth*unit)/((hi.thousandth-lo.thousandth)*unit)
}

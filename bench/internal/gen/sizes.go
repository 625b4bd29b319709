package gen

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"
)

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

// Sizes is a distribution of the sizes of files. Its zero value is that of class files.
type Sizes struct {
	fixed  int // 0: not this one
	median int // 0: not this one
	sigma  int // of the logarithm, in thousandths
	given  []int
}

// maxSize is the largest file that is written, in bytes: one is held in memory.
const maxSize = 256 << 20

// ParseSizes reads a distribution of sizes in bytes:
//
//	classes                  class files, of the sizes that they have in three fat jars
//	fixed:BYTES              text files of one size
//	lognormal:MEDIAN,SIGMA   text files the logarithm of whose size is distributed normally, with the
//	                         standard deviation SIGMA, at most 4
func ParseSizes(s string) (Sizes, error) {
	kind, rest, _ := strings.Cut(s, ":")
	size := func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > maxSize {
			return 0, fmt.Errorf("%q is no size from 1 to %d bytes", s, maxSize)
		}
		return n, nil
	}
	switch {
	case s == "classes":
		return Sizes{}, nil
	case kind == "fixed":
		n, err := size(rest)
		return Sizes{fixed: n}, err
	case kind == "lognormal":
		median, sigma, _ := strings.Cut(rest, ",")
		n, err := size(median)
		if err != nil {
			return Sizes{}, err
		}
		f, err := strconv.ParseFloat(sigma, 64)
		if err != nil || !(f >= 0 && f <= 4) {
			return Sizes{}, fmt.Errorf("%q is no standard deviation from 0 to 4", sigma)
		}
		return Sizes{median: n, sigma: int(f*1000 + 0.5)}, nil
	}
	return Sizes{}, fmt.Errorf("%q is none of classes, fixed:BYTES, lognormal:MEDIAN,SIGMA", s)
}

// ClassSizes are class files of just about these sizes, one after the other, from the start again
// after the last.
func ClassSizes(given []int) Sizes { return Sizes{given: given} }

func (s Sizes) classes() bool { return s.fixed == 0 && s.median == 0 }

// draw returns the size of the i-th file.
func (s Sizes) draw(i int, r random) int {
	switch {
	case len(s.given) > 0:
		return s.given[i%len(s.given)]
	case s.fixed > 0:
		return s.fixed
	case s.median > 0:
		return r.logNormal(s.median, s.sigma)
	}
	return r.classSize()
}

// logNormal draws a size. The sum of twelve even numbers from 0 to 1 is about normally distributed,
// with the deviation 1.
func (r random) logNormal(median, sigma int) int {
	const one = 1 << 24
	sum := -6 * one
	for range 12 {
		sum += r.n(one)
	}
	// The power of two, in parts of one: 1/ln 2 is 1.442695.
	power := int64(sum) * int64(sigma) * 1_442_695 / 1_000_000_000
	whole, part := power>>24, power&(one-1)
	size := uint64(median) << 24
	for i, root := range rootsOfTwo {
		if part&(one>>(i+1)) != 0 {
			hi, lo := bits.Mul64(size, root)
			size = hi<<32 | lo>>32
		}
	}
	for ; whole < 0 && size > 0; whole++ {
		size >>= 1
	}
	for ; whole > 0 && size < maxSize<<24; whole-- {
		size <<= 1
	}
	return int(min(max(size>>24, 1), maxSize))
}

// rootsOfTwo are 2 to the power of 1/2, 1/4, 1/8 and so on, times 1<<32.
var rootsOfTwo = []uint64{6074001000, 5107605667, 4683695048, 4485121744, 4389014833, 4341736423, 4318288544, 4306612134}

// classSizes are those of the class files in three fat jars of 15,986 to 31,184 classes, 69,668
// together (mean 4,569 bytes, median 2,199): so many thousandths are no larger than so many bytes.
// The tail is cut off at 150,000 bytes; above that were five classes.
var classSizes = []struct{ thousandth, bytes int }{
	{0, 110}, {10, 221}, {20, 266}, {50, 423}, {100, 641}, {150, 840}, {200, 1010}, {250, 1150},
	{300, 1305}, {400, 1650}, {500, 2199}, {600, 2653}, {700, 3626}, {750, 4635}, {800, 6163},
	{850, 9942}, {900, 13045}, {950, 16940}, {980, 23086}, {990, 28857}, {995, 36013}, {999, 59726},
	{1000, 150_000},
}

// classSize draws the size of a class file.
func (r random) classSize() int {
	const unit = 1000 // parts of a thousandth
	at := r.n(1000 * unit)
	i := 1
	for classSizes[i].thousandth*unit <= at {
		i++
	}
	lo, hi := classSizes[i-1], classSizes[i]
	return lo.bytes + (hi.bytes-lo.bytes)*(at-lo.thousandth*unit)/((hi.thousandth-lo.thousandth)*unit)
}

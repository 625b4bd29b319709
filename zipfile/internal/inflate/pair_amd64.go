//go:build !purego && !noasm && !safe

package inflate

import "sync"

// pairBMI2 is pairGo in assembly, for processors with BMI1 and BMI2 (Intel since 2013, AMD since
// 2015). It looks at its limits every two steps, so that its bounds are others: see its loop.
//
//go:noescape
func pairBMI2(p *Pair, ahead int) (code int)

// oneBMI2 is the same for one decoder, whose codes are those of lane a. It is not for Deflate64,
// and its output begins behind the identity table.
//
//go:noescape
func oneBMI2(d *Decoder, ahead int) (code int)

// The multiple of each distance below 8 that is at least 8, in the byte of that index: what COPYNEAR
// shifts by eight times the distance.
const nearMultiples uint64 = 0x0e0c0a0809080800

var _ = nearMultiples // it is for the assembly alone

// The assembly looks up a distance by the lowest byte of the bits.
var _ = [1]struct{}{}[distBits-8]

// bmi2 is whether the processor has BMI1 and BMI2. It is asked when something is decoded first: the
// instruction for it is slow in virtual machines, where golang.org/x/sys/cpu, which asks at each start,
// costs a program some 70 microseconds.
var bmi2 struct {
	once sync.Once
	has  bool
}

func hasBMI2() bool {
	bmi2.once.Do(func() {
		const leaf, mask = 7, 1<<3 | 1<<8 // CPUID in volume 2 of Intel's manual: EBX.BMI1, EBX.BMI2
		if most, _ := cpuid(0); most >= leaf {
			_, ebx := cpuid(leaf)
			bmi2.has = ebx&mask == mask
		}
	})
	return bmi2.has
}

// cpuid gives what the instruction says of a leaf, and its subleaf 0.
func cpuid(leaf uint32) (eax, ebx uint32)

func pairLoop(p *Pair, ahead int) (code int) {
	if hasBMI2() {
		return pairBMI2(p, ahead)
	}
	return pairGo(p, ahead)
}

// block decodes the rest of a block of codes. It returns running at its end.
func (d *Decoder) block() (status, error) {
	if !hasBMI2() || d.wide {
		return d.blockGo()
	}
	for {
		switch oneBMI2(d, outAtOnce) {
		case atA:
			return d.blockGo() // the end of the block, or an invalid code
		case farA:
			return running, errTooFar
		case invalidA:
			return running, errSymbol
		}
		if d.atLimit() {
			return d.blockGo() // says which
		}
	}
}

package bzip2

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// TestStages prints least thread CPU time per byte by stage.
func TestStages(t *testing.T) {
	if os.Getenv("STAGES") == "" {
		t.Skip()
	}
	runtime.LockOSThread()
	for _, n := range []string{"text", "bin"} {
		src := local(t, n)
		var best [4][]time.Duration
		total := 0
		syms := 0
		for rep := range 15 {
			z := new(Reader)
			z.open(bytes.NewReader(src))
			z.streamHeader()
			p := make([]byte, 32<<10)
			total = 0
			for b := 0; ; b++ {
				z.err, z.block = nil, false
				if z.take(24); z.take(24)&0xffffff != blockMagic&0xffffff {
					break
				}
				if rep == 0 {
					for i := range best {
						best[i] = append(best[i], 1<<60)
					}
				}
				z.blockHeader()
				mark := func(s int, from time.Duration) { best[s][b] = min(best[s][b], cpu(1)-from) }
				a := cpu(1)
				if err := z.symbols(); err != nil {
					t.Fatal(err)
				}
				mark(0, a)
				a = cpu(1)
				z.link()
				mark(1, a)
				a = cpu(1)
				z.mark()
				z.walkAll((z.size + z.size/4 + roundSize - 1) / roundSize)
				mark(2, a)
				a = cpu(1)
				z.startRuns()
				for {
					k := z.give(p)
					if k == 0 {
						break
					}
					total += k
				}
				mark(3, a)
				syms += z.used * 50
			}
			if rep == 0 {
				syms0 := syms
				fmt.Println(n, "symbols/byte", float64(syms0)/float64(total))
			}
		}
		sum := time.Duration(0)
		for i, s := range []string{"symbols", "link", "walk", "give"} {
			d := time.Duration(0)
			for _, v := range best[i] {
				d += v
			}
			sum += d
			fmt.Printf("%s %s %v %.2f ns/byte\n", n, s, d, float64(d)/float64(total))
		}
		fmt.Println(n, "sum", sum)
	}
}

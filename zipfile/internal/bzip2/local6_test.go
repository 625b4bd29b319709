package bzip2

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

func TestSplit(t *testing.T) {
	if os.Getenv("STAGES") == "" {
		t.Skip()
	}
	runtime.LockOSThread()
	for _, n := range []string{"text", "bin"} {
		src := local(t, n)
		var vs [4]time.Duration
		var sumG, sumB time.Duration
		total := 0
		for rep := range 10 {
			_ = rep
			z := new(Reader)
			z.open(bytes.NewReader(src))
			z.streamHeader()
			z.take(24)
			z.take(24)
			z.blockHeader()
			z.size, z.shift = 0, 0
			var all [][]token
			save := z.bits
			for k := range 2 {
				z.bits = save
				z.r = bytes.NewReader(src[save.end:])
				a := cpu(1)
				for _, sel := range z.selectors[:z.used] {
					z.need(groupRoom + 8)
					g, _ := z.group(&z.tables[sel])
					if k == 0 {
						all = append(all, append([]token{}, g...))
					}
				}
				if k == 1 {
					if d := cpu(1) - a; sumG == 0 || d < sumG {
						sumG = d
					}
				}
			}
			a := cpu(1)
			for i := range all {
				z.bytes(all[i], 900000)
			}
			if d := cpu(1) - a; sumB == 0 || d < sumB {
				sumB = d
			}
			total = len(all) * 50
			for v := range 4 {
				z.size = 0
				c := make([][]token, len(all))
				ntok := 0
				for i := range all {
					c[i] = append([]token{}, all[i]...)
					for j, t := range c[i] {
						ntok++
						r, k := t>>56, t&(1<<56-1)
						if v&1 != 0 {
							r &= 7
						}
						if v&2 != 0 {
							k = min(k, 3)
						}
						c[i][j] = r<<56 | k
					}
				}
				a := cpu(1)
				for i := range c {
					z.bytes(c[i], 900000)
				}
				if d := cpu(1) - a; vs[v] == 0 || d < vs[v] {
					vs[v] = d
				}
				if rep == 9 {
					fmt.Printf("%d: %.2f ns/token\n", v, float64(vs[v])/float64(ntok))
				}
			}
		}
		fmt.Printf("%s group %.2f bytes %.2f ns/symbol\n", n, float64(sumG)/float64(total), float64(sumB)/float64(total))
	}
}

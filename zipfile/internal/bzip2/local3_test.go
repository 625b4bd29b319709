package bzip2

import (
	"archive/zip"
	"bytes"
	std "compress/bzip2"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"
)

func one(b blockSpec) []byte { return streamSpec{blocks: []blockSpec{b}}.write() }

func lens(n int, v ...uint8) []uint8 {
	for len(v) < n {
		v = append(v, v[len(v)-1])
	}
	return v
}

func TestExperiment(t *testing.T) {
	text := prose(300)
	vals := 0
	{
		seen := map[byte]bool{}
		for _, c := range text {
			seen[c] = true
		}
		vals = len(seen)
	}
	a := vals + 2
	ev := even(a)
	over := slices.Clone(ev)
	over[0] = 1
	over[1] = 1
	under := slices.Clone(ev)
	under[a-1] = 12
	under2 := make([]uint8, a)
	for i := range under2 {
		under2[i] = 20
	}
	under0 := slices.Clone(ev)
	for i := range under0 {
		under0[i]++
	}
	good := one(blockSpec{plain: text})
	type c struct {
		n string
		b []byte
	}
	cs := []c{
		{"good", good},
		{"empty stream", streamSpec{}.write()},
		{"empty stream bad crc", streamSpec{sum: 1}.write()},
		{"empty stream pad", streamSpec{blocks: []blockSpec{{plain: text}}, pad: 0xff}.write()},
		{"two streams", append(slices.Clone(good), good...)},
		{"empty then good", append(streamSpec{}.write(), good...)},
		{"garbage", append(slices.Clone(good), "garbage after"...)},
		{"garbage zero", append(slices.Clone(good), make([]byte, 100)...)},
		{"BZ", append(slices.Clone(good), "BZ"...)},
		{"BZh", append(slices.Clone(good), "BZh"...)},
		{"BZh0", append(slices.Clone(good), "BZh0ssssssssssssssss"...)},
		{"BZh9", append(slices.Clone(good), "BZh9"...)},
		{"BZh9 garb", append(slices.Clone(good), "BZh9garbage after this"...)},
		{"level0", streamSpec{level: '0', blocks: []blockSpec{{plain: text}}}.write()},
		{"levelA", streamSpec{level: ':', blocks: []blockSpec{{plain: text}}}.write()},
		{"random", one(blockSpec{plain: prose(30000), random: true})},
		{"empty block", one(blockSpec{plain: []byte{}, raw: []byte{}, values: []byte{5}, symbols: []int{2}})},
		{"empty block crc0 no values", one(blockSpec{raw: []byte{}, values: []byte{}, symbols: []int{1}, lengths: [][]uint8{{1, 1}, {1, 1}}})},
		{"origin n", one(blockSpec{raw: []byte{5}, origin: 1})},
		{"tables 1", one(blockSpec{plain: text, tables: 1})},
		{"tables 3", one(blockSpec{plain: text, tables: 3})},
		{"tables 6", one(blockSpec{plain: text, tables: 6})},
		{"tables 7", one(blockSpec{plain: text, tables: 7})},
		{"selectors 0", one(blockSpec{raw: []byte{5}, selectors: []int{}, values: []byte{5}, cut: 2})},
		{"selectors few", one(blockSpec{plain: text, selectors: []int{0, 1}})},
		{"selectors extra", one(blockSpec{plain: text, selectors: make([]int, 300)})},
		{"selectors 18002", one(blockSpec{plain: text, selectors: make([]int, 18002)})},
		{"selectors 18003", one(blockSpec{plain: text, selectors: make([]int, 18003)})},
		{"selectors 32767", one(blockSpec{plain: text, selectors: make([]int, 32767)})},
		{"selector 2 of 2", one(blockSpec{plain: text, selectors: append([]int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, 2)})},
		{"selector 6 of 6", one(blockSpec{plain: text, tables: 6, selectors: append([]int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}, 6)})},
		{"length start 0 unused", one(blockSpec{plain: text, selectors: make([]int, 10), lengths: [][]uint8{ev, lens(a, 0)}})},
		{"length 0->5 unused", one(blockSpec{plain: text, selectors: make([]int, 10), lengths: [][]uint8{ev, lens(a, 5, 0, 5)}})},
		{"length 21 start", one(blockSpec{plain: text, selectors: make([]int, 10), lengths: [][]uint8{ev, lens(a, 21, 20)}})},
		{"length 21 mid", one(blockSpec{plain: text, selectors: make([]int, 10), lengths: [][]uint8{ev, lens(a, 5, 21, 5)}})},
		{"steps", one(blockSpec{plain: text, steps: 10})},
		{"over unused", one(blockSpec{plain: text, selectors: make([]int, 10), lengths: [][]uint8{ev, over}})},
		{"over declared but used in no group 2nd (all len1)", one(blockSpec{plain: text, selectors: make([]int, 10), lengths: [][]uint8{ev, lens(a, 1)}})},
		{"over used", one(blockSpec{raw: []byte{7, 7, 7, 8}, lengths: [][]uint8{{1, 2, 2, 2}, {1, 2, 2, 2}}})},
		{"over used2", one(blockSpec{raw: []byte{7, 7, 7}, lengths: [][]uint8{{1, 2, 2}, {1, 1, 1}}})},
		{"under used", one(blockSpec{plain: text, lengths: [][]uint8{under0, under0}})},
		{"under used 20", one(blockSpec{plain: text, lengths: [][]uint8{under2, under2}})},
		{"under used one", one(blockSpec{plain: text, lengths: [][]uint8{under, under}})},
		{"under unused", one(blockSpec{plain: text, selectors: make([]int, 10), lengths: [][]uint8{ev, under0}})},
		{"under unused 20", one(blockSpec{plain: text, selectors: make([]int, 10), lengths: [][]uint8{ev, under2}})},
		{"invalid code hit", one(blockSpec{raw: []byte{7, 7, 7, 8}, lengths: [][]uint8{{3, 3, 3, 3}, {3, 3, 3, 3}}, symbols: []int{0, 2, 3}})},
		{"4 equal at end", one(blockSpec{raw: []byte("abcaaaa")})},
		{"4 equal only", one(blockSpec{raw: []byte("aaaa")})},
		{"4 equal + 0", one(blockSpec{raw: []byte("aaaa\x00")})},
		{"3 equal at end", one(blockSpec{raw: []byte("abcaaa")})},
		{"two blocks each with 2 equal", streamSpec{blocks: []blockSpec{{raw: []byte("abaa")}, {raw: []byte("aab")}}}.write()},
		{"block at limit", streamSpec{level: '1', blocks: []blockSpec{{raw: prose(100000)}}}.write()},
		{"block over limit", streamSpec{level: '1', blocks: []blockSpec{{raw: prose(100001)}}}.write()},
		{"run over limit", streamSpec{level: '1', blocks: []blockSpec{{raw: []byte{7}, symbols: append(slices.Repeat([]int{0}, 17), 2)}}}.write()},
		{"run way over limit", streamSpec{level: '1', blocks: []blockSpec{{raw: []byte{7}, symbols: append(slices.Repeat([]int{0}, 40), 2)}}}.write()},
		{"block crc", one(blockSpec{plain: text, sum: 1})},
		{"stream crc", streamSpec{blocks: []blockSpec{{plain: text}}, sum: 1}.write()},
		{"no end", one(blockSpec{plain: prose(50 * 100)[:300], cut: 1})},
		{"end magic", streamSpec{blocks: []blockSpec{{plain: text}}, magic: 5}.write()},
		{"block magic", one(blockSpec{plain: text, magic: 5})},
		{"periodic", one(blockSpec{raw: bytes.Repeat([]byte("ab"), 100)})},
		{"extra values", one(blockSpec{plain: text, values: func() (v []byte) {
			for i := range 256 {
				v = append(v, byte(i))
			}
			return
		}()})},
	}
	for _, c := range cs {
		z := NewReader(bytes.NewReader(c.b))
		got, err := io.ReadAll(z)
		buf := z.Buffered()
		z.Free()
		sg, serr := io.ReadAll(std.NewReader(bytes.NewReader(c.b)))
		os.WriteFile("/tmp/bz/x.bz2", c.b, 0o644)
		bo, berr := exec.Command("bzip2", "-dc", "/tmp/bz/x.bz2").Output()
		var zb bytes.Buffer
		zw := zip.NewWriter(&zb)
		w, _ := zw.CreateRaw(&zip.FileHeader{Name: "x", Method: 12, CompressedSize64: uint64(len(c.b)), UncompressedSize64: uint64(len(got))})
		w.Write(c.b)
		zw.Close()
		os.WriteFile("/tmp/bz/x.zip", zb.Bytes(), 0o644)
		zo, zerr := exec.Command("7zz", "e", "-so", "/tmp/bz/x.zip").CombinedOutput()
		bz, bzerr := exec.Command("7zz", "e", "-so", "/tmp/bz/x.bz2").Output()
		_ = zo
		_ = zerr
		v := func(g []byte, err error) string {
			if err == nil {
				if !bytes.Equal(g, got) {
					return fmt.Sprintf("OK?%d", len(g))
				}
				return "ok"
			}
			return "bad"
		}
		fmt.Printf("%-34s mine %d %v left %d | std %s %v | bzip2 %s | 7z.bz2 %s\n", c.n, len(got), err, buf, v(sg, serr), serr, v(bo, berr), v(bz, bzerr))
	}
}

package zstd

import (
	"archive/zip"
	"bytes"
	"cmp"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	peer "github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// corpus is what the benchmarks decode: contents, and how each was compressed.
type corpus struct {
	name  string
	parts [][]byte
}

// corpora reads the classes of 1 to 100 KB of the archive ZIPFILE_BENCH_JAR, and the file
// ZIPFILE_BENCH_TEXT, a large one.
func corpora(b *testing.B) (list []corpus) {
	b.Helper()
	if name := os.Getenv("ZIPFILE_BENCH_JAR"); name != "" {
		z, err := zip.OpenReader(name)
		require.NoError(b, err)
		defer z.Close()
		suffix := cmp.Or(os.Getenv("ZIPFILE_BENCH_SUFFIX"), ".class")
		c := corpus{name: "entries"}
		total := 0
		for _, f := range z.File {
			if n := f.UncompressedSize64; n < 1000 || n > 100_000 || !strings.HasSuffix(f.Name, suffix) {
				continue
			}
			r, err := f.Open()
			require.NoError(b, err)
			p, err := io.ReadAll(r)
			require.NoError(b, err)
			r.Close()
			c.parts = append(c.parts, p)
			if total += len(p); total > 16<<20 {
				break
			}
		}
		list = append(list, c)
	}
	if name := os.Getenv("ZIPFILE_BENCH_TEXT"); name != "" {
		p, err := os.ReadFile(name)
		require.NoError(b, err)
		list = append(list, corpus{"text", [][]byte{p}})
	}
	if list == nil {
		b.Skip("neither ZIPFILE_BENCH_JAR nor ZIPFILE_BENCH_TEXT")
	}
	return list
}

// encoder makes frames.
type encoder struct {
	name string
	make func(p []byte) []byte
}

func encoders(b *testing.B) (list []encoder) {
	for _, level := range levels {
		if level == peer.SpeedBetterCompression {
			continue
		}
		w, err := peer.NewWriter(nil, peer.WithEncoderLevel(level), peer.WithEncoderConcurrency(1))
		require.NoError(b, err)
		list = append(list, encoder{level.String(), func(p []byte) []byte { return w.EncodeAll(p, nil) }})
	}
	return list
}

// BenchmarkPeers compares with the other decoder, both in turns; the fastest turn of each counts.
//
//	ZIPFILE_BENCH_JAR=app.jar ZIPFILE_BENCH_TEXT=large.txt \
//		go test -run='^$' -bench=Peers -benchtime=7x ./zipfile/internal/zstd
//
// With -tags noasm the other has no assembly either.
func BenchmarkPeers(b *testing.B) {
	for _, c := range corpora(b) {
		for _, e := range encoders(b) {
			b.Run("data="+c.name+"/level="+e.name, func(b *testing.B) {
				src := make([][]byte, len(c.parts))
				for i, p := range c.parts {
					src[i] = e.make(p)
				}
				comparePeers(b, c.parts, src)
			})
		}
		if len(c.parts) > 1 {
			continue
		}
		b.Run("data="+c.name+"/level=zstd-19", func(b *testing.B) {
			if _, err := exec.LookPath("zstd"); err != nil {
				b.Skip("zstd is not installed")
			}
			cmd := exec.Command("zstd", "-19", "-T0", "-c", "-")
			cmd.Stdin = bytes.NewReader(c.parts[0])
			src, err := cmd.Output()
			require.NoError(b, err)
			comparePeers(b, c.parts, [][]byte{src})
		})
	}
}

func comparePeers(b *testing.B, parts, src [][]byte) {
	total, packed := 0, 0
	for i, p := range parts {
		total += len(p)
		packed += len(src[i])
	}
	buf := make([]byte, 256<<10)
	var in bytes.Reader
	d, err := peer.NewReader(nil, peer.WithDecoderConcurrency(1), peer.WithDecoderLowmem(true))
	require.NoError(b, err)
	defer d.Close()
	drain := func(r io.Reader, want []byte, check bool) {
		n := 0
		for {
			m, err := r.Read(buf)
			if check && !bytes.Equal(want[n:n+m], buf[:m]) {
				b.Fatal("wrong contents")
			}
			n += m
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		if n != len(want) {
			b.Fatal("wrong size")
		}
	}
	own := func(check bool) {
		for i, p := range src {
			in.Reset(p)
			z := NewReader(&in, int64(len(parts[i])), 512<<20)
			drain(z, parts[i], check)
			z.Free()
		}
	}
	other := func(check bool) {
		for i, p := range src {
			in.Reset(p)
			if err := d.Reset(&in); err != nil {
				b.Fatal(err)
			}
			drain(d, parts[i], check)
		}
	}
	own(true)
	other(true)
	bestOwn, bestOther := time.Duration(1<<62), time.Duration(1<<62)
	turn := func(best *time.Duration, f func(bool)) {
		start := time.Now()
		f(false)
		*best = min(*best, time.Since(start))
	}
	for b.Loop() {
		turn(&bestOwn, own)
		turn(&bestOther, other)
	}
	b.ReportMetric(0, "ns/op") // of both together: says nothing
	b.ReportMetric(float64(total)/1e6/bestOwn.Seconds(), "own-MB/s")
	b.ReportMetric(float64(total)/1e6/bestOther.Seconds(), "peer-MB/s")
	b.ReportMetric(bestOther.Seconds()/bestOwn.Seconds(), "own/peer")
	b.ReportMetric(float64(total)/float64(packed), "ratio")
}

package inflate_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"zipcat.dev/zipfile/internal/inflate"
)

// member is a deflated entry of a jar. The bytes behind src are those of the file.
type member struct {
	src  []byte
	size int
	crc  uint32
}

// members reads the entries of ZIPFILE_BENCH_JAR whose names end in ZIPFILE_BENCH_SUFFIX (".class").
func members(b *testing.B) (list []member, largest int, total int64) {
	b.Helper()
	name := os.Getenv("ZIPFILE_BENCH_JAR")
	if name == "" {
		b.Skip("no ZIPFILE_BENCH_JAR")
	}
	file, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range z.File {
		if f.Method != zip.Deflate || f.Mode().IsDir() || !strings.HasSuffix(f.Name, benchSuffix()) {
			continue
		}
		off, err := f.DataOffset()
		if err != nil {
			b.Fatal(err)
		}
		m := member{file[off : off+int64(f.CompressedSize64)], int(f.UncompressedSize64), f.CRC32}
		list = append(list, m)
		largest = max(largest, m.size)
		total += int64(m.size)
	}
	if len(list) == 0 {
		b.Skip("nothing deflated has that suffix")
	}
	return list, largest, total
}

func benchSuffix() string { return cmp.Or(os.Getenv("ZIPFILE_BENCH_SUFFIX"), ".class") }

// single decodes all members one by one; check is called with each one's contents.
func single(list []member, buf []byte, check func(m member, out []byte)) error {
	d := inflate.Get()
	defer d.Free()
	for _, m := range list {
		out := buf[:m.size]
		if _, err := d.Decode(out, m.src); err != nil {
			return err
		}
		if check != nil {
			check(m, out)
		}
	}
	return nil
}

// paired decodes all members two at a time.
func paired(list []member, check func(m member, out []byte)) (err error) {
	p := inflate.GetPair()
	defer p.Free()
	i := 0
	p.Decode(func() (inflate.Job, bool) {
		if i == len(list) {
			return inflate.Job{}, false
		}
		i++
		return inflate.Job{Src: list[i-1].src, Size: list[i-1].size, Tag: i - 1}, true
	}, func(j inflate.Job, out []byte, _ int, failed error) bool {
		if err = failed; err == nil && check != nil {
			check(list[j.Tag], out)
		}
		return err == nil
	})
	return err
}

// driver has the C program of bench/peers decode all entries and returns the fastest of its
// passes. The clock is its own and leaves out its start.
func driver(program, mode string, entries int, total int64) (time.Duration, error) {
	var stderr strings.Builder
	cmd := exec.Command(program, mode, benchSuffix(), strconv.Itoa(benchPasses), os.Getenv("ZIPFILE_BENCH_JAR"))
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, stderr.String())
	}
	best := time.Duration(1<<63 - 1)
	for line := range strings.Lines(string(out)) {
		var s float64
		var n int
		var bytes int64
		if _, err := fmt.Sscan(line, &s, &n, &bytes); err != nil {
			return 0, fmt.Errorf("the driver printed %q: %w", line, err)
		}
		if n != entries || bytes != total {
			return 0, fmt.Errorf("the driver read %d entries of %d bytes, want %d of %d (are some stored?)", n, bytes, entries, total)
		}
		best = min(best, time.Duration(s*1e9))
	}
	return best, nil
}

// turnEnv has a process of the benchmark do the turn of one of our contenders.
const turnEnv = "ZIPFILE_BENCH_TURN"

// ours has a fresh process do what driver has the C program do: in one that goes on, the same decoder is up
// to a tenth faster or slower, whatever lies where in its memory.
func ours(name string) (time.Duration, error) {
	var stderr strings.Builder
	cmd := exec.Command(os.Args[0], "-test.run=^$", "-test.bench=^BenchmarkPeers$", "-test.benchtime=1x")
	cmd.Env = append(os.Environ(), turnEnv+"="+name)
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, stderr.String())
	}
	var ns int64
	if _, err := fmt.Sscan(stderr.String(), &ns); err != nil {
		return 0, fmt.Errorf("a turn printed %q: %w", stderr.String(), err)
	}
	return time.Duration(ns), nil
}

// turn does the passes of a turn and prints the nanoseconds of the fastest.
func turn(pass func() error) {
	best := time.Duration(1<<63 - 1)
	for range benchPasses {
		start := time.Now()
		if err := pass(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		best = min(best, time.Since(start))
	}
	fmt.Fprintln(os.Stderr, best.Nanoseconds())
	os.Exit(0)
}

// benchPasses is how often each contender decodes everything in its turn; the fastest counts.
const benchPasses = 3

// BenchmarkPeers compares the decoder, from memory to memory and without CRC, with libdeflate:
//
//	sh bench/peers/build-libdeflate.sh DIR
//	ZIPFILE_BENCH_JAR=app.jar ZIPFILE_BENCH_LIBDEFLATE=DIR/libdeflate \
//		go test -run='^$' -bench=Peers -benchtime=7x ./zipfile/internal/inflate
//
// Each iteration gives every contender a turn, a fresh process, in random order. The ratios that are reported are
// those of minimums over that of libdeflate's plain call, and of its call with slack. Without
// ZIPFILE_BENCH_LIBDEFLATE only the times of the two Go decoders come out.
func BenchmarkPeers(b *testing.B) {
	list, largest, total := members(b)
	buf := make([]byte, largest)
	switch os.Getenv(turnEnv) {
	case "single":
		turn(func() error { return single(list, buf, nil) })
	case "paired":
		turn(func() error { return paired(list, nil) })
	}
	check := func(m member, out []byte) {
		if crc32.ChecksumIEEE(out) != m.crc {
			b.Fatal("wrong contents")
		}
	}
	if err := single(list, buf, check); err != nil {
		b.Fatal(err)
	}
	if err := paired(list, check); err != nil {
		b.Fatal(err)
	}

	type contender struct {
		name string
		turn func() (time.Duration, error)
		best time.Duration
	}
	contenders := []*contender{
		{name: "single", turn: func() (time.Duration, error) { return ours("single") }},
		{name: "paired", turn: func() (time.Duration, error) { return ours("paired") }},
	}
	const own = 2
	if program := os.Getenv("ZIPFILE_BENCH_LIBDEFLATE"); program != "" {
		for _, c := range []struct{ name, mode string }{{"plain", "decode"}, {"slack", "slack"}} {
			contenders = append(contenders, &contender{
				name: c.name,
				turn: func() (time.Duration, error) { return driver(program, c.mode, len(list), total) },
			})
		}
	}

	const seed = 1
	order := rand.New(rand.NewPCG(seed, 0))
	for b.Loop() {
		for _, i := range order.Perm(len(contenders)) {
			c := contenders[i]
			t, err := c.turn()
			if err != nil {
				b.Fatal(c.name+": ", err)
			}
			if c.best == 0 || t < c.best {
				c.best = t
			}
		}
	}
	b.ReportMetric(0, "ns/op") // of all together: says nothing
	for _, c := range contenders {
		b.ReportMetric(c.best.Seconds()*1e3, c.name+"-ms")
	}
	for _, c := range contenders[:own] {
		for _, peer := range contenders[own:] {
			b.ReportMetric(float64(c.best)/float64(peer.best), c.name+"/"+peer.name)
		}
	}
}

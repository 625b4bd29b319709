package gen

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
)

func jar(t *testing.T, classes int, seed uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Jar(&b, classes, seed))
	return b.Bytes()
}

func TestDeterministic(t *testing.T) {
	t.Parallel()
	a := jar(t, 300, 1)
	assert.True(t, bytes.Equal(a, jar(t, 300, 1)), "same arguments")
	assert.False(t, bytes.Equal(a, jar(t, 300, 2)), "another seed")
	assert.False(t, bytes.Equal(a, jar(t, 301, 1)), "another number of classes")
}

// A jar of one Version has the same contents on every platform and with every Go version: whoever
// changes what is generated changes Version too, and these sums.
func TestContents(t *testing.T) {
	t.Parallel()
	require.Equal(t, 2, Version)
	for _, tt := range []struct {
		classes int
		seed    uint64
		want    string
	}{
		{0, 1, "54500d9fbe937f4b"},
		{1, 1, "ed2705c8835de3b4"},
		{300, 1, "501e982ff69ad38a"},
		{300, 1 << 63, "18782f9e85fc6138"},
	} {
		z, err := zip.NewReader(readerAndSize(jar(t, tt.classes, tt.seed)))
		require.NoError(t, err)
		h := sha256.New()
		for _, f := range z.File {
			fmt.Fprintln(h, f.Name, f.CRC32, f.UncompressedSize64)
		}
		assert.Equal(t, tt.want, hex.EncodeToString(h.Sum(nil)[:8]), "%d classes, seed %d", tt.classes, tt.seed)
	}
}

func TestNegative(t *testing.T) {
	t.Parallel()
	assert.Error(t, Jar(io.Discard, -1, 1))
}

func TestReadable(t *testing.T) {
	t.Parallel()
	const classes = 500
	data := jar(t, classes, 1)
	theirs, err := zip.NewReader(readerAndSize(data))
	require.NoError(t, err)
	ours, err := zipfile.New(backend.Bytes(data), &zipfile.Options{Checks: zipfile.Strict})
	require.NoError(t, err)
	defer ours.Close()

	require.Equal(t, len(theirs.File), ours.Len())
	assert.Equal(t, "META-INF/MANIFEST.MF", ours.At(0).Name())
	seen := map[string]bool{}
	n := 0
	for e := range ours.Entries() {
		name := e.Name()
		require.False(t, seen[name], name)
		seen[name] = true
		if dir := filepath.ToSlash(filepath.Dir(strings.TrimSuffix(name, "/"))); e.Index() > 0 && dir != "." {
			require.True(t, seen[dir+"/"], "%s comes before its directory", name)
		}
		got, err := e.ReadAll()
		require.NoError(t, err)
		f := theirs.File[e.Index()]
		r, err := f.Open()
		require.NoError(t, err)
		want, err := io.ReadAll(r)
		require.NoError(t, err)
		require.Equal(t, f.Name, name)
		require.True(t, bytes.Equal(want, got), name)
		if strings.HasSuffix(name, ".class") {
			n++
			require.NoError(t, checkClass(got), name)
		}
	}
	assert.Equal(t, classes, n)
}

// The sizes are those of the table, a little over.
func TestSizes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("makes 3,000 classes")
	}
	u := newUniverse(3000, 1, 0)
	var all []int
	sum := 0
	for i := range u.names {
		r := newRandom(1, uint64(i)+1)
		n := len(u.class(i, r.classSize(), r))
		all = append(all, n)
		sum += n
	}
	slices.Sort(all)
	assert.InDelta(t, 2300, all[len(all)/2], 300, "median")
	assert.InDelta(t, 4900, sum/len(all), 500, "mean")
}

// checkClass walks the structure of a class file down to its last byte, Java Virtual Machine
// Specification 4.1.
func checkClass(b []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cut off: %v", r)
		}
	}()
	u2 := func() int { v := binary.BigEndian.Uint16(b); b = b[2:]; return int(v) }
	u4 := func() uint32 { v := binary.BigEndian.Uint32(b); b = b[4:]; return v }
	if u4() != 0xCAFEBABE || u2() != 0 || u2() != major {
		return fmt.Errorf("magic or version")
	}
	constants := u2()
	for i := 1; i < constants; i++ {
		tag := b[0]
		b = b[1:]
		switch tag {
		case tagUTF8:
			n := u2()
			b = b[n:]
		case tagClass, tagString:
			b = b[2:]
		case tagLong, tagDouble:
			b = b[8:]
			i++
		case tagInteger, tagField, tagMethod, tagInterfaceMethod, tagNameAndType:
			b = b[4:]
		default:
			return fmt.Errorf("constant %d has tag %d", i, tag)
		}
	}
	attributes := func() {
		for range u2() {
			u2()
			n := u4()
			b = b[n:]
		}
	}
	b = b[6:] // flags, this, super
	n := u2()
	b = b[2*n:]
	for range 2 { // fields, methods
		for range u2() {
			b = b[6:]
			attributes()
		}
	}
	attributes()
	if len(b) != 0 {
		return fmt.Errorf("%d bytes left", len(b))
	}
	return nil
}

// enclosing is where javap prints the index 0 for a class that no method encloses, 4.7.7.
var enclosing = regexp.MustCompile(`EnclosingMethod: #\d+\.#0|InnerClasses:\n.*`)

// javap takes some classes apart, to the last instruction.
func TestJavap(t *testing.T) {
	t.Parallel()
	javap, err := exec.LookPath("javap")
	if err != nil {
		t.Skip("no javap to try the classes on: ", err)
	}
	u := newUniverse(60, 1, 0)
	dir := t.TempDir()
	args := []string{"-c", "-p", "-v"}
	for i := range u.names {
		r := newRandom(1, uint64(i)+1)
		name := filepath.Join(dir, fmt.Sprintf("C%d.class", i))
		require.NoError(t, os.WriteFile(name, u.class(i, r.classSize(), r), 0o666))
		args = append(args, name)
	}
	cmd := exec.Command(javap, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	// Bad constants do not make it fail; it prints words in their place.
	for _, bad := range []string{"\nError:", "unknown tag", "invalid index", "#0 "} {
		assert.False(t, strings.Contains(enclosing.ReplaceAllString(string(out), ""), bad), bad)
	}
	assert.True(t, strings.Contains(string(out), "StackMapTable"))
}

func readerAndSize(b []byte) (io.ReaderAt, int64) { return bytes.NewReader(b), int64(len(b)) }

// ZIPFILE_BENCH_JAR is a jar of real classes: generated ones of the same sizes compress about alike,
// small ones and large ones too. bench gen -compare prints the same, and the speed of decoding.
func TestRatio(t *testing.T) {
	t.Parallel()
	z, err := zip.OpenReader(os.Getenv("ZIPFILE_BENCH_JAR"))
	if err != nil {
		t.Skip("no ZIPFILE_BENCH_JAR to compare with: ", err)
	}
	defer z.Close()
	var classes []*zip.File
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, ".class") {
			classes = append(classes, f)
		}
	}
	const most = 3000
	var sizes []int
	var theirs, ours ratios
	for i := range min(most, len(classes)) {
		f := classes[i*len(classes)/min(most, len(classes))]
		sizes = append(sizes, int(f.UncompressedSize64))
		theirs.add(sizes[i], f)
	}
	var b bytes.Buffer
	require.NoError(t, Write(&b, Options{Entries: len(sizes), Seed: 1, Sizes: ClassSizes(sizes)}))
	generated, err := zip.NewReader(readerAndSize(b.Bytes()))
	require.NoError(t, err)
	i := 0
	for _, f := range generated.File {
		if strings.HasSuffix(f.Name, ".class") {
			ours.add(sizes[i], f)
			i++
		}
	}
	for band, a := range theirs {
		if b := ours[band]; a.count > 0 {
			t.Logf("below %7d bytes: %5d classes, real %.3f, generated %.3f", 1<<band, a.count, a.packed/a.size, b.packed/b.size)
		}
	}
	a, c := theirs[len(theirs)-1], ours[len(ours)-1]
	assert.InEpsilon(t, a.packed/a.size, c.packed/c.size, 0.1)
}

// ratios are sums by the number of bits that a size has, and the last of all.
type ratios [33]struct {
	count        int
	size, packed float64
}

func (r *ratios) add(size int, f *zip.File) {
	for _, band := range []int{bits.Len(uint(size)), len(r) - 1} {
		r[band].count++
		r[band].size += float64(f.UncompressedSize64)
		r[band].packed += float64(f.CompressedSize64)
	}
}

func TestParseSizes(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"classes", "fixed:1", "fixed:268435456", "lognormal:4096,1.5", "lognormal:1,0"} {
		_, err := ParseSizes(good)
		assert.NoError(t, err, good)
	}
	for _, bad := range []string{"", "class", "classes:3", "fixed", "fixed:", "fixed:0", "fixed:-3", "fixed:268435457", "fixed:1e3", "lognormal:", "lognormal:5",
		"lognormal:5,", "lognormal:0,1", "lognormal:5,-1", "lognormal:5,NaN", "lognormal:5,Inf", "lognormal:5,4.1", "lognormal:5,1,2"} {
		_, err := ParseSizes(bad)
		assert.Error(t, err, bad)
	}
}

func TestLogNormal(t *testing.T) {
	t.Parallel()
	s, err := ParseSizes("lognormal:4096,1.5")
	require.NoError(t, err)
	r := newRandom(1, 1)
	var logs []float64
	sum := 0.0
	for i := range 20_000 {
		logs = append(logs, math.Log(float64(s.draw(i, r))))
		sum += logs[i]
	}
	mean := sum / float64(len(logs))
	squares := 0.0
	for _, v := range logs {
		squares += (v - mean) * (v - mean)
	}
	assert.InDelta(t, math.Log(4096), mean, 0.04)
	assert.InDelta(t, 1.5, math.Sqrt(squares/float64(len(logs))), 0.04)

	wide, err := ParseSizes("lognormal:268435456,4")
	require.NoError(t, err)
	small, err := ParseSizes("lognormal:1,4")
	require.NoError(t, err)
	for i := range 1000 {
		n := wide.draw(i, r)
		require.True(t, 1 <= n && n <= maxSize, n)
		n = small.draw(i, r)
		require.True(t, 1 <= n && n <= maxSize, n)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	sizes := func(s string) Sizes {
		v, err := ParseSizes(s)
		require.NoError(t, err)
		return v
	}
	write := func(o Options) *zip.Reader {
		var b bytes.Buffer
		require.NoError(t, Write(&b, o))
		var again bytes.Buffer
		require.NoError(t, Write(&again, o))
		require.True(t, bytes.Equal(b.Bytes(), again.Bytes()), "the same twice")
		z, err := zipfile.New(backend.Bytes(b.Bytes()), &zipfile.Options{Checks: zipfile.Strict})
		require.NoError(t, err)
		defer z.Close()
		for e := range z.Entries() {
			_, err := e.ReadAll()
			require.NoError(t, err)
		}
		r, err := zip.NewReader(readerAndSize(b.Bytes()))
		require.NoError(t, err)
		return r
	}
	files := func(z *zip.Reader) (list []*zip.File) {
		for _, f := range z.File[1:] {
			if !strings.HasSuffix(f.Name, "/") {
				list = append(list, f)
			}
		}
		return list
	}

	both := map[uint16]int{}
	mixed := files(write(Options{Entries: 200, Seed: 3, Methods: []uint16{zip.Store, zip.Deflate}, Sizes: sizes("fixed:777")}))
	require.Len(t, mixed, 200)
	for _, f := range mixed {
		both[f.Method]++
		assert.Equal(t, uint64(777), f.UncompressedSize64)
		if f.Method == zip.Store {
			assert.Zero(t, f.Flags&8, "a stored entry has its size before it")
		}
	}
	assert.Greater(t, both[zip.Store], 60)
	assert.Greater(t, both[zip.Deflate], 60)

	for _, depth := range []int{1, 2, 30} {
		for _, f := range files(write(Options{Entries: 50, Depth: depth})) {
			assert.Equal(t, depth, strings.Count(f.Name, "/"), f.Name)
		}
	}

	packed := func(level int) (n uint64) {
		for _, f := range files(write(Options{Entries: 50, Level: level})) {
			n += f.CompressedSize64
		}
		return n
	}
	assert.Less(t, packed(9), packed(1))
	assert.Equal(t, packed(6), packed(0))

	for _, bad := range []Options{{Entries: -1}, {Depth: -1}, {Depth: 1001}, {Level: 10}, {Level: -1}, {Methods: []uint16{93}}} {
		assert.Error(t, Write(io.Discard, bad), "%+v", bad)
	}
}

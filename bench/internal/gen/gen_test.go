package gen

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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
	require.Equal(t, 1, Version)
	for _, tt := range []struct {
		classes int
		seed    uint64
		want    string
	}{
		{0, 1, "54500d9fbe937f4b"},
		{1, 1, "603e0d6c6710e21f"},
		{300, 1, "4e17b23716dceb92"},
		{300, 1 << 63, "b4f094a1eba3c597"},
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
	u := newUniverse(3000, 1)
	var all []int
	sum := 0
	for i := range u.names {
		n := len(u.class(i))
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

// javap takes some classes apart, to the last instruction.
func TestJavap(t *testing.T) {
	t.Parallel()
	javap, err := exec.LookPath("javap")
	if err != nil {
		t.Skip("no javap to try the classes on: ", err)
	}
	u := newUniverse(60, 1)
	dir := t.TempDir()
	args := []string{"-c", "-p", "-v"}
	for i := range u.names {
		name := filepath.Join(dir, fmt.Sprintf("C%d.class", i))
		require.NoError(t, os.WriteFile(name, u.class(i), 0o666))
		args = append(args, name)
	}
	cmd := exec.Command(javap, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	// Bad constants do not make it fail; it prints words in their place.
	for _, bad := range []string{"\nError:", "unknown tag", "invalid index", "#0 "} {
		assert.False(t, strings.Contains(string(out), bad), bad)
	}
	assert.True(t, strings.Contains(string(out), "StackMapTable"))
}

func readerAndSize(b []byte) (io.ReaderAt, int64) { return bytes.NewReader(b), int64(len(b)) }

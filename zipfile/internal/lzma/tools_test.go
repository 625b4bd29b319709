package lzma

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// tool skips where a program is not there.
func tool(t *testing.T, name string) {
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
}

// run runs a command line in a new folder with a file "in", and returns what the archive "out" has,
// or else what the command wrote.
func run(t *testing.T, in []byte, line string) []byte {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), in, 0o600))
	args := strings.Fields(line)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	require.NoError(t, err, "%s: %s", line, stderr.String())
	files, err := filepath.Glob(filepath.Join(dir, "out.*"))
	require.NoError(t, err)
	if len(files) == 0 {
		return stdout
	}
	out, err := os.ReadFile(files[0])
	require.NoError(t, err)
	return out
}

// mixture is text and code of all machines.
func mixture() (p []byte) {
	for _, f := range branchFilters {
		p = append(p, words(6000)...)
		p = append(p, code(f.id, 6000)...)
		p = append(p, make([]byte, -len(p)&15)...)
	}
	return p
}

func TestSevenZip(t *testing.T) {
	t.Parallel()
	tool(t, "7zz")
	in := mixture()
	for _, c := range []struct {
		line string
		eos  bool
	}{
		{"7zz a -tzip -mm=LZMA out in", true},
		{"7zz a -tzip -mm=LZMA:eos=off out in", false},
		{"7zz a -tzip -mm=LZMA:lc=0:lp=4:pb=0:eos=off out in", false},
		{"7zz a -tzip -mm=LZMA:lc=8:lp=4:pb=4 out in", true},
		{"7zz a -tzip -mm=LZMA:d=64k -mx=1 out in", true},
		{"7zz a -tzip -mm=LZMA:d=64k -mx=9 out in", true},
		{"7zz a -tzip -mm=XZ out in", false},
		{"7zz a -tzip -mm=XZ -mx=1 out in", false},
		{"7zz a -txz -mf=BCJ out in", false},
		{"7zz a -txz -mf=ARM64 out in", false},
		{"7zz a -txz -mf=RISCV out in", false},
		{"7zz a -txz -mx=1 -ms=64k out in", false},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			out := run(t, in, c.line)
			var got outcome
			if strings.Contains(c.line, "-txz") {
				got = decodeXZ(bytes.NewReader(out), int64(len(in)), 0)
			} else {
				z, err := zip.NewReader(bytes.NewReader(out), int64(len(out)))
				require.NoError(t, err)
				e := z.File[0]
				raw, err := e.OpenRaw()
				require.NoError(t, err)
				require.Equal(t, c.eos, e.Flags&2 != 0)
				if e.Method == 14 {
					got = decode(raw, int64(len(in)), c.eos, 0)
				} else {
					require.EqualValues(t, 95, e.Method)
					got = decodeXZ(raw, int64(len(in)), 0)
				}
			}
			require.NoError(t, got.err)
			require.True(t, bytes.Equal(in, got.out))
			require.Equal(t, c.eos, got.marker)
			require.Zero(t, got.buffered)
		})
	}
}

func TestXZUtils(t *testing.T) {
	t.Parallel()
	tool(t, "xz")
	in := mixture()
	for _, options := range []string{
		"", "-0", "-9", "-C none", "-C crc32", "-C sha256", "--block-size=20000", "-T2 --block-size=20000",
		"--lzma2=dict=4KiB,lc=0,lp=4,pb=0", "--lzma2=preset=1,lc=4,pb=4,mode=fast",
		"--x86 --lzma2=preset=1", "--x86=start=4097 --lzma2=preset=1", "--powerpc=start=4096 --lzma2=preset=1",
		"--ia64=start=4096 --lzma2=preset=1", "--arm --lzma2=preset=1", "--armthumb=start=4098 --lzma2=preset=1",
		"--arm64=start=4294963200 --lzma2=preset=1", "--sparc --lzma2=preset=1",
		"--delta=dist=256 --x86 --arm64 --lzma2=preset=1",
	} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			out := run(t, in, "xz -k -c "+options+" in")
			got := decodeXZ(io.MultiReader(bytes.NewReader(out), bytes.NewReader(out)), -1, 0)
			require.NoError(t, got.err)
			require.True(t, bytes.Equal(append(in[:len(in):len(in)], in...), got.out))
		})
	}
}

// TestCutAgainstXZUtils: of a stream that is cut off at least as much comes out as of theirs.
func TestCutAgainstXZUtils(t *testing.T) {
	t.Parallel()
	tool(t, "xz")
	in := mixture()
	in = in[:min(len(in), 20_000)]
	src := run(t, in, "xz -k -c in")
	for n := len(src) * 3 / 4; n < len(src); n += 41 {
		cmd := exec.Command("xz", "-d", "-c")
		cmd.Stdin = bytes.NewReader(src[:n])
		theirs, err := cmd.Output()
		require.Error(t, err)
		for name, r := range map[string]io.Reader{"whole": bytes.NewReader(src[:n]), "one byte": iotest.OneByteReader(bytes.NewReader(src[:n]))} {
			got := decodeXZ(r, -1, 0)
			require.Equal(t, io.ErrUnexpectedEOF, got.err, "%d %s", n, name)
			require.True(t, bytes.HasPrefix(in, got.out), "%d %s", n, name)
			require.GreaterOrEqual(t, len(got.out), len(theirs), "%d %s", n, name)
		}
	}
}

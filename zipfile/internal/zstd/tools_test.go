package zstd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tool runs the zstd program on in.
func tool(t *testing.T, in []byte, args ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.Command("zstd", args...)
	cmd.Stdin = bytes.NewReader(in)
	return cmd.Output()
}

func needTool(t *testing.T) {
	if _, err := exec.LookPath("zstd"); err != nil {
		t.Skip("zstd is not installed")
	}
}

// TestTool: what the zstd program writes is decoded.
func TestTool(t *testing.T) {
	t.Parallel()
	needTool(t)
	for k, kind := range inputKinds {
		if raceEnabled && k%3 != 0 {
			continue
		}
		for _, n := range []int{0, 1, 100, 5000, 200_000, 1_500_000} {
			if n > 5000 && (raceEnabled || testing.Short()) {
				continue
			}
			p := kind.make(uint64(n), n)
			name := filepath.Join(t.TempDir(), "in")
			require.NoError(t, os.WriteFile(name, p, 0o600))
			for i, args := range []string{
				"--fast=5", "-1", "-3", "-9 --no-check", "-19", "--ultra -22", "--long=27", "--long=24 -12", "-3 -B4096",
				"-5 --rsyncable", "-3 --no-compress-literals", "-3 --compress-literals", "--zstd=wlog=10", "-3 --zstd=strategy=9,tlen=999", "--adapt",
			} {
				if (i+k+n)%7 > 0 { // the program takes long to start at high levels
					continue
				}
				// From a file the header has the size of the contents, from a pipe it has not.
				for _, from := range [][]string{{"-c", name}, {"-c", "-"}} {
					src, err := tool(t, p, append(strings.Fields(args), from...)...)
					require.NoError(t, err, args)
					got, err := decode(bytes.NewReader(src), int64(n), 0)
					require.NoError(t, err, "%s %d %s", kind.name, n, args)
					require.True(t, bytes.Equal(p, got), "%s %d %s", kind.name, n, args)
					src = append(src, src...)
					got, err = decodeBytes(src)
					require.NoError(t, err, "%s %d %s", kind.name, n, args)
					require.True(t, bytes.Equal(append(p[:n:n], p...), got), "%s %d %s", kind.name, n, args)
				}
			}
		}
	}
}

// TestToolLong: matches from far back in a large window.
func TestToolLong(t *testing.T) {
	t.Parallel()
	needTool(t)
	if testing.Short() || raceEnabled {
		t.Skip("takes long")
	}
	p := random(1, 3<<20)
	p = append(append(p, bytes.Repeat(words(1, 1<<20), 12)...), p...)
	for _, args := range []string{"--long=27", "--long=26 -1", "--long=31 -1", "--ultra -22"} {
		src, err := tool(t, p, append(strings.Fields(args), "-c", "-")...)
		require.NoError(t, err)
		for _, size := range []int64{-1, int64(len(p))} {
			got, err := decode(bytes.NewReader(src), size, 512<<20)
			require.NoError(t, err, args)
			require.True(t, bytes.Equal(p, got), args)
		}
		_, err = decode(bytes.NewReader(src), int64(len(p)), 1<<20)
		require.ErrorIs(t, err, ErrMemory, args)
	}
}

// TestToolDictionary: a dictionary is told.
func TestToolDictionary(t *testing.T) {
	t.Parallel()
	needTool(t)
	dir := t.TempDir()
	args := []string{"-q", "--train", "--maxdict=4096", "-o", filepath.Join(dir, "dictionary")}
	for i := range 300 {
		name := filepath.Join(dir, string(rune('a'+i%26))+strings.Repeat("x", i/26))
		require.NoError(t, os.WriteFile(name, words(uint64(i), 1000), 0o600))
		args = append(args, name)
	}
	_, err := tool(t, nil, args...)
	require.NoError(t, err)
	src, err := tool(t, words(1, 1000), "-c", "-D", filepath.Join(dir, "dictionary"), "-")
	require.NoError(t, err)
	_, err = decodeBytes(src)
	require.ErrorIs(t, err, ErrUnsupported)
	require.Regexp(t, `^zstd dictionary \d+ is not supported$`, err.Error())
}

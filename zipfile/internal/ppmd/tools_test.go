package ppmd

import (
	"archive/zip"
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// toolCases are what 7-Zip 26.02 (7zz a -tzip -mm=PPMd -mo=ORDER -mmem=MEMORYm, and -mx=9 for
// restoration method 1) makes of babble: how long its streams are and their CRC-32.
var toolCases = []struct {
	parameters
	seed uint64
	size int
	len  int
	crc  uint32
}{
	{parameters{8, 1, restart}, 1, 300, 150, 0x36f269de},
	{parameters{2, 1, restart}, 1, 100000, 31938, 0x98fd5f35},
	{parameters{3, 1, cutOff}, 2, 100000, 21624, 0x6061b149},
	{parameters{16, 1, restart}, 4, 400000, 103350, 0x8f22c447},
	{parameters{16, 1, cutOff}, 5, 400000, 81112, 0x53d0a9f0},
	{parameters{16, 8, restart}, 6, 400000, 69450, 0xea69d733},
}

// TestTool: encoding gives what 7-Zip gives, bit for bit, so that this package's model and its
// are the same through all restorations.
func TestTool(t *testing.T) {
	t.Parallel()
	for _, c := range toolCases {
		t.Run(fmt.Sprint(c.parameters, c.size), func(t *testing.T) {
			t.Parallel()
			skipSlow(t, c.size)
			data := babble(c.seed, c.size)
			src := compress(data, c.parameters)
			require.Equal(t, c.len, len(src))
			require.Equal(t, c.crc, crc32.ChecksumIEEE(src))
			requireDecodes(t, data, src)
		})
	}
}

// skipSlow skips what is large where the race detector makes it slow.
func skipSlow(t *testing.T, size int) {
	t.Helper()
	if raceEnabled && size > 100000 {
		t.Skip("too slow under the race detector")
	}
}

// sevenZip lets 7-Zip compress data, and returns the stream.
func sevenZip(t *testing.T, data []byte, p parameters) []byte {
	t.Helper()
	tool, err := exec.LookPath("7zz")
	if err != nil {
		t.Skip("7zz is not installed:", err)
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "data"), data, 0o600))
	level := "-mx=5"
	if p.method == cutOff {
		level = "-mx=9"
	}
	cmd := exec.CommandContext(t.Context(), tool, "a", "-tzip", "-mm=PPMd", level, "-mmt1",
		fmt.Sprintf("-mo=%d", p.order), fmt.Sprintf("-mmem=%dm", p.memory), "a.zip", "data")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	z, err := zip.OpenReader(filepath.Join(dir, "a.zip"))
	require.NoError(t, err)
	defer z.Close()
	if z.File[0].Method != 98 {
		t.Skip("7zz did not compress")
	}
	raw, err := z.File[0].OpenRaw()
	require.NoError(t, err)
	src, err := io.ReadAll(raw)
	require.NoError(t, err)
	return src
}

// TestToolLive is TestTool with the 7-Zip that is installed, for more of everything.
func TestToolLive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		parameters
		data []byte
	}{
		{parameters{8, 1, restart}, babble(1, 300)},
		{parameters{2, 1, restart}, babble(1, 100000)},
		{parameters{3, 1, cutOff}, babble(2, 100000)},
		{parameters{6, 2, restart}, babble(3, 200000)},
		{parameters{16, 1, restart}, babble(4, 400000)},
		{parameters{16, 1, cutOff}, babble(5, 400000)},
		{parameters{16, 16, restart}, babble(6, 400000)},
		{parameters{12, 1, cutOff}, append(babble(7, 200000), make([]byte, 100000)...)},
	} {
		t.Run(fmt.Sprint(c.parameters, len(c.data)), func(t *testing.T) {
			t.Parallel()
			skipSlow(t, len(c.data))
			src := sevenZip(t, c.data, c.parameters)
			requireDecodes(t, c.data, src)
			c.memory = int(src[0])>>4 + int(src[1]&15)<<4 + 1 // 7-Zip lowers it for small files
			assert.Equal(t, c.bytes(), src[:2])
			assert.True(t, bytes.Equal(src, compress(c.data, c.parameters)))
		})
	}
}

package backend

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNetworkName(t *testing.T) {
	t.Parallel()
	for magic, name := range map[uint32]string{
		0x6969:     "nfs",
		0xff534d42: "cifs",
		0x65735546: "fuse",
		0x01021997: "9p",
		0xef53:     "", // ext4
		0x01021994: "", // tmpfs
		0:          "",
	} {
		assert.Equal(t, name, networkName(magic), "%#x", magic)
	}

	f, err := os.Open("/proc/self/status")
	if err != nil {
		t.Skip("no /proc here:", err)
	}
	defer f.Close()
	assert.Empty(t, networkFileSystem(f))
}

func TestBlockDevice(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"/dev/vd?", "/dev/sd?", "/dev/nvme?n?", "/dev/ram?", "/dev/loop?"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range names {
			b, err := Open(name, Auto)
			if err != nil || b.Size() < 512 {
				continue // not ours to read, or nothing in it
			}
			defer b.Close()
			assert.Equal(t, Info{Kind: Pread, Asked: Auto, Name: "pread", Reason: "block device"}, Describe(b))
			p := make([]byte, 512)
			_, err = b.ReadAt(p, b.Size()-512)
			assert.NoError(t, err, "the size is that of the device")
			_, err = b.ReadAt(p, b.Size())
			assert.True(t, err == io.EOF)
			_, err = Open(name, Mapped)
			assert.ErrorIs(t, err, errors.ErrUnsupported)
			return
		}
	}
	t.Skip("no readable block device here")
}

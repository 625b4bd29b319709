package extract

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

// TestHolesTakeNoRoom: the other tests see only that the contents are right.
func TestHolesTakeNoRoom(t *testing.T) {
	t.Parallel()
	tg := newTarget(t)
	blocks := func(name string) int64 {
		return must(os.Stat(filepath.Join(tg.dir, name))).Sys().(*syscall.Stat_t).Blocks * 512
	}
	require.NoError(t, tg.root.WriteFile("hole", nil, 0o644))
	require.NoError(t, os.Truncate(filepath.Join(tg.dir, "hole"), 1<<20))
	if blocks("hole") > 0 {
		t.Skip("the file system has no holes")
	}
	z := open(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "small", Zeros: 1 << 20, Method: 8}, {Name: "large", Data: []byte("data"), Zeros: 8 << 20, Method: 8}, {Name: "stored", Zeros: 4 << 20},
	}})
	tg.unpack(t, z, nil)
	assert.Zero(t, blocks("small"))
	assert.LessOrEqual(t, blocks("large"), int64(64<<10))
	assert.Zero(t, blocks("stored"))
}

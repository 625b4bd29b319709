package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// TestMemoryFor: entries that may take much memory wait for each other, others for none.
func TestMemoryFor(t *testing.T) {
	t.Parallel()
	a := ziptest.Archive{Entries: []ziptest.Entry{{Name: "light", Zeros: 1 << 30, Method: ziptest.Deflate}, {Name: "heavy", Zeros: 1 << 30, Raw: []byte{0}, Method: 93}}}
	z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
	require.NoError(t, err)
	defer z.Close()
	light, _ := z.Lookup("light")
	heavy, _ := z.Lookup("heavy")
	memory := semaphore.NewWeighted(heavyDecoding)
	release, err := memoryFor(t.Context(), heavy, memory)
	require.NoError(t, err)
	other, err := memoryFor(t.Context(), light, memory)
	require.NoError(t, err)
	other()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = memoryFor(ctx, heavy, memory)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	release()
	release, err = memoryFor(t.Context(), heavy, memory)
	require.NoError(t, err)
	release()
}

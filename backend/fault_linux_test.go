package backend_test

import (
	"os"
	"reflect"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
)

// TestFaultInCallersBuffer reads into a mapping whose file was cut short: that
// fault is the caller's, and goes on as a panic that leaves the backend usable.
func TestFaultInCallersBuffer(t *testing.T) {
	t.Parallel()
	if !inSubprocess(t) {
		return
	}
	w := newWorld(t, backend.Mapped)

	name := writeFile(t, w.original)
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	require.NoError(t, err)
	p, err := syscall.Mmap(int(f.Fd()), 0, 2*w.page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(0))
	require.NoError(t, f.Close())

	func() {
		defer func() {
			fault, ok := recover().(interface {
				runtime.Error
				Addr() uintptr
			})
			if assert.True(t, ok, "the panic of the fault") {
				start := reflect.ValueOf(p).Pointer()
				assert.Less(t, fault.Addr()-start, uintptr(len(p)), "the fault is within the buffer")
			}
		}()
		w.b.ReadAt(p, 0)
		assert.Fail(t, "no panic")
	}()

	w.reads(t, 0, w.original)
	require.NoError(t, w.b.Close(), "not locked")
	require.NoError(t, syscall.Munmap(p))
}

package zipfile_test

import (
	"io"
	"io/fs"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

func TestStructure(t *testing.T) {
	t.Parallel()
	plain := ziptest.Archive{Entries: []ziptest.Entry{{Name: "a", Data: []byte("contents")}}, Comment: "four"}.Bytes()
	size := int64(len(plain))
	const dir, dirSize = 30 + 1 + 8, 46 + 1
	want := zipfile.Structure{Size: size, Directory: dir, DirectorySize: dirSize, End: dir + dirSize, Parts: 1}
	structure := func(b []byte, o *zipfile.Options) zipfile.Structure {
		z, err := zipfile.New(backend.Bytes(b), o)
		require.NoError(t, err)
		defer z.Close()
		return z.Structure()
	}
	assert.Equal(t, want, structure(plain, nil))

	around := want
	around.Size, around.Prefix, around.Tail = size+10, 7, 3
	around.Directory, around.End = dir+7, dir+dirSize+7
	assert.Equal(t, around, structure(slices.Concat([]byte("#!/bin\n"), plain, []byte("end")), nil))

	wide := structure(ziptest.Archive{Zip64: ziptest.Zip64Always}.Bytes(), nil)
	assert.Equal(t, zipfile.Structure{Size: 22 + 76, End: 76, Parts: 1, Zip64: true}, wide)

	cut := plain[:dir]
	assert.Equal(t, zipfile.Structure{Size: dir, Directory: dir, End: -1, Parts: 1, Rebuilt: true}, structure(cut, &zipfile.Options{Recover: true}))
}

func TestReadAt(t *testing.T) {
	t.Parallel()
	plain := ziptest.Archive{Prefix: []byte("prefix"), Entries: []ziptest.Entry{{Name: "a", Data: []byte("contents")}}}.Bytes()
	z, err := zipfile.New(backend.Bytes(plain), nil)
	require.NoError(t, err)
	got, err := io.ReadAll(io.NewSectionReader(z, 0, 1<<40))
	require.NoError(t, err)
	assert.Equal(t, plain, got)
	p := make([]byte, 4)
	for _, c := range []struct {
		off int64
		n   int
		err error
	}{{0, 4, nil}, {int64(len(plain)) - 4, 4, nil}, {int64(len(plain)) - 3, 3, io.EOF}, {int64(len(plain)), 0, io.EOF}, {1 << 62, 0, io.EOF}, {-1, 0, fs.ErrInvalid}} {
		n, err := z.ReadAt(p, c.off)
		assert.Equal(t, c.n, n, "at %d", c.off)
		assert.ErrorIs(t, err, c.err)
	}
	require.NoError(t, z.Close())
	_, err = z.ReadAt(p, 0)
	assert.ErrorIs(t, err, fs.ErrClosed)
}

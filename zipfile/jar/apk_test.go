package jar_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/jar"
	"zipcat.dev/zipfile/ziptest"
)

// apkBlock makes an APK signing block of elements: identifiers and values.
func apkBlock(pairs ...any) []byte {
	number := func(id any) uint32 {
		if id, ok := id.(uint32); ok {
			return id
		}
		return uint32(id.(int))
	}
	var body []byte
	for i := 0; i < len(pairs); i += 2 {
		value := []byte(pairs[i+1].(string))
		body = binary.LittleEndian.AppendUint64(body, uint64(len(value)+4))
		body = binary.LittleEndian.AppendUint32(body, number(pairs[i]))
		body = append(body, value...)
	}
	size := binary.LittleEndian.AppendUint64(nil, uint64(len(body)+24))
	return slices.Concat(size, body, size, []byte("APK Sig Block 42"))
}

func TestReadAPKSigningBlock(t *testing.T) {
	t.Parallel()
	changed := func(at int, c byte) []byte {
		b := apkBlock(0x7109871a, "signature", 1, "")
		if at < 0 {
			at += len(b)
		}
		b[at] = c
		return b
	}
	var many []any
	for range 1001 {
		many = append(many, 1, "")
	}
	for _, c := range []struct {
		name  string
		block []byte
		want  []string // names of elements; nil: an error
		err   error
	}{
		{"v2 and v3", apkBlock(0x7109871a, "signature", uint32(0xf05368c0), "more", 0x42726577, "000"), []string{"v2", "v3", "padding"}, nil},
		{"others", apkBlock(0x1b93ad61, "", 0x504b4453, "x", 0x6dff800d, "x", 7, "y"), []string{"v3.1", "dependencies", "source-stamp", ""}, nil},
		{"no elements", apkBlock(), []string{}, nil},
		{"none", nil, nil, jar.ErrNoAPKSigningBlock},
		{"another magic", changed(-1, '3'), nil, jar.ErrNoAPKSigningBlock},
		{"sizes differ", changed(0, 0), nil, zipfile.ErrFormat},
		{"size is too large", changed(-24, 255), nil, zipfile.ErrFormat},
		{"size is huge", changed(-17, 255), nil, zipfile.ErrFormat},
		{"size is too small", changed(-24, 23), nil, zipfile.ErrFormat},
		{"element is too large", changed(8, 255), nil, zipfile.ErrFormat},
		{"element is huge", changed(15, 255), nil, zipfile.ErrFormat},
		{"element is too small", changed(8, 3), nil, zipfile.ErrFormat},
		{"rest is too small", changed(8, 14), nil, zipfile.ErrFormat},
		{"many elements", apkBlock(many...), nil, zipfile.ErrFormat},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := ziptest.Archive{Entries: []ziptest.Entry{entry("classes.dex", "dex")}, BeforeDirectory: c.block}.Bytes()
			z, err := zipfile.New(backend.Bytes(b), nil)
			require.NoError(t, err)
			defer z.Close()
			block, err := jar.ReadAPKSigningBlock(z)
			if c.want == nil {
				require.ErrorIs(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.block, b[block.Offset:block.Offset+block.Size])
			names := []string{}
			for _, p := range block.Pairs {
				names = append(names, p.Name())
				assert.LessOrEqual(t, p.Offset+p.Size, block.Offset+block.Size)
			}
			assert.Equal(t, c.want, names)
		})
	}
	_, err := jar.ReadAPKSigningBlock(openArchive(t, ziptest.Archive{}))
	require.ErrorIs(t, err, jar.ErrNoAPKSigningBlock)
}

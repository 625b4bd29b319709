package zipfile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/internal/inflate"
	"zipcat.dev/zipfile/ziptest"
)

// bitString packs bits, lowest first, as the old methods do.
type bitString struct {
	b []byte
	n int
}

func (s *bitString) add(v, n int) {
	for i := range n {
		if s.n%8 == 0 {
			s.b = append(s.b, 0)
		}
		s.b[s.n/8] |= byte(v>>i&1) << (s.n % 8)
		s.n++
	}
}

// asLiterals writes text in an old method without any compression.
func asLiterals(method uint16, text string) []byte {
	var s bitString
	switch {
	case method == 1: // codes of 9 bits
		for _, c := range []byte(text) {
			s.add(int(c), 9)
		}
	case method <= 5: // 256 sets of no followers
		for range 256 {
			s.add(0, 6)
		}
		for _, c := range []byte(text) {
			s.add(int(c), 8)
		}
	case method == 6: // two trees of 64 codes of 6 bits, none for literals
		tree := []byte{3, 0xf5, 0xf5, 0xf5, 0xf5}
		s.b = append(append(s.b, tree...), tree...)
		s.n = 8 * len(s.b)
		for _, c := range []byte(text) {
			s.add(1, 1)
			s.add(int(c), 8)
		}
	}
	return s.b
}

func zstdEncode(t testing.TB, p []byte, o ...zstd.EOption) []byte {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, o...)
	require.NoError(t, err)
	_, err = w.Write(p)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// methodEntries has an entry of every method that no tool of testdata writes.
func methodEntries(t testing.TB) (entries []ziptest.Entry) {
	const text = "hello, hello, hello\n"
	for method := uint16(1); method <= 6; method++ {
		entries = append(entries, ziptest.Entry{Name: fmt.Sprint("old ", method), Data: []byte(text), Raw: asLiterals(method, text), Method: method})
	}
	large := bytes.Repeat([]byte("0123456789 abcdefghijklmnopqrstuvwxyz\n"), 100000)
	for _, p := range [][]byte{{}, []byte(text), large} {
		for _, method := range []uint16{20, 93} {
			entries = append(entries,
				ziptest.Entry{Name: "zstd", Data: p, Raw: zstdEncode(t, p), Method: method},
				ziptest.Entry{Name: "zstd, large window", Data: p, Raw: zstdEncode(t, p, zstd.WithWindowSize(64<<20)), Method: method},
				ziptest.Entry{Name: "zstd, two frames", Data: append(p[:len(p):len(p)], p...), Raw: append(zstdEncode(t, p), zstdEncode(t, p)...), Method: method})
		}
	}
	return entries
}

func TestMethods(t *testing.T) {
	entries := methodEntries(t)
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, archiveOf(entries...).WriteFile(name))
	for kind, open := range openers(t, name) {
		t.Run("backend="+kind, func(t *testing.T) {
			z, err := zipfile.New(open(), nil)
			require.NoError(t, err)
			defer z.Close()
			for i, want := range entries {
				requireContents(t, z.At(i), want.Data)
			}
			n := 0
			require.NoError(t, z.Load(context.Background(), zipfile.LoadOptions{Workers: 1}, func(e zipfile.Entry, data []byte) error {
				n++
				if !bytes.Equal(entries[e.Index()].Data, data) {
					return errors.New("wrong contents of " + e.Name())
				}
				return nil
			}))
			assert.Equal(t, len(entries), n)
			for _, f := range z.Findings() {
				assert.Equal(t, "duplicate-name", f.Kind, "%v", f)
			}
		})
	}
}

// What is cut off, too long, too short or followed by something is told for every method.
func TestMethodsDamaged(t *testing.T) {
	const text = "hello, hello, hello\n"
	var entries []ziptest.Entry
	for method := uint16(1); method <= 6; method++ {
		entries = append(entries, ziptest.Entry{Name: fmt.Sprint("method ", method), Data: []byte(text), Raw: asLiterals(method, text), Method: method})
	}
	entries = append(entries, ziptest.Entry{Name: "zstd", Data: []byte(text), Raw: zstdEncode(t, []byte(text)), Method: 93})
	for _, file := range []string{"sevenzip-methods.zip"} {
		z, err := zipfile.Open(filepath.Join("..", "testdata", file), nil)
		require.NoError(t, err)
		for e := range z.Entries() {
			raw, err := e.OpenRaw()
			require.NoError(t, err)
			b, err := io.ReadAll(raw)
			require.NoError(t, err)
			data, err := e.ReadAll()
			if e.Method() == zipfile.Deflate64 && !inflate.Has64 {
				require.ErrorIs(t, err, zipfile.ErrAlgorithm)
				continue
			}
			require.NoError(t, err)
			entries = append(entries, ziptest.Entry{Name: e.Name(), Data: data, Raw: b, Method: uint16(e.Method()), Flags: e.Flags()})
		}
		require.NoError(t, z.Close())
	}
	open := func(e ziptest.Entry) zipfile.Entry {
		z, err := zipfile.New(backend.Bytes(archiveOf(e).Bytes()), nil)
		require.NoError(t, err)
		t.Cleanup(func() { z.Close() })
		return z.At(0)
	}
	for _, e := range entries {
		t.Run(e.Name, func(t *testing.T) {
			requireContents(t, open(e), e.Data)

			cut := e
			for n := range len(e.Raw) {
				cut.Raw = e.Raw[:n]
				if got, err := open(cut).ReadAll(); err == nil { // the last bytes of a range coder may not be needed
					require.Greater(t, n, len(e.Raw)-5)
					require.Equal(t, string(e.Data), string(got))
				}
			}

			more := e
			more.Raw = append(e.Raw[:len(e.Raw):len(e.Raw)], "more"...)
			x := open(more)
			if got, err := x.ReadAll(); err == nil { // else it has to be told as damage
				require.Equal(t, e.Data, got)
			}

			declare := func(n int) zipfile.Entry {
				lie := e
				lie.Central = func(h *ziptest.CentralHeader) { h.Size = uint32(n) }
				return open(lie)
			}
			for _, n := range []int{0, 1, len(e.Data) - 1, len(e.Data) + 1, 2 * len(e.Data)} {
				_, err := declare(n).ReadAll()
				require.Error(t, err, "%d bytes declared", n)
			}
		})
	}
}

// A method that the user adds, or replaces.
func TestOptionsMethods(t *testing.T) {
	upper := func(r io.Reader, size int64) (io.ReadCloser, error) {
		b, err := io.ReadAll(r)
		if int64(len(b)) != size {
			return nil, fmt.Errorf("%d bytes, expected %d", len(b), size)
		}
		return io.NopCloser(strings.NewReader(strings.ToUpper(string(b)))), err
	}
	e := func(method uint16) ziptest.Entry {
		return ziptest.Entry{Name: "a", Data: []byte("HELLO"), Raw: []byte("hello"), Method: method}
	}
	z, err := zipfile.New(backend.Bytes(archiveOf(e(200), e(8)).Bytes()), &zipfile.Options{
		Methods: map[uint16]func(io.Reader, int64) (io.ReadCloser, error){200: upper, 8: upper},
	})
	require.NoError(t, err)
	defer z.Close()
	for e := range z.Entries() {
		requireContents(t, e, []byte("HELLO"))
	}

	z, err = zipfile.New(backend.Bytes(archiveOf(e(201)).Bytes()), &zipfile.Options{
		Methods: map[uint16]func(io.Reader, int64) (io.ReadCloser, error){200: upper},
	})
	require.NoError(t, err)
	defer z.Close()
	requireFails(t, z.At(0), "method")

	refuses := func(io.Reader, int64) (io.ReadCloser, error) { return nil, errors.New("no licence") }
	z, err = zipfile.New(backend.Bytes(archiveOf(e(200)).Bytes()), &zipfile.Options{
		Methods: map[uint16]func(io.Reader, int64) (io.ReadCloser, error){200: refuses},
	})
	require.NoError(t, err)
	defer z.Close()
	requireFails(t, z.At(0), "data")
}

// TestMethodsBy7zz compares larger contents with what 7-Zip compressed.
func TestMethodsBy7zz(t *testing.T) {
	tool, err := exec.LookPath("7zz")
	if err != nil {
		t.Skip("no 7zz on the path")
	}
	t.Parallel()
	dir := t.TempDir()
	large := make([]byte, 1<<20)
	if raceEnabled {
		large = large[:1<<16]
	}
	for i := range large {
		large[i] = byte(i*i>>11) ^ byte(i>>3)
	}
	inputs := map[string][]byte{
		"empty":  nil,
		"one":    {'x'},
		"text":   bytes.Repeat([]byte("all work and no play makes jack a dull boy\n"), len(large)/64),
		"binary": large,
	}
	for name, p := range inputs {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), p, 0o600))
	}
	for _, method := range []string{"Copy", "Deflate", "Deflate64", "BZip2", "LZMA", "PPMd", "XZ"} {
		for _, cipher := range []string{"", "ZipCrypto", "AES256"} {
			if cipher != "" && method != "Copy" && method != "LZMA" {
				continue // encryption knows nothing of methods
			}
			t.Run(method+cipher, func(t *testing.T) {
				if method == "Deflate64" && !inflate.Has64 {
					t.Skip("Deflate64 is not part of this build")
				}
				archive := filepath.Join(dir, method+cipher+".zip")
				args := []string{"a", "-tzip", "-mx=3", "-mm=" + method}
				if cipher != "" {
					args = append(args, "-psecret", "-mem="+cipher)
				}
				cmd := exec.Command(tool, append(args, archive, "empty", "one", "text", "binary")...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s", out)
				z, err := zipfile.Open(archive, &zipfile.Options{Password: "secret", Checks: zipfile.Strict})
				require.NoError(t, err)
				defer z.Close()
				require.Equal(t, len(inputs), z.Len())
				for e := range z.Entries() {
					requireContents(t, e, inputs[e.Name()])
				}
			})
		}
	}
}

// TestDecodeMemory: what large windows may take is told.
func TestDecodeMemory(t *testing.T) {
	const size, block = 96 << 20, 128 << 10
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8} // a window of 2 GiB
	for i := range size / block {
		h := block<<3 | 1<<1 // a byte repeated
		if i == size/block-1 {
			h |= 1
		}
		frame = append(frame, byte(h), byte(h>>8), byte(h>>16), 0)
	}
	a := ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "stored", Zeros: size}, {Name: "deflated", Zeros: size, Method: ziptest.Deflate}, {Name: "zstd", Zeros: size, Raw: frame, Method: 93},
	}}
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, a.WriteFile(name))
	z, err := zipfile.Open(name, nil)
	require.NoError(t, err)
	defer z.Close()
	for e := range z.Entries() {
		told := e.DecodeMemory()
		assert.Equal(t, e.Name() == "zstd", told > size, e.Name())
		assert.LessOrEqual(t, told, int64(2*size), e.Name())
		_, err := e.WriteTo(io.Discard)
		require.NoError(t, err)
	}
}

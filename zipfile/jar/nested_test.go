package jar

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// onEveryBackend opens an archive through each kind of backend.
func onEveryBackend(t *testing.T, b []byte, test func(t *testing.T, z *zipfile.ZipFile)) {
	name := filepath.Join(t.TempDir(), "outer.jar")
	require.NoError(t, os.WriteFile(name, b, 0o666))
	for _, how := range []string{"pread", "mapped", "memory", "reader"} {
		t.Run("backend="+how, func(t *testing.T) {
			var z *zipfile.ZipFile
			var err error
			switch how {
			case "memory":
				z, err = zipfile.New(backend.Bytes(b), nil)
			case "reader":
				z, err = zipfile.New(backend.ReaderAt(bytes.NewReader(b), int64(len(b))), nil)
			default:
				var k backend.Kind
				require.NoError(t, k.UnmarshalText([]byte(how)))
				z, err = zipfile.Open(name, &zipfile.Options{Backend: k})
				if k == backend.Mapped && errors.Is(err, errors.ErrUnsupported) {
					t.Skip(err)
				}
			}
			require.NoError(t, err)
			defer func() { assert.NoError(t, z.Close()) }()
			test(t, z)
		})
	}
}

func lookup(t *testing.T, z *zipfile.ZipFile, name string) zipfile.Entry {
	t.Helper()
	e, ok := z.Lookup(name)
	require.True(t, ok, name)
	return e
}

func TestArchiveName(t *testing.T) {
	t.Parallel()
	for _, n := range []string{"a.jar", "x/A.JAR", "b.zip", "b.war", "b.ear", "b.aar", "b.apk", "b.aab", "java.base.jmod", "x.mule-plugin", ".jar"} {
		assert.True(t, ArchiveName(n), n)
	}
	for _, n := range []string{"", ".", "a", "jar", "a.jar/", "a.jar.txt", "a.", "a.class", "a.jar/b"} {
		assert.False(t, ArchiveName(n), n)
	}
}

func TestOpenNested(t *testing.T) {
	t.Parallel()
	inner := jarBytes("inner.jar", "A", "B")
	big := ziptest.Archive{Entries: []ziptest.Entry{{Name: "big", Data: filler(300_000, 1)}}}.Bytes()
	outer := ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "lib/", Mode: fs.ModeDir | 0o755},
		{Name: "lib.jar/"},
		{Name: "lib/stored.jar", Data: inner},
		{Name: "lib/deflated.JAR", Data: inner, Method: ziptest.Deflate},
		{Name: "lib/streamed.zip", Data: inner, Method: ziptest.Deflate, Descriptor: ziptest.Signed32},
		{Name: "big.war", Data: big, Method: ziptest.Deflate},
		{Name: "readme.txt", Data: []byte("text")},
		{Name: "text.jar", Data: []byte("not an archive")},
		{Name: "empty.jar"},
	}}.Bytes()
	onEveryBackend(t, outer, func(t *testing.T, z *zipfile.ZipFile) {
		var names []string
		for e := range Nested(z) {
			names = append(names, e.Name())
		}
		assert.Equal(t, []string{"lib/stored.jar", "lib/deflated.JAR", "lib/streamed.zip", "big.war", "text.jar", "empty.jar"}, names)
		for range Nested(z) {
			break
		}
		budget := &Budget{}
		for _, memory := range []int64{0, 1, -1, 1 << 20} {
			o := &NestedOptions{Memory: memory, Budget: budget}
			for _, name := range names[:3] {
				in, err := OpenNested(t.Context(), lookup(t, z, name), o)
				require.NoError(t, err, name)
				b, err := lookup(t, in, "B").ReadAll()
				require.NoError(t, err)
				assert.Equal(t, "inner.jar:B", string(b))
				assert.Equal(t, sumsOf(inner), must(DigestArchive(t.Context(), in)), name)
				require.NoError(t, in.Close())
				require.NoError(t, in.Close())
				_, err = lookup(t, in, "B").ReadAll()
				assert.ErrorIs(t, err, fs.ErrClosed)
			}
			in, err := OpenNested(t.Context(), lookup(t, z, "big.war"), o)
			require.NoError(t, err)
			b, err := lookup(t, in, "big").ReadAll()
			require.NoError(t, err)
			assert.Equal(t, filler(300_000, 1), b)
			if memory > 0 && memory < int64(len(big)) || memory < 0 {
				assert.Equal(t, "reader", in.Backend().Name, "a file")
			} else {
				assert.Equal(t, "memory", in.Backend().Name)
				assert.EqualValues(t, len(big), budget.held.Load())
			}
			require.NoError(t, in.Close())
			assert.Zero(t, budget.held.Load(), "all is given back")
		}
		assert.EqualValues(t, 4*(2*len(inner)+len(big)), budget.Used(), "what is stored costs nothing")
		_, err := lookup(t, z, "readme.txt").ReadAll()
		assert.NoError(t, err, "the outer one stays open")

		for name, want := range map[string]string{"lib/": "lib/: is a directory, not an archive", "text.jar": "text.jar: not a zip archive", "empty.jar": "empty.jar: the file is empty"} {
			_, err := OpenNested(t.Context(), lookup(t, z, name), nil)
			assert.ErrorContains(t, err, want)
			assert.Equal(t, 1, strings.Count(err.Error(), name), "%v", err)
		}
		_, err = OpenNested(t.Context(), lookup(t, z, "lib/"), nil)
		assert.ErrorIs(t, err, errors.ErrUnsupported)
		_, err = OpenNested(t.Context(), lookup(t, z, "text.jar"), nil)
		assert.ErrorIs(t, err, zipfile.ErrNoArchive)
		gone, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("no more"))
		_, err = OpenNested(gone, lookup(t, z, "lib/stored.jar"), nil)
		assert.EqualError(t, err, "no more")
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestOpenNestedEncrypted(t *testing.T) {
	t.Parallel()
	inner := jarBytes("inner.jar", "A")
	outer := ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "zc.jar", Flags: ziptest.FlagEncrypted, Data: inner},
	}}
	outer.Entries[0].Raw = ziptest.EncryptZipCrypto(inner, "pw", byte(crc32.ChecksumIEEE(inner)>>24))
	z, err := zipfile.New(backend.Bytes(outer.Bytes()), &zipfile.Options{Password: "pw"})
	require.NoError(t, err)
	defer z.Close()
	in, err := OpenNested(t.Context(), z.At(0), nil)
	require.NoError(t, err)
	assert.Equal(t, 1, in.Len())
	require.NoError(t, in.Close())
	z, err = zipfile.New(backend.Bytes(outer.Bytes()), nil)
	require.NoError(t, err)
	defer z.Close()
	_, err = OpenNested(t.Context(), z.At(0), nil)
	assert.ErrorIs(t, err, zipfile.ErrPassword)
}

// TestOpenNestedDamaged: an unpacked archive is verified as a whole, a stored one entry by entry.
func TestOpenNestedDamaged(t *testing.T) {
	t.Parallel()
	wrong := func(h *ziptest.Header) { h.CRC32 ^= 1 }
	inner := jarBytes("inner.jar", "A")
	outer := ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "stored.jar", Data: inner, Header: wrong},
		{Name: "deflated.jar", Data: inner, Method: ziptest.Deflate, Header: wrong},
		{Name: "huge.jar", Data: []byte("x"), Method: ziptest.Deflate, Header: func(h *ziptest.Header) {}, Central: func(h *ziptest.CentralHeader) { h.Size = math.MaxUint32 - 1 }},
	}}
	onEveryBackend(t, outer.Bytes(), func(t *testing.T, z *zipfile.ZipFile) {
		in, err := OpenNested(t.Context(), z.At(0), nil)
		require.NoError(t, err)
		require.NoError(t, in.Close())
		_, err = Digest(t.Context(), z.At(0))
		assert.ErrorIs(t, err, zipfile.ErrChecksum)
		o := &NestedOptions{Budget: &Budget{}}
		_, err = OpenNested(t.Context(), z.At(1), o)
		assert.ErrorIs(t, err, zipfile.ErrChecksum)
		assert.Zero(t, o.Budget.held.Load())
		before := o.Budget.Used()
		_, err = OpenNested(t.Context(), z.At(2), o)
		assert.ErrorIs(t, err, zipfile.ErrFormat)
		assert.Equal(t, before, o.Budget.Used(), "a size that is only claimed costs nothing")
	})
}

func TestNestedLimits(t *testing.T) {
	t.Parallel()
	inner := ziptest.Archive{Entries: []ziptest.Entry{{Name: "zeros", Zeros: 3 << 20}}}.Bytes()
	outer := ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "a.jar", Data: inner, Method: ziptest.Deflate}, {Name: "b.jar", Data: inner, Method: ziptest.Deflate}, {Name: "c.jar", Data: inner},
	}}.Bytes()
	z, err := zipfile.New(backend.Bytes(outer), nil)
	require.NoError(t, err)
	defer z.Close()
	o := &NestedOptions{Budget: &Budget{Total: 5 << 20}}
	a, err := OpenNested(t.Context(), z.At(0), o)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	_, err = OpenNested(t.Context(), z.At(1), o)
	assert.ErrorIs(t, err, zipfile.ErrLimit)
	assert.EqualError(t, err, "b.jar: archives in archives unpack to more than 5242880 bytes altogether, which is the limit")
	assert.Equal(t, "limit", zipfile.ErrorKind(err))
	assert.Less(t, o.Budget.Used(), int64(7<<20))
	c, err := OpenNested(t.Context(), z.At(2), o)
	require.NoError(t, err, "stored ones cost nothing")
	require.NoError(t, c.Close())

	_, err = OpenNested(t.Context(), z.At(0), &NestedOptions{Zip: &zipfile.Options{Limits: zipfile.Limits{MaxEntries: 1}}, Depth: 32})
	assert.ErrorIs(t, err, zipfile.ErrLimit)
	assert.EqualError(t, err, "a.jar: more than 32 archives inside one another, which is the limit")

	d := (*NestedOptions)(nil).Deeper().Deeper()
	assert.Equal(t, 2, d.Depth)
	assert.NotNil(t, d.Budget)
	assert.Same(t, d.Budget, d.Deeper().Budget)

	// The memory of all of them is bounded: beyond it there are files.
	o = &NestedOptions{Budget: &Budget{Memory: 4 << 20}}
	var open []*zipfile.ZipFile
	for _, want := range []string{"memory", "reader", "reader"} {
		in, err := OpenNested(t.Context(), z.At(0), o)
		require.NoError(t, err)
		assert.Equal(t, want, in.Backend().Name)
		open = append(open, in)
	}
	for _, in := range open {
		require.NoError(t, in.Close())
	}
	assert.Zero(t, o.Budget.held.Load())
}

func TestNestedConcurrent(t *testing.T) {
	t.Parallel()
	inner := jarBytes("inner.jar", "A", "B", "C")
	outer := ziptest.Archive{Entries: []ziptest.Entry{{Name: "s.jar", Data: inner}, {Name: "d.jar", Data: inner, Method: ziptest.Deflate}}}.Bytes()
	onEveryBackend(t, outer, func(t *testing.T, z *zipfile.ZipFile) {
		o := &NestedOptions{Budget: &Budget{}, Memory: int64(len(inner)) - 1}
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range 20 {
					in, err := OpenNested(t.Context(), z.At((g+i)%2), o)
					if assert.NoError(t, err) {
						e, _ := in.Lookup("C")
						b, err := e.ReadAll()
						assert.NoError(t, err)
						assert.Equal(t, "inner.jar:C", string(b))
						assert.NoError(t, in.Close())
					}
					d, err := Digest(t.Context(), z.At((g+i)%2))
					assert.NoError(t, err)
					assert.Equal(t, sumsOf(inner), d)
				}
			})
		}
		wg.Wait()
		assert.Zero(t, o.Budget.held.Load())
	})
}

// TestManyNested: 10,000 archives in one are opened one after the other, with nothing left behind.
func TestManyNested(t *testing.T) {
	t.Parallel()
	inner := jarBytes("inner.jar", "A")
	a := ziptest.Archive{}
	for i := range 10_000 {
		a.Entries = append(a.Entries, ziptest.Entry{Name: fmt.Sprintf("%d.jar", i), Data: inner, Method: uint16(i % 2 * 8)})
	}
	z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
	require.NoError(t, err)
	defer z.Close()
	o := &NestedOptions{Budget: &Budget{}}
	n := 0
	for e := range Nested(z) {
		in, err := OpenNested(t.Context(), e, o)
		require.NoError(t, err)
		n += in.Len()
		require.NoError(t, in.Close())
	}
	assert.Equal(t, 10_000, n)
	assert.EqualValues(t, 5000*len(inner), o.Budget.Used())
	assert.Zero(t, o.Budget.held.Load())
}

// deflatedDeep is an archive in an archive, so many deep.
func deflatedDeep(n int, method uint16) []byte {
	b := jarBytes("inner.jar", "A")
	for range n {
		b = ziptest.Archive{Entries: []ziptest.Entry{{Name: "r.zip", Data: b, Method: method}}}.Bytes()
	}
	return b
}

func TestNestedDeep(t *testing.T) {
	t.Parallel()
	for _, method := range []uint16{ziptest.Store, ziptest.Deflate} {
		dir := t.TempDir()
		name := filepath.Join(dir, "deep.zip")
		require.NoError(t, os.WriteFile(name, deflatedDeep(40, method), 0o666))
		z, entry, err := OpenPath(t.Context(), name+strings.Repeat("!/r.zip", 32), nil)
		require.NoError(t, err)
		assert.Empty(t, entry)
		assert.Equal(t, "r.zip", z.At(0).Name())
		require.NoError(t, z.Close())
		_, _, err = OpenPath(t.Context(), name+strings.Repeat("!/r.zip", 33), nil)
		assert.ErrorIs(t, err, zipfile.ErrLimit)
		_, _, err = OpenPath(t.Context(), name+strings.Repeat("!/r.zip", 3), &NestedOptions{MaxDepth: 2})
		assert.ErrorIs(t, err, zipfile.ErrLimit)
		assert.ErrorContains(t, err, "more than 2 ")
		if runtime.GOOS == "linux" {
			assert.Zero(t, descriptors(t, dir))
		}
	}
}

// TestNestedQuine opens an archive that holds itself, r.zip of Russ Cox ("Zip Files All The Way Down").
func TestNestedQuine(t *testing.T) {
	t.Parallel()
	r := quine(t)
	name := filepath.Join(t.TempDir(), "r.zip")
	require.NoError(t, os.WriteFile(name, r, 0o666))
	z, _, err := OpenPath(t.Context(), name+strings.Repeat("!/r/r.zip", 30), nil)
	require.NoError(t, err)
	assert.Equal(t, sumsOf(r), must(DigestArchive(t.Context(), z)))
	require.NoError(t, z.Close())
	_, _, err = OpenPath(t.Context(), name+strings.Repeat("!/r/r.zip", 10_000), nil)
	assert.ErrorIs(t, err, zipfile.ErrLimit)

	// Who forgets to go deeper ends with the budget.
	o := &NestedOptions{Budget: &Budget{Total: 100_000}}
	z, err = zipfile.Open(name, nil)
	require.NoError(t, err)
	all := []*zipfile.ZipFile{z}
	for err == nil {
		var in *zipfile.ZipFile
		if in, err = OpenNested(t.Context(), z.At(0), o); err == nil {
			z, all = in, append(all, in)
		}
	}
	assert.ErrorIs(t, err, zipfile.ErrLimit)
	assert.Len(t, all, 1+100_000/len(r))
	for _, z := range all {
		require.NoError(t, z.Close())
	}
}

// quine takes r.zip from the tests of archive/zip, where it stands as a dump lest virus scanners find it.
func quine(t *testing.T) (r []byte) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src", "archive", "zip", "reader_test.go"))
	if err != nil {
		t.Skip(err)
	}
	_, dump, _ := strings.Cut(string(source), "func rZipBytes()")
	for line := range strings.Lines(dump) {
		words := strings.Fields(strings.TrimRight(line, "`\n"))
		if len(words) > 1 && len(words[0]) == 7 && strings.Trim(words[0], "0123456789abcdef") == "" {
			b, err := hex.DecodeString(strings.Join(words[1:], ""))
			require.NoError(t, err)
			r = append(r, b...)
		} else if len(r) > 0 {
			break
		}
	}
	if len(r) != 440 {
		t.Skip("no quine in the tests of archive/zip: ", len(r), " bytes")
	}
	return r
}

func TestNestedCancel(t *testing.T) {
	t.Parallel()
	outer := ziptest.Archive{Entries: []ziptest.Entry{{Name: "bomb.jar", Zeros: 2 << 30, Method: ziptest.Deflate}}}
	name := filepath.Join(t.TempDir(), "bomb.zip")
	require.NoError(t, outer.WriteFile(name))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	start := time.Now()
	o := &NestedOptions{Memory: 1 << 20}
	_, _, err := OpenPath(ctx, name+"!/bomb.jar", o)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Less(t, time.Since(start), 5*time.Second)
	z, err := zipfile.Open(name, nil)
	require.NoError(t, err)
	defer z.Close()
	_, err = Digest(ctx, z.At(0))
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = DigestArchive(ctx, z)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = OpenNested(t.Context(), z.At(0), &NestedOptions{Budget: &Budget{Total: 20 << 20}})
	assert.ErrorIs(t, err, zipfile.ErrLimit)
	_, _, err = OpenPath(t.Context(), name+"!/bomb.jar", &NestedOptions{Budget: &Budget{Total: 20 << 20}})
	assert.ErrorIs(t, err, zipfile.ErrLimit)
	assert.ErrorContains(t, err, "open "+name+": bomb.jar: archives in archives")
}

func TestDigest(t *testing.T) {
	t.Parallel()
	inner := filler(700_000, 5)
	outer := ziptest.Archive{Prefix: []byte("#!/bin/sh\n"), Suffix: []byte("junk"), Entries: []ziptest.Entry{
		{Name: "s.jar", Data: inner}, {Name: "d.jar", Data: inner, Method: ziptest.Deflate}, {Name: "dir/"}, {Name: "empty.jar"}}}.Bytes()
	onEveryBackend(t, outer, func(t *testing.T, z *zipfile.ZipFile) {
		for i, want := range [][]byte{inner, inner, nil, nil} {
			d, err := Digest(t.Context(), z.At(i))
			require.NoError(t, err)
			assert.Equal(t, sumsOf(want), d)
		}
		d, err := DigestArchive(t.Context(), z)
		require.NoError(t, err)
		assert.Equal(t, sumsOf(outer), d)
	})
	file := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(file, inner, 0o666))
	for tool, want := range map[string][]byte{"sha256sum": sumsOf(inner).SHA256, "sha1sum": sumsOf(inner).SHA1} {
		if out, err := exec.Command(tool, file).Output(); err == nil {
			assert.Equal(t, hex.EncodeToString(want), strings.Fields(string(out))[0], tool)
		}
	}
}

// TestNestedCause: the error of a context is its cause, also while an archive is unpacked.
func TestNestedCause(t *testing.T) {
	t.Parallel()
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	z, err := zipfile.New(backend.Bytes(ziptest.Archive{Entries: []ziptest.Entry{{Name: "a.jar", Zeros: 64 << 20, Method: ziptest.Deflate}}}.Bytes()), nil)
	require.NoError(t, err)
	defer z.Close()
	time.AfterFunc(5*time.Millisecond, func() { cancel(why) })
	for err == nil || zipfile.ErrorKind(err) == "none" {
		_, err = OpenNested(ctx, z.At(0), nil)
	}
	assert.Equal(t, why, err)
}

// FuzzOpenPath opens whatever a path leads to in a file of odd names.
func FuzzOpenPath(f *testing.F) {
	app := filepath.Join(f.TempDir(), "app.jar")
	bootJar(f, app)
	for _, s := range []string{"", "!/", "!/odd!/x.jar", "!/BOOT-INF/classes/!/com", "/!BOOT-INF/lib/lib.jar!/in.jar!/I", "!/BOOT-INF/lib/a%20b+c%2520d%21.jar!/", "!/modedir!/x"} {
		for _, scheme := range []string{"", "jar:file:", "nested:", "jar:nested:"} {
			f.Add(scheme, s)
		}
	}
	f.Fuzz(func(t *testing.T, scheme, rest string) {
		if len(scheme) > 20 || strings.ContainsAny(scheme, `/\`) { // no other files
			return
		}
		z, entry, err := OpenPath(t.Context(), scheme+app+rest, nil)
		if err != nil {
			assert.NotContains(t, strings.ReplaceAll(err.Error(), scheme+app+rest, ""), "\n")
			return
		}
		if e, ok := z.Lookup(entry); ok && entry != "" {
			e.ReadAll()
		} else if entry != "" {
			assert.True(t, strings.HasSuffix(entry, "/"), entry)
		}
		require.NoError(t, z.Close())
	})
}

// FuzzLayoutIndexes reads whatever stands for an index or a descriptor.
func FuzzLayoutIndexes(f *testing.F) {
	for _, s := range []string{"", "- \"a\"\n", "- \"a\":\n  - \"b\"\r\n", "<application><module><ejb>a</ejb></module></application>", "<a", "- \""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list, err := parseClassPathIndex(s)
		assert.LessOrEqual(t, len(list), len(s))
		assert.True(t, err == nil || errors.Is(err, zipfile.ErrFormat))
		layers, err := parseLayersIndex(s)
		assert.LessOrEqual(t, len(layers), len(s))
		assert.True(t, err == nil || errors.Is(err, zipfile.ErrFormat))
		_, err = parseApplication(s)
		assert.True(t, err == nil || errors.Is(err, zipfile.ErrFormat), "%v", err)
	})
}

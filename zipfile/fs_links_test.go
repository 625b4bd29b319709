package zipfile_test

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

// fsChain is a chain of n links that ends at the file "end".
func fsChain(n int) []ziptest.Entry {
	list := fsStored("end")
	for i := range n {
		to := "end"
		if i+1 < n {
			to = fmt.Sprintf("l%02d", i+1)
		}
		list = append(list, fsLink(fmt.Sprintf("l%02d", i), to))
	}
	return list
}

// TestFSLinks: what a link leads to, and which ones stand for themselves.
func TestFSLinks(t *testing.T) {
	t.Parallel()
	entries := append(fsStored("file", "d/inner/deep", "d/other", "top/x/y"),
		fsLink("to-file", "file"),
		fsLink("to-dir", "d"),
		fsLink("to-link", "to-file"),
		fsLink("to-dir-link", "to-dir/"),
		fsLink("dots", "./d/.//inner/../other"),
		fsLink("d/up", "../file"),
		fsLink("d/inner/up", "../.."),
		fsLink("through", "to-dir/inner/deep"),
		fsLink("to-inner", "d/inner"),
		fsLink("real-parent", "to-inner/../other"), // the parent of where the link leads
		fsLink("to-root", "d/.."),
		// These stand for themselves.
		fsLink("dangling", "nothing"),
		fsLink("dangling-dir", "nothing/.."),
		fsLink("below-file", "file/x"),
		fsLink("around-file", "file/../d/other"), // a file has no parent to come back from
		fsLink("file-slash", "file/"),
		fsLink("self", "self"),
		fsLink("ping", "pong"),
		fsLink("pong", "ping"),
		fsLink("inside-self", "inside-self/x"),
		fsLink("out", "../file"),
		fsLink("d/out", "../../file"),
		fsLink("out-and-back", "../d/../file"),
		fsLink("absolute", "/file"),
		fsLink("empty", ""),
		fsLink("nul", "file\x00"),
		fsLink("long", strings.Repeat("./", 2048)+"file"),
	)
	z := fsOpen(t, ziptest.Archive{Entries: entries})
	fsys := z.FS()
	itself := func(p string) bool {
		info, err := fs.Stat(fsys, p)
		require.NoError(t, err, p)
		return info.Mode()&fs.ModeSymlink != 0
	}
	for p, want := range map[string]string{
		"to-file": "file", "to-link": "file", "dots": "d/other", "d/up": "file", "through": "d/inner/deep",
		"real-parent": "d/other", "to-dir/other": "d/other", "to-dir-link/inner/deep": "d/inner/deep", "to-dir/up": "file",
		"d/inner/up/file": "file", "d/inner/up/d/inner/up/file": "file", "to-root/to-dir/inner/up/to-file": "file",
	} {
		assert.False(t, itself(p), p)
		b, err := fs.ReadFile(fsys, p)
		assert.NoError(t, err, p)
		assert.Equal(t, want, string(b), p)
		f, err := fsys.Open(p)
		require.NoError(t, err, p)
		info, err := f.Stat()
		require.NoError(t, err)
		assert.Equal(t, path.Base(p), info.Name(), "the name is the one asked for, as os.Stat has it")
		e, _ := z.Lookup(want)
		assert.Equal(t, e, info.Sys())
		require.NoError(t, f.Close())
	}
	for _, p := range []string{"dangling", "dangling-dir", "below-file", "around-file", "file-slash", "self", "ping", "pong", "inside-self", "out", "d/out", "out-and-back", "absolute", "empty", "nul", "long"} {
		assert.True(t, itself(p), p)
		_, err := fs.Stat(fsys, p+"/x")
		assert.ErrorIs(t, err, fs.ErrNotExist, p)
	}
	for _, e := range entries {
		if e.Mode&fs.ModeSymlink == 0 {
			_, err := fs.ReadLink(fsys, e.Name)
			assert.ErrorIs(t, err, fs.ErrInvalid, e.Name)
			continue
		}
		info, err := fs.Lstat(fsys, e.Name)
		require.NoError(t, err)
		assert.Equal(t, fs.ModeSymlink|0o777, info.Mode(), e.Name)
		assert.Equal(t, path.Base(e.Name), info.Name())
		if len(e.Data) > 4096 { // longer than a path can be
			continue
		}
		to, err := fs.ReadLink(fsys, e.Name)
		assert.NoError(t, err, e.Name)
		assert.Equal(t, string(e.Data), to)
		if itself(e.Name) {
			f, err := fsys.Open(e.Name)
			require.NoError(t, err)
			b, err := io.ReadAll(f)
			assert.NoError(t, err)
			assert.Equal(t, string(e.Data), string(b))
			require.NoError(t, f.Close())
		}
	}
	// Lstat follows links in the elements before the last.
	info, err := fs.Lstat(fsys, "to-dir/up")
	require.NoError(t, err)
	assert.Equal(t, fs.ModeSymlink, info.Mode().Type())
	to, err := fs.ReadLink(fsys, "to-dir-link/inner/up")
	require.NoError(t, err)
	assert.Equal(t, "../..", to)
	list, err := fs.ReadDir(fsys, "to-dir")
	require.NoError(t, err)
	for _, d := range list {
		assert.Equal(t, d.Name() == "up" || d.Name() == "out", d.Type() == fs.ModeSymlink, d.Name())
	}
	list, err = fs.ReadDir(fsys, "d/inner/up")
	require.NoError(t, err)
	root, err := fs.ReadDir(fsys, ".")
	require.NoError(t, err)
	assert.Len(t, list, len(root))
}

// TestFSLinkChain: 40 links are followed, as Linux does, and no more.
func TestFSLinkChain(t *testing.T) {
	t.Parallel()
	for n, followed := range map[int]bool{1: true, 39: true, 40: true, 41: false} {
		fsys := fsOpen(t, ziptest.Archive{Entries: fsChain(n)}).FS()
		info, err := fs.Stat(fsys, "l00")
		require.NoError(t, err)
		assert.Equal(t, followed, info.Mode().IsRegular(), n)
		b, err := fs.ReadFile(fsys, "l00")
		require.NoError(t, err)
		assert.Equal(t, followed, string(b) == "end", n)
		if n > 1 { // one shorter
			info, err = fs.Stat(fsys, "l01")
			require.NoError(t, err)
			assert.True(t, info.Mode().IsRegular(), n)
		}
	}
	// Links in the elements of one path count together.
	fsys := fsOpen(t, ziptest.Archive{Entries: append(fsStored("f"), fsLink("l", "."))}).FS()
	for n, followed := range map[int]bool{40: true, 41: false} {
		_, err := fs.Stat(fsys, strings.Repeat("l/", n)+"f")
		if followed {
			assert.NoError(t, err)
		} else {
			assert.ErrorIs(t, err, fs.ErrNotExist)
		}
	}
}

// TestFSLinkBomb: links that double at each step end soon.
func TestFSLinkBomb(t *testing.T) {
	t.Parallel()
	entries := fsStored("d/f")
	for i := range 39 {
		entries = append(entries, fsLink(fmt.Sprintf("b%d", i), strings.Repeat(fmt.Sprintf("b%d/", i+1), 500)))
	}
	entries = append(entries, fsLink("b39", "."))
	fsys := fsOpen(t, ziptest.Archive{Entries: entries}).FS()
	for i := range 40 {
		_, err := fs.Stat(fsys, fmt.Sprintf("b%d", i))
		assert.NoError(t, err)
	}
	_, err := fs.Stat(fsys, strings.TrimSuffix(strings.Repeat("nowhere/", 8000), "/"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

// TestFSBadLink: a link whose target cannot be read is an error where it is followed, as its
// target's name must not pass for the contents, and blocks nothing else.
func TestFSBadLink(t *testing.T) {
	t.Parallel()
	bad := fsLink("bad", "ok")
	bad.Central = func(h *ziptest.CentralHeader) { h.CRC32++ }
	locked := fsLink("locked", "ok")
	locked.Flags = ziptest.FlagEncrypted
	// Link bits mean nothing on a host that has no links.
	other := fsLink("other", "ok")
	other.Central = func(h *ziptest.CentralHeader) { h.VersionMadeBy = 20 }
	fsys := fsOpen(t, ziptest.Archive{Entries: append(fsStored("ok"), bad, locked, other)}).FS()
	for _, p := range []string{"bad", "locked"} {
		info, err := fs.Lstat(fsys, p)
		require.NoError(t, err)
		assert.Equal(t, fs.ModeSymlink, info.Mode().Type())
		_, err = fs.Stat(fsys, p)
		assert.Error(t, err)
		_, err = fs.Stat(fsys, p+"/below")
		assert.Error(t, err)
		assert.NotErrorIs(t, err, fs.ErrNotExist)
		_, err = fs.ReadLink(fsys, p)
		assert.Error(t, err)
		_, err = fs.ReadFile(fsys, p)
		assert.Error(t, err)
	}
	info, err := fs.Stat(fsys, "other")
	require.NoError(t, err)
	assert.True(t, info.Mode().IsRegular())
	b, err := fs.ReadFile(fsys, "ok")
	assert.NoError(t, err)
	assert.Equal(t, "ok", string(b))
	list, err := fs.ReadDir(fsys, ".")
	assert.NoError(t, err)
	assert.Len(t, list, 4)
}

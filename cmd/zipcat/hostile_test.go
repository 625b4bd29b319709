package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// hostile are archives made to write where they should not.
func hostile() map[string][]ziptest.Entry {
	file := func(name string) ziptest.Entry { return ziptest.Entry{Name: name, Data: []byte("evil"), Mode: 0o644} }
	dir := func(name string) ziptest.Entry { return ziptest.Entry{Name: name + "/", Mode: fs.ModeDir | 0o755} }
	link := func(name, to string) ziptest.Entry {
		return ziptest.Entry{Name: name, Data: []byte(to), Mode: fs.ModeSymlink | 0o777}
	}
	all := make(map[string][]ziptest.Entry)
	// Names that are no path below a directory, or that mean something else on some system.
	names := []string{
		"../evil", "../../evil", "../../../../../../../../tmp/evil", "a/../../evil", "a/../evil", "./evil", "a/./evil", "a//evil", "/evil", "//evil", "///tmp/evil",
		"/tmp/evil", "..", ".", "/", "", " ", "a/..", "a/../..", `..\evil`, `a\..\..\evil`, `\evil`, `\\server\share\evil`, "C:evil", "C:/evil", `C:\evil`, "c:", "//?/C:/evil",
		"evil\x00.txt", "evil\n", "evil\x1b[2J", "evil\x7f", "evil\u0085", "evil\u202egpj", "\xff\xfe", "CON", "nul.txt", "aux/evil", "COM1", "lpt9.x", "evil.", "evil ", "a./evil", "evil:stream", "evil::$DATA",
		"canary", "../canary", "../sibling/evil", "../sibling", "target", "../target/evil", "..../evil", ".../evil", "~/evil", "$HOME/evil", "%TEMP%/evil", "-rf", "--", "*", "?", "a/b/c/d/e/f",
		strings.Repeat("x", 255), strings.Repeat("x", 256), strings.Repeat("x", 4096), strings.Repeat("x", 65535), strings.Repeat("d/", 2000) + "f", strings.Repeat("d/", 32766) + "f",
		strings.Repeat("../", 20000) + "evil", strings.Repeat("é", 128), "evil/" + strings.Repeat("y", 300),
	}
	for i, name := range names {
		all[fmt.Sprintf("name %d", i)] = []ziptest.Entry{file(name), file("ok")}
		if i < 60 {
			all[fmt.Sprintf("directory %d", i)] = []ziptest.Entry{dir(name), file("ok")}
			all[fmt.Sprintf("link %d", i)] = []ziptest.Entry{link("l", name), file("l/evil")}
		}
	}
	// Links and what goes through them, in every order.
	sets := [][]ziptest.Entry{
		{link("l", ".."), file("l/evil"), file("ok")},
		{link("l", "../sibling"), file("l/evil"), dir("l/deep")},
		{link("a", "."), link("a/b", ".."), file("a/b/evil")},
		{link("a", "b"), link("b", ".."), file("a/evil")},
		{dir("d"), link("d/up", ".."), link("d/up/up", "../.."), file("d/up/up/evil")},
		{link("x", "../canary"), file("x"), link("x", "ok")},
		{link("l", "d"), dir("d"), file("l/f"), link("d/out", "../..")},
		{link("c0", "c1"), link("c1", "c2"), link("c2", "../sibling"), file("c0/evil")},
		{link("loop", "loop"), file("loop/evil")},
		{link("p", "q"), link("q", "p"), file("p/evil")},
		{file("f"), dir("f"), file("f/g")},
		{dir("l"), link("l", ".."), file("l/evil")},
		{link("L", ".."), file("l/evil"), dir("l")},
		{file("Foo"), file("foo"), file("FOO")},
		{file("caf\u00e9"), file("cafe\u0301")},
	}
	for i, set := range sets {
		n := 0
		permute(set, func(order []ziptest.Entry) {
			all[fmt.Sprintf("set %d order %d", i, n)] = order
			n++
		})
	}
	for i, mode := range []fs.FileMode{fs.ModeNamedPipe, fs.ModeSocket, fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice} {
		e := file("special")
		e.Mode |= mode
		all[fmt.Sprintf("special %d", i)] = []ziptest.Entry{e, file("ok")}
	}
	suid := file("suid")
	suid.Mode = fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky | 0o777
	all["set-id"] = []ziptest.Entry{suid}
	all["large target"] = []ziptest.Entry{{Name: "l", Zeros: 1 << 20, Method: ziptest.Deflate, Mode: fs.ModeSymlink | 0o777}}
	all["NUL in the target"] = []ziptest.Entry{link("l", "ok\x00/../.."), file("ok")}
	all["bomb"] = []ziptest.Entry{{Name: "bomb", Zeros: 1 << 30, Method: ziptest.Deflate}, file("ok")}
	lies := file("lies")
	lies.Header = func(h *ziptest.Header) { h.Size = 1 << 31 }
	all["size that is a lie"] = []ziptest.Entry{lies, file("ok")}
	return all
}

func permute(set []ziptest.Entry, yield func([]ziptest.Entry)) {
	var rec func(done, left []ziptest.Entry)
	rec = func(done, left []ziptest.Entry) {
		if len(left) == 0 {
			yield(slices.Clone(done))
		}
		for i := range left {
			rec(append(slices.Clone(done), left[i]), slices.Delete(slices.Clone(left), i, i+1))
		}
	}
	rec(nil, set)
}

// TestHostile: whatever an archive says, and whatever stands in the way, nothing outside the
// directory changes, and success is told only where all entries are there.
func TestHostile(t *testing.T) {
	t.Parallel()
	all := hostile()
	require.GreaterOrEqual(t, len(all), 200)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, prepared := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/prepared=%v", name, prepared), func(t *testing.T) {
				t.Parallel()
				above := t.TempDir()
				target := filepath.Join(above, "in", "target")
				for _, d := range []string{target, filepath.Join(above, "in", "sibling")} {
					require.NoError(t, os.MkdirAll(d, 0o777))
				}
				for _, f := range []string{"canary", "in/canary", "in/sibling/canary"} {
					require.NoError(t, os.WriteFile(filepath.Join(above, f), []byte("alive"), 0o644))
				}
				if prepared && runtime.GOOS != "windows" { // links that lead out are there already
					for l, to := range map[string]string{"l": "../sibling", "a": "..", "d": "../sibling", "ok": "../canary", "f": "../sibling/new"} {
						require.NoError(t, os.Symlink(to, filepath.Join(target, l)))
					}
				}
				archive := ziptest.Archive{Entries: all[name]}.Bytes()
				before := snapshot(t, above, target)
				for _, flags := range [][]string{{}, {"-n"}, {"-f"}, {"-j", "-f"}, {"--strip", "1", "-f"}, {"--windows-names", "-f"}, {"--dry-run"}} {
					var stdout, stderr bytes.Buffer
					args := append([]string{"x", "-C", target, "--max-size", "512M"}, flags...)
					code := run(append(args, "-"), bytes.NewReader(archive), &stdout, &stderr)
					assert.Equal(t, before, snapshot(t, above, target), "%q changed something outside", flags)
					assert.NotContains(t, stderr.String(), "panic")
					if strings.Contains(stderr.String(), "refused") {
						assert.NotZero(t, code, "%q: %s", flags, &stderr)
					}
					if code == exitDone && (len(flags) == 0 || flags[0] == "-f") {
						wantAll(t, archive, target)
					}
					require.Contains(t, []int{exitDone, exitEntry, exitArchive, exitOutput}, code, "%s", &stderr)
				}
			})
		}
	}
}

// snapshot is everything below dir but what is below skip.
func snapshot(t *testing.T, dir, skip string) map[string]string {
	t.Helper()
	tree := make(map[string]string)
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		what := st.Mode().String()
		switch {
		case st.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what += " " + string(b) + st.ModTime().String()
		case st.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			what += " " + to
		}
		tree[path] = what
		if path == skip {
			return fs.SkipDir
		}
		return nil
	}))
	return tree
}

// wantAll wants all entries of an archive in a directory, of several of one name the last.
func wantAll(t *testing.T, archive []byte, dir string) {
	t.Helper()
	z, err := zipfile.New(backend.Bytes(archive), nil)
	require.NoError(t, err)
	defer z.Close()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	for e := range z.Entries() {
		if last, _ := z.Lookup(e.Name()); last != e {
			continue
		}
		name := strings.TrimSuffix(e.Name(), "/")
		st, err := root.Lstat(name)
		if !assert.NoError(t, err) {
			continue
		}
		assert.Equal(t, e.IsDir(), st.IsDir(), name)
		switch {
		case st.Mode().IsRegular():
			got, err := root.ReadFile(name)
			require.NoError(t, err)
			want, err := e.ReadAll()
			require.NoError(t, err)
			assert.True(t, bytes.Equal(want, got), name)
			assert.Zero(t, st.Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky), name)
		case st.Mode()&fs.ModeSymlink != 0:
			assert.NotZero(t, e.Mode()&fs.ModeSymlink, name)
		}
	}
}

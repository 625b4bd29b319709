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

	"zipcat.dev/zipfile/ziptest"
)

// refusable are archives of which a run refuses entries before it decodes them.
func refusable() map[string][]ziptest.Entry {
	file := func(name string) ziptest.Entry { return ziptest.Entry{Name: name, Data: []byte("data"), Mode: 0o644} }
	with := func(name string, change func(h *ziptest.Header)) ziptest.Entry {
		e := file(name)
		e.Header = change
		return e
	}
	sealed := func(name, password string) ziptest.Entry {
		e := file(name)
		e.Flags, e.Raw = ziptest.FlagEncrypted, ziptest.EncryptAES(e.Data, password, 3)
		e.Method, e.Extra = 99, ziptest.AES(2, 3, 0)
		return e
	}
	long, longer := strings.Repeat("n", 255), strings.Repeat("n", 256)
	link := func(name, to string) ziptest.Entry {
		return ziptest.Entry{Name: name, Data: []byte(to), Mode: fs.ModeSymlink | 0o777}
	}
	noHeader := file("no header")
	noHeader.Local = func(h *ziptest.LocalHeader) { h.Signature = 1 }
	return map[string][]ziptest.Entry{
		"limits":    {file("a"), {Name: "large", Zeros: 3 << 20}, file("b"), {Name: "dense", Zeros: 1 << 20, Method: ziptest.Deflate}, file("c")},
		"passwords": {sealed("a", "letmein"), sealed("b", "other"), file("c"), sealed("d", "letmein"), with("strong", func(h *ziptest.Header) { h.Flags |= 1<<6 | 1 })},
		"methods":   {with("a", func(h *ziptest.Header) { h.Method = 77 }), file("b"), with("c", func(h *ziptest.Header) { h.Method = 10 }), with("d", func(h *ziptest.Header) { h.Method = 99 })},
		"sizes":     {with("a", func(h *ziptest.Header) { h.Size++ }), file("b"), with("c", func(h *ziptest.Header) { h.CompressedSize = 1 << 30 }), file("d")},
		"headers":   {file("a"), noHeader, file("b")},
		"long names": {
			file(long), file(longer), file("d/" + long), file("d/" + longer), {Name: longer + "/"}, {Name: "e/" + longer + "/"}, file("e/" + longer + "/f/g"),
			link("l"+longer, "a"), link("l", strings.Repeat("t/", 2048)), link("m", strings.Repeat("t", 4095)), file(strings.Repeat("p/", 2100) + "f"), file("ok"),
		},
		"targets": {file("a"), link("up", "../x"), link("abs", "/x"), link("in", "a"), link("in", "b"), link("none", ""), {Name: "sealed link", Data: []byte("a"), Mode: fs.ModeSymlink, Flags: ziptest.FlagEncrypted}},
		"places":  {file("there"), file("a/b"), file("a"), file("there/below"), {Name: "free/"}, file("free/f"), file("last")},
	}
}

// TestDryRunForetells: a dry run tells of each entry what a run then tells, with the same exit code, and
// prints the paths that are there afterwards.
func TestDryRunForetells(t *testing.T) {
	t.Parallel()
	all, some := hostile(), refusable()
	maps.Copy(all, some)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for i, flags := range [][]string{{}, {"-f", "--password", "letmein"}, {"-n"}, {"--max-size", "2M", "--max-ratio", "100"}, {"--strip", "1", "-f"}} {
			if some[name] == nil && i > 1 {
				break
			}
			t.Run(fmt.Sprintf("%s/%d", name, i), func(t *testing.T) {
				t.Parallel()
				archive := ziptest.Archive{Entries: all[name]}.Bytes()
				for _, prepared := range []bool{false, true} {
					dir := filepath.Join(t.TempDir(), "target")
					if prepared {
						prepare(t, dir)
					}
					x := func(more ...string) (code int, stdout, stderr string) {
						var out, errs bytes.Buffer
						args := append([]string{"x", "-C", dir, "--max-size", "512M"}, flags...)
						code = run(append(append(args, more...), "-"), bytes.NewReader(archive), &out, &errs)
						return code, out.String(), errs.String()
					}
					before := snapshot(t, filepath.Dir(dir), "")
					would, paths, told := x("--dry-run")
					assert.Equal(t, before, snapshot(t, filepath.Dir(dir), ""), "a dry run changed something")
					code, _, said := x()
					told = strings.Replace(told, "zipcat: would unpack ", "zipcat: unpacked ", 1)
					assert.Equal(t, said, told)
					assert.Equal(t, code, would, "exit code; %s", said)
					for p := range strings.Lines(paths) {
						if p = strings.TrimSuffix(p, "\n"); !strings.HasPrefix(p, `"`) && len(p) < 4000 { // one that the system takes as a whole
							_, err := os.Lstat(p)
							assert.NoError(t, err)
						}
					}
				}
			})
		}
	}
}

// prepare makes a directory where some places are taken.
func prepare(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "free"), 0o777))
	for _, name := range []string{"there", "ok", "a", "f"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o644))
	}
	if runtime.GOOS != "windows" {
		require.NoError(t, os.Symlink("free", filepath.Join(dir, "d")))
		require.NoError(t, os.Symlink("..", filepath.Join(dir, "l")))
	}
}

// TestDryRunOrder: paths and refusals come in the order of the archive.
func TestDryRunOrder(t *testing.T) {
	t.Parallel()
	file := func(name string) ziptest.Entry { return ziptest.Entry{Name: name, Data: []byte("data")} }
	archive := ziptest.Archive{Entries: []ziptest.Entry{
		file("a"), file("../b"), {Name: "c", Data: []byte("a"), Mode: fs.ModeSymlink | 0o777}, {Name: "d", Zeros: 100}, {Name: "e/"}, file("e/f"), file("/g"), file("h"),
	}}.Bytes()
	var both bytes.Buffer
	code := run([]string{"x", "-q", "--dry-run", "-C", "no", "--max-size", "50", "-"}, bytes.NewReader(archive), &both, &both)
	assert.Equal(t, exitEntry, code)
	var got []string
	for line := range strings.Lines(both.String()) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "zipcat: standard input: ")
		got = append(got, strings.SplitN(line, ": ", 2)[0])
	}
	assert.Equal(t, []string{"no/a", "../b", "no/c", "d", "no/e/", "no/e/f", "/g", "no/h"}, got)
}

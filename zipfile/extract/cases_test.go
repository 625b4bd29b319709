package extract

import (
	"io/fs"
	"strings"

	"zipcat.dev/zipfile/ziptest"
)

func file(name, data string) ziptest.Entry {
	return ziptest.Entry{Name: name, Data: []byte(data), Mode: 0o644}
}

func link(name, to string) ziptest.Entry {
	return ziptest.Entry{Name: name, Data: []byte(to), Mode: fs.ModeSymlink | 0o777}
}

func damaged(name string) ziptest.Entry {
	e := file(name, "damaged")
	e.Header = func(h *ziptest.Header) { h.CRC32++ }
	return e
}

// cases are archives, what they leave in an empty directory, and what they are told.
var cases = []struct {
	name    string
	entries []ziptest.Entry
	tree    map[string]string
	failed  []string // parts of the errors, in order
	silent  int      // how many are left out silently
}{
	{name: "empty"},
	{
		name:    "files and directories",
		entries: []ziptest.Entry{file("a.txt", "a"), {Name: "empty/"}, file("b/c/d.txt", "d"), {Name: "b/", Mode: fs.ModeDir | 0o755}},
		tree:    map[string]string{"a.txt": "a", "empty/": "dir", "b/": "dir", "b/c/": "dir", "b/c/d.txt": "d"},
	},
	{
		name: "traversal",
		entries: []ziptest.Entry{
			file("../evil", "x"), file("../../../../tmp/evil", "x"), file("a/../../evil", "x"), file("a/../b", "x"),
			file("/evil", "x"), file("//evil", "x"), file("C:/evil", "x"), file("c:evil", "x"), file(`..\evil`, "x"),
			file("./a", "x"), file("a//b", "x"), file("..", "x"), file(".", "x"), {Name: "../"}, {Name: "/"}, file("ok", "ok"),
		},
		tree: map[string]string{"ok": "ok"},
		failed: []string{
			"element ..", "element ..", "element ..", "element ..",
			"absolute", "absolute", "drive", "drive", "backslash",
			"element .", "empty element", "element ..", "element .", "element ..", "empty name",
		},
	},
	{
		name:    "names with control bytes",
		entries: []ziptest.Entry{file("nul\x00.txt", "x"), file("esc\x1b[31m", "x"), file("new\nline", "x"), file("del\x7f", "x"), file("", "x")},
		failed:  []string{"NUL byte", "control character", "control character", "control character", "empty name"},
	},
	{
		name: "name marked as UTF-8 that is not",
		entries: []ziptest.Entry{
			{Name: "caf\x82", Data: []byte("x"), Flags: ziptest.FlagUTF8},
			{Name: "caf\x82.txt", Data: []byte("y")}, // CP437 without the mark
		},
		tree:   map[string]string{"café.txt": "y"},
		failed: []string{"UTF-8"},
	},
	{
		name:    "the last of several wins",
		entries: []ziptest.Entry{file("f", "first"), file("g", "g"), file("f", "second")},
		tree:    map[string]string{"f": "second", "g": "g"},
		silent:  1,
	},
	{
		name: "several entries for one directory",
		entries: []ziptest.Entry{
			{Name: "d/"}, file("d/f", "f"), {Name: "d", Mode: fs.ModeDir | 0o755}, {Name: "e", Mode: fs.ModeDir | 0o755}, {Name: "e/"}, {Name: "e/"},
		},
		tree:   map[string]string{"d/": "dir", "d/f": "f", "e/": "dir"},
		silent: 3,
	},
	{
		name:    "a directory wins over the last of several files",
		entries: []ziptest.Entry{file("a", "first"), file("a", "last"), file("a/b", "b")},
		tree:    map[string]string{"a/": "dir", "a/b": "b"},
		failed:  []string{"a: refused: another entry makes a directory"},
		silent:  1,
	},
	{
		name:    "a directory wins over a file, whichever comes first",
		entries: []ziptest.Entry{file("a", "file"), file("a/b", "b"), {Name: "c/"}, file("c", "file"), link("d", "a"), file("d/e", "e")},
		tree:    map[string]string{"a/": "dir", "a/b": "b", "c/": "dir", "d/": "dir", "d/e": "e"},
		failed:  []string{"a: refused: another entry makes a directory", "c: refused", "d: refused"},
	},
	{
		name:    "one that is damaged leaves nothing",
		entries: []ziptest.Entry{file("a", "a"), damaged("b/bad"), file("c", "c")},
		tree:    map[string]string{"a": "a", "b/": "dir", "c": "c"},
		failed:  []string{"CRC"},
	},
	{
		name: "special files",
		entries: []ziptest.Entry{
			{Name: "fifo", Mode: fs.ModeNamedPipe | 0o644}, {Name: "socket", Mode: fs.ModeSocket | 0o644},
			{Name: "disk", Mode: fs.ModeDevice | 0o644}, {Name: "tty", Mode: fs.ModeDevice | fs.ModeCharDevice | 0o644},
		},
		failed: []string{"a FIFO", "a socket", "a device", "a device"},
	},
	{
		name:    "what came from a pipe is a file",
		entries: []ziptest.Entry{{Name: "-", Data: []byte("data"), Mode: fs.ModeNamedPipe | 0o600}, {Name: "s", Data: []byte("data"), Mode: fs.ModeSocket | 0o600}},
		tree:    map[string]string{"-": "data"},
		failed:  []string{"a socket"},
	},
	{
		name: "links that stay inside",
		entries: []ziptest.Entry{
			link("l1", "d/f"), link("d/up", "../g"), link("d/dir", "."), link("d/root", ".."), link("dangling", "d/none"),
			file("d/f", "f"), file("g", "g"), link("dots", "././/d/./f"), link("slash", "d/"),
		},
		tree: map[string]string{"d/": "dir", "d/f": "f", "g": "g", "l1": "-> d/f", "d/up": "-> ../g", "d/dir": "-> .", "d/root": "-> ..",
			"dangling": "-> d/none", "dots": "-> ././/d/./f", "slash": "-> d/"},
	},
	{
		name: "links that lead out",
		entries: []ziptest.Entry{
			link("abs", "/etc/passwd"), link("up", "../canary"), link("d/up", "../../canary"), link("zigzag", "d/../../canary"),
			link("nul", "a\x00b"), link("empty", ""), link("inside", "d/../d"), link("long", strings.Repeat("a/", 2048)+"b"), file("d/f", "f"),
		},
		tree:   map[string]string{"d/": "dir", "d/f": "f"},
		failed: []string{"absolute", "leads out", "leads out", "climbs", "NUL", "without a target", "climbs", "4097 bytes"},
	},
	{
		name:    "files below a link",
		entries: []ziptest.Entry{link("link", "../.."), file("link/evil", "x")},
		tree:    map[string]string{"link/": "dir", "link/evil": "x"},
		failed:  []string{"link: refused: another entry makes a directory"},
	},
	{
		// libx.so to libx.so.1 to libx.so.1.2, in the order that hurts
		name:    "chain",
		entries: []ziptest.Entry{link("a", "b"), link("b", "c"), file("c", "c")},
		tree:    map[string]string{"a": "-> b", "b": "-> c", "c": "c"},
	},
	{
		name:    "chain that leads out",
		entries: []ziptest.Entry{link("a", "b"), link("b", "../canary")},
		tree:    map[string]string{"a": "-> b"}, // leads to nothing
		failed:  []string{"b: refused: the link leads out"},
	},
	{
		// Each link is harmless by its letters; together they climb.
		name:    "links through links",
		entries: []ziptest.Entry{link("d/up", ".."), link("x", "d/up/../canary"), link("y", "d/up/z"), file("z", "z")},
		tree:    map[string]string{"d/": "dir", "d/up": "-> ..", "z": "z"},
		failed:  []string{"x: refused: the link leads through another link", "y: refused: the link leads through another link"},
	},
	{
		// Elements of three dots are names, so that what stands before them is passed through.
		name: "dots that are a name",
		entries: []ziptest.Entry{
			link("a", "d"), link("b", "a/..."), link("c", "a/.../."), link("e", "a/c"), link("f", "a/."), link("g", "d/..."), link("h", "a/.."), file("d/...", "x"),
		},
		tree: map[string]string{"d/": "dir", "d/...": "x", "a": "-> d", "f": "-> a/.", "g": "-> d/..."},
		failed: []string{
			"b: refused: the link leads through another link", "c: refused: the link leads through another link",
			"e: refused: the link leads through another link", "h: refused: the target of the link climbs",
		},
	},
	{
		name:    "circle",
		entries: []ziptest.Entry{link("a", "b"), link("b", "a"), link("c", "c")},
		tree:    map[string]string{"a": "-> b"},
		failed:  []string{"b: refused: the link leads in a circle", "c: refused: the link leads in a circle"},
	},
}

package main

import (
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"zipcat.dev/zipfile"
)

// indexPage is the page for a directory without an index.html.
type indexPage struct {
	Title   string
	Trail   []indexLink // from the archive to the directory
	Top     bool
	Rows    []indexRow
	NoPaths []string
}

type indexLink struct{ Name, Href string }

type indexRow struct {
	indexLink
	Dir                   bool
	Note                  string
	Size, Bytes, Modified string
}

// directory serves the list of what a directory holds: directories first, then files, by name.
func (s *server) directory(w http.ResponseWriter, name string) {
	list, err := fs.ReadDir(s.fs, name)
	if err != nil {
		fail(w, http.StatusInternalServerError, errorText(err))
		return
	}
	page := indexPage{Top: name == ".", Rows: make([]indexRow, 0, len(list))}
	title := printable(archiveTitle(s.ar.name))
	if s.ar.name != stdinName {
		title = printable(path.Base(strings.ReplaceAll(s.ar.name, `\`, "/")))
	}
	page.Title = title
	if page.Top {
		page.NoPaths = s.noPaths()
	} else {
		page.Title = printable(name) + " - " + title
		for up, rest := "./", name; rest != "."; up, rest = "../"+strings.TrimPrefix(up, "./"), path.Dir(rest) {
			page.Trail = append(page.Trail, indexLink{printable(path.Base(rest)), up})
		}
	}
	page.Trail = append(page.Trail, indexLink{title, "/"})
	slices.Reverse(page.Trail)
	for _, d := range list {
		page.Rows = append(page.Rows, newIndexRow(d))
	}
	slices.SortStableFunc(page.Rows, func(a, b indexRow) int {
		switch {
		case a.Dir == b.Dir:
			return 0
		case a.Dir:
			return -1
		}
		return 1
	})
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'") // of this page, which has no scripts
	io.WriteString(w, page.html())                                                    // what fails is the client
}

func newIndexRow(d fs.DirEntry) indexRow {
	// With the dot in front what stands before a colon is no scheme.
	row := indexRow{indexLink: indexLink{printable(d.Name()), "./" + url.PathEscape(d.Name())}, Dir: d.IsDir(), Modified: "-"}
	if row.Dir {
		row.Name += "/"
		row.Href += "/"
	}
	info, err := d.Info()
	if err != nil {
		return row
	}
	e, ok := info.Sys().(zipfile.Entry)
	if !ok {
		return row
	}
	row.Modified = localTime(e.ModifiedIn(time.Local))
	switch {
	case row.Dir:
		return row
	case e.Mode()&fs.ModeSymlink != 0:
		row.Note = "link"
		return row // its size is that of the path that it leads to
	case e.Encrypted():
		row.Note = "encrypted"
	}
	row.Size, row.Bytes = humanSize(e.Size()), plural(e.Size(), "byte", "bytes")
	return row
}

// maxNoPaths is how many names that are no paths are listed.
const maxNoPaths = 1000

// noPaths returns the names of the entries that have no place in the tree, as ".." in them.
func noPaths(z *zipfile.ZipFile) []string {
	var names []string
	more := int64(0)
	for e := range z.Entries() {
		if _, err := e.Path(); err == nil {
			continue
		}
		if len(names) < maxNoPaths {
			names = append(names, printable(e.Name()))
		} else {
			more++
		}
	}
	if more > 0 {
		names = append(names, "and "+plural(more, "more", "more"))
	}
	return names
}

// html is the page in HTML. What is put into it is escaped, links by url.PathEscape before.
func (p *indexPage) html() string {
	var b strings.Builder
	// put appends pieces of HTML and texts in turn.
	put := func(pieces ...string) {
		for i, s := range pieces {
			if i%2 == 1 {
				s = html.EscapeString(s)
			}
			b.WriteString(s)
		}
	}
	link := func(l indexLink) { put(`<a href="`, l.Href, `"><bdi>`, l.Name, `</bdi></a>`) }

	put(indexHead, p.Title, "</title>\n", "", indexStyle+"</head>\n<body>\n<h1>")
	for i, l := range p.Trail {
		if i > 0 {
			put(" <span>/</span> ")
		}
		link(l)
	}
	put("</h1>\n<table>\n" + `<thead><tr><th>Name</th><th class="size">Size</th><th>Modified</th></tr></thead>` + "\n<tbody>\n")
	if !p.Top {
		put(`<tr><td><a href="../">../</a></td><td></td><td></td></tr>` + "\n")
	}
	for _, r := range p.Rows {
		put("<tr><td>")
		link(r.indexLink)
		if r.Note != "" {
			put(" <small>", r.Note, "</small>")
		}
		put(`</td><td class="size"`)
		if r.Bytes != "" {
			put(` title="`, r.Bytes, `"`)
		}
		put(">", r.Size, "</td><td>", r.Modified, "</td></tr>\n")
	}
	if len(p.Rows) == 0 {
		put("<tr><td><p>Nothing is in here.</p></td><td></td><td></td></tr>\n")
	}
	put("</tbody>\n</table>\n")
	if len(p.NoPaths) > 0 {
		put("<h2>Not served</h2>\n<p>The names of these entries are no paths.</p>\n<ul>\n")
		for _, name := range p.NoPaths {
			put("<li><bdi>", name, "</bdi></li>\n")
		}
		put("</ul>\n")
	}
	put("</body>\n</html>\n")
	return b.String()
}

const indexHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>`

const indexStyle = `<style>
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 14%, transparent); --quiet: color-mix(in srgb, currentColor 62%, transparent); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.15rem; font-weight: 600; margin: 0 0 1rem; overflow-wrap: anywhere; }
h1 span { color: var(--quiet); font-weight: 400; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
a { text-decoration: none; }
a:hover { text-decoration: underline; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
tr { border-bottom: 1px solid var(--line); }
th, td { padding: .3rem .6rem; text-align: left; white-space: nowrap; }
th { font-weight: 600; color: var(--quiet); }
th:first-child, td:first-child { padding-left: 0; width: 100%; white-space: normal; overflow-wrap: anywhere; }
.size { text-align: right; }
td + td, small, p, li { color: var(--quiet); }
tbody tr:hover { background: color-mix(in srgb, currentColor 5%, transparent); }
</style>
`

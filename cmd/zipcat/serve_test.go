package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/ziptest"
)

// serving is a handler over an archive, with what it says.
type serving struct {
	*server
	stderr *bytes.Buffer
}

func serveArchive(t *testing.T, a ziptest.Archive, set ...func(*app)) *serving {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, a.WriteFile(name))
	stderr := new(bytes.Buffer)
	ap := &app{out: newOutput(io.Discard), say: messages{w: stderr}}
	for _, f := range set {
		f(ap)
	}
	ar := ap.open(name)
	require.NotNil(t, ar, "%s", stderr)
	t.Cleanup(func() { ar.Close() })
	return &serving{newServer(ap, ar), stderr}
}

func (s *serving) get(path string, header ...string) *httptest.ResponseRecorder {
	return s.do("GET", path, header...)
}

func (s *serving) do(method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost/", nil)
	r.URL.Path, r.RequestURI = path, path
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// lines is text of n bytes that deflates well and is the same nowhere.
func lines(n int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "line %d of it\n", i)
	}
	return b.Bytes()[:n]
}

func deflated(name string, data []byte) ziptest.Entry {
	return ziptest.Entry{Name: name, Data: data, Method: ziptest.Deflate}
}

func tag(data []byte, suffix string) string {
	return fmt.Sprintf(`"%08x-%d%s"`, crc32.ChecksumIEEE(data), len(data), suffix)
}

func TestServeTypes(t *testing.T) {
	t.Parallel()
	utf16 := "\xff\xfea\x00"
	long := strings.Repeat("a", headSize-1) + "é"
	for _, c := range []struct{ name, data, want string }{
		{"a.html", "<p>", "text/html; charset=utf-8"},
		{"A.HTM", "<p>é", "text/html; charset=utf-8"},
		{"own.html", `<META CHARSET="shift_jis">`, "text/html"},
		{"http-equiv.html", `<meta http-equiv="Content-Type" content="text/html; charset=EUC-JP">`, "text/html"},
		{"jis.html", "\x1b$B$\"", "text/html"},
		{"latin1.html", "<p>\xe9", "text/html"},
		{"a.css", "p{}", "text/css; charset=utf-8"},
		{"own.css", `@charset "latin1";`, "text/css"},
		{"a.js", "1", "text/javascript; charset=utf-8"},
		{"a.json", "{}", "application/json"},
		{"a.xml", "<a/>", "application/xml"},
		{"a.svg", "<svg/>", "image/svg+xml"},
		{"a.png", "x", "image/png"},
		{"a.jpg", "x", "image/jpeg"},
		{"a.gif", "x", "image/gif"},
		{"a.woff2", "x", "font/woff2"},
		{"a.wasm", "x", "application/wasm"},
		{"a.class", "x", "application/java-vm"},
		{"a.jar", "x", "application/java-archive"},
		{"a.txt", "x", "text/plain; charset=utf-8"},
		{"latin1.txt", "\xe9", "text/plain"},
		{"utf16.txt", utf16, "text/plain"},
		{"cut.txt", long, "text/plain; charset=utf-8"},
		{"empty.txt", "", "text/plain; charset=utf-8"},
		{"a.md", "# x", "text/plain; charset=utf-8"},
		{"a.java", "x", "text/plain; charset=utf-8"},
		{"MANIFEST.MF", "x", "text/plain; charset=utf-8"},
		{"noext", "words", "text/plain; charset=utf-8"},
		{"noext-pdf", "%PDF-1.7", "application/pdf"},
		{"noext-bytes", "\x00\x01\x02", "application/octet-stream"},
		{"noext-empty", "", "text/plain; charset=utf-8"},
	} {
		for _, method := range []uint16{ziptest.Store, ziptest.Deflate} {
			s := serveArchive(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: c.name, Data: []byte(c.data), Method: method}}})
			w := s.get("/" + c.name)
			assert.Equal(t, http.StatusOK, w.Code)
			assert.Equal(t, c.want, w.Header().Get("Content-Type"), c.name)
			assert.Equal(t, c.data, w.Body.String())
			assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
			assert.Equal(t, "no-cache", w.Header().Get("Cache-Control"))
			assert.NotEmpty(t, w.Header().Get("Referrer-Policy"))
		}
	}
}

// TestServeEntries: entries small and large, stored and deflated, whole, in part, and not at all.
func TestServeEntries(t *testing.T) {
	t.Parallel()
	small, large := lines(10_000), lines(inMemory+100_000)
	when := time.Date(2024, 2, 29, 13, 14, 16, 0, time.Local)
	var entries []ziptest.Entry
	for _, e := range []ziptest.Entry{{Name: "small", Data: small}, {Name: "large", Data: large}} {
		e.Modified = when
		entries = append(entries, e)
		e.Name, e.Method = e.Name+"-deflated", ziptest.Deflate
		entries = append(entries, e)
	}
	s := serveArchive(t, ziptest.Archive{Entries: entries})
	stamp := when.UTC().Format(http.TimeFormat)
	for _, e := range entries {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			path, size, etag := "/"+e.Name, len(e.Data), tag(e.Data, "")
			check := func(w *httptest.ResponseRecorder, code int, want []byte) {
				t.Helper()
				assert.Equal(t, code, w.Code)
				assert.True(t, bytes.Equal(want, w.Body.Bytes()), "%d bytes", w.Body.Len())
				if code != http.StatusRequestedRangeNotSatisfiable {
					assert.Equal(t, etag, w.Header().Get("ETag"))
				}
			}
			w := s.get(path)
			check(w, 200, e.Data)
			assert.Equal(t, fmt.Sprint(size), w.Header().Get("Content-Length"))
			assert.Equal(t, stamp, w.Header().Get("Last-Modified"))
			assert.Equal(t, "bytes", w.Header().Get("Accept-Ranges"))
			w = s.do("HEAD", path)
			check(w, 200, nil)
			assert.Equal(t, fmt.Sprint(size), w.Header().Get("Content-Length"))

			check(s.get(path, "If-None-Match", etag), 304, nil)
			check(s.get(path, "If-None-Match", `"a", W/`+etag), 304, nil)
			check(s.get(path, "If-None-Match", "*"), 304, nil)
			check(s.get(path, "If-None-Match", `"a"`), 200, e.Data)
			check(s.get(path, "If-Modified-Since", stamp), 304, nil)
			check(s.get(path, "If-None-Match", `"a"`, "If-Modified-Since", stamp), 200, e.Data)
			assert.Equal(t, 412, s.get(path, "If-Match", `"a"`).Code)

			for ask, want := range map[string][]byte{
				"bytes=0-0":                        e.Data[:1],
				"bytes=5000-5999":                  e.Data[5000:6000],
				fmt.Sprintf("bytes=%d-", size-7):   e.Data[size-7:],
				"bytes=-9":                         e.Data[size-9:],
				fmt.Sprintf("bytes=1-%d", size+10): e.Data[1:],
			} {
				check(s.get(path, "Range", ask), 206, want)
				check(s.get(path, "Range", ask, "If-Range", etag), 206, want)
				check(s.get(path, "Range", ask, "If-Range", tag(e.Data, "-gzip")), 200, e.Data)
				w := s.get(path, "Range", ask, "Accept-Encoding", "gzip")
				check(w, 206, want)
				assert.Empty(t, w.Header().Get("Content-Encoding"))
			}
			check(s.get(path, "Range", fmt.Sprintf("bytes=%d-", size)), 416, []byte("invalid range: failed to overlap\n"))

			w = s.get(path, "Range", "bytes=9000-9099,10-19,-5")
			require.Equal(t, 206, w.Code)
			typ, params, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
			require.NoError(t, err)
			require.Equal(t, "multipart/byteranges", typ)
			parts := multipart.NewReader(w.Body, params["boundary"])
			for _, want := range [][]byte{e.Data[9000:9100], e.Data[10:20], e.Data[size-5:]} {
				p, err := parts.NextPart()
				require.NoError(t, err)
				got, err := io.ReadAll(p)
				require.NoError(t, err)
				assert.Equal(t, string(want), string(got))
			}
			many := s.get(path, "Range", "bytes=0-0"+strings.Repeat(",1-1", maxRanges))
			if e.Name == "large-deflated" {
				check(many, 200, e.Data)
			} else {
				assert.Equal(t, 206, many.Code)
			}
		})
	}
	t.Cleanup(func() { assert.Empty(t, s.stderr.String()) })
}

func TestServeGzip(t *testing.T) {
	t.Parallel()
	small, large := lines(10_000), lines(inMemory+1)
	trailing := deflated("trailing", small)
	trailing.Raw = append(rawDeflate(t, small), "more"...)
	s := serveArchive(t, ziptest.Archive{Entries: []ziptest.Entry{
		deflated("small.html", small),
		deflated("large.txt", large),
		{Name: "stored.txt", Data: small},
		deflated("empty.txt", nil),
		deflated("short.txt", []byte("x")),
		trailing,
	}})
	for name, data := range map[string][]byte{"small.html": small, "large.txt": large} {
		for range 2 {
			w := s.get("/"+name, "Accept-Encoding", "gzip, deflate, br, zstd")
			assert.Equal(t, 200, w.Code)
			assert.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
			assert.Equal(t, "Accept-Encoding", w.Header().Get("Vary"))
			assert.Equal(t, tag(data, "-gzip"), w.Header().Get("ETag"))
			assert.Equal(t, fmt.Sprint(w.Body.Len()), w.Header().Get("Content-Length"))
			assert.True(t, strings.HasPrefix(w.Header().Get("Content-Type"), "text/"))
			z, err := gzip.NewReader(w.Body)
			require.NoError(t, err)
			got, err := io.ReadAll(z)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(data, got))
		}
		w := s.get("/"+name, "Accept-Encoding", "gzip", "If-None-Match", tag(data, "-gzip"))
		assert.Equal(t, 304, w.Code)
		assert.Equal(t, "Accept-Encoding", w.Header().Get("Vary"))
		assert.Equal(t, 200, s.get("/"+name, "Accept-Encoding", "gzip", "If-None-Match", tag(data, "")).Code)
		w = s.do("HEAD", "/"+name, "Accept-Encoding", "gzip")
		assert.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
		assert.Zero(t, w.Body.Len())
		w = s.get("/"+name, "Accept-Encoding", "gzip;q=0")
		assert.Empty(t, w.Header().Get("Content-Encoding"))
		assert.Equal(t, "Accept-Encoding", w.Header().Get("Vary"))
		assert.True(t, bytes.Equal(data, w.Body.Bytes()))
	}
	for name, data := range map[string][]byte{"stored.txt": small, "empty.txt": nil, "short.txt": []byte("x"), "trailing": small} {
		w := s.get("/"+name, "Accept-Encoding", "gzip")
		assert.Equal(t, 200, w.Code, name)
		assert.Empty(t, w.Header().Get("Content-Encoding"), name)
		assert.Equal(t, tag(data, ""), w.Header().Get("ETag"))
		assert.True(t, bytes.Equal(data, w.Body.Bytes()), name)
	}
}

// rawDeflate gives the data of an entry that holds them.
func rawDeflate(t *testing.T, data []byte) []byte {
	t.Helper()
	s := serveArchive(t, ziptest.Archive{Entries: []ziptest.Entry{deflated("x", data)}})
	r, err := s.ar.At(0).OpenRaw()
	require.NoError(t, err)
	raw, err := io.ReadAll(r)
	require.NoError(t, err)
	return raw
}

func TestServeAcceptsGzip(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"":                              false,
		"gzip":                          true,
		"GZIP":                          true,
		"x-gzip":                        true,
		"deflate, br":                   false,
		"br , gzip ; q=0.5":             true,
		"gzip;q=0":                      false,
		"gzip;Q=0.000":                  false,
		"*":                             true,
		"*;q=0":                         false,
		"*;q=0, gzip":                   true,
		"gzip;q=0, *":                   false,
		"identity":                      false,
		"identity, gzip":                true,
		"identity;q=1, gzip;q=0.5":      false,
		"identity;q=0.5, *;q=0.5":       true,
		"gzip;q=nan":                    false,
		"gzip;q=2":                      false,
		"notgzip, gzipx":                false,
		",, gzip":                       true,
		"identity;q=0, gzip;q=0.001, *": true,
	} {
		assert.Equal(t, want, acceptsGzip([]string{header}), header)
	}
	assert.True(t, acceptsGzip([]string{"br", "gzip"}))
	assert.False(t, acceptsGzip(nil))
}

func TestServePaths(t *testing.T) {
	t.Parallel()
	link := func(name, to string) ziptest.Entry {
		return ziptest.Entry{Name: name, Data: []byte(to), Mode: fs.ModeSymlink | 0o777}
	}
	odd := []string{"a b", "a%20b", "50%", "q?x=1", "h#x", "ab:c", "a;b,c", "a+b&c", `"quoted'`, "<b>", "日本", "e\u0301", "...", "~", "dir/ x /y", "-", "a=b", "@", "[x]{y}|^`"}
	entries := []ziptest.Entry{
		{Name: "twice.txt", Data: []byte("first")},
		{Name: "dir/implicit/f.txt", Data: []byte("f")},
		{Name: "explicit/"},
		{Name: "site/index.html", Data: []byte("home")},
		{Name: "broken/index.html/x", Data: []byte("x")},
		{Name: "../up.txt", Data: []byte("secret")},
		{Name: "/abs.txt", Data: []byte("secret")},
		{Name: "d/../../up2.txt", Data: []byte("secret")},
		{Name: `back\slash.txt`, Data: []byte("secret"), Host: ziptest.HostUnix},
		{Name: "nul\x00.txt", Data: []byte("secret")},
		{Name: "latin\xe9.txt", Data: []byte("latin")},
		link("link.txt", "dir/implicit/f.txt"), link("linkdir", "dir/implicit"), link("dangling", "nowhere"), link("out", "../up.txt"),
		{Name: "c:x", Data: []byte("secret")},
		{Name: "twice.txt", Data: []byte("last")},
	}
	for _, name := range odd {
		entries = append(entries, ziptest.Entry{Name: name, Data: []byte("odd " + name), Flags: ziptest.FlagUTF8})
	}
	s := serveArchive(t, ziptest.Archive{Entries: entries})
	for _, c := range []struct {
		path string
		code int
		want string // body, or Location
	}{
		{"/twice.txt", 200, "last"},
		{"/dir/implicit/f.txt", 200, "f"},
		{"/site/", 200, "home"},
		{"/site/index.html", 200, "home"},
		{"/site", 307, "/site/"},
		{"/dir", 307, "/dir/"},
		{"/dir/implicit", 307, "/dir/implicit/"},
		{"/dir/ x ", 307, "/dir/%20x%20/"},
		{"/explicit", 307, "/explicit/"},
		{"/twice.txt/", 307, "/twice.txt"},
		{"/link.txt", 200, "f"},
		{"/linkdir", 307, "/linkdir/"},
		{"/linkdir/f.txt", 200, "f"},
		{"/latin\u0398.txt", 200, "latin"}, // CP437
		{"/dangling", 404, ""},
		{"/out", 404, ""},
		{"/nothing", 404, ""},
		{"/twice.txt/x", 404, ""},
		{"/../up.txt", 404, ""},
		{"/..", 404, ""},
		{"/.", 404, ""},
		{"/./twice.txt", 404, ""},
		{"/dir/../twice.txt", 404, ""},
		{"/d/../../up2.txt", 404, ""},
		{"//abs.txt", 404, ""},
		{"//", 404, ""},
		{"//site", 404, ""},
		{"//site/", 404, ""},
		{"/dir//implicit/f.txt", 404, ""},
		{`/back\slash.txt`, 404, ""},
		{"/back/slash.txt", 404, ""},
		{"/nul\x00.txt", 404, ""},
		{"/\xff", 404, ""},
		{"*", 404, ""},
		{"", 404, ""},
		{"/c:x", 404, ""}, // a drive
	} {
		w := s.get(c.path)
		assert.Equal(t, c.code, w.Code, "%q", c.path)
		assert.NotContains(t, w.Body.String(), "secret")
		switch c.code {
		case 307:
			assert.Equal(t, c.want, w.Header().Get("Location"), "%q", c.path)
		case 200:
			assert.Equal(t, c.want, w.Body.String(), "%q", c.path)
		}
	}
	page := s.get("/broken/")
	assert.Equal(t, 200, page.Code)
	assert.Contains(t, page.Body.String(), `<a href="./index.html/">`)

	// Through a real server and client, as a browser writes the names.
	srv := httptest.NewServer(s)
	defer srv.Close()
	for _, name := range odd {
		u := *mustURL(t, srv.URL)
		u.Path = "/" + name
		r, err := srv.Client().Get(u.String())
		require.NoError(t, err)
		b, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		r.Body.Close()
		assert.Equal(t, "odd "+name, string(b), u.String())
	}
	r, err := srv.Client().Get(srv.URL + "/site?q=1")
	require.NoError(t, err)
	r.Body.Close()
	assert.Equal(t, "/site/?q=1", r.Request.URL.RequestURI())
	assert.Empty(t, s.stderr.String())
}

func TestServeIndex(t *testing.T) {
	t.Parallel()
	when := time.Date(2024, 2, 29, 13, 14, 16, 0, time.Local)
	s := serveArchive(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "d/<script>alert(1)</script>.txt", Data: []byte("x")},
		{Name: `d/"onload=".txt`},
		{Name: "d/javascript:alert(1)"},
		{Name: "d/50%?#.txt"},
		{Name: "d/\u202etxt.exe", Flags: ziptest.FlagUTF8},
		{Name: "d/sized.bin", Data: make([]byte, 1536), Modified: when},
		{Name: "d/z/deep/f"},
		{Name: "../<img src=x>"},
		{Name: "locked", Data: []byte("x"), Flags: ziptest.FlagEncrypted},
		{Name: "empty/"},
	}})
	w := s.get("/d/")
	assert.Equal(t, 200, w.Code)
	assert.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
	assert.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'")
	page := w.Body.String()
	assert.NotContains(t, page, "<script>")
	assert.NotContains(t, page, "Zgotmpl")
	assert.NotContains(t, page, "\u202e")
	for _, want := range []string{
		"<title>d - a.zip</title>",
		`<a href="/"><bdi>a.zip</bdi></a> <span>/</span> <a href="./"><bdi>d</bdi></a>`,
		`<a href="../">../</a>`,
		`&lt;script&gt;alert(1)&lt;/script&gt;.txt`[:20],
		`href="./javascript:alert%281%29"`,
		`href="./50%25%3F%23.txt"`,
		`href="./z/"><bdi>z/</bdi>`,
		`title="1536 bytes">1.5K<`,
		"2024-02-29 13:14",
	} {
		assert.Contains(t, page, want)
	}
	assert.Less(t, strings.Index(page, `"./z/"`), strings.Index(page, "sized.bin"), "directories come first")
	page = s.get("/d/z/deep/").Body.String()
	assert.Contains(t, page, `<a href="../../"><bdi>d</bdi></a> <span>/</span> <a href="../"><bdi>z</bdi></a> <span>/</span> <a href="./"><bdi>deep</bdi></a>`)
	page = s.get("/").Body.String()
	assert.NotContains(t, page, `"../"`)
	assert.NotContains(t, page, "<img")
	assert.Contains(t, page, "<li><bdi>../&lt;img src=x&gt;</bdi></li>")
	assert.Contains(t, page, "<small>encrypted</small>")
	assert.Contains(t, s.get("/empty/").Body.String(), "Nothing is in here.")
	assert.Contains(t, serveArchive(t, ziptest.Archive{}).get("/").Body.String(), "Nothing is in here.")
	w = s.do("HEAD", "/")
	assert.Equal(t, 200, w.Code)
}

func TestHumanSize(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 1023: "1023", 1024: "1.0K", 10137: "9.9K", 10200: "10K", 1 << 20: "1.0M", 1<<20 - 1: "1.0M", 5 << 30: "5.0G", 1<<63 - 1: "8.0E"} {
		assert.Equal(t, want, humanSize(n))
	}
}

func TestServeMethods(t *testing.T) {
	t.Parallel()
	s := serveArchive(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "a"}}})
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT"} {
		w := s.do(method, "/a")
		assert.Equal(t, 405, w.Code, method)
		assert.Equal(t, "GET, HEAD", w.Header().Get("Allow"))
	}
}

func TestServeHost(t *testing.T) {
	t.Parallel()
	s := serveArchive(t, ziptest.Archive{Entries: []ziptest.Entry{{Name: "a"}}})
	s.host = "box.test"
	for host, known := range map[string]bool{
		"localhost": true, "localhost:8080": true, "LOCALHOST:1": true, "localhost.:80": true, "app.localhost:80": true,
		"127.0.0.1": true, "127.0.0.1:8080": true, "127.1.2.3:80": true, "[::1]": true, "[::1]:8080": true, "box.test:80": true,
		"": false, "evil.test": false, "evil.test:8080": false, "localhost.evil.test": false, "127.0.0.1.evil.test": false,
		"192.168.0.1:80": false, "[2001:db8::1]:80": false, "notlocalhost": false, "2130706433": false,
	} {
		for _, local := range []bool{true, false} {
			s.local = local
			r := httptest.NewRequest("GET", "http://localhost/a", nil)
			r.Host = host
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			want := 200
			if local && !known {
				want = 403
			}
			assert.Equal(t, want, w.Code, "%s %t", host, local)
		}
	}
}

func TestServeURL(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{"127.0.0.1:80": "http://127.0.0.1:80/", "[::1]:8": "http://[::1]:8/", "0.0.0.0:8": "http://localhost:8/", "[::]:8": "http://localhost:8/"} {
		assert.Equal(t, want, serverURL(netip.MustParseAddrPort(at)))
	}
}

// TestServeDamaged: an entry that cannot be read is an error, or half an answer that the client knows
// to be half.
func TestServeDamaged(t *testing.T) {
	t.Parallel()
	wrong := func(h *ziptest.Header) { h.CRC32++ }
	small, large := lines(10_000), lines(inMemory+100_000)
	s := serveArchive(t, ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "stored", Data: small, Header: wrong},
		{Name: "deflated", Data: small, Method: ziptest.Deflate, Header: wrong},
		{Name: "garbage", Data: small, Raw: []byte("\xff\xffgarbage"), Method: ziptest.Deflate},
		{Name: "local", Data: small, Local: func(h *ziptest.LocalHeader) { h.Signature++ }},
		{Name: "method", Data: small, Raw: []byte("x"), Method: 99},
		{Name: "large-method", Data: large, Raw: []byte("x"), Method: 99},
		{Name: "large-garbage", Data: large, Raw: []byte("\xff\xffgarbage"), Method: ziptest.Deflate},
		{Name: "large-stored", Data: large, Header: wrong},
		{Name: "large-deflated", Data: large, Method: ziptest.Deflate, Header: wrong},
		{Name: "site/index.html", Data: small, Header: wrong},
		{Name: "good", Data: small},
	}})
	srv := httptest.NewServer(s)
	defer srv.Close()
	ask := func(path string, header ...string) (int, []byte, error) {
		r, err := http.NewRequest("GET", srv.URL+path, nil)
		require.NoError(t, err)
		r.Header.Set("Accept-Encoding", "identity")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		resp, err := srv.Client().Do(r)
		if err != nil {
			return 0, nil, err
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return resp.StatusCode, b, err
	}
	for _, encoding := range []string{"identity", "gzip"} {
		for _, path := range []string{"/stored", "/deflated", "/garbage", "/local", "/method", "/large-method", "/large-garbage", "/site/"} {
			code, text, err := ask(path, "Accept-Encoding", encoding)
			require.NoError(t, err)
			assert.Equal(t, 500, code, path)
			assert.Equal(t, 1, bytes.Count(text, []byte("\n")), "%s", text)
		}
	}
	code, text, err := ask("/stored", "Range", "bytes=1-2")
	require.NoError(t, err)
	assert.Equal(t, 500, code)
	assert.Contains(t, string(text), "CRC-32")
	for _, path := range []string{"/large-stored", "/large-deflated"} {
		_, b, err := ask(path)
		assert.Error(t, err, path)
		assert.Less(t, len(b), len(large))
	}
	code, b, err := ask("/large-deflated", "Range", "bytes=0-9")
	require.NoError(t, err)
	assert.Equal(t, 206, code)
	assert.Equal(t, string(large[:10]), string(b))
	// The whole of a larger one is left to the client.
	code, b, err = ask("/large-deflated", "Accept-Encoding", "gzip")
	require.NoError(t, err)
	assert.Equal(t, 200, code)
	z, err := gzip.NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, z)
	assert.ErrorIs(t, err, gzip.ErrChecksum)

	code, b, err = ask("/good")
	require.NoError(t, err)
	assert.Equal(t, 200, code)
	assert.Equal(t, small, b)
	srv.Close()
	said := s.stderr.String()
	assert.Equal(t, 10, strings.Count(said, "\n"), "each once: %s", said)
	assert.Contains(t, said, "a.zip: stored: ")
	assert.Contains(t, said, "a.zip: large-deflated: ")
	assert.NotContains(t, said, "panic")
}

func TestServeEncrypted(t *testing.T) {
	t.Parallel()
	data := []byte("secret words")
	locked := ziptest.Entry{Name: "locked.txt", Data: data, Flags: ziptest.FlagEncrypted,
		Raw: ziptest.EncryptZipCrypto(data, "pw", byte(crc32.ChecksumIEEE(data)>>24))}
	a := ziptest.Archive{Entries: []ziptest.Entry{locked}}
	s := serveArchive(t, a)
	w := s.get("/locked.txt", "Accept-Encoding", "gzip")
	assert.Equal(t, 403, w.Code)
	assert.Equal(t, "this entry is encrypted: a password is needed (zipcat serve --password)\n", w.Body.String())
	assert.Empty(t, w.Header().Get("ETag"))
	w = serveArchive(t, a, func(a *app) { a.flags.password = "pw" }).get("/locked.txt", "Accept-Encoding", "gzip")
	assert.Equal(t, 200, w.Code)
	assert.Equal(t, string(data), w.Body.String())
	w = serveArchive(t, a, func(a *app) { a.flags.password = "no" }).get("/locked.txt")
	assert.Contains(t, []int{403, 500}, w.Code, "one of 256 wrong passwords passes the check byte")
}

func TestServeLimits(t *testing.T) {
	t.Parallel()
	s := serveArchive(t, ziptest.Archive{Entries: []ziptest.Entry{deflated("a", lines(10_000)), deflated("b", lines(inMemory+1))}},
		func(a *app) { a.flags.maxSize = 5000 })
	for _, path := range []string{"/a", "/b"} {
		for _, encoding := range []string{"gzip", "identity"} {
			assert.Equal(t, 403, s.get(path, "Accept-Encoding", encoding).Code)
		}
	}
}

func TestServeConcurrent(t *testing.T) {
	t.Parallel()
	var entries []ziptest.Entry
	for i := range 20 {
		entries = append(entries, deflated(fmt.Sprintf("d%d/f.txt", i), lines(i*5000)))
	}
	entries = append(entries, ziptest.Entry{Name: "bad", Data: []byte("x"), Header: func(h *ziptest.Header) { h.CRC32++ }})
	s := serveArchive(t, ziptest.Archive{Entries: entries})
	s.logging = true
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i, e := range entries[:20] {
				assert.Equal(t, e.Data, s.get("/"+e.Name).Body.Bytes(), i)
				s.get("/"+e.Name, "Accept-Encoding", "gzip")
				s.get("/")
				s.get("/bad")
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 8*20*4+1, strings.Count(s.stderr.String(), "\n"))
	assert.Contains(t, s.stderr.String(), "zipcat: GET /bad: 500, ")
}

// TestServeUsage: what is wrong before anything is served.
func TestServeUsage(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, ziptest.Archive{}.WriteFile(name))
	for _, c := range []struct {
		args []string
		exit int
		said string
	}{
		{nil, exitUsage, "ARCHIVE is missing"},
		{[]string{name, name}, exitUsage, "one ARCHIVE is served"},
		{[]string{name, "--addr", "here"}, exitUsage, "host:port is needed"},
		{[]string{name + ".no"}, exitArchive, ""},
		{[]string{name + "!/inner.zip"}, exitNoMatch, "no entry inner.zip"},
		{[]string{name, "--addr", "192.0.2.1:0"}, exitOutput, "192.0.2.1:0: cannot listen: "},
		{[]string{name, "--addr", "127.0.0.1:99999"}, exitOutput, "cannot listen"},
	} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, c.exit, run(append([]string{"serve"}, c.args...), nil, &stdout, &stderr), "%s", &stderr)
		assert.Contains(t, stderr.String(), c.said)
		assert.Empty(t, stdout.String())
	}
	if f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil {
		defer f.Close()
		var stderr bytes.Buffer
		assert.Equal(t, exitOutput, run([]string{"serve", name}, nil, f, &stderr))
	}
}

func mustURL(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	require.NoError(t, err)
	return u
}

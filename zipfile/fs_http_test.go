package zipfile_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// TestFSHTTP serves an archive as a web server does.
func TestFSHTTP(t *testing.T) {
	t.Parallel()
	content := fsLines(20_000)
	size := len(content)
	page := []byte("<!DOCTYPE html><title>page</title>" + strings.Repeat("<p>x", 500))
	when := time.Date(2024, 2, 29, 13, 14, 16, 0, time.UTC)
	var entries []ziptest.Entry
	for name, m := range fsMethods {
		entries = append(entries,
			ziptest.Entry{Name: name + "/lines.txt", Data: content, Method: m, Modified: when},
			ziptest.Entry{Name: name + "/page", Data: page, Method: m},
			ziptest.Entry{Name: name + "/pdf", Data: []byte("%PDF-1.7\n"), Method: m},
			ziptest.Entry{Name: name + "/nothing", Method: m},
			ziptest.Entry{Name: name + "/site/index.html", Data: page, Method: m},
		)
	}
	entries = append(entries, fsLink("link.html", "stored/lines.txt"), ziptest.Entry{Name: "../secret", Data: []byte("x")})
	z := fsOpen(t, ziptest.Archive{Entries: entries})
	handler := http.FileServerFS(z.FS())
	get := func(t *testing.T, method, path string, header ...string) *http.Response {
		t.Helper()
		req := httptest.NewRequest(method, "http://zip.test"+path, nil)
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, req)
		return rec.Result()
	}
	body := func(t *testing.T, r *http.Response) []byte {
		t.Helper()
		b, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return b
	}
	stamp := when.Format(http.TimeFormat)
	for method := range fsMethods {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			lines := "/" + method + "/lines.txt"
			r := get(t, "GET", lines)
			assert.Equal(t, 200, r.StatusCode)
			assert.Equal(t, stamp, r.Header.Get("Last-Modified"))
			assert.Equal(t, "text/plain; charset=utf-8", r.Header.Get("Content-Type"))
			assert.Equal(t, fmt.Sprint(size), r.Header.Get("Content-Length"))
			assert.True(t, bytes.Equal(content, body(t, r)))
			r = get(t, "HEAD", lines)
			assert.Equal(t, 200, r.StatusCode)
			assert.Equal(t, fmt.Sprint(size), r.Header.Get("Content-Length"))
			assert.Empty(t, body(t, r))
			assert.Equal(t, 304, get(t, "GET", lines, "If-Modified-Since", stamp).StatusCode)

			for _, c := range []struct {
				ask      string
				from, to int
			}{
				{"bytes=0-0", 0, 1},
				{"bytes=5-9", 5, 10},
				{"bytes=100000-300000", 100000, 300001},
				{"bytes=-7", size - 7, size},
				{fmt.Sprintf("bytes=%d-", size-1), size - 1, size},
				{fmt.Sprintf("bytes=10-%d", size+1000), 10, size},
				{fmt.Sprintf("bytes=-%d", size+1000), 0, size},
			} {
				r := get(t, "GET", lines, "Range", c.ask)
				assert.Equal(t, 206, r.StatusCode, c.ask)
				assert.Equal(t, fmt.Sprintf("bytes %d-%d/%d", c.from, c.to-1, size), r.Header.Get("Content-Range"))
				assert.True(t, bytes.Equal(content[c.from:c.to], body(t, r)), c.ask)
				r = get(t, "GET", lines, "Range", c.ask, "If-Range", stamp)
				assert.Equal(t, 206, r.StatusCode, c.ask)
				r = get(t, "GET", lines, "Range", c.ask, "If-Range", when.Add(time.Hour).Format(http.TimeFormat))
				assert.Equal(t, 200, r.StatusCode, c.ask)
				assert.True(t, bytes.Equal(content, body(t, r)))
			}
			r = get(t, "GET", lines, "Range", fmt.Sprintf("bytes=%d-", size))
			assert.Equal(t, 416, r.StatusCode)

			// Several ranges, the later before the earlier.
			r = get(t, "GET", lines, "Range", "bytes=200000-200099,10-19,-5")
			require.Equal(t, 206, r.StatusCode)
			typ, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
			require.NoError(t, err)
			require.Equal(t, "multipart/byteranges", typ)
			parts := multipart.NewReader(r.Body, params["boundary"])
			for _, want := range [][]byte{content[200000:200100], content[10:20], content[size-5:]} {
				p, err := parts.NextPart()
				require.NoError(t, err)
				b, err := io.ReadAll(p)
				require.NoError(t, err)
				assert.Equal(t, string(want), string(b))
			}
			_, err = parts.NextPart()
			assert.Equal(t, io.EOF, err)

			// Without an extension the type is told by the first bytes, and all bytes follow.
			for name, want := range map[string]string{"page": "text/html; charset=utf-8", "pdf": "application/pdf", "nothing": "text/plain; charset=utf-8"} {
				r := get(t, "GET", "/"+method+"/"+name)
				assert.Equal(t, 200, r.StatusCode, name)
				assert.Equal(t, want, r.Header.Get("Content-Type"), name)
				e, _ := z.Lookup(method + "/" + name)
				b, err := e.ReadAll()
				require.NoError(t, err)
				assert.Equal(t, string(b), string(body(t, r)), name)
			}
			r = get(t, "GET", "/"+method+"/page", "Range", "bytes=2-5")
			assert.Equal(t, "text/html; charset=utf-8", r.Header.Get("Content-Type"))
			assert.Equal(t, string(page[2:6]), string(body(t, r)))

			assert.Equal(t, 301, get(t, "GET", "/"+method+"/site").StatusCode)
			assert.Equal(t, string(page), string(body(t, get(t, "GET", "/"+method+"/site/"))))
			assert.Contains(t, string(body(t, get(t, "GET", "/"+method+"/"))), `<a href="lines.txt">`)
			assert.Equal(t, 404, get(t, "GET", "/"+method+"/none").StatusCode)
		})
	}
	t.Run("others", func(t *testing.T) {
		t.Parallel()
		r := get(t, "GET", "/link.html")
		assert.Equal(t, "text/html; charset=utf-8", r.Header.Get("Content-Type"), "by the name that was asked for")
		assert.True(t, bytes.Equal(content, body(t, r)))
		assert.NotContains(t, string(body(t, get(t, "GET", "/"))), "secret")
		assert.Equal(t, 404, get(t, "GET", "/../secret").StatusCode)

		srv := httptest.NewServer(handler)
		defer srv.Close()
		for method := range fsMethods {
			res, err := srv.Client().Get(srv.URL + "/" + method + "/lines.txt")
			require.NoError(t, err)
			assert.True(t, bytes.Equal(content, body(t, res)))
			require.NoError(t, res.Body.Close())
		}
	})
}

// TestFSBeyond4G: places and sizes that need more than 32 bits.
func TestFSBeyond4G(t *testing.T) {
	t.Parallel()
	const size = 5<<30 + 3
	img := ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "large.bin", Data: []byte("abc"), Zeros: size - 3},
		{Name: "after", Data: fsLines(100), Method: ziptest.Deflate},
		{Name: "packed", Zeros: 3 << 30, Method: ziptest.Deflate},
	}}.Build()
	z, err := zipfile.New(backend.ReaderAt(img, img.Size()), nil)
	require.NoError(t, err)
	defer z.Close()
	f, s := fsSeekable(t, z.FS(), "large.bin")
	defer f.Close()
	end, err := s.Seek(-2, io.SeekEnd)
	require.NoError(t, err)
	assert.Equal(t, int64(size-2), end)
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	assert.Equal(t, []byte{0, 0}, b)
	n, err := f.(io.ReaderAt).ReadAt(make([]byte, 10), size-4)
	assert.Equal(t, 4, n)
	assert.Equal(t, io.EOF, err)
	b, err = fs.ReadFile(z.FS(), "after")
	require.NoError(t, err)
	assert.Equal(t, fsLines(100), b)

	req := httptest.NewRequest("GET", "/large.bin", nil)
	req.Header.Set("Range", "bytes=1-3")
	rec := httptest.NewRecorder()
	http.FileServerFS(z.FS()).ServeHTTP(rec, req)
	assert.Equal(t, 206, rec.Code)
	assert.Equal(t, fmt.Sprintf("bytes 1-3/%d", int64(size)), rec.Header().Get("Content-Range"))
	assert.Equal(t, "bc\x00", rec.Body.String())

	if math.MaxInt == math.MaxInt32 { // it does not fit into a slice
		_, err = fs.ReadFile(z.FS(), "packed")
		assert.ErrorIs(t, err, zipfile.ErrLimit)
	}
}

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"zipcat.dev/zipfile"
)

const (
	// inMemory is the size in bytes up to which an entry is decoded and checked before anything of it
	// is sent. Of a larger one ranges are decoded from its start, in bounded memory.
	inMemory = 4 << 20
	// headSize is how many bytes of an entry are looked at to tell what they are.
	headSize = 4 << 10
	// maxRanges is how many ranges of a large compressed entry are sent for one request: each may
	// cost decoding it from its start.
	maxRanges = 8
)

// file serves an entry.
func (s *server) file(w http.ResponseWriter, r *http.Request, name string, info fs.FileInfo) {
	e := info.Sys().(zipfile.Entry)
	h := w.Header()
	gzipped := false
	if mayGzip(e) {
		h.Set("Vary", "Accept-Encoding")
		gzipped = r.Header.Get("Range") == "" && acceptsGzip(r.Header.Values("Accept-Encoding")) && s.gzipSound(e)
	}
	etag := entryTag(e, gzipped)
	if !crcTells(e) {
		etag = "" // AE-2 has no CRC-32
	}
	if etag != "" && noneMatch(r.Header.Values("If-None-Match"), etag) {
		h.Set("ETag", etag)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	b, head, err := s.content(r.Context(), e, name, gzipped)
	if err != nil && r.Context().Err() != nil {
		return // the client is gone
	}
	if err != nil {
		s.entryFailed(w, e, err)
		return
	}
	defer b.Close()
	if etag != "" {
		h.Set("ETag", etag)
	}
	h.Set("Content-Type", contentType(name, head))
	if gzipped {
		h.Set("Content-Encoding", "gzip")
		h.Set("Content-Length", strconv.FormatInt(b.size, 10)) // ServeContent leaves it out
	}
	if e.Size() > inMemory && (e.Method() != zipfile.Store || e.Encrypted()) && strings.Count(r.Header.Get("Range"), ",") >= maxRanges {
		r = r.Clone(r.Context())
		r.Header.Del("Range") // which a server may ignore
	}
	modified := e.ModifiedIn(time.Local)
	if modified.After(time.Now()) {
		modified = time.Time{} // RFC 9110, 8.8.2.1: no Last-Modified is in the future
	}
	http.ServeContent(w, r, "", modified, b)
	if err := b.failure(); err != nil {
		s.tell(e, err)
		panic(http.ErrAbortHandler) // the client must not take half an entry for a whole one
	}
}

// content gives what to send of an entry, and the first bytes of its contents.
func (s *server) content(ctx context.Context, e zipfile.Entry, name string, gzipped bool) (b *body, head []byte, err error) {
	if !gzipped && e.Size() <= inMemory {
		if err := s.memory.Acquire(ctx, e.Size()); err != nil {
			return nil, nil, err
		}
		release := closerFunc(func() error { s.memory.Release(e.Size()); return nil })
		data, err := e.ReadAll()
		if err != nil {
			release()
			return nil, nil, err
		}
		return &body{r: bytes.NewReader(data), closer: release, size: e.Size()}, data[:min(len(data), headSize)], nil
	}
	release, err := memoryFor(ctx, e, s.heavy)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if b == nil {
			release()
		} else {
			b.release = release
		}
	}()
	// The head tells early what fails later: a local header or a method, a password, a limit.
	if head, err = entryHead(e); err != nil {
		return nil, nil, err
	}
	if gzipped {
		r, err := newGzipReader(e)
		if err != nil {
			return nil, nil, err
		}
		return &body{r: r, size: r.Size()}, head, nil
	}
	f, err := s.fs.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return &body{r: f.(io.ReadSeeker), closer: f, size: e.Size()}, head, nil
}

type closerFunc func() error

func (f closerFunc) Close() error { return f() }

// entryHead returns the first bytes of an entry.
func entryHead(e zipfile.Entry) ([]byte, error) {
	r, err := e.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	head := make([]byte, min(e.Size(), headSize))
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	return head, nil
}

// body is what is sent. It keeps the error of reading, which http.ServeContent drops, and gives the last
// bytes only once the end is confirmed: there the CRC-32 of what is read straight through is checked.
// ServeContent may leave a goroutine behind that reads on for a moment.
type body struct {
	mu      sync.Mutex
	r       io.ReadSeeker
	closer  io.Closer
	release func() // of memory, nil for none
	size    int64
	pos     int64
	err     error
}

var errBodyLonger = errors.New("more bytes than the directory declares")

func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.r == nil {
		return 0, fs.ErrClosed
	}
	n, err := b.r.Read(p)
	b.pos += int64(n)
	if err == nil && n > 0 && b.pos >= b.size {
		var one [1]byte
		if more, end := b.r.Read(one[:]); more > 0 {
			err = errBodyLonger
		} else {
			err = end
		}
	}
	if err != nil && err != io.EOF {
		b.err = err
		return 0, err
	}
	return n, err
}

func (b *body) Seek(offset int64, whence int) (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.r == nil {
		return 0, fs.ErrClosed
	}
	pos, err := b.r.Seek(offset, whence)
	if err == nil {
		b.pos = pos
	}
	return pos, err
}

func (b *body) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.r = nil
	if b.release != nil {
		b.release()
		b.release = nil
	}
	if b.closer != nil {
		return b.closer.Close()
	}
	return nil
}

func (b *body) failure() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// entryTag is the strong entity tag of an entry's contents, or of them in gzip: those are other bytes,
// which RFC 9110, 8.8.3.3, wants to have another one.
func entryTag(e zipfile.Entry, gzipped bool) string {
	if gzipped {
		return fmt.Sprintf(`"%08x-%d-gzip"`, e.CRC32(), e.Size())
	}
	return fmt.Sprintf(`"%08x-%d"`, e.CRC32(), e.Size())
}

// noneMatch tells whether If-None-Match holds an entity tag, compared as RFC 9110, 13.1.2, has it.
// http.ServeContent does that too, but wants the contents first.
func noneMatch(values []string, etag string) bool {
	for _, value := range values {
		for tag := range strings.SplitSeq(value, ",") {
			tag = strings.TrimSpace(tag)
			if tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
				return true
			}
		}
	}
	return false
}

// The data of an entry of method Deflate are those of a gzip file (RFC 1952) of one member without
// its header and trailer. The content coding "deflate" would be zlib's form (RFC 9110, 8.4.1.2),
// whose checksum an archive does not have.
const (
	gzipHeader  = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" // no name, no time, unknown system
	gzipTrailer = 8
)

// mayGzip tells whether an entry can be sent as it is stored.
func mayGzip(e zipfile.Entry) bool {
	return e.Method() == zipfile.Deflate && !e.Encrypted() && e.Size() <= math.MaxUint32 &&
		e.CompressedSize()+int64(len(gzipHeader))+gzipTrailer < e.Size()
}

// newGzipReader gives an entry in the form of a gzip file.
func newGzipReader(e zipfile.Entry) (*io.SectionReader, error) {
	raw, err := e.OpenRaw()
	if err != nil {
		return nil, err
	}
	trailer := make([]byte, 0, gzipTrailer)
	trailer = binary.LittleEndian.AppendUint32(trailer, e.CRC32())
	trailer = binary.LittleEndian.AppendUint32(trailer, uint32(e.Size()))
	parts := joined{strings.NewReader(gzipHeader), raw.(*io.SectionReader), bytes.NewReader(trailer)}
	size := int64(0)
	for _, p := range parts {
		size += p.Size()
	}
	return io.NewSectionReader(parts, 0, size), nil
}

// joined is parts one behind the other.
type joined []interface {
	io.ReaderAt
	Size() int64
}

func (j joined) ReadAt(p []byte, off int64) (n int, err error) {
	for _, part := range j {
		if off >= part.Size() {
			off -= part.Size()
			continue
		}
		m, err := part.ReadAt(p[n:min(int64(len(p)), int64(n)+part.Size()-off)], off)
		n, off = n+m, 0
		if n == len(p) {
			return n, nil
		}
		if err != nil && err != io.EOF {
			return n, err
		}
	}
	return n, io.EOF
}

// gzipSound tells whether an entry is a sound gzip file as it is stored: it may be damaged, or have
// bytes after its end. Browsers do not look at the CRC-32 of a gzip file, so that it is done here, once
// for each entry. Those that are larger are left to the client, as most others check it.
func (s *server) gzipSound(e zipfile.Entry) bool {
	if e.Size() > inMemory {
		return true
	}
	s.mu.Lock()
	known := s.sound.has(e)
	s.mu.Unlock()
	if known {
		return true
	}
	r, err := newGzipReader(e)
	if err != nil {
		return false
	}
	z, err := gzip.NewReader(r)
	if err != nil {
		return false
	}
	n, err := io.Copy(io.Discard, io.LimitReader(z, e.Size()+1))
	if err != nil || n != e.Size() {
		return false
	}
	s.mu.Lock()
	s.sound.add(e)
	s.mu.Unlock()
	return true
}

// acceptsGzip tells whether Accept-Encoding takes gzip, at least as gladly as no coding where that is
// named (RFC 9110, 12.5.3).
func acceptsGzip(values []string) bool {
	gz, any, identity := -1.0, -1.0, -1.0
	for _, value := range values {
		for item := range strings.SplitSeq(value, ",") {
			coding, params, _ := strings.Cut(item, ";")
			q := 1.0
			for param := range strings.SplitSeq(params, ";") {
				if key, v, ok := strings.Cut(strings.TrimSpace(param), "="); ok && strings.EqualFold(key, "q") {
					var err error
					if q, err = strconv.ParseFloat(v, 64); err != nil || !(q >= 0 && q <= 1) {
						q = 0
					}
				}
			}
			switch strings.ToLower(strings.TrimSpace(coding)) {
			case "gzip", "x-gzip":
				gz = max(gz, q)
			case "identity":
				identity = q
			case "*":
				any = q
			}
		}
	}
	if gz < 0 {
		gz = any
	}
	return gz > 0 && gz >= identity
}

// contentTypes are those of the names in archives that a browser is likely to meet, so that
// the machine's own tables, which differ, do not matter for them. What a person reads is plain text:
// browsers do not show text/markdown.
var contentTypes = sync.OnceValue(func() map[string]string {
	return map[string]string{
		".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml",
		".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript",
		".json": "application/json", ".map": "application/json", ".webmanifest": "application/manifest+json",
		".xml": "application/xml", ".xsd": "application/xml", ".xsl": "application/xml", ".pom": "application/xml", ".tld": "application/xml",
		".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
		".webp": "image/webp", ".avif": "image/avif", ".bmp": "image/bmp", ".ico": "image/x-icon",
		".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf", ".otf": "font/otf", ".eot": "application/vnd.ms-fontobject",
		".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".wav": "audio/wav", ".flac": "audio/flac", ".m4a": "audio/mp4",
		".mp4": "video/mp4", ".webm": "video/webm",
		".pdf": "application/pdf", ".wasm": "application/wasm",
		".class": "application/java-vm", ".jar": "application/java-archive", ".war": "application/java-archive", ".ear": "application/java-archive",
		".zip": "application/zip", ".gz": "application/gzip", ".so": "application/octet-stream", ".dll": "application/octet-stream",
		".txt": "text/plain", ".text": "text/plain", ".md": "text/plain", ".rst": "text/plain", ".adoc": "text/plain", ".log": "text/plain",
		".java": "text/plain", ".kt": "text/plain", ".scala": "text/plain", ".groovy": "text/plain", ".gradle": "text/plain",
		".go": "text/plain", ".py": "text/plain", ".c": "text/plain", ".h": "text/plain", ".rs": "text/plain", ".ts": "text/plain",
		".sh": "text/plain", ".bat": "text/plain", ".sql": "text/plain", ".dtd": "text/plain",
		".mf": "text/plain", ".sf": "text/plain", ".properties": "text/plain", ".yaml": "text/plain", ".yml": "text/plain",
		".toml": "text/plain", ".ini": "text/plain", ".conf": "text/plain", ".cfg": "text/plain", ".csv": "text/plain", ".tsv": "text/plain",
	}
})

// contentType tells what a file is by its name, or else by its first bytes.
func contentType(name string, head []byte) string {
	ext := strings.ToLower(path.Ext(name))
	typ := contentTypes()[ext]
	if typ == "" {
		typ = mime.TypeByExtension(ext)
	}
	if typ == "" {
		typ = http.DetectContentType(head)
	}
	typ, _, _ = strings.Cut(typ, ";")
	if strings.HasPrefix(typ, "text/") && likelyUTF8(typ, head) {
		typ += "; charset=utf-8"
	}
	return typ
}

// likelyUTF8 tells whether a text should be called UTF-8. One that says itself what it is in is left to do
// so: the header would have precedence.
func likelyUTF8(typ string, head []byte) bool {
	switch typ {
	case "text/html":
		if bytes.Contains(bytes.ToLower(head), []byte("charset=")) {
			return false
		}
	case "text/css":
		if bytes.HasPrefix(head, []byte("@charset ")) {
			return false
		}
	}
	for i := 1; i < utf8.UTFMax && i <= len(head) && len(head) == headSize; i++ {
		if last := head[len(head)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				head = head[:len(head)-i]
			}
			break
		}
	}
	return utf8.Valid(head) && !bytes.ContainsAny(head, "\x00\x1b") // ISO-2022 has escapes
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/semaphore"

	"zipcat.dev/zipfile"
)

func (a *app) serve() *cobra.Command {
	var addr string
	var logging bool
	cmd := &cobra.Command{
		Use:   "serve ARCHIVE",
		Short: "Serve an archive over HTTP, for a browser",
		Long: `Serve the entries of an archive over HTTP until interrupted: a Javadoc jar opens in
the browser. The URL is printed, one line, as soon as it can be used.

A directory shows its index.html, or else a list of what it holds. Entries that
are compressed by Deflate are sent as they are stored to clients that take gzip.
Only this machine is served unless --addr says otherwise. Scripts in the archive
run in the browser, as they do on any web site.`,
		Example: `  zipcat serve foo-javadoc.jar
  zipcat serve --addr 127.0.0.1:8080 'app.war!/docs.zip'`,
		Args: needs("ARCHIVE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("unexpected argument %q: one ARCHIVE is served", args[1])
			}
			if _, err := strconv.ParseUint(addr, 10, 16); err == nil { // a port alone
				addr = net.JoinHostPort("127.0.0.1", addr)
			}
			host, _, err := net.SplitHostPort(addr)
			if err != nil {
				return fmt.Errorf("invalid argument %q for \"--addr\" flag: host:port is needed, port 0 for any", addr)
			}
			ar := a.open(args[0])
			if ar == nil {
				return nil
			}
			defer ar.Close()
			l, err := net.Listen("tcp", addr)
			if err != nil {
				a.say.noListen(addr, err)
				a.exit.note(exitOutput)
				return nil
			}
			s := newServer(a, ar)
			s.host, s.logging = host, logging
			s.run(l)
			return nil
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "listen on `host:port`, or on a port of 127.0.0.1; port 0 is one that is\nfree, :port is all addresses of this machine")
	cmd.Flags().BoolVar(&logging, "log", false, "print a line for each request to standard error")
	return cmd
}

// gracePeriod is how long requests in progress may take after an interrupt.
const gracePeriod = 3 * time.Second

const (
	// maxDecoded is how many bytes of decoded entries are in memory at a time, for all requests.
	maxDecoded = 64 << 20
	// stalled is how long a client may take to take what it asked for, a piece at a time.
	stalled = 30 * time.Second
)

// patient is a response that ends when its client takes nothing any more.
type patient struct {
	http.ResponseWriter
	c *http.ResponseController
}

func (p *patient) Write(b []byte) (int, error) {
	p.c.SetWriteDeadline(time.Now().Add(stalled)) // not all writers know deadlines
	return p.ResponseWriter.Write(b)
}

func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// server serves an archive.
type server struct {
	*app
	ar      *archive
	fs      fs.FS
	host    string // as on the command line
	local   bool   // listens on a loopback address
	logging bool
	noPaths func() []string // names of entries that cannot be asked for

	memory *semaphore.Weighted // for decoded entries, in bytes
	heavy  *semaphore.Weighted // for decoders that take much, in bytes

	mu    sync.Mutex // for what follows, and app.say
	told  set        // entries that were said to be damaged
	sound set        // entries that can be sent as they are stored
}

func newServer(a *app, ar *archive) *server {
	words := (ar.Len() + 63) / 64
	files := ar.FS()
	if ar.view != nil {
		files = ar.view.FS()
	}
	return &server{app: a, ar: ar, fs: files, memory: semaphore.NewWeighted(maxDecoded), heavy: semaphore.NewWeighted(heavyDecoding), told: make(set, words), sound: make(set, words),
		noPaths: sync.OnceValue(func() []string { return noPaths(ar.ZipFile) })}
}

// run serves until it is interrupted; a second interrupt ends the command at once.
func (s *server) run(l net.Listener) {
	ctx, stop := interruptible()
	defer stop()
	at := l.Addr().(*net.TCPAddr).AddrPort()
	s.local = at.Addr().IsLoopback()
	srv := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second, // with the body, which is not used
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(writerFunc(s.serverError), "", 0),
	}
	// Clients are waiting in l, which listens already. From Serve on s.mu is needed to say something.
	if !s.local {
		s.say.reachable()
	}
	fmt.Fprintln(s.out, serverURL(at))
	if s.out.Flush(); s.out.failed() {
		l.Close()
		return
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.say.noListen(at.String(), err)
		s.exit.note(exitOutput)
	case <-ctx.Done():
		ctx, cancel := context.WithTimeout(context.Background(), gracePeriod)
		defer cancel()
		if srv.Shutdown(ctx) != nil {
			srv.Close()
		}
	}
}

// serverURL is where a browser on this machine finds the server.
func serverURL(at netip.AddrPort) string {
	host := at.String()
	if at.Addr().IsUnspecified() {
		host = fmt.Sprintf("localhost:%d", at.Port())
	}
	return "http://" + host + "/"
}

func (s *server) serverError(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.say.errorf("%s", strings.TrimSpace(string(p)))
	return len(p), nil
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.logging {
		lw := &loggedWriter{ResponseWriter: w}
		start := time.Now()
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.say.request(r.Method, r.URL.RequestURI(), cmp.Or(lw.status, http.StatusOK), lw.n, time.Since(start))
		}()
		w = lw
	}
	w = &patient{w, http.NewResponseController(w)}
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache") // stored, but asked about each time: another archive may be served here tomorrow
	switch {
	case s.local && !s.knownHost(r.Host):
		fail(w, http.StatusForbidden, "this server is for this machine, as localhost")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		fail(w, http.StatusMethodNotAllowed, "only GET and HEAD are served")
	default:
		s.path(w, r)
	}
}

// knownHost tells whether a Host header names this machine. A web site whose name was made to lead
// here (DNS rebinding) sends its own name, and could read everything. The port does not matter, as it
// is another one where it is forwarded.
func (s *server) knownHost(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || s.host != "" && strings.EqualFold(host, s.host) {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}

// path serves what stands at the path of the request.
func (s *server) path(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutPrefix(r.URL.Path, "/")
	name, slash := strings.CutSuffix(name, "/")
	if name == "" && !slash {
		name, slash = ".", true
	}
	if !ok || !fs.ValidPath(name) || name == "." && r.URL.Path != "/" {
		notFound(w)
		return
	}
	info, err := fs.Stat(s.fs, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		notFound(w)
	case err != nil: // a link on the way cannot be read
		fail(w, http.StatusInternalServerError, entryErrorText(err))
	case !info.IsDir() && !info.Mode().IsRegular(): // a link that leads nowhere, a device
		notFound(w)
	case info.IsDir() != slash:
		redirect(w, r, name, info.IsDir())
	case !info.IsDir():
		s.file(w, r, name, info)
	default:
		index := strings.TrimPrefix(name+"/index.html", "./")
		if info, err := fs.Stat(s.fs, index); err == nil && info.Mode().IsRegular() {
			s.file(w, r, index, info)
			return
		}
		s.directory(w, name)
	}
}

// redirect sends the client to the path of a file or a directory, which ends in a slash. A valid path
// has no empty elements, so that the target does not begin with two slashes, which would be a host.
func redirect(w http.ResponseWriter, r *http.Request, name string, dir bool) {
	to := url.URL{Path: "/" + name, RawQuery: r.URL.RawQuery}
	if dir {
		to.Path += "/"
	}
	w.Header().Set("Location", to.String())
	w.WriteHeader(http.StatusTemporaryRedirect)
}

func notFound(w http.ResponseWriter) { fail(w, http.StatusNotFound, "there is no such entry") }

// fail answers with a line of text.
func fail(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	io.WriteString(w, safeText(text)+"\n")
}

// entryFailed answers for an entry that cannot be read.
func (s *server) entryFailed(w http.ResponseWriter, e zipfile.Entry, err error) {
	s.tell(e, err)
	text := entryErrorText(err)
	switch zipfile.ErrorKind(err) {
	case "password":
		if s.flags.password == "" {
			text = "this entry is encrypted: a password is needed (zipcat serve --password)"
		}
		fail(w, http.StatusForbidden, text)
	case "limit":
		fail(w, http.StatusForbidden, text)
	default:
		fail(w, http.StatusInternalServerError, text)
	}
}

// tell says on standard error that an entry failed, once: browsers ask again.
func (s *server) tell(e zipfile.Entry, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.told.has(e) {
		s.told.add(e)
		s.say.entry(s.ar.name, e.Name(), err)
	}
}

// loggedWriter notes what is answered.
type loggedWriter struct {
	http.ResponseWriter
	status int
	n      int64
}

func (w *loggedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *loggedWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *loggedWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.n += int64(n)
	return n, err
}

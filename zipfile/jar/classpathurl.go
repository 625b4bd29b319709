package jar

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fileURL is a java.net.URL of scheme file. Its path is percent-encoded.
type fileURL struct{ host, path, query string }

// urlOf returns the URL of a file, as sun.net.www.ParseUtil.fileToEncodedURL does. The path is absolute.
func urlOf(file string) fileURL {
	p := filepath.ToSlash(file)
	if !strings.HasPrefix(p, "/") { // C:/x
		p = "/" + p
	}
	return fileURL{path: (&url.URL{Path: p}).EscapedPath()}
}

// classPathSpec is an element of a Class-Path attribute, taken apart as the constructor of java.net.URL does.
type classPathSpec struct {
	host, path, query string
	hasHost           bool // two slashes stand before
	otherScheme       bool // of which a JVM opens nothing
}

// badURLError is a URL for which java.net.URL has a MalformedURLException.
type badURLError struct{ text string }

func (e *badURLError) Error() string {
	return e.text + ", for which a JVM does not use the archive that names it"
}

// otherSchemes are those that java.base knows besides file. They are of no use in a Class-Path.
var otherSchemes = []string{"http", "https", "ftp", "jar", "jrt", "jmod", "mailto"}

// parseSpec takes an element of a Class-Path attribute apart. Its error is a *badURLError. A colon before any
// slash ends a scheme, where what stands before can be one.
func parseSpec(ref string) (s classPathSpec, err error) {
	ref = strings.TrimFunc(ref, func(r rune) bool { return r <= ' ' })
	if len(ref) >= 4 && strings.EqualFold(ref[:4], "url:") {
		ref = ref[4:]
	}
	if i := strings.IndexAny(ref, ":/"); i > 0 && ref[i] == ':' && ref[0] != '#' && isScheme(ref[:i]) {
		scheme := ref[:i]
		ref = ref[i+1:]
		if !strings.EqualFold(scheme, "file") {
			s.otherScheme = true
			if err = checkOther(strings.ToLower(scheme), ref); err != nil || strings.EqualFold(scheme, "jar") {
				return s, err
			}
		}
	}
	ref, _, _ = strings.Cut(ref, "#")
	s.path = ref
	if i := strings.IndexByte(ref, '?'); i >= 0 {
		s.path, s.query = ref[:i], ref[i:]
	}
	if strings.HasPrefix(s.path, "//") && !strings.HasPrefix(s.path, "////") {
		authority := s.path[2:]
		if i := strings.IndexByte(authority, '/'); i >= 0 {
			authority, s.path = authority[:i], authority[i:]
		} else {
			s.path = ""
		}
		s.hasHost = true
		s.host, err = hostOf(authority)
	}
	return s, err
}

// isScheme is java.net.URL.isValidProtocol.
func isScheme(s string) bool {
	for i, r := range s {
		if !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r) && !strings.ContainsRune(".+-", r)) {
			return false
		}
	}
	return s != ""
}

// checkOther checks a URL of another scheme.
func checkOther(scheme, rest string) error {
	known := false
	for _, s := range otherSchemes {
		known = known || s == scheme
	}
	if !known {
		return &badURLError{"URL of the unknown scheme " + quoted(clip(scheme))}
	}
	if scheme != "jar" {
		return nil
	}
	inner, _, ok := strings.Cut(rest, nestedSep)
	i := strings.IndexByte(inner, ':')
	if !ok || i < 0 || !isScheme(inner[:i]) || strings.EqualFold(inner[:i], "jar") {
		return &badURLError{"damaged URL of scheme jar"}
	}
	if !strings.EqualFold(inner[:i], "file") {
		return checkOther(strings.ToLower(inner[:i]), inner[i+1:])
	}
	return nil
}

// hostOf returns the host of an authority (java.net.URLStreamHandler.parseURL).
func hostOf(authority string) (string, error) {
	host := authority
	if i := strings.IndexByte(authority, '@'); i >= 0 {
		if strings.Count(authority, "@") > 1 {
			return "", nil
		}
		host = authority[i+1:]
	}
	bad := &badURLError{"URL with the bad authority " + quoted(clip(authority))}
	port, hasPort := "", false
	if strings.HasPrefix(host, "[") {
		inside, rest, ok := strings.Cut(host[1:], "]")
		address, err := netip.ParseAddr(inside)
		if !ok || err != nil || !address.Is6() || rest != "" && rest[0] != ':' {
			return "", bad
		}
		host, port, hasPort = "["+inside+"]", strings.TrimPrefix(rest, ":"), rest != ""
	} else {
		host, port, hasPort = strings.Cut(host, ":")
	}
	if hasPort && port != "" {
		if n, err := strconv.ParseInt(port, 10, 32); err != nil || n < -1 {
			return "", bad
		}
	}
	return host, nil
}

// errNoFileURL is the error for URLs that a JVM leaves out.
var errNoFileURL = errors.New("not a URL of a file")

// resolve returns the URL that an element of a Class-Path attribute is for an archive that is at u.
func (u fileURL) resolve(s classPathSpec) (fileURL, error) {
	if s.otherScheme {
		return fileURL{}, errNoFileURL
	}
	v := fileURL{host: u.host, path: u.path, query: s.query}
	if s.hasHost {
		v.host = s.host
		if s.host != "" {
			v.path = ""
		}
	}
	dir := v.path[:strings.LastIndexByte(v.path, '/')+1]
	switch {
	case strings.HasPrefix(s.path, "/"):
		v.path = s.path
	case s.path != "":
		v.path = withoutDots(dir + s.path)
	case s.query != "":
		v.path = dir
	default:
		v.query = u.query
	}
	return v, nil
}

// withoutDots takes . and .. out of a path that begins with a slash, but not those .. that lead above the root.
func withoutDots(p string) string {
	if !strings.Contains(p, "/.") {
		return p
	}
	list := strings.Split(p, "/")
	kept := list[:0]
	for i, part := range list {
		last := i == len(list)-1
		switch {
		case part == "..":
			if n := len(kept); n > 1 && kept[n-1] != ".." {
				kept = kept[:n-1]
			} else {
				kept = append(kept, part)
			}
		case part != ".":
			kept = append(kept, part)
			continue
		}
		if last {
			kept = append(kept, "")
		}
	}
	return strings.Join(kept, "/")
}

// file returns the file that a URL is of, and whether it is a directory, which ends in a slash. A query is
// part of its name. Only directories can be on other hosts, as OpenJDK does not look at theirs.
func (u fileURL) file() (name string, dir bool, err error) {
	encoded := u.path + u.query
	dir = strings.HasSuffix(encoded, "/")
	if u.host != "" && !strings.EqualFold(u.host, "localhost") && !dir {
		return "", false, fmt.Errorf("%w of this host", errNoFileURL)
	}
	p, err := url.PathUnescape(encoded)
	switch {
	case err != nil:
		return "", false, err
	case !utf8.ValidString(p):
		return "", false, errors.New("not UTF-8")
	case strings.ContainsRune(p, 0):
		return "", false, errors.New("NUL byte")
	}
	if local := filepath.FromSlash(strings.TrimPrefix(p, "/")); filepath.VolumeName(local) != "" {
		p = local // C:\x
	}
	return trimSlashes(filepath.FromSlash(p)), dir, nil
}

// trimSlashes leaves out the slashes at the end of a path, but for the root.
func trimSlashes(p string) string {
	for len(p) > len(filepath.VolumeName(p))+1 && (p[len(p)-1] == '/' || p[len(p)-1] == filepath.Separator) {
		p = p[:len(p)-1]
	}
	return p
}

// canonical returns the path of a file as java.io.File.getCanonicalPath does: absolute, and without links. Where
// there is no such file it is only absolute.
func canonical(file string) string {
	abs, err := filepath.Abs(file)
	if err != nil {
		return filepath.Clean(file)
	}
	long := file
	if !filepath.IsAbs(file) { // Abs takes x/.. away, where x may be a link
		wd, err := filepath.Abs(".")
		if err != nil {
			return abs
		}
		long = wd + string(filepath.Separator) + file
	}
	if real, err := filepath.EvalSymlinks(long); err == nil {
		return real
	}
	return abs
}

package jar

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// location is where a path into archives leads: a file, and what is in it.
type location struct {
	file  string
	inner string // parts separated by nestedSep; empty: the file itself
	raw   string // inner as it stands in a URL, percent signs and all
}

// locate splits a path or a URL into the file and what is in it. It looks into the file system for
// which part is the file.
func locate(p string) (location, error) {
	rest, isJar := p, false
	for { // jar:jar:file:x!/y!/, as Apache Commons VFS writes them
		r, ok := cutScheme(rest, "jar")
		if !ok {
			break
		}
		rest, isJar = r, true
	}
	var file, raw string
	var err error
	if r, ok := cutScheme(rest, "file"); ok {
		file, raw, err = splitAtFile(r, nestedSep, urlFile)
	} else if r, ok := cutScheme(rest, "nested"); ok {
		sep := springSep
		if !strings.Contains(r, springSep) {
			sep = nestedSep
		}
		file, raw, err = splitAtFile(r, sep, urlFile)
	} else if isJar {
		return location{}, &fs.PathError{Op: "open", Path: p, Err: errors.New("not a URL of a file: after \"jar:\" one of \"file:\" or \"nested:\" is expected")}
	} else {
		file, raw, err = splitAtFile(p, nestedSep, filePath)
		return location{file: file, inner: raw, raw: raw}, err
	}
	if err != nil {
		return location{}, err
	}
	l := location{file: file, inner: raw, raw: raw}
	if s, err := url.PathUnescape(raw); err == nil {
		l.inner = s
	}
	return l, nil
}

// springSep separates the file from the entry in nested: URLs of Spring Boot 3.2 and later
// (org.springframework.boot.loader.net.protocol.nested.NestedLocation).
const springSep = "/!"

// cutScheme cuts the scheme off a URL, in any letter case (RFC 3986, 3.1).
func cutScheme(p, scheme string) (string, bool) {
	if len(p) > len(scheme) && p[len(scheme)] == ':' && strings.EqualFold(p[:len(scheme)], scheme) {
		return p[len(scheme)+1:], true
	}
	return p, false
}

// splitAtFile splits p at the first separator whose left side is a file that is no directory; without one
// all of p is the name of a file. A name that goes on behind a separator has the bytes up to the first
// of them as a directory: where that is not there, nothing longer is, so that a path of very many
// separators costs two looks at the file system.
func splitAtFile(p, sep string, toFile func(string) (string, error)) (file, inner string, err error) {
	stat := func(s string) (string, fs.FileInfo, error) {
		name, err := toFile(s)
		if err != nil {
			return "", nil, &fs.PathError{Op: "open", Path: p, Err: err}
		}
		st, err := os.Stat(name)
		return name, st, err
	}
	for i := 0; ; i += len(sep) {
		j := strings.Index(p[i:], sep)
		if j < 0 {
			break
		}
		i += j
		name, st, err := stat(p[:i])
		if err == nil && !st.IsDir() {
			return name, p[i+len(sep):], nil
		}
		if _, further, _ := stat(p[:i+1]); further == nil || !further.IsDir() {
			if err == nil {
				err = &fs.PathError{Op: "open", Path: name, Err: errIsDirectory}
			}
			return "", "", err
		}
	}
	if file, err = toFile(p); err != nil {
		return "", "", &fs.PathError{Op: "open", Path: p, Err: err}
	}
	return file, "", nil
}

// filePath is for paths that are no URLs: they are the file.
func filePath(p string) (string, error) { return p, nil }

// urlFile returns the file that a URL of scheme file or nested names, of which p is what follows the scheme.
func urlFile(p string) (string, error) { return fileOfURL(p, filepath.Separator == '\\') }

// fileOfURL is urlFile for a system (RFC 8089; /C:/x and //server/share/x on Windows).
func fileOfURL(p string, windows bool) (string, error) {
	host := ""
	if after, ok := strings.CutPrefix(p, "//"); ok {
		slash := strings.IndexByte(after, '/')
		if slash < 0 {
			return "", fmt.Errorf("no path in the URL of a file")
		}
		host, p = after[:slash], after[slash:]
	}
	p, err := url.PathUnescape(p)
	if err != nil {
		return "", err
	}
	if strings.ContainsRune(p, 0) {
		return "", fmt.Errorf("NUL byte")
	}
	if host == "" || strings.EqualFold(host, "localhost") {
		host = ""
	} else if !windows {
		return "", fmt.Errorf("a file of host %s: expected one of this machine", quoted(clip(host)))
	}
	if !windows {
		return p, nil
	}
	if host != "" {
		p = "//" + host + p
	} else if drive := strings.TrimLeft(p, "/"); len(drive) >= 2 && drive[1] == ':' && isLetter(drive[0]) {
		p = drive // as NestedLocation does
	}
	return strings.ReplaceAll(p, "/", `\`), nil
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// clip cuts a path to what fits in a message.
func clip(p string) string {
	const most = 300
	if len(p) <= most {
		return p
	}
	return p[:most/2] + "..." + p[len(p)-most/2:]
}

package main

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// pathOfURL gives the path that a URL means, as a JVM prints them: file:/a.jar, jar:file:/a.jar!/b.jar!/C.class
// and Spring Boot's jar:nested:/a.jar/!b.jar!/C.class. What is none of these, or is the name of a file, stays
// as it is.
func pathOfURL(name string) string {
	rest := strings.TrimPrefix(name, "jar:")
	rest, isFile := strings.CutPrefix(rest, "file:")
	isNested := false
	if !isFile {
		rest, isNested = strings.CutPrefix(rest, "nested:")
	}
	if !isFile && !isNested {
		return name
	}
	if _, err := os.Lstat(name); err == nil {
		return name
	}
	if host, ok := strings.CutPrefix(rest, "//"); ok {
		if host = strings.TrimPrefix(host, "localhost"); !strings.HasPrefix(host, "/") {
			return name // on another machine
		}
		rest = host
	}
	path, err := url.PathUnescape(rest)
	if err != nil {
		return name
	}
	if isNested {
		path = strings.Replace(path, "/!", innerSep, 1)
	}
	if p := strings.TrimPrefix(path, "/"); filepath.VolumeName(p) != "" { // /C:/a.jar
		return p
	}
	return path
}

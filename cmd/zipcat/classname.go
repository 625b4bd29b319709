package main

import (
	"slices"
	"strings"
	"unicode"
)

// className is the name of a Java class, as com.example.Foo or com.example.Foo$Bar.
type className struct {
	files []string // that the class may be in, below the root of a class path
}

// newClassName returns the class that a pattern may be the name of, nil if it cannot be one. A
// class without a package is left to patterns.
func newClassName(p *pattern) *className {
	if p.literal {
		return nil
	}
	parts := strings.Split(p.text, ".")
	if n := len(parts) - 1; n > 1 && parts[n] == "class" {
		parts = parts[:n] // com.example.Foo.class; Foo.class is the name of an entry
	}
	if len(parts) < 2 || slices.ContainsFunc(parts, notIdentifier) || parts[len(parts)-1] == "class" {
		return nil
	}
	c := new(className)
	for n := len(parts) - 1; ; n-- {
		// In source a class that is in another is written as one that is in a package.
		name := strings.Join(parts[:n], "/") + "/" + strings.Join(parts[n:], "$") + ".class"
		c.files = append(c.files, p.fold(name))
		if n == 1 || !unicode.IsUpper([]rune(parts[n-1])[0]) {
			return c
		}
	}
}

func notIdentifier(s string) bool {
	for i, r := range s {
		if !(r == '_' || unicode.IsLetter(r) || unicode.In(r, unicode.Sc, unicode.Nl) || i > 0 && unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc)) {
			return true
		}
	}
	return s == ""
}

// matches reports whether an entry of this name holds the class.
func (c *className) matches(name string) bool {
	for _, file := range c.files {
		if strings.HasSuffix(name, file) {
			if _, below, _ := classPath(name); below == file {
				return true
			}
		}
	}
	return false
}

// classRoots are the directories that are roots of a class path besides that of the archive: of
// Spring Boot, of a war, of a jmod.
var classRoots = [...]string{"BOOT-INF/classes/", "WEB-INF/classes/", "classes/"}

// versionsDir is where a multi-release jar has what is for later releases (JAR File
// Specification, "Multi-release JAR files").
const versionsDir = "META-INF/versions/"

// classPath splits a name into the root of a class path, what stands below it, and the release
// that it is for, empty for all.
func classPath(name string) (root, below, release string) {
	below = name
	for _, dir := range classRoots {
		if hasFoldedPrefix(below, dir) {
			root, below = below[:len(dir)], below[len(dir):]
			break
		}
	}
	if !hasFoldedPrefix(below, versionsDir) {
		return root, below, ""
	}
	n, rest, ok := strings.Cut(below[len(versionsDir):], "/")
	if !ok || n == "" || strings.Trim(n, "0123456789") != "" {
		return root, below, ""
	}
	return root, rest, n
}

// hasFoldedPrefix is strings.HasPrefix in any letter case, that of META-INF being free.
func hasFoldedPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

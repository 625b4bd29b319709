package jar

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"zipcat.dev/zipfile"
)

const servicesDir = metaDir + "services/"

const (
	// maxService is the size in bytes of a provider-configuration file up to which it is read, and maxServices
	// that of all of an archive or a class path: real ones have a few kilobytes.
	maxService  = 1 << 20
	maxServices = 8 << 20
)

// readService reads a provider-configuration file, and takes its size from left.
func readService(e zipfile.Entry, left *int64) ([]byte, error) {
	most := min(maxService, *left)
	if e.Size() > most {
		return nil, &zipfile.FormatError{Offset: -1, Entry: e.Name(), Kind: "limit",
			Err: fmt.Errorf("%w: provider-configuration file of %d bytes, at most %d are read", zipfile.ErrLimit, e.Size(), most)}
	}
	*left -= e.Size()
	return e.ReadAll()
}

// LineError tells what is wrong with a text file of an archive: a provider-configuration file, INDEX.LIST, an index
// of Spring Boot, application.xml.
// It wraps [zipfile.ErrFormat].
type LineError struct {
	Line int // of the file, from 1
	Text string
}

func (e *LineError) Error() string { return fmt.Sprintf("%s (line %d)", e.Text, e.Line) }
func (e *LineError) Unwrap() error { return zipfile.ErrFormat }

// readServiceFile is readService for a file of a directory.
func readServiceFile(r Resource, left *int64) ([]byte, error) {
	f, err := r.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	most := min(maxService, *left)
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%w: provider-configuration file of more than %d bytes", zipfile.ErrLimit, most)
	}
	*left -= int64(len(b))
	return b, err
}

// Service is a service with those that provide it.
type Service struct {
	Name      string // binary name of the class or interface
	Providers []Provider
	// Err tells which provider-configuration files are not read, nil: all are. Java's ServiceLoader throws a
	// ServiceConfigurationError for each and goes on with the next.
	Err error
}

// Provider is a class that provides a service.
type Provider struct {
	Class string // binary name
	Entry string // the file that names it; in a [ClassPath] its path, as lib/x.jar!/META-INF/services/a.B
	Line  int    // in the file, from 1; 0 for one that module-info names
}

// Services returns the services of an archive on the class path, in the order of their names: those of its
// files META-INF/services/NAME, whatever NAME is. A file that is damaged or no provider-configuration file
// is a Service with an Err, see [ParseServices]. What a module provides on the module path is in
// [Module.Services]; there these files do not count, unless the module is an automatic one. It may be called from several goroutines
// at once, as may [ParseServices].
//
// A file of more than 1 MiB is not read, nor are those that come when 8 MiB of them were read; the Err of such
// a Service wraps [zipfile.ErrLimit].
func Services(v *View) []Service {
	var list []Service
	left := int64(maxServices)
	for _, name := range serviceNames(v.z, "") {
		b := serviceBuilder{Service: Service{Name: name}}
		if e, ok := v.Lookup(servicesDir + name); ok {
			b.add(e.Name(), func() ([]byte, error) { return readService(e, &left) })
		}
		list = append(list, b.Service)
	}
	return list
}

// Services returns what the module provides, in the order of the descriptor.
func (m *Module) Services() []Service {
	var list []Service
	for _, p := range m.Provides {
		s := Service{Name: p.Service}
		for _, class := range p.With {
			s.Providers = append(s.Providers, Provider{Class: class, Entry: m.Entry})
		}
		list = append(list, s)
	}
	return list
}

// Service returns the providers of a service as java.util.ServiceLoader finds them on the class path, whether
// or not their classes are there: in the order of the path, each class once. There may be none.
func (cp *ClassPath) Service(name string) Service {
	left := int64(maxServices)
	return cp.service(name, &left)
}

func (cp *ClassPath) service(name string, left *int64) Service {
	b := serviceBuilder{Service: Service{Name: name}}
	for _, r := range cp.Resources(servicesDir + name) {
		b.add(r.Path(), func() ([]byte, error) {
			if r.IsFile() {
				return readServiceFile(r, left)
			}
			return readService(r.Entry, left)
		})
	}
	return b.Service
}

// Services returns all services of a class path that have providers or an error, in the order of their names,
// see [ClassPath.Service] and for the limits [Services].
func (cp *ClassPath) Services() []Service {
	var names []string
	for _, j := range cp.jars {
		names = append(names, serviceNames(j.z, j.prefix)...)
	}
	for _, d := range cp.dirs {
		files, err := fs.ReadDir(d.root.FS(), strings.TrimSuffix(servicesDir, "/"))
		if err != nil {
			continue // mostly there is none
		}
		for _, f := range files {
			names = append(names, f.Name())
		}
	}
	slices.Sort(names)
	left := int64(maxServices)
	var list []Service
	for _, name := range slices.Compact(names) {
		if s := cp.service(name, &left); len(s.Providers) > 0 || s.Err != nil {
			list = append(list, s)
		}
	}
	return list
}

// serviceBuilder collects the providers of a service.
type serviceBuilder struct {
	Service
	seen map[string]bool // classes
}

// add adds the providers of a file, but for those that are known already.
func (b *serviceBuilder) add(file string, read func() ([]byte, error)) {
	data, err := read()
	var found []Provider
	if err == nil {
		found, err = ParseServices(data)
		err = inEntry(file, err)
	}
	if err != nil {
		b.Err = errors.Join(b.Err, err)
		return
	}
	if b.seen == nil {
		b.seen = make(map[string]bool)
	}
	for _, p := range found {
		if !b.seen[p.Class] {
			b.seen[p.Class] = true
			p.Entry = file
			b.Providers = append(b.Providers, p)
		}
	}
}

// serviceNames returns for which names an archive has files in META-INF/services below a prefix, in their
// order.
func serviceNames(z *zipfile.ZipFile, prefix string) []string {
	var names []string
	for e := range z.Entries() {
		if name, ok := strings.CutPrefix(nameInJVM(e), prefix+servicesDir); ok && name != "" && !strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ParseServices parses a provider-configuration file (java.util.ServiceLoader, "Deploying service providers on
// the class path"): UTF-8 with a class a line, # before comments, and blanks around names. A class that stands
// there twice is named once. The error is a [*LineError], in the words of ServiceLoader, which takes nothing from
// such a file either.
func ParseServices(b []byte) ([]Provider, error) {
	var list []Provider
	seen := make(map[string]bool)
	for line, text := range serviceLines(b) {
		switch {
		case text == "":
		case strings.ContainsAny(text, " \t"):
			return nil, &LineError{line, "illegal configuration-file syntax"}
		case !isProvider(text):
			return nil, &LineError{line, "illegal provider-class name: " + shown(text)}
		case !seen[text]:
			seen[text] = true
			list = append(list, Provider{Class: text, Line: line})
		}
	}
	return list, nil
}

// isProvider reports what ServiceLoader takes for the name of a class, which need not be one.
func isProvider(s string) bool {
	for i, r := range s {
		if i == 0 && !identifierStart(r) || !identifierPart(r) && r != '.' {
			return false
		}
	}
	return true
}

// shown gives the beginning of a line for an error.
func shown(line string) string {
	if len(line) > 200 {
		line = strings.ToValidUTF8(line[:200], "") + "..."
	}
	return quoted(line)
}

// serviceLines returns the lines of a file, from 1, without comments and blanks.
func serviceLines(b []byte) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for line, text := range textLines(b) {
			text, _, _ = strings.Cut(text, "#")
			if !yield(line, strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })) {
				return
			}
		}
	}
}

// textLines returns the lines of a file as java.io.BufferedReader does, from 1. What is not UTF-8 is U+FFFD.
func textLines(b []byte) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		text, _ := decode(string(b))
		for line := 1; text != ""; line++ {
			end := strings.IndexAny(text, "\r\n")
			if end < 0 {
				yield(line, text)
				return
			}
			next := end + 1
			if strings.HasPrefix(text[end:], "\r\n") {
				next++
			}
			if !yield(line, text[:end]) {
				return
			}
			text = text[next:]
		}
	}
}

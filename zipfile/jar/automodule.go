package jar

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"zipcat.dev/zipfile"
)

// ModuleError tells why an archive is no module, though its class files are in order. It wraps
// [zipfile.ErrFormat].
type ModuleError struct{ Text string }

func (e *ModuleError) Error() string { return e.Text }
func (e *ModuleError) Unwrap() error { return zipfile.ErrFormat }

// ReadModule returns the module that an archive is on the module path of a JVM (java.lang.module.ModuleFinder.of):
// what its module-info.class declares, that in META-INF/versions of the highest release in a multi-release
// archive; or if it has none, the automatic module, whose name is the Automatic-Module-Name of the manifest
// or comes from the name of the archive's file (see [AutomaticModuleName]), which is therefore asked for:
// a path, with / or the system's separator. Packages are those that the attribute ModulePackages names, or if
// there is none those of all files that the view shows, of an automatic module those of its classes.
//
// Errors are those of reading the entries; a [*zipfile.FormatError] that wraps a [*ClassError] for a damaged
// descriptor, and a [*LineError] for a file of META-INF/services of an automatic module; and a [*ModuleError]
// where a JVM takes the archive for no module: no name can be derived, a class is in the unnamed package, or
// a package or provider that is named is not there. It may be called from several goroutines at once, as may
// [AutomaticModuleName].
func ReadModule(v *View, file string) (*Module, error) {
	e, ok := v.Lookup(moduleInfoFile)
	if !ok {
		return automaticModule(v, file)
	}
	b, err := readMeta(e, moduleInfoFile)
	if err != nil {
		return nil, err
	}
	m, err := parseModule(b, func() ([]string, error) { return v.packages(func(string) bool { return true }) })
	if err != nil {
		return nil, inEntry(e.Name(), err)
	}
	m.Entry = e.Name()
	return m, nil
}

// packages returns those of the files that are wanted, in the order of their names.
func (v *View) packages(want func(name string) bool) ([]string, error) {
	seen := make(map[string]bool)
	var list []string
	for name := range v.Entries() {
		if strings.HasSuffix(name, "/") || !want(name) {
			continue
		}
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			if strings.HasSuffix(name, ".class") && name != moduleInfoFile {
				return nil, &ModuleError{quoted(name) + " is in the unnamed package, which a module cannot have"}
			}
			continue
		}
		if dir := name[:i]; !seen[dir] {
			seen[dir] = true
			if p := strings.ReplaceAll(dir, "/", "."); isQualified(p) {
				list = append(list, p)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil // a.b/ and a/b/ are one
}

func automaticModule(v *View, file string) (*Module, error) {
	m := &Module{Automatic: true, Requires: []Requires{{Name: javaBase, Mandated: true}}}
	manifest, err := ReadManifest(v.z)
	if err != nil && !errors.Is(err, ErrNoManifest) {
		return nil, err
	}
	name, version, err := AutomaticModuleName(file)
	m.Name, m.Version = name, version
	given := false
	mainClass := ""
	if manifest != nil {
		if name, given = manifest.Main.Lookup("Automatic-Module-Name"); given {
			m.Name = name
		}
		mainClass = strings.ReplaceAll(manifest.Main.Value("Main-Class"), "/", ".")
	}
	switch {
	case given && !isQualified(m.Name):
		return nil, &ModuleError{"Automatic-Module-Name " + shown(m.Name) + " is no name of a module"}
	case !given && err != nil:
		return nil, err
	}
	if m.Packages, err = v.packages(func(name string) bool {
		return strings.HasSuffix(name, ".class") && !strings.HasPrefix(name, servicesDir)
	}); err != nil {
		return nil, err
	}
	if err := m.addProviders(v); err != nil {
		return nil, err
	}
	if isQualified(mainClass) && m.hasPackageOf(mainClass) {
		m.MainClass = mainClass
	}
	return m, nil
}

func (m *Module) hasPackageOf(class string) bool {
	_, ok := slices.BinarySearch(m.Packages, packageOf(class))
	return ok
}

// addProviders adds what the files of META-INF/services say. ModuleFinder reads them in its own way: names
// that stand there twice do so in Provides, and all must be of classes in packages of the archive.
func (m *Module) addProviders(v *View) error {
	for _, service := range serviceNames(v.z, "") {
		if !isQualified(service) {
			continue
		}
		e, ok := v.Lookup(servicesDir + service)
		if !ok || strings.HasSuffix(service, ".class") {
			continue
		}
		b, err := readMeta(e, "service")
		if err != nil {
			return err
		}
		p := Provides{Service: service}
		for line, text := range serviceLines(b) {
			if text == "" {
				continue
			}
			switch {
			case !m.hasPackageOf(text):
				err = &LineError{line, "provider class " + shown(text) + " is in no package of the archive"}
			case packageOf(text) == "" || !isQualified(text):
				err = &LineError{line, shown(text) + " is no name of a class"}
			case packageOf(service) == "":
				err = &LineError{line, "service " + service + " is in no package"}
			}
			if err != nil {
				return inEntry(e.Name(), err)
			}
			p.With = append(p.With, text)
		}
		if len(p.With) > 0 {
			m.Provides = append(m.Provides, p)
		}
	}
	return nil
}

// dashVersion finds where the version begins. Java's $ matches before a line end at the end, too.
var dashVersion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-[0-9]+(?:\.|(?:\r\n|[\n\r\x{85}\x{2028}\x{2029}])?\z)`)
})

// AutomaticModuleName derives the name and the version of an automatic module from a path, as
// java.lang.module.ModuleFinder.of documents: of the last element without its ".jar", what stands before the
// first "-" with a number and a dot or the end behind it is the name, in which all but ASCII letters and
// digits become dots, several one and none at the ends; what follows is the version, if it is one by
// ModuleDescriptor.Version. The error is a [*ModuleError]: the file is no .jar, or the name none of a module,
// as for 2go.jar. The version is there all the same.
func AutomaticModuleName(file string) (name, version string, err error) {
	base := file[strings.LastIndexByte(file, '/')+1:]
	base = base[strings.LastIndexByte(base, filepath.Separator)+1:]
	stem, ok := strings.CutSuffix(base, ".jar")
	if !ok {
		return "", "", &ModuleError{"the name of an automatic module comes from that of a .jar file, not from " + quoted(base)}
	}
	if at := dashVersion().FindStringIndex(stem); at != nil {
		if v := stem[at[0]+1:]; isModuleVersion(v) {
			version = v
		}
		stem = stem[:at[0]]
	}
	name = strings.Join(strings.FieldsFunc(stem, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	}), ".")
	if !isQualified(name) {
		return "", version, &ModuleError{quoted(base) + " gives no name of a module: " + quoted(name)}
	}
	return name, version, nil
}

// isModuleVersion reports what ModuleDescriptor.Version.parse takes: a digit first, and something behind the
// first - or +, and behind the first + that follows.
func isModuleVersion(s string) bool {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return false
	}
	i := strings.IndexAny(s, "-+")
	if i < 0 {
		return true
	}
	rest := s[i+1:]
	return rest != "" && strings.IndexByte(rest, '+') != len(rest)-1
}

package jar

import "strings"

// Names of attributes (JAR File Specification, "Main Attributes" and "Per-Entry Attributes").
const (
	automaticModuleName   = "Automatic-Module-Name"
	classPath             = "Class-Path"
	createdBy             = "Created-By"
	implementationTitle   = "Implementation-Title"
	implementationVendor  = "Implementation-Vendor"
	implementationVersion = "Implementation-Version"
	launcherAgentClass    = "Launcher-Agent-Class"
	mainClass             = "Main-Class"
	multiRelease          = "Multi-Release"
	sealed                = "Sealed"
	specificationTitle    = "Specification-Title"
	specificationVendor   = "Specification-Vendor"
	specificationVersion  = "Specification-Version"
)

// MainClass returns the class that java -jar starts, without the white space around it that the
// launcher removes; empty if there is none.
func (m *Manifest) MainClass() string {
	return strings.TrimFunc(m.Main.Value(mainClass), func(r rune) bool { return r <= ' ' }) // java.lang.String.trim
}

// ClassPath returns the relative URLs of Class-Path, as they are.
func (m *Manifest) ClassPath() []string {
	return strings.FieldsFunc(m.Main.Value(classPath), func(r rune) bool {
		return strings.ContainsRune(" \t\n\r\f", r) // as java.util.StringTokenizer, not other white space
	})
}

// MultiRelease reports whether the JVM takes the archive for a multi-release one: Multi-Release is
// true, in any letter case, with nothing around it. OpenJDK parses a manifest for it only if it
// finds "Multi-Release: true" in its bytes, in one piece, so that a folded true is none; and it does
// not see a last line without a line end.
func (m *Manifest) MultiRelease() bool { return m.multiRelease }

const multiReleaseTrue = multiRelease + ": true"

// containsFold reports whether text holds part, without regard to letter case.
func containsFold(text, part string) bool {
	if strings.Contains(text, part) {
		return true
	}
	for i := range len(text) - len(part) + 1 {
		if equalFold(text[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// CreatedBy returns what wrote the archive: version and vendor, as the jar tool gives them.
func (m *Manifest) CreatedBy() string { return m.Main.Value(createdBy) }

// AutomaticModuleName returns the name of the module that the archive is on a module path where it
// has no module-info.class; empty if it is to be derived from the file's name.
func (m *Manifest) AutomaticModuleName() string { return m.Main.Value(automaticModuleName) }

// LauncherAgentClass returns the agent that is started before the main class.
func (m *Manifest) LauncherAgentClass() string { return m.Main.Value(launcherAgentClass) }

// Package is what a manifest says about a package, or about the whole archive.
type Package struct {
	SpecificationTitle, SpecificationVersion, SpecificationVendor    string
	ImplementationTitle, ImplementationVersion, ImplementationVendor string

	Sealed bool // all its classes come from this archive
}

// Package returns what is known of a package, as "com.example", as java.net.URLClassLoader does: from
// the section of its directory ("com/example/"), and what that does not say from the main section. The
// package "" stands for the archive.
func (m *Manifest) Package(name string) Package {
	var own Attributes
	if name != "" {
		s, _ := m.Section(strings.ReplaceAll(name, ".", "/") + "/")
		own = s.Attributes
	}
	value := func(name string) string {
		if v, ok := own.Lookup(name); ok {
			return v
		}
		return m.Main.Value(name)
	}
	return Package{
		SpecificationTitle:    value(specificationTitle),
		SpecificationVersion:  value(specificationVersion),
		SpecificationVendor:   value(specificationVendor),
		ImplementationTitle:   value(implementationTitle),
		ImplementationVersion: value(implementationVersion),
		ImplementationVendor:  value(implementationVendor),
		Sealed:                equalFold(value(sealed), "true"),
	}
}

package jar

import (
	"fmt"
	"slices"
)

const (
	moduleInfoFile  = "module-info.class"
	moduleInfoClass = "module-info"
	moduleMajor     = 53 // of Java 9
	javaBase        = "java.base"
)

// Module is what a module declares (JVMS 4.7.25 to 4.7.27, JLS 7.7), or what an automatic one gets. Lists are
// in the order of the file, but for Packages. It is the caller's to change.
type Module struct {
	Name      string
	Version   string // as it was recorded, which need not be one of ModuleDescriptor.Version; empty: none
	Open      bool
	Synthetic bool
	Mandated  bool
	Automatic bool // has no descriptor, but is a module of the module path: see [ReadModule]

	Requires []Requires
	Exports  []Exports // of an automatic module none, as it exports all packages and opens them
	Opens    []Exports
	Uses     []string // binary names of services
	Provides []Provides

	// Packages are those of the attribute ModulePackages, or if there is none, those that the descriptor
	// names, in [ReadModule] those of the archive; in the order of their names, as com.example.
	Packages   []string
	MainClass  string           // binary name, empty: none
	Target     string           // the platform, as linux-amd64, of the JDK's attribute ModuleTarget
	Resolution ModuleResolution // of the JDK's attribute of that name
	Hashes     *ModuleHashes    // of the JDK's attribute of that name; nil: none

	Entry string    // name of the entry of the archive that says so; empty for an automatic module
	Class ClassInfo // of the class file; the zero value for an automatic module
}

// Requires is a module that another depends on.
type Requires struct {
	Name       string
	Version    string // that it was compiled with; empty: not recorded
	Transitive bool
	Static     bool // needed to compile only
	Synthetic  bool
	Mandated   bool // not written by anyone, as java.base mostly
}

// Exports is a package that is exported or opened.
type Exports struct {
	Package   string
	To        []string // modules; none: all
	Synthetic bool
	Mandated  bool
}

// Provides is a service with the classes that provide it, in the order in which ServiceLoader takes them.
type Provides struct {
	Service string
	With    []string
}

// ModuleResolution are flags of how the JDK resolves a module (jdk.internal.module.ClassFileConstants).
type ModuleResolution uint16

// Flags of ModuleResolution.
const (
	DoNotResolveByDefault    ModuleResolution = 1
	WarnDeprecated           ModuleResolution = 2
	WarnDeprecatedForRemoval ModuleResolution = 4
	WarnIncubating           ModuleResolution = 8
)

// ModuleHashes are the hashes of modules that were linked with a module.
type ModuleHashes struct {
	Algorithm string // as SHA-256
	Modules   []ModuleHash
}

// ModuleHash is that of one module.
type ModuleHash struct {
	Module string
	Hash   []byte
}

// ParseModule parses a module-info.class. What it refuses java.lang.module.ModuleDescriptor.read refuses
// too, that of OpenJDK 25 where they differ; bytes behind the last attribute count for neither. Versions
// above those that exist are accepted. The error is a [*ClassError]; a [*ModuleError] where the attribute
// ModulePackages lacks a package that is named elsewhere; or wraps [zipfile.ErrLimit] for a file of more than
// 16 MiB. Nothing of b is kept. It may be called from several goroutines at once.
func ParseModule(b []byte) (*Module, error) { return parseModule(b, nil) }

// parseModule parses a module-info.class of an archive that has packages, which are asked for if the class
// file does not say which.
func parseModule(b []byte, packages func() ([]string, error)) (*Module, error) {
	p := moduleParser{cursor: cursor{b: b, end: len(b)}}
	p.parse()
	if p.err != nil {
		return nil, p.err
	}
	m := &p.m
	all, behind := m.Packages, "in the attribute ModulePackages"
	if !p.seen[attrPackages] && packages != nil {
		var err error
		if all, err = packages(); err != nil {
			return nil, err
		}
		behind = "among the packages of the archive"
	}
	if p.seen[attrPackages] || packages != nil {
		has := make(map[string]bool, len(all))
		for _, name := range all {
			has[name] = true
		}
		for _, name := range p.known {
			if !has[name] {
				return nil, &ModuleError{fmt.Sprintf("package %s of the module is not %s", name, behind)}
			}
		}
	}
	m.Packages = append(slices.Clone(all), p.known...)
	slices.Sort(m.Packages)
	m.Packages = slices.Compact(m.Packages)
	return m, nil
}

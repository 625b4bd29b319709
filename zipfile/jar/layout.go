package jar

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"zipcat.dev/zipfile"
)

// LayoutKind says what kind of archive a [Layout] is of. What a class file declares is a [ClassKind].
type LayoutKind uint8

// Kinds of layouts.
const (
	LayoutZip           LayoutKind = iota // none of the others: no manifest, no class
	LayoutJar                             // classes at its root (JAR File Specification)
	LayoutSpringBootJar                   // started by Spring Boot's JarLauncher, or PropertiesLauncher
	LayoutSpringBootWar                   // by its WarLauncher
	LayoutWar                             // web application (Jakarta Servlet, 10.5 and 10.6)
	LayoutEar                             // enterprise application (Jakarta EE Platform, chapter 8)
	LayoutAAR                             // Android library
	LayoutAPK                             // Android application
	LayoutAAB                             // Android App Bundle
	LayoutJMod                            // module of a JDK that is to be linked (JEP 261)
)

var layoutKinds = [...]string{"zip", "jar", "spring-boot-jar", "spring-boot-war", "war", "ear", "aar", "apk", "aab", "jmod"}

// String returns the kind in lower case: "jar", "spring-boot-jar", "war".
func (k LayoutKind) String() string {
	if int(k) < len(layoutKinds) {
		return layoutKinds[k]
	}
	return "kind-" + strconv.Itoa(int(k))
}

// Layout says where the classes of an archive are and which archives in it are their libraries.
type Layout struct {
	Kind      LayoutKind
	Classes   []string // prefixes of the names of classes, in the order in which they are searched: "BOOT-INF/classes/", or "" for the root
	Libraries []string // names of the entries that are libraries, in the order of the class path
	Dex       []string // names of the entries that hold Android's byte code, in the order in which they are searched
	Modules   []string // of a LayoutEar: the modules that application.xml names and the archive has, in its order
	Layers    []Layer  // of Spring Boot: what layers.idx says, in its order

	// Missing are the libraries that classpath.idx names, or the modules that application.xml names, and
	// the archive does not have.
	Missing []string
	// Reordered says that classpath.idx has the libraries in another order than the archive. JarLauncher
	// follows the index where the archive was unpacked, and the archive where it was not.
	Reordered bool
}

// Layer is a layer of a Spring Boot archive: a part that container images keep apart.
type Layer struct {
	Name  string
	Paths []string // names of entries; those that end in a slash stand for all below them
}

// Layer returns the name of the first layer that an entry belongs to, empty for none.
func (l *Layout) Layer(entry string) string {
	for _, layer := range l.Layers {
		for _, p := range layer.Paths {
			if p == entry || strings.HasSuffix(p, "/") && strings.HasPrefix(entry, p) {
				return layer.Name
			}
		}
	}
	return ""
}

// ClassPath returns the elements of a class path for [OpenClassPath] that is that of the archive, of
// which archive is the path: APP, or APP!/BOOT-INF/classes/ and APP!/BOOT-INF/lib/x.jar. It is empty
// where there is no class for a JVM, as in an APK. A library whose name is no path (see [zipfile.CheckPath]), as
// ../lib/x.jar, is a Problem of the class path; other names are taken as they are, as lib/* and a!/b.jar.
func (l *Layout) ClassPath(archive string) []string {
	var list []string
	for _, prefix := range l.Classes {
		if prefix == "" {
			list = append(list, archive)
		} else {
			list = append(list, archive+nestedSep+prefix)
		}
	}
	for _, name := range l.Libraries {
		list = append(list, archive+nestedSep+name)
	}
	return list
}

// Attributes of manifests that Spring Boot writes (reference documentation, "The Executable Jar Format",
// "Index Files"; org.springframework.boot.loader.tools.Repackager).
const (
	springBootClasses        = "Spring-Boot-Classes"
	springBootLib            = "Spring-Boot-Lib"
	springBootClasspathIndex = "Spring-Boot-Classpath-Index"
	springBootLayersIndex    = "Spring-Boot-Layers-Index"
	springBootLoader         = "org.springframework.boot.loader." // of Main-Class
)

const (
	bootInf = "BOOT-INF/"
	webInf  = "WEB-INF/"
)

// ReadLayout finds out from the entries of an archive, its manifest and its indexes what kind of archive it
// is. The name of the file does not count. The names of entries are compared as they are; of several
// entries of one name there is one library.
//
//   - A jar has its classes at its root. What Class-Path names is not in it, and a JVM loads no jar out of a
//     jar.
//   - Spring Boot: classes in BOOT-INF/classes/ or what Spring-Boot-Classes says, libraries below
//     BOOT-INF/lib/ or Spring-Boot-Lib, whatever their names, as JarLauncher takes them; of a war in
//     WEB-INF/classes/, WEB-INF/lib/ and WEB-INF/lib-provided/. classpath.idx gives their order,
//     after those that it does not name; without it the directory does. Where an attribute names no directory
//     below the root, as ../x, there are no classes or libraries, and there is an error.
//   - A war: WEB-INF/classes/, then the jars in WEB-INF/lib/, which stand in no order but that of the directory.
//   - An ear, which has a META-INF/application.xml: the jars in lib/, or what library-directory says.
//   - An AAR, which has an AndroidManifest.xml: classes.jar, then libs/*.jar (developer.android.com,
//     "Anatomy of an AAR file").
//   - An APK: classes.dex, classes2.dex and so on up to the first that is missing, as ART loads them.
//   - An AAB, which has a BundleConfig.pb: the same of each module, base first.
//   - A jmod: classes/.
//
// Where the manifest, an index or a descriptor cannot be read or is damaged there is a Layout without what it
// says beside the error, which names the entry. Memory is bounded by the names of the entries, and files
// of more than 16,000,000 bytes are not read but are a [zipfile.ErrLimit].
func ReadLayout(z *zipfile.ZipFile) (*Layout, error) {
	s := survey(z)
	l := &Layout{Kind: LayoutZip}
	m, err := ReadManifest(z)
	if errors.Is(err, ErrNoManifest) {
		err = nil
	}
	switch {
	case s.bundle:
		l.Kind = LayoutAAB
		l.Dex = s.bundleDex()
	case s.android && s.aar:
		l.Kind = LayoutAAR
		if s.has["classes.jar"] {
			l.Libraries = append(l.Libraries, "classes.jar")
		}
		l.Libraries = append(l.Libraries, s.jarsIn(z, "libs/")...)
	case s.android:
		l.Kind = LayoutAPK
		l.Dex = s.dexOf("")
	case isJMod(z, s):
		l.Kind, l.Classes = LayoutJMod, []string{"classes/"}
	case isSpringBoot(m):
		err = errors.Join(err, l.springBoot(z, m))
	case s.has[applicationXML]:
		l.Kind = LayoutEar
		err = errors.Join(err, l.ear(z, s))
	case s.webInf:
		l.Kind, l.Classes, l.Libraries = LayoutWar, []string{webInf + "classes/"}, s.jarsIn(z, webInf+"lib/")
	case m != nil || err != nil || s.class:
		l.Kind, l.Classes, l.Dex = LayoutJar, []string{""}, s.dexOf("")
	default:
		l.Dex = s.dexOf("")
	}
	return l, err
}

// found is what a pass over the names of an archive shows.
type found struct {
	has     map[string]bool // of a few names whether there is a file
	modules []string        // of a bundle, that have byte code, in the order of the directory
	dex     map[string]bool // names of files that end in .dex
	android, aar, bundle, webInf, class, jmodClasses,
	other bool // an entry that no jmod has
}

// jmodSections are the top directories of a jmod (jdk.internal.jmod.JmodFile.Section).
var jmodSections = []string{"bin", "classes", "conf", "include", "legal", "lib", "man"}

func survey(z *zipfile.ZipFile) *found {
	s := &found{has: make(map[string]bool), dex: make(map[string]bool)}
	aar := false
	for e := range z.Entries() {
		name := e.Name()
		top, _, isIn := strings.Cut(name, "/")
		s.webInf = s.webInf || isIn && top == "WEB-INF"
		if e.IsDir() {
			continue
		}
		switch name {
		case "AndroidManifest.xml":
			s.android = true
		case "classes.jar", "R.txt":
			aar = true
			s.has[name] = true
		case "BundleConfig.pb":
			s.bundle = true
		case applicationXML:
			s.has[name] = true
		}
		if strings.HasSuffix(name, ".dex") {
			s.dex[name] = true
			if module, rest, _ := strings.Cut(name, "/dex/"); rest == "classes.dex" && !slices.Contains(s.modules[max(0, len(s.modules)-1):], module) {
				s.modules = append(s.modules, module)
			}
		}
		s.class = s.class || strings.HasSuffix(name, ".class")
		s.jmodClasses = s.jmodClasses || name == "classes/module-info.class"
		s.other = s.other || !isIn || !slices.Contains(jmodSections, top)
	}
	s.aar = aar && !s.dex["classes.dex"]
	return s
}

// dexOf returns the files of byte code below a prefix as ART finds them: it counts up until one is missing
// (libdexfile, DexFileLoader::GetMultiDexClassesDexName).
func (s *found) dexOf(prefix string) []string {
	var list []string
	for i := 1; ; i++ {
		name := prefix + "classes.dex"
		if i > 1 {
			name = prefix + "classes" + strconv.Itoa(i) + ".dex"
		}
		if !s.dex[name] {
			return list
		}
		list = append(list, name)
	}
}

// bundleDex returns the byte code of the modules of a bundle.
func (s *found) bundleDex() []string {
	list := s.dexOf("base/dex/")
	done := map[string]bool{"base": true}
	for _, module := range s.modules {
		if !done[module] {
			list = append(list, s.dexOf(module+"/dex/")...)
		}
		done[module] = true
	}
	return list
}

// jarsIn returns the jars that stand in a directory, not below it, each name once.
func (s *found) jarsIn(z *zipfile.ZipFile, dir string) []string {
	return filesIn(z, func(name string) bool {
		base, ok := strings.CutPrefix(name, dir)
		return ok && !strings.Contains(base, "/") && strings.HasSuffix(base, ".jar")
	})
}

// filesIn returns the names of files that fit in the order of the directory, each once.
func filesIn(z *zipfile.ZipFile, fits func(name string) bool) []string {
	var list []string
	seen := make(map[string]bool)
	for e := range z.Entries() {
		if name := e.Name(); fits(name) && !e.IsDir() && !seen[name] {
			seen[name] = true
			list = append(list, name)
		}
	}
	return list
}

// jmodMagic is what a jmod begins with: a magic number and the version 1.0 (jdk.internal.jmod.JmodFile).
const jmodMagic = "JM\x01\x00"

func isJMod(z *zipfile.ZipFile, s *found) bool {
	if z.Prefix() != int64(len(jmodMagic)) || !s.jmodClasses || s.other {
		return false
	}
	head := make([]byte, len(jmodMagic))
	n, err := z.ReadAt(head, 0)
	return n == len(head) && (err == nil || err == io.EOF) && string(head) == jmodMagic
}

func isSpringBoot(m *Manifest) bool {
	return m != nil && (strings.HasPrefix(m.MainClass(), springBootLoader) ||
		m.Main.Value(springBootClasses) != "" || m.Main.Value(springBootLib) != "")
}

// springBoot fills the Layout of a Spring Boot archive.
func (l *Layout) springBoot(z *zipfile.ZipFile, m *Manifest) error {
	l.Kind = LayoutSpringBootJar
	base := bootInf
	if strings.HasPrefix(m.Main.Value(springBootClasses), webInf) || strings.HasSuffix(m.MainClass(), ".WarLauncher") {
		l.Kind, base = LayoutSpringBootWar, webInf
	}
	attribute := func(name, otherwise string) string {
		if v := m.Main.Value(name); v != "" {
			return v
		}
		return otherwise
	}
	dir := func(name string) string { return strings.TrimSuffix(name, "/") + "/" }
	classes, lib := dir(attribute(springBootClasses, base+"classes/")), dir(attribute(springBootLib, base+"lib/"))
	provided := strings.TrimSuffix(lib, "/") + "-provided/"
	var errs []error
	if err := checkDir(springBootClasses, classes); err != nil {
		errs = append(errs, err)
	} else {
		l.Classes = []string{classes}
	}
	if err := checkDir(springBootLib, lib); err != nil {
		errs = append(errs, err)
	} else {
		l.Libraries = filesIn(z, func(name string) bool {
			return strings.HasPrefix(name, lib) || l.Kind == LayoutSpringBootWar && strings.HasPrefix(name, provided)
		})
	}

	index, err := readIndex(z, attribute(springBootClasspathIndex, base+"classpath.idx"), parseClassPathIndex)
	l.order(index)
	layers, lerr := readIndex(z, attribute(springBootLayersIndex, base+"layers.idx"), parseLayersIndex)
	l.Layers = layers
	return errors.Join(append(errs, err, lerr)...)
}

// checkDir tells whether an attribute of a manifest names a directory of the archive.
func checkDir(attribute, dir string) error {
	if err := zipfile.CheckPath(dir); err != nil {
		text := attribute + " is " + clip(strconv.Quote(dir)) + ": " + err.Error()
		return &zipfile.FormatError{Offset: -1, Entry: manifestName, Kind: "format", Err: &formatText{text}}
	}
	return nil
}

// formatText wraps [zipfile.ErrFormat].
type formatText struct{ text string }

func (e *formatText) Error() string { return e.text }
func (e *formatText) Unwrap() error { return zipfile.ErrFormat }

// order puts the libraries in the order of classpath.idx, behind those that it does not name
// (ExecutableArchiveLauncher.createClassLoader).
func (l *Layout) order(index []string) {
	if len(index) == 0 {
		return
	}
	here := make(map[string]bool, len(l.Libraries))
	for _, name := range l.Libraries {
		here[name] = true
	}
	named := make(map[string]bool, len(index))
	var indexed []string
	for _, name := range index {
		switch {
		case named[name]:
		case here[name]:
			indexed = append(indexed, name)
		default:
			l.Missing = append(l.Missing, name)
		}
		named[name] = true
	}
	var list []string
	for _, name := range l.Libraries {
		if !named[name] {
			list = append(list, name)
		}
	}
	list = append(list, indexed...)
	l.Reordered = !slices.Equal(list, l.Libraries)
	l.Libraries = list
}

// readIndex reads a file of an archive, if it is there.
func readIndex[T any](z *zipfile.ZipFile, name string, parse func(text string) (T, error)) (T, error) {
	var none T
	e, ok := z.Lookup(name)
	if !ok {
		return none, nil
	}
	b, err := readMeta(e, "index")
	if err != nil {
		return none, err
	}
	v, err := parse(string(b))
	if err != nil {
		return none, &zipfile.FormatError{Offset: -1, Entry: name, Kind: "format", Err: err}
	}
	return v, nil
}

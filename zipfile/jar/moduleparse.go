package jar

import (
	"slices"
	"strings"
)

// Flags in the attribute Module.
const (
	accOpen       = 0x0020
	accTransitive = 0x0020
	accStatic     = 0x0040
	accSynthetic  = 0x1000
	accMandated   = 0x8000
)

// Attributes of a module.
const (
	attrModule     = "Module"
	attrPackages   = "ModulePackages"
	attrMainClass  = "ModuleMainClass"
	attrTarget     = "ModuleTarget"
	attrHashes     = "ModuleHashes"
	attrResolution = "ModuleResolution"
)

type moduleParser struct {
	cursor
	pool    constantPool
	m       Module
	seen    map[string]bool // attributes
	known   []string        // packages that the descriptor names
	symbols map[uint16]*symbol
	byName  map[string]*symbol
}

// symbol is a name of a module, package or class. Each is decoded once, however often it is used: tables
// of a few bytes an element could name texts of 64 KiB each otherwise.
type symbol struct {
	text, pkg    string // pkg: the package of a class
	known, inPkg bool   // as a package; its package
}

func (p *moduleParser) parse() {
	p.m.Class = p.header(&p.pool)
	if p.err == nil && p.m.Class.Kind != KindModule {
		p.in("access_flags", -1)
		p.fail("a %v %s, not a module", p.m.Class.Kind, p.m.Class.Name)
	}
	p.checkPool()
	for _, part := range [...]string{"fields_count", "methods_count"} {
		p.in(part, -1)
		if n := p.u2(); n > 0 {
			p.fail("%d, a module has none", n)
		}
	}
	p.in("attributes_count", -1)
	n := int(p.u2())
	p.seen, p.symbols, p.byName = make(map[string]bool), make(map[uint16]*symbol), make(map[string]*symbol)
	for i := 0; i < n && p.err == nil; i++ {
		p.in("attributes", i)
		p.attribute()
	}
	p.in("attributes", -1)
	if !p.seen[attrModule] {
		p.fail("none of them is named %s", attrModule)
	}
}

// checkPool checks what the JDK checks in all constants of a module, and not in those of other classes:
// that texts are modified UTF-8, and that there is no CONSTANT_Dynamic.
func (p *moduleParser) checkPool() {
	for i, at := range p.pool.at {
		if p.err != nil {
			return
		}
		if at == 0 {
			continue
		}
		p.part, p.index, p.start = "constant_pool", i, int(at)
		switch p.b[at] {
		case tagUtf8:
			p.pool.utf8(&p.cursor, uint16(i))
		case tagDynamic:
			p.fail("CONSTANT_Dynamic in a module")
		}
	}
}

// attribute parses one attribute. All but Module may be missing.
func (p *moduleParser) attribute() {
	name := p.textAt(p.u2())
	length := int64(p.u4())
	if p.err != nil {
		return
	}
	if left := int64(p.end - p.pos); length > left {
		p.fail("%s of %d bytes, %d are left", name, length, left)
		p.err.(*ClassError).cut = true
		return
	}
	var parse func()
	once := true
	switch name {
	case attrModule:
		parse = p.module
	case attrPackages:
		parse = p.packages
	case attrMainClass:
		parse = p.mainClass
	case attrTarget:
		parse = p.target
	case attrHashes:
		parse = p.hashes
	case attrResolution:
		parse = p.resolution
	case "SourceFile", "SourceDebugExtension":
	default:
		once = false
		if notInModules(name) {
			p.fail("%s, which a module cannot have", name)
			return
		}
	}
	if once && p.seen[name] {
		p.fail("a second %s", name)
		return
	}
	if once {
		p.seen[name] = true
	}
	if parse == nil {
		p.skip(int(length))
		return
	}
	end := p.end
	p.end = p.pos + int(length)
	parse()
	if left := p.end - p.pos; left > 0 {
		p.in(name, -1)
		p.fail("%d bytes of the attribute are left", left)
	}
	p.end = end
}

// notInModules reports the attributes that JVMS 4.7 has for others only.
func notInModules(name string) bool {
	switch name {
	case "ConstantValue", "Code", "Deprecated", "StackMapTable", "Exceptions", "EnclosingMethod", "Signature",
		"LineNumberTable", "LocalVariableTable", "LocalVariableTypeTable", "RuntimeVisibleParameterAnnotations",
		"RuntimeInvisibleParameterAnnotations", "RuntimeVisibleTypeAnnotations", "RuntimeInvisibleTypeAnnotations",
		"Synthetic", "AnnotationDefault", "BootstrapMethods", "MethodParameters":
		return true
	}
	return false
}

// list parses a table: a count and elements.
func (p *moduleParser) list(name string, element func()) {
	p.in(name, -1)
	n := int(p.u2())
	for i := 0; i < n && p.err == nil; i++ {
		p.in(name, i)
		element()
	}
}

// once fails where a name was seen before in a table.
func (p *moduleParser) once(seen map[*symbol]bool, s *symbol) {
	if p.err == nil && seen[s] {
		p.fail("%q stands there twice", s.text)
	}
	seen[s] = true
}

// symbol reads an index of a constant and returns the name it stands for.
func (p *moduleParser) symbol(tag uint8) *symbol {
	index := p.u2()
	if _, ok := p.pool.constant(&p.cursor, index, tag); !ok {
		return new(symbol)
	}
	if s := p.symbols[index]; s != nil {
		return s
	}
	var name string
	if tag == tagModule {
		name = p.moduleName(p.pool.named(&p.cursor, index, tag))
	} else {
		name = p.pool.unqualified(&p.cursor, index, tag)
	}
	s := p.byName[name]
	if s == nil {
		s = &symbol{text: name, pkg: packageOf(name)}
		p.byName[name] = s
	}
	p.symbols[index] = s
	return s
}

// text reads an index of a text, 0 for none.
func (p *moduleParser) text() string {
	if index := p.u2(); index != 0 {
		return p.textAt(index)
	}
	return ""
}

func (p *moduleParser) textAt(index uint16) string {
	if _, ok := p.pool.constant(&p.cursor, index, tagUtf8); !ok {
		return ""
	}
	s := p.symbols[index]
	if s == nil {
		s = &symbol{text: p.pool.utf8(&p.cursor, index)}
		p.symbols[index] = s
	}
	return s.text
}

// know takes note of a package that the descriptor names.
func (p *moduleParser) know(s *symbol) {
	if !s.known {
		s.known = true
		p.known = append(p.known, s.text)
	}
}

// knowClass takes note of the package of a class, which must have one.
func (p *moduleParser) knowClass(s *symbol) {
	switch {
	case s.pkg == "":
		p.fail("%q is in no package", s.text)
	case !s.inPkg:
		s.inPkg = true
		p.known = append(p.known, s.pkg)
	}
}

// moduleName decodes a name of a module: : @ \ are written with a backslash, and there are no control
// characters (JVMS 4.2.3).
func (p *moduleParser) moduleName(raw string) string {
	if p.err == nil && raw == "" {
		p.fail("a module without a name")
	}
	b := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c == '\\' && i+1 < len(raw) && strings.IndexByte(`\:@`, raw[i+1]) >= 0 {
			i++
			c = raw[i]
		} else if c < ' ' || strings.IndexByte(`\:@`, c) >= 0 {
			p.fail("%q is no name of a module", raw)
		}
		b = append(b, c)
	}
	return string(b)
}

// module parses the attribute Module (JVMS 4.7.25).
func (p *moduleParser) module() {
	m := &p.m
	p.in("module_name_index", -1)
	m.Name = p.symbol(tagModule).text
	p.in("module_flags", -1)
	flags := p.u2()
	m.Open, m.Synthetic, m.Mandated = flags&accOpen != 0, flags&accSynthetic != 0, flags&accMandated != 0
	p.in("module_version_index", -1)
	m.Version = p.text()
	p.requires()
	m.Exports = p.exports("exports")
	m.Opens = p.exports("opens")
	if p.err == nil && m.Open && len(m.Opens) > 0 {
		p.fail("%d packages opened in an open module", len(m.Opens))
	}
	seen := make(map[*symbol]bool)
	p.list("uses_index", func() {
		s := p.symbol(tagClass)
		p.once(seen, s)
		if p.err == nil && (s.pkg == "" || !isQualified(s.text)) {
			p.fail("%q is no name of a class in a package", s.text)
		}
		m.Uses = append(m.Uses, s.text)
	})
	p.provides()
}

func (p *moduleParser) requires() {
	m := &p.m
	seen := make(map[*symbol]bool)
	hasBase := false
	p.list("requires", func() {
		s := p.symbol(tagModule)
		r := Requires{Name: s.text}
		flags := p.u2()
		r.Transitive, r.Static = flags&accTransitive != 0, flags&accStatic != 0
		r.Synthetic, r.Mandated = flags&accSynthetic != 0, flags&accMandated != 0
		r.Version = p.text()
		switch {
		case p.err != nil:
		case r.Name == m.Name:
			p.fail("%q requires itself", r.Name)
		case r.Name == javaBase && r.Synthetic, r.Name == javaBase && r.Static && m.Class.Major > moduleMajor:
			p.fail("flags 0x%04x for %s", flags, javaBase)
		}
		p.once(seen, s)
		hasBase = hasBase || r.Name == javaBase
		m.Requires = append(m.Requires, r)
	})
	p.in("requires", -1)
	switch {
	case m.Name == javaBase && len(m.Requires) > 0:
		p.fail("%d modules, %s requires none", len(m.Requires), javaBase)
	case m.Name != javaBase && !hasBase:
		p.fail("%s is missing", javaBase)
	}
}

func (p *moduleParser) exports(table string) []Exports {
	var list []Exports
	seen := make(map[*symbol]bool)
	p.list(table, func() {
		s := p.symbol(tagPackage)
		p.know(s)
		e := Exports{Package: s.text}
		flags := p.u2()
		e.Synthetic, e.Mandated = flags&accSynthetic != 0, flags&accMandated != 0
		p.once(seen, s)
		to := make(map[*symbol]bool)
		p.list(table+"_to_index", func() {
			s := p.symbol(tagModule)
			p.once(to, s)
			e.To = append(e.To, s.text)
		})
		list = append(list, e)
	})
	return list
}

func (p *moduleParser) provides() {
	seen := make(map[*symbol]bool)
	p.list("provides", func() {
		service := p.symbol(tagClass)
		p.once(seen, service)
		if service.pkg == "" {
			p.fail("%q is in no package", service.text)
		}
		s := Provides{Service: service.text}
		p.list("provides_with_index", func() {
			class := p.symbol(tagClass)
			p.knowClass(class)
			s.With = append(s.With, class.text)
		})
		if len(s.With) == 0 {
			p.fail("%q is provided by no class", s.Service)
		}
		p.m.Provides = append(p.m.Provides, s)
	})
}

// packages parses the attribute ModulePackages (JVMS 4.7.26).
func (p *moduleParser) packages() {
	seen := make(map[*symbol]bool)
	p.list("package_index", func() {
		s := p.symbol(tagPackage)
		p.once(seen, s)
		p.m.Packages = append(p.m.Packages, s.text)
	})
}

// mainClass parses the attribute ModuleMainClass (JVMS 4.7.27).
func (p *moduleParser) mainClass() {
	p.in(attrMainClass, -1)
	s := p.symbol(tagClass)
	p.knowClass(s)
	p.m.MainClass = s.text
}

func (p *moduleParser) target() {
	p.in(attrTarget, -1)
	p.m.Target = p.text()
}

func (p *moduleParser) hashes() {
	p.in(attrHashes, -1)
	h := ModuleHashes{Algorithm: p.textAt(p.u2())}
	p.list(attrHashes, func() {
		name := p.symbol(tagModule).text
		n := int(p.u2())
		if n == 0 {
			p.fail("empty hash of module %q", name)
		}
		if p.need(n) {
			h.Modules = append(h.Modules, ModuleHash{name, slices.Clone(p.b[p.pos : p.pos+n])})
			p.pos += n
		}
	})
	p.m.Hashes = &h
}

func (p *moduleParser) resolution() {
	p.in(attrResolution, -1)
	r := ModuleResolution(p.u2())
	warn := 0
	for _, f := range [...]ModuleResolution{WarnDeprecated, WarnDeprecatedForRemoval, WarnIncubating} {
		if r&f != 0 {
			warn++
		}
	}
	if warn > 1 {
		p.fail("0x%04x warns of more than one thing", uint16(r))
	}
	p.m.Resolution = r
}

package jar

import (
	"errors"
	"strings"
)

// Clause is an element of an OSGi header (OSGi Core Release 8, 3.2.3 "Common Header Syntax"), as
// "com.example.a;com.example.b;version=1.2;uses:=org.x" of Export-Package.
type Clause struct {
	Paths      []string // what it is about: packages, bundles, capabilities, files
	Attributes []Parameter
	Directives []Parameter
}

// Parameter is an attribute or a directive of a clause.
type Parameter struct {
	Name  string
	Type  string // of an attribute, as "Version" or "List<String>"; empty: a string
	Value string // without quotes
}

// Attribute returns the value of an attribute, the first of several, and whether there is one.
func (c *Clause) Attribute(name string) (value string, ok bool) { return first(c.Attributes, name) }

// Directive returns the value of a directive, the first of several, and whether there is one.
func (c *Clause) Directive(name string) (value string, ok bool) { return first(c.Directives, name) }

func first(list []Parameter, name string) (value string, ok bool) {
	for _, p := range list {
		if p.Name == name {
			return p.Value, true
		}
	}
	return "", false
}

// Clauses returns the parsed value of an OSGi header of the main section, as Import-Package,
// Require-Bundle, Fragment-Host, Provide-Capability or Bundle-SymbolicName; none where there is
// no such header. See [ParseClauses].
func (m *Manifest) Clauses(header string) ([]Clause, error) {
	value, ok := m.Main.Lookup(header)
	if !ok {
		return nil, nil
	}
	list, err := ParseClauses(value)
	if ce, ok := errors.AsType[*ClauseError](err); ok {
		ce.Header = header
	}
	return list, err
}

// ImportPackage returns the packages that the bundle needs.
func (m *Manifest) ImportPackage() ([]Clause, error) { return m.Clauses("Import-Package") }

// ExportPackage returns the packages that the bundle offers to others.
func (m *Manifest) ExportPackage() ([]Clause, error) { return m.Clauses("Export-Package") }

// RequireBundle returns the bundles that the bundle needs.
func (m *Manifest) RequireBundle() ([]Clause, error) { return m.Clauses("Require-Bundle") }

// ParseClauses parses the value of an OSGi header. White space around names, values and paths does
// not count; values that are not quoted may have any characters but comma and semicolon, as
// frameworks read them. The error is a [*ClauseError]; the clauses before the fault are there too.
func ParseClauses(value string) ([]Clause, error) {
	p := clauseParser{text: value}
	var list []Clause
	for {
		c, err := p.clause()
		if err != nil {
			return list, err
		}
		list = append(list, c)
		if p.next() == 0 {
			return list, nil
		}
		p.pos++
	}
}

type clauseParser struct {
	text string
	pos  int
}

// next returns the next byte, 0 at the end.
func (p *clauseParser) next() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *clauseParser) fail(pos int, text string) error { return &ClauseError{Offset: pos, Text: text} }

// clause parses up to the comma that ends it.
func (p *clauseParser) clause() (c Clause, err error) {
	for {
		start := p.pos
		word, quoted, err := p.word(",;=")
		switch {
		case err != nil:
			return c, err
		case p.next() == '=' && !quoted:
			err = p.parameter(&c, word, start)
		case p.next() == '=':
			err = p.fail(start, "name of a parameter in quotes")
		case word == "" && !quoted:
			err = p.fail(start, "empty element")
		case len(c.Attributes)+len(c.Directives) > 0:
			err = p.fail(start, "path behind a parameter")
		default:
			c.Paths = append(c.Paths, word)
		}
		if err != nil {
			return c, err
		}
		if p.next() != ';' {
			return c, nil
		}
		p.pos++
	}
}

// parameter parses from the equals sign that follows a name.
func (p *clauseParser) parameter(c *Clause, name string, start int) error {
	p.pos++
	value, _, err := p.word(",;")
	if err != nil {
		return err
	}
	if len(c.Paths) == 0 {
		return p.fail(start, "parameter without a path before it")
	}
	list := &c.Attributes
	name, directive := strings.CutSuffix(name, ":")
	var kind string
	if directive {
		list = &c.Directives
	} else {
		name, kind, _ = strings.Cut(name, ":")
	}
	if name = strings.TrimSpace(name); name == "" {
		return p.fail(start, "parameter without a name")
	}
	*list = append(*list, Parameter{name, strings.TrimSpace(kind), value})
	return nil
}

// word parses up to one of the bytes of stop, or the end.
func (p *clauseParser) word(stop string) (text string, quoted bool, err error) {
	p.spaces()
	start := p.pos
	if p.next() == '"' {
		if text, err = p.quoted(); err != nil {
			return "", true, err
		}
		p.spaces()
		if p.pos < len(p.text) && strings.IndexByte(stop, p.text[p.pos]) < 0 {
			return "", true, p.fail(p.pos, "text behind a quote")
		}
		return text, true, nil
	}
	n := strings.IndexAny(p.text[start:], stop)
	if n < 0 {
		n = len(p.text) - start
	}
	p.pos = start + n
	return strings.TrimSpace(p.text[start:p.pos]), false, nil
}

func (p *clauseParser) spaces() {
	for p.next() == ' ' || p.next() == '\t' {
		p.pos++
	}
}

// quoted parses a quoted string, in which a backslash stands before quotes and backslashes.
func (p *clauseParser) quoted() (string, error) {
	start := p.pos
	var b strings.Builder
	for p.pos++; p.pos < len(p.text); p.pos++ {
		switch c := p.text[p.pos]; {
		case c == '"':
			p.pos++
			return b.String(), nil
		case c == '\\' && p.pos+1 < len(p.text) && strings.IndexByte(`"\`, p.text[p.pos+1]) >= 0:
			p.pos++
			b.WriteByte(p.text[p.pos])
		default:
			b.WriteByte(c)
		}
	}
	return "", p.fail(start, "unclosed quote")
}

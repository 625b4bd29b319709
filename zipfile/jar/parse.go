package jar

import (
	"fmt"
	"strings"
)

// maxLine is the longest line that the JVM reads, in bytes, its line end included. (The
// specification has 72, but many manifests are written by hand, and OpenJDK was always content
// with this.) Folded headers have no limit.
const maxLine = 512

// readAhead is the size in bytes of the pieces in which the JVM reads a manifest.
const readAhead = 8192

// maxName is the longest name of an attribute, in bytes.
const maxName = 70

// Kinds of findings.
const (
	kindUnterminated = "unterminated"
	kindDuplicate    = "duplicate-attribute"
	kindEncoding     = "encoding"
	kindLongLine     = "long-line"
	kindSeveral      = "several-manifests"
)

// ParseManifest parses a manifest (JAR File Specification, "Name-Value pairs and Sections"). Lines
// end in CR LF, LF or CR; one that begins with a space continues the line before it, byte by
// byte: a character may be cut in two. The error is a [*ManifestError] wherever java.util.jar.Manifest
// gives one. If it lies behind the main section, the manifest is there too, with all main attributes
// and the sections before the fault: the JVM takes Multi-Release from such a manifest, and nothing
// else. b is not kept.
//
// Unlike the JVM, and like the specification, it reads a last line without a line end, if it is
// a header; if not, it is ignored. Either way there is a finding.
func ParseManifest(b []byte) (*Manifest, error) {
	m := &Manifest{raw: string(b)}
	p := parser{m: m, raw: m.raw}
	if err := p.mainSection(); err != nil {
		return nil, err
	}
	err := p.sections()
	m.findings = p.found.all()
	return m, err
}

type parser struct {
	m    *Manifest
	raw  string
	pos  int // of the next line
	line int // how many were read

	folded       []byte // a header as it is put together
	multiRelease bool   // what the JVM reads in the main section
	found        findings
}

// lineState says how a line came to its end.
type lineState uint8

const (
	lineWhole lineState = iota
	lineCut             // the manifest ends within it
	lineLong
	lineNone // there are no more lines
)

// next reads a line, without its line end.
func (p *parser) next() (text string, state lineState) {
	rest := p.raw[p.pos:]
	if rest == "" {
		return "", lineNone
	}
	n := lineEnd(rest[:min(maxLine, len(rest))])
	if n < 0 && len(rest) < maxLine {
		p.pos = len(p.raw)
		p.m.unterminated = true
		p.line++
		return rest, lineCut
	}
	p.line++
	if n < 0 {
		return "", lineLong
	}
	end := n + 1
	if rest[n] == '\r' && end < len(rest) && rest[end] == '\n' {
		// The JVM has room for the CR of the longest line but not for its LF, which becomes a
		// blank line; unless it reads ahead just then.
		if end < maxLine || (p.pos+end)%readAhead == 0 {
			end++
		} else {
			p.found.add(kindLongLine, p.line, "line of %d bytes that ends in CR LF: the JVM sees a blank line after it", n)
		}
	}
	p.pos += end
	return rest[:n], lineWhole
}

// lineEnd returns where the first CR or LF stands, -1 if there is none.
func lineEnd(s string) int {
	lf := strings.IndexByte(s, '\n')
	if lf >= 0 {
		s = s[:lf]
	}
	if cr := strings.IndexByte(s, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// continued reports whether the next line continues the one that was read.
func (p *parser) continued() bool { return p.pos < len(p.raw) && p.raw[p.pos] == ' ' }

func (p *parser) fail(format string, args ...any) error {
	return &ManifestError{Line: p.line, Text: fmt.Sprintf(format, args...)}
}

func (p *parser) mainSection() (err error) {
	m := p.m
	if m.main, err = p.attributes(&m.Main, 0); err == nil {
		m.multiRelease = p.multiRelease && containsFold(p.raw, multiReleaseTrue)
	}
	return err
}

// sections reads all individual sections.
func (p *parser) sections() error {
	for {
		start := p.pos
		text, state := p.next()
		switch {
		case state == lineNone:
			return nil
		case state == lineLong:
			return p.fail("manifest line too long")
		case text == "":
			continue // several blank lines may stand between sections
		}
		name, ok := sectionName(text)
		switch {
		case !ok && state == lineCut:
			p.ignoredCut()
			return nil
		case !ok:
			return p.fail("invalid manifest format")
		}
		name, state, err := p.unfold(name, state, "manifest line too long")
		if err != nil {
			return err
		}
		if state == lineCut {
			p.keptCut()
		}
		s := p.section(p.decode(name))
		part, err := p.attributes(&s.Attributes, start)
		if s.part == (Part{}) {
			s.part = part
		} else {
			s.more = append(s.more, part)
		}
		if err != nil {
			return err
		}
	}
}

// section returns the section of a name, a new one if there was none. It is valid until the next.
func (p *parser) section(name string) *Section {
	m := p.m
	i, ok := m.byName[name]
	if !ok {
		if m.byName == nil {
			m.byName = make(map[string]int)
		}
		i = len(m.sections)
		m.byName[name] = i
		m.sections = append(m.sections, Section{Name: name})
	}
	return &m.sections[i]
}

// sectionName returns what follows "Name: " in any letter case.
func sectionName(text string) (name string, ok bool) {
	const prefix = "Name: "
	if len(text) < len(prefix) || !equalFold(text[:len(prefix)], prefix) {
		return "", false
	}
	return text[len(prefix):], true
}

// unfold reads the lines that continue a value, and tells how the last one ended.
func (p *parser) unfold(value string, state lineState, tooLong string) (string, lineState, error) {
	if !p.continued() {
		return value, state, nil
	}
	p.folded = append(p.folded[:0], value...)
	for p.continued() {
		var text string
		if text, state = p.next(); state == lineLong {
			return "", state, p.fail("%s", tooLong)
		}
		p.folded = append(p.folded, text[1:]...)
	}
	return string(p.folded), state, nil
}

// attributes reads the attributes of a section that begins at start, and the blank line that ends it.
func (p *parser) attributes(a *Attributes, start int) (Part, error) {
	for {
		before := p.pos
		text, state := p.next()
		switch {
		case state == lineNone:
			return Part{Offset: start, Length: p.pos - start}, nil
		case state == lineLong:
			return Part{}, p.fail("line too long")
		case text == "":
			return Part{start, before - start, p.pos - before}, nil
		}
		name, value, err := p.header(text, &state)
		switch {
		case err != nil && state == lineCut:
			p.ignoredCut()
			continue
		case err != nil:
			return Part{}, err
		case state == lineCut:
			p.keptCut()
		case a == &p.m.Main && equalFold(name, multiRelease):
			p.multiRelease = equalFold(value, "true")
		}
		if a.put(name, p.decode(value)) {
			p.found.add(kindDuplicate, p.line, "another value of %s, which is used", name)
		}
	}
}

// header reads a header that begins with a line. The state is then that of its last line.
func (p *parser) header(text string, state *lineState) (name, value string, err error) {
	if text[0] == ' ' {
		return "", "", p.fail("misplaced continuation line")
	}
	name, value, ok := strings.Cut(text, ":")
	if !ok || value == "" || value[0] != ' ' {
		return "", "", p.fail("invalid header field")
	}
	if value, *state, err = p.unfold(value[1:], *state, "line too long"); err != nil {
		return "", "", err
	}
	if !validName(name) {
		name, _ = decode(name)
		return "", "", p.fail("invalid header field name: %s", name)
	}
	return name, value, nil
}

// validName tells whether java.util.jar.Attributes.Name takes a name. The specification wants a
// letter or a digit at its beginning.
func validName(name string) bool {
	for i := range len(name) {
		switch c := lowerByte(name[i]); {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return 0 < len(name) && len(name) <= maxName
}

func (p *parser) decode(s string) string {
	text, valid := decode(s)
	if !valid {
		p.found.add(kindEncoding, p.line, "not UTF-8: %.60q", text)
	}
	return text
}

func (p *parser) keptCut() {
	p.found.add(kindUnterminated, p.line, "the last line has no line end: the JVM ignores what it belongs to")
}

func (p *parser) ignoredCut() {
	p.found.add(kindUnterminated, p.line, "the last line has no line end and is no header: ignored")
}

// findings collects what is odd.
type findings struct {
	list []Finding
	seen map[string]int // by kind, how many there were
}

func (f *findings) add(kind string, line int, format string, args ...any) {
	if f.seen == nil {
		f.seen = make(map[string]int)
	}
	if f.seen[kind]++; f.seen[kind] <= maxFindings {
		f.list = append(f.list, Finding{kind, line, fmt.Sprintf(format, args...)})
	}
}

// all returns what was collected. The last of a kind says how many more there were.
func (f *findings) all() []Finding {
	for i := len(f.list) - 1; i >= 0; i-- {
		n := &f.list[i]
		if more := f.seen[n.Kind] - maxFindings; more > 0 {
			n.Text += fmt.Sprintf(" (and %d more of this kind)", more)
			f.seen[n.Kind] = 0
		}
	}
	return f.list
}

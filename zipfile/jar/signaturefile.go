package jar

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"
)

// digestNames returns the algorithms by which a signature file digests the manifest.
func digestNames(sf *Manifest) []string {
	var names []string
	add := func(a *Attributes, suffix string) {
		for name := range digestsOf(a, suffix) {
			if d := digestNamed(name); d != nil {
				name = d.name
			}
			if !slices.Contains(names, name) && len(names) < len(digestAlgorithms) {
				names = append(names, name)
			}
		}
	}
	add(&sf.Main, "-DIGEST-MANIFEST")
	for i := range sf.sections {
		if len(names) > 0 {
			break
		}
		add(&sf.sections[i].Attributes, "-DIGEST")
	}
	return names
}

// verifyFile checks what a signature file says about the manifest (JAR File Specification, "Signature
// Validation").
func (s *Signer) verifyFile(sf *Manifest, m *signedManifest, date time.Time, cover *coverage) {
	if version := sf.Main.Value("Signature-Version"); !equalFold(version, "1.0") {
		s.reject(fmt.Errorf("signature file of version %.20q: %w", version, errors.ErrUnsupported))
		return
	}
	if m.err != nil {
		s.reject(m.err)
		return
	}
	whole := digestCheck{date: date, sums: []func(*digestAlgorithm) []byte{func(a *digestAlgorithm) []byte {
		return a.sum(m.text)
	}}}
	whole.all(&sf.Main, "-DIGEST-MANIFEST")
	if whole.garbled {
		s.reject(errors.New("digest of the manifest that is no base64"))
		return
	}
	if whole.weakOnly() { // the rest may be wrong all the same
		s.reject(fmt.Errorf("%w: digest of the manifest", ErrWeak))
	}
	s.WholeManifest = whole.matched > 0
	if s.WholeManifest {
		s.MainAttributes = true
		cover.names = cover.listed
		return
	}
	with, _ := m.parts(m.raw.main)
	main := digestCheck{date: date, sums: []func(*digestAlgorithm) []byte{func(a *digestAlgorithm) []byte {
		if with == nil {
			return nil
		}
		return a.sum(with...)
	}}}
	main.all(&sf.Main, "-DIGEST-MANIFEST-MAIN-ATTRIBUTES")
	switch {
	case main.failed > 0:
		s.reject(errors.New("the main attributes of the manifest were changed"))
	case main.weakOnly():
		s.reject(fmt.Errorf("%w: digest of the main attributes", ErrWeak))
	case main.seen > 0 && main.matched == 0:
		s.reject(fmt.Errorf("digest of the main attributes: %w", errors.ErrUnsupported))
	}
	s.MainAttributes = main.matched > 0
	names, sections := make(map[string]bool, len(sf.sections)), make(map[string]bool, len(sf.sections))
	for i := range sf.sections {
		if s.Err != nil {
			return
		}
		section := &sf.sections[i]
		in, ok := m.raw.Section(section.Name)
		with, without := m.parts(slices.Collect(in.Parts())...)
		if !ok || with == nil {
			s.reject(fmt.Errorf("no section in the manifest for %.200q", section.Name))
			return
		}
		c := digestCheck{date: date, sums: []func(*digestAlgorithm) []byte{
			func(a *digestAlgorithm) []byte { return a.sum(with...) },
			func(a *digestAlgorithm) []byte { return a.sum(without...) }, // Netscape's, says the JDK
		}}
		c.all(&section.Attributes, "-DIGEST")
		switch {
		case c.failed > 0:
			s.reject(fmt.Errorf("the section of %.200q in the manifest was changed", section.Name))
		case c.weakOnly():
			s.reject(fmt.Errorf("%w: digest of the section of %.200q", ErrWeak, section.Name))
		case c.matched > 0:
			sections[section.Name] = true
			names[entryName(section.Name)] = true
		}
	}
	if s.Counts() {
		cover.names, cover.sections = names, sections
	}
}

// digestCheck compares digests in attributes with those of what they are said to be of.
type digestCheck struct {
	date time.Time
	sums []func(*digestAlgorithm) []byte // one of them must be it

	seen, weak, matched, failed int
	garbled                     bool // one is no base64
}

func (c *digestCheck) all(a *Attributes, suffix string) {
	for name, value := range digestsOf(a, suffix) {
		c.seen++
		digest := digestNamed(name)
		switch {
		case digest == nil:
			continue
		case !digest.permits(c.date):
			if c.weak++; !fitsAnyway(name) {
				continue
			}
		}
		want, ok := base64Value(value)
		if ok && slices.ContainsFunc(c.sums, func(sum func(*digestAlgorithm) []byte) bool { return bytes.Equal(want, sum(digest)) }) {
			if digest.permits(c.date) {
				c.matched++
			}
		} else {
			c.failed++
		}
		c.garbled = c.garbled || !ok
	}
}

// fitsAnyway tells of a name of an algorithm that does not count whether the digest must be right
// nevertheless: OpenJDK does not find that SHA is SHA-1, so that such a digest counts there.
func fitsAnyway(name string) bool { return equalFold(name, "SHA") }

// weakOnly reports that there are digests, all by algorithms that do not count.
func (c *digestCheck) weakOnly() bool { return c.seen > 0 && c.weak == c.seen }

// withoutCut takes from a manifest or signature file what the JVM does not see of it: a last line without
// a line end, and the lines that it continues.
func withoutCut(b []byte) []byte {
	for {
		start := bytes.LastIndexAny(b, "\r\n") + 1
		continuation := start < len(b) && b[start] == ' '
		if b = b[:start]; !continuation {
			return b
		}
		b = bytes.TrimSuffix(b, []byte("\n"))
		b = bytes.TrimSuffix(b, []byte("\r"))
	}
}

package jar

import (
	"iter"
	"strings"
)

// Attributes are the attributes of a section, in the order of the manifest. Their names are
// compared without regard to letter case; of several of one name the last value counts, in the
// place and the spelling of the first, as in java.util.jar.Attributes.
type Attributes struct {
	list  []attribute
	index map[string]int // places in list by name in lower case; nil as long as list is short
}

type attribute struct{ name, value string }

// Len returns the number of attributes.
func (a *Attributes) Len() int { return len(a.list) }

// All returns names and values.
func (a *Attributes) All() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for _, at := range a.list {
			if !yield(at.name, at.value) {
				return
			}
		}
	}
}

// Lookup returns the value of an attribute, and whether there is one.
func (a *Attributes) Lookup(name string) (value string, ok bool) {
	if i := a.find(name); i >= 0 {
		return a.list[i].value, true
	}
	return "", false
}

// Value returns the value of an attribute, empty if there is none.
func (a *Attributes) Value(name string) string {
	value, _ := a.Lookup(name)
	return value
}

// indexed is the number of attributes from which on an index pays.
const indexed = 16

func (a *Attributes) find(name string) int {
	if a.index != nil {
		if i, ok := a.index[lower(name)]; ok {
			return i
		}
		return -1
	}
	for i := range a.list {
		if equalFold(a.list[i].name, name) {
			return i
		}
	}
	return -1
}

// put sets an attribute and reports whether one of its name had another value.
func (a *Attributes) put(name, value string) (changed bool) {
	if i := a.find(name); i >= 0 {
		changed = a.list[i].value != value
		a.list[i].value = value
		return changed
	}
	a.list = append(a.list, attribute{name, value})
	switch {
	case a.index != nil:
		a.index[lower(name)] = len(a.list) - 1
	case len(a.list) == indexed:
		a.index = make(map[string]int, 2*indexed)
		for i := range a.list {
			a.index[lower(a.list[i].name)] = i
		}
	}
	return false
}

// equalFold compares without regard to the case of ASCII letters, the only ones that names of
// attributes have: the Kelvin sign is no k here.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lowerByte(a[i]) != lowerByte(b[i]) {
			return false
		}
	}
	return true
}

func lower(s string) string {
	for i := range len(s) {
		if s[i] != lowerByte(s[i]) {
			return strings.Map(func(r rune) rune {
				if 'A' <= r && r <= 'Z' {
					return r + 'a' - 'A'
				}
				return r
			}, s)
		}
	}
	return s
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

package backend

import "fmt"

// Info says how a Backend reads, for people and logs.
type Info struct {
	Kind   Kind   // Pread or Mapped; Auto where it is neither
	Asked  Kind   // what Open or Reopen was asked for
	Name   string // "pread", "mapped", "memory", "reader", "section"; that of the first part of what was joined
	Reason string // why it is that: a few words, lower case
}

// Describe says which mechanism b uses and why. It sees through wrappers, see
// [Backend]; of a section the Reason names what it is a section of. A Backend of
// another package is a "reader".
func Describe(b Backend) Info {
	for c := b; c != nil; c = unwrap(c) {
		if d, ok := c.(interface{ describe() Info }); ok {
			return d.describe()
		}
	}
	return Info{Name: "reader", Reason: fmt.Sprintf("given as a %T", b)}
}

func (f *file) info(k Kind) Info {
	return Info{Kind: k, Asked: f.asked, Name: k.String(), Reason: f.reason}
}

package backend

import "fmt"

// Info says how a Backend reads, for people and logs.
type Info struct {
	Kind   Kind   // Pread or Mapped; Auto where it is neither
	Asked  Kind   // what Open or Reopen was asked for
	Name   string // "pread", "mapped", "memory", "reader" or "section"
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

// Changed asks whether the open file of b is still what it was when b was made.
// It returns nil, [ErrChanged], or the error that kept it from finding out, which
// after Close wraps [io/fs.ErrClosed].
//
// It compares size and modification time, and so misses a write of equal length
// within one tick of the file system's clock. A file that was deleted, or replaced
// under its name, is unchanged: b still reads the old one. A Backend without a
// file is unchanged unless it says otherwise, see [Backend].
func Changed(b Backend) error {
	for c := b; c != nil; c = unwrap(c) {
		if d, ok := c.(interface{ Changed() error }); ok {
			return d.Changed()
		}
	}
	return nil
}

func unwrap(b Backend) Backend {
	if w, ok := b.(interface{ Unwrap() Backend }); ok {
		return w.Unwrap()
	}
	return nil
}

func (f *file) info(k Kind) Info {
	return Info{Kind: k, Asked: f.asked, Name: k.String(), Reason: f.reason}
}

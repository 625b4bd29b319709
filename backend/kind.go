package backend

import (
	"fmt"
	"io/fs"
)

// Kind says how [Open] reads a file. As text it is the word that a command line
// accepts, so that flag.TextVar and encoding/json can be used with it.
type Kind uint8

const (
	Auto   Kind = iota // mapped where that is allowed and sensible, else pread
	Pread              // positioned reads on an *os.File
	Mapped             // a read-only mapping
)

var kindNames = [...]string{Auto: "auto", Pread: "pread", Mapped: "mapped"}

func (k Kind) known() bool { return int(k) < len(kindNames) }

// String returns "auto", "pread" or "mapped".
func (k Kind) String() string {
	if !k.known() {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// MarshalText implements [encoding.TextMarshaler]. A value that is none of the
// constants is an error.
func (k Kind) MarshalText() ([]byte, error) {
	if !k.known() {
		return nil, unknownKind(k)
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. It understands what
// MarshalText writes, and "mmap" for Mapped.
func (k *Kind) UnmarshalText(text []byte) error {
	if string(text) == "mmap" {
		*k = Mapped
		return nil
	}
	for i, name := range kindNames {
		if string(text) == name {
			*k = Kind(i)
			return nil
		}
	}
	return fmt.Errorf("unknown backend %q: want auto, pread or mapped", text)
}

func unknownKind(k Kind) error {
	return fmt.Errorf("unknown backend %v: %w", k, fs.ErrInvalid)
}

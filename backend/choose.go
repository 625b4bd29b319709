package backend

import (
	"errors"
	"fmt"
)

// envName is the environment variable that turns Auto into a preference.
const envName = "ZIPFILE_BACKEND"

// facts are all that the choice of a mechanism depends on.
type facts struct {
	asked    Kind
	gateShut bool   // see AllowMapping
	env      string // value of ZIPFILE_BACKEND
	maps     bool   // the platform has mappings
	size     int64
	largest  int64  // the largest size that the address space could take
	block    bool   // a block device, else a regular file
	network  string // name of the network or FUSE file system it is on, if it is known to be on one
}

// choice is the mechanism to use and why.
type choice struct {
	kind   Kind // Pread or Mapped
	reason string
	// fallback says that pread is to be used should mapping fail.
	fallback bool
}

// choose picks the mechanism. Its error says why what was asked for cannot be.
func choose(f facts) (choice, error) {
	if !f.asked.known() {
		return choice{}, unknownKind(f.asked)
	}
	if f.asked == Auto && f.env != "" && f.env != "auto" && f.env != "pread" && f.env != "mapped" {
		return choice{}, fmt.Errorf("%s is %q: want auto, pread or mapped", envName, f.env)
	}
	// The gate comes before everything: a program that may not map yet asks for
	// what it wants in the end.
	if f.gateShut && f.asked != Pread {
		return choice{kind: Pread, reason: "mapping is not allowed yet"}, nil
	}
	switch f.asked {
	case Pread:
		return choice{kind: Pread, reason: "asked for"}, nil
	case Mapped:
		if why := f.unmappable(); why != "" {
			return choice{}, fmt.Errorf("cannot be mapped, %s: %w", why, errors.ErrUnsupported)
		}
		return choice{kind: Mapped, reason: "asked for"}, nil
	}
	if f.env == "pread" {
		return choice{kind: Pread, reason: envName + "=pread"}, nil
	}
	if why := f.unmappable(); why != "" {
		return choice{kind: Pread, reason: why}, nil
	}
	if f.size == 0 {
		return choice{kind: Pread, reason: "empty file"}, nil
	}
	if f.env == "mapped" {
		return choice{kind: Mapped, reason: envName + "=mapped", fallback: true}, nil
	}
	// There a lost server turns a mapped read into a fault.
	if f.network != "" {
		return choice{kind: Pread, reason: "on a network or FUSE file system (" + f.network + ")"}, nil
	}
	return choice{kind: Mapped, reason: "regular file, mapping allowed", fallback: true}, nil
}

// unmappable says what keeps the file from being mapped, or nothing. That a file is
// empty does not: who asks for a mapping gets one of no bytes.
func (f facts) unmappable() string {
	switch {
	case !f.maps:
		return "no mapping on this platform"
	case f.block:
		return "block device"
	case f.size > f.largest:
		return "too large for the address space"
	}
	return ""
}

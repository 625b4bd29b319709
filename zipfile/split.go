package zipfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"zipcat.dev/backend"
)

// partNames tells how the parts of a split archive are called of which name is one (APPNOTE 8.3
// and what tools do): x.z01, x.z02, ..., x.zip, or x.zip.001, x.zip.002, ... The last part of the
// former has the directory. Any number of three digits or more counts, so that x.2024 may be a part.
// ok is false for names of neither form.
func partNames(name string) (part func(i int) string, last string, ok bool) {
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	switch {
	case strings.EqualFold(ext, ".zip"), len(ext) > 3 && (ext[1]|0x20) == 'z' && allDigits(ext[2:]):
		z, zip := "z", ".zip"
		if ext[1] == 'Z' {
			z, zip = "Z", ".ZIP"
		}
		if strings.EqualFold(ext, ".zip") {
			zip = ext
		}
		return func(i int) string { return fmt.Sprintf("%s.%s%02d", stem, z, i) }, stem + zip, true
	case len(ext) > 3 && allDigits(ext[1:]):
		return func(i int) string { return fmt.Sprintf("%s.%0*d", stem, len(ext)-1, i) }, "", true
	}
	return nil, "", false
}

func allDigits(s string) bool {
	_, err := strconv.ParseUint(s, 10, 32)
	return err == nil
}

// openParts opens all parts of the split archive of which name is one, as far as they are there
// from the first on. It is nil where there are no others. To recover what is there the last part is
// not needed.
func openParts(name string, k backend.Kind, recover bool) (backend.Backend, error) {
	part, last, ok := partNames(name)
	if !ok {
		return nil, nil
	}
	var parts []backend.Backend
	closeAll := func() {
		for _, p := range parts {
			p.Close()
		}
	}
	for i := 1; ; i++ {
		b, err := backend.Open(part(i), k)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) { // a directory
			break
		}
		if err != nil {
			closeAll()
			return nil, err
		}
		parts = append(parts, b)
	}
	if len(parts) == 0 {
		return nil, nil
	}
	if last != "" {
		b, err := backend.Open(last, k)
		switch missing := errors.Is(err, fs.ErrNotExist); {
		case err == nil:
			parts = append(parts, b)
		case missing && !recover:
			closeAll()
			err = &FormatError{Offset: -1, Kind: kindSplit, Err: detailf(ErrFormat, "part of a split archive: %s is missing", filepath.Base(last))}
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		case !missing:
			closeAll()
			return nil, err
		}
	}
	b, err := backend.Join(parts...)
	if err != nil {
		closeAll()
		err = &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return b, err
}

// nextPartMissing says which part is missing behind those of x.zip.001 and so on that are there, in
// place of an error that the archive is cut off.
func nextPartMissing(err error, name string, joined backend.Backend) error {
	part, last, _ := partNames(name)
	if kind := ErrorKind(err); last != "" || kind != kindTruncated && kind != kindNone {
		return err
	}
	n := len(backend.Parts(joined))
	err = &FormatError{Offset: -1, Kind: kindSplit, Err: detailf(ErrFormat, "cut off behind part %d of a split archive: %s is missing", n, filepath.Base(part(n+1)))}
	return &fs.PathError{Op: "open", Path: name, Err: err}
}

// hasOtherParts reports that the file is one of several parts that are there.
func hasOtherParts(name string) bool {
	part, last, ok := partNames(name)
	if !ok {
		return false
	}
	for _, other := range [...]string{part(1), part(2), last} {
		if other == "" || other == name {
			continue
		}
		if st, err := os.Stat(other); err == nil && st.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// mayBePart reports an error of a file that may be a part of a split archive.
func mayBePart(err error) bool {
	switch ErrorKind(err) {
	case kindSplit, kindTruncated, kindNone, kindFormat:
		return true
	}
	return false
}

// splitError names the parts that are missing of a split archive whose last part is number disk,
// counted from 0.
func (o *opening) splitError(pos int64, disk uint32) error {
	missing := fmt.Sprintf("its parts 1 to %d are missing", disk)
	if disk == 0 {
		missing = "other parts are missing"
	} else if part, last, ok := partNames(o.z.name); ok && last != "" {
		if names := missingParts(part, int(min(disk, maxLooked))); len(names) > 0 {
			missing = strings.Join(names, ", ") + " missing"
		}
	}
	return &FormatError{Offset: pos, Record: recEnd, Kind: kindSplit, Err: detailf(ErrFormat, "part %d of a split archive: %s", uint64(disk)+1, missing)}
}

// maxLooked is how many parts are looked for to say which are missing.
const maxLooked = 500

// missingParts lists those of the first n parts that are not there, runs of them as one.
func missingParts(part func(i int) string, n int) (names []string) {
	const most = 8
	for i := 1; i <= n && len(names) < most; i++ {
		if _, err := os.Stat(part(i)); err == nil {
			continue
		}
		from := i
		for i < n {
			if _, err := os.Stat(part(i + 1)); err == nil {
				break
			}
			i++
		}
		if first := filepath.Base(part(from)); from == i {
			names = append(names, first)
		} else {
			names = append(names, first+" to "+filepath.Base(part(i)))
		}
	}
	if len(names) > 0 {
		verb := " is"
		if len(names) > 1 || strings.Contains(names[0], " to ") {
			verb = " are"
		}
		names[len(names)-1] += verb
	}
	return names
}

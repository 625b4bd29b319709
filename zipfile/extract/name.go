package extract

import (
	"strings"
	"unicode/utf8"

	"zipcat.dev/zipfile"
)

// nameFault tells why an entry cannot be unpacked as name, "" if it can: the rule by which
// zipfile leaves entries out of its FS.
//
// It stands here as long as zipfile exports no such function.
func nameFault(e zipfile.Entry, name string) string {
	const flagUTF8 = 1 << 11
	if e.Flags()&flagUTF8 != 0 && !utf8.ValidString(e.RawName()) {
		return "name marked as UTF-8 that is not"
	}
	path := strings.TrimSuffix(name, "/")
	switch {
	case path == "":
		return "empty name"
	case path[0] == '/':
		return "absolute name"
	case len(path) >= 2 && path[1] == ':' && 'a' <= path[0]|0x20 && path[0]|0x20 <= 'z':
		return "name with a drive"
	case !utf8.ValidString(path):
		return "name that is not UTF-8"
	}
	for _, r := range path {
		switch {
		case r == 0:
			return "NUL byte in the name"
		case r < ' ', r >= 0x7f && r < 0xa0:
			return "control character in the name"
		case r == '\\':
			return "backslash in the name"
		}
	}
	for elem := range strings.SplitSeq(path, "/") {
		switch elem {
		case "":
			return "empty element in the name"
		case ".", "..":
			return "element " + elem + " in the name"
		}
	}
	return ""
}

// windowsFault tells why Windows cannot hold a name as it is ("Naming Files, Paths, and
// Namespaces"): it would be another file, a stream of one, or a device.
func windowsFault(name string) string {
	for elem := range strings.SplitSeq(strings.TrimSuffix(name, "/"), "/") {
		if i := strings.IndexAny(elem, `<>:"|?*`); i >= 0 {
			return "Windows has no " + elem[i:i+1] + " in names"
		}
		if last := elem[len(elem)-1]; last == '.' || last == ' ' {
			return "Windows drops a dot or space at the end of a name"
		}
		if isDeviceName(elem) {
			return "the name of a device on Windows"
		}
	}
	return ""
}

// isDeviceName reports CON, NUL and the like, with whatever extension: before Windows 11
// "nul.txt" is NUL too, and so is "nul .txt".
func isDeviceName(elem string) bool {
	stem, _, _ := strings.Cut(elem, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	if port, ok := strings.CutPrefix(stem, "COM"); ok {
		return isPort(port)
	}
	port, ok := strings.CutPrefix(stem, "LPT")
	return ok && isPort(port)
}

func isPort(s string) bool {
	switch s {
	case "¹", "²", "³": // digits to the code page of old programs, and to Windows
		return true
	}
	return len(s) == 1 && s[0] >= '0' && s[0] <= '9'
}

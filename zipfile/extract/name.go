package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"zipcat.dev/zipfile"
)

// windowsFault tells why Windows cannot hold a name as it is ("Naming Files, Paths, and
// Namespaces"): it would be another file, a stream of one, or a device.
func windowsFault(name string) string {
	for elem := range strings.SplitSeq(strings.TrimSuffix(name, "/"), "/") {
		if elem == "" {
			continue // no path anyway
		}
		if i := strings.IndexAny(elem, windowsForbidden); i >= 0 {
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

// RelativePath returns a name without what some tools put into names that do no harm, but are no paths below a
// directory: slashes at the beginning, "." and empty elements. "./a//b" is a/b, "/a/" is a/, "./" is "". Other
// names stay as they are. Two names may become one.
func RelativePath(name string) string {
	elems := strings.Split(name, "/")
	kept := slices.DeleteFunc(elems, func(elem string) bool { return elem == "" || elem == "." })
	path := strings.Join(kept, "/")
	if path != "" && len(kept) < len(elems) && strings.HasSuffix(name, "/") {
		path += "/"
	}
	return path
}

// rightlyMarked reports an entry whose name is not marked as UTF-8, or is.
func rightlyMarked(e zipfile.Entry) bool {
	const markedUTF8 = 1 << 11 // general purpose bit flag (APPNOTE 4.4.4)
	return e.Flags()&markedUTF8 == 0 || utf8.ValidString(e.RawName())
}

// WindowsPath returns a path that Windows can hold for one that it cannot: characters that it has
// not, and dots and spaces that end an element, become underscores, and the names of devices get one
// behind ("nul.txt": "nul_.txt"). Paths that it can hold stay as they are. Two paths may become one.
func WindowsPath(path string) string {
	if windowsFault(path) == "" {
		return path
	}
	elems := strings.Split(path, "/")
	for i, elem := range elems {
		b := []byte(elem)
		for j, c := range b {
			if c < ' ' || strings.IndexByte(windowsForbidden, c) >= 0 {
				b[j] = '_'
			}
		}
		for j := len(b) - 1; j >= 0 && (b[j] == '.' || b[j] == ' '); j-- {
			b[j] = '_'
		}
		if elem = string(b); isDeviceName(elem) {
			stem, rest, dot := strings.Cut(elem, ".")
			if elem = stem + "_"; dot {
				elem += "." + rest
			}
		}
		elems[i] = elem
	}
	return strings.Join(elems, "/")
}

const windowsForbidden = `<>:"|?*\`

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

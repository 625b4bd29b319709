package jar

import (
	"strings"
	"unicode"
)

// identifierStart is Character.isJavaIdentifierStart.
func identifierStart(r rune) bool {
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Sc, unicode.Pc)
}

// identifierPart is Character.isJavaIdentifierPart.
func identifierPart(r rune) bool {
	switch {
	case r <= 8, 0xe <= r && r <= 0x1b, 0x7f <= r && r <= 0x9f:
		return true
	}
	return identifierStart(r) || unicode.In(r, unicode.Nd, unicode.Mc, unicode.Mn, unicode.Cf)
}

// isReserved reports keywords and literals, which are no identifiers (JLS 3.8, 3.9).
func isReserved(s string) bool {
	switch s {
	case "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue",
		"default", "do", "double", "else", "enum", "extends", "final", "finally", "float", "for", "goto", "if",
		"implements", "import", "instanceof", "int", "interface", "long", "native", "new", "package", "private",
		"protected", "public", "return", "short", "static", "strictfp", "super", "switch", "synchronized", "this",
		"throw", "throws", "transient", "try", "void", "volatile", "while", "true", "false", "null", "_":
		return true
	}
	return false
}

func isIdentifier(s string) bool {
	if s == "" || isReserved(s) {
		return false
	}
	for i, r := range s {
		if i == 0 && !identifierStart(r) || !identifierPart(r) {
			return false // also what is no UTF-8, which is U+FFFD here
		}
	}
	return true
}

// isQualified reports a name of identifiers with dots between them, as of a module, package or class.
func isQualified(s string) bool {
	for id := range strings.SplitSeq(s, ".") {
		if !isIdentifier(id) {
			return false
		}
	}
	return true
}

// packageOf returns the package of a binary name, empty for the unnamed package.
func packageOf(class string) string { return class[:max(strings.LastIndexByte(class, '.'), 0)] }

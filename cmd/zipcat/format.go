package main

import (
	"io/fs"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// printable quotes a name that a terminal could take for commands: with control characters,
// or such that turn the direction of what follows, or bytes that are no UTF-8.
func printable(name string) string {
	if utf8.ValidString(name) && !strings.ContainsFunc(name, unsafeRune) {
		return name
	}
	return strconv.Quote(name)
}

func unsafeRune(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0: // C0, DEL, C1
		return true
	case r == 0x2028, r == 0x2029: // line and paragraph separator
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c: // bidirectional controls
		return true
	case r == 0xfeff: // takes no room
		return true
	}
	return false
}

// safeText replaces what a terminal could take for commands: some error from below quotes no names.
func safeText(text string) string {
	return strings.Map(func(r rune) rune {
		if unsafeRune(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// plural gives "1 entry", "2 entries".
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

// humanSize gives a number of bytes in at most four characters, in powers of 1024: 1.2K.
func humanSize(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10)
	}
	v, unit := float64(n)/1024, 0
	for ; v >= 999.5 && unit < len("KMGTPE")-1; unit++ {
		v /= 1024
	}
	prec := 0
	if v < 9.95 {
		prec = 1
	}
	return strconv.FormatFloat(v, 'f', prec, 64) + "KMGTPE"[unit:unit+1]
}

// ratio is the share of the size that compression saved, negative where it added.
func ratio(size, compressed int64) string {
	if size == 0 {
		return "-"
	}
	return strconv.FormatFloat(100-100*float64(compressed)/float64(size), 'f', 0, 64) + "%"
}

func localTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// modeString gives type and permissions as ls -l does: "-rwsr-xr-x".
func modeString(m fs.FileMode) string {
	b := []byte("-rwxrwxrwx")
	switch {
	case m.IsDir():
		b[0] = 'd'
	case m&fs.ModeSymlink != 0:
		b[0] = 'l'
	case m&fs.ModeCharDevice != 0:
		b[0] = 'c'
	case m&fs.ModeDevice != 0:
		b[0] = 'b'
	case m&fs.ModeNamedPipe != 0:
		b[0] = 'p'
	case m&fs.ModeSocket != 0:
		b[0] = 's'
	}
	for i := range 9 {
		if m&(1<<(8-i)) == 0 {
			b[1+i] = '-'
		}
	}
	for _, s := range [...]struct {
		bit  fs.FileMode
		at   int
		char byte
	}{{fs.ModeSetuid, 3, 's'}, {fs.ModeSetgid, 6, 's'}, {fs.ModeSticky, 9, 't'}} {
		if m&s.bit == 0 {
			continue
		}
		if b[s.at] == '-' {
			b[s.at] = s.char - 'a' + 'A' // not executable
		} else {
			b[s.at] = s.char
		}
	}
	return string(b)
}

// saturated adds sizes, of which an archive may declare more than there is.
func saturated(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

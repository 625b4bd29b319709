package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"zipcat.dev/zipfile"
)

// printJSON prints v as one object on a line.
func (a *app) printJSON(v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // names are read by people too
	enc.Encode(v)            // v can always be encoded
	line := strings.TrimSuffix(b.String(), "\n")
	if strings.ContainsFunc(line, unsafeRune) {
		// They stand in strings only. The encoder escapes no C1 and no bidirectional controls.
		var safe strings.Builder
		for _, r := range line {
			if unsafeRune(r) {
				fmt.Fprintf(&safe, "\\u%04x", r)
			} else {
				safe.WriteRune(r)
			}
		}
		line = safe.String()
	}
	a.out.WriteString(line)
	a.out.WriteByte('\n')
}

// listedEntry is a line of ls --json.
type listedEntry struct {
	Name           string   `json:"name"`
	RawName        string   `json:"raw_name,omitempty"` // base64, where it is not name
	Size           int64    `json:"size"`
	CompressedSize int64    `json:"compressed_size"`
	CRC32          string   `json:"crc32"`
	Method         string   `json:"method"`
	Mode           string   `json:"mode"`
	Modified       string   `json:"modified,omitempty"`
	NoZone         bool     `json:"modified_without_zone,omitempty"` // modified is a wall clock's somewhere
	Dir            bool     `json:"dir"`
	Target         *string  `json:"target,omitempty"` // of a link, if it can be read
	Encrypted      bool     `json:"encrypted"`
	Encryption     string   `json:"encryption,omitempty"`
	Index          int      `json:"index"` // place in the directory, from 0
	HeaderOffset   int64    `json:"header_offset"`
	Comment        string   `json:"comment"`
	Findings       []string `json:"findings,omitempty"`
}

func listed(name string, e zipfile.Entry, findings []string) *listedEntry {
	l := &listedEntry{
		Name:           name,
		Size:           e.Size(),
		CompressedSize: e.CompressedSize(),
		CRC32:          fmt.Sprintf("%08x", e.CRC32()),
		Method:         e.Method().String(),
		Mode:           modeString(e.Mode()),
		Modified:       jsonTime(e.Modified()),
		Dir:            e.IsDir(),
		Encrypted:      e.Encrypted(),
		Encryption:     e.Encryption(),
		Index:          e.Index(),
		HeaderOffset:   e.HeaderOffset(),
		Comment:        e.Comment(),
		Findings:       findings,
	}
	if l.Modified != "" {
		l.NoZone = hasNoZone(e)
	}
	if e.Mode()&fs.ModeSymlink != 0 && e.Size() <= maxTarget {
		if b, err := e.ReadAll(); err == nil {
			target := string(b)
			l.Target = &target
		}
	}
	if raw := e.RawName(); raw != e.Name() {
		l.RawName = base64.StdEncoding.EncodeToString([]byte(raw))
	}
	return l
}

// hasNoZone reports an entry whose time is that of a wall clock in an unknown zone, as MS-DOS's is.
func hasNoZone(e zipfile.Entry) bool {
	return !e.ModifiedIn(time.FixedZone("", 3600)).Equal(e.Modified())
}

// jsonTime is RFC 3339 in UTC, empty for times that are unknown or have no such form: NTFS
// times reach into the year 30828.
func jsonTime(t time.Time) string {
	if t.IsZero() || t.UTC().Year() > 9999 || t.UTC().Year() < 0 {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// testedEntry is a line of test --json.
type testedEntry struct {
	Archive string `json:"archive,omitempty"` // with several archives
	Name    string `json:"name"`
	Status  string `json:"status"` // "ok", "error"
	Error   string `json:"error,omitempty"`
	Message string `json:"message,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
}

// testedArchive is the last line of an archive in test --json.
type testedArchive struct {
	Archive string  `json:"archive,omitempty"`
	Summary summary `json:"summary"`
}

type summary struct {
	Entries  int            `json:"entries"`
	OK       int            `json:"ok"`
	Errors   int            `json:"errors"`
	Findings []foundFinding `json:"findings"`
	Backend  string         `json:"backend"`
}

type foundFinding struct {
	Kind   string `json:"kind"`
	Entry  string `json:"entry"`
	Offset int64  `json:"offset"`
	Text   string `json:"text"`
}

// String is the finding in a line.
func (f foundFinding) String() string {
	text := f.Kind + ": "
	if f.Entry != "" {
		text += printable(f.Entry) + ": "
	}
	return text + f.Text
}

// foundFindings is never nil: JSON has an empty list.
func foundFindings(found []zipfile.Finding) []foundFinding {
	list := make([]foundFinding, len(found))
	for i, f := range found {
		list[i] = foundFindingOf(f)
	}
	return list
}

func foundFindingOf(f zipfile.Finding) foundFinding {
	return foundFinding{Kind: f.Kind, Entry: f.Entry, Offset: f.Offset, Text: f.Text}
}

// openError is the only line of an archive that cannot be opened.
type openError struct {
	Archive string `json:"archive,omitempty"`
	Kind    string `json:"open_error"`
	Message string `json:"message"`
}

// openErrorKind sorts the reasons why an archive cannot be opened.
func openErrorKind(err error) string {
	switch kind := zipfile.ErrorKind(err); {
	case kind == "none", kind == "truncated", kind == "format", kind == "split", kind == "limit":
		return kind
	case kind != "changed" && errors.Is(err, zipfile.ErrFormat):
		return "format" // what is wrong with one entry makes Strict refuse the archive
	}
	return "io"
}

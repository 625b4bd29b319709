package jar

import (
	"fmt"
	"io/fs"

	"zipcat.dev/zipfile"
)

// ErrNoManifest is the error for an archive without a manifest; errors.Is finds fs.ErrNotExist
// in it.
var ErrNoManifest error = &noManifest{}

type noManifest struct{}

func (*noManifest) Error() string { return "no " + manifestName }
func (*noManifest) Unwrap() error { return fs.ErrNotExist }

// ManifestError tells what is wrong with a manifest, in the words of java.util.jar, which does
// not read it either. It wraps [zipfile.ErrFormat].
type ManifestError struct {
	Line int    // of the manifest, from 1
	Text string // as "invalid header field"
}

func (e *ManifestError) Error() string { return fmt.Sprintf("%s (line %d)", e.Text, e.Line) }
func (e *ManifestError) Unwrap() error { return zipfile.ErrFormat }

// ClauseError tells what is wrong with the value of an OSGi header. It wraps [zipfile.ErrFormat].
type ClauseError struct {
	Header string // its name, empty where that is not known
	Offset int    // in the value, bytes
	Text   string // as "unclosed quote"
}

func (e *ClauseError) Error() string {
	text := fmt.Sprintf("%s at byte %d", e.Text, e.Offset)
	if e.Header != "" {
		text = e.Header + ": " + text
	}
	return text
}

func (e *ClauseError) Unwrap() error { return zipfile.ErrFormat }

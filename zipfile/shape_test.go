package zipfile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// shapeOf must not call plain or clean what is not; what is not odd at all it should know.
func TestShape(t *testing.T) {
	t.Parallel()
	fill := []string{"", "a", "ab/c", "com/example/Foo", "com/example/package/Name$1"}
	bytes := []string{"/", ".", "\\", ":", "\x00", "\x1f", " ", "\x7f", "\x80", "\xff", "é", "a", "//", "/.", "./", "0", "-", "~", "!"}
	for _, before := range fill {
		for _, after := range fill {
			for _, a := range bytes {
				for _, b := range bytes {
					name := before + a + after + b + after
					got := shapeOf(name)
					isPlain := !strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 || r == '\\' }) && name != ""
					if got >= plain {
						assert.True(t, isPlain, "%q is plain", name)
					}
					if got == clean {
						assert.Empty(t, nameFault(name), "%q is clean", name)
					}
					if isPlain && got == odd {
						assert.Contains(t, "./", name[:1], "%q is odd", name)
					}
					if nameFault(name) == "" && isPlain && !strings.Contains("/"+name, "/.") && !strings.Contains(name, ":") && !strings.HasSuffix(name, "/") {
						assert.Equal(t, clean, got, "%q", name)
					}
				}
			}
		}
	}
	for _, name := range []string{"META-INF/MANIFEST.MF", "a", "com/example/Foo.class", "12345678", "a b~"} {
		assert.Equal(t, clean, shapeOf(name), name)
	}
}

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPathOfURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, want string }{
		{"a.jar", "a.jar"},
		{"a.jar!/b", "a.jar!/b"},
		{"file:/x/a.jar", "/x/a.jar"},
		{"file:///x/a.jar", "/x/a.jar"},
		{"file://localhost/x/a.jar", "/x/a.jar"},
		{"file:a.jar", "a.jar"},
		{"jar:file:/x/a.jar!/", "/x/a.jar!/"},
		{"jar:file:/x%20y/a+b.jar!/p/C%23.class", "/x y/a+b.jar!/p/C#.class"},
		{"jar:file:/x/a.jar!/BOOT-INF/lib/b.jar!/C.class", "/x/a.jar!/BOOT-INF/lib/b.jar!/C.class"},
		{"jar:nested:/x/a.jar/!BOOT-INF/lib/b.jar!/C.class", "/x/a.jar!/BOOT-INF/lib/b.jar!/C.class"},
		{"nested:/x/a.jar/!BOOT-INF/lib/b.jar", "/x/a.jar!/BOOT-INF/lib/b.jar"},
		{"file://server/share/a.jar", "file://server/share/a.jar"},
		{"file://localhost.example/a.jar", "file://localhost.example/a.jar"},
		{"file:/x/%zz.jar", "file:/x/%zz.jar"},
		{"jar:a.jar", "jar:a.jar"},
		{"https://example.com/a.jar", "https://example.com/a.jar"},
	} {
		assert.Equal(t, c.want, pathOfURL(c.name))
	}
}

package jar_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/zipfile/jar"
)

// attributeCases are manifests with a main class and a class path.
var attributeCases = []struct {
	manifest string
	main     string
	path     []string
}{
	{"A: 1\n", "", nil},
	{"Main-Class: a.B\nClass-Path: x.jar\n", "a.B", []string{"x.jar"}},
	{"main-class:  \ta.B\x01\x00 \nclass-path:   lib/a.jar  lib/b.jar\tc/ \n", "a.B", []string{"lib/a.jar", "lib/b.jar", "c/"}},
	{"Main-Class: \u00a0a.B\u3000\nClass-Path: a\u00a0b\x0bc\fd\u3000e\x00f\n", "\u00a0a.B\u3000", []string{"a\u00a0b\vc", "d\u3000e\x00f"}},
	{"Main-Class: a b\nClass-Path: li\n b/a.jar\n  b%20c.jar\n", "a b", []string{"lib/a.jar", "b%20c.jar"}},
	{"Main-Class:  \nClass-Path: \n", "", nil},
}

func TestMainClassAndClassPath(t *testing.T) {
	t.Parallel()
	for _, c := range attributeCases {
		m, err := jar.ParseManifest([]byte(c.manifest))
		require.NoError(t, err)
		assert.Equal(t, c.main, m.MainClass())
		if c.path == nil {
			assert.Empty(t, m.ClassPath())
		} else {
			assert.Equal(t, c.path, m.ClassPath())
		}
	}
}

// javaAttributes writes main class and class path as Manifests.java does.
func javaAttributes(t *testing.T, manifest string) string {
	t.Helper()
	m, err := jar.ParseManifest([]byte(manifest))
	require.NoError(t, err)
	var b strings.Builder
	javaLine(&b, "class %s", m.MainClass())
	for _, url := range m.ClassPath() {
		javaLine(&b, "path %s", url)
	}
	return b.String()
}

func TestWellKnownAttributes(t *testing.T) {
	t.Parallel()
	m, err := jar.ParseManifest([]byte(strings.Join([]string{
		"Manifest-Version: 1.0",
		"Created-By: 25 (Oracle Corporation)",
		"Automatic-Module-Name: com.example",
		"Launcher-Agent-Class: com.example.Agent",
		"Multi-Release: true",
		"Specification-Title: st", "Specification-Version: 1", "Specification-Vendor: sv",
		"Implementation-Title: it", "Implementation-Version: 2", "Implementation-Vendor: iv",
		"Sealed: True",
		"", "Name: com/example/own/", "Implementation-Title: own", "Sealed: no", "",
	}, "\n")))
	require.NoError(t, err)
	assert.Equal(t, "25 (Oracle Corporation)", m.CreatedBy())
	assert.Equal(t, "com.example", m.AutomaticModuleName())
	assert.Equal(t, "com.example.Agent", m.LauncherAgentClass())
	assert.True(t, m.MultiRelease())
	all := jar.Package{SpecificationTitle: "st", SpecificationVersion: "1", SpecificationVendor: "sv",
		ImplementationTitle: "it", ImplementationVersion: "2", ImplementationVendor: "iv", Sealed: true}
	assert.Equal(t, all, m.Package(""))
	assert.Equal(t, all, m.Package("com.example"))
	own := all
	own.ImplementationTitle, own.Sealed = "own", false
	assert.Equal(t, own, m.Package("com.example.own"))

	// The JVM does not see a last line without a line end, others do.
	m, err = jar.ParseManifest([]byte("Multi-Release: false\nMulti-Release: true"))
	require.NoError(t, err)
	assert.Equal(t, "true", m.Main.Value("Multi-Release"))
	assert.False(t, m.MultiRelease())
	m, err = jar.ParseManifest([]byte("Multi-Release: true\nMulti-Release: false"))
	require.NoError(t, err)
	assert.True(t, m.MultiRelease())
}

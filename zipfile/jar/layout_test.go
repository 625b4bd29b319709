package jar

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// archiveOf builds an archive of names; NAME=TEXT has contents.
func archiveOf(names ...string) ziptest.Archive {
	a := ziptest.Archive{}
	for _, n := range names {
		name, text, _ := strings.Cut(n, "=")
		a.Entries = append(a.Entries, ziptest.Entry{Name: name, Data: []byte(text)})
	}
	return a
}

const (
	bootManifest = "META-INF/MANIFEST.MF=Manifest-Version: 1.0\nMain-Class: org.springframework.boot.loader.launch.JarLauncher\nStart-Class: x.App\n" +
		"Spring-Boot-Version: 3.3.5\nSpring-Boot-Classes: BOOT-INF/classes/\nSpring-Boot-Lib: BOOT-INF/lib/\n" +
		"Spring-Boot-Classpath-Index: BOOT-INF/classpath.idx\nSpring-Boot-Layers-Index: BOOT-INF/layers.idx\n"
	plainManifest = "META-INF/MANIFEST.MF=Manifest-Version: 1.0\n"
	layersIndex   = `BOOT-INF/layers.idx=- "dependencies":
  - "BOOT-INF/lib/b.jar"
- "spring-boot-loader":
  - "org/"
- "snapshot-dependencies":
- "application":
  - "BOOT-INF/classes/"
  - "BOOT-INF/lib/"
`
)

func TestReadLayout(t *testing.T) {
	t.Parallel()
	bootLibs := []string{"BOOT-INF/lib/a.jar", "BOOT-INF/lib/b.jar", "BOOT-INF/lib/a.jar", "BOOT-INF/lib/c.jar", "BOOT-INF/lib/", "BOOT-INF/library.jar"}
	for _, tt := range []struct {
		name   string
		a      ziptest.Archive
		want   Layout
		broken string // the error holds it
	}{
		{name: "empty", a: archiveOf(), want: Layout{Kind: LayoutZip}},
		{name: "zip", a: archiveOf("a.txt", "lib/x.jar"), want: Layout{Kind: LayoutZip}},
		{name: "jar", a: archiveOf(plainManifest, "x/A.class", "lib/x.jar"), want: Layout{Kind: LayoutJar, Classes: []string{""}}},
		{name: "jar without manifest", a: archiveOf("x/A.class"), want: Layout{Kind: LayoutJar, Classes: []string{""}}},
		{name: "manifest alone", a: archiveOf(plainManifest), want: Layout{Kind: LayoutJar, Classes: []string{""}}},
		{name: "dex jar", a: archiveOf("classes.dex"), want: Layout{Kind: LayoutZip, Dex: []string{"classes.dex"}}},
		{name: "boot", a: archiveOf(append(slices.Clone(bootLibs), bootManifest, "BOOT-INF/classes/x/App.class")...),
			want: Layout{Kind: LayoutSpringBootJar, Classes: []string{"BOOT-INF/classes/"}, Libraries: []string{"BOOT-INF/lib/a.jar", "BOOT-INF/lib/b.jar", "BOOT-INF/lib/c.jar"}}},
		{name: "boot with indexes", a: archiveOf(append(slices.Clone(bootLibs), bootManifest, layersIndex,
			"BOOT-INF/classpath.idx=- \"BOOT-INF/lib/c.jar\"\r\n\n- \"BOOT-INF/lib/gone.jar\"\n- \"BOOT-INF/lib/b.jar\"\n- \"BOOT-INF/lib/c.jar\"")...),
			want: Layout{Kind: LayoutSpringBootJar, Classes: []string{"BOOT-INF/classes/"}, Libraries: []string{"BOOT-INF/lib/a.jar", "BOOT-INF/lib/c.jar", "BOOT-INF/lib/b.jar"},
				Missing: []string{"BOOT-INF/lib/gone.jar"}, Reordered: true, Layers: []Layer{{"dependencies", []string{"BOOT-INF/lib/b.jar"}}, {"spring-boot-loader", []string{"org/"}},
					{Name: "snapshot-dependencies"}, {"application", []string{"BOOT-INF/classes/", "BOOT-INF/lib/"}}}}},
		{name: "boot, index of another place", a: archiveOf("META-INF/MANIFEST.MF=Manifest-Version: 1.0\nSpring-Boot-Classes: app\nSpring-Boot-Lib: libs/\nSpring-Boot-Classpath-Index: cp.idx\n",
			"libs/b.jar", "libs/a.dat", "libs/deep/c.jar", "cp.idx=- \"libs/b.jar\"\n- \"libs/a.dat\"\n- \"libs/deep/c.jar\"\n"),
			want: Layout{Kind: LayoutSpringBootJar, Classes: []string{"app/"}, Libraries: []string{"libs/b.jar", "libs/a.dat", "libs/deep/c.jar"}}},
		{name: "boot, old loader", a: archiveOf("META-INF/MANIFEST.MF=Manifest-Version: 1.0\nMain-Class: org.springframework.boot.loader.PropertiesLauncher\n", "BOOT-INF/lib/b.jar"),
			want: Layout{Kind: LayoutSpringBootJar, Classes: []string{"BOOT-INF/classes/"}, Libraries: []string{"BOOT-INF/lib/b.jar"}}},
		{name: "boot, bad index", a: archiveOf(bootManifest, "BOOT-INF/lib/b.jar", "BOOT-INF/classpath.idx=- \"BOOT-INF/lib/b.jar\"\n- BOOT-INF/lib/a.jar\n"),
			want:   Layout{Kind: LayoutSpringBootJar, Classes: []string{"BOOT-INF/classes/"}, Libraries: []string{"BOOT-INF/lib/b.jar"}},
			broken: `BOOT-INF/classpath.idx: found "- BOOT-INF/lib/a.jar", expected - "NAME" (line 2)`},
		{name: "boot, bad layers", a: archiveOf(bootManifest, "BOOT-INF/layers.idx=\n  - \"x\"\n"), want: Layout{Kind: LayoutSpringBootJar, Classes: []string{"BOOT-INF/classes/"}},
			broken: `BOOT-INF/layers.idx: found "  - \"x\"", expected - "LAYER": or, below one,   - "PATH" (line 2)`},
		{name: "boot, directories that lead out", a: archiveOf("META-INF/MANIFEST.MF=Manifest-Version: 1.0\nSpring-Boot-Classes: ../../../etc\nSpring-Boot-Lib: /lib\n", "/lib/a.jar", "BOOT-INF/lib/b.jar"),
			want:   Layout{Kind: LayoutSpringBootJar},
			broken: "META-INF/MANIFEST.MF: Spring-Boot-Classes is \"../../../etc/\": element .. in the name\nMETA-INF/MANIFEST.MF: Spring-Boot-Lib is \"/lib/\": absolute"},
		{name: "boot war", a: archiveOf("META-INF/MANIFEST.MF=Manifest-Version: 1.0\nMain-Class: org.springframework.boot.loader.launch.WarLauncher\n",
			"WEB-INF/lib-provided/p.jar", "WEB-INF/lib/a.jar", "WEB-INF/classpath.idx=- \"WEB-INF/lib/a.jar\"\n- \"WEB-INF/lib-provided/p.jar\"\n"),
			want: Layout{Kind: LayoutSpringBootWar, Classes: []string{"WEB-INF/classes/"}, Libraries: []string{"WEB-INF/lib/a.jar", "WEB-INF/lib-provided/p.jar"}, Reordered: true}},
		{name: "war", a: archiveOf(plainManifest, "WEB-INF/web.xml", "WEB-INF/classes/A.class", "WEB-INF/lib/b.jar", "WEB-INF/lib/a.jar", "WEB-INF/lib/a.txt", "WEB-INF/lib/deep/c.jar"),
			want: Layout{Kind: LayoutWar, Classes: []string{"WEB-INF/classes/"}, Libraries: []string{"WEB-INF/lib/b.jar", "WEB-INF/lib/a.jar"}}},
		{name: "ear", a: archiveOf(plainManifest, "web.war", "ejb.jar", "lib/a.jar", "other/b.jar", `META-INF/application.xml=<?xml version="1.0" encoding="UTF-8"?>
			<j:application xmlns:j="https://jakarta.ee/xml/ns/jakartaee"><display-name>x</display-name><j:module><j:web><j:web-uri>/web.war</j:web-uri><j:context-root>/</j:context-root></j:web></j:module>
			<module><ejb> ejb.jar </ejb></module><module><java>gone.jar</java></module></j:application>`),
			want: Layout{Kind: LayoutEar, Libraries: []string{"lib/a.jar"}, Modules: []string{"web.war", "ejb.jar"}, Missing: []string{"gone.jar"}}},
		{name: "ear, other library directory", a: archiveOf("lib/a.jar", "other/b.jar", "META-INF/application.xml=<application><library-directory>/other</library-directory></application>"),
			want: Layout{Kind: LayoutEar, Libraries: []string{"other/b.jar"}}},
		{name: "ear, none", a: archiveOf("lib/a.jar", "META-INF/application.xml=<application><library-directory></library-directory></application>"),
			want: Layout{Kind: LayoutEar}},
		{name: "ear, bad", a: archiveOf("lib/a.jar", "META-INF/application.xml=<application>\n<module>"), want: Layout{Kind: LayoutEar, Libraries: []string{"lib/a.jar"}},
			broken: "META-INF/application.xml: unexpected EOF (line 2)"},
		{name: "ear, no application", a: archiveOf("META-INF/application.xml=<x/>"), want: Layout{Kind: LayoutEar}, broken: "found element x, expected application (line 1)"},
		{name: "ear, entities", a: archiveOf(`META-INF/application.xml=<!DOCTYPE x [<!ENTITY a "b">]><application><module><ejb>&a;</ejb></module></application>`), want: Layout{Kind: LayoutEar}, broken: "invalid character entity &a;"},
		{name: "aar", a: archiveOf("AndroidManifest.xml", "libs/b.jar", "classes.jar", "R.txt", "libs/deep/x.jar", "lint.jar"), want: Layout{Kind: LayoutAAR, Libraries: []string{"classes.jar", "libs/b.jar"}}},
		{name: "apk", a: archiveOf(plainManifest, "AndroidManifest.xml", "classes3.dex", "classes.dex", "classes2.dex", "classes5.dex", "classes1.dex", "resources.arsc", "assets/classes.dex"),
			want: Layout{Kind: LayoutAPK, Dex: []string{"classes.dex", "classes2.dex", "classes3.dex"}}},
		{name: "aab", a: archiveOf("BundleConfig.pb", "feature/dex/classes.dex", "base/manifest/AndroidManifest.xml", "base/dex/classes2.dex", "base/dex/classes.dex"),
			want: Layout{Kind: LayoutAAB, Dex: []string{"base/dex/classes.dex", "base/dex/classes2.dex", "feature/dex/classes.dex"}}},
		{name: "jmod", a: func() ziptest.Archive {
			a := archiveOf("classes/module-info.class", "classes/x/A.class", "bin/tool", "legal/x")
			a.Prefix = []byte("JM\x01\x00")
			return a
		}(), want: Layout{Kind: LayoutJMod, Classes: []string{"classes/"}}},
		{name: "bad manifest", a: archiveOf("META-INF/MANIFEST.MF=no colon\n", "A.class"), want: Layout{Kind: LayoutJar, Classes: []string{""}}, broken: "META-INF/MANIFEST.MF: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onEveryBackend(t, tt.a.Bytes(), func(t *testing.T, z *zipfile.ZipFile) {
				l, err := ReadLayout(z)
				if tt.broken != "" {
					assert.ErrorContains(t, err, tt.broken)
					assert.ErrorIs(t, err, zipfile.ErrFormat)
				} else {
					assert.NoError(t, err)
				}
				assert.Equal(t, &tt.want, l)
			})
		})
	}
}

func TestLayoutLayers(t *testing.T) {
	t.Parallel()
	z, err := zipfile.New(backend.Bytes(archiveOf(bootManifest, layersIndex).Bytes()), nil)
	require.NoError(t, err)
	defer z.Close()
	l, err := ReadLayout(z)
	require.NoError(t, err)
	for entry, want := range map[string]string{"BOOT-INF/lib/b.jar": "dependencies", "BOOT-INF/lib/x.jar": "application", "org/x/Y.class": "spring-boot-loader", "META-INF/MANIFEST.MF": ""} {
		assert.Equal(t, want, l.Layer(entry), entry)
	}
	assert.Equal(t, "spring-boot-jar", l.Kind.String())
	assert.Equal(t, "kind-99", LayoutKind(99).String())
}

// TestLayoutClassPath opens the class path of a Spring Boot jar.
func TestLayoutClassPath(t *testing.T) {
	t.Parallel()
	app := filepath.Join(t.TempDir(), "app.jar")
	a := archiveOf(bootManifest, "BOOT-INF/classes/A=app", "BOOT-INF/classpath.idx=- \"BOOT-INF/lib/b.jar\"\n- \"BOOT-INF/lib/a.jar\"\n", "org/springframework/L=loader")
	for _, n := range []string{"a.jar", "b.jar"} {
		a.Entries = append(a.Entries, ziptest.Entry{Name: "BOOT-INF/lib/" + n, Data: jarBytes(n, "A", "Both", n)})
	}
	require.NoError(t, a.WriteFile(app))
	z, err := zipfile.Open(app, nil)
	require.NoError(t, err)
	l, err := ReadLayout(z)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	paths := l.ClassPath(app)
	assert.Equal(t, []string{app + "!/BOOT-INF/classes/", app + "!/BOOT-INF/lib/b.jar", app + "!/BOOT-INF/lib/a.jar"}, paths)
	cp := openPath(t, nil, paths...)
	assert.Empty(t, cp.Problems())
	assert.Equal(t, "app", contents(t, cp, "A"))
	assert.Equal(t, "b.jar:Both", contents(t, cp, "Both"))
	assert.Empty(t, contents(t, cp, "org/springframework/L"), "of another class loader")
	assert.Equal(t, []string{"x.jar"}, (&Layout{Classes: []string{""}}).ClassPath("x.jar"))
}

// TestLayoutClassPathOddNames opens libraries whose names are special in a class path.
func TestLayoutClassPathOddNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	app := filepath.Join(dir, "app.jar")
	a := archiveOf(strings.ReplaceAll(bootManifest, "BOOT-INF/lib/", "l!/b/"))
	for _, n := range []string{"l!/b/*", "l!/b/q!/r.jar", "l!/b/s.jar", "l!/b/../t.jar", "l!/b//u.jar", "l!/b/s.jar!/v.jar"} {
		a.Entries = append(a.Entries, ziptest.Entry{Name: n, Data: jarBytes(n, "A", "Both", n)})
	}
	require.NoError(t, a.WriteFile(app))
	jarFile(t, dir, "outside.jar", "A")
	z, err := zipfile.Open(app, nil)
	require.NoError(t, err)
	l, err := ReadLayout(z)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	cp := openPath(t, nil, l.ClassPath(app)...)
	assert.Equal(t, []string{app + "!/BOOT-INF/classes/", app + "!/l!/b/*", app + "!/l!/b/q!/r.jar", app + "!/l!/b/s.jar", app + "!/l!/b/s.jar!/v.jar"}, cp.Elements())
	assert.Equal(t, "l!/b/*:A", contents(t, cp, "A"))
	for _, n := range []string{"l!/b/*", "l!/b/q!/r.jar", "l!/b/s.jar", "l!/b/s.jar!/v.jar"} {
		assert.Equal(t, n+":"+n, contents(t, cp, n))
	}
	var problems []string
	for _, p := range cp.Problems() {
		problems = append(problems, strings.TrimPrefix(p.Path, app)+": "+p.Err.Error())
	}
	assert.Equal(t, []string{"!/l!/b/../t.jar: name of an entry that is no path", "!/l!/b//u.jar: name of an entry that is no path"}, problems)

	// Directories with a separator in their names.
	odd := filepath.Join(dir, "odd.jar")
	require.NoError(t, archiveOf("x!/c/A=odd").WriteFile(odd))
	cp = openPath(t, nil, (&Layout{Classes: []string{"x!/c/", "x!/d/"}}).ClassPath(odd)...)
	assert.Equal(t, "odd", contents(t, cp, "A"))
	require.Len(t, cp.Problems(), 1)
}

// TestLayoutOfJMods takes the modules of the JDK.
func TestLayoutOfJMods(t *testing.T) {
	t.Parallel()
	list, _ := filepath.Glob("/usr/lib/jvm/*/jmods/jdk.*.jmod")
	if len(list) == 0 {
		t.Skip("no JDK with jmods")
	}
	for _, name := range list {
		z, err := zipfile.Open(name, nil)
		require.NoError(t, err)
		l, err := ReadLayout(z)
		require.NoError(t, err)
		assert.Equal(t, &Layout{Kind: LayoutJMod, Classes: []string{"classes/"}}, l, name)
		require.NoError(t, z.Close())
	}
	cp := openPath(t, nil, (&Layout{Classes: []string{"classes/"}}).ClassPath(list[0])...)
	_, ok := cp.Resource("module-info.class")
	assert.True(t, ok)
}

func TestLayoutHostile(t *testing.T) {
	t.Parallel()
	var index, apk strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&index, "- \"BOOT-INF/lib/%d.jar\"\n", i)
		fmt.Fprintf(&apk, "- \"%d\":\n", i)
	}
	a := archiveOf(bootManifest, "BOOT-INF/classpath.idx="+index.String(), "BOOT-INF/layers.idx="+apk.String())
	for i := range 20_000 {
		a.Entries = append(a.Entries, ziptest.Entry{Name: fmt.Sprintf("BOOT-INF/lib/%d.jar", 3*i)}, ziptest.Entry{Name: fmt.Sprintf("m%d/dex/classes.dex", i)})
	}
	z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
	require.NoError(t, err)
	l, err := ReadLayout(z)
	require.NoError(t, err)
	assert.Len(t, l.Libraries, 20_000)
	assert.Len(t, l.Missing, 180_000)
	assert.Len(t, l.Layers, 200_000)
	require.NoError(t, z.Close())

	// A size that is only claimed.
	huge := ziptest.Archive{Entries: []ziptest.Entry{{Name: "META-INF/application.xml", Data: []byte("<application>"), Zeros: 20_000_000, Method: ziptest.Deflate}}}
	z, err = zipfile.New(backend.Bytes(huge.Bytes()), nil)
	require.NoError(t, err)
	_, err = ReadLayout(z)
	assert.ErrorIs(t, err, zipfile.ErrLimit)
	require.NoError(t, z.Close())
}

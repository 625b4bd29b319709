package main

import (
	"path"
	"strings"

	"zipcat.dev/zipfile/jar"
)

// newestRelease is above that of every JVM.
const newestRelease = 1 << 20

// describeJar tells what a JVM or Android finds in an archive: where classes and libraries are, what
// starts, which module it is and what services it has. What cannot be read is told as well.
func (a *app) describeJar(ar *archive, line func(label, format string, args ...any)) {
	layout, err := jar.ReadLayout(ar.ZipFile)
	if layout == nil || layout.Kind == jar.Zip && err == nil {
		return
	}
	if err != nil {
		line("layout", "%s", printable(err.Error()))
	}
	for _, dir := range layout.Classes {
		if dir != "" {
			line("classes", "in %s", printable(dir))
		}
	}
	if n := len(layout.Dex); n > 0 {
		line("classes", "in %s", printable(strings.Join(layout.Dex, ", ")))
	}
	if n := len(layout.Libraries); n > 0 {
		line("libraries", "%d, in class-path order from %s", n, printable(layout.Libraries[0]))
	}
	if n := len(layout.Layers); n > 0 {
		names := make([]string, n)
		for i, l := range layout.Layers {
			names[i] = l.Name
		}
		line("layers", "%s", printable(strings.Join(names, ", ")))
	}
	for _, name := range layout.Missing {
		line("missing", "%s", printable(name))
	}
	m, err := jar.ReadManifest(ar.ZipFile)
	if err == nil {
		for _, attribute := range []struct{ label, value string }{{"main class", m.MainClass()}, {"start class", m.Main.Value("Start-Class")}} {
			if attribute.value != "" {
				line(attribute.label, "%s", printable(attribute.value))
			}
		}
	}
	view, err := jar.NewView(ar.ZipFile, newestRelease)
	if err != nil || layout.Kind != jar.Jar {
		return
	}
	if module, err := jar.ReadModule(view, path.Base(ar.name)); err == nil {
		text := module.Name
		if module.Version != "" {
			text += ", version " + module.Version
		}
		if module.Automatic {
			text += ", automatic"
		}
		line("module", "%s", printable(text))
	} else {
		line("module", "none: %s", printable(err.Error()))
	}
	for _, s := range jar.Services(view) {
		switch {
		case s.Err != nil:
			line("service", "%s: %s", printable(s.Name), printable(s.Err.Error()))
		default:
			line("service", "%s: %s", printable(s.Name), plural(int64(len(s.Providers)), "provider", "providers"))
		}
	}
}

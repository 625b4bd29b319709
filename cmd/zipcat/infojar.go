package main

import (
	"path"
	"strconv"
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
	for _, err := range eachError(err) {
		line("layout", "%s", printable(err.Error()))
	}
	for _, dir := range layout.Classes {
		if dir != "" {
			line("classes", "in %s", printable(dir))
		}
	}
	if n := len(layout.Dex); n > 0 {
		line("classes", "in %s", printable(few(layout.Dex)))
	}
	if n := len(layout.Libraries); n > 0 {
		line("libraries", "%d, in class-path order from %s", n, printable(layout.Libraries[0]))
	}
	if n := len(layout.Layers); n > 0 {
		names := make([]string, n)
		for i, l := range layout.Layers {
			names[i] = l.Name
		}
		line("layers", "%s", printable(few(names)))
	}
	for i, name := range layout.Missing {
		if i == fewMost {
			line("missing", "and %d more", len(layout.Missing)-fewMost)
			break
		}
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

// fewMost is how many of things of which there may be very many are told.
const fewMost = 10

// few lists names, the first ones of many.
func few(names []string) string {
	text := strings.Join(names[:min(len(names), fewMost)], ", ")
	if n := len(names) - fewMost; n > 0 {
		text += ", and " + strconv.Itoa(n) + " more"
	}
	return text
}

// eachError takes apart what errors.Join made of errors.
func eachError(err error) []error {
	if err == nil {
		return nil
	}
	list, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, err := range list.Unwrap() {
		all = append(all, eachError(err)...)
	}
	return all
}

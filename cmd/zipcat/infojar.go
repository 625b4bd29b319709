package main

import (
	"path"
	"strconv"
	"strings"

	"zipcat.dev/zipfile/jar"
)

// jarFacts are what a JVM or Android finds in an archive: where classes and libraries are, what
// starts, which module it is and what services it has. What cannot be read is told as well.
type jarFacts struct {
	Problems   []string      `json:"problems,omitempty"` // of the layout
	Classes    []string      `json:"classes,omitempty"`  // directories, those of a jar's root left out
	Dex        []string      `json:"dex,omitempty"`
	Libraries  []string      `json:"libraries,omitempty"` // in class-path order
	Layers     []string      `json:"layers,omitempty"`
	Missing    []string      `json:"missing,omitempty"`
	MainClass  string        `json:"main_class,omitempty"`
	StartClass string        `json:"start_class,omitempty"`
	Module     *moduleFacts  `json:"module,omitempty"`
	Services   []serviceFact `json:"services,omitempty"`
}

// moduleFacts are those of the module, or why it is none.
type moduleFacts struct {
	Name      string `json:"name,omitempty"`
	Version   string `json:"version,omitempty"`
	Automatic bool   `json:"automatic,omitempty"`
	Error     string `json:"error,omitempty"`
}

type serviceFact struct {
	Name      string   `json:"name"`
	Providers []string `json:"providers"`
	Error     string   `json:"error,omitempty"`
}

// jarFactsOf returns nil for an archive that is nothing of the kind.
func jarFactsOf(ar *archive) *jarFacts {
	layout, err := jar.ReadLayout(ar.ZipFile)
	if layout == nil || layout.Kind == jar.LayoutZip && err == nil {
		return nil
	}
	f := &jarFacts{Dex: layout.Dex, Libraries: layout.Libraries, Missing: layout.Missing}
	for _, err := range eachError(err) {
		f.Problems = append(f.Problems, err.Error())
	}
	for _, dir := range layout.Classes {
		if dir != "" {
			f.Classes = append(f.Classes, dir)
		}
	}
	for _, l := range layout.Layers {
		f.Layers = append(f.Layers, l.Name)
	}
	if m, err := jar.ReadManifest(ar.ZipFile); err == nil {
		f.MainClass, f.StartClass = m.MainClass(), m.Main.Value("Start-Class")
	}
	view, err := jar.NewView(ar.ZipFile, 0)
	if err != nil || layout.Kind != jar.LayoutJar {
		return f
	}
	if module, err := jar.ReadModule(view, path.Base(ar.name)); err == nil {
		f.Module = &moduleFacts{Name: module.Name, Version: module.Version, Automatic: module.Automatic}
	} else {
		f.Module = &moduleFacts{Error: err.Error()}
	}
	for _, s := range jar.Services(view) {
		fact := serviceFact{Name: s.Name, Providers: []string{}}
		for _, p := range s.Providers {
			fact.Providers = append(fact.Providers, p.Class)
		}
		if s.Err != nil {
			fact.Error = s.Err.Error()
		}
		f.Services = append(f.Services, fact)
	}
	return f
}

// describe prints the facts in lines; there may be none.
func (f *jarFacts) describe(line func(label, format string, args ...any)) {
	if f == nil {
		return
	}
	for _, problem := range f.Problems {
		line("layout", "%s", printable(problem))
	}
	for _, dir := range f.Classes {
		line("classes", "in %s", printable(dir))
	}
	if len(f.Dex) > 0 {
		line("classes", "in %s", printable(few(f.Dex)))
	}
	if n := len(f.Libraries); n > 0 {
		line("libraries", "%d, in class-path order from %s", n, printable(f.Libraries[0]))
	}
	if len(f.Layers) > 0 {
		line("layers", "%s", printable(few(f.Layers)))
	}
	for i, name := range f.Missing {
		if i == fewMost {
			line("missing", "and %d more", len(f.Missing)-fewMost)
			break
		}
		line("missing", "%s", printable(name))
	}
	if f.MainClass != "" {
		line("main class", "%s", printable(f.MainClass))
	}
	if f.StartClass != "" {
		line("start class", "%s", printable(f.StartClass))
	}
	switch m := f.Module; {
	case m == nil:
	case m.Error != "":
		line("module", "none: %s", printable(m.Error))
	default:
		text := m.Name
		if m.Version != "" {
			text += ", version " + m.Version
		}
		if m.Automatic {
			text += ", automatic"
		}
		line("module", "%s", printable(text))
	}
	for _, s := range f.Services {
		if s.Error != "" {
			line("service", "%s: %s", printable(s.Name), printable(s.Error))
		} else {
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

package jar

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"zipcat.dev/zipfile"
)

// indexLines calls fn for the lines of an index that hold text, with their numbers from 1. Lines end
// in LF or CR LF.
func indexLines(text string, fn func(n int, line string) error) error {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := fn(n, line); err != nil {
			return err
		}
	}
	return nil
}

// between returns what stands between two ends of a line.
func between(line, before, after string) (string, bool) {
	if len(line) < len(before)+len(after) || !strings.HasPrefix(line, before) || !strings.HasSuffix(line, after) {
		return "", false
	}
	return line[len(before) : len(line)-len(after)], true
}

// parseClassPathIndex reads the lines of classpath.idx, which are YAML of one form: - "BOOT-INF/lib/x.jar".
// Spring Boot reads no other (ClassPathIndexFile.extractName), and knows no escapes.
func parseClassPathIndex(text string) (list []string, err error) {
	err = indexLines(text, func(n int, line string) error {
		name, ok := between(line, `- "`, `"`)
		if !ok {
			return &LineError{n, `found ` + clip(fmt.Sprintf("%q", line)) + `, expected - "NAME"`}
		}
		list = append(list, name)
		return nil
	})
	return list, err
}

// parseLayersIndex reads layers.idx: - "LAYER": and below it   - "PATH" (org.springframework.boot.jarmode.layertools.IndexedLayers).
func parseLayersIndex(text string) (list []Layer, err error) {
	err = indexLines(text, func(n int, line string) error {
		if name, ok := between(line, `- "`, `":`); ok {
			list = append(list, Layer{Name: name})
			return nil
		}
		name, ok := between(line, `  - "`, `"`)
		if !ok || len(list) == 0 {
			return &LineError{n, `found ` + clip(fmt.Sprintf("%q", line)) + `, expected - "LAYER": or, below one,   - "PATH"`}
		}
		l := &list[len(list)-1]
		l.Paths = append(l.Paths, name)
		return nil
	})
	return list, err
}

// applicationXML is the descriptor of an enterprise application.
const applicationXML = "META-INF/application.xml"

// ear fills the Layout of an enterprise application (Jakarta EE Platform, 8.2.1 and 8.6).
func (l *Layout) ear(z *zipfile.ZipFile, s *found) error {
	app, err := readIndex(z, applicationXML, parseApplication)
	dir := "lib/"
	if app != nil {
		for _, name := range app.modules {
			if _, ok := z.Lookup(name); ok {
				l.Modules = append(l.Modules, name)
			} else {
				l.Missing = append(l.Missing, name)
			}
		}
		if app.libraries != nil {
			if dir = inArchive(*app.libraries); dir == "" { // an empty one says that there are none
				return err
			}
			dir += "/"
		}
	}
	l.Libraries = s.jarsIn(z, dir)
	return err
}

// inArchive returns the name of an entry that a descriptor means: paths in them may begin with a slash.
func inArchive(name string) string {
	name = strings.Trim(strings.TrimSpace(name), "/")
	if name == "" {
		return ""
	}
	return path.Clean(name)
}

// application is what matters of an application.xml.
type application struct {
	modules   []string
	libraries *string
}

// maxModules is how many modules of an application are kept.
const maxModules = 1 << 16

// parseApplication reads an application.xml of any version. Entities are not expanded, and
// namespaces do not count.
func parseApplication(text string) (*application, error) {
	app := new(application)
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(label string, r io.Reader) (io.Reader, error) {
		return nil, fmt.Errorf("encoding %s, expected UTF-8", quoted(clip(label)))
	}
	var names [4]string // of the elements around, the outermost ones
	depth := 0
	for {
		t, err := d.Token()
		if err == io.EOF {
			return app, nil
		}
		if err != nil {
			return app, xmlError(d, err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if depth < len(names) {
				names[depth] = t.Name.Local
			}
			depth++
			if depth == 2 && names[0] == "application" && names[1] == "library-directory" {
				app.libraries = new(string) // an empty one has no text
			}
			if depth == 1 && t.Name.Local != "application" {
				line, _ := d.InputPos()
				return app, &LineError{line, "found element " + quoted(clip(t.Name.Local)) + ", expected application"}
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			app.text(names[:min(depth, len(names))], depth, string(t))
		}
		if len(app.modules) > maxModules {
			return app, &limitText{fmt.Sprintf("more than %d modules, which is the limit", maxModules)}
		}
	}
}

// text takes the text of an element that is depth deep in those of names.
func (app *application) text(names []string, depth int, text string) {
	at := strings.Join(names, ">")
	switch {
	case depth == 2 && at == "application>library-directory":
		app.libraries = &text
	case depth == 3 && (at == "application>module>ejb" || at == "application>module>java" || at == "application>module>connector"),
		depth == 4 && at == "application>module>web>web-uri":
		if name := inArchive(text); name != "" {
			app.modules = append(app.modules, name)
		}
	}
}

func xmlError(d *xml.Decoder, err error) error {
	line, _ := d.InputPos()
	if se, ok := errors.AsType[*xml.SyntaxError](err); ok {
		return &LineError{se.Line, se.Msg}
	}
	return &LineError{line, err.Error()}
}

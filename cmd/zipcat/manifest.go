package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"zipcat.dev/zipfile/jar"
)

func (a *app) manifest() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "manifest ARCHIVE",
		Short: "Print the manifest of a jar",
		Long: `Print the attributes of the manifest, META-INF/MANIFEST.MF in any letter case:
the main ones, then those of each section, one a line however it is folded. Of
several manifests the last is meant, as Java has it.

The exit code is 4 when there is no manifest, 1 when it is damaged; then nothing
is printed.`,
		Example: `  zipcat manifest app.jar
  zipcat manifest --json app.jar | jq -r '.main["Main-Class"]'`,
		Args: needs("ARCHIVE"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("unexpected argument %q: a manifest is that of one ARCHIVE", args[1])
			}
			ar := a.open(args[0])
			if ar == nil {
				return nil
			}
			defer ar.Close()
			m, err := jar.ReadManifest(ar.ZipFile)
			switch {
			case errors.Is(err, jar.ErrNoManifest):
				a.say.noManifest(ar.name, err)
				a.exit.note(exitNoMatch)
			case err != nil:
				a.say.entry(ar.name, manifestName(ar), err)
				a.exit.note(entryExit(err))
			case asJSON:
				a.sayFindings(ar, m)
				a.printJSON(newManifestObject(m))
			default:
				a.sayFindings(ar, m)
				a.printManifest(m)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// manifestName is the name of the entry that holds the manifest.
func manifestName(ar *archive) string {
	entries := jar.ManifestEntries(ar.ZipFile)
	return entries[len(entries)-1].Name()
}

func (a *app) printManifest(m *jar.Manifest) {
	a.printAttributes(&m.Main)
	for s := range m.Sections() {
		fmt.Fprintf(a.out, "\nName: %s\n", printable(s.Name))
		a.printAttributes(&s.Attributes)
		if a.out.failed() {
			return
		}
	}
}

func (a *app) printAttributes(list *jar.Attributes) {
	for name, value := range list.All() {
		fmt.Fprintf(a.out, "%s: %s\n", name, printable(value))
	}
}

// sayFindings tells what other readers of the manifest may see otherwise.
func (a *app) sayFindings(ar *archive, m *jar.Manifest) {
	if a.flags.quiet {
		return
	}
	for _, f := range m.Findings() {
		a.say.manifestFinding(ar.name, manifestName(ar), f)
	}
}

// newManifestObject is what manifest --json prints: {"main": {...}, "sections": {name: {...}}}.
func newManifestObject(m *jar.Manifest) object {
	sections := object{}
	for s := range m.Sections() {
		sections = append(sections, member{s.Name, attributesObject(&s.Attributes)})
	}
	return object{{"main", attributesObject(&m.Main)}, {"sections", sections}}
}

func attributesObject(list *jar.Attributes) object {
	o := make(object, 0, list.Len())
	for name, value := range list.All() {
		o = append(o, member{name, value})
	}
	return o
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(m.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := enc.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

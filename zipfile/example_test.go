package zipfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"zipcat.dev/backend"
	"zipcat.dev/zipfile"
	"zipcat.dev/zipfile/ziptest"
)

// exampleArchive writes a small archive and returns its path.
func exampleArchive(dir string) string {
	name := filepath.Join(dir, "app.jar")
	err := ziptest.Archive{Entries: []ziptest.Entry{
		{Name: "META-INF/MANIFEST.MF", Data: []byte("Manifest-Version: 1.0\n")},
		{Name: "greeting.txt", Data: []byte("hello\n"), Method: ziptest.Deflate},
	}}.WriteFile(name)
	if err != nil {
		log.Fatal(err)
	}
	return name
}

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	z, err := zipfile.Open(exampleArchive(dir), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer z.Close()
	for e := range z.Entries() {
		fmt.Println(e.Name(), e.Size(), e.Method())
	}
	if e, ok := z.Lookup("greeting.txt"); ok {
		e.WriteTo(os.Stdout)
	}
	// Output:
	// META-INF/MANIFEST.MF 22 store
	// greeting.txt 6 deflate
	// hello
}

// A program that starts before it may map files shuts the gate, opens its archives, and moves
// them to mappings once it is up.
func Example_earlyStartup() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	backend.AllowMapping(false)
	defer backend.AllowMapping(true)
	z, err := zipfile.Open(exampleArchive(dir), &zipfile.Options{Backend: backend.Mapped})
	if err != nil {
		log.Fatal(err)
	}
	defer z.Close()
	greeting, _ := z.Lookup("greeting.txt")
	fmt.Println("early:", z.Backend().Kind)
	greeting.WriteTo(os.Stdout)

	backend.AllowMapping(true)
	switch err := z.SwitchBackend(backend.Mapped); {
	case errors.Is(err, errors.ErrUnsupported): // a platform without mappings: it stays as it is
	case err != nil:
		log.Fatal(err)
	default:
		fmt.Println("later:", z.Backend().Kind)
	}
	greeting.WriteTo(os.Stdout) // the entry is the same
	// Output:
	// early: pread
	// hello
	// later: mapped
	// hello
}

func ExampleZipFile_Findings() {
	a := ziptest.Archive{
		Prefix:  []byte("#!/bin/sh\n"),
		Entries: []ziptest.Entry{{Name: "../up.txt", Data: []byte("hello\n")}},
	}
	z, err := zipfile.New(backend.Bytes(a.Bytes()), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.Findings() {
		fmt.Printf("%s %q %s\n", f.Kind, f.Entry, f.Text)
	}
	_, err = fs.Stat(z.FS(), "up.txt")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// prefix "" 10 bytes before the archive
	// name "../up.txt" element .. in the name
	// true
}
